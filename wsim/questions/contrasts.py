"""Contrasts of metrics between arms on common deals: variant minus baseline, with their covariance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from wsim.questions.deals import Features
from wsim.questions.metrics import Metric, sums_of
from wsim.questions.pooled import PooledFigure
from wsim.stats.fewest import DIFFERING, ENOUGH
from wsim.stats.games import Floats
from wsim.stats.intervals import Estimate
from wsim.stats.moments import Moments

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

MOVED = 0.02
"""Share of deals with different counted seats above which the change itself counts as selecting the seats."""
UNSEEN = 2.0  # the error of a sum of differences is at least this multiple of the largest deviation of a deal
_ROUNDING = 1e-13
BASE_SUM, BASE_COUNT, SUM, COUNT = range(4)  # features of a game, see wsim.stats.moments
BY_METRIC = 3  # features per metric other than worth: numerator, denominator, code
BASE_CONTROL, BASE_CONTROLS, CONTROL, CONTROLS = range(4, 8)  # of the overruled wishes, if a metric is a worth
_BASE = ((1, BASE_SUM, BASE_COUNT), (-1, BASE_CONTROL, BASE_CONTROLS))
_CHANGED = ((1, SUM, COUNT), (-1, CONTROL, CONTROLS))


@dataclass(frozen=True)
class MetricReading:
    """Reads metrics from games: numerator, denominator, and a code for the counted seats; shape (metrics, games).

    If any metric is a worth, numerator and denominator of the overruled wishes follow (``sums_of``). If the first
    metric is a pooled figure, its features follow, each of shape (1, games).

    Attributes
    ----------
    metrics: the metrics. concerned: for each seat of a game, whether it counts.
    """

    metrics: tuple[Metric, ...]
    concerned: NDArray[np.bool_]

    def __call__(self, frame: pl.DataFrame, games: range) -> Features:
        """Return the features of games."""
        rows, pooled = frame.height // len(games), self.metrics[0].pooled
        of_deal = rows // len(self.concerned)  # games per deal: more than one if a deal is played in several seatings
        sums = sums_of(frame, rows, self.metrics, np.tile(self.concerned, of_deal))
        sums[:, [metric.per_game and metric.pooled is None for metric in self.metrics], 1] *= of_deal
        further = [] if pooled is None else list(pooled.read(frame, len(games), len(self.concerned))[:, None])
        return [*np.ascontiguousarray(sums.transpose(2, 1, 0)), *further]


class Contrasts:
    """Sums over deals for every variant and metric; the first metric decides.

    Effects are ordered by variant, then by metric.

    Attributes
    ----------
    variants, metrics: the numbers of variants and metrics.
    wished: whether each metric is a worth; empty: none is.
    weighted: whether each metric counts turns, not seats; empty: none does.
    pooled: the pooled figure of all games, if the first metric is one; None: it is a mean.
    deals: the number of deals played in every arm.
    differing: the number of deals that differ between the arms, shape (variants * metrics,).
    moved: the number of deals in which different seats count in the variant; counted: the number in which any seat
        counts in the baseline.
    """

    def __init__(
        self,
        variants: int,
        metrics: int,
        wished: Sequence[bool] = (),
        weighted: Sequence[bool] = (),
        pooled: PooledFigure | None = None,
    ) -> None:
        self.variants = variants
        self.metrics = metrics
        self.wished = wished if any(wished) else ()
        self.weighted = weighted
        self.pooled = pooled
        self._of_whole: Moments | None = None  # features of the baseline, then of the variant, of each variant
        self._wished = np.tile(np.array(self.wished or [False] * metrics), variants)
        self._of_turns = self._wished | np.tile(np.array(weighted or [False] * metrics), variants)
        self._ratios = 2 if self.wished else 1  # of an arm
        self.deals = 0
        self.differing, self.moved, self.counted = np.zeros((3, variants * metrics), np.int64)
        self._moments = Moments(variants * metrics, 4 * self._ratios)
        self._powers = np.zeros((2, variants * metrics))
        self._farthest = np.zeros(variants * metrics)

    def plus(self, played: Sequence[Features]) -> Contrasts:
        """Return the sums extended by more deals; ``played``: features from ``MetricReading``, baseline first."""
        base = [np.tile(part, (self.variants, 1)) for part in played[0]]
        changed = [np.concatenate(parts) for parts in zip(*played[1:], strict=True)]
        result = Contrasts(self.variants, self.metrics, self.wished, self.weighted, self.pooled)
        end = len(base) if self.pooled is None else BY_METRIC
        if self.pooled is not None:
            features = [*base[end:], *changed[end:]]
            result._of_whole = (self._of_whole or Moments(self.variants, len(features))).plus(*features)
        result._moments = self._moments.plus(*base[:2], *changed[:2], *base[3:end], *changed[3:end])
        result.deals = self.deals + played[0][0].shape[-1]
        result._add_differences(self, (base[:end], changed[:end]), (base[end:], changed[end:]))
        return result

    def _add_differences(
        self,
        before: Contrasts,
        by_metric: tuple[Sequence[Floats], Sequence[Floats]],
        of_whole: tuple[Sequence[Floats], Sequence[Floats]],
    ) -> None:
        """Count the deals that differ, and sum the second and fourth powers of their differences.

        ``by_metric`` and ``of_whole`` contain the features of the baseline and of the variants.
        """
        base, changed = by_metric
        base_sum, base_count, base_who = base[:3]
        changed_sum, changed_count, changed_who = changed[:3]
        fewer = changed_count != base_count
        differs = (changed_sum != base_sum) | fewer
        for own, other in zip(base[3:], changed[3:], strict=True):
            differs |= own != other
        for own, other in zip(*of_whole, strict=True):
            differs[list(self.deciding)] |= own != other
        away = np.stack([self._deviations(base), self._deviations(changed)])
        mean = np.nan_to_num(self._moments.ratio(BASE_SUM, BASE_COUNT).value)[:, None]
        added = away[1] - away[0] if self.wished else changed_sum - base_sum - mean * (changed_count - base_count)
        if self.pooled is not None:
            away[:, list(self.deciding)] = self._influences(*of_whole)
            added[list(self.deciding)] = away[1, list(self.deciding)] - away[0, list(self.deciding)]
        added[~differs] = 0.0
        self.differing = before.differing + np.count_nonzero(differs, axis=1)
        moved = (fewer | (changed_who != base_who)) & ~self._of_turns[:, None]  # worth: seats that want it
        self.moved = before.moved + np.count_nonzero(moved, axis=1)
        self.counted = before.counted + np.count_nonzero(base_count, axis=1)
        self._farthest = np.maximum(before._farthest, np.abs(away).max(axis=(0, 2), initial=0.0))
        self._powers = before._powers + np.stack([(added**2).sum(axis=1), (added**4).sum(axis=1)])

    def _deviations(self, arm: Sequence[Floats]) -> Floats:
        """Return each deal's deviation from the baseline's means, in units of sums over ``counts``."""
        total = np.zeros_like(arm[0])
        for (sign, numerator, denominator), values, weights in zip(_BASE, arm[0::3], arm[1::3], strict=False):
            mean = np.nan_to_num(self._moments.ratio(numerator, denominator).value)[:, None]
            count = self._moments.totals[:, denominator]
            scale = np.divide(self.counts()[:, 0], count, out=np.zeros(len(count)), where=count > 0)[:, None]
            total += sign * scale * (values - mean * weights)
        return total

    def _influences(self, base: Sequence[Floats], changed: Sequence[Floats]) -> Floats:
        """Return each deal's influence on the pooled figure in baseline and variants, in units of sums over deals.

        The shape is (2, variants, deals).
        """
        _, forms = self._pooled_values()
        half = forms.shape[2] // 2
        sides = (forms[0, :, :half], base), (forms[1, :, half:], changed)
        return self.deals * np.stack([np.einsum("vf,fvd->vd", form, np.stack(parts)) for form, parts in sides])

    def _pooled_values(self) -> tuple[Floats, Floats]:
        """Return the pooled figure of baseline and variants, and its errors as linear forms in their features.

        The shapes are (2, variants) and (2, variants, features).
        """
        assert self.pooled is not None
        assert self._of_whole is not None
        totals = self._of_whole.totals
        half = totals.shape[1] // 2
        values, forms = np.zeros((2, self.variants)), np.zeros((2, *totals.shape))
        for side, part in enumerate((slice(half), slice(half, None))):
            for variant in range(self.variants):
                values[side, variant], forms[side, variant, part] = self.pooled.with_slope(totals[variant, part])
        return values, forms

    def _with_pooled(self, means: Estimate, base: int, changed: int) -> Estimate:
        """Return the estimates, with entries of the pooled figure replaced by a signed sum over both arms."""
        if self._of_whole is None:
            return means
        values, forms = (np.einsum("s,s...->...", (base, changed), part) for part in self._pooled_values())
        own = self._of_whole.linear(values, forms, np.full(self.variants, float(self.deals)), means.level)
        made = means.value.copy(), means.error.copy(), means.games.copy()
        for array, column in zip(made, (own.value, own.error, own.games), strict=True):
            array[list(self.deciding)] = column
        return Estimate(*made, means.level)

    def base(self) -> Estimate:
        """Estimate the metrics of the baseline, repeated for each variant."""
        return self._with_pooled(self._moments.contrast(*_BASE[: self._ratios]), 1, 0)

    def changed(self) -> Estimate:
        """Estimate the metrics of the variants."""
        return self._with_pooled(self._moments.contrast(*_CHANGED[: self._ratios]), 0, 1)

    def effects(self, level: float = 0.95) -> Estimate:
        """Estimate variant minus baseline on common deals; errors account for the covariance.

        If any deal differs, the error allows for rare unseen deals, each with a deviation as large as the largest
        observed one, ``R``. Unseen deals that would offset a sum of differences of ``4 R`` are all missed with a chance
        of only ``exp(-4)``, so the error is at least half of that sum.
        """
        raw = self._paired(level)
        with np.errstate(divide="ignore", invalid="ignore"):
            unseen = UNSEEN * self._farthest / self.counts().min(axis=1)
        return replace(raw, error=np.where(self.differing > 0, np.fmax(raw.error, unseen), raw.error))

    def _paired(self, level: float = 0.95) -> Estimate:
        """Estimate variant minus baseline, with errors based only on the observed deals."""
        less = [(-sign, numerator, denominator) for sign, numerator, denominator in _BASE[: self._ratios]]
        raw = self._with_pooled(self._moments.contrast(*_CHANGED[: self._ratios], *less, level=level), -1, 1)
        # where both arms agree in every game, rounding leaves an error of about 1e-9 of a single arm's error
        separate = self.base().error ** 2 + self.changed().error ** 2
        error = np.where(raw.error**2 < _ROUNDING * separate, 0.0, raw.error)
        return replace(raw, error=error)

    def counts(self) -> NDArray[np.float64]:
        """Return the denominators (rows, games or wishes that count) of baseline and variant, shape (groups, 2)."""
        counts: NDArray[np.float64] = np.where(self._wished[:, None], self._controls(), 0.0)
        counts += self._moments.totals[:, [BASE_COUNT, COUNT]]
        return counts

    def _controls(self) -> NDArray[np.float64]:
        """Return the number of overruled wishes in baseline and variant, shape (groups, 2)."""
        controls: NDArray[np.float64] = self._moments.totals[:, [BASE_CONTROLS, CONTROLS] if self.wished else [0, 0]]
        return controls

    def variance_removed(self) -> NDArray[np.float64]:
        """Return the share of the variance removed by pairing: 1 - variance on common deals / on separate deals.

        It is NaN if nothing varies.
        """
        separate = self.base().error ** 2 + self.changed().error ** 2
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(separate > 0, 1 - self._paired().error ** 2 / separate, np.nan)

    def effective_deals(self) -> NDArray[np.float64]:
        """Return the effective number of differing deals, ``sum(d**2)**2 / sum(d**4)``.

        It equals the number of differing deals if all differences are equally large, and is small if a few outweigh the
        rest.
        """
        squares, fourths = self._powers
        return np.divide(squares**2, fourths, out=np.zeros(len(squares)), where=fourths > 0)

    # --- the interface of a trial -----------------------------------------------------------------------------------

    @property
    def deciding(self) -> Sequence[int]:
        """The indices of the deciding metric among the effects, by variant."""
        return range(0, self.variants * self.metrics, self.metrics)

    def has_interval(self) -> NDArray[np.bool_]:
        """Return a mask of effects with an interval: enough deals differ and, for worth, enough wishes overruled."""
        known: NDArray[np.bool_] = self.effective_deals() >= DIFFERING
        known &= ~self._wished | (self._controls().min(axis=1) >= ENOUGH)
        return known

    def identical(self, variant: int) -> bool:
        """Return whether no deal of a variant differs in any metric."""
        first = variant * self.metrics
        return not self.differing[first : first + self.metrics].any()

    def is_self_selected(self, variant: int) -> bool:
        """Return whether the variant itself selects the seats of the metric, so that different seats count in each arm.

        In that case the difference is not the effect of the change on a seat, and there is no verdict.
        """
        index = self.deciding[variant]
        return bool(self.moved[index] > MOVED * self.counted[index])
