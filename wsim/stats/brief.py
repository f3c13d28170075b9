"""The main columns of a wide table, and the ends of a long one, for reading."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from wsim.stats.tables import Table

BEST, WORST = 10, 5
LONGEST = 30


def brief(table: pl.DataFrame, columns: Sequence[str]) -> pl.DataFrame:
    """Return some columns with their intervals, without numbers that are 0 throughout; all if none are named.

    ``points_*`` stands for all columns that begin so.
    """
    there = table.columns
    wanted = [name for column in columns for name in (_beginning(column, there) if column[-1:] == "*" else [column])]
    names = dict.fromkeys(column + end for column in wanted for end in ("", "_low", "_high"))
    shown = [name for name in names if name in there and not _is_zero(table[name])]
    return table.select(shown) if columns else table


def _beginning(pattern: str, there: Sequence[str]) -> list[str]:
    return [name for name in there if name.startswith(pattern[:-1])]


def _is_zero(column: pl.Series) -> bool:
    return column.dtype.is_numeric() and len(column) > 0 and bool((column.fill_null(1) == 0).all())


def ends(table: Table) -> tuple[str, pl.DataFrame]:
    """Return title and rows of a table; of a long one that is sorted by win share its ends, without what nobody has."""
    frame = table.frame
    if frame.height <= LONGEST or not {"n", "win_share"} <= set(frame.columns):
        return table.title, frame
    known = frame.filter(pl.col("n") > 0)
    if known.height <= LONGEST:
        return table.title, known
    whose = " of their owners" if "win_difference" in frame.columns else ""
    title = f"{table.title}: the {BEST} best and {WORST} worst of {known.height} by win share{whose}"
    return title, pl.concat([known.head(BEST), known.tail(WORST)])
