"""What arms on common deals say of some metrics: every variant less the baseline, with what both have in common."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from wsim.questions.deals import Features
from wsim.questions.metrics import Metric, sums_of
from wsim.stats.fewest import DIFFERING
from wsim.stats.games import Floats
from wsim.stats.moments import Moments

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    from wsim.stats.intervals import Estimate

MOVED = 0.02
"""Share of deals in which other seats count: with more, a metric is about seats that the change itself has chosen."""
UNSEEN = 2.0  # times how far a deal is from the mean that the error of a sum of differences is at least
_ROUNDING = 1e-13
BASE_SUM, BASE_COUNT, SUM, COUNT = range(4)  # features of a game, see wsim.stats.moments


@dataclass(frozen=True)
class MetricReading:
    """Reads metrics off games: numerator, denominator, and who counts, each of shape (metrics, games).

    Attributes
    ----------
    metrics: which. concerned: for each seat, whether it counts.
    """

    metrics: tuple[Metric, ...]
    concerned: NDArray[np.bool_]

    def __call__(self, frame: pl.DataFrame, games: range) -> Features:
        """Return the features of games."""
        seats = frame.height // len(games)
        sums = sums_of(frame, seats, self.metrics, self.concerned)
        return list(np.ascontiguousarray(sums.transpose(2, 1, 0)))


class Contrasts:
    """What is known of every variant and metric after some deals; the first metric is the one that decides.

    Effects stand variant by variant, in each metric by metric.

    Attributes
    ----------
    variants, metrics: how many.
    deals: how many were played in every arm.
    differing: deals that are not alike in both arms, shape (variants * metrics,).
    moved: deals in which other seats count in the variant; counted: deals in which some do in the baseline.
    """

    def __init__(self, variants: int, metrics: int) -> None:
        self.variants = variants
        self.metrics = metrics
        self.deals = 0
        self.differing, self.moved, self.counted = np.zeros((3, variants * metrics), np.int64)
        self._moments = Moments(variants * metrics, 4)
        self._powers = np.zeros((2, variants * metrics))
        self._farthest = np.zeros(variants * metrics)

    def plus(self, played: Sequence[Features]) -> Contrasts:
        """Return what is known with more deals, as ``MetricReading`` reads them, baseline first; this stays as it is.

        The metrics of the baseline are compared with those of each other arm.
        """
        base = [np.tile(part, (self.variants, 1)) for part in played[0]]
        changed = [np.concatenate(parts) for parts in zip(*played[1:], strict=True)]
        result = Contrasts(self.variants, self.metrics)
        result._moments = self._moments.plus(*base[:2], *changed[:2])
        result.deals = self.deals + played[0][0].shape[-1]
        result._add_differences(self, base, changed)
        return result

    def _add_differences(self, before: Contrasts, base: Sequence[Floats], changed: Sequence[Floats]) -> None:
        """Count the deals that differ, and sum the squares and fourth powers of what they add to the difference."""
        base_sum, base_count, base_who = base
        changed_sum, changed_count, changed_who = changed
        usual = np.nan_to_num(self.base().value)[:, None]
        fewer = changed_count != base_count
        added = (changed_sum - base_sum) - usual * (changed_count - base_count)
        added[(changed_sum == base_sum) & ~fewer] = 0.0
        self.differing = before.differing + np.count_nonzero((changed_sum != base_sum) | fewer, axis=1)
        self.moved = before.moved + np.count_nonzero(fewer | (changed_who != base_who), axis=1)
        self.counted = before.counted + np.count_nonzero(base_count, axis=1)
        away = np.stack([base_sum - usual * base_count, changed_sum - usual * changed_count])
        self._farthest = np.maximum(before._farthest, np.abs(away).max(axis=(0, 2), initial=0.0))
        self._powers = before._powers + np.stack([(added**2).sum(axis=1), (added**4).sum(axis=1)])

    def base(self) -> Estimate:
        """Return the metrics of the baseline, variant by variant."""
        return self._moments.ratio(BASE_SUM, BASE_COUNT)

    def changed(self) -> Estimate:
        """Return the metrics of the variants."""
        return self._moments.ratio(SUM, COUNT)

    def effects(self, level: float = 0.95) -> Estimate:
        """Return variant less baseline on common deals, with the covariance of the two in its error.

        Where some deal differs, the error allows for the deals that were not seen: a rare one the other way may be as
        large as a deal is ever far from the mean, ``R``. Of those that would make up for a sum of differences of four
        times ``R`` none is missed but with a chance of ``exp(-4)``, so that the error is half of that at least.
        """
        raw = self._paired(level)
        with np.errstate(divide="ignore", invalid="ignore"):
            unseen = UNSEEN * self._farthest / self.counts().min(axis=1)
        return replace(raw, error=np.where(self.differing > 0, np.fmax(raw.error, unseen), raw.error))

    def _paired(self, level: float = 0.95) -> Estimate:
        """Return variant less baseline with the error of what was seen."""
        raw = self._moments.difference((SUM, COUNT), (BASE_SUM, BASE_COUNT), level)
        # where both arms agree in every game, rounding leaves an error of some 1e-9 of that of one arm
        separate = self.base().error ** 2 + self.changed().error ** 2
        error = np.where(raw.error**2 < _ROUNDING * separate, 0.0, raw.error)
        return replace(raw, error=error)

    def counts(self) -> NDArray[np.float64]:
        """Return the denominators: rows or games that count in the baseline and in the variant, shape (groups, 2)."""
        return self._moments.totals[:, [BASE_COUNT, COUNT]]

    def variance_removed(self) -> NDArray[np.float64]:
        """Return the share of the variance that pairing removed; NaN where nothing varies.

        That is 1 less the variance on common deals over the variance on separate deals.
        """
        separate = self.base().error ** 2 + self.changed().error ** 2
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(separate > 0, 1 - self._paired().error ** 2 / separate, np.nan)

    def speaking(self) -> NDArray[np.float64]:
        """Return how many deals that differ alike would say as much of the variance as those that do differ.

        That is ``sum(d**2)**2 / sum(d**4)``: their number if all are as large, few if some outweigh all others.
        """
        squares, fourths = self._powers
        return np.divide(squares**2, fourths, out=np.zeros(len(squares)), where=fourths > 0)

    # --- what a trial asks ------------------------------------------------------------------------------------------

    @property
    def deciding(self) -> Sequence[int]:
        """Where the metric that decides stands among the effects, variant by variant."""
        return range(0, self.variants * self.metrics, self.metrics)

    def enough(self) -> NDArray[np.bool_]:
        """Say of each effect whether enough deals differ for an interval."""
        known: NDArray[np.bool_] = self.speaking() >= DIFFERING
        return known

    def identical(self, variant: int) -> bool:
        """Say whether no deal differs in any metric of a variant."""
        first = variant * self.metrics
        return not self.differing[first : first + self.metrics].any()

    def conditional(self, variant: int) -> bool:
        """Say whether the metric is about seats that the variant has chosen: not the same ones count in both arms.

        Then its difference is not what the change does to a seat, and no verdict is given.
        """
        place = self.deciding[variant]
        return bool(self.moved[place] > MOVED * self.counted[place])
