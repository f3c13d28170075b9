"""The main columns of a wide table, for reading."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

__all__ = ["brief"]


def brief(table: pl.DataFrame, columns: Sequence[str]) -> pl.DataFrame:
    """Return some columns with their intervals, without numbers that are 0 throughout; all if none are named."""
    names = [column + end for column in columns for end in ("", "_low", "_high")]
    shown = [name for name in names if name in table.columns and not _is_zero(table[name])]
    return table.select(shown) if columns else table


def _is_zero(column: pl.Series) -> bool:
    return column.dtype.is_numeric() and len(column) > 0 and bool((column.fill_null(1) == 0).all())
