"""Many games of 7 Wonders at once: the kernel, and the names of the fixed actions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from wsim.positions.many import Many
from wsim.wonders.describe.view import columns
from wsim.wonders.kernels.desks import DESK, MOST_PAID, ORDERS
from wsim.wonders.kernels.layout import CHOICES
from wsim.wonders.kernels.vector import step_games

if TYPE_CHECKING:
    from wsim.wonders.simulator import WondersSimulator

__all__ = ["fixed_actions", "many_of"]

_WITH_CARD = ("build", "stage", "sell", "build_free")


def fixed_actions(cards: Sequence[str]) -> tuple[str, ...]:
    """Return the names of the fixed actions: ``build:CARD``, ..., ``decline``, ``pay:0`` (coins of a loss), ..."""
    paid = [f"pay:{coins}" for coins in range(MOST_PAID)]
    return (*(f"{what}:{card}" for card in cards for what in _WITH_CARD), "decline", *paid, f"pay:{MOST_PAID}+")


def many_of(simulator: WondersSimulator) -> Many:
    """Return the kernels of a simulator, ready for many games."""
    names = [card.name for card in simulator.catalogue.cards]
    rules = simulator.compiled[0]
    seen = columns(names, rules, history=False)
    return Many(simulator.machine, step_games, ORDERS, DESK, seen, fixed_actions(names), CHOICES)
