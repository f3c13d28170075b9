"""Pages for the tables of one or several runs: splitting, filtering, sorting, charts, and downloads."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from pathlib import PurePath
from threading import Thread
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from wsim.display import title
from wsim.document import CATEGORY
from wsim.errors import UserError, nearest
from wsim.game import find_game
from wsim.report.cards import Faces, names_in
from wsim.report.grids import SEARCHED
from wsim.report.theme import Palette
from wsim.workbench.facets import NAMES as NAMED
from wsim.workbench.facets import Choice, Facet
from wsim.workbench.overview import close_games, figures_of, overview, played
from wsim.workbench.rendering import OWN, chart_file, folder_of, kept, page
from wsim.workbench.table_view import Tables, TableView, flags_of, has_pages, item_address, rows_shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl
    from starlette.applications import Starlette
    from starlette.requests import Request

    from wsim.document import Column, Sheet
    from wsim.lab.run_tables import RunTable
    from wsim.report.grids import Grid

WAIT = "x-wait"
"""The header of a request that waits for a table of a large run; other requests get a page that sends one."""
NAMES = ("seat", "rank", "team")
"""Columns of whole numbers by which tables can be split."""
HEAVY = ("wsim.report.sections", "wsim.stats.combined", "wsim.questions.answer_files")
"""Modules that take seconds to import, so they are imported before they are needed."""
PREPARED = 2
"""Number of runs whose overviews are drawn before they are requested."""
MAX_VALUES = 12
"""Maximum number of values of a column that are shown as chips."""
MAX_PUBLISHED = 300
"""Maximum number of rows of a table in a published site, and of a table whose address does not ask for more."""
MAX_COMPARED = 8
"""Maximum number of cards that are drawn above compared rows."""


OWN.add("waiting.js")


def begin(app: Starlette) -> None:
    """Create the cache of tables, which lasts as long as the server."""
    app.state.tables = Tables(app.state.folder)


def opened_tables(request: Request) -> Tables:
    """Return the server's cache of tables."""
    tables: Tables = request.app.state.tables
    return tables


def prepare(app: Starlette) -> None:
    """Draw the overviews of the newest runs in advance, because the first drawing takes seconds."""
    runs = [entry.name for entry in app.state.folder.found() if entry.kind == "run" and not entry.damaged]
    for name in runs[:PREPARED]:
        draw_overview(app, name)


def draw_overview(app: Starlette, name: str) -> None:
    """Render the overview of a run in advance; do nothing if the entry is not a run."""
    import polars as pl

    tables: Tables = app.state.tables
    with suppress(UserError, OSError, pl.exceptions.PolarsError):  # files may be damaged, or be rewritten meanwhile
        overview(tables, TableView((name,)))


def run_page(request: Request) -> Response:
    """Return the page of a table of runs, or their overview if the address names no table."""
    given, tables = TableView.of(request.query_params.multi_items()), opened_tables(request)
    if WAIT not in request.headers and request.app.state.published is None and tables.waits(given):
        return _waiting_page(request, given)
    made = kept(request, tables.state(given.runs), lambda: _run_page(request))
    if WAIT in request.headers:
        Thread(target=_prepare_tables, args=(tables, given.runs[0]), daemon=True).start()
    return made


def _waiting_page(request: Request, view: TableView) -> Response:
    """Return a page for a table that must be summarised first; its script requests the table, then shows it."""
    from wsim.lab.run_tables import tables_of_run

    run = opened_tables(request).run(view.runs[0])
    return page(
        request, "waiting.html.j2", " and ".join(PurePath(name).name for name in view.runs), game=run.plan.game,
        runs=[run], view=view, modules=["waiting.js"], overview=TableView(view.runs).address(),
        tables=[(name, analysis.about, TableView(view.runs, table=name).address())
                for name, analysis in tables_of_run(run).items()],
    )  # fmt: skip


def _prepare_tables(tables: Tables, name: str) -> None:
    """Compute the other tables of a large run in advance, so that their pages do not wait."""
    import polars as pl

    from wsim.lab.run_tables import tables_of_run

    with suppress(UserError, OSError):
        run = tables.run(name)
        for table, analysis in tables_of_run(run).items():
            with suppress(UserError, OSError, pl.exceptions.PolarsError):
                if analysis.shown != "asked" and analysis.possible(run.plan):
                    tables.table(TableView((name,), table=table))


def _run_page(request: Request) -> Response:
    from wsim.lab.run_tables import tables_of_run

    given, published = TableView.of(request.query_params.multi_items()), request.app.state.published is not None
    if not given.table:
        return overview_page(request, given)
    view, table = _view_of(request)
    if picked := request.query_params.getlist("pick"):
        return RedirectResponse(_address_of_picked(view, table, picked))
    if published and not view.top:
        view = replace(view, top=MAX_PUBLISHED)
    rows, remark = rows_shown(table, view)
    found, rows = len(rows), rows if view.top else rows.head(MAX_PUBLISHED)
    run = table.runs[0]
    document = table.document(rows, view.command(folder_of(request), flags_of(table.analysis)))
    figures = figures_of(opened_tables(request), table, view) if view.charts or published else []
    heading = " and ".join(run.path.name for run in table.runs)
    grid, faces = table_grid(table, view, rows), faces_of(table)
    if published:  # the browser sorts, searches and saves
        plain = [[replace(row[0], pick=""), *row[1:]] for row in grid.rows]
        headings = [replace(column, link="") for column in grid.columns]
        grid = replace(grid, columns=headings, rows=plain, csv="", search=len(plain) >= SEARCHED)
    sheet = table.table.sheet(rows)
    shown = [column.name for column in _columns_shown(sheet, view)]
    return page(
        request, "run.html.j2", heading, game=run.plan.game, runs=table.runs, view=view, found=table, said=remark,
        tables=[
            (name, analysis.about, TableView(view.runs, table=name, beside=view.beside).address())
            for name, analysis in tables_of_run(run).items()
        ],
        overview=TableView(view.runs).address(), grid=grid, command=document.command, faces=faces,
        drawings=faces.hidden(names_in(grid)), compared=_cards_compared(view, table, faces),
        facets=_facets(table, view), columns=[(column, column.name in shown) for column in sheet.columns],
        splits=_split_columns(table), options=table.analysis.options, figures=list(enumerate(figures)),
        rows=found, all_rows=len(table.table.frame), left_out=found - len(rows), every=view.address(top=found),
        charts=view.address(charts=not view.charts),
        beside=view.address(beside=not view.beside, sort=None, columns=()) if len(view.runs) > 1 else "",
        chart=lambda place, kind: f"/chart.{kind}?{urlencode([*view.query(), ('figure', str(place))])}",
    )  # fmt: skip


def overview_page(request: Request, view: TableView) -> Response:
    """Return the overview of a run; for several runs, redirect to a table that shows them side by side."""
    from wsim.lab.run_tables import tables_of_run

    tables = opened_tables(request)
    runs = [tables.run(name) for name in view.runs]
    found = overview(tables, TableView(view.runs[:1]))
    if len(runs) > 1:
        name = found[-1].name if found else next(iter(tables_of_run(runs[0])))
        return RedirectResponse(TableView(view.runs, table=name, beside=True, charts=True).address())
    run = runs[0]
    faces = Faces.of_plan(run.plan)
    return page(
        request, "overview.html.j2", run.path.name, game=run.plan.game, runs=runs, played=played(run), found=found,
        close=[(number, said, f"/analyse?{urlencode({'run': view.runs[0], 'number': number})}")
               for number, said in (close_games(run) if run.shards["seats"] else [])],
        faces=faces, drawings=faces.hidden(faces), people=run.people,
        tables=[
            (name, analysis.about, TableView(view.runs, table=name).address())
            for name, analysis in tables_of_run(run).items()
        ],
    )  # fmt: skip


def _address_of_picked(view: TableView, table: RunTable, picked: Sequence[str]) -> str:
    """Return the address of the view after filtering it to the picked rows."""
    noun = table.table.labels[0]
    others = tuple(condition for condition in view.only if not condition.startswith(f"{noun}="))
    return view.address(only=(*others, f"{noun}={','.join(dict.fromkeys(picked))}"), charts=True)


def _cards_compared(view: TableView, table: RunTable, faces: Faces) -> list[str]:
    """Return the names of the cards to which the view is limited; empty if its rows are not filtered."""
    names = view.chosen(table.table.labels[0]) if table.table.labels else ()
    return [name for name in names if name in faces][:MAX_COMPARED]


def _facets(table: RunTable, view: TableView) -> list[Facet]:
    """Return the columns that have few values, as facets whose choices link to the filtered view."""
    frame = table.table.frame
    own = find_game(table.runs[0].plan.game).COLOURS
    palette, order = Palette(own), list(own)
    facets = []
    for column in table.table.columns:
        few = column.kind is CATEGORY or column.name in table.table.labels[1:]
        if not few or column.name not in frame.columns:
            continue
        values = [str(value) for value in frame[column.name].drop_nulls().unique().sort().to_list()]
        if 1 < len(values) <= MAX_VALUES:
            values.sort(key=lambda value: order.index(value) if value in order else -1)
            chosen = view.chosen(column.name)
            choices = [
                Choice(value, palette.own_of(value), value in chosen, view.toggled(column.name, value))
                for value in values
            ]
            facets.append(Facet(column.name, NAMED.get(column.name, title(column.heading)), choices))
    return facets


def run_csv(request: Request) -> Response:
    """Return the rows shown as CSV, identical to the output of the command."""
    from wsim.display import csv_of

    view, table = _view_of(request)
    rows, _ = rows_shown(table, view)
    flags = flags_of(table.analysis)
    texts = {key: [None] if key in flags else list(given) for key, given in view.options.items()}
    record = table.record(texts, view.only, view.sort, view.top)
    named = {"Content-Disposition": f'attachment; filename="{view.table}.csv"'}
    return PlainTextResponse(csv_of(rows, record), headers=named, media_type="text/csv")


def chart(request: Request) -> Response:
    """Return a chart of the rows shown as an SVG or PNG file."""
    view, table = _view_of(request)
    figures = figures_of(opened_tables(request), table, view)
    return chart_file(request, figures, table.runs[0].plan.game, view.table)


def _view_of(request: Request) -> tuple[TableView, RunTable]:
    """Return the view of an address, and its table."""
    import polars as pl

    view, tables = TableView.of(request.query_params.multi_items()), opened_tables(request)
    try:
        table = tables.beside(view) if view.beside and len(view.runs) > 1 else tables.table(view)
    except (FileNotFoundError, pl.exceptions.PolarsError) as error:
        raise UserError(f"the files of {' and '.join(view.runs)} have changed or are missing: {error}") from error
    return (replace(view, by=()) if view.by == table.analysis.by else view), table


def _split_columns(table: RunTable) -> list[tuple[str, bool]]:
    """Return the columns by which the table can be split, and whether it is split by them."""
    run, split = table.runs[0], table.split
    if not table.splits:
        return []
    kinds = run.seats.collect_schema()
    several = [name for name, kind in kinds.items() if ":" not in name and (name in NAMES or not kind.is_numeric())]
    return [(name, name in split) for name in dict.fromkeys([*split, *several])]


def faces_of(table: RunTable) -> Faces:
    """Return the faces of the cards in a run; if there are several runs, in the first one."""
    return Faces.of_plan(table.runs[0].plan)


def _columns_shown(sheet: Sheet, view: TableView) -> list[Column]:
    """Return the columns that a view shows: the labels and the columns that it names, all columns, or the main ones."""
    if not view.columns:
        return list(sheet.columns if view.wide else sheet.shown)
    known = [column.name for column in sheet.columns]
    if unknown := next((name for name in view.columns if name not in known), None):
        raise UserError(f"the table has no column {unknown!r}{nearest(unknown, known)}: it has {', '.join(known)}")
    labels = known[: sheet.labels]
    return [column for column in sheet.columns if column.name in (*labels, *view.columns)]


def table_grid(table: RunTable, view: TableView, rows: pl.DataFrame) -> Grid:
    """Return the rows as a table with headings that sort it and rows that link to their pages."""
    from wsim.report.grids import grid
    from wsim.stats.filters import column_named

    sheet = table.table.sheet(rows, table.title)
    columns = _columns_shown(sheet, view)
    sheet = replace(sheet, main=tuple(column.name for column in columns))
    game = find_game(table.runs[0].plan.game)
    made = grid("table", sheet, palette=Palette(game.COLOURS), faces=faces_of(table))
    sort = view.sort or ""
    by = column_named(rows, sort.removeprefix("-"), columns=table.table.columns) if sort else ""
    headings = []
    for column, heading in zip(columns, made.columns, strict=True):
        largest_first = column.kind.numeric and not column.kind.ascending
        first, second = (column.name, f"-{column.name}") if largest_first else (f"-{column.name}", column.name)
        headings.append(replace(heading, link=view.address(sort=second if sort == first else first)))
    lines = []
    for row, cells in zip(sheet.rows, made.rows, strict=True):
        link = item_address(view, str(row[rows.columns[0]])) if has_pages(table) else ""
        pick = cells[0].text if link and not view.chosen(rows.columns[0]) else ""
        lines.append([replace(cells[0], link=link, pick=pick), *cells[1:]])
    shown = [column.name for column in columns]
    return replace(
        made, columns=headings, rows=lines, picks="ticked", csv=view.address("/run.csv"), search=False, choices={},
        sorted_by=shown.index(by) if by in shown else None, descending=not sort.startswith("-"),
    )  # fmt: skip


SHOWS = {"run": lambda name: f"/run?{urlencode([('run', name)])}"}
PUBLISHED = {"/run": {"run": "needed", "table": "kept", "charts": "any"}}
ROUTES = [Route("/run", run_page), Route("/run.csv", run_csv), Route("/chart.{kind}", chart)]
