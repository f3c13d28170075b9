"""What the page tells of the games themselves: scores of winners, margins, ties, and what winners did differently."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from wsim.stats.games import Floats, GameBatch, batches, competitors
from wsim.stats.intervals import Estimate, nulls
from wsim.stats.moments import Moments
from wsim.stats.parallel import in_order
from wsim.stats.tables import POINTS

SUMMARY: Sequence[str] = ("score", "winner", "last", "margin", "range", "shared")
"""Figures of ``Outcomes.summary``: mean total of all seats and of winners; mean lowest total of a game, highest less
second, highest less lowest, and share of games with several winners, all four of teams where there are some."""
_NO_MEASURE = ("game", "seat", "team", "rank", "win_share", "total")
_WON, _WON_SUM, _LOST, _LOST_SUM = range(4)


@dataclass(frozen=True)
class Outcomes:
    """Outcomes of games, with intervals clustered by game.

    Attributes
    ----------
    summary: columns figure (``SUMMARY``), value, low, high.
    measures: one row for each column of points or counts, and first for the total: measure, mean, winners, others,
        difference (winners less others) with _low and _high.
    """

    summary: pl.DataFrame
    measures: pl.DataFrame

    def figure(self, name: str) -> tuple[float | None, float | None, float | None]:
        """Return value, low and high end of a figure of the summary."""
        row = self.summary.row(by_predicate=pl.col("figure") == name, named=True)
        return row["value"], row["low"], row["high"]


def measures_of(seats: pl.LazyFrame) -> list[str]:
    """Return the columns that say what a seat scored or did: points first."""
    schema = seats.collect_schema()
    names = [name for name, kind in schema.items() if kind.is_numeric() and name not in _NO_MEASURE and ":" not in name]
    return sorted(names, key=lambda name: not name.startswith(POINTS))


def outcomes(seats: pl.LazyFrame, progress: Callable[[int], None] | None = None) -> Outcomes:
    """Read a seats table once and return its outcomes; ``progress`` is told the games of each batch."""
    measures = ["total", *measures_of(seats)]
    winners = "rank" if "rank" in seats.collect_schema() else "win_share"
    together = teams_of(seats)
    columns = [*measures, winners, *(["team"] if together else [])]
    compared, summary = Moments(len(measures), 4), Moments(len(SUMMARY), 2)

    def tally(batch: GameBatch) -> tuple[Moments, Moments, int]:
        won = batch.column(winners) == 1 if winners == "rank" else batch.column(winners) > 0
        return _compared(batch, measures, won), _summary(batch, won, together), batch.games

    for one, other, games in in_order(tally, batches(competitors(seats), columns)):
        compared.merge(one)
        summary.merge(other)
        if progress is not None:
            progress(games)
    return Outcomes(_summary_frame(summary), _measures_frame(compared, measures))


def _compared(batch: GameBatch, measures: Sequence[str], won: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> Moments:
    moments = Moments(len(measures), 4)
    winner = won.astype(float)
    values = np.stack([batch.column(name) for name in measures])
    moments.add(
        batch.sums(winner), batch.sums(values * winner), batch.sums(1 - winner), batch.sums(values * (1 - winner))
    )
    return moments


def _summary(batch: GameBatch, won: np.ndarray[tuple[int], np.dtype[np.bool_]], teams: int) -> Moments:
    totals, winner, one = batch.column("total"), won.astype(float), np.ones(batch.games)
    best, second, lowest, winners = _standings(batch, totals, winner, teams)
    sums = [batch.sums(totals), batch.sums(totals * winner), lowest, best - second, best - lowest, winners > 1]
    moments = Moments(len(SUMMARY), 2)
    moments.add(np.stack(sums), np.stack([batch.sums(np.ones(len(totals))), batch.sums(winner), one, one, one, one]))
    return moments


def teams_of(seats: pl.LazyFrame) -> int:
    """Return how many teams there are, 0 if everybody plays alone."""
    if "team" not in seats.collect_schema():
        return 0
    last = competitors(seats).select(pl.col("team").max(), pl.col("seat").max()).collect(engine="streaming")
    return int(last["team"][0]) + 1 if last["team"][0] != last["seat"][0] else 0


def _standings(batch: GameBatch, totals: Floats, winner: Floats, teams: int) -> tuple[Floats, ...]:
    """Return the highest, second and lowest total of each game, and how many won; of teams if there are some."""
    game, starts = batch.game_of_row, batch.starts
    if teams:
        cells = game * teams + batch.column("team").astype(np.int64)
        count = np.bincount(cells, minlength=batch.games * teams)
        there = np.flatnonzero(count)
        totals = np.bincount(cells, totals)[there].astype(np.float64)
        winner = (np.bincount(cells, winner)[there] > 0).astype(float)
        game = there // teams
        starts = np.flatnonzero(np.diff(game, prepend=-1))
    by_total = np.lexsort((-totals, game))  # within each game, highest first
    ordered = totals[by_total]
    last = np.append(starts[1:], len(totals)) - 1
    return ordered[starts], ordered[np.minimum(starts + 1, last)], ordered[last], np.add.reduceat(winner, starts)


def _summary_frame(moments: Moments) -> pl.DataFrame:
    estimate = moments.ratio(0, 1)
    ends = {name.replace("value_", ""): column for name, column in estimate.columns("value").items()}
    return pl.DataFrame({"figure": list(SUMMARY), **ends})


def _measures_frame(moments: Moments, measures: Sequence[str]) -> pl.DataFrame:
    difference = moments.difference((_WON_SUM, _WON), (_LOST_SUM, _LOST))
    totals = moments.totals
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = (totals[:, _WON_SUM] + totals[:, _LOST_SUM]) / (totals[:, _WON] + totals[:, _LOST])
    return pl.DataFrame(
        {
            "measure": list(measures),
            "mean": nulls(mean),
            "winners": _values(moments.ratio(_WON_SUM, _WON)),
            "others": _values(moments.ratio(_LOST_SUM, _LOST)),
            **difference.columns("difference"),
        }
    )


def _values(estimate: Estimate) -> pl.Series:
    return nulls(estimate.value)


def score_counts(seats: pl.LazyFrame) -> pl.DataFrame:
    """Return how many seats of each policy had each total: columns policy (text), total, n."""
    counts = competitors(seats).group_by("policy", "total").len("n").collect(engine="streaming")
    return counts.with_columns(pl.col("policy").cast(pl.String), pl.col("total").cast(pl.Int64)).sort("policy", "total")


def rank_means(seats: pl.LazyFrame) -> pl.DataFrame:
    """Return the mean total (score) and categories of points by rank; no rows if the table has no ranks."""
    schema = seats.collect_schema()
    points = [name for name in schema if name.startswith(POINTS)]
    if "rank" not in schema or not points:
        return pl.DataFrame()
    means = pl.len().alias("n"), pl.col("total").mean().alias("score"), *(pl.col(name).mean() for name in points)
    return competitors(seats).group_by("rank").agg(*means).sort("rank").collect(engine="streaming")
