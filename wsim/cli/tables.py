"""``wsim cards``, ``wsim wonders``: a table of a run, sorted, cut, filtered. What is in a table, the game decides."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from wsim.cli.console import print_json, print_tables, remark, rows_of
from wsim.errors import UserError, nearest
from wsim.game import find_game

if TYPE_CHECKING:
    import polars as pl

    from wsim.lab.store import Run

__all__ = ["View", "table_command"]


@dataclass(frozen=True)
class View:
    """What is shown of a table.

    Attributes
    ----------
    sort: a column, largest first, or ``-column``, smallest first; None keeps the table's own order.
    top: how many rows, after sorting; None for all.
    only: ``column=value``, all of which must hold.
    wide: whether every column is shown, or those that the game calls the main ones (``BRIEF`` of its module).
    """

    sort: str | None
    top: int | None
    only: tuple[str, ...]
    wide: bool = True

    def of(self, table: pl.DataFrame) -> pl.DataFrame:
        """Return what is shown of ``table``; raise UserError for a column that it does not have."""
        for condition in self.only:
            name, equals, value = condition.partition("=")
            if not equals:
                raise UserError(f"a filter is column=value, not {condition!r}")
            table = table.filter(_matches(table, name, value))
        if self.sort is not None:
            name = _column(table, self.sort.removeprefix("-"))
            table = table.sort(name, descending=self.sort[:1] != "-", nulls_last=True, maintain_order=True)
        if self.top is not None and self.top < 1:
            raise UserError(f"top must be at least 1, not {self.top}")
        return table if self.top is None else table.head(self.top)


def _column(table: pl.DataFrame, heading: str) -> str:
    """Return the column of a heading: its name, or as it is printed (``win share``, ``military``)."""
    name = heading.strip().replace(" ", "_")
    for candidate in (heading, name, f"points_{name}"):
        if candidate in table.columns:
            return candidate
    columns = ", ".join(table.columns)
    raise UserError(f"the table has no column {heading!r}: it has {columns}{nearest(heading, table.columns)}")


def _matches(table: pl.DataFrame, name: str, value: str) -> pl.Expr:
    """Compare a column with text: numbers as numbers, names without regard to capitals."""
    import polars as pl

    name = _column(table, name)
    if table.schema[name].is_numeric():
        try:
            return pl.col(name) == float(value)
        except ValueError as error:
            raise UserError(f"the column {name!r} holds numbers, not {value!r}") from error
    return pl.col(name).cast(pl.String).str.to_lowercase() == value.lower()


def _table(name: str, run: Run) -> pl.DataFrame:
    """Ask the game of a run for one of its tables (``tables`` of its module: functions of a run, by name)."""
    tables = find_game(run.plan.game).tables()
    if name not in tables:
        raise UserError(f"{run.plan.game} has no table of {name}: it has {', '.join(tables)}{nearest(name, tables)}")
    table: pl.DataFrame = tables[name](run)
    return table


def table_command(name: str, folder: str, view: View, *, as_json: bool) -> None:
    """Print the table ``name`` of the run in ``folder``."""
    from wsim.lab.store import load_run

    run = load_run(folder)
    if not run.complete:
        remark(f"wsim: {folder} holds {run.games:,} of {run.plan.games:,} games")
    table = view.of(_table(name, run))
    if as_json:
        print_json(rows_of(table))
    else:
        if not view.wide:
            from wsim.stats.brief import brief

            table = brief(table, getattr(find_game(run.plan.game), "BRIEF", {}).get(name, ()))
        print_tables([(f"{name.capitalize()}, {run.games:,} games", table)])
