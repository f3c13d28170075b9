"""The start page: three ways to begin, questions in progress, and the folder's studies with their findings."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlencode

from starlette.responses import RedirectResponse
from starlette.routing import Route

from wsim.errors import UserError
from wsim.game import find_game
from wsim.installed import GAMES
from wsim.lab.plan import Plan
from wsim.workbench.ask_page import asked_questions, next_answer
from wsim.workbench.findings import Findings
from wsim.workbench.forms import form_of
from wsim.workbench.rendering import OWN, folder_of, page, size_words
from wsim.workbench.run_form import GAMES as FIRST_GAMES

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response

MENU = (("Studies", "/"),)
HEAVY = ("wsim.report.conclusions", "wsim.questions.answer_files")
OWN.add("start.js")


def begin(app: Starlette) -> None:
    """Create the cache of findings, which lasts as long as the server."""
    app.state.findings = Findings(app.state.folder, lambda name: app.state.tables.run(name))


def findings_of(request: Request) -> Findings:
    """Return the server's cache of findings."""
    findings: Findings = request.app.state.findings
    return findings


def start(request: Request) -> Response:
    """Return the start page."""
    folder, shows, findings = folder_of(request), request.app.state.shows, findings_of(request)
    rows = [
        (
            entry,
            shows[entry.kind](entry.name) if entry.kind in shows and not entry.damaged else None,
            size_words(entry.size),
            findings.known(entry) if request.app.state.published is None else findings.of(entry),
            f"/ask/run?{urlencode({'continued': entry.name})}" if entry.grows else "",
        )
        for entry in folder.found()
        if request.app.state.published is None or not entry.damaged
    ]
    playing = [queued for queued in asked_questions(request.app).listed() if not queued.over]
    first = Plan.make(game=next(iter(GAMES)), games=FIRST_GAMES)
    return page(
        request, "start.html.j2", folder.root.name or str(folder.root), rows=rows, root=str(folder.root),
        playing=playing, first=first, title=find_game(first.game).TITLE, modules=["start.js"],
        policies=list(dict.fromkeys(first.policies)),
        runs=sum(entry.kind == "run" and not entry.damaged for entry, *_ in rows),
    )  # fmt: skip


def play_now(request: Request) -> Response:
    """Queue the first games of the default plan, and redirect to the page that shows their progress."""
    form = form_of("run")
    name = next_answer(request, form)
    seed = "".join(filter(str.isdecimal, name))  # so that each run plays different games
    queued = asked_questions(request.app).ask(form, {"seed": [seed]}, name)
    return RedirectResponse(f"/asked/{queued.number}", 303)


def finding(request: Request) -> Response:
    """Return an HTML fragment that shows the finding of a run or an answer."""
    name = request.query_params.get("name", "")
    entry = folder_of(request).entry(name)
    if entry is None:
        raise UserError(f"the folder contains no run or answer {name!r}")
    return page(request, "finding.html.j2", name, found=findings_of(request).of(entry))


ROUTES = [Route("/", start), Route("/play-now", play_now, methods=["POST"]), Route("/finding", finding)]
