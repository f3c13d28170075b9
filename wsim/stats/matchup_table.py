"""Policies against each other: who does better at the same table, and what company does to a plan."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from wsim.errors import UserError
from wsim.stats.games import Floats, GameBatch, Source, batches, competitors, parties, require, seats_of
from wsim.stats.intervals import Estimate, check_level, nulls
from wsim.stats.levels import Levels, columns_of
from wsim.stats.moments import Moments
from wsim.stats.parallel import inner_products
from wsim.stats.tables import Table, outcome_columns, outcome_names, outcomes

__all__ = ["crowding", "matchups"]

_MOST = 64  # levels: per-game tables of all pairs are kept for a batch


def matchups(source: Source, by: str | Sequence[str] = "policy", *, level: float = 0.95) -> Table:
    """Return how each policy (or level of other columns) does against each other one in the same games.

    A game counts once, with the mean over its seats of either policy.

    Columns: the ``by`` ones, the same ones of the opponent with ``opponent_`` in front, games (in which both played),
    score_difference and win_difference (mean of the first - mean of the opponent), ahead (the share of pairs of seats
    in which the first finished ahead, ties half), each with _low and _high, and q (of the score difference,
    Benjamini-Hochberg; each pair is counted once although it is in the table both ways round).
    """
    check_level(level)
    seats = competitors(seats_of(source))
    require(seats, ["game", "seat", "total", "win_share", *columns_of(by)])
    levels = Levels.of(seats, by)
    if len(levels) > _MOST:
        raise UserError(f"a table of all pairs has at most {_MOST} levels, not {len(levels)}")
    ranked = "rank" in seats.collect_schema()
    shape = (len(levels), len(levels))
    tallies = {name: _Mean(shape) for name in ("score_difference", "win_difference", "ahead")}
    for batch in batches(seats, [*levels.columns, "total", "win_share", *(["rank"] if ranked else [])]):
        codes = levels.codes(batch.frame)
        count, share, total = outcomes(batch, codes, len(levels), ["win_share", "total"])
        tallies["score_difference"].add_differences(count, total)
        tallies["win_difference"].add_differences(count, share)
        place = batch.column("rank") if ranked else -batch.column("total")
        tallies["ahead"].add(*_ahead(batch, codes, place, len(levels)))
    one, other = np.nonzero((tallies["score_difference"].games > 0) & ~np.eye(len(levels), dtype=bool))
    estimates = {name: tally.estimate(level, one, other) for name, tally in tallies.items()}
    q = np.full(shape, np.nan)
    upper = one < other
    q[one[upper], other[upper]] = _part(estimates["score_difference"], upper).q_value()
    frame = pl.DataFrame(
        {
            **levels.keys[one].to_dict(),
            **levels.keys[other].rename({name: f"opponent_{name}" for name in levels.columns}).to_dict(),
            "games": tallies["score_difference"].games[one, other].astype(np.int64),
            **estimates["score_difference"].columns("score_difference"),
            **estimates["win_difference"].columns("win_difference"),
            **estimates["ahead"].columns("ahead"),
            "q": nulls(np.where(upper, q[one, other], q[other, one])),
        }
    )
    return Table(frame, "Matchups", "Differences within the same games, each game counting once; intervals over games.")


def _part(estimate: Estimate, chosen: NDArray[np.bool_]) -> Estimate:
    return Estimate(estimate.value[chosen], estimate.error[chosen], estimate.games[chosen], estimate.level)


class _Mean:
    """The mean over games of a number for each pair of levels."""

    def __init__(self, shape: tuple[int, int]) -> None:
        self.games = np.zeros(shape)
        self._sums = np.zeros(shape)
        self._squares = np.zeros(shape)

    def add(self, games: Floats, sums: Floats, squares: Floats) -> None:
        self.games += games
        self._sums += sums
        self._squares += squares

    def add_differences(self, count: Floats, total: Floats) -> None:
        """Add the differences between the means of levels, from per-game counts and sums, shape (levels, games)."""
        there = (count > 0).astype(float)
        mean = total / np.maximum(count, 1)
        ahead = inner_products(mean, there)
        square = inner_products(mean**2, there)
        self.add(inner_products(there, there), ahead - ahead.T, square + square.T - 2 * inner_products(mean, mean))

    def estimate(self, level: float, one: NDArray[np.int64], other: NDArray[np.int64]) -> Estimate:
        games, sums, squares = (array[one, other] for array in (self.games, self._sums, self._squares))
        with np.errstate(divide="ignore", invalid="ignore"):
            variance = np.maximum(squares - sums**2 / games, 0) / (games - 1) / games
            return Estimate(sums / games, np.where(games >= 2, np.sqrt(variance), np.nan), games, level)


def _ahead(batch: GameBatch, codes: NDArray[np.int64], place: Floats, levels: int) -> tuple[Floats, Floats, Floats]:
    """Return games, sums and sums of squares of the share of pairs of seats in which one level is ahead of another."""
    cells = batch.games * levels * levels
    pairs, won = np.zeros(cells), np.zeros(cells)
    game = batch.game_of_row
    for step in range(1, int(np.diff(batch.starts, append=len(game)).max(initial=1))):
        first = np.flatnonzero(game[step:] == game[:-step])
        second = first + step
        better = np.where(place[first] < place[second], 1.0, np.where(place[first] == place[second], 0.5, 0.0))
        for one, other, value in ((first, second, better), (second, first, 1 - better)):
            cell = (game[one] * levels + codes[one]) * levels + codes[other]
            pairs += np.bincount(cell, minlength=cells)
            won += np.bincount(cell, value, cells)
    share = np.divide(won, pairs, out=np.zeros(cells), where=pairs > 0).reshape(batch.games, levels, levels)
    there = (pairs > 0).reshape(share.shape).sum(axis=0).astype(float)
    return there, share.sum(axis=0), (share**2).sum(axis=0)


def crowding(source: Source, by: str | Sequence[str] = "policy", *, level: float = 0.95) -> Table:
    """Return what a plan is worth by the number of others at the table who follow it, too.

    Columns: the ``by`` ones, others (seats of the same game with the same plan), n, win_share, win_points, score, each
    with _low and _high, and q (win share against the average). Line-ups with different numbers of followers are needed
    for more than one row a plan.
    """
    check_level(level)
    seats = competitors(seats_of(source))
    require(seats, ["game", "seat", "total", "win_share", *columns_of(by)])
    levels = Levels.of(seats, by)
    most = int(seats.select(pl.col("seat").max()).collect(engine="streaming").item() or 0) + 1
    kept = outcome_names(seats)
    moments = Moments(len(levels) * most, 1 + len(kept))
    for batch in batches(seats, dict.fromkeys([*levels.columns, *kept])):
        codes = levels.codes(batch.frame)
        others = batch.sums_by(codes, len(levels))[codes, batch.game_of_row].astype(np.int64) - 1
        moments.add(*outcomes(batch, codes * most + others, len(levels) * most, kept))
    numbered = levels.keys.join(pl.DataFrame({"others": np.arange(most, dtype=np.uint8)}), how="cross")
    frame = pl.DataFrame(
        {
            **numbered.to_dict(),
            "n": moments.totals[:, 0].astype(np.int64),
            **outcome_columns(moments, parties(seats), level),
        }
    ).filter(pl.col("n") > 0)
    note = "Intervals are clustered by game. Who else sits at the table differs with the number of followers, too."
    return Table(frame, "Value of a plan by the number of others following it", note)
