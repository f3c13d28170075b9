"""Ratings of the policies of a match: Plackett-Luce strengths over all games, clustered by deal.

Ratings impose an order even on an intransitive field; ``circle`` finds cycles, such as A beats B, B beats C, C beats A.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from wsim.stats.intervals import Interval, nulls
from wsim.stats.rankings import Rankings, orders_of
from wsim.stats.ratings import PlackettLuce

if TYPE_CHECKING:
    from wsim.questions.match.trial import MatchTrial

POINTS_A_TENFOLD = 400.0
"""Rating points per tenfold strength, as in chess."""


def ratings(trials: Sequence[MatchTrial], level: float) -> pl.DataFrame:
    """Return a table with policy, rating (with _low and _high) and strength (geometric mean 1), the strongest first.

    Raises UserError if the games do not determine the strengths, because a policy always finished ahead of a different
    one.
    """
    policies = trials[0].table.policies
    parts, clusters, first = [], [], 0
    for trial in trials:
        numbers, index = np.unique(trial.orders, return_inverse=True)
        index = index.reshape(trial.orders.shape)
        counts = np.bincount(index.reshape(-1), minlength=len(numbers))
        parts.append(orders_of(numbers, counts, trial.table.design.sides, len(policies)))
        clusters.append(index + first)
        first += len(numbers)
    orders = _concatenated(parts)
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


def circle(trial: MatchTrial) -> list[int]:
    """Return a shortest cycle of policies in which each beats the next and the last beats the first; empty: none.

    A policy beats another if the interval of their difference in win share excludes 0; at mixed tables, if the interval
    of the difference in finishing ahead does.
    """
    design = trial.table.design
    differences = _ahead(trial) if design.mixed else trial.figures().edges
    beats: dict[int, list[int]] = {}
    for (first, second), low, high in zip(design.pairs, differences.low, differences.high, strict=True):
        if low > 0:
            beats.setdefault(first, []).append(second)
        elif high < 0:
            beats.setdefault(second, []).append(first)
    paths = [[policy] for policy in range(design.policies)]
    while paths:
        for path in paths:
            if path[0] in beats.get(path[-1], []):
                return path
        paths = [[*path, other] for path in paths for other in beats.get(path[-1], []) if other > path[0]]
        paths = [path for path in paths if len(set(path)) == len(path)]
    return []


def _ahead(trial: MatchTrial) -> Interval:
    """Estimate, for each pair, how much more often the first finishes ahead of the second than behind it."""
    design = trial.table.design
    numbers, index = np.unique(trial.orders, return_inverse=True)
    orders = orders_of(numbers, np.ones(len(numbers), np.int64), design.sides, design.policies)
    rank = np.maximum.accumulate(np.where(orders.tied, 0, np.arange(design.sides)), axis=1)
    deals, both = [], []
    for left, right in design.pairs:
        first, second = (orders.items == policy for policy in (left, right))
        sign = np.sign(rank[:, None, :] - rank[:, :, None])
        of_order = (sign * first[:, :, None] * second[:, None, :]).sum(axis=(1, 2))
        deals.append(of_order[index.reshape(trial.orders.shape)].sum(axis=1))
        both.append((first.sum(axis=1) * second.sum(axis=1))[index.reshape(trial.orders.shape)[0]].sum())
    share = np.array(deals) / np.maximum(np.array(both)[:, None], 1)
    value = share.mean(axis=1)
    reach = trial.looks[-1].boundary * share.std(axis=1, ddof=1) / math.sqrt(share.shape[1])
    return Interval(value, value - reach, value + reach)


def _concatenated(parts: Sequence[Rankings]) -> Rankings:
    """Concatenate the finishing orders of tables of different sizes."""
    places = max(part.items.shape[1] for part in parts)

    def wide(array: np.ndarray, fill: int) -> np.ndarray:
        return np.pad(array, ((0, 0), (0, places - array.shape[1])), constant_values=fill)

    return Rankings(
        np.concatenate([wide(part.items, -1) for part in parts]),
        np.concatenate([wide(part.tied, False) for part in parts]),
        np.concatenate([part.counts for part in parts]),
    )
