"""Estimates with intervals, clustered by game; Wilson's interval; the Benjamini-Hochberg correction.

Intervals use Student's t (95% by default) with one degree of freedom fewer than games, so with a few hundred games they
are nearly normal intervals. Without enough data (no rows, one game) the ends are null, never a misleading number.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray

from wsim.options import confidence_level
from wsim.stats.distributions import normal_quantile, t_quantile, two_sided_p
from wsim.stats.fewest import ENOUGH

Floats = NDArray[np.float64]


def check_level(level: float) -> None:
    """Raise UserError unless the level is a confidence level."""
    confidence_level("level", level)


def nulls(values: ArrayLike) -> pl.Series:
    """Return floats as a series in which NaN and infinity are null."""
    array = np.atleast_1d(np.asarray(values, float))
    return pl.Series(np.where(np.isfinite(array), array, np.nan), nan_to_null=True)


@dataclass(frozen=True)
class Estimate:
    """Estimates for several groups, one entry each; NaN means unknown.

    Attributes
    ----------
    value: the estimates.
    error: their standard errors, clustered by game.
    games: the number of games behind each estimate (for a difference, the smaller of the two numbers).
    level: confidence level of the interval.
    ends: low and high ends that, unless NaN, replace those computed from ``error``; shape (2, groups).
    """

    value: Floats
    error: Floats
    games: Floats
    level: float = 0.95
    ends: Floats | None = None

    def __post_init__(self) -> None:
        check_level(self.level)

    @classmethod
    def of_games(cls, samples: Sequence[Floats]) -> Estimate:
        """Return the mean of each sample, which has one number per independent game."""
        games = np.array([len(sample) for sample in samples], float)
        means, errors = zip(
            *((sample.mean(), sample.std(ddof=1) / np.sqrt(len(sample))) for sample in samples), strict=True
        )
        return cls(np.array(means), np.array(errors), games)

    @cached_property
    def _reach(self) -> Floats:
        return t_quantile((1 + self.level) / 2, self.games - 1) * self.error

    def _end(self, end: int, usual: Floats) -> Floats:
        return usual if self.ends is None else np.where(np.isnan(self.ends[end]), usual, self.ends[end])

    @property
    def low(self) -> Floats:
        """The low ends of the intervals."""
        return self._end(0, self.value - self._reach)

    @property
    def high(self) -> Floats:
        """The high ends of the intervals."""
        return self._end(1, self.value + self._reach)

    def p_value(self, null: float = 0.0) -> Floats:
        """Return two-sided p-values of the hypothesis that the true value is ``null``.

        They are NaN where the standard error is 0 or unknown.
        """
        error = np.where(self.error > 0, self.error, np.nan)
        return two_sided_p((self.value - null) / error, self.games - 1)

    def q_value(self, null: float = 0.0) -> Floats:
        """Return the q-values: p-values adjusted over all groups (Benjamini-Hochberg)."""
        return benjamini_hochberg(self.p_value(null))

    def scaled(self, factor: float) -> Estimate:
        """Return the estimates multiplied by ``factor``."""
        ends = None if self.ends is None else self.ends * factor
        return Estimate(self.value * factor, self.error * abs(factor), self.games, self.level, ends)

    def unknown(self, where: NDArray[np.bool_]) -> Estimate:
        """Return the estimates with unknown errors where ``where`` is true."""
        return Estimate(self.value, np.where(where, np.nan, self.error), self.games, self.level, self.ends)

    def with_unseen(self, lowest: float, highest: float) -> Estimate:
        """Return means of bounded numbers, with an interval even where all games have the same value.

        The interval allows for unseen games with other values, at the rate that the Wilson interval allows for an event
        that never occurred.
        """
        chance, flat = wilson(np.zeros(len(self.games)), self.games, self.level)[1], self.error == 0
        ends = np.stack([self.value + chance * (bound - self.value) for bound in (lowest, highest)])
        farthest = np.maximum(self.value - lowest, highest - self.value)
        return replace(self.allowing(flat, self.games, farthest), ends=np.where(flat, ends, np.nan))

    def allowing(self, flat: NDArray[np.bool_], games: Floats, farthest: Floats | float = 1.0) -> Estimate:
        """Return the estimates with Wilson errors where ``flat`` is true: the win share is 0 or 1 in all observed
        ``games``.

        The spread of such games carries no information. ``farthest``: the largest possible deviation of a game from the
        observed value.
        """
        chance = wilson(np.zeros(len(games)), games, self.level)[1]
        unseen = farthest * chance / t_quantile((1 + self.level) / 2, self.games - 1)
        return replace(self, error=np.where(flat, np.hypot(self.error, unseen), self.error))

    def p_of_groups(self, first: Floats, second: Floats, share: Floats | None = None) -> Floats:
        """Return two-sided p-values of the hypothesis that these differences between two groups are 0.

        Parameters
        ----------
        first, second: the number of members of each group (or the equivalent number of equally weighted members). With
            fewer than ``ENOUGH`` in either group the p-value is NaN; Student's t has the degrees of freedom of the
            smaller group.
        share: the win share of both groups under the hypothesis. The error is then at least the one that this share
            implies: where wins are few by chance, their spread is also small and would reject too often.
        """
        fewer = np.minimum(first, second)
        with np.errstate(divide="ignore", invalid="ignore"):
            null = 0.0 if share is None else np.sqrt(share * (1 - share) * (1 / first + 1 / second))
        tested = replace(self, error=np.fmax(self.error, null), games=np.minimum(self.games, fewer))
        return np.where(fewer >= ENOUGH, tested.p_value(), np.nan)

    def between_shares(self, first: tuple[Floats, Floats], second: tuple[Floats, Floats]) -> Estimate:
        """Return these estimates, differences between two win shares, with hybrid score intervals.

        Intervals from the error are too short where few members of a group happened to win, or to lose. Hybrid score
        intervals combine the Wilson intervals of both shares (Newcombe 1998, method 10). The distance of each end from
        the value is multiplied by the ratio of the error to that of independent members.

        Parameters
        ----------
        first, second: the share of each group and the number of its members. The ends are unknown (NaN) where a group
            is empty.
        """
        low, high, spread = np.zeros(len(self.value)), np.zeros(len(self.value)), np.zeros(len(self.value))
        with np.errstate(divide="ignore", invalid="ignore"):
            for (share, members), below in ((first, 0), (second, 1)):
                ends = wilson(share * members, members, self.level)
                low += (share - ends[below]) ** 2
                high += (share - ends[1 - below]) ** 2
                spread += share * (1 - share) / members
            wider = np.where(spread > 0, self.error / np.sqrt(spread), 1.0)
        reach = np.stack([-np.sqrt(low), np.sqrt(high)]) * wider
        return replace(self, ends=np.clip(self.value + reach, -1, 1))

    def with_wilson(self) -> Estimate:
        """Return the shares, with a Wilson interval (games as trials) for those that are 0 or 1 in all games."""
        flat = (self.error == 0) & ((self.value == 0) | (self.value == 1))
        low, high = wilson(self.value * self.games, self.games, self.level)
        return replace(self.allowing(flat, self.games), ends=np.where(flat, np.stack([low, high]), np.nan))

    def bounded(self, lowest: float = 0.0, highest: float = 1.0) -> Estimate:
        """Return the estimates with values and intervals clipped to these bounds.

        An adjusted share based on few rows can be below 0, and an interval computed from an error can extend beyond 1.
        """
        ends = np.clip(np.stack([self.low, self.high]), lowest, highest)
        return replace(self, value=np.clip(self.value, lowest, highest), ends=ends)

    def columns(self, name: str) -> dict[str, pl.Series]:
        """Return the columns ``name``, ``name_low`` and ``name_high`` of a table."""
        return {name: nulls(self.value), f"{name}_low": nulls(self.low), f"{name}_high": nulls(self.high)}


@dataclass(frozen=True)
class Interval:
    """Values and the ends of their intervals, one entry each; unbounded ends are infinite or NaN."""

    value: Floats
    low: Floats
    high: Floats

    @classmethod
    def normal(cls, value: Floats, error: Floats, level: float = 0.95) -> Interval:
        """Return normal intervals, for estimates from enough games to treat their errors as known."""
        reach = normal_quantile((1 + level) / 2) * error
        return cls(value, value - reach, value + reach)

    def at(self, index: int | tuple[int, ...], name: str) -> dict[str, float]:
        """Return the value at an index and its ends as a row's entries ``name``, ``name_low`` and ``name_high``."""
        ends = {name: self.value, f"{name}_low": self.low, f"{name}_high": self.high}
        return {key: float(value[index]) for key, value in ends.items()}

    def scaled(self, factor: float) -> Interval:
        """Return the values and ends multiplied by ``factor``."""
        return Interval(self.value * factor, self.low * factor, self.high * factor)

    def within(self, half: float) -> NDArray[np.bool_]:
        """Return a mask of the values whose intervals have at most this half width."""
        known: NDArray[np.bool_] = self.high - self.low <= 2 * half
        return known

    def with_wilson(self, trials: int, level: float) -> tuple[Interval, NDArray[np.bool_]]:
        """Return the shares, with Wilson intervals for those that are 0 or 1 in all trials, and the mask of these."""
        flat = (self.low == self.high) & np.isclose(self.value, np.rint(self.value), atol=1e-12)
        if not flat.any():
            return self, flat
        ends = wilson(self.value * trials, np.full(len(self.value), trials), level)
        low, high = (np.where(flat, end, own) for end, own in zip(ends, (self.low, self.high), strict=True))
        return Interval(self.value, low, high), flat


def verdicts(value: ArrayLike, q: ArrayLike, null: float = 0.0, level: float = 0.95) -> pl.Series:
    """Return a verdict on each value relative to ``null``: higher, lower, or unclear; null if the value is unknown.

    A verdict is clear if its q-value is below ``1 - level``, which bounds the expected share of clear verdicts that are
    wrong.
    """
    values, chances = np.atleast_1d(np.asarray(value, float)), np.atleast_1d(np.asarray(q, float))
    side = np.where(chances < 1 - level, np.where(values > null, "higher", "lower"), "unclear")
    unknown = np.isnan(values) | np.isnan(chances)
    return pl.Series([None if none else str(word) for word, none in zip(side, unknown, strict=True)], dtype=pl.String)


def wilson(successes: ArrayLike, trials: ArrayLike, level: float = 0.95) -> tuple[Floats, Floats]:
    """Return the Wilson score interval for independent trials; NaN if there are no trials."""
    check_level(level)
    z = normal_quantile((1 + level) / 2)
    trials = np.asarray(trials, float)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.asarray(successes, float) / trials
        middle = (share + z * z / (2 * trials)) / (1 + z * z / trials)
        reach = z * np.sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials)) / (1 + z * z / trials)
    return np.clip(middle - reach, 0, 1), np.clip(middle + reach, 0, 1)


def benjamini_hochberg(p_values: ArrayLike) -> Floats:
    """Return q-values: the smallest false discovery rate at which each hypothesis is rejected; NaN is ignored."""
    p = np.asarray(p_values, float)
    q = np.full(p.shape, np.nan)
    known = np.flatnonzero(~np.isnan(p))
    order = known[np.argsort(p[known])[::-1]]
    ranks = np.arange(len(order), 0, -1)
    q[order] = np.minimum.accumulate(np.minimum(p[order] * len(order) / ranks, 1.0))
    return q
