"""The levels of a factor: their names, and the level number of each row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from wsim.errors import UserError
from wsim.stats.games import require

_NUMBER = "_level"


def columns_of(by: str | Sequence[str]) -> tuple[str, ...]:
    """Return the column or columns of a factor as a tuple; raise UserError if there are none."""
    columns = (by,) if isinstance(by, str) else tuple(by)
    if not columns:
        raise UserError("a factor needs at least one column")
    return columns


@dataclass(frozen=True)
class Levels:
    """The combinations of values that occur in some columns of a table, in order.

    Attributes
    ----------
    columns: the columns.
    frame: one row per level, with these columns and the requested ``aggregates``.
    """

    columns: tuple[str, ...]
    frame: pl.DataFrame

    @classmethod
    def of(cls, table: pl.LazyFrame, by: str | Sequence[str], *aggregates: pl.Expr) -> Levels:
        """Find the levels that occur in a table; raise UserError for an unknown column."""
        columns = columns_of(by)
        require(table, columns)
        frame = table.group_by(*columns).agg(*aggregates).collect(engine="streaming")
        return cls(columns, frame.sort(*columns, nulls_last=True))

    def __len__(self) -> int:
        return self.frame.height

    @property
    def keys(self) -> pl.DataFrame:
        """The levels without the aggregates."""
        return self.frame.select(*self.columns)

    @property
    def labels(self) -> list[str]:
        """The label of each level, for messages."""
        return [" ".join(str(value) for value in row) for row in self.keys.iter_rows()]

    def codes_of(self, rows: pl.DataFrame) -> pl.Series:
        """Return the level number of each row as a column ``level``."""
        return pl.Series("level", self.codes(rows))

    def codes(self, rows: pl.DataFrame) -> NDArray[np.int64]:
        """Return the level number of each row."""
        numbered = self.keys.with_row_index(_NUMBER)
        joined = rows.select(*self.columns).join(
            numbered, on=list(self.columns), how="left", nulls_equal=True, maintain_order="left"
        )
        return joined[_NUMBER].to_numpy().astype(np.int64)
