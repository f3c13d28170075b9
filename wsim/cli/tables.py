"""``wsim cards``, ``wsim wonders``: a table of a run, sorted, cut, filtered. What is in a table, the game decides."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from wsim.cli.console import print_json, print_tables, remark, rows_of, write_out
from wsim.errors import UserError, nearest
from wsim.game import find_game

if TYPE_CHECKING:
    import polars as pl

    from wsim.lab.store import Run
    from wsim.stats.tables import Table

__all__ = ["View", "open_run", "show", "table_command"]


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


def table_command(name: str, folder: str, view: View, by: tuple[str, ...] = (), *, as_json: bool) -> None:
    """Print the table ``name`` of the run in ``folder``, split by columns of its seats table if ``by`` has some."""
    run = open_run(folder)
    module = find_game(run.plan.game)
    makers = module.tables()
    if name not in makers:
        raise UserError(f"{run.plan.game} has no table of {name}: it has {', '.join(makers)}{nearest(name, makers)}")
    columns = () if view.wide else (*by, *getattr(module, "BRIEF", {}).get(name, ()))
    show(makers[name](run, by), run, view, columns, as_json=as_json)


def open_run(folder: str) -> Run:
    """Open a run; say so if it is not complete."""
    from wsim.lab.store import load_run

    run = load_run(folder)
    if not run.complete:
        remark(f"wsim: {folder} holds {run.games:,} of {run.plan.games:,} games")
    return run


def show(table: Table, run: Run, view: View, columns: tuple[str, ...] = (), *, as_json: bool) -> None:
    """Print a table, with ``columns`` alone if there are some, and in words what it says and what it does not."""
    shown = view.of(table.frame)
    if as_json:
        print_json(rows_of(shown))
        return
    if columns:
        from wsim.stats.brief import brief

        shown = brief(shown, tuple(dict.fromkeys(columns)))
    print_tables([(f"{table.title}, {run.games:,} games", shown)])
    if table.note:
        write_out(f"\n{table.note}")
