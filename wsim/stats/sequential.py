"""A group-sequential test on common deals: play another block until the answer is clear or the budget is spent."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from wsim.errors import UserError
from wsim.stats.distributions import normal_cdf, t_quantile
from wsim.stats.moments import Moments
from wsim.stats.spending import Boundaries

__all__ = ["Decision", "SequentialTest", "Verdict"]

Verdict = Literal["different", "equivalent", "continue", "undecided"]
_FEWEST = 20  # deals below which no verdict is given: the variance is too poorly known


@dataclass(frozen=True)
class Decision:
    """What a look at the data says.

    Attributes
    ----------
    verdict: ``different`` (the effect is not 0), ``equivalent`` (it is smaller than the margin), ``continue``, or
        ``undecided`` (the budget is spent and neither is clear).
    effect: the mean difference, None before any deal counts.
    low, high: its repeated confidence interval: with chance 1 - level the intervals of ALL looks hold the true effect,
        so it may be read at any look, and when the test stops; None while it is unbounded.
    deals: how many were played.
    look: the number of this look, from 1.
    boundary: what |z| had to reach at this look.
    spent: how much of the level has been used up.
    """

    verdict: Verdict
    effect: float | None
    low: float | None
    high: float | None
    deals: int
    look: int
    boundary: float
    spent: float

    @property
    def stop(self) -> bool:
        """Whether no more deals are needed, or allowed."""
        return self.verdict != "continue"


class SequentialTest:
    """Tests whether a mean difference per deal is 0, in as many looks as wanted, with error rate ``level`` in all.

    The boundaries are of O'Brien-Fleming type (``spending="pocock"`` for Pocock's): see ``wsim.stats.spending``. When
    there is no effect, the chance of ever saying ``different`` is ``level``, whatever the sizes and number of blocks.
    When an effect is larger than ``margin``, the chance of ever saying ``equivalent`` is at most ``level / 2``.

        test = SequentialTest(budget=100_000, level=0.05)
        while not (decision := test.update(play_block())).stop:
            ...

    Parameters
    ----------
    budget: the number of deals after which the test ends. It sets the boundaries, so choose it before the first look.
    level: the error rate over all looks; for several variants at once divide it by their number.
    margin: effects smaller than this do not matter; None never stops for equivalence.
    spending: ``obrien_fleming`` or ``pocock``.
    """

    def __init__(
        self, budget: int, *, level: float = 0.05, margin: float | None = None, spending: str = "obrien_fleming"
    ) -> None:
        if budget < 1:
            raise UserError(f"the budget must be at least 1 deal, not {budget!r}")
        if margin is not None and not margin > 0:
            raise UserError(f"the margin must be larger than 0, not {margin!r}")
        self.budget = budget
        self.margin = margin
        self._boundaries = Boundaries(level, spending)
        self._moments = Moments(1, 2)
        self._deals = 0
        self._looks = 0
        self._ended = False

    def update(self, differences: ArrayLike, seats: ArrayLike | None = None) -> Decision:
        """Add a block of deals and look.

        Parameters
        ----------
        differences: variant - baseline of each deal (``deal_differences``).
        seats: how many seats each is the mean of (default 1; 0: the deal says nothing, but it was played).

        Raises UserError once the test has ended, for an empty block and for differences that are not finite.
        """
        change = np.asarray(differences, float)
        size = np.ones(len(change)) if seats is None else np.asarray(seats, float)
        if self._ended:
            raise UserError("the test has ended: start another one for more deals")
        if not len(change) or not np.isfinite(change).all():
            raise UserError("a block of deals must hold at least one, and finite differences only")
        self._moments.add(size[None, :], (size * change)[None, :])
        self._deals += len(change)
        self._looks += 1
        last = self._deals >= self.budget
        boundary = self._boundaries.next(min(self._deals / self.budget, 1.0))
        decision = self._decide(boundary, last)
        self._ended = decision.stop
        return decision

    def _decide(self, boundary: float, last: bool) -> Decision:
        estimate = self._moments.ratio(1, 0)
        games = float(estimate.games[0])
        effect = float(estimate.value[0]) if games else None
        # the boundary holds for a known variance: Student's t at the same tail allows for the estimated one
        tail = float(normal_cdf(-boundary)) if math.isfinite(boundary) else 0.0
        known = games >= _FEWEST and math.isfinite(boundary)
        reach = float(t_quantile(1 - tail, games - 1) * estimate.error[0]) if known else math.inf
        low, high = (effect - reach, effect + reach) if effect is not None and known else (None, None)
        verdict: Verdict = "undecided" if last else "continue"
        if low is not None and high is not None:
            if low > 0 or high < 0:
                verdict = "different"
            elif self.margin is not None and -self.margin < low and high < self.margin:
                verdict = "equivalent"
        return Decision(
            verdict, effect, low, high, self._deals, self._looks, boundary, min(self._boundaries.spent, 1.0)
        )
