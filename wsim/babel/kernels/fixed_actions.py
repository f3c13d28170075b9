"""The fixed actions by which callers decide in many games at once.

Every kind of decision has a separate range of fixed actions, in the order of ``words.DECISIONS``; each move has exactly
one. In a turn it is the move itself, and likewise for a card played, a kind set aside, a mask, no or yes. An offer is
``(trade card * KIND_CARDS + cards of the second kind) * KIND_CARDS + cards of the first``; completing is 1 + ``Jokers'
second * KIND_CARDS + first``, declining 0.
"""

from __future__ import annotations

from itertools import accumulate

import numpy as np

from wsim.babel.kernels.layout import COMPLETED
from wsim.babel.kernels.moves import first_of, second_of, trades
from wsim.babel.words import ACTION_CARDS, BLUFF, COMPLETE, DECISIONS, DOUBLE, KINDS, OFFER, SEATS, SLOTS, TRIPLE
from wsim.jit import kernel

_KIND_CARDS = 7  # cards of one kind in an offer: 0 to 6
_PAIRS = _KIND_CARDS * _KIND_CARDS
_RANGES = (1 + SLOTS, 1 + len(ACTION_CARDS), 1 + len(KINDS), 2 * _PAIRS, 1 << len(KINDS), 1 << SEATS, 1 + _PAIRS, 2, 2)
"""The number of fixed actions of each decision."""
_STARTS = np.array((0, *accumulate(_RANGES)))
"""The start of each decision's range; the last number is their total."""
assert len(_RANGES) == len(DECISIONS)


def fixed_actions() -> tuple[str, ...]:
    """Return the names of the fixed actions, each with its decision first: ``turn:pass``, ``offer:2+0``, ..."""
    pairs = [f"{first}+{second}" for second in range(_KIND_CARDS) for first in range(_KIND_CARDS)]
    names = (
        ("pass", *(f"slot{slot}" for slot in range(SLOTS))),
        ("none", *ACTION_CARDS),
        ("enough", *KINDS),
        (*pairs, *(f"trade+{pair}" for pair in pairs)),
        _subsets(KINDS),
        _subsets([f"seat{seat}" for seat in range(SEATS)]),
        ("decline", *(f"jokers{pair}" for pair in pairs)),
        ("no", "yes"),
        ("no", "yes"),
    )
    assert tuple(map(len, names)) == _RANGES
    assert (BLUFF, TRIPLE, DOUBLE) == (4, 7, 8)
    return tuple(f"{decision}:{name}" for decision, own in zip(DECISIONS, names, strict=True) for name in own)


def _subsets(names: tuple[str, ...] | list[str]) -> tuple[str, ...]:
    """Return a name for every mask over some names."""
    masks = range(1 << len(names))
    return tuple("+".join(name for bit, name in enumerate(names) if mask >> bit & 1) or "none" for mask in masks)


@kernel
def fixed_action(choice, rules, move):
    """Return the fixed action of a move of a decision."""
    kind = choice.kind
    start = _STARTS[kind]
    if kind == OFFER:
        return start + (trades(move) * _KIND_CARDS + second_of(move)) * _KIND_CARDS + first_of(move)
    if kind == COMPLETE and move >= COMPLETED:
        return start + 1 + second_of(move) * _KIND_CARDS + first_of(move)
    return start + move


@kernel
def move_of(choice, rules, action):
    """Return the legal move of a fixed action."""
    for index in range(choice.count):
        if fixed_action(choice, rules, choice.moves[index]) == action:
            return choice.moves[index]
    return choice.moves[0]
