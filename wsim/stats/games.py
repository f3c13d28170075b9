"""Batches of whole games: sums per game, and reading tables that are larger than memory.

The rows of a game depend on each other, so intervals are clustered by game and all sums are first taken per game. In a
complete run the rows come game by game, the same number for each, so the sum over a game is a sum over an axis. In
filtered tables, games differ in length, so each sum runs from one game's first row to the next game's. Tables in any
other order are sorted first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol, TypeAlias, TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from wsim.errors import UserError, nearest
from wsim.stats.parallel import scratch

RANGE_ROWS = 500_000  # rows read at a time: some 30 MB of a seats table
BATCH_ROWS = 16_384  # 75 Boolean columns as float32 then take 5 MB; more would not fit the processor's cache

Frame: TypeAlias = pl.LazyFrame | pl.DataFrame
Floats: TypeAlias = NDArray[np.float64]
Numbers = TypeVar("Numbers", NDArray[np.float32], NDArray[np.uint8])


class HasSeats(Protocol):
    """A run, or anything else with a seats table."""

    @property
    def seats(self) -> pl.LazyFrame | pl.DataFrame: ...


Source: TypeAlias = pl.LazyFrame | pl.DataFrame | HasSeats
"""A seats table, or a run that has one."""


def seats_of(source: Source) -> pl.LazyFrame:
    """Return the seats table of a run or of a frame, lazily; raise UserError for anything else."""
    if isinstance(source, pl.LazyFrame | pl.DataFrame):
        return source.lazy()
    seats = getattr(source, "seats", None)
    if not isinstance(seats, pl.LazyFrame | pl.DataFrame):
        raise UserError(f"a run or its seats table is needed, not {source!r}: wsim.load_run(folder) opens a run")
    return seats.lazy()


def require(frame: pl.LazyFrame, columns: Sequence[str]) -> None:
    """Raise UserError if the table lacks one of the columns."""
    known = frame.collect_schema().names()
    for name in columns:
        if name not in known:
            shown = [column for column in known if ":" not in column]
            raise UserError(f"the table has no column {name!r}{nearest(name, known)}: it has {', '.join(shown)}")


def competitors(seats: pl.LazyFrame) -> pl.LazyFrame:
    """Return the rows of seats that can win, without the seats of rank 0, which nobody plays."""
    return seats.filter(pl.col("rank") > 0) if "rank" in seats.collect_schema() else seats


def parties(seats: pl.LazyFrame) -> int:
    """Return the number of competing sides in a game: teams, or players; 0 for an empty table."""
    column = "team" if "team" in seats.collect_schema() else "seat"
    require(seats, [column])
    return int(competitors(seats).select(pl.col(column).n_unique()).collect(engine="streaming").item())


@dataclass(frozen=True)
class Extent:
    """The extent of a table in games, from its column ``game``.

    Attributes
    ----------
    rows, games: the numbers of rows and games; 0 games if the table is not in order, because they cannot be counted
        then.
    in_order: whether game numbers never decrease from one row to the next.
    """

    rows: int
    games: int
    in_order: bool


def _pieces(frame: pl.LazyFrame, rows: int) -> Iterator[pl.DataFrame]:
    """Yield a table in pieces of about ``rows`` rows, one range of game numbers after the other.

    Polars reads ahead of a slow consumer without limit, so a long table is read range by range; Polars skips Parquet
    files whose statistics show no game in the range.
    """
    first, last, height = (
        frame.select(pl.col("game").min().alias("first"), pl.col("game").max().alias("last"), pl.len())
        .collect(engine="streaming")
        .row(0)
    )
    if height <= RANGE_ROWS:
        yield from frame.collect_batches(chunk_size=rows)
        return
    span = max(1, (last - first + 1) * RANGE_ROWS // height)
    for start in range(first, last + 1, span):
        wanted = pl.col("game").is_between(start, start + span - 1)
        yield from frame.filter(wanted).collect_batches(chunk_size=rows)


def extent(frame: pl.LazyFrame) -> Extent:
    """Return the extent of a table by scanning its column ``game`` in batches."""
    rows, games, last, in_order = 0, 0, None, True
    for piece in _pieces(frame.select("game"), 1 << 18):
        numbers = piece["game"].to_numpy()
        if not len(numbers):
            continue
        in_order &= not np.any(numbers[1:] < numbers[:-1]) and (last is None or numbers[0] >= last)
        games += int(np.count_nonzero(numbers[1:] != numbers[:-1])) + int(last is None or numbers[0] != last)
        rows += len(numbers)
        last = numbers[-1]
    return Extent(rows, games if in_order else 0, bool(in_order))


@dataclass(frozen=True)
class GameBatch:
    """A batch of whole games.

    Attributes
    ----------
    frame: their rows, game by game.
    starts: the index of the first row of each game.
    rows_a_game: the number of rows per game; None if games differ in length.
    """

    frame: pl.DataFrame
    starts: NDArray[np.int64]
    rows_a_game: int | None

    @classmethod
    def of(cls, frame: pl.DataFrame) -> GameBatch:
        """Make a batch from rows whose game numbers never decrease."""
        numbers = frame["game"].to_numpy()
        first = np.ones(len(numbers), bool)
        first[1:] = numbers[1:] != numbers[:-1]
        starts = np.flatnonzero(first)
        lengths = np.diff(starts, append=len(numbers))
        same = len(starts) > 0 and bool((lengths == lengths[0]).all())
        return cls(frame, starts, int(lengths[0]) if same else None)

    @property
    def games(self) -> int:
        """The number of games."""
        return len(self.starts)

    @cached_property
    def game_of_row(self) -> NDArray[np.int64]:
        """The index of each row's game in the batch."""
        lengths = np.diff(self.starts, append=self.frame.height)
        return np.repeat(np.arange(self.games), lengths)

    def column(self, name: str) -> Floats:
        """Return a column as floats, with nulls as NaN."""
        return self.frame[name].cast(pl.Float64).to_numpy()

    def flags(self, columns: Sequence[str]) -> NDArray[np.float32]:
        """Return columns as 1 where they are true (or a number above 0) and 0 elsewhere, shape (columns, rows)."""
        return self._as_flags(columns, np.empty((len(columns), self.frame.height), np.float32))

    def marks(self, columns: Sequence[str]) -> NDArray[np.uint8]:
        """Return the result of ``flags`` as bytes, in a buffer that this thread reuses on the next call."""
        return self._as_flags(columns, scratch("marks", (len(columns), self.frame.height), np.uint8))

    def _as_flags(self, columns: Sequence[str], result: Numbers) -> Numbers:
        for row, name in zip(result, columns, strict=True):
            column = self.frame[name]
            column = column if column.dtype == pl.Boolean else column > 0
            row[:] = (column.fill_null(False) if column.null_count() else column).to_numpy()
        return result

    def sums(self, values: NDArray[np.float32] | Floats) -> Floats:
        """Sum values over the rows of each game; rows are the last axis of ``values``."""
        if self.rows_a_game is None:
            none = values[..., :0]
            return (np.add.reduceat(values, self.starts, axis=-1) if self.games else none).astype(np.float64)
        seats = values.reshape(*values.shape[:-1], self.games, self.rows_a_game)
        result = seats[..., 0].copy()
        for seat in range(1, self.rows_a_game):  # numpy is slow at summing an axis this short
            result += seats[..., seat]
        return result.astype(np.float64, copy=False)

    def sums_by(self, codes: NDArray[np.int64], groups: int, weights: Floats | None = None) -> Floats:
        """Sum ``weights`` per group and game, shape (groups, games); without weights, count rows."""
        cells = codes * self.games + self.game_of_row
        return np.bincount(cells, weights, groups * self.games).reshape(groups, self.games).astype(np.float64)

    def where(self, chosen: NDArray[np.bool_]) -> GameBatch:
        """Return the batch with only the selected rows."""
        return GameBatch.of(self.frame.filter(pl.Series(chosen)))


def batches(
    frame: pl.LazyFrame, columns: Iterable[str | pl.Expr], *, rows: int = BATCH_ROWS, known: Extent | None = None
) -> Iterator[GameBatch]:
    """Yield the columns ``game`` and ``columns`` of a table as batches of whole games, about ``rows`` rows each.

    The division into batches depends only on the table, not on threads or files, so sums of floats are reproducible.
    ``known``: the extent of the table, if known, which saves scanning it.
    """
    wanted = frame.select("game", *(column for column in columns if not (isinstance(column, str) and column == "game")))
    if not (known or extent(frame)).in_order:
        wanted = wanted.sort("game", maintain_order=True)
    waiting: list[pl.DataFrame] = []
    for piece in _pieces(wanted, rows):
        waiting.append(piece)
        if sum(one.height for one in waiting) > rows:
            whole, rest = _split_off_games(pl.concat(waiting), rows)
            yield from map(GameBatch.of, whole)
            waiting = [rest]
    if any(one.height for one in waiting):
        yield GameBatch.of(pl.concat(waiting))


def _split_off_games(frame: pl.DataFrame, rows: int) -> tuple[list[pl.DataFrame], pl.DataFrame]:
    """Split off batches of whole games, at most ``rows`` rows each (or one longer game); also return the rest."""
    whole = []
    numbers = frame["game"].to_numpy()
    starts = np.flatnonzero(numbers[1:] != numbers[:-1]) + 1
    first = 0
    while len(numbers) - first > rows:
        later = starts[starts > first]
        fitting = later[later <= first + rows]
        if not len(later):
            break
        end = int(fitting[-1] if len(fitting) else later[0])
        whole.append(frame.slice(first, end - first))
        first = end
    return whole, frame.slice(first)
