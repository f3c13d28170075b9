"""``wsim table`` and its short forms: any table of a run, split, sorted, cut, filtered. The game says which it has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from wsim.cli.console import print_json, print_tables, remark, rows_of, write_out
from wsim.errors import UserError, nearest
from wsim.game import analyses_of, find_analysis, find_game

if TYPE_CHECKING:
    import polars as pl

    from wsim.lab.store import Run
    from wsim.stats.analysis import Analysis
    from wsim.stats.tables import Table

__all__ = ["Asked", "View", "list_command", "open_run", "show", "table_command"]


@dataclass(frozen=True)
class View:
    """What is shown of a table.

    Attributes
    ----------
    sort: a column, largest first, or ``-column``, smallest first; None keeps the table's own order.
    top: how many rows, after sorting; None for all.
    only: ``column=value``, all of which must hold.
    wide: whether every column is shown, or the main ones (``Analysis.main``).
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


@dataclass(frozen=True)
class Asked:
    """What a command that shows a table of a run was given.

    Attributes
    ----------
    folder: the run.
    view: what is shown of the table.
    as_json: whether as JSON.
    by: columns that split its rows; none for the table's own.
    options: options of the table with the texts that were given for each, None for an option without a value.
    """

    folder: str
    view: View
    as_json: bool
    by: tuple[str, ...] = ()
    options: Mapping[str, Sequence[str | None]] = field(default_factory=dict)


def table_command(name: str, asked: Asked) -> None:
    """Print the table ``name`` of a run: its rows, and in words what it says and what it does not."""
    run = open_run(asked.folder)
    analysis = find_analysis(find_game(run.plan.game), name)
    options = {key: _value(name, analysis, key, texts) for key, texts in asked.options.items()}
    table = analysis.table(run, asked.by, **options)
    columns = () if asked.view.wide else analysis.main(asked.by)
    show(table, run, asked.view, columns, as_json=asked.as_json)


def list_command(asked: Asked) -> None:
    """Print which tables a run has."""
    run = open_run(asked.folder)
    game = find_game(run.plan.game)
    rows = [
        {
            "table": name,
            "shows": analysis.about,
            "by": ",".join(analysis.by or ()),
            "options": " ".join(_option_names(analysis)),
        }
        for name, analysis in analyses_of(game).items()
        if run.plan.keep != "summary" or analysis.sums is not None
    ]
    if asked.as_json:
        print_json(rows)
        return
    print_tables([(f"Tables of {game.TITLE}: wsim table {asked.folder} NAME", rows)])


def _option_names(analysis: Analysis) -> list[str]:
    return [*(["--by"] if analysis.by is not None else []), *(f"--{name}" for name in analysis.options)]


def _value(name: str, analysis: Analysis, key: str, texts: Sequence[str | None]) -> object:
    """Return the value of an option of a table; raise UserError for one that it does not have."""
    known = _option_names(analysis)
    if key not in analysis.options:
        has = f"it has {', '.join(known)}" if known else "it has none"
        raise UserError(f"the table {name} has no option '--{key}': {has}{nearest('--' + key, known)}")
    option = analysis.options[key]
    given = [text for text in texts if text is not None]
    if option.flag:
        if given:
            raise UserError(f"the option '--{key}' takes no value, not {given[0]!r}: {option.help}")
        return True
    if len(given) < len(texts):
        raise UserError(f"the option '--{key}' needs a value: {option.help}")
    return option.value(f"--{key}", given)


def open_run(folder: str) -> Run:
    """Open a run; say so if it is not complete."""
    from wsim.lab.store import load_run

    run = load_run(folder)
    if not run.complete:
        remark(f"wsim: {folder} holds {run.games:,} of {len(run.wanted):,} games")
    return run


def show(table: Table, run: Run, view: View, columns: tuple[str, ...] = (), *, as_json: bool) -> None:
    """Print a table, with ``columns`` alone if there are some, and in words what it says and what it does not."""
    shown = view.of(table.frame)
    if as_json:
        print_json(rows_of(shown))
        return
    if columns:
        from wsim.stats.brief import brief

        shown = brief(shown, columns)
    print_tables([(f"{table.title}, {run.games:,} games", shown)])
    if table.note:
        write_out(f"\n{table.note}")
