"""``search``: playouts of the few moves that ``net`` values most (wsim/policies/searching.py).

What a seat cannot know is drawn anew by kernels/redraw.py. The end is worth half the share of the victory, and a little
for every point of lead over the best rival.
"""

from __future__ import annotations

import numpy as np

from wsim.babel.kernels.flow import advance, take
from wsim.babel.kernels.layout import CHOICE, MOVES, NOBODY, STATE
from wsim.babel.kernels.redraw import redraw
from wsim.babel.policies.net import net_values
from wsim.babel.words import PARAMETERS
from wsim.jit import call, kernel, stack_room
from wsim.policies.searching import Parts, searching
from wsim.rng import uniform

__all__ = ["search"]

_SHARE, _LEAD = 0.5, 0.03  # of the victory; of a point
_TIE = 1e-7  # by which equal moves are told apart: the wonders differ by name only

_learned_room = stack_room("search.learned", np.float32, MOVES)


@kernel
def _values(game, rules, settings, seat):
    """Fill what the net learned of each legal move, equal ones in a random order."""
    choice, thinking, learned = game.choice, game.thinking, _learned_room()
    net_values(game.public, game.own[seat], choice, rules, settings, learned)
    for index in range(choice.count):
        thinking.values[index] = learned[index] + _TIE * uniform(thinking)


@kernel
def _alike(choice, one, other):
    """Say whether two moves do the same thing: none do."""
    return False


@kernel
def _moment(public, choice):
    """Return a number of what the table has seen and what is to be decided."""
    return (((public.turn << 8 | public.action) << 8 | public.deck) << 4 | choice.kind) << 8 | choice.count


@kernel
def _play_on(game, rules, seating, line_up):
    """Play to the end with the players of the search."""
    choice = game.choice
    while True:
        decider = advance(game, rules, 0)
        if decider == NOBODY:
            return
        index = 0
        if choice.count > 1:
            player = game.thinking.player[decider]
            settings = seating.settings[seating.settings_at[player]]
            index = call(line_up[player], game.public, game.own[decider], choice, rules, settings)
        take(game, rules, choice.moves[index])


@kernel
def _utility(game, rules, seat):
    """Return what the end of a game is worth to a seat."""
    points, best = game.public.points, -1_000_000
    for other in range(rules.seats):
        if other != seat:
            best = max(best, points[other])
    return _SHARE * game.hidden.tally[seat].share + _LEAD * (points[seat] - best)


search = searching(
    Parts(
        state=STATE,
        choice=CHOICE,
        values=_values,
        alike=_alike,
        moment=_moment,
        redraw=redraw,
        take=take,
        play_on=_play_on,
        utility=_utility,
        parameters=PARAMETERS,
    )
)
