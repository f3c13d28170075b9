"""The sums behind a table of levels (``wsim.stats.tables.factor``), from a run or from the rows of any table.

A *cell* is a combination of names in the columns of the table and in the adjustment columns. For each cell, the number
of rows and the sums of the averaged columns are stored; for each pair of cells, the products of rows and outcomes,
summed over games. Every estimate in such a table is a ratio of sums over cells, and its error is a linear form in
per-game sums over cells, so the stored sums determine both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from wsim.errors import UserError
from wsim.stats.games import Floats
from wsim.stats.levels import Levels
from wsim.stats.moments import Moments
from wsim.stats.summary import OUTCOMES, Piece, Summary, is_of_names

CELL_ROWS = "_rows"
LEVELS = "levels of "


@dataclass(frozen=True)
class FactorSums:
    """The recipe for a table by the columns ``by``, possibly adjusted for the columns ``within``."""

    by: tuple[str, ...]
    within: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The name of the recipe."""
        return f"{LEVELS}{','.join(self.by)}"

    def fits(self, seats: pl.DataFrame) -> bool:
        """Return whether the table has the required columns and they contain names."""
        return all(is_of_names(seats, name) for name in (*self.by, *self.within))

    def labels(self, seats: pl.DataFrame) -> dict[str, Sequence[str]]:  # noqa: ARG002 (as all recipes)
        """Return the columns that define the cells; they are the labels of this recipe."""
        return {self.name: (*self.by, *self.within)}

    @classmethod
    def shapes(cls, name: str, labels: Mapping[str, Sequence[str]]) -> dict[str, tuple[int, ...]]:
        """Return the array shapes of the recipe with this name; raise KeyError if labels are missing."""
        by, columns = name.removeprefix(LEVELS).split(","), labels[name]
        cells, levels = (
            prod(1 + len(labels[f"categories {category}"]) for category in names) for names in (columns, by)
        )
        each = 1 + len(OUTCOMES)
        rows = each + 1 + len(labels["measures"])
        return {"cells": (rows, cells), "pairs": (each, each, cells, cells), "games": (levels,)}

    def sums(self, piece: Piece) -> dict[str, NDArray[Any]]:
        """Compute ``cell_sums`` with the combinations of ``by`` as levels."""
        return cell_sums(piece, piece.codes((*self.by, *self.within)), piece.codes(self.by))


def cell_sums(
    piece: Piece, cells: tuple[NDArray[np.int64], int], levels: tuple[NDArray[np.int64], int]
) -> dict[str, NDArray[Any]]:
    """Compute row counts and sums per cell, products per pair of cells, and the number of games per level.

    Parameters
    ----------
    cells: the cell of each row, and the number of cells. levels: the level of each row, and the number of levels.

    ``cells``: shape (1 + outcomes + 1 + measures, cells), where the squares of the last outcome precede the measures.
    ``pairs``: shape (1 + outcomes, 1 + outcomes, cells, cells). ``games``: shape (levels,).
    """
    from wsim.stats.kernels.adding import EACH, OWN, SQUARE, UNFOLDED, add_cells

    (codes, count), (of_level, wide) = cells, levels
    sums = np.zeros((count, OWN + piece.values.shape[1] - len(OUTCOMES)))
    pairs, games = np.zeros((count, count, SQUARE)), np.zeros(wide)
    add_cells(piece.bounds, codes, of_level, piece.values, sums, pairs, games)
    own, measures = np.split(sums, [OWN], axis=1)
    both = pairs.reshape(count, count, EACH, EACH).transpose(2, 3, 0, 1)
    products = both + both.transpose(1, 0, 3, 2)  # for both orders of the seats
    each = np.arange(count)
    products[:, :, each, each] += own[:, UNFOLDED].transpose(1, 2, 0)
    squares = own[:, UNFOLDED[-1, -1], None]
    return {"cells": np.hstack([own[:, :EACH], squares, measures]).T, "pairs": products, "games": games}


@dataclass(frozen=True)
class Cells:
    """The non-empty cells of a table.

    Attributes
    ----------
    frame: one row per cell: its names, the number of rows (``CELL_ROWS``), the sums of each outcome and measure, and
        ``squares`` of the score.
    pairs: products, shape (1 + outcomes, 1 + outcomes, cells, cells), with the outcomes in the units of the table.
    games: for each level of the table's columns, the number of games in which it occurs.
    """

    frame: pl.DataFrame
    pairs: Floats
    games: pl.DataFrame

    @classmethod
    def of(cls, summary: Summary, by: Sequence[str], within: Sequence[str]) -> Cells:
        """Collect the non-empty cells of a table; raise UserError if the summary has no sums for it."""
        name = FactorSums(tuple(by), tuple(within)).name
        columns = summary.labels.get(name)
        if columns is None or not set(within) <= set(columns):
            have = ", ".join(label.removeprefix(LEVELS) for label in summary.labels if label.startswith(LEVELS))
            raise UserError(
                f"the run keeps sums by {have.replace(',wonder', ', wonder')}, not by {','.join(by)}: that needs rows, "
                "so play it with --keep seats"
            )
        arrays, scale = summary.of(name), np.array([1.0, 1.0 / summary.parts, *[1.0] * (len(OUTCOMES) - 1)])
        present = np.flatnonzero(arrays["cells"][0])
        sums = arrays["cells"][:, present]
        sums[: len(scale)] *= scale[:, None]
        names = [CELL_ROWS, *OUTCOMES, "squares", *summary.labels["measures"]]
        frame = _keys(summary, columns, present).with_columns(
            pl.Series(label, values) for label, values in zip(names, sums, strict=True)
        )
        pairs = arrays["pairs"][:, :, present][..., present] * scale[:, None, None, None] * scale[None, :, None, None]
        levels = np.flatnonzero(arrays["games"])
        games = _keys(summary, by, levels).with_columns(pl.Series("games", arrays["games"][levels]))
        return cls(frame, pairs, games)

    def levels(self, by: Sequence[str], measures: Sequence[str]) -> Levels:
        """Return the levels, with the columns n, score_sd and the means of the measures."""
        n, total = pl.col(CELL_ROWS).sum(), pl.col("total").sum()
        spread = ((pl.col("squares").sum() - total * total / n) / (n - 1)).sqrt()
        frame = self.frame.group_by(*by).agg(
            n.cast(pl.get_index_type()).alias("n"),
            pl.when(n > 1).then(spread).alias("score_sd"),
            *((pl.col(name).sum() / n) for name in measures),
        )
        return Levels(tuple(by), frame.sort(*by, nulls_last=True))

    def summed(self, by: Sequence[str], within: Sequence[str], names: Sequence[str]) -> pl.DataFrame:
        """Aggregate the cells by the given columns, in the form that ``Additive.fit`` takes."""
        sums = [pl.col(name).sum().alias(f"_{index}") for index, name in enumerate(names)]
        return self.frame.group_by(*by, *within, maintain_order=True).agg(pl.col(CELL_ROWS).sum(), *sums)

    def moments(self, levels: Levels) -> Moments:
        """Return the moments of row counts and outcomes by level (``wsim.stats.tables.outcomes``)."""
        codes, size = levels.codes(self.frame), 1 + len(OUTCOMES)
        moments = Moments(len(levels), size)
        chosen = np.zeros((len(levels), self.frame.height))
        chosen[codes, np.arange(self.frame.height)] = 1.0
        moments.totals = chosen @ self.frame.select(CELL_ROWS, *OUTCOMES).to_numpy()
        moments.products = np.einsum("lc,ijcd,ld->lij", chosen, self.pairs, chosen, optimize=True)
        games = self.games.select(levels.codes_of(self.games), "games").sort("level")["games"].to_numpy()
        moments.games = np.repeat(games[:, None], size, axis=1)
        return moments


def _keys(summary: Summary, columns: Sequence[str], codes: NDArray[np.int64]) -> pl.DataFrame:
    """Decode combination numbers: return the names in each column."""
    series: dict[str, pl.Series] = {}
    for name in reversed(columns):
        kind = summary.kind(name)
        names: list[str | None] = [*kind.categories.to_list(), None]
        codes, own = np.divmod(codes, len(names))
        series[name] = pl.Series([names[code] for code in own], dtype=kind)
    return pl.DataFrame({name: series[name] for name in columns})
