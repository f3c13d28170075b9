"""The names of the fixed actions of 7 Wonders (kernels/fixed_actions.py)."""

from __future__ import annotations

from collections.abc import Sequence

from wsim.wonders.kernels.fixed_actions import MOST_PAID

_WITH_CARD = ("build", "stage", "sell", "build_free")


def fixed_actions(cards: Sequence[str]) -> tuple[str, ...]:
    """Return the names of the fixed actions: ``build:CARD``, ..., ``decline``, ``pay:0`` (coins of a loss), ..."""
    paid = [f"pay:{coins}" for coins in range(MOST_PAID)]
    return (*(f"{what}:{card}" for card in cards for what in _WITH_CARD), "decline", *paid, f"pay:{MOST_PAID}+")
