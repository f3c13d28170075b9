"""The normal and Student's t distributions: quantiles and two-sided tails, vectorised.

Implemented without scipy, which only the tests use, for comparison: importing ``scipy.special`` would cost every
command that shows a table 0.2 s of CPU time, and scipy takes up 110 MB on disk.
"""

from __future__ import annotations

import math
from functools import lru_cache
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

_NORMAL = NormalDist()
_SERIES_FROM = 200  # from this many degrees of freedom, four terms of the Cornish-Fisher series are exact to 1e-8
_NORMAL_FROM = 100_000  # from this many degrees of freedom, tails are taken from the normal distribution
_SMALLEST = 1e-300
_SMALLEST_STEP = 1e-13  # relative step size at which a quantile has converged
_MOST_STEPS = 200  # far out in the heaviest tail, each step only about doubles the value
_LOG_GAMMA = np.frompyfunc(math.lgamma, 1, 1)
_ERFC = np.frompyfunc(math.erfc, 1, 1)


def normal_quantile(probability: float) -> float:
    """Return the standard normal quantile of a probability strictly between 0 and 1."""
    return _NORMAL.inv_cdf(probability)


def normal_cdf(values: ArrayLike) -> NDArray[np.float64]:
    """Evaluate the standard normal cumulative distribution function."""
    return np.asarray(_ERFC(-np.asarray(values, float) / math.sqrt(2)) / 2, float)


def two_sided_p(statistic: ArrayLike, freedom: ArrayLike = math.inf) -> NDArray[np.float64]:
    """Return the two-sided p-value of ``statistic`` under Student's t (infinite ``freedom``: the normal distribution).

    NaN stays NaN, and statistics with less than one degree of freedom become NaN.
    """
    statistic, freedom = np.broadcast_arrays(np.abs(np.asarray(statistic, float)), np.asarray(freedom, float))
    result = np.full(statistic.shape, np.nan)
    known = np.isfinite(statistic) & (freedom >= 1)
    result[(statistic == np.inf) & (freedom >= 1)] = 0.0
    normal = known & (freedom > _NORMAL_FROM)
    result[normal] = np.asarray(_ERFC(statistic[normal] / math.sqrt(2)), float)
    student = known & ~normal
    square, df = statistic[student] ** 2, freedom[student]
    result[student] = _incomplete_beta(df / 2, np.full(len(df), 0.5), df / (df + square))
    return result


def t_quantile(probability: float, freedom: ArrayLike) -> NDArray[np.float64]:
    """Return the quantile of Student's t for each number of degrees of freedom (NaN for less than one)."""
    freedom = np.asarray(freedom, float)
    z = normal_quantile(probability)
    with np.errstate(divide="ignore", invalid="ignore"):
        result = np.asarray(
            z
            + (z**3 + z) / (4 * freedom)
            + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)
            + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * freedom**3)
        )
    few = np.asarray((freedom < _SERIES_FROM) & (freedom >= 1))
    different, which = np.unique(freedom[few], return_inverse=True)
    quantiles = _small_t_quantiles(abs(z), 2 * min(probability, 1 - probability), tuple(different.tolist()))
    result[few] = math.copysign(1, z) * quantiles[which]
    return np.where(freedom >= 1, result, np.nan)


@lru_cache(maxsize=1024)  # a sequential test needs the same quantiles at every look
def _small_t_quantiles(z: float, tail: float, degrees: tuple[float, ...]) -> NDArray[np.float64]:
    """Find the quantile with two-sided tail ``tail`` by Newton's method; ``z``: the normal quantile.

    The tail is decreasing and convex, so steps that start at ``z``, below the quantile, stay below it.
    """
    freedom = np.array(degrees)
    log_density = np.asarray(_LOG_GAMMA((freedom + 1) / 2) - _LOG_GAMMA(freedom / 2), float)
    log_density -= np.log(freedom * math.pi) / 2
    at = np.full(len(freedom), z)
    for _ in range(_MOST_STEPS):
        slope = 2 * np.exp(log_density - (freedom + 1) / 2 * np.log1p(at**2 / freedom))
        step = (two_sided_p(at, freedom) - tail) / slope
        at += step
        if np.all(np.abs(step) <= _SMALLEST_STEP * at):
            break
    at.flags.writeable = False
    return at


def _incomplete_beta(a: NDArray[np.float64], b: NDArray[np.float64], x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the regularised incomplete beta function I_x(a, b)."""
    mirrored = x > (a + 1) / (a + b + 2)  # the continued fraction converges faster for the complement
    first, second = np.where(mirrored, b, a), np.where(mirrored, a, b)
    at = np.where(mirrored, 1 - x, x)
    with np.errstate(divide="ignore"):
        front = first * np.log(at) + second * np.log1p(-at)
    beta = np.asarray(_LOG_GAMMA(a) + _LOG_GAMMA(b) - _LOG_GAMMA(a + b), float)
    value = np.exp(front - beta) * _beta_fraction(first, second, at) / first
    return np.asarray(np.where(mirrored, 1 - value, value))


def _beta_fraction(a: NDArray[np.float64], b: NDArray[np.float64], x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the continued fraction of the incomplete beta function (Lentz's method, Numerical Recipes 6.4)."""
    c = np.ones_like(x)
    d = 1 / _away_from_zero(1 - (a + b) * x / (a + 1))
    result = d.copy()
    for m in range(1, 1000):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            d = 1 / _away_from_zero(1 + term * d)
            c = _away_from_zero(1 + term / c)
            result *= c * d
        if np.all(np.abs(c * d - 1) < 1e-14):
            break
    return result


def _away_from_zero(values: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.where(np.abs(values) < _SMALLEST, _SMALLEST, values)
