"""Runs without rows: exact sums for tables and their intervals, added up while games are played.

Each table that does not need rows has a *recipe*: the sums over games that it needs (``FactorSums``, ``OwnerTallies``).
A summary contains the sums of all recipes by name, and the labels of their axes. Sums of different games can be added
in any order: scores are whole numbers, and win shares are counted in units that make every share a whole number, so the
totals do not depend on threads, chunks or shards.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol, cast

import numpy as np
import polars as pl
from numpy.typing import NDArray

from wsim.errors import UserError
from wsim.stats.games import Floats, GameBatch, Source
from wsim.stats.parallel import scratch

OUTCOMES = ("win_share", "total")
"""The outcome columns, whose means have intervals."""


@dataclass(frozen=True)
class Piece:
    """Whole games to be added to a summary; each thread processes one piece at a time (see ``scratch``).

    Attributes
    ----------
    batch: the rows of the games, without seats that nobody plays. seats: the largest number of rows in a game.
    parts: the number of units in a win, chosen so that every win share is a whole number of units; 1: shares are
        fractions.
    """

    batch: GameBatch
    seats: int
    parts: int

    @classmethod
    def of(cls, seats: pl.DataFrame) -> Piece:
        """Make a piece from the games of a seats table."""
        deserted = "rank" in seats.columns and seats["rank"].min() == 0
        batch = GameBatch.of(seats.filter(pl.col("rank") > 0) if deserted else seats)
        most = int(np.diff(batch.starts, append=batch.frame.height).max(initial=1))
        return cls(batch, most, math.lcm(*range(1, most + 1)))

    @cached_property
    def values(self) -> Floats:
        """Each row's outcomes (units of a win, score) and points by category, as whole numbers; shape (rows, ...)."""
        names = ["total", *measures_of(self.batch.frame)]
        values = scratch("values", (self.batch.frame.height, 1 + len(names)), np.float64)
        np.multiply(self.batch.column("win_share"), self.parts, out=values[:, 0])
        if self.parts > 1:
            np.rint(values[:, 0], out=values[:, 0])
        for index, name in enumerate(names, 1):
            values[:, index] = self.batch.frame[name].to_numpy()
        return values

    @cached_property
    def bounds(self) -> NDArray[np.int64]:
        """The index of each game's first row, followed by the number of rows."""
        return np.append(self.batch.starts, self.batch.frame.height)

    def codes(self, columns: Sequence[str]) -> tuple[NDArray[np.int64], int]:
        """Return a code for each row's combination of names in some columns, and the number of codes."""
        if len(columns) == 1:
            return self._numbers[columns[0]]
        codes, count = np.zeros(self.batch.frame.height, np.int64), 1
        for name in columns:
            own, levels = self._numbers[name]
            codes, count = codes * levels + own, count * levels
        return codes, count

    @cached_property
    def named(self) -> list[str]:
        """The columns that contain names."""
        return [column.name for column in self.batch.frame.get_columns() if isinstance(column.dtype, pl.Enum)]

    @cached_property
    def _numbers(self) -> dict[str, tuple[NDArray[np.int64], int]]:
        """By column of names: the code of each row, and the number of codes; the last code marks a missing name."""
        by_column = {}
        for name in self.named:
            count, column = len(categories_of(self.batch.frame, name)), self.batch.frame[name].to_physical()
            numbers = (column.cast(pl.Int64).fill_null(count) if column.null_count() else column).to_numpy()
            by_column[name] = numbers.astype(np.int64), count + 1
        return by_column


def measures_of(seats: pl.DataFrame) -> list[str]:
    """Return the names of the columns with points by category."""
    return [name for name in seats.columns if name.startswith("points_")]


def categories_of(frame: pl.DataFrame, column: str) -> list[str]:
    """Return the possible names in a column."""
    return cast("pl.Enum", frame[column].dtype).categories.to_list()


def is_of_names(frame: pl.DataFrame, column: str) -> bool:
    """Return whether a column contains names; inspecting ``frame.schema`` would take longer."""
    return column in frame.columns and isinstance(frame[column].dtype, pl.Enum)


class Recipe(Protocol):
    """The sums that a table needs. ``name`` is unique among the recipes of a game."""

    @property
    def name(self) -> str: ...

    def fits(self, seats: pl.DataFrame) -> bool:
        """Return whether a seats table has the columns to sum."""
        ...

    def labels(self, seats: pl.DataFrame) -> dict[str, Sequence[str]]:
        """Return the labels along the axes of the sums."""
        ...

    def sums(self, piece: Piece) -> dict[str, NDArray[Any]]:
        """Return the sums over a piece."""
        ...


@dataclass
class Summary:
    """Sums over games, and the names of their axes.

    Attributes
    ----------
    arrays: the sums by name; those of a recipe are called ``RECIPE/NAME``, and ``games`` is the number of games.
    labels: the names along each axis, the same in all summaries of a run.
    """

    arrays: dict[str, Floats] = field(default_factory=dict)
    labels: dict[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def games(self) -> int:
        """The number of games."""
        return int(self.arrays["games"][0]) if self.arrays else 0

    @property
    def seats(self) -> int:
        """The number of competing seats in a game; ``sides`` counts teams if there are teams."""
        return int(self.labels["seats"][0])

    @property
    def sides(self) -> int:
        """The number of competing teams or players in a game."""
        return int(self.labels["sides"][0])

    @property
    def parts(self) -> int:
        """The number of units in a win (see ``Piece``)."""
        return int(self.labels["parts"][0])

    def add(self, other: Summary) -> None:
        """Add the games of a second summary; raise UserError if its names or numbers of seats differ."""
        if not self.arrays:
            self.labels = dict(other.labels)
        elif self.labels != other.labels:
            raise UserError("sums of games with different names or numbers of seats cannot be added")
        for name, values in other.arrays.items():
            if name in self.arrays:
                self.arrays[name] += values
            else:
                self.arrays[name] = np.array(values, np.float64)

    def of(self, recipe: str) -> dict[str, Floats]:
        """Return the arrays of sums that belong to a recipe, by name."""
        start = f"{recipe}/"
        return {name.removeprefix(start): values for name, values in self.arrays.items() if name.startswith(start)}

    def part(self, recipe: str) -> Summary:
        """Return a summary reduced to the sums that one recipe needs."""
        return self.of_recipes([recipe])

    def of_recipes(self, recipes: Sequence[str]) -> Summary:
        """Return a summary reduced to the sums that these recipes need."""
        others = {name.rpartition("/")[0] for name in self.arrays} - {"", *recipes}
        arrays = {name: values for name, values in self.arrays.items() if name.rpartition("/")[0] not in others}
        return Summary(arrays, {name: names for name, names in self.labels.items() if name not in others})

    def several(self, column: str) -> bool:
        """Return whether more than one name occurs in a column."""
        counts = self.arrays.get(f"seats by {column}")
        return counts is not None and int(np.count_nonzero(counts)) > 1

    def kind(self, column: str) -> pl.Enum:
        """Return the type of a column that contains names."""
        return pl.Enum(list(self.labels[f"categories {column}"]))

    def frame(self) -> pl.DataFrame:
        """Return the summary as a table, with an array or a list of names in each row."""
        rows: list[dict[str, Any]] = [
            {"name": name, "shape": list(values.shape), "values": values.ravel()}
            for name, values in self.arrays.items()
        ]
        rows += [{"name": name, "labels": list(names)} for name, names in self.labels.items()]
        kinds: dict[str, Any] = {"name": pl.String, "shape": pl.List(pl.Int64), "values": pl.List(pl.Float64)}
        return pl.DataFrame(rows, schema=kinds | {"labels": pl.List(pl.String)})

    @classmethod
    def of_frame(cls, frame: pl.DataFrame) -> Summary:
        """Read a summary from a table written by :meth:`frame`; raise ValueError for any other table."""
        summary = cls()
        try:
            for name, shape, values, labels in frame.select("name", "shape", "values", "labels").iter_rows():
                if labels is None:
                    summary.arrays[name] = np.array(values, np.float64).reshape(shape)
                else:
                    summary.labels[name] = tuple(labels)
        except (pl.exceptions.PolarsError, TypeError) as error:
            raise ValueError(f"not a table of sums: {error}") from error
        if "games" not in summary.arrays:
            raise ValueError("not a table of sums: the number of games is missing")
        return summary


def summarise(seats: pl.DataFrame, recipes: Iterable[Recipe]) -> Summary:
    """Add up whole games.

    Parameters
    ----------
    seats: the rows of whole games, game by game (``wsim.game.Simulator.seats_frame``).
    recipes: the sums to compute; recipes that do not fit the table are skipped.
    """
    piece = Piece.of(seats)
    fitting = [recipe for recipe in recipes if recipe.fits(seats)]
    return Summary(dict(_sums(piece, fitting)), _labels(piece, fitting))


def _sums(piece: Piece, recipes: Sequence[Recipe]) -> Iterator[tuple[str, Floats]]:
    yield "games", np.array([float(piece.batch.games)])
    for name in piece.named:
        codes, count = piece.codes([name])
        yield f"seats by {name}", np.bincount(codes, minlength=count).astype(np.float64)
    for recipe in recipes:
        for name, values in recipe.sums(piece).items():
            yield f"{recipe.name}/{name}", np.ascontiguousarray(values, np.float64)


def _labels(piece: Piece, recipes: Sequence[Recipe]) -> dict[str, tuple[str, ...]]:
    seats = piece.batch.frame
    sides = seats["team"].n_unique() if "team" in seats.columns else seats["seat"].n_unique()
    numbers = {"seats": piece.seats, "sides": sides, "parts": piece.parts}
    labels: dict[str, Sequence[str]] = {name: (str(number),) for name, number in numbers.items()}
    labels["measures"] = measures_of(seats)
    labels |= {f"categories {name}": categories_of(seats, name) for name in piece.named}
    for recipe in recipes:
        labels |= recipe.labels(seats)
    return {name: tuple(names) for name, names in labels.items()}


def summary_of(source: Source) -> Summary | None:
    """Return the summary of a run without rows; None for a run or a table that has rows."""
    summary: Summary | None = getattr(source, "summary", None)
    return summary
