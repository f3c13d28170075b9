"""``net``: the move that adds most to the utility of the game, by values learned in self-play.

A small net (``wsim.kernels.net_layers``) values each legal move. Its inputs are ``net_inputs`` and ``net_moves``;
docs/learning.md describes its training. Ties are broken at random: the wonders differ only by name, and a rule such as
"the first one" would make them differ in play.
"""

from __future__ import annotations

import numpy as np

from wsim.babel.kernels.layout import MOVES
from wsim.babel.kernels.net_layout import SIZES
from wsim.babel.policies.net_inputs import fill_standing, fill_state
from wsim.babel.policies.net_moves import fill_moves
from wsim.babel.words import SEATS
from wsim.jit import kernel, stack_room
from wsim.kernels.net_layers import NetHooks, net_of
from wsim.rng import below

_places_room = stack_room("best.places", np.int64, MOVES)
_learned_room = stack_room("best.learned", np.float32, MOVES)

_standing_room = stack_room("net.standing", np.int64, SEATS)


@kernel
def _fill(public, own, choice, rules, settings, values, places, count, state, moves):
    standing = _standing_room()
    fill_standing(public, own, rules, standing)
    fill_moves(public, own, choice, rules, settings, standing, values, moves)
    fill_state(public, own, choice, rules, standing, state)


NET = net_of(NetHooks(sizes=SIZES, choices=MOVES, candidates=MOVES, fill=_fill))
net_values = NET.values


@kernel
def net_policy(public, own, choice, rules, settings):
    """Return the move with the highest learned value; ties are broken at random."""
    places, learned = _places_room(), _learned_room()
    count, best, equal = net_values(public, own, choice, rules, settings, places, learned), 0, 1
    for index in range(1, count):
        if learned[index] > learned[best]:
            best, equal = index, 1
        elif learned[index] == learned[best]:
            equal += 1
            if below(own, equal) == 0:
                best = index
    return best
