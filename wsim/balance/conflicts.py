"""Obstacles to a goal: binding targets, and targets that need the same knobs in opposite directions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from wsim.balance.cells import Cell
from wsim.balance.sampling import Effects, Level

ALIKE = 0.5  # minimum correlation between the options' effects on two cells that count as moving together
MAX_CONFLICTS = 5
Z = 1.96  # standard errors in the half width of a 95% interval
Floats = NDArray[np.float64]


def binding(cells: Sequence[Cell], value: Floats, within: NDArray[np.bool_]) -> list[int]:
    """Return the indices of the cells that are not within their bounds, the farthest first."""
    beyond = [float(cell.excess(level)) / cell.reach for cell, level in zip(cells, value, strict=True)]
    return [int(index) for index in np.argsort(beyond)[::-1] if not within[index]]


def conflicts(cells: Sequence[Cell], level: Level, effects: Effects) -> list[str]:
    """Describe the pairs of targets that cannot be met together, because a change that helps one harms the other.

    A cell counts as too high or too low only if its whole interval is beyond its bounds. The second cell of a pair is
    likewise beyond the opposite bound, or the change that would fix the first one moves it there.

    Parameters
    ----------
    level: the level of each cell with the patch. effects: the effects of the options.
    """
    reach = Z * level.error
    low, high = (np.array([getattr(cell, end) for cell in cells]) for end in ("low", "high"))
    above, below = level.value - reach - high, low - level.value - reach  # at least this far beyond the bounds
    weighted: list[tuple[float, str]] = []
    for index in map(int, np.flatnonzero((above > 0) | (below > 0))):
        sign, off = (1.0, above[index]) if above[index] > 0 else (-1.0, below[index])
        effect = effects.value[:, index]
        for second in range(len(cells)):
            other_effect, opposite = effects.value[:, second], (below if sign > 0 else above)[second]
            if second == index or not effect.any() or not other_effect.any() or (opposite > 0 and second < index):
                continue
            alike = float(effect @ other_effect / np.sqrt((effect @ effect) * (other_effect @ other_effect)))
            taken = float(off * (effect @ other_effect) / (effect @ effect))
            together = _feasible(-sign * effect, -sign * other_effect, off, opposite)
            if alike > ALIKE and opposite + taken > 0 and not together:
                weight = min(off / cells[index].reach, taken / cells[second].reach)
                weighted.append((alike * weight, _sentence(cells[index], sign, cells[second], beyond=opposite > 0)))
    return [sentence for _, sentence in sorted(weighted, reverse=True)[:MAX_CONFLICTS]]


def _feasible(repaired: Floats, other: Floats, wanted: float, opposite: float) -> bool:
    """Return whether some options, each wholly or in part, repair the first cell and keep the second within bounds.

    This is a linear programme with two constraints: ``repaired @ x >= wanted`` and ``other @ x <= -opposite`` for x
    from 0 to 1. By duality, it has a solution unless some weight of the second constraint proves that it has none, and
    only the ratios of the coefficients need to be tried as weights.

    Parameters
    ----------
    repaired: how far each option moves the first cell back. other: how far it moves the second cell towards its bound.
    wanted: how far the first cell is beyond its bound. opposite: how far the second cell is beyond its bound; negative:
        within it.
    """
    ratios = np.divide(repaired, other, out=np.zeros(len(repaired)), where=other != 0)
    weights = np.array([0.0, *ratios[ratios > 0]])
    best = np.maximum(repaired - weights[:, None] * other, 0.0).sum(axis=1) - wanted - weights * opposite
    unbounded = np.maximum(-other, 0.0).sum() - opposite  # only the second constraint
    return bool((best >= 0).all() and unbounded >= 0)


def _sentence(first: Cell, sign: float, second: Cell, *, beyond: bool) -> str:
    off, opposite = ("high", "low") if sign > 0 else ("low", "high")
    first_name, second_name = (f"{cell.metric} of {cell.name} ({cell.setting})" for cell in (first, second))
    if beyond:
        return (
            f"{first_name} is too {off} while {second_name} is too {opposite}, and the knobs move both in the same "
            "direction"
        )
    return (
        f"{first_name} is too {off}, and what would fix it makes {second_name} too {opposite}: the knobs move both "
        "alike"
    )
