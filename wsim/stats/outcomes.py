"""Outcomes of games: scores of winners, margins, ties, and differences between winners and the other seats."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from wsim.document import CATEGORY, NAME, NUMBER, POINTS, SHARE, Chart, Column, estimated
from wsim.stats.columns import POINTS_OF, N, means
from wsim.stats.games import Floats, GameBatch, batches, competitors
from wsim.stats.intervals import nulls
from wsim.stats.moments import Moments
from wsim.stats.parallel import in_order
from wsim.stats.tables import Table

SUMMARY: Mapping[str, str] = {
    "score": "score of a seat", "winner": "score of a winner", "last": "lowest score of a game",
    "margin": "first ahead of second", "range": "first ahead of last", "shared": "games with several winners",
}  # fmt: skip
"""Figures of ``Outcomes.summary``; in games with teams, the figures of a game refer to teams."""
_NO_MEASURE = ("game", "seat", "team", "rank", "win_share", "total")
_WON, _WON_SUM, _LOST, _LOST_SUM = range(4)


@dataclass(frozen=True)
class Outcomes:
    """Outcomes of games, with intervals clustered by game.

    Attributes
    ----------
    summary: the columns figure (a key of ``SUMMARY``), points and share (of games), the last two with intervals.
    measures: one row for each column of points or counts: measure, mean, winners, others, difference (winners minus
        others) with its interval.
    """

    summary: Table
    measures: Table

    def figure(self, name: str) -> dict[str, Any]:
        """Return the summary row of a figure."""
        return self.summary.frame.row(by_predicate=pl.col("figure") == SUMMARY[name], named=True)


def measures_of(seats: pl.LazyFrame) -> list[str]:
    """Return the columns with a seat's scores and action counts, points first."""
    schema = seats.collect_schema()
    names = [name for name, kind in schema.items() if kind.is_numeric() and name not in _NO_MEASURE and ":" not in name]
    return sorted(names, key=lambda name: not name.startswith(POINTS_OF))


def outcomes(seats: pl.LazyFrame, progress: Callable[[int], None] | None = None) -> Outcomes:
    """Compute the outcomes of a seats table in one pass; ``progress`` is called with each batch's number of games."""
    measures = ["total", *measures_of(seats)]
    winners = "rank" if "rank" in seats.collect_schema() else "win_share"
    together = teams_of(seats)
    columns = [*measures, winners, *(["team"] if together else [])]
    compared, summary = Moments(len(measures), 4), Moments(len(SUMMARY), 2)

    def tally(batch: GameBatch) -> tuple[Moments, Moments, int]:
        won = batch.column(winners) == 1 if winners == "rank" else batch.column(winners) > 0
        return _compared(batch, measures, won), _summary(batch, won, together), batch.games

    for figures, sums, games in in_order(tally, batches(competitors(seats), columns)):
        compared.merge(figures)
        summary.merge(sums)
        if progress is not None:
            progress(games)
    return Outcomes(_summary_table(summary), _measures_table(compared, measures))


def _compared(batch: GameBatch, measures: Sequence[str], won: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> Moments:
    moments = Moments(len(measures), 4)
    winner = won.astype(float)
    values = np.stack([batch.column(name) for name in measures])
    moments.add(
        batch.sums(winner), batch.sums(values * winner), batch.sums(1 - winner), batch.sums(values * (1 - winner))
    )
    return moments


def _summary(batch: GameBatch, won: np.ndarray[tuple[int], np.dtype[np.bool_]], teams: int) -> Moments:
    totals, winner, ones = batch.column("total"), won.astype(float), np.ones(batch.games)
    best, second, lowest, winners = _standings(batch, totals, winner, teams)
    sums = [batch.sums(totals), batch.sums(totals * winner), lowest, best - second, best - lowest, winners > 1]
    moments = Moments(len(SUMMARY), 2)
    moments.add(
        np.stack(sums), np.stack([batch.sums(np.ones(len(totals))), batch.sums(winner), ones, ones, ones, ones])
    )
    return moments


def teams_of(seats: pl.LazyFrame) -> int:
    """Return the number of teams; 0 if there are none."""
    if "team" not in seats.collect_schema():
        return 0
    last = competitors(seats).select(pl.col("team").max(), pl.col("seat").max()).collect(engine="streaming")
    return int(last["team"][0]) + 1 if last["team"][0] != last["seat"][0] else 0


def _standings(batch: GameBatch, totals: Floats, winner: Floats, teams: int) -> tuple[Floats, ...]:
    """Return each game's highest, second and lowest total and its number of winners; by team if there are teams."""
    game, starts = batch.game_of_row, batch.starts
    if teams:
        cells = game * teams + batch.column("team").astype(np.int64)
        count = np.bincount(cells, minlength=batch.games * teams)
        present = np.flatnonzero(count)
        totals = np.bincount(cells, totals)[present].astype(np.float64)
        winner = (np.bincount(cells, winner)[present] > 0).astype(float)
        game = present // teams
        starts = np.flatnonzero(np.diff(game, prepend=-1))
    by_total = np.lexsort((-totals, game))  # within each game, highest first
    ordered = totals[by_total]
    last = np.append(starts[1:], len(totals)) - 1
    return ordered[starts], ordered[np.minimum(starts + 1, last)], ordered[last], np.add.reduceat(winner, starts)


_SUMMARY_COLUMNS = (
    Column("figure", NAME, heading="mean of"), estimated("points", POINTS), estimated("share", SHARE, unit="of games"),
)  # fmt: skip


def _summary_table(moments: Moments) -> Table:
    estimate = moments.ratio(0, 1)
    shares = pl.Series([name == "shared" for name in SUMMARY])
    columns = {
        name: column.zip_with(
            shares if kind == "share" else ~shares, pl.Series([None] * len(SUMMARY), dtype=pl.Float64)
        )
        for kind in ("points", "share")
        for name, column in estimate.columns(kind).items()
    }
    frame = pl.DataFrame({"figure": list(SUMMARY.values()), **columns})
    return Table(frame, "The games in figures", columns=_SUMMARY_COLUMNS, labels=("figure",))


def _measures_table(moments: Moments, measures: Sequence[str]) -> Table:
    difference = moments.difference((_WON_SUM, _WON), (_LOST_SUM, _LOST))
    totals = moments.totals
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = (totals[:, _WON_SUM] + totals[:, _LOST_SUM]) / (totals[:, _WON] + totals[:, _LOST])
    points = [name.startswith(POINTS_OF) for name in measures]
    names = [name.removeprefix(POINTS_OF).replace("_", " ") for name in measures]
    frame = pl.DataFrame(
        {
            "measure": [
                f"points of {name}" if of_points else name for name, of_points in zip(names, points, strict=True)
            ],
            "mean": nulls(mean),
            "winners": nulls(moments.ratio(_WON_SUM, _WON).value),
            "others": nulls(moments.ratio(_LOST_SUM, _LOST).value),
            **difference.columns("difference"),
            "of_points": points,
        }
    )
    frame = frame.filter((pl.col("measure") != "total") & ((pl.col("mean") != 0) | (pl.col("winners") != 0)))
    of_points = frame.filter("of_points").sort("difference", descending=True, nulls_last=True)
    frame = pl.concat([of_points, frame.filter(~pl.col("of_points"))])
    chart = Chart(
        "forest", ("difference",), ("measure",), "Points of winners minus points of the other seats, with intervals",
        only={"of_points": True},
    )  # fmt: skip
    return Table(
        frame, "Means of winners and of the other seats", _WINNERS_NOTE, _MEASURE_COLUMNS, labels=("measure",),
        charts=(chart,),
        main=("mean", "winners", "others", "difference"), first=("difference", "winners"),
    )  # fmt: skip


_WINNERS_NOTE = (
    "Winners are the seats with the best score, so this shows where winning scores come from, not what causes a win."
)
_MEASURE_COLUMNS = (
    Column("measure", NAME, heading="mean of"), Column("mean", NUMBER, heading="all"), Column("winners", NUMBER),
    Column("others", NUMBER), Column("of_points", CATEGORY),
    estimated("difference", NUMBER, difference=True, about="winners minus others"),
)  # fmt: skip


def score_counts(seats: pl.LazyFrame) -> pl.DataFrame:
    """Count the seats of each policy by total; the columns are policy (string), total and n."""
    counts = competitors(seats).group_by("policy", "total").len("n").collect(engine="streaming")
    return counts.with_columns(pl.col("policy").cast(pl.String), pl.col("total").cast(pl.Int64)).sort("policy", "total")


def rank_means(seats: pl.LazyFrame) -> Table:
    """Return the mean score and points by category for each rank; no rows if the table has no ranks."""
    schema = seats.collect_schema()
    points = [name for name in schema if name.startswith(POINTS_OF)]
    if "rank" not in schema or not points:
        return Table(pl.DataFrame(), "Ranks")
    mean = pl.len().alias("n"), pl.col("total").mean().alias("score"), *(pl.col(name).mean() for name in points)
    frame = competitors(seats).group_by("rank").agg(*mean).sort("rank").collect(engine="streaming")
    title = "Mean points by category for each final rank"
    chart = Chart("stacked", ("score", *points), ("rank",), title, reference=0.0)
    columns = (Column("rank", NAME), N, Column("score", POINTS), *means(points))
    return Table(frame, title, columns=columns, labels=("rank",), charts=(chart,))
