"""The fixed actions by which callers decide in many games at once.

Every decision has a range of fixed actions of its own, one behind the other in the order of ``words.DECISIONS``; each
move has exactly one. In a turn it is the move itself, likewise a card played, a kind set aside, a mask, no or yes. An
offer is ``(trade card * KIND_CARDS + cards of the second kind) * KIND_CARDS + cards of the first``; completing is 1 +
``Jokers' second * KIND_CARDS + first``, declining 0.
"""

from __future__ import annotations

from itertools import accumulate

import numpy as np

from wsim.babel.kernels.layout import COMPLETED
from wsim.babel.kernels.moves import first_of, second_of, trades
from wsim.babel.words import ACTION_CARDS, COMPLETE, DECISIONS, KINDS, OFFER, SEATS, SLOTS
from wsim.jit import kernel

KIND_CARDS = 7  # cards of one kind in an offer: 0 to 6
_PAIRS = KIND_CARDS * KIND_CARDS
RANGES = (1 + SLOTS, 1 + len(ACTION_CARDS), 1 + len(KINDS), 2 * _PAIRS, 1 << len(KINDS), 1 << SEATS, 1 + _PAIRS, 2, 2)
"""The fixed actions of each decision, how many."""
STARTS = (0, *accumulate(RANGES))
"""Where those of each decision begin; the last number is that of all of them."""
assert len(RANGES) == len(DECISIONS)
_STARTS = np.array(STARTS)


@kernel
def fixed_action(choice, rules, move):
    """Return the fixed action of a move of a decision."""
    kind = choice.kind
    start = _STARTS[kind]
    if kind == OFFER:
        return start + (trades(move) * KIND_CARDS + second_of(move)) * KIND_CARDS + first_of(move)
    if kind == COMPLETE and move >= COMPLETED:
        return start + 1 + second_of(move) * KIND_CARDS + first_of(move)
    return start + move


@kernel
def move_of(choice, rules, action):
    """Return the legal move of a fixed action."""
    for index in range(choice.count):
        if fixed_action(choice, rules, choice.moves[index]) == action:
            return choice.moves[index]
    return choice.moves[0]
