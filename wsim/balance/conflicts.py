"""What stands in the way of a goal: targets that bind, and those that pull the same knobs apart."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from wsim.balance.cells import Cell
from wsim.balance.sampling import Effects

ALIKE = 0.5  # correlation of what the options do to two cells from which they are said to move together
MOST = 5
Floats = NDArray[np.float64]


def binding(cells: Sequence[Cell], value: Floats, within: NDArray[np.bool_]) -> list[int]:
    """Return the cells that are not within their bounds, the farthest first."""
    beyond = [float(cell.excess(one)) / cell.reach for cell, one in zip(cells, value, strict=True)]
    return [int(place) for place in np.argsort(beyond)[::-1] if not within[place]]


def conflicts(cells: Sequence[Cell], value: Floats, effects: Effects, binds: Sequence[int]) -> list[str]:
    """Say which targets cannot be met together: what helps one harms the other, as they move together.

    Parameters
    ----------
    value: of each cell with the patch. effects: of the options. binds: cells that are not within their bounds.
    """
    middle = np.array([(cell.low + cell.high) / 2 for cell in cells])
    off = value - middle
    found: list[tuple[float, str]] = []
    for place in binds:
        for other in range(len(cells)):
            if other == place or (other in binds and other < place) or not np.isfinite(off[[place, other]]).all():
                continue
            one, two = effects.value[:, place], effects.value[:, other]
            if off[place] * off[other] >= 0 or not one.any() or not two.any():
                continue
            alike = float(one @ two / np.sqrt((one @ one) * (two @ two)))
            if alike > ALIKE:
                weight = min(abs(off[place]) / cells[place].reach, abs(off[other]) / cells[other].reach)
                found.append((alike * weight, _sentence(cells[place], off[place], cells[other], off[other])))
    return [said for _, said in sorted(found, reverse=True)[:MOST]]


def _sentence(one: Cell, off: float, other: Cell, opposite: float) -> str:
    return (
        f"{_named(one)} is too {_way(off)} while {_named(other)} is too {_way(opposite)}, and the knobs move both alike"
    )


def _named(cell: Cell) -> str:
    return f"{cell.metric} of {cell.name} ({cell.setting})"


def _way(off: float) -> str:
    return "high" if off > 0 else "low"
