"""The mathematics of combining simulated and people's games: a hierarchical normal model with an integrated distance.

Row i (a wonder) has the simulated value p_i with standard error e_i, and people's mean y_i with standard error s_i.
People's true value is t_i. It differs from the simulated one by chance, as far as people differ from the players of the
simulation::

    t_i ~ Normal(p_i + m, d² + e_i²)        y_i | t_i ~ Normal(t_i, s_i²)

The **distance** d is common to the rows and unknown. All rows together say how large it is: given d, the differences
y_i - p_i are Normal(m, v_i) with v_i = s_i² + e_i² + d², so its likelihood (restricted, with m integrated out) is ::

    L(d) = Π v_i^(-1/2) exp(-(y_i - p_i - m(d))² / 2 v_i) · (Σ 1/v_i)^(-1/2)     m(d): weighted by 1/v_i

Given d, the value of row i is normal with ::

    mean  b_i (p_i + m) + (1 - b_i) y_i     variance  (1 - b_i) s_i² + b_i² Var m     b_i = s_i² / v_i

and everything that is reported averages over the posterior of d, a sum over a grid (Gelman et al., Bayesian Data
Analysis, 3rd edition, section 5.4). In contrast to a plug-in estimate of d (DerSimonian and Laird 1986; Morris 1983),
that includes how uncertain d is. Where m is known to be 0, as for win shares, which have one mean for everybody, its
terms are left out.

The prior of d is half Student's t with 4 degrees of freedom (Gelman 2006). Its unit is the **scale**: how much good
players of the simulation differ from each other (``wsim robustness``), for lack of anything better before people play.
With few games the data hardly say how large d is, and then one prior cannot do both jobs. The **estimate**, whose mean
square must not suffer where the simulation is right, and 1 - b_i, people's **share** of it, use half the scale. The
**interval**, which must be valid where the simulation is wrong, is the quantiles with four times the scale.
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
REACH = 60.0  # the largest distance of the grid, in scales; larger if the differences are
_STEPS = 30  # halvings of the interval that contains a quantile


@dataclass(frozen=True)
class Combined:
    """Estimates of some rows; arrays have the shape of the input, ``distance`` that of its leading axes.

    Attributes
    ----------
    value, low, high: the estimate and the ends of its interval. sd: its standard deviation.
    share: people's share of the estimate, 0 to 1. distance: posterior mean of d, with its ``ends``.
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
    """Combine rows; the last axis is the rows, others are separate problems. Rows without people's games have an
    infinite ``people_error`` and any finite value.

    Parameters
    ----------
    scale: of the prior of the distance, in the unit of the values. offset: whether people's mean level is their own.
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
    """The posterior on a grid: distance (grid,), its chance (..., grid), and given d of each row (..., grid, rows) the
    mean and variance of its value, and the weight of the simulation in it (``kept``).
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
    """Return the posterior for a prior with the scale ``unit * factor``."""
    known = np.isfinite(people_error)[..., None, :]
    inner = np.where(known, np.where(np.isfinite(people_error), people_error, 1.0)[..., None, :] ** 2, 1.0)
    difference = np.where(known, (people - simulated)[..., None, :], 0.0)
    largest = max(REACH * unit, 2 * float(np.abs(difference).max(initial=0)))
    distance = np.concatenate([[0.0], np.geomspace(unit / 100, largest, GRID - 1)])
    spread = distance[:, None] ** 2 + simulated_error[..., None, :] ** 2  # of the true values around the simulated ones
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
    """Return a quantile of each row's mixture of normal distributions, by halving."""
    deviation = np.sqrt(np.maximum(of.variance, 1e-30))
    low, high = mean - 12 * sd - 1e-12, mean + 12 * sd + 1e-12
    for _ in range(_STEPS):
        half = (low + high) / 2
        below = (of.chance[..., None] * normal_cdf((half[..., None, :] - of.mean) / deviation)).sum(-2) < part
        low, high = np.where(below, half, low), np.where(below, high, half)
    return (low + high) / 2
