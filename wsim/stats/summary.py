"""A run without rows: sums from which tables and their intervals follow exactly, added up while games are played.

Each table that can do without rows has a *recipe* that says which sums over games it needs (``FactorSums``,
``OwnerTallies``). A summary is the sums of all recipes by name, beside the names that their axes have. Sums of
different games add up, in any order: scores are whole numbers, and win shares are counted in parts of which every share
is a whole number, so that neither threads nor chunks nor shards can be seen in a sum.
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

__all__ = ["OUTCOMES", "Piece", "Recipe", "Summary", "kept_of", "summarise"]

BLOCK = 512  # games that are summed at a time: what is made of them stays in the processor's cache
OUTCOMES = ("win_share", "total")
"""The columns whose means have intervals."""


@dataclass(frozen=True)
class Piece:
    """Some whole games that are added to a summary.

    Attributes
    ----------
    batch: their rows, without seats that nobody plays for.
    seats: how many rows a game has at most.
    parts: in how many parts a win is shared out, so that every share is a whole number of them.
    """

    batch: GameBatch
    seats: int
    parts: int

    @classmethod
    def of(cls, seats: pl.DataFrame) -> Piece:
        """Return the games of a seats table."""
        batch = GameBatch.of(seats.filter(pl.col("rank") > 0) if "rank" in seats.columns else seats)
        most = int(np.diff(batch.starts, append=batch.frame.height).max(initial=1))
        return cls(batch, most, math.lcm(*range(1, most + 1)))

    @cached_property
    def values(self) -> Floats:
        """Outcomes and points by category of each row, as whole numbers: parts of a win, score; shape (..., rows)."""
        names = ["total", *measures_of(self.batch.frame)]
        shares = np.rint(self.batch.column("win_share") * self.parts)
        return np.stack([shares, *(self.batch.column(name) for name in names)])

    @property
    def game_of_row(self) -> NDArray[np.int64]:
        """The place among the games, for each row."""
        return self.batch.game_of_row

    def codes(self, columns: Sequence[str]) -> tuple[NDArray[np.int64], int]:
        """Return the number of each row's combination of names in some columns, and how many combinations there are."""
        codes, count = np.zeros(self.batch.frame.height, np.int64), 1
        for name in columns:
            names = categories_of(self.batch.frame, name)
            column = self.batch.frame[name].to_physical()
            own = (column.cast(pl.Int64).fill_null(len(names)) if column.null_count() else column).to_numpy()
            codes, count = codes * (len(names) + 1) + own, count * (len(names) + 1)
        return codes, count

    def blocks(self) -> Iterator[tuple[range, slice]]:
        """Yield ``BLOCK`` games at a time, counted from 0, with their rows."""
        starts = self.batch.starts
        for first in range(0, len(starts), BLOCK):
            games = range(first, min(first + BLOCK, len(starts)))
            end = starts[games.stop] if games.stop < len(starts) else self.batch.frame.height
            yield games, slice(int(starts[first]), int(end))


def measures_of(seats: pl.DataFrame) -> list[str]:
    """Return the columns of points by category."""
    return [name for name in seats.columns if name.startswith("points_")]


def categories_of(frame: pl.DataFrame, column: str) -> list[str]:
    """Return the names that a column of names can have."""
    return cast("pl.Enum", frame.schema[column]).categories.to_list()


class Recipe(Protocol):
    """What sums a table needs. ``name`` is unique among the recipes of a game."""

    @property
    def name(self) -> str: ...

    def fits(self, seats: pl.DataFrame) -> bool:
        """Say whether a seats table has what is summed."""
        ...

    def labels(self, seats: pl.DataFrame) -> dict[str, Sequence[str]]:
        """Return the names of its axes."""
        ...

    def sums(self, piece: Piece) -> dict[str, NDArray[Any]]:
        """Return the sums over some games."""
        ...


@dataclass
class Summary:
    """Sums over games, and the names of their axes.

    Attributes
    ----------
    arrays: by name; those of a recipe are called ``RECIPE/NAME``. ``games`` is how many games were added up.
    labels: names by the name of what they name; the same in all summaries of a run.
    """

    arrays: dict[str, Floats] = field(default_factory=dict)
    labels: dict[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def games(self) -> int:
        """How many games were added up."""
        return int(self.arrays["games"][0]) if self.arrays else 0

    @property
    def seats(self) -> int:
        """How many seats compete in a game. ``sides``: how many teams or players."""
        return int(self.labels["seats"][0])

    @property
    def sides(self) -> int:
        """How many teams or players compete in a game."""
        return int(self.labels["sides"][0])

    @property
    def parts(self) -> int:
        """In how many parts a win is shared out (``Piece``)."""
        return int(self.labels["parts"][0])

    def add(self, other: Summary) -> None:
        """Add the games of another summary; raise UserError if it is one of other games."""
        if not self.arrays:
            self.labels = dict(other.labels)
        elif self.labels != other.labels:
            raise UserError("sums of games with other names or numbers of seats cannot be added")
        for name, values in other.arrays.items():
            if name in self.arrays:
                self.arrays[name] += values
            else:
                self.arrays[name] = np.array(values, np.float64)

    def of(self, recipe: str) -> dict[str, Floats]:
        """Return the sums of a recipe by their names."""
        start = f"{recipe}/"
        return {name.removeprefix(start): values for name, values in self.arrays.items() if name.startswith(start)}

    def several(self, column: str) -> bool:
        """Say whether seats have several names in a column."""
        counts = self.arrays.get(f"seats by {column}")
        return counts is not None and int(np.count_nonzero(counts)) > 1

    def kind(self, column: str) -> pl.Enum:
        """Return the type of a column of names."""
        return pl.Enum(list(self.labels[f"categories {column}"]))

    def frame(self) -> pl.DataFrame:
        """Return the summary as a table: an array or a list of names in each row."""
        rows: list[dict[str, Any]] = [
            {"name": name, "shape": list(values.shape), "values": values.ravel()}
            for name, values in self.arrays.items()
        ]
        rows += [{"name": name, "labels": list(names)} for name, names in self.labels.items()]
        kinds: dict[str, Any] = {"name": pl.String, "shape": pl.List(pl.Int64), "values": pl.List(pl.Float64)}
        return pl.DataFrame(rows, schema=kinds | {"labels": pl.List(pl.String)})

    @classmethod
    def of_frame(cls, frame: pl.DataFrame) -> Summary:
        """Read what :meth:`frame` made; raise ValueError for anything else."""
        summary = cls()
        try:
            for name, shape, values, labels in frame.select("name", "shape", "values", "labels").iter_rows():
                if labels is None:
                    summary.arrays[name] = np.array(values, np.float64).reshape(shape)
                else:
                    summary.labels[name] = tuple(labels)
        except (pl.exceptions.PolarsError, TypeError) as error:
            raise ValueError(f"no table of sums: {error}") from error
        if "games" not in summary.arrays:
            raise ValueError("no table of sums: it does not say of how many games")
        return summary


def summarise(seats: pl.DataFrame, recipes: Iterable[Recipe]) -> Summary:
    """Add up whole games.

    Parameters
    ----------
    seats: their rows, game by game (``wsim.game.Simulator.seats_frame``).
    recipes: what is summed; those that do not fit the table are left out.
    """
    piece = Piece.of(seats)
    fitting = [recipe for recipe in recipes if recipe.fits(seats)]
    return Summary(dict(_sums(piece, fitting)), _labels(piece, fitting))


def _sums(piece: Piece, recipes: Sequence[Recipe]) -> Iterator[tuple[str, Floats]]:
    yield "games", np.array([float(piece.batch.games)])
    for name in _named(piece.batch.frame):
        codes, count = piece.codes([name])
        yield f"seats by {name}", np.bincount(codes, minlength=count).astype(np.float64)
    for recipe in recipes:
        for name, values in recipe.sums(piece).items():
            yield f"{recipe.name}/{name}", values.astype(np.float64)


def _labels(piece: Piece, recipes: Sequence[Recipe]) -> dict[str, tuple[str, ...]]:
    seats = piece.batch.frame
    sides = seats["team"].n_unique() if "team" in seats.columns else seats["seat"].n_unique()
    numbers = {"seats": piece.seats, "sides": sides, "parts": piece.parts}
    found: dict[str, Sequence[str]] = {name: (str(number),) for name, number in numbers.items()}
    found["measures"] = measures_of(seats)
    found |= {f"categories {name}": categories_of(seats, name) for name in _named(seats)}
    for recipe in recipes:
        found |= recipe.labels(seats)
    return {name: tuple(names) for name, names in found.items()}


def _named(seats: pl.DataFrame) -> list[str]:
    """Return the columns of names."""
    return [name for name, kind in seats.schema.items() if isinstance(kind, pl.Enum)]


def kept_of(source: Source) -> Summary | None:
    """Return the summary of a run that keeps no rows; None for a run or a table that has them."""
    found: Summary | None = getattr(source, "summary", None)
    return found
