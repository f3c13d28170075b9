"""The tables of ``wsim skill``: figures at each level of a ladder of players, and how they change along it."""

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
HANDS = ("strong players", "weak players", "all players")


def skill_columns(rungs: Sequence[str], things: Sequence[str]) -> tuple[Column, ...]:
    """Return the columns of the tables of an answer: figures of all ``rungs`` side by side, and changes."""
    return (
        *names((*things, "rung", "weaker", "stronger")), N, Column("share", SHARE, unit="of seats"), P, Q, VERDICT,
        *(estimated(name, SHARE, unit=OF_WINS) for name in ("figure", *rungs)),
        estimated("change", SHARE, unit=OF_WINS, difference=True), Column("strong_in", CATEGORY),
    )  # fmt: skip


def naming_columns(figures: pl.DataFrame) -> list[str]:
    """Return the columns of ``Skill.figures`` that name a thing."""
    return figures.columns[: figures.columns.index("rung")]


def side_by_side(figures: pl.DataFrame, changes: pl.DataFrame, change: int = 0) -> pl.DataFrame:
    """Return the figures of all rungs, and one of the changes, with a row for each thing (``Skill.table``)."""
    keys = naming_columns(figures)
    wide = figures.select(keys).unique(maintain_order=True)
    for rung in figures["rung"].unique(maintain_order=True):
        here = figures.filter(pl.col("rung").eq_missing(pl.lit(rung)))
        ends = [pl.col(f"figure{end}").alias(f"{rung}{end}") for end in _ENDS]
        wide = wide.join(here.select(*keys, *ends), on=keys, maintain_order="left")
    weaker, stronger = changes.select("weaker", "stronger").unique(maintain_order=True).row(change)
    same = (pl.col(name).eq_missing(pl.lit(rung)) for name, rung in (("weaker", weaker), ("stronger", stronger)))
    between = changes.filter(*same)
    wide = wide.join(between.drop("weaker", "stronger", "p"), on=keys, maintain_order="left")
    return wide.sort("change", descending=True, nulls_last=True, maintain_order=True)


def figures_of(sums: SkillSums, named: pl.DataFrame, rung: int, name: str, level: float) -> pl.DataFrame:
    """Return the rows of a rung."""
    return named.with_columns(
        pl.lit(name).alias("rung"),
        pl.Series("n", sums.counts()[:, rung].astype(np.int64)),
        nulls(sums.shares()[:, rung]).alias("share"),
        *(column.alias(key) for key, column in sums.figure(rung, level).columns("figure").items()),
    )


def changes_of(
    sums: SkillSums, named: pl.DataFrame, there: np.ndarray, pair: tuple[int, int], level: float
) -> pl.DataFrame:
    """Return the rows of a change between two rungs."""
    change = sums.change(*pair, level)
    change = type(change)(change.value[there], change.error[there], change.games[there], level)
    said = verdicts(change.value, change.q_value(), level=level)
    nothing = sums.fair() if sums.grouped else 0.0
    weak, strong = (sums.figure(rung, level) for rung in pair)
    better = [nulls(one.low[there]) > nothing for one in (weak, strong)]
    frame = named.with_columns(
        *(column.alias(key) for key, column in change.columns("change").items()),
        nulls(change.p_value()).alias("p"),
        nulls(change.q_value()).alias("q"),
        said.alias("verdict"),
        better[0].fill_null(False).alias("_weak"),
        better[1].fill_null(False).alias("_strong"),
    )
    good, poor, both = (pl.lit(one) for one in HANDS)
    strong_in = (
        pl.when(pl.col("_weak") & pl.col("_strong"))
        .then(both)
        .when(pl.col("_strong") & (pl.col("verdict") == "higher"))
        .then(good)
        .when(pl.col("_weak") & (pl.col("verdict") == "lower"))
        .then(poor)
        .otherwise(pl.lit(None, pl.String))
    )
    return frame.with_columns(strong_in.alias("strong_in")).drop("_weak", "_strong")
