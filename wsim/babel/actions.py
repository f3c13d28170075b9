"""The names of the fixed actions of Tower of Babel (kernels/fixed_actions.py)."""

from __future__ import annotations

from wsim.babel.kernels.fixed_actions import KIND_CARDS, RANGES
from wsim.babel.words import ACTION_CARDS, BLUFF, DECISIONS, DOUBLE, KINDS, SEATS, SLOTS, TRIPLE


def fixed_actions() -> tuple[str, ...]:
    """Return the names of the fixed actions, each with its decision first: ``turn:pass``, ``offer:2+0``, ..."""
    pairs = [f"{first}+{second}" for second in range(KIND_CARDS) for first in range(KIND_CARDS)]
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
    assert tuple(map(len, names)) == RANGES
    assert (BLUFF, TRIPLE, DOUBLE) == (4, 7, 8)
    return tuple(f"{decision}:{name}" for decision, own in zip(DECISIONS, names, strict=True) for name in own)


def _subsets(names: tuple[str, ...] | list[str]) -> tuple[str, ...]:
    """Return a name for every mask over some names."""
    masks = range(1 << len(names))
    return tuple("+".join(name for bit, name in enumerate(names) if mask >> bit & 1) or "none" for mask in masks)
