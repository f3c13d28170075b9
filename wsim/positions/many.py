"""What a game offers to those who step many of its games at once (``wsim.env``)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

    from wsim.positions.machine import Machine

__all__ = ["Many"]


@dataclass(frozen=True)
class Many:
    """The kernels of a plan, ready for many games at once.

    Attributes
    ----------
    machine: rules, seating, line-up, and what steps a single position.
    entry: the kernel of (game, words, states, rules, seating, line_up, orders, desks, seen, masks) that returns -1, or
        the place of the game in which a policy was wrong.
    orders, desk: dtypes, field by field in ``kernels/desks.py`` of the game.
    columns: what the numbers of an observation are; what lies on the table, without the history.
    actions: the names of the fixed actions, by number.
    most_moves: how many legal moves a decision may have.
    """

    machine: Machine
    entry: Any
    orders: np.dtype[Any]
    desk: np.dtype[Any]
    columns: tuple[str, ...]
    actions: tuple[str, ...]
    most_moves: int
