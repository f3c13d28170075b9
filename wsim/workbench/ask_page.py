"""Ask: the forms of all questions, the queue of questions, and the page of a question in progress."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import MISSING, asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from starlette.responses import JSONResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from wsim.errors import UserError
from wsim.game import find_game
from wsim.installed import GAMES
from wsim.lab.plan import Plan
from wsim.lab.record import RECORD
from wsim.questions.registry import questions
from wsim.workbench.checks import check, field_of
from wsim.workbench.folder import plan_words
from wsim.workbench.forms import form_of as question_form
from wsim.workbench.forms import forms
from wsim.workbench.pickers import choices, faces_of
from wsim.workbench.questions import POLICIES, TRUST, Form, Texts
from wsim.workbench.queue_of_questions import Questions, QueuedQuestion, lines_of
from wsim.workbench.rendering import OWN, folder_of, form_of, page
from wsim.workbench.run_page import draw_overview

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request

    from wsim.options import Option
    from wsim.workbench.findings import Finding, Findings

MENU = (("Ask", "/ask"),)
OUT = "out"
NAMED = 3
"""Maximum number of fields that the heading of a collapsed group names."""
HEADINGS = ("More about the question", "More about the games")
PAUSE = 0.25  # seconds between two checks for news
_COMMAND_ONLY = re.compile(
    r" \((?:repeatable|see wsim [^)]*|docs/[^)]*|OTHER minus RUN)\)"
    r"|(?<=\()repeatable[;:] |, numbered from 0: [^.]*|: wsim .*$",
    re.MULTILINE,
)
"""The parts of help that make sense only next to a command."""
OWN |= {"ask.js", "forms.js", "terms.js"}


@dataclass(frozen=True)
class Field:
    """A field of a form.

    Attributes
    ----------
    name, label, help: as shown. kind: ``line``, ``lines``, ``tick`` or ``choice``. text: its content.
    default: shown if the field is empty. choices: the values of a choice. picker, example: see ``wsim.options.Option``.
    several: the separator of several values, ``lines`` or ``commas``; empty: the field takes one value.
    """

    name: str
    label: str
    help: str
    kind: str
    text: str
    default: str = ""
    choices: Sequence[str] = ()
    picker: str = ""
    example: str = ""
    several: str = ""


def begin(app: Starlette) -> None:
    """Start the queue of questions."""
    app.state.questions = Questions(app.state.folder, lambda name: draw_overview(app, name))


def end(app: Starlette) -> None:
    """Stop all questions; the running one writes its result so far."""
    asked_questions(app).close()


def asked_questions(app: Starlette) -> Questions:
    """Return the queue of questions."""
    questions: Questions = app.state.questions
    return questions


def next_answer(request: Request, form: Form) -> str:
    """Return an unused file name for an answer to a question."""
    return asked_questions(request.app).next_name(form)


def ask_page(request: Request) -> Response:
    """Return the page that lists all questions that can be asked, and the queue."""
    topics: dict[str, list[tuple[str, str, str]]] = {}
    for kind in forms():
        topics.setdefault(kind.question.topic, []).append((kind.asks, f"/ask/{kind.name}", _first_sentence(kind)))
    return page(request, "ask.html.j2", "Ask", topics=topics, queued=asked_questions(request.app).listed())


def form_page(request: Request) -> Response:
    """Return the form of a question, filled from the address."""
    kind = question_form(request.path_params["kind"])
    texts = lines_of(request.query_params.multi_items())
    return _form(request, kind, kind.filled({name: lines for name, lines in texts.items() if name != TRUST}), {})


def ask(request: Request) -> Response:
    """Queue the question of a form and redirect to its page, or return the form with its mistakes."""
    kind = question_form(request.path_params["kind"])
    texts = lines_of(form_of(request))
    out = " ".join(texts.pop(OUT, []))
    checked = check(kind, texts, deep=True)
    if checked.mistakes:
        return _form(request, kind, texts, checked.mistakes, out)
    try:
        if next_page := kind.written(folder_of(request), texts, out):
            return RedirectResponse(next_page, 303)
        queued = asked_questions(request.app).ask(kind, texts, out)
    except UserError as error:
        checked.add(field_of(str(error), {**texts, OUT: [out]}), error)
        return _form(request, kind, texts, checked.mistakes, out)
    return RedirectResponse(f"/asked/{queued.number}", 303)


def check_form(request: Request) -> Response:
    """Return the mistakes in a form by field, its changes in words and its forecast time, as JSON."""
    kind = question_form(request.path_params["kind"])
    texts = lines_of(form_of(request))
    texts.pop(OUT, None)
    deep = bool(texts.pop("deep", None))
    checked = check(kind, texts, deep=deep)
    return JSONResponse({"mistakes": checked.mistakes, "preview": checked.preview, "seconds": checked.seconds})


def drawings(request: Request) -> Response:
    """Return card drawings for a rule set, which the pickers of a form show."""
    query = request.query_params
    game = query.get("game") or next(iter(GAMES))
    faces = faces_of(game, query.get("ruleset", "").partition(",")[0].strip())
    return page(request, "drawings.html.j2", "", game=game, faces=faces)


def picker_choices(request: Request) -> Response:
    """Return the choices of a picker as JSON."""
    query = request.query_params
    given = (query.get("picker", ""), query.get("game", ""), query.get("ruleset", ""))
    return JSONResponse([choice._asdict() for choice in choices(*given, folder_of(request))])


def _form(request: Request, kind: Form, texts: Texts, mistakes: Mapping[str, Sequence[str]], out: str = "") -> Response:
    groups = fields_of(kind, texts)
    every = {field.name: field for fields in groups.values() for field in fields}
    first = [name for name in kind.question.first if name in every]
    groups = {heading: [each for each in fields if each.name not in first] for heading, fields in groups.items()}
    name = out or " ".join(texts.get(OUT, [])) or asked_questions(request.app).next_name(kind)
    return page(
        request, "question.html.j2", kind.title, status=400 if mistakes else 200, kind=kind,
        about=[_first_sentence(kind), *kind.about.split("\n\n")[1:]],
        main=[every[name] for name in first], groups={folded_words(heading, [each.label for each in fields]): fields
                for heading, fields in groups.items() if fields},
        labels={"": "", OUT: "File", TRUST: "Run code", **{name: field.label for name, field in every.items()}},
        mistakes=mistakes, out=name, trust=bool(texts.get(TRUST)), root=str(folder_of(request).root),
        modules=["forms.js", "terms.js"],
    )  # fmt: skip


def folded_words(heading: str, labels: Sequence[str]) -> str:
    """Return the heading of a collapsed group of fields, which lists the first labels."""
    named = [label[:1].lower() + label[1:].rstrip("?") for label in labels[:NAMED]]
    more = [f"{len(labels) - NAMED} more"] if len(labels) > NAMED else []
    *first, last = [*named, *more]
    return f"{heading}: {', '.join(first)}{' and ' if first else ''}{last}"


def fields_of(form: Form, texts: Texts) -> dict[str, list[Field]]:
    """Group the fields of a form under two headings: the question itself, and the games it uses."""
    groups: dict[str, list[Field]] = {HEADINGS[0]: [], HEADINGS[1]: []}
    for name, group, typed, default, spec in form.fields():
        if name in form.settled(texts):
            continue
        heading = HEADINGS[group is Plan]
        groups[heading].append(_field(name, typed, default, spec, texts))
    return groups


def _field(name: str, typed: str, default: Any, spec: Option, texts: Texts) -> Field:
    text = "\n".join(texts.get(name, ()))
    shown = spec.shown() if callable(spec.shown) else spec.shown
    if shown is None and default not in (MISSING, None, (), ""):
        shown = f"{default:,}" if isinstance(default, int) else str(default)
    shown, said = _default_of_game(shown or "", " ".join(texts.get("game", ()))), without_command(spec.sentence)
    said += "" if said.endswith(".") else "."
    label = spec.label or name.replace("_", " ").capitalize()
    if typed == "bool":
        return Field(name, label, said, "tick", text)
    if name == "game":
        return Field(name, label, said, "choice", text, shown, tuple(GAMES))
    lines = typed.startswith("tuple") and spec.read is None and name != POLICIES
    several = "lines" if lines else "commas" if typed.startswith("tuple") else ""
    return Field(
        name, label, said, "lines" if lines else "line", text, shown, picker=spec.picker,
        example=spec.example, several=several,
    )  # fmt: skip


def _default_of_game(shown: str, game: str) -> str:
    """Return a game's default from a string with the defaults of all games.

    >>> _default_of_game("1e; 2005 for tower_of_babel", "tower_of_babel")
    '2005'
    >>> _default_of_game("1e; 2005 for tower_of_babel", "")
    '1e'
    """
    first, *others = shown.split("; ")
    named = {name: text for text, _, name in (other.rpartition(" for ") for other in others)}
    return named.get(game, first) if set(named) <= set(GAMES) else shown


def _first_sentence(kind: Form) -> str:
    return without_command(kind.about.partition("\n")[0]).rstrip(".") + "."


def without_command(text: str) -> str:
    """Remove the parts of a help text that make sense only next to a command.

    >>> without_command("Apply this patch to the catalogue (repeatable).")
    'Apply this patch to the catalogue.'
    """
    return _COMMAND_ONLY.sub("", text)


def queued_page(request: Request) -> Response:
    """Return the page that shows a queued question and its progress."""
    queued = asked_questions(request.app).find(request.path_params["number"])
    again = urlencode([(name, "\n".join(lines)) for name, lines in queued.texts.items()])
    kind = queued.kind
    return page(
        request, "asked.html.j2", f"{kind.title} {queued.number}", queued=queued, record=queued.record(),
        game=" ".join(queued.texts.get("game", ())) or next(iter(GAMES)), asked=words_of(kind, queued.texts),
        again=f"/ask/{kind.name}?{again}", answer=kind.address(queued.out), found=_finding(request, queued),
        more=_more(queued), follows=kind.followed, root=str(folder_of(request).root), scripts=["ask.js"],
    )  # fmt: skip


def words_of(kind: Form, texts: Texts) -> dict[str, str]:
    """Return the question as label -> text, worded as in its form; for a run, also the plan with all defaults."""
    labels = {name: spec.label or name.replace("_", " ").capitalize() for name, _, _, _, spec in kind.fields()}
    words = {}
    if kind.followed:
        with suppress(UserError):  # a run that is continued may be gone
            plan, _ = kind.read(texts)
            words = {} if plan is None else {"What is played": plan_words(asdict(plan))}
    return words | {labels.get(name, name).rstrip("?"): ", ".join(lines) for name, lines in texts.items()}


def _finding(request: Request, queued: QueuedQuestion) -> Finding | None:
    """Return the finding of a finished question; None if it is unfinished or failed."""
    entry = folder_of(request).entry(queued.kind.answer(Path(queued.out)).as_posix()) if queued.over else None
    findings: Findings = request.app.state.findings
    return None if entry is None or queued.state == "refused" else findings.of(entry)


def _more(queued: QueuedQuestion) -> str:
    """Return the address of the form that continues a run; "" for an answer."""
    return f"/ask/{queued.kind.name}?{urlencode({'continued': queued.out})}" if queued.kind.followed else ""


def so_far(request: Request) -> Response:
    """Return an HTML fragment with the figures of a run in progress; no content (204) before the first games."""
    from wsim.lab.store import load_run
    from wsim.workbench.findings import so_far as tables_so_far

    queued = asked_questions(request.app).find(request.path_params["number"])
    path = folder_of(request).inside(queued.out)
    if not queued.kind.followed or not (path / RECORD).is_file() or not (run := load_run(path)).games:
        return Response(status_code=204)
    tables = tables_so_far(run)
    return page(
        request, "so_far.html.j2", queued.out, game=run.plan.game, games=run.games, wanted=len(run.wanted),
        tables=tables, address=queued.kind.address(queued.out),
    )  # fmt: skip


def events(request: Request) -> Response:
    """Stream the progress of a question as server-sent events."""
    queued = asked_questions(request.app).find(request.path_params["number"])
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
    questions = asked_questions(request.app)
    queued = questions.find(request.path_params["number"])
    questions.stop(queued)
    return RedirectResponse(f"/asked/{queued.number}", 303)


def links_of(noun: str, name: str, plan: Plan) -> list[tuple[str, str]]:
    """Return links to the questions about an item, each as its text and the address of the prefilled form."""
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
    Route("/ask/{kind}/check", check_form, methods=["POST"]),
    Route("/choices", picker_choices),
    Route("/drawings", drawings),
    Route("/asked/{number}", queued_page),
    Route("/asked/{number}/events", events),
    Route("/asked/{number}/so-far", so_far),
    Route("/asked/{number}/stop", stop, methods=["POST"]),
]
