"""Slices: the tables of a page again, of the seats of one wonder or policy, and of other runs (player numbers).

By what a table can be sliced is seen from the other tables: by what the levels of one are, where its analysis can be
split so. The page shows one slice at a time, in the place of the whole.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import polars as pl

from wsim.errors import UserError
from wsim.lab.store import Run, label_runs
from wsim.stats.analysis import Analysis
from wsim.stats.tables import Table

Slices = Mapping[str, Mapping[str, pl.DataFrame]]
"""A table of parts of the seats: by what the parts are told apart by (wonder), by their names (Gizah)."""
MOST_ROWS = 2000
"""Of a table by one column, so that the page stays small; with more it is not sliced by that."""


def slices(
    run: Run, tables: Mapping[str, Table], analyses: Mapping[str, Analysis], others: Sequence[Run],
    begin: Callable[[str], object],
) -> dict[str, Slices]:  # fmt: skip
    """Return the slices of the tables of a run, by name; ``begin`` is told each table.

    Raises UserError for other runs that nothing tells apart from this one, or of another game.
    """
    split = {name: analyses[name].by for name, table in tables.items() if table.form in ("levels", "owners")}
    columns = dict.fromkeys(by[0] for by in split.values() if by and _several(tables, by[0]))
    teller, values = label_runs([run, *others]) if others else ("", [])
    found: dict[str, Slices] = {}
    for name, by in split.items():
        if by is None:
            continue
        begin(name)
        parts = {column: _parts(run, analyses[name], by, column) for column in columns if column not in by}
        parts[teller] = {
            str(value): table.frame
            for value, other in zip(values[1:], others, strict=True)
            if (table := _table(other, analyses[name], by)) is not None
        }
        found[name] = {column: frames for column, frames in parts.items() if frames}
    return found


def _several(tables: Mapping[str, Table], column: str) -> bool:
    """Say whether a table of levels has several in a column."""
    return any(column in one.frame.columns and one.frame[column].n_unique() > 1 for one in tables.values())


def _parts(run: Run, analysis: Analysis, by: Sequence[str], column: str) -> dict[str, pl.DataFrame]:
    """Return a table for each name in a column of the seats; none where rows are not there, or too many."""
    table = _table(run, analysis, (*by, column))
    if table is None or len(table.frame) > MOST_ROWS:
        return {}
    named = table.frame.with_columns(pl.col(column).cast(pl.String)).sort(column, maintain_order=True)
    parts = named.partition_by(column, maintain_order=True, include_key=False, as_dict=True)
    return {str(name): part for (name,), part in parts.items()}


def _table(run: Run, analysis: Analysis, by: Sequence[str]) -> Table | None:
    """Return a table of a run; None where it has none: it keeps no picks, say, or sums that are not split so."""
    if not analysis.fits(run.plan):
        return None
    try:
        return analysis.table(run, by)
    except UserError:
        if run.plan.keep == "summary":
            return None
        raise
