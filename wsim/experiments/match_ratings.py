"""Ratings of the policies of a match: Plackett-Luce strengths of all its games, with the deal as the unit."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from wsim.stats.intervals import nulls
from wsim.stats.rankings import Rankings, orders_of
from wsim.stats.ratings import PlackettLuce

if TYPE_CHECKING:
    from wsim.experiments.match_trial import MatchTrial

__all__ = ["POINTS_A_TENFOLD", "ratings"]

POINTS_A_TENFOLD = 400.0
"""Points of a rating that stand for ten times the strength, as in chess."""


def ratings(trials: Sequence[MatchTrial], level: float) -> pl.DataFrame:
    """Return policy, rating with _low and _high, and strength (1 is the geometric mean), the strongest first.

    Raises UserError if the games do not tell the strengths: some policy finished ahead of another whenever they met.
    """
    policies = trials[0].table.policies
    parts, clusters, first = [], [], 0
    for trial in trials:
        numbers, place = np.unique(trial.orders, return_inverse=True)
        place = place.reshape(trial.orders.shape)
        counts = np.bincount(place.reshape(-1), minlength=len(numbers))
        parts.append(orders_of(numbers, counts, trial.table.design.sides, len(policies)))
        clusters.append(place + first)
        first += len(numbers)
    orders = _together(parts)
    estimate = PlackettLuce.fit(orders, policies).clustered(orders, clusters).estimate(level)
    scale = POINTS_A_TENFOLD / math.log(10)
    frame = pl.DataFrame(
        {
            "policy": list(policies),
            **estimate.scaled(scale).columns("rating"),
            "strength": nulls(np.exp(estimate.value)),
        }
    )
    return frame.sort("rating", descending=True, maintain_order=True)


def _together(parts: Sequence[Rankings]) -> Rankings:
    """Put orders of tables of different sizes one below the other."""
    places = max(part.items.shape[1] for part in parts)

    def wide(array: np.ndarray, fill: int) -> np.ndarray:
        return np.pad(array, ((0, 0), (0, places - array.shape[1])), constant_values=fill)

    return Rankings(
        np.concatenate([wide(part.items, -1) for part in parts]),
        np.concatenate([wide(part.tied, False) for part in parts]),
        np.concatenate([part.counts for part in parts]),
    )
