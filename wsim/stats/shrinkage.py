"""Empirical Bayes: many noisy effects, shrunk towards their common mean in proportion to their noise."""

from __future__ import annotations

import numpy as np

from wsim.stats.games import Floats
from wsim.stats.intervals import Interval


def shrink(effects: Floats, errors: Floats, level: float = 0.95) -> Interval:
    """Shrink effects with known standard errors towards their estimated common mean.

    The prior is normal; its mean and variance are estimated from the effects. The variance is estimated as by
    DerSimonian and Laird (1986). As in Morris (1983), all effects are shrunk slightly less, and the (credible)
    intervals allow for the uncertainty of the variance. Fewer than four effects are returned unchanged; NaN stays NaN.
    """
    known = np.isfinite(effects) & np.isfinite(errors) & (errors > 0)
    value, spread = np.where(known, effects, np.nan), np.where(known, errors, np.nan)
    count = int(known.sum())
    if count > 3:
        effect, variance = effects[known], errors[known] ** 2
        between = _between(effect, variance)
        weight = 1 / (variance + between)
        mean = weight @ effect / weight.sum()
        pull = (count - 3) / (count - 1) * variance * weight
        value[known] = pull * mean + (1 - pull) * effect
        uncertain = 2 / (count - 3) * pull**2 * (effect - mean) ** 2 * weight / weight.mean()
        spread[known] = np.sqrt((1 - pull) * variance + pull**2 / weight.sum() + uncertain)
    return Interval.normal(value, spread, level)


def _between(effect: Floats, variance: Floats) -> float:
    """Return the variance of the true effects; 0 if the effects differ no more than their errors explain."""
    weight = 1 / variance
    mean = weight @ effect / weight.sum()
    excess = weight @ (effect - mean) ** 2 - (len(effect) - 1)
    return max(float(excess / (weight.sum() - (weight**2).sum() / weight.sum())), 0.0)
