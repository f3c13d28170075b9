"""Compute slices, which are a page's tables for the seats of one wonder or policy, or for an additional run.

A table can be sliced by a factor of another table if its analysis can be split by this factor. The page shows one slice
at a time instead of the whole table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import polars as pl

from wsim.errors import UserError
from wsim.lab.store import Run, label_runs
from wsim.stats.analysis import Analysis
from wsim.stats.tables import Table

Slices = Mapping[str, Mapping[str, pl.DataFrame]]
"""A table for subsets of the seats, by dimension (wonder) and value (Gizah)."""
MOST_ROWS = 2000
"""The largest number of slices per column, which keeps the page small; columns with more values are not used."""


def slices(
    run: Run, tables: Mapping[str, Table], analyses: Mapping[str, Analysis], others: Sequence[Run],
    begin: Callable[[str], object],
) -> dict[str, Slices]:  # fmt: skip
    """Compute the slices of a run's tables by table name; calls ``begin`` with each name.

    Raises UserError for an additional run that cannot be distinguished from this run or is of a different game.
    """
    split = {name: analyses[name].by for name, table in tables.items() if table.form in ("levels", "owners")}
    columns = dict.fromkeys(by[0] for by in split.values() if by and _has_several_values(tables, by[0]))
    teller, values = label_runs([run, *others]) if others else ("", [])
    sliced: dict[str, Slices] = {}
    for name, by in split.items():
        if by is None:
            continue
        begin(name)
        parts = {column: _slices_by_column(run, analyses[name], by, column) for column in columns if column not in by}
        parts[teller] = {
            str(value): table.frame
            for value, other in zip(values[1:], others, strict=True)
            if (table := _table_or_none(other, analyses[name], by)) is not None
        }
        sliced[name] = {column: frames for column, frames in parts.items() if frames}
    return sliced


def _has_several_values(tables: Mapping[str, Table], column: str) -> bool:
    """Return whether at least one table has several values in a column."""
    return any(column in table.frame.columns and table.frame[column].n_unique() > 1 for table in tables.values())


def _slices_by_column(run: Run, analysis: Analysis, by: Sequence[str], column: str) -> dict[str, pl.DataFrame]:
    """Compute one table per name in a column of the seats table; empty if there are no rows or too many names."""
    table = _table_or_none(run, analysis, (*by, column))
    if table is None or len(table.frame) > MOST_ROWS:
        return {}
    named = table.frame.with_columns(pl.col(column).cast(pl.String)).sort(column, maintain_order=True)
    parts = named.partition_by(column, maintain_order=True, include_key=False, as_dict=True)
    return {str(name): part for (name,), part in parts.items()}


def _table_or_none(run: Run, analysis: Analysis, by: Sequence[str]) -> Table | None:
    """Compute a table of a run; None if that is impossible, for example without picks or from sums."""
    if not analysis.fits(run.plan):
        return None
    try:
        return analysis.table(run, by)
    except UserError:
        if run.plan.keep == "summary":
            return None
        raise
