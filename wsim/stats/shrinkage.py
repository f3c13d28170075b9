"""Empirical Bayes: many noisy effects drawn towards their common mean, the noisier the more."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wsim.stats.distributions import normal_quantile
from wsim.stats.games import Floats

__all__ = ["Shrunk", "shrink"]


@dataclass(frozen=True)
class Shrunk:
    """Effects after shrinkage, with the ends of their (credible) intervals; NaN where the effect was."""

    value: Floats
    low: Floats
    high: Floats


def shrink(effects: Floats, errors: Floats, level: float = 0.95) -> Shrunk:
    """Shrink effects with known standard errors under a normal prior whose mean and spread they tell themselves.

    The spread is that of DerSimonian and Laird (1986); where the effects differ no more than their errors make them, it
    is 0 and all become the mean.
    """
    known = np.isfinite(effects) & np.isfinite(errors) & (errors > 0)
    value = np.full(effects.shape, np.nan)
    reach = np.full(effects.shape, np.nan)
    if known.any():
        effect, variance = effects[known], errors[known] ** 2
        weight = 1 / variance
        mean = weight @ effect / weight.sum()
        excess = weight @ (effect - mean) ** 2 - (len(effect) - 1)
        scale = weight.sum() - (weight**2).sum() / weight.sum()
        between = max(excess / scale, 0.0) if scale > 0 else 0.0
        mean_weight = 1 / (variance + between)
        mean = mean_weight @ effect / mean_weight.sum()
        pull = variance / (variance + between)
        value[known] = pull * mean + (1 - pull) * effect
        reach[known] = normal_quantile((1 + level) / 2) * np.sqrt((1 - pull) * variance + pull**2 / mean_weight.sum())
    return Shrunk(value, value - reach, value + reach)
