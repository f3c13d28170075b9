"""The tables of one or several runs: split, filtered, sorted, with charts, as files."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from wsim.errors import UserError
from wsim.report.cards import Faces, names_in
from wsim.workbench.rendering import chart_file, folder_of, page
from wsim.workbench.table_view import Tables, TableView, flags_of, has_pages, rows_shown, thing_address

if TYPE_CHECKING:
    import polars as pl
    from starlette.applications import Starlette
    from starlette.requests import Request

    from wsim.lab.run_tables import RunTable
    from wsim.report.grids import Grid
    from wsim.report.page_parts import Figure

NAMES = ("seat", "rank", "team")
"""Columns of whole numbers that tables are split by."""
HEAVY = ("wsim.report.sections", "wsim.stats.combined", "wsim.questions.answer_files")
"""Modules that take seconds to import: imported before they are needed."""
MAX_DRAWN = 120
"""Rows of a chart."""


def begin(app: Starlette) -> None:
    """Store tables as long as the server runs."""
    app.state.tables = Tables(app.state.folder)


def opened_tables(request: Request) -> Tables:
    """Return the tables that the server stores."""
    tables: Tables = request.app.state.tables
    return tables


def run_page(request: Request) -> Response:
    """Return the page of a table of runs."""
    from wsim.lab.run_tables import tables_of_run

    view, table = _view_of(request)
    rows, remark = rows_shown(table, view)
    run = table.runs[0]
    document = table.document(rows, view.command(folder_of(request), flags_of(table.analysis)))
    figures = _figures(table, rows) if view.charts else []
    heading = " and ".join(run.path.name for run in table.runs)
    return page(
        request, "run.html.j2", heading, game=run.plan.game, runs=table.runs, view=view, found=table, said=remark,
        tables=[
            (name, analysis.about, TableView(view.runs, table=name).address())
            for name, analysis in tables_of_run(run).items()
        ],
        grid=(grid := table_grid(table, view, rows)), command=document.command, faces=(faces := faces_of(table)),
        drawings=faces.hidden(names_in(grid)),
        splits=_split_columns(table), options=table.analysis.options, figures=list(enumerate(figures)),
        rows=len(rows), all_rows=len(table.table.frame),
        unsplit=view.address(by=()), more=view.address(wide=True), drawn=view.address(charts=True),
        chart=lambda place, kind: f"/chart.{kind}?{urlencode([*view.query(), ('figure', str(place))])}",
    )  # fmt: skip


def run_csv(request: Request) -> Response:
    """Return the rows shown, as the CSV that the command writes."""
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
    rows, _ = rows_shown(table, view)
    return chart_file(request, _figures(table, rows), table.runs[0].plan.game, view.table)


def _view_of(request: Request) -> tuple[TableView, RunTable]:
    """Return the view of an address, and its table."""
    import polars as pl

    from wsim.lab.run_tables import tables_of_run

    view, tables = TableView.of(request.query_params.multi_items()), opened_tables(request)
    if not view.table:
        view = replace(view, table=next(iter(tables_of_run(tables.run(view.runs[0])))))
    try:
        table = tables.table(view)
    except (FileNotFoundError, pl.exceptions.PolarsError) as error:
        raise UserError(f"the files of {' and '.join(view.runs)} have changed or are missing: {error}") from error
    return (replace(view, by=()) if view.by == table.analysis.by else view), table


def _split_columns(found: RunTable) -> list[tuple[str, bool]]:
    """Return the columns by which the table can be split, and whether it is."""
    run, split = found.runs[0], found.split
    if not found.splits:
        return []
    kinds = run.seats.collect_schema()
    several = [name for name, kind in kinds.items() if ":" not in name and (name in NAMES or not kind.is_numeric())]
    return [(name, name in split) for name in dict.fromkeys([*split, *several])]


def faces_of(found: RunTable) -> Faces:
    """Return the faces of the cards of a run: of the first one, if there are several."""
    return Faces.of_plan(found.runs[0].plan)


def table_grid(found: RunTable, view: TableView, rows: pl.DataFrame) -> Grid:
    """Return the rows as a table whose headings sort and whose rows link to their pages."""
    from wsim.game import find_game
    from wsim.report.grids import grid
    from wsim.report.theme import Palette
    from wsim.stats.filters import column_named

    sheet = found.table.sheet(rows, found.title)
    columns = sheet.columns if view.wide else sheet.shown
    game = find_game(found.runs[0].plan.game)
    made = grid("table", sheet, wide=view.wide, palette=Palette(game.COLOURS), faces=faces_of(found))
    sort = view.sort or ""
    by = column_named(rows, sort.removeprefix("-"), columns=found.table.columns) if sort else ""
    headings = []
    for column, heading in zip(columns, made.columns, strict=True):
        largest_first = column.kind.numeric and not column.kind.ascending
        first, second = (column.name, f"-{column.name}") if largest_first else (f"-{column.name}", column.name)
        headings.append(replace(heading, link=view.address(sort=second if sort == first else first)))
    lines = []
    for row, cells in zip(sheet.rows, made.rows, strict=True):
        link = thing_address(view, str(row[rows.columns[0]])) if has_pages(found) else ""
        lines.append([replace(cells[0], link=link), *cells[1:]])
    shown = [column.name for column in columns]
    return replace(
        made, columns=headings, rows=lines, csv=view.address("/run.csv"), search=False, choices={},
        sorted_by=shown.index(by) if by in shown else None, descending=not sort.startswith("-"),
    )  # fmt: skip


def _figures(found: RunTable, rows: pl.DataFrame) -> list[Figure]:
    """Return the charts of the rows shown."""
    from wsim.game import find_game
    from wsim.report.sections import table_section
    from wsim.report.theme import Palette

    drawn = replace(found.table, frame=rows.head(MAX_DRAWN))
    if drawn.frame.is_empty():
        return []
    return list(table_section(found.name, drawn, Palette(find_game(found.runs[0].plan.game).COLOURS)).figures)


SHOWS = {"run": lambda name: f"/run?{urlencode([('run', name)])}"}
ROUTES = [Route("/run", run_page), Route("/run.csv", run_csv), Route("/chart.{kind}", chart)]
