"""What stands in the way of a goal: targets that bind, and those that pull the same knobs apart."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from wsim.balance.cells import Cell
from wsim.balance.sampling import Effects, Level

ALIKE = 0.5  # correlation of what the options do to two cells from which they are said to move together
MOST = 5
Z = 1.96  # standard errors of an interval of 95 %
Floats = NDArray[np.float64]


def binding(cells: Sequence[Cell], value: Floats, within: NDArray[np.bool_]) -> list[int]:
    """Return the cells that are not within their bounds, the farthest first."""
    beyond = [float(cell.excess(one)) / cell.reach for cell, one in zip(cells, value, strict=True)]
    return [int(place) for place in np.argsort(beyond)[::-1] if not within[place]]


def conflicts(cells: Sequence[Cell], level: Level, effects: Effects) -> list[str]:
    """Say which targets cannot be met together: what helps one harms the other, as they move together.

    Only what lies beyond its bounds by an interval is called too high or too low. The other one of a pair lies beyond
    its opposite bound likewise, or is taken there by what would bring the first one within.

    Parameters
    ----------
    level: of each cell with the patch. effects: of the options.
    """
    reach = Z * level.error
    low, high = (np.array([getattr(cell, end) for cell in cells]) for end in ("low", "high"))
    above, below = level.value - reach - high, low - level.value - reach  # beyond the bounds by so much at least
    found: list[tuple[float, str]] = []
    for place in map(int, np.flatnonzero((above > 0) | (below > 0))):
        sign, off = (1.0, above[place]) if above[place] > 0 else (-1.0, below[place])
        one = effects.value[:, place]
        for other in range(len(cells)):
            two, opposite = effects.value[:, other], (below if sign > 0 else above)[other]
            if other == place or not one.any() or not two.any() or (opposite > 0 and other < place):
                continue
            alike = float(one @ two / np.sqrt((one @ one) * (two @ two)))
            taken = float(off * (one @ two) / (one @ one))
            if alike > ALIKE and opposite + taken > 0:
                weight = min(off / cells[place].reach, taken / cells[other].reach)
                found.append((alike * weight, _sentence(cells[place], sign, cells[other], beyond=opposite > 0)))
    return [said for _, said in sorted(found, reverse=True)[:MOST]]


def _sentence(one: Cell, sign: float, other: Cell, *, beyond: bool) -> str:
    off, opposite = ("high", "low") if sign > 0 else ("low", "high")
    first, second = (f"{cell.metric} of {cell.name} ({cell.setting})" for cell in (one, other))
    if beyond:
        return f"{first} is too {off} while {second} is too {opposite}, and the knobs move both alike"
    return f"{first} is too {off}, and what would mend it makes {second} too {opposite}: the knobs move both alike"
