"""Ratings of the policies of a match: Plackett-Luce strengths of all its games, with the deal as the unit.

Any field gets a line of strengths, one that has none, too: ``circle`` finds where A beats B, B beats C and C beats A.
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


def circle(trial: MatchTrial) -> list[int]:
    """Return policies each of which beats the next one, and the last the first, as few as there are; none: no circle.

    Beating is a win share that is higher by its interval; at a table with all, finishing ahead more often, likewise.
    """
    design = trial.table.design
    found = _ahead(trial) if design.mixed else trial.figures().edges
    beats: dict[int, list[int]] = {}
    for (one, other), low, high in zip(design.pairs, found.low, found.high, strict=True):
        if low > 0:
            beats.setdefault(one, []).append(other)
        elif high < 0:
            beats.setdefault(other, []).append(one)
    paths = [[policy] for policy in range(design.policies)]
    while paths:
        for path in paths:
            if path[0] in beats.get(path[-1], []):
                return path
        paths = [[*path, other] for path in paths for other in beats.get(path[-1], []) if other > path[0]]
        paths = [path for path in paths if len(set(path)) == len(path)]
    return []


def _ahead(trial: MatchTrial) -> Interval:
    """Return of each pair how much more often the first finishes ahead of the second, where both are at the table."""
    design = trial.table.design
    numbers, place = np.unique(trial.orders, return_inverse=True)
    orders = orders_of(numbers, np.ones(len(numbers), np.int64), design.sides, design.policies)
    rank = np.maximum.accumulate(np.where(orders.tied, 0, np.arange(design.sides)), axis=1)
    deals, both = [], []
    for one, other in design.pairs:
        first, second = (orders.items == policy for policy in (one, other))
        sign = np.sign(rank[:, None, :] - rank[:, :, None])
        of_order = (sign * first[:, :, None] * second[:, None, :]).sum(axis=(1, 2))
        deals.append(of_order[place.reshape(trial.orders.shape)].sum(axis=1))
        both.append((first.sum(axis=1) * second.sum(axis=1))[place.reshape(trial.orders.shape)[0]].sum())
    share = np.array(deals) / np.maximum(np.array(both)[:, None], 1)
    value = share.mean(axis=1)
    reach = trial.looks[-1].boundary * share.std(axis=1, ddof=1) / math.sqrt(share.shape[1])
    return Interval(value, value - reach, value + reach)


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
