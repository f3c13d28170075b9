"""``search``: playouts of the few moves that ``net`` values most (wsim/kernels/searching.py).

kernels/redraw.py resamples what a seat cannot know. The utility of a game is half the win share plus a small amount per
point of lead over the best rival.
"""

from __future__ import annotations

import numpy as np

from wsim.babel.kernels.layout import CHOICE, MOVES, STATE
from wsim.babel.kernels.moves import restrict
from wsim.babel.kernels.redraw import redraw
from wsim.babel.kernels.scoring import outcome
from wsim.babel.kernels.steps import STEPS
from wsim.babel.policies.net import net_values
from wsim.babel.words import PARAMETERS
from wsim.jit import kernel, stack_room
from wsim.kernels.searching import NEVER, SearchHooks, searching, utility_of
from wsim.rng import uniform

_TIE = 1e-7  # breaks ties at random: the wonders differ only by name

_places_room = stack_room("search.places", np.int64, MOVES)
_learned_room = stack_room("search.learned", np.float32, MOVES)


@kernel
def _values(game, rules, settings, seat):
    """Fill the learned value of each legal move; of moves with equal values only one, drawn at random, is tried."""
    choice, lookahead, places, learned = game.choice, game.lookahead, _places_room(), _learned_room()
    net_values(game.public, game.own[seat], choice, rules, settings, places, learned)
    for index in range(choice.count):
        lookahead.values[index] = learned[index] + _TIE * uniform(lookahead)
        for other in range(index):
            if learned[other] == learned[index] and lookahead.values[other] != NEVER:
                lookahead.values[other if lookahead.values[other] < lookahead.values[index] else index] = NEVER
                break


@kernel
def _moment(public, choice):
    """Return a number that identifies the public state and the decision."""
    return (((public.turn << 8 | public.action) << 8 | public.deck) << 4 | choice.kind) << 8 | choice.count


search = searching(
    SearchHooks(
        state=STATE,
        choice=CHOICE,
        values=_values,
        moment=_moment,
        redraw=redraw,
        take=STEPS.hooks.take,
        next_decision=STEPS.hooks.next_decision,
        restrict=restrict,
        utility=utility_of(outcome),
        parameters=PARAMETERS,
    )
)
