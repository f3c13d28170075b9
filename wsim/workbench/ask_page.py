"""Asking: a form for each question, the queue of questions, and each question while it is answered."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from dataclasses import MISSING, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from starlette.responses import RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from wsim.errors import UserError
from wsim.game import find_game
from wsim.installed import GAMES
from wsim.lab.plan import Plan
from wsim.questions.registry import questions
from wsim.workbench.questions import POLICIES, TRUST, Form, Texts, forms
from wsim.workbench.questions import form_of as question_form
from wsim.workbench.queue_of_questions import MAX_WAITING, Questions, QueuedQuestion, lines_of
from wsim.workbench.rendering import OWN, folder_of, form_of, page

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request

    from wsim.options import Option

MENU = (("Ask", "/ask"),)
OUT = "out"
PAUSE = 0.25  # seconds between two checks for news
OWN.add("ask.js")


@dataclass(frozen=True)
class Field:
    """A field of a form.

    Attributes
    ----------
    name, label, help: as shown. kind: ``line``, ``lines``, ``tick`` or ``choice``. text: its content.
    default: shown where it is empty. choices: the values of a choice.
    """

    name: str
    label: str
    help: str
    kind: str
    text: str
    default: str = ""
    choices: Sequence[str] = ()


def begin(app: Starlette) -> None:
    """Start the queue of questions."""
    app.state.questions = Questions(app.state.folder)


def end(app: Starlette) -> None:
    """Stop all questions; what is known so far is written."""
    _questions_of(app).close()


def _questions_of(app: Starlette) -> Questions:
    questions: Questions = app.state.questions
    return questions


def next_answer(request: Request, form: Form) -> str:
    """Return a file name for the next answer of a question."""
    return _questions_of(request.app).next_name(form)


def ask_page(request: Request) -> Response:
    """Return the page of all questions and of those already asked."""
    kinds = [(kind.title, f"/ask/{kind.name}", _first_sentence(kind)) for kind in forms()]
    return page(request, "ask.html.j2", "Ask", kinds=kinds, queued=_questions_of(request.app).listed())


def form_page(request: Request) -> Response:
    """Return the form of a question, filled from the address."""
    kind = question_form(request.path_params["kind"])
    texts = lines_of(request.query_params.multi_items())
    return _form(request, kind, {name: lines for name, lines in texts.items() if name != TRUST}, ())


def ask(request: Request) -> Response:
    """Ask the question of a form, or return the form with its mistakes."""
    kind = question_form(request.path_params["kind"])
    texts = lines_of(form_of(request))
    out = " ".join(texts.pop(OUT, []))
    try:
        queued = _questions_of(request.app).ask(kind, texts, out)
    except UserError as error:
        return _form(request, kind, texts, str(error).split("\nalso: "), out)
    return RedirectResponse(f"/asked/{queued.number}", 303)


def _form(request: Request, kind: Form, texts: Texts, mistakes: Sequence[str], out: str = "") -> Response:
    groups = {heading: fields for heading, fields in fields_of(kind, texts).items() if fields}
    name = out or " ".join(texts.get(OUT, [])) or _questions_of(request.app).next_name(kind)
    return page(
        request, "question.html.j2", kind.title, status=400 if mistakes else 200, kind=kind, about=kind.about,
        groups=groups, mistakes=mistakes, out=name, trust=bool(texts.get(TRUST)), root=str(folder_of(request).root),
    )  # fmt: skip


def fields_of(form: Form, texts: Texts) -> dict[str, list[Field]]:
    """Return the fields of a form under their headings: about the question, and about its games."""
    groups: dict[str, list[Field]] = {"The question": [], "The games": []}
    for name, group, typed, default, spec in form.fields():
        heading = "The games" if group is Plan else "The question"
        groups[heading].append(_field(name, typed, default, spec, texts))
    return groups


def _field(name: str, typed: str, default: Any, spec: Option, texts: Texts) -> Field:
    text = "\n".join(texts.get(name, ()))
    shown = spec.shown() if callable(spec.shown) else spec.shown
    if shown is None and default not in (MISSING, None, (), ""):
        shown = f"{default:,}" if isinstance(default, int) else str(default)
    label = name.replace("_", " ")
    if typed == "bool":
        return Field(name, label, spec.sentence, "tick", text)
    if name == "game":
        return Field(name, label, spec.sentence, "choice", text, shown or "", tuple(GAMES))
    repeated = typed.startswith("tuple") and spec.read is None
    return Field(name, label, spec.sentence, "lines" if repeated and name != POLICIES else "line", text, shown or "")


def _first_sentence(kind: Form) -> str:
    return kind.about.partition("\n")[0].partition(": wsim")[0].rstrip(".") + "."


def queued_page(request: Request) -> Response:
    """Return the page of a question in the queue."""
    queued = _questions_of(request.app).find(request.path_params["number"])
    answer = queued.kind.answer(Path(queued.out)).as_posix()
    again = urlencode([(name, "\n".join(lines)) for name, lines in queued.texts.items()])
    return page(
        request, "asked.html.j2", f"{queued.kind.title} {queued.number}", queued=queued, record=queued.record(),
        texts=queued.texts, again=f"/ask/{queued.kind.name}?{again}", answer=f"/answer?{urlencode({'file': answer})}",
        root=str(folder_of(request).root), scripts=["ask.js"], most=MAX_WAITING,
    )  # fmt: skip


def events(request: Request) -> Response:
    """Stream the changes of a question as server-sent events."""
    queued = _questions_of(request.app).find(request.path_params["number"])
    return StreamingResponse(_changes(queued), media_type="text/event-stream")


async def _changes(queued: QueuedQuestion) -> AsyncIterator[str]:
    version = -1
    while True:
        if queued.version != version:
            version = queued.version
            yield f"data: {json.dumps(queued.record())}\n\n"
        if queued.over:
            return
        await asyncio.sleep(PAUSE)


def stop(request: Request) -> Response:
    """Stop a question."""
    questions = _questions_of(request.app)
    queued = questions.find(request.path_params["number"])
    questions.stop(queued)
    return RedirectResponse(f"/asked/{queued.number}", 303)


def links_of(noun: str, name: str, plan: Plan) -> list[tuple[str, str]]:
    """Return the questions about something that seats have: each as text with the address of its form."""
    game = find_game(plan.game)
    common = {"game": plan.game, "ruleset": plan.ruleset, "players": str(plan.players)}
    return [
        (link.text.format(noun=noun), f"/ask/{question.name}?{urlencode({**common, link.option: name})}")
        for question in questions()
        if (link := question.item_link) is not None and getattr(game, link.needs) is not None
    ]


ROUTES = [
    Route("/ask", ask_page),
    Route("/ask/{kind}", form_page),
    Route("/ask/{kind}", ask, methods=["POST"]),
    Route("/asked/{number}", queued_page),
    Route("/asked/{number}/events", events),
    Route("/asked/{number}/stop", stop, methods=["POST"]),
]
