"""Combine simulated and people's games with a hierarchical normal model in which the distance is integrated out.

Row i (a wonder) has the simulated value p_i with standard error e_i, and people's mean y_i with standard error s_i.
People's true value t_i varies around the simulated value, by as much as people differ from the simulated players::

    t_i ~ Normal(p_i + m, d² + e_i²)        y_i | t_i ~ Normal(t_i, s_i²)

The **distance** d is unknown and the same for all rows, which jointly determine it: given d, the differences y_i - p_i
are Normal(m, v_i) with v_i = s_i² + e_i² + d², so the likelihood of d (restricted, with m integrated out) is ::

    L(d) = Π v_i^(-1/2) exp(-(y_i - p_i - m(d))² / 2 v_i) · (Σ 1/v_i)^(-1/2)     m(d): weighted by 1/v_i

Given d, the value of row i is normal with ::

    mean  b_i (p_i + m) + (1 - b_i) y_i     variance  (1 - b_i) s_i² + b_i² Var m     b_i = s_i² / v_i

and all reported values are averages over the posterior of d, computed as sums over a grid (Gelman et al., Bayesian Data
Analysis, 3rd edition, section 5.4). Unlike a plug-in estimate of d (DerSimonian and Laird 1986; Morris 1983), this
accounts for the uncertainty of d. Where m is known to be 0, as for win shares, whose mean is the same for everybody,
the terms with m are omitted.

The prior of d is a half Student's t distribution with 4 degrees of freedom (Gelman 2006). Its unit is the **scale**:
how much good simulated players differ from each other (``wsim robustness``), the best available guess before people
play.
With few games, the data hardly determine d, and a single prior cannot serve two purposes. The **estimate**, whose mean
square error should stay small where the simulation is right, and people's **share** of it, 1 - b_i, use half the scale.
The **interval**, which must be valid where the simulation is wrong, uses quantiles with four times the scale.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wsim.stats.distributions import normal_cdf

Floats = NDArray[np.float64]
GRID = 60
FREEDOM = 4
ESTIMATE_SCALE, INTERVAL_SCALE = 0.5, 4.0
REACH = 60.0  # the largest distance in the grid, in scales; extended if the differences are larger
_STEPS = 30  # bisection steps for a quantile


@dataclass(frozen=True)
class Combined:
    """Combined estimates; arrays have the shape of the input, except ``distance``, which has no row axis.

    Attributes
    ----------
    value, low, high: the estimates and the ends of their intervals. sd: their standard deviations.
    share: people's share of the estimate, from 0 to 1. distance: the posterior mean of d; ``ends``: its interval.
    """

    value: Floats
    low: Floats
    high: Floats
    sd: Floats
    share: Floats
    distance: Floats
    ends: tuple[Floats, Floats]


def combine(
    simulated: Floats, simulated_error: Floats, people: Floats, people_error: Floats, scale: float, *,
    offset: bool = False, level: float = 0.95,
) -> Combined:  # fmt: skip
    """Combine simulated and people's values for the rows along the last axis; other axes are separate problems.

    Rows without people's games have an infinite ``people_error`` and any finite value.

    Parameters
    ----------
    scale: the scale of the distance's prior, in the unit of the values. offset: whether people have their own mean
        level m.
    """
    data = (simulated, simulated_error, people, people_error, scale)
    narrow, wide = (_posterior(*data, factor, offset=offset) for factor in (ESTIMATE_SCALE, INTERVAL_SCALE))
    value = (narrow.chance[..., None] * narrow.mean).sum(-2)
    middle = (wide.chance[..., None] * wide.mean).sum(-2)
    sd = np.sqrt((wide.chance[..., None] * (wide.variance + (wide.mean - middle[..., None, :]) ** 2)).sum(-2))
    parts = ((1 - level) / 2, (1 + level) / 2)
    low, high = (_quantile(wide, middle, sd, part) for part in parts)
    cumulative = np.cumsum(wide.chance, -1)
    ends = [wide.distance[np.minimum((cumulative < part).sum(-1), GRID - 1)] for part in parts]
    share = 1 - (narrow.chance[..., None] * narrow.kept).sum(-2)
    return Combined(value, low, high, sd, share, (wide.chance * wide.distance).sum(-1), (ends[0], ends[1]))


@dataclass(frozen=True)
class _Posterior:
    """The posterior distribution on a grid of distances.

    It contains the distances (grid,) and their probabilities (..., grid). For each distance and row (..., grid, rows),
    it contains the mean and variance of the value and the weight of the simulation (``kept``).
    """

    distance: Floats
    chance: Floats
    mean: Floats
    variance: Floats
    kept: Floats


def _posterior(
    simulated: Floats, simulated_error: Floats, people: Floats, people_error: Floats, unit: float, factor: float, *,
    offset: bool,
) -> _Posterior:  # fmt: skip
    """Compute the posterior on a grid for a prior whose scale is ``unit * factor``."""
    known = np.isfinite(people_error)[..., None, :]
    inner = np.where(known, np.where(np.isfinite(people_error), people_error, 1.0)[..., None, :] ** 2, 1.0)
    difference = np.where(known, (people - simulated)[..., None, :], 0.0)
    largest = max(REACH * unit, 2 * float(np.abs(difference).max(initial=0)))
    distance = np.concatenate([[0.0], np.geomspace(unit / 100, largest, GRID - 1)])
    spread = distance[:, None] ** 2 + simulated_error[..., None, :] ** 2  # variance of true values
    total = spread + inner
    weight = np.where(known, 1 / total, 0.0)
    sums = np.maximum(weight.sum(-1), 1e-300)
    shift = (weight * difference).sum(-1) / sums if offset else np.zeros_like(sums)
    log = -0.5 * np.where(known, np.log(total) + (difference - shift[..., None]) ** 2 / total, 0.0).sum(-1)
    log -= 0.5 * np.log(sums) if offset else 0.0
    prior = (1 + (distance / (unit * factor)) ** 2 / FREEDOM) ** (-(FREEDOM + 1) / 2)
    chance = np.exp(log - log.max(-1, keepdims=True)) * prior * np.gradient(distance)
    kept = np.where(known, inner / total, 1.0)
    base = simulated[..., None, :] + shift[..., None]
    mean = kept * base + (1 - kept) * np.where(known, people[..., None, :], 0.0)
    shift_variance = kept**2 / sums[..., None] if offset else 0.0
    variance = np.where(known, (1 - kept) * inner, spread) + shift_variance
    return _Posterior(distance, chance / chance.sum(-1, keepdims=True), mean, variance, kept)


def _quantile(of: _Posterior, mean: Floats, sd: Floats, part: float) -> Floats:
    """Compute a quantile of each row's mixture of normal distributions by bisection."""
    deviation = np.sqrt(np.maximum(of.variance, 1e-30))
    low, high = mean - 12 * sd - 1e-12, mean + 12 * sd + 1e-12
    for _ in range(_STEPS):
        half = (low + high) / 2
        below = (of.chance[..., None] * normal_cdf((half[..., None, :] - of.mean) / deviation)).sum(-2) < part
        low, high = np.where(below, half, low), np.where(below, high, half)
    return (low + high) / 2
