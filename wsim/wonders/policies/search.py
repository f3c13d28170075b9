"""``search``: playouts of the few moves that ``net`` values most (wsim/kernels/searching.py).

A seat's hidden knowledge is drawn anew by kernels/redraw.py. The end is worth half the share of the victory, and a
little for every point of lead over the best rival: of the team, where there are teams.
"""

from __future__ import annotations

import numpy as np

from wsim.jit import kernel, stack_room
from wsim.kernels.searching import LEAD, NEVER, WINNING, Parts, searching
from wsim.wonders.kernels.layout import CHOICE, HOW_AT, STATE
from wsim.wonders.kernels.moves import restrict
from wsim.wonders.kernels.redraw import redraw_within
from wsim.wonders.kernels.steps import STEPS
from wsim.wonders.policies.net import net_values
from wsim.wonders.policies.net_inputs import MOST_CANDIDATES
from wsim.wonders.policies.weighted import move_values
from wsim.wonders.words import LOSS, PARAMETERS, TURNS

_POINT = 0.05  # what a point of the weights' value is worth in utility
_PASTS = 100  # made up before a discard pile that was seen is no longer asked to agree
_SAME = np.uint64((1 << HOW_AT) - 1)  # the fields of a move that say what is done with which card

_places_room = stack_room("search.places", np.int64, MOST_CANDIDATES)
_learned_room = stack_room("search.learned", np.float32, MOST_CANDIDATES)


@kernel
def _loss_values(game, rules, settings, seat):
    """Fill the value of each payment of a loss; of the Free City's, whose points win nothing, the first pays most."""
    choice, values = game.choice, game.lookahead.values
    move_values(game.public, settings, choice, rules, values)
    for index in range(choice.count):
        values[index] = _POINT * values[index] if choice.seat == seat else -float(index)


@kernel
def _values(game, rules, settings, seat):
    """Fill the value of each legal move: what the net learned of it, of a loss what the weights say."""
    choice, values = game.choice, game.lookahead.values
    if choice.kind == LOSS:
        _loss_values(game, rules, settings, seat)
        return
    places, learned = _places_room(), _learned_room()
    count = net_values(game.public, game.own[seat], choice, rules, settings, places, learned)
    for index in range(choice.count):
        values[index] = NEVER
    for place in range(count):
        values[places[place]] = learned[place]


@kernel
def _alike(choice, one, other):
    """Say whether two moves do the same thing with the same card; payments of a loss are different things."""
    return choice.kind != LOSS and choice.moves[one] & _SAME == choice.moves[other] & _SAME


@kernel
def _moment(public, choice):
    """Return a number of what the table has seen and what is to be decided."""
    turn = public.age * (TURNS + 1) + public.turn
    return (((turn << 10 | public.deed_count) << 4 | choice.seat) << 4 | choice.kind) << 12 | choice.count


@kernel
def _redraw(game, rules, seed, number, seat):
    """Draw anew what the seat cannot know; a pile that it saw long ago need not agree to the last card."""
    redraw_within(game, rules, seed, number, seat, _PASTS)


@kernel
def _points(game, rules, seat):
    """Return the points of a player, or of the mean member of its team."""
    total = game.result.total
    return (total[seat] + total[seat ^ 1]) / 2.0 if rules.teams else float(total[seat])


@kernel
def _utility(game, rules, seat):
    """Return what the end of a game is worth to a seat."""
    best = -1e9
    for other in range(rules.players):
        if other != seat and not (rules.teams and other == seat ^ 1):
            best = max(best, _points(game, rules, other))
    return WINNING * game.result.share[seat] + LEAD * (_points(game, rules, seat) - best)


search = searching(
    Parts(
        state=STATE,
        choice=CHOICE,
        values=_values,
        alike=_alike,
        moment=_moment,
        redraw=_redraw,
        take=STEPS.parts.take,
        next_decision=STEPS.parts.next_decision,
        restrict=restrict,
        utility=_utility,
        parameters=PARAMETERS,
    )
)
