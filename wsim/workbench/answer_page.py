"""The page of an answer: charts, tables with intervals, notes, and the command that repeats it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePath
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from starlette.responses import PlainTextResponse
from starlette.routing import Route

from wsim.errors import UserError
from wsim.questions.registry import answer_families
from wsim.workbench.folder import plan_in, plan_words
from wsim.workbench.rendering import chart_file, folder_of, kept, page

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from wsim.lab.answer import Stored
    from wsim.report.page_parts import Section

MOST_ROWS = 40
"""Maximum number of rows of a table below a chart; longer tables are collapsed."""


def answer_page(request: Request) -> Response:
    """Return the page of an answer."""
    path = folder_of(request).inside(request.query_params.get("file", ""))
    state = path.stat() if path.is_file() else None
    changed = None if state is None else (state.st_mtime_ns, state.st_size)
    return kept(request, changed, lambda: _answer_page(request, _stored(request)))


def _answer_page(request: Request, stored: Stored) -> Response:
    from wsim.lab.repetition import sound

    record, path = stored.record, stored.path
    assert path is not None
    plan = sound(lambda: dict(stored.kind.flat_plan(record)))
    drawn, file = list(_sections(stored)), request.query_params["file"]
    figures = [figure for section in drawn for figure in section.figures]
    return page(
        request, "answer.html.j2", path.name, game=plan.get("game"), kind=stored.kind.TITLE,
        title=str(stored.record.get("estimand", "")) or stored.kind.TITLE,
        plan=plan_words({**plan, **plan_in(record), "games": None}), sections=drawn, most_rows=MOST_ROWS,
        conclusion=stored.document().conclusion, modules=["terms.js"],
        files=[(name, f"/answer.csv?{urlencode({'file': file, 'table': name})}") for name in _tables(stored)],
        chart=lambda figure, kind: f"/answer.{kind}?{urlencode({'file': file, 'figure': figures.index(figure)})}",
        deals=record.get("deals"), games=record.get("games"), stopped=record.get("stopped"),
    )  # fmt: skip


def answer_csv(request: Request) -> Response:
    """Return a table of an answer as CSV, together with the record of how it was computed."""
    from wsim.display import csv_of

    stored, name = _stored(request), request.query_params.get("table", "")
    if name not in _tables(stored):
        raise UserError(f"the answer has no table {name!r}: it has {', '.join(_tables(stored))}")
    head = {key: value for key, value in stored.record.items() if key not in stored.kind.TABLES}
    named = {"Content-Disposition": f'attachment; filename="{name}.csv"'}
    return PlainTextResponse(csv_of(stored.table(name), head), headers=named, media_type="text/csv")


def answer_chart(request: Request) -> Response:
    """Return a chart of an answer as an SVG or PNG file."""
    stored = _stored(request)
    figures = [figure for section in _sections(stored) for figure in section.figures]
    return chart_file(request, figures, stored.game(), PurePath(stored.name).stem)


def _stored(request: Request) -> Stored:
    """Load the requested answer; raise UserError for a file that is not an answer."""
    from wsim.questions.answer_files import stored_in

    path = folder_of(request).inside(request.query_params.get("file", ""))
    if not path.is_file():
        raise UserError(f"the opened folder contains no file {request.query_params.get('file', '')!r}")
    stored = stored_in(path)
    if stored is None:
        raise UserError(f"{path.name!r} contains rows, not an answer")
    return stored


def _tables(stored: Stored) -> list[str]:
    """Return the names of an answer's non-empty tables."""
    return [name for name in stored.kind.TABLES if isinstance(stored.record.get(name), list) and stored.record[name]]


def _sections(stored: Stored) -> Iterator[Section]:
    from wsim.game import find_game
    from wsim.report.answers import sections
    from wsim.report.theme import Palette

    game = stored.game()
    yield from sections([stored], Palette({} if game is None else find_game(game).COLOURS))


SHOWS = {kind: lambda name: f"/answer?{urlencode({'file': name})}" for kind in answer_families()}
PUBLISHED = {"/answer": {"file": "needed"}}
ROUTES = [Route("/answer", answer_page), Route("/answer.csv", answer_csv), Route("/answer.{kind}", answer_chart)]
