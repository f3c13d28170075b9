"""The analyses of the toy game: results of the owners of a treasure, and a table with its own columns."""

from __future__ import annotations

from functools import partial

import polars as pl

from wsim import stats
from wsim.document import NAME, POINTS, Column
from wsim.lab.store import Run
from wsim.stats.columns import N
from wsim.stats.owner_tallies import OwnerTallies

from . import GAME

(_PREFIX, _NOUN), *_ = GAME.OWNED.items()


def _means(run: Run, *, level: float = 0.95) -> stats.Table:
    means = run.seats.group_by("policy").agg(pl.len().alias("n"), pl.col("total").mean().alias("mean_total"))
    frame = means.with_columns(pl.col("policy").cast(pl.String)).sort("policy").collect()
    return stats.Table(frame, "Wonders", "A note.", (Column("policy", NAME), N, Column("mean_total", POINTS)))


TREASURES = stats.Analysis(
    partial(stats.owners, prefix=_PREFIX, noun=_NOUN),
    "how those did who have a treasure",
    by=(),
    shown="run",
    sums=OwnerTallies(_PREFIX),
)
MEANS = stats.Analysis(_means, "the mean score of each policy")
