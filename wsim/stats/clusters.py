"""Means of seats that are not independent: seats of one game, and games of the same people (two-way clusters)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from wsim.stats.games import Floats
from wsim.stats.intervals import Estimate

MIN_GROUPS = 5  # fewer houses are too few to estimate how much they differ


def clusterings_of(seats: pl.DataFrame) -> tuple[list[NDArray[np.int64]], str]:
    """Return the clusterings that dependent rows need (one cluster number per row) and a description of them.

    The clusters are houses (``group``) if there are five or more, because each player belongs to one house; otherwise
    games, and players if they are recorded.
    """
    codes = {
        name: np.unique(seats[name].to_physical().to_numpy(), return_inverse=True)[1]
        for name in ("game", "player", "group")
        if name in seats.columns
    }
    if "group" in codes and codes["group"].max() + 1 >= MIN_GROUPS:
        return [codes["group"]], "group"
    if "player" in codes and codes["player"].max() > 0:
        return [codes["game"], codes["player"]], "game and player"
    return [codes["game"]], "game"


def clustered(value: Floats, count: Floats, clusterings: Sequence[NDArray[np.int64]], level: float = 0.95) -> Estimate:
    """Estimate sum(value) / sum(count) with clustered errors; both arrays have shape (quantities, rows).

    With two clusterings, the variance is the first one's plus the second one's minus the variance with single rows as
    clusters (Cameron, Gelbach and Miller 2011), but at least the first one's. Intervals use Student's t with one degree
    of freedom fewer than the coarser clustering has clusters in which the quantity occurs.
    """
    total = count.sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = value.sum(axis=1) / total
        influence = np.nan_to_num((value - ratio[:, None] * count) / total[:, None])
        variances, sizes = [], []
        for codes in clusterings:
            clusters = int(codes.max()) + 1
            sums = np.stack([np.bincount(codes, row, clusters) for row in influence])
            used = np.array([np.count_nonzero(np.bincount(codes, row != 0, clusters)) for row in count], float)
            variances.append((sums**2).sum(axis=1) * used / (used - 1))
            sizes.append(used)
        variance = variances[0]
        if len(variances) == 2:
            variance = np.maximum(variance, variances[0] + variances[1] - (influence**2).sum(axis=1))
    return Estimate(ratio, np.sqrt(variance), np.minimum.reduce(sizes), level)
