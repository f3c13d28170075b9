"""A group-sequential test on common deals: play one more block of deals until the answer is clear or the budget is
spent.

At each look the effects have repeated confidence intervals (Jennison and Turnbull 1989): with probability ``1 - alpha``
the intervals of ALL looks contain the true effect, so each is valid at its look and also when the test stops. An effect
is called ``higher`` or ``lower`` when its interval excludes 0, ``equivalent`` when the interval is within the margin,
otherwise ``unclear``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from wsim.errors import UserError
from wsim.options import smallest_effect
from wsim.stats.distributions import normal_cdf, t_quantile
from wsim.stats.fewest import AT_A_LOOK
from wsim.stats.games import Floats
from wsim.stats.intervals import Estimate
from wsim.stats.spending import Boundaries

Verdict = Literal["higher", "lower", "equivalent", "unclear"]


@dataclass(frozen=True)
class Look:
    """The estimates of some effects at an interim look.

    Attributes
    ----------
    deals: the number of deals played. number: the index of the look, from 1. boundary: the critical value of |z| at
        this look. spent: the part of alpha spent so far.
    effects: the estimates. reach: the half width of each repeated confidence interval; infinite while unbounded.
    margin: effects smaller than this do not matter; None if all do.
    """

    deals: int
    number: int
    boundary: float
    spent: float
    effects: Estimate
    reach: Floats
    margin: float | None

    @property
    def low(self) -> Floats:
        """The low ends of the intervals; infinite or NaN while unbounded."""
        return self.effects.value - self.reach

    @property
    def high(self) -> Floats:
        """The high ends of the intervals; infinite or NaN while unbounded."""
        return self.effects.value + self.reach

    def verdict(self, effect: int) -> Verdict:
        """Return the verdict on an effect from its interval."""
        low, high = float(self.low[effect]), float(self.high[effect])
        if low > 0 or high < 0:
            return "higher" if low > 0 else "lower"
        within = self.margin is not None and -self.margin < low and high < self.margin
        return "equivalent" if within else "unclear"


class SequentialTest:
    """Test whether effects are 0, in any number of looks, with the overall error rate ``alpha`` for each effect.

    The boundaries are of O'Brien-Fleming type (``spending="pocock"`` for Pocock's): see ``wsim.stats.spending``. When
    there is no effect, the chance of ever reporting ``higher`` or ``lower`` is ``alpha``, whatever the sizes and number
    of blocks. When an effect is larger than ``margin``, the chance of ever reporting ``equivalent`` is at most ``alpha
    / 2``.

        test = SequentialTest(budget=100_000, alpha=0.05)
        while test.look(deals, effects).verdict(0) == "unclear" and deals < test.budget:
            ...

    Parameters
    ----------
    budget: the number of deals after which the test ends. It sets the boundaries, so choose it before the first look.
    alpha: the error rate over all looks; if conclusions on several effects must hold jointly, divide it by their
        number.
    margin: effects smaller than this do not matter; None never stops for equivalence.
    spending: ``obrien_fleming`` or ``pocock``.
    reserve: the part of alpha kept for looks beyond the budget; without a reserve, the test ends at the budget.

    Attributes
    ----------
    budget, margin: as given. deals: the number of deals played by the last look.
    """

    def __init__(
        self,
        budget: int,
        *,
        alpha: float = 0.05,
        margin: float | None = None,
        spending: str = "obrien_fleming",
        reserve: float = 0.0,
    ) -> None:
        if budget < 1:
            raise UserError(f"the budget must be at least 1 deal, not {budget!r}")
        if margin is not None:
            smallest_effect("margin", margin)
        self.budget = budget
        self.margin = margin
        self._most = 1.0 if not reserve else float("inf")
        self._boundaries = Boundaries(alpha, spending, reserve)
        self.deals = 0
        self._looks = 0

    def look(self, deals: int, effects: Estimate, known: NDArray[np.bool_] | None = None) -> Look:
        """Take a look at effects estimated from all deals so far, which must be more deals than at the previous look.

        ``known``: the effects whose errors are known well enough for an interval (default: all).
        """
        self.deals = deals
        boundary = self._boundaries.next(min(deals / self.budget, self._most))
        self._looks += 1
        spent = min(self._boundaries.spent, 1.0)
        reach = _reach(effects, boundary)
        if known is not None:
            reach = np.where(known, reach, np.inf)
        return Look(deals, self._looks, boundary, spent, effects, reach, self.margin)


def _reach(effects: Estimate, boundary: float) -> Floats:
    """Return the half width of each interval; infinite with too few deals.

    The boundary assumes a known variance; using Student's t at the same tail probability allows for its estimation.
    """
    tail = float(normal_cdf(-boundary))
    if not tail > 0:
        return np.full(len(effects.value), np.inf)
    known = (effects.games >= AT_A_LOOK) & np.isfinite(effects.error)
    freedom = np.where(known, effects.games - 1, 1)
    return np.where(known, t_quantile(1 - tail, freedom) * np.where(known, effects.error, 0.0), np.inf)
