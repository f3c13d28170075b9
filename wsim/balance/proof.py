"""The proof that a patch meets its targets: all of them at once, on deals that the search has not used.

For every cell, the hypothesis that it is beyond a bound must be rejected (two one-sided tests). To claim that ALL cells
are within their bounds, each test may use the full level: the hypothesis that any cell is beyond a bound is rejected
only if every single hypothesis is rejected (intersection-union, Berger 1982). The errors of several attempts do add up,
so ``alpha`` is shared among the proofs that a goal allows.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wsim.balance.cells import Cell
from wsim.balance.evaluator import Evaluator
from wsim.balance.knobs import Patch
from wsim.balance.sampling import Level
from wsim.stats.distributions import normal_cdf, normal_quantile

Floats = NDArray[np.float64]
MIN_GAMES = 20_000


@dataclass(frozen=True)
class Proof:
    """An attempt to prove a patch.

    Attributes
    ----------
    attempt: the number of the attempt, from 1. alpha: the error rate of this attempt. deals: the number of deals, by
        purpose.
    value, error: value and standard error of each cell. within: whether each cell is proven to be within its bounds.
    """

    attempt: int
    alpha: float
    deals: Mapping[str, int]
    value: Floats
    error: Floats
    within: NDArray[np.bool_]

    @property
    def holds(self) -> bool:
        """Whether all targets are jointly proven."""
        return bool(self.within.all())

    def bound(self, cells: Sequence[Cell]) -> float:
        """Return the smallest multiple of the accepted ranges within which all targets are jointly proven.

        This inverts the tests of ``proven``: if it is at most 1, the proof succeeds.
        """
        beyond = [
            (float(cell.excess(value)) + normal_quantile(1 - self.alpha) * error) / cell.reach
            for cell, value, error in zip(cells, self.value, self.error, strict=True)
        ]
        return float(1 + max(beyond))

    def record(self, cells: Sequence[Cell]) -> dict[str, Any]:
        """Return the attempt as a JSON object; ``within``: see ``bound``."""
        head = {"attempt": self.attempt, "alpha": self.alpha, "games": sum(self.deals.values())}
        return {**head, "deals": dict(self.deals), "holds": self.holds, "within": self.bound(cells)}


def middle_of(cell: Cell) -> float:
    """Return the middle of a cell's accepted range; if there is only one bound, the point one ``reach`` inside it."""
    if math.isinf(cell.low):
        return cell.high - cell.reach
    return cell.low + cell.reach


def proven(cells: Sequence[Cell], level: Level, alpha: float) -> NDArray[np.bool_]:
    """Return a mask of the cells that are proven to be within their bounds, with a joint error rate of ``alpha``."""
    reach = normal_quantile(1 - alpha) * level.error
    low, high = (np.array([getattr(cell, end) for cell in cells]) for end in ("low", "high"))
    return np.asarray((level.value - reach >= low) & (level.value + reach <= high), bool)


def games_needed(
    cells: Sequence[Cell], level: Level, alpha: float, power: float = 0.9, luck: float = 0.0
) -> int | None:
    """Return the number of games that a proof needs if the measured values are true; None if any is out of bounds.

    ``luck``: standard errors by which the true values are assumed to be nearer their bounds (negative: farther),
    because a patch chosen among many tends to be a lucky one.
    """
    room = -np.array([float(cell.excess(value)) for cell, value in zip(cells, level.value, strict=True)])
    room = room - luck * level.error
    if room.min() <= 0:
        return None
    z = normal_quantile(1 - alpha) + normal_quantile(power)
    wanted = float((level.games * (z * level.error / room) ** 2).max())
    return max(MIN_GAMES, math.ceil(wanted))


def chance_of(cells: Sequence[Cell], level: Level, alpha: float, games: int, luck: float = 0.0) -> float:
    """Estimate the chance that this many games jointly prove all cells of a patch, given their measured values.

    ``luck``: standard errors by which the true values are assumed to be nearer their bounds (negative: farther).
    """
    room = -np.array([float(cell.excess(value)) for cell, value in zip(cells, level.value, strict=True)])
    error = np.maximum(level.error * math.sqrt(level.games / games), 1e-12)
    return float(normal_cdf((room - luck * level.error) / error - normal_quantile(1 - alpha)).prod())


def prove(evaluator: Evaluator, patch: Patch, attempt: int, games: int) -> Proof:
    """Attempt a proof: play games with a seed that is used only for this attempt, and test the cells.

    ``games``: see ``Evaluator.deals_of``.
    """
    settings = evaluator.goal.search
    alpha = settings.alpha / settings.proofs
    level = evaluator.level(patch, f"proof {attempt}", games)
    return Proof(
        attempt, alpha, evaluator.deals_of(games), level.value, level.error, proven(evaluator.cells, level, alpha)
    )
