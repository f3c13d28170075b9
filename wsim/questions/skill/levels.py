"""The tables of ``wsim skill``: figures at each level of a ladder of players, and their changes along the ladder."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from wsim.document import CATEGORY, SHARE, Column, estimated, names
from wsim.stats.columns import OF_WINS, VERDICT, N, P, Q
from wsim.stats.intervals import nulls, verdicts

if TYPE_CHECKING:
    from wsim.questions.selfplay.sums import SkillSums

_ENDS = ("", "_low", "_high")
PLAYERS = ("strong players", "weak players", "all players")


def skill_columns(rungs: Sequence[str], items: Sequence[str]) -> tuple[Column, ...]:
    """Declare the columns of an answer's tables: figures at all ``rungs`` (levels), and changes."""
    return (
        *names((*items, "rung", "weaker", "stronger")), N, Column("share", SHARE, unit="of seats"), P, Q, VERDICT,
        *(estimated(name, SHARE, unit=OF_WINS) for name in ("figure", *rungs)),
        estimated("change", SHARE, unit=OF_WINS, difference=True), Column("strong_in", CATEGORY),
    )  # fmt: skip


def naming_columns(figures: pl.DataFrame) -> list[str]:
    """Return the columns of ``SkillAnswer.figures`` that identify an item."""
    return figures.columns[: figures.columns.index("rung")]


def levels_table(figures: pl.DataFrame, changes: pl.DataFrame, change: int = 0) -> pl.DataFrame:
    """Return one row per item: its figures at all levels and one of its changes (see ``SkillAnswer.table``)."""
    keys = naming_columns(figures)
    wide = figures.select(keys).unique(maintain_order=True)
    for rung in figures["rung"].unique(maintain_order=True):
        level = figures.filter(pl.col("rung").eq_missing(pl.lit(rung)))
        ends = [pl.col(f"figure{end}").alias(f"{rung}{end}") for end in _ENDS]
        wide = wide.join(level.select(*keys, *ends), on=keys, maintain_order="left")
    weaker, stronger = changes.select("weaker", "stronger").unique(maintain_order=True).row(change)
    same = (pl.col(name).eq_missing(pl.lit(rung)) for name, rung in (("weaker", weaker), ("stronger", stronger)))
    between = changes.filter(*same)
    wide = wide.join(between.drop("weaker", "stronger", "p"), on=keys, maintain_order="left")
    return wide.sort("change", descending=True, nulls_last=True, maintain_order=True)


def figures_of(sums: SkillSums, named: pl.DataFrame, rung: int, name: str, level: float) -> pl.DataFrame:
    """Build the rows of ``figures`` for one level."""
    return named.with_columns(
        pl.lit(name).alias("rung"),
        pl.Series("n", sums.counts()[:, rung].astype(np.int64)),
        nulls(sums.shares()[:, rung]).alias("share"),
        *(column.alias(key) for key, column in sums.figure(rung, level).columns("figure").items()),
    )


def changes_of(
    sums: SkillSums, named: pl.DataFrame, present: np.ndarray, pair: tuple[int, int], level: float
) -> pl.DataFrame:
    """Build the rows of ``changes`` for one pair of levels."""
    change = sums.change(*pair, level)
    change = type(change)(change.value[present], change.error[present], change.games[present], level)
    verdict = verdicts(change.value, change.q_value(), level=level)
    nothing = sums.fair() if sums.grouped else 0.0
    weak, strong = (sums.figure(rung, level) for rung in pair)
    better = [nulls(figure.low[present]) > nothing for figure in (weak, strong)]
    frame = named.with_columns(
        *(column.alias(key) for key, column in change.columns("change").items()),
        nulls(change.p_value()).alias("p"),
        nulls(change.q_value()).alias("q"),
        verdict.alias("verdict"),
        better[0].fill_null(False).alias("_weak"),
        better[1].fill_null(False).alias("_strong"),
    )
    strong_players, weak_players, all_players = map(pl.lit, PLAYERS)
    strong_in = (
        pl.when(pl.col("_weak") & pl.col("_strong"))
        .then(all_players)
        .when(pl.col("_strong") & (pl.col("verdict") == "higher"))
        .then(strong_players)
        .when(pl.col("_weak") & (pl.col("verdict") == "lower"))
        .then(weak_players)
        .otherwise(pl.lit(None, pl.String))
    )
    return frame.with_columns(strong_in.alias("strong_in")).drop("_weak", "_strong")
