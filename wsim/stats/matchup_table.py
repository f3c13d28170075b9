"""Policies against each other: which is better at the same table, and how a plan fares as more seats follow it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from wsim.document import COUNT, POINTS, SHARE, Chart, Column, estimated, names
from wsim.errors import UserError
from wsim.stats.columns import OF_WINS, VERDICT, Q
from wsim.stats.columns import OUTCOMES as OUTCOME_COLUMNS
from wsim.stats.games import Floats, GameBatch, Source, batches, competitors, parties, require, seats_of
from wsim.stats.intervals import Estimate, check_level, nulls, verdicts
from wsim.stats.levels import Levels, columns_of
from wsim.stats.moments import Moments
from wsim.stats.summary import OUTCOMES
from wsim.stats.tables import EVERY_SEAT, Table, outcome_columns, outcomes

_NOTE = (
    "Differences within the same games, each game counting once, between opponents only (no team mates); intervals "
    "over games."
)
_MOST = 64  # maximum number of levels: the per-game tables of all pairs of a batch are in memory


def matchups(source: Source, by: str | Sequence[str] = "policy", *, level: float = 0.95) -> Table:
    """Compare each policy (or level of other columns) with every other one in the same games.

    Each game counts once, with the mean over all pairs of seats of the two policies. Team mates are not opponents, so
    only seats of different teams are compared.

    Columns: the ``by`` columns, the same columns of the opponent with the prefix ``opponent_``, games (in which both
    played), score_difference and win_difference (mean of the policy - mean of the opponent), ahead (the share of pairs
    of seats in which the policy finished ahead, with ties counting half), each with _low and _high, q (of the win
    difference, Benjamini-Hochberg; each pair counts once although it is in the table in both directions), and its
    verdict, which is about wins: a policy that wins more may score less.
    """
    check_level(level)
    seats = competitors(seats_of(source))
    require(seats, ["game", "seat", "total", "win_share", *columns_of(by)])
    levels = Levels.of(seats, by)
    if len(levels) > _MOST:
        raise UserError(f"a table of all pairs has at most {_MOST} levels, not {len(levels)}")
    schema = seats.collect_schema()
    ranked, teams = "rank" in schema, _teams(seats)
    shape = (len(levels), len(levels))
    tallies = {name: _Mean(shape) for name in ("score_difference", "win_difference", "ahead")}
    for batch in batches(seats, [*levels.columns, "total", "win_share", *(["rank"] if ranked else []), *teams]):
        pairs = _Opponents(batch, levels.codes(batch.frame), len(levels), batch.column("team") if teams else None)
        rank = batch.column("rank") if ranked else -batch.column("total")
        for name, column in (("score_difference", "total"), ("win_difference", "win_share")):
            tallies[name].add(*pairs.means(np.subtract, batch.column(column)))
        tallies["ahead"].add(*pairs.means(_ahead, rank))
    first, second = np.nonzero((tallies["score_difference"].games > 0) & ~np.eye(len(levels), dtype=bool))
    estimates = {name: tally.estimate(level, first, second) for name, tally in tallies.items()}
    estimates["win_difference"] = estimates["win_difference"].with_unseen(-1.0, 1.0)
    estimates["ahead"] = estimates["ahead"].with_unseen(0.0, 1.0)
    q = np.full(shape, np.nan)
    upper = first < second
    q[first[upper], second[upper]] = _selected(estimates["win_difference"], upper).q_value()
    both_ways = np.where(upper, q[first, second], q[second, first])
    frame = pl.DataFrame(
        {
            **levels.keys[first].to_dict(),
            **levels.keys[second].rename({name: f"opponent_{name}" for name in levels.columns}).to_dict(),
            "games": tallies["score_difference"].games[first, second].astype(np.int64),
            **estimates["score_difference"].columns("score_difference"),
            **estimates["win_difference"].columns("win_difference"),
            **estimates["ahead"].columns("ahead"),
            "q": nulls(both_ways),
            "verdict": verdicts(estimates["win_difference"].value, both_ways, level=level),
        }
    )
    opponents = tuple(f"opponent_{name}" for name in levels.columns)
    noun = " and ".join(levels.columns).replace("_", " ")
    chart = Chart(
        "matrix", ("ahead", "q"), levels.columns,
        f"How often each {noun} finishes ahead of every other one in the same game",
        over=opponents, caption="Row against column; ties count half.",
    )  # fmt: skip
    columns = (*names((*levels.columns, *opponents)), *_COLUMNS)
    return Table(frame, "Matchups", _NOTE, columns, "matchups", levels.columns, (chart,))


_COLUMNS = (
    Column("games", COUNT, about="games in which both played"),
    estimated("score_difference", POINTS, difference=True),
    estimated("win_difference", SHARE, unit=OF_WINS, difference=True),
    estimated("ahead", SHARE, unit="of pairs of seats", reference=0.5),
    Q,
    VERDICT,
)


def _selected(estimate: Estimate, chosen: NDArray[np.bool_]) -> Estimate:
    return Estimate(estimate.value[chosen], estimate.error[chosen], estimate.games[chosen], estimate.level)


class _Mean:
    """Accumulates, for each pair of levels, the mean of a value over games."""

    def __init__(self, shape: tuple[int, int]) -> None:
        self.games = np.zeros(shape)
        self._sums = np.zeros(shape)
        self._squares = np.zeros(shape)

    def add(self, games: Floats, sums: Floats, squares: Floats) -> None:
        self.games += games
        self._sums += sums
        self._squares += squares

    def estimate(self, level: float, first: NDArray[np.int64], second: NDArray[np.int64]) -> Estimate:
        games, sums, squares = (array[first, second] for array in (self.games, self._sums, self._squares))
        with np.errstate(divide="ignore", invalid="ignore"):
            variance = np.maximum(squares - sums**2 / games, 0) / (games - 1) / games
            return Estimate(sums / games, np.where(games >= 2, np.sqrt(variance), np.nan), games, level)


def _teams(seats: pl.LazyFrame) -> list[str]:
    """Return the team column, as a list, if some seats play together; otherwise an empty list."""
    if "team" not in seats.collect_schema():
        return []
    sides = seats.select(pl.col("team").n_unique(), pl.col("seat").n_unique()).collect(engine="streaming").row(0)
    return ["team"] if sides[0] < sides[1] else []


def _ahead(first: Floats, second: Floats) -> Floats:
    """Return 1 where the first rank is better (lower), 1/2 where both are equal, otherwise 0."""
    return np.where(first < second, 1.0, np.where(first == second, 0.5, 0.0))


class _Opponents:
    """The pairs of opposing seats in the games of a batch, by their levels."""

    def __init__(self, batch: GameBatch, codes: NDArray[np.int64], levels: int, team: Floats | None) -> None:
        game = batch.game_of_row
        self._shape = (batch.games, levels, levels)
        self._rows: list[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]] = []
        self._count = np.zeros(batch.games * levels * levels)
        for step in range(1, int(np.diff(batch.starts, append=len(game)).max(initial=1))):
            first = np.flatnonzero(game[step:] == game[:-step])
            second = first + step
            if team is not None:
                opposed = team[first] != team[second]
                first, second = first[opposed], second[opposed]
            for left, right in ((first, second), (second, first)):
                cell = (game[left] * levels + codes[left]) * levels + codes[right]
                self._rows.append((left, right, cell))
                self._count += np.bincount(cell, minlength=len(self._count))

    def means(self, value: Callable[[Floats, Floats], Floats], column: Floats) -> tuple[Floats, Floats, Floats]:
        """Average ``value(one, other)`` over the pairs of each game; return the number of games, sums and sums of
        squares.
        """
        total = np.zeros(len(self._count))
        for left, right, cell in self._rows:
            total += np.bincount(cell, value(column[left], column[right]), len(total))
        met = self._count > 0
        mean = np.divide(total, self._count, out=np.zeros(len(total)), where=met).reshape(self._shape)
        return met.reshape(self._shape).sum(axis=0).astype(float), mean.sum(axis=0), (mean**2).sum(axis=0)


def crowding(source: Source, by: str | Sequence[str] = "policy", *, level: float = 0.95) -> Table:
    """Return the results of a plan by the number of other seats at the table that also follow it.

    Columns: the ``by`` columns, others (seats of the same game with the same plan), n, win_share, fair_share_ratio,
    score, each with _low and _high, q (win share against the average) and its verdict. More than one row per plan
    requires line-ups with different numbers of followers.
    """
    check_level(level)
    seats = competitors(seats_of(source))
    require(seats, ["game", "seat", "total", "win_share", *columns_of(by)])
    levels = Levels.of(seats, by)
    most = int(seats.select(pl.col("seat").max()).collect(engine="streaming").item() or 0) + 1
    moments = Moments(len(levels) * most, 1 + len(OUTCOMES))
    for batch in batches(seats, dict.fromkeys([*levels.columns, *OUTCOMES])):
        codes = levels.codes(batch.frame)
        others = batch.sums_by(codes, len(levels))[codes, batch.game_of_row].astype(np.int64) - 1
        moments.add(*outcomes(batch, codes * most + others, len(levels) * most))
    numbered = levels.keys.join(pl.DataFrame({"others": np.arange(most, dtype=np.uint8)}), how="cross")
    frame = pl.DataFrame(
        {
            **numbered.to_dict(),
            "n": moments.totals[:, 0].astype(np.int64),
            **outcome_columns(moments, parties(seats), level),
        }
    ).filter(pl.col("n") > 0)
    note = "Intervals are clustered by game. The opponents at the table also differ with the number of followers."
    if frame.select((pl.col("win_share_low").is_null() & pl.col("score_low").is_not_null()).any()).item():
        note += EVERY_SEAT
    columns = (
        *names(levels.columns),
        Column("others", COUNT, about="seats of the game with the same plan"),
        *OUTCOME_COLUMNS,
    )
    title = "Value of a plan by the number of other seats that follow it"
    return Table(frame, title, note, columns, labels=levels.columns)
