"""A group-sequential test on common deals: play another block until the answer is clear or the budget is spent.

At each look the effects have repeated confidence intervals (Jennison and Turnbull 1989): with chance ``1 - alpha``
those of ALL looks hold the true effect, so each may be read at its look, and when the test stops. An effect is called
``higher`` or ``lower`` when its interval leaves out 0, ``equivalent`` when it lies within the margin, else ``unclear``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wsim.errors import UserError
from wsim.options import smallest_effect
from wsim.stats.distributions import normal_cdf, t_quantile
from wsim.stats.games import Floats
from wsim.stats.intervals import Estimate
from wsim.stats.moments import Moments
from wsim.stats.spending import Boundaries

__all__ = ["Decision", "Look", "SequentialTest", "Verdict", "check_margin"]

Verdict = Literal["higher", "lower", "equivalent", "unclear"]
FEWEST = 20
"""Deals below which no interval is given: the variance is too poorly known."""


def check_margin(margin: float | None) -> None:
    """Raise UserError if effects smaller than this are none."""
    if margin is not None:
        smallest_effect("margin", margin)


@dataclass(frozen=True)
class Look:
    """What a look at the data says of some effects.

    Attributes
    ----------
    deals: how many were played.
    number: of this look, from 1.
    boundary: what |z| had to reach at this look.
    spent: how much of alpha has been used up.
    effects: the estimates.
    reach: half the length of each repeated confidence interval; infinite while it is unbounded.
    margin: effects smaller than this do not matter; None if all do.
    """

    deals: int
    number: int
    boundary: float
    spent: float
    effects: Estimate
    reach: Floats
    margin: float | None

    def verdict(self, effect: int) -> Verdict:
        """Return what the interval of an effect allows to be said."""
        low, high = self.interval(effect)
        if low > 0 or high < 0:
            return "higher" if low > 0 else "lower"
        within = self.margin is not None and -self.margin < low and high < self.margin
        return "equivalent" if within else "unclear"

    def interval(self, effect: int) -> tuple[float, float]:
        """Return the ends of the interval of an effect; infinite or NaN while it is unbounded."""
        value, reach = float(self.effects.value[effect]), float(self.reach[effect])
        return value - reach, value + reach


@dataclass(frozen=True)
class Decision:
    """What a look at the data says of one effect.

    Attributes
    ----------
    verdict: ``higher``, ``lower``, ``equivalent`` or ``unclear``.
    stop: whether no more deals are needed, or allowed.
    effect: the mean difference, None before any deal counts.
    low, high: its repeated confidence interval, None while it is unbounded.
    deals, look, boundary, spent: see ``Look``.
    """

    verdict: Verdict
    stop: bool
    effect: float | None
    low: float | None
    high: float | None
    deals: int
    look: int
    boundary: float
    spent: float


class SequentialTest:
    """Tests whether effects are 0, in as many looks as wanted, with the error rate ``alpha`` in all for each.

    The boundaries are of O'Brien-Fleming type (``spending="pocock"`` for Pocock's): see ``wsim.stats.spending``. When
    there is no effect, the chance of ever saying ``higher`` or ``lower`` is ``alpha``, whatever the sizes and number
    of blocks. When an effect is larger than ``margin``, the chance of ever saying ``equivalent`` is at most
    ``alpha / 2``. One effect is fed by its differences per deal (``update``), several by their estimates (``look``).

        test = SequentialTest(budget=100_000, alpha=0.05)
        while not (decision := test.update(play_block())).stop:
            ...

    Parameters
    ----------
    budget: the number of deals after which the test ends. It sets the boundaries, so choose it before the first look.
    alpha: the error rate over all looks; for several effects that are to hold together divide it by their number.
    margin: effects smaller than this do not matter; None never stops for equivalence.
    spending: ``obrien_fleming`` or ``pocock``.

    Attributes
    ----------
    budget, margin: as given. deals: how many were played at the last look.
    """

    def __init__(
        self, budget: int, *, alpha: float = 0.05, margin: float | None = None, spending: str = "obrien_fleming"
    ) -> None:
        if budget < 1:
            raise UserError(f"the budget must be at least 1 deal, not {budget!r}")
        check_margin(margin)
        self.budget = budget
        self.margin = margin
        self._boundaries = Boundaries(alpha, spending)
        self._moments = Moments(1, 2)
        self.deals = 0
        self._looks = 0
        self._ended = False

    def look(self, deals: int, effects: Estimate, known: NDArray[np.bool_] | None = None) -> Look:
        """Look at effects that were estimated from all deals so far, more of them than at the look before.

        ``known``: whose error is well enough known for an interval (default: all).
        """
        self.deals = deals
        boundary = self._boundaries.next(min(deals / self.budget, 1.0))
        self._looks += 1
        spent = min(self._boundaries.spent, 1.0)
        reach = _reach(effects, boundary)
        if known is not None:
            reach = np.where(known, reach, np.inf)
        return Look(deals, self._looks, boundary, spent, effects, reach, self.margin)

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
        look = self.look(self.deals + len(change), self._moments.ratio(1, 0))
        verdict = look.verdict(0)
        self._ended = verdict != "unclear" or look.deals >= self.budget
        said = (float(look.effects.value[0]), *look.interval(0))
        effect, low, high = (one if math.isfinite(one) else None for one in said)
        return Decision(verdict, self._ended, effect, low, high, look.deals, look.number, look.boundary, look.spent)


def _reach(effects: Estimate, boundary: float) -> Floats:
    """Return half the length of each interval; infinite where too few deals speak.

    The boundary holds for a known variance: Student's t at the same tail allows for the estimated one.
    """
    tail = float(normal_cdf(-boundary))
    if not tail > 0:
        return np.full(len(effects.value), np.inf)
    known = (effects.games >= FEWEST) & np.isfinite(effects.error)
    freedom = np.where(known, effects.games - 1, 1)
    return np.where(known, t_quantile(1 - tail, freedom) * np.where(known, effects.error, 0.0), np.inf)
