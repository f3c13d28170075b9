"""The view of a table, fully encoded in the address: the same link shows the same view, and a command prints it."""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from wsim.errors import UserError
from wsim.files import shown_path
from wsim.lab.table_options import RowOptions, TableOptions, table_command, texts_of
from wsim.options import Option, key_of, options_of
from wsim.workbench.questions import value_of

if TYPE_CHECKING:
    import polars as pl

    from wsim.lab.run_tables import RunTable
    from wsim.lab.store import Run
    from wsim.report.page_parts import Figure
    from wsim.workbench.folder import Folder

OPTION = "option."
LARGE = 400_000
"""A run with more seats than this takes so long to summarise that pages appear before their tables are computed."""
MAX_TABLES = 64
"""Maximum number of cached tables; the most recently used stay."""


@dataclass(frozen=True)
class TableView(RowOptions, TableOptions):
    """A table of runs and its display: the options of ``wsim table`` as the fields of an address.

    Attributes
    ----------
    table: the name of the table; empty: the overview. charts: whether its charts are shown. columns: the columns shown;
        empty: the main columns. options: option of the table -> its values.
    """

    table: str = ""
    charts: bool = False
    columns: tuple[str, ...] = ()
    options: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, query: Sequence[tuple[str, str]]) -> TableView:
        """Parse the fields of an address into a view; raise UserError for an invalid value."""
        given: dict[str, list[str]] = {}
        for name, value in query:
            if value.strip():
                given.setdefault(name, []).append(value.strip())
        if not given.get("run"):
            raise UserError("name a run: run=NAME")
        values: dict[str, Any] = {}
        for name, (declared, spec) in options_of(cls).items():
            texts = given.get(_field(name, spec), [])
            several = str(declared.type).startswith("tuple")
            if texts:
                value = value_of(name, str(declared.type), spec, texts if several else texts[-1:])
                values[name] = tuple(dict.fromkeys(value)) if several else value
        options = {key.removeprefix(OPTION): tuple(texts) for key, texts in given.items() if key.startswith(OPTION)}
        columns = tuple(dict.fromkeys(given.get("column", ())))
        return cls(
            **values, charts="charts" in given, table=given.get("table", [""])[-1], columns=columns, options=options
        )

    def query(self) -> list[tuple[str, str]]:
        """Return the view as the fields of an address."""
        declared = options_of(self)
        pairs = [("run", run) for run in self.runs] + ([("table", self.table)] if self.table else [])
        for name, texts in texts_of(self).items():
            pairs += [(_field(name, declared[name][1]), "1" if text == "True" else text) for text in texts]
        pairs += [("charts", "1")] if self.charts else []
        pairs += [("column", name) for name in self.columns]
        return pairs + [(OPTION + key, text) for key, texts in self.options.items() for text in texts]

    def address(self, path: str = "/run", **changed: Any) -> str:
        """Return the address of the view at a path, with changed fields."""
        return f"{path}?{urlencode(replace(self, **changed).query())}"

    def toggled(self, column: str, value: str) -> str:
        """Return the address of the view after adding a value to the filter of a column, or removing it."""
        start = f"{column}="
        chosen = self.chosen(column)
        kept = tuple(each for each in chosen if each != value) if value in chosen else (*chosen, value)
        others = tuple(condition for condition in self.only if not condition.startswith(start))
        return self.address(only=(*others, start + ",".join(kept)) if kept else others)

    def chosen(self, column: str) -> tuple[str, ...]:
        """Return the values by which a column is filtered."""
        start = f"{column}="
        conditions = [condition.removeprefix(start) for condition in self.only if condition.startswith(start)]
        return tuple(value for condition in conditions for value in condition.split(","))

    def command(self, folder: Folder, flags: Sequence[str] = ()) -> str:
        """Return the command that prints the same table; ``flags``: options of the table that take no value."""
        paths = tuple(shown_path(folder.inside(run)) for run in self.runs)
        runs = TableOptions(paths, self.by, self.level, self.won_by, self.beside)
        rows = RowOptions(self.wide or bool(self.columns), self.sort, self.top, self.only)
        options = {key: [None] if key in flags else list(texts) for key, texts in self.options.items()}
        return table_command(self.table, runs, rows, options)


def _field(name: str, spec: Option) -> str:
    """Return the name of the address field for an option."""
    return "run" if spec.argument else key_of(spec.names[0]) if spec.names else name


class Tables:
    """A cache of opened runs and their tables."""

    def __init__(self, folder: Folder) -> None:
        self._folder, self._lock = folder, Lock()
        self._runs: OrderedDict[str, tuple[Any, Run]] = OrderedDict()
        self._tables: OrderedDict[Any, RunTable] = OrderedDict()
        self._drawn: OrderedDict[Any, tuple[RunTable, list[Figure]]] = OrderedDict()
        self._making: defaultdict[str, Lock] = defaultdict(Lock)
        self._overviews: dict[str, Any] = {}

    def state(self, names: Sequence[str]) -> tuple[Any, ...]:
        """Return a value that changes whenever one of the runs changes, as a key for caches."""
        paths = [self._folder.inside(name) for name in names]
        return tuple(_state(path / file) for path in paths for file in ("run.json", "shards.jsonl"))

    def run(self, name: str) -> Run:
        """Return a run of the folder; raise UserError if it does not exist."""
        from wsim.lab.store import load_run

        path, state = self._folder.inside(name), self.state([name])
        with self._lock:
            known = self._runs.get(name)
        if known is not None and known[0] == state and None not in state:
            return known[1]
        run = load_run(shown_path(path))
        with self._lock:
            self._runs[name] = (state, run)
            for key in [key for key in self._tables if name in key[0]]:
                del self._tables[key]
            while len(self._runs) > MAX_TABLES:
                self._runs.popitem(last=False)
        return run

    def waits(self, view: TableView) -> bool:
        """Return whether the page of a view must wait for tables of a large run (``LARGE``).

        Raises UserError if a run does not exist.
        """
        parts = [view] if len(view.runs) == 1 or not view.beside else [replace(view, runs=(run,)) for run in view.runs]
        large = {name for name in view.runs if (run := self.run(name)).games * run.plan.players > LARGE}
        if not view.table:
            return any(self._overviews.get(name) != self.state([name]) for name in large & {view.runs[0]})
        with self._lock:
            return any(large.intersection(part.runs) and _key(part) not in self._tables for part in parts)

    def note_overview(self, name: str) -> None:
        """Record that the overview of a run has been computed."""
        self._overviews[name] = self.state([name])

    def table(self, view: TableView) -> RunTable:
        """Return the table of a view with all its rows; raise UserError if the runs do not have that table."""
        runs, key = [self.run(name) for name in view.runs], _key(view)
        if (known := self._known(key)) is not None:
            return known
        with self._making["\n".join(view.runs)]:  # two pages of a run must not summarise the same games
            return self._known(key) or self._table(view, runs, key)

    def _known(self, key: Any) -> RunTable | None:
        with self._lock:
            if key in self._tables:
                self._tables.move_to_end(key)
            return self._tables.get(key)

    def _table(self, view: TableView, runs: Sequence[Run], key: Any) -> RunTable:
        from wsim.game import find_analysis, find_game
        from wsim.lab.run_tables import RunTable, read_option_texts

        analysis = find_analysis(find_game(runs[0].plan.game), view.table)
        flags = flags_of(analysis)
        texts = {name: [None] if name in flags else list(given) for name, given in view.options.items()}
        options = read_option_texts(view.table, analysis, texts)
        table = RunTable.of(view.table, runs, view.by, view.level, options, view.won_by)
        with self._lock:
            self._tables[key] = table
            while len(self._tables) > MAX_TABLES:
                self._tables.popitem(last=False)
        return table

    def beside(self, view: TableView) -> RunTable:
        """Return a table that shows several runs side by side; UserError if they have no figure in common."""
        from wsim.lab.run_tables import RunTable

        parts = [self.table(replace(view, runs=(name,))) for name in view.runs]
        key = (view.runs, "beside", tuple(id(part.table) for part in parts))
        with self._lock:
            if key in self._tables:
                return self._tables[key]
        made = RunTable.beside(parts)
        with self._lock:
            self._tables[key] = made
        return made

    def figures(
        self, table: RunTable, view: TableView, draw: Callable[[], list[Figure]], most: int | None = None
    ) -> list[Figure]:
        """Return the charts of a view's rows, from the cache or from ``draw``.

        ``most``: the maximum number of charts that ``draw`` returns; None: all.
        """
        key = (id(table.table.frame), view.sort, view.top, view.only, most)
        with self._lock:
            known = self._drawn.get(key)
        if known is not None and known[0].table.frame is table.table.frame:
            return known[1]
        figures = draw()
        with self._lock:
            self._drawn[key] = (table, figures)
            while len(self._drawn) > MAX_TABLES:
                self._drawn.popitem(last=False)
        return figures


def _key(view: TableView) -> Any:
    """Return the fields of a view that determine its table, as a cache key."""
    return view.runs, view.table, view.by, view.level, view.won_by, tuple(sorted(view.options.items()))


def flags_of(analysis: Any) -> list[str]:
    """Return the options of a table that take no value."""
    return [name for name, option in analysis.options.items() if option.flag]


def rows_shown(table: RunTable, view: TableView) -> tuple[pl.DataFrame, str]:
    """Return the rows that a view shows, and a remark if a filtered name has no rows."""
    from wsim.stats.filters import viewed

    return viewed(table.table.frame, view.sort, view.top, view.only, table.splits, table.table.columns)


def item_address(view: TableView, name: str, show: str = "") -> str:
    """Return the address of an item's page; ``show``: a further table on that page."""
    runs = [("run", run) for run in view.runs]
    return f"/thing?{urlencode([*runs, ('table', view.table), ('name', name), *([('show', show)] if show else [])])}"


def has_pages(table: RunTable) -> bool:
    """Return whether the items of a table have pages."""
    return table.table.form in ("levels", "owners")


def _state(path: Path) -> tuple[int, int] | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size
