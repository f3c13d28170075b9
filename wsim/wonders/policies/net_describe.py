"""The inputs of the policy ``net`` at a decision, written out: what it is learned from (``wsim.wonders.learning``)."""

from __future__ import annotations

import numpy as np

from wsim.jit import kernel, stack_room, types
from wsim.wonders.kernels.layout import CHOICES, NOBODY, Choice, Private, Public, Rules, Settings
from wsim.wonders.kernels.moves import action_of, card_of
from wsim.wonders.policies.net import card_role
from wsim.wonders.policies.net_inputs import coming_names, fill_moves, fill_state, hand_names, list_candidates
from wsim.wonders.words import CARD_WORDS, DECLINE

__all__ = ["describe"]

_values_room = stack_room("describe.values", np.float64, CHOICES)
_Floats, _Table = types.Array(types.float32, 1, "C"), types.Array(types.float32, 2, "C")
_Words, _Places = types.Array(types.uint64, 2, "C"), types.Array(types.int64, 2, "C")


@kernel(types.int64(Public, Private, Choice, Rules, Settings, _Floats, _Words, _Places, _Table))
def describe(public, own, choice, rules, settings, x, sets, moves, numbers):
    """Fill the state's numbers, its sets of names (hand, coming, built), and of each move worth a look what it is.

    A row of ``moves`` is (index, role of the card or NOBODY, card). Returns how many moves there are.
    """
    values = _values_room()
    count = list_candidates(public, own, choice, rules, settings, values, moves[0])
    fill_moves(public, own, choice, rules, settings, values, moves[0], count, numbers)
    fill_state(public, own, choice, rules, x)
    for word in range(CARD_WORDS):
        sets[0, word] = hand_names(public, own, rules, word)
        sets[1, word] = coming_names(public, own, rules, word)
        sets[2, word] = public.built[own.seat, word]
    for j in range(count):
        move = choice.moves[moves[0, j]]
        action = action_of(move)
        moves[1, j] = NOBODY if action == DECLINE else card_role(choice, own, action)
        moves[2, j] = card_of(move)
    return count
