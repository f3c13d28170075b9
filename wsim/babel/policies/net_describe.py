"""The inputs of the policy ``net`` at a decision, written out: what it is learned from (``wsim.babel.learning``)."""

from __future__ import annotations

import numpy as np

from wsim.babel.kernels.layout import MOVES, Choice, Private, Public, Rules, Settings
from wsim.babel.policies.net_inputs import fill_standing, fill_state
from wsim.babel.policies.net_moves import fill_moves
from wsim.babel.words import SEATS
from wsim.jit import kernel, stack_room, types

__all__ = ["describe"]

_values_room = stack_room("describe.values", np.float64, MOVES)
_standing_room = stack_room("describe.standing", np.int64, SEATS)


@kernel(
    types.void(Public, Private, Choice, Rules, Settings, types.Array(types.float32, 1, "C"),
               types.Array(types.float32, 2, "C"))
)  # fmt: skip
def describe(public, own, choice, rules, settings, x, numbers):
    """Fill the numbers of the state, and of each legal move."""
    values, standing = _values_room(), _standing_room()
    fill_standing(public, own, rules, standing)
    fill_moves(public, own, choice, rules, settings, standing, values, numbers)
    fill_state(public, own, choice, rules, standing, x)
