"""The page See it move: a slider for each number of a card, and live figures for the card and the wonders."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import threading
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from starlette.responses import RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from wsim.errors import UserError
from wsim.files import write_text
from wsim.game import find_game
from wsim.lab.plan import Plan
from wsim.options import short_number
from wsim.policies.declare import ISOLATED
from wsim.report.cards import Faces
from wsim.spec.catalogues import Source
from wsim.workbench.change_page import Changes, changes_of, find_part, group_of, name_of, path_of, short_name
from wsim.workbench.folder import titles
from wsim.workbench.forms import forms
from wsim.workbench.goal_files import goal_text
from wsim.workbench.goal_form import RANGE, search_address
from wsim.workbench.printed import printed_values, ruleset_names
from wsim.workbench.queue_of_questions import module_process
from wsim.workbench.rendering import OWN, folder_of, form_of, page, whole

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request

    from wsim.workbench.folder import Folder

MENU = (("See it move", "/move"),)
OWN |= {"move.js", "move.css"}
PLAYERS = "balanced"
"""The default policy of this page, chosen for its speed."""
PAUSE = 0.15  # seconds between two checks for new figures
ROOM = 5
"""A slider ends this far above the printed number, or at twice the number if that is higher."""
_WHOLE = re.compile(r"-?\d+")


@dataclass(frozen=True)
class Slider:
    """A slider for a number: its path, name, current value, printed value, and the ends of its range."""

    path: str
    name: str
    value: int
    printed: int
    low: int
    high: int


class LiveGames:
    """The single background process that plays games for this page, with the most recently requested baseline."""

    def __init__(self, folder: Folder) -> None:
        self._folder, self._lock, self._trusted = folder, threading.Lock(), ISOLATED.get() is False
        self._process: subprocess.Popen[str] | None = None
        self._baseline: Mapping[str, Any] | None = None
        self.news: dict[tuple[str, ...], str] = {}

    def show(self, baseline: Mapping[str, Any], lines: Sequence[str]) -> subprocess.Popen[str]:
        """Keep playing games with changed values until ``drop`` is called; a new baseline stops all earlier games."""
        with self._lock:
            process = self._process
            if process is None or process.poll() is not None or baseline != self._baseline:
                self._kill()
                process = module_process(
                    "wsim.workbench.live_games", self._folder, subprocess.DEVNULL, trusted=self._trusted
                )
                self._process, self._baseline, self.news = process, baseline, {}
                self._write(process, baseline)
                threading.Thread(target=self._listen, args=(process, self.news), daemon=True).start()
            self._write(process, {"add": list(lines)})
            return process

    def drop(self, process: subprocess.Popen[str], lines: Sequence[str]) -> None:
        """Stop playing games with changed values; the games already played are kept."""
        with self._lock:
            self._write(process, {"drop": list(lines)})

    def close(self) -> None:
        """End the process."""
        with self._lock:
            self._kill()

    def _kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait(5)
            assert self._process.stdin is not None
            with suppress(OSError):
                self._process.stdin.close()

    @staticmethod
    def _write(process: subprocess.Popen[str], record: Mapping[str, Any]) -> None:
        assert process.stdin is not None
        with suppress(OSError, ValueError):  # the process has ended, or its input is closed
            process.stdin.write(json.dumps(record) + "\n")
            process.stdin.flush()

    @staticmethod
    def _listen(process: subprocess.Popen[str], news: dict[tuple[str, ...], str]) -> None:
        """Store the process's newest line about each set of changes; a line without changes applies to all sets."""
        assert process.stdout is not None
        with process.stdout as told:
            for line in told:
                with suppress(ValueError):
                    lines = json.loads(line)["lines"]
                    news[() if lines is None else ("changes", *lines)] = line.strip()


def begin(app: Starlette) -> None:
    """Set up the background process, which starts when a page first needs it."""
    app.state.live = LiveGames(app.state.folder)


def end(app: Starlette) -> None:
    """End the process."""
    app.state.live.close()


def move_page(request: Request) -> Response:
    """Return the page with the sliders of one catalogue part, or the list of parts if the address names none."""
    query = request.query_params
    changes = changes_of(query.multi_items())
    printed = printed_values(changes.game, changes.ruleset)
    parts = movable(printed)
    at = find_part(query.get("at", ""), list(parts))
    plan = _plan_of(request, changes)
    item = name_of(at)
    mistakes = changes.mistakes()
    return page(
        request, "move.html.j2", f"See it move: {item}" if at else "See it move", status=400 if mistakes else 200,
        changes=changes, at=at, item=item, plan=plan, mistakes=[*mistakes.values()],
        parts=_in_order_of_faces(parts, changes), sliders=sliders_of(changes, at, printed) if at else [],
        games=titles(), rulesets=ruleset_names(changes.game),
        events=f"/move/events?{_query(changes, at, plan)}",
        others=[line for line in changes.lines if group_of(path_of(line)) != at],
        ask=_asked(changes, plan, item), catalogue=f"/change?{changes.query(at=at)}",
        saved=query.get("saved", ""), styles=["move.css"], modules=["move.js"], **_drawn(changes, item, mistakes),
    )  # fmt: skip


def _drawn(changes: Changes, item: str, mistakes: Mapping[str, str]) -> dict[str, Any]:
    """Return the template values for drawings of a card as printed and as changed; other parts have no drawings."""
    printed = Faces.of(changes.game, Source(changes.ruleset))
    if item not in printed:
        return {"game": changes.game, "faces": printed, "drawings": []}
    drawings = [("Printed", printed.card(item))]
    if changes.lines and not mistakes:
        drawings.append(
            ("Changed", Faces.of(changes.game, Source(changes.ruleset, None, (), changes.lines)).card(item))
        )
    return {"game": changes.game, "faces": printed, "drawings": drawings}


def _plan_of(request: Request, changes: Changes) -> Plan:
    """Return the baseline plan in an address; raise UserError for unknown policies and policies from files."""
    query = request.query_params
    keys: dict[str, Any] = {"game": changes.game, "ruleset": changes.ruleset}
    known = [str(row["name"]) for row in find_game(changes.game).policies()]
    default = PLAYERS if PLAYERS in known else known[0]
    keys["policies"] = query.get("policies", "").strip() or default
    if query.get("players", "").strip():
        keys["players"] = whole("the number of players", query["players"].strip())
    plan = Plan.make(**keys)
    if plan.code:
        raise UserError(f"policies from files cannot play here: {', '.join(map(str, plan.code))}")
    find_game(plan.game).prepare(plan)  # rejects unknown policies and rule sets
    return plan


def _query(changes: Changes, at: str, plan: Plan) -> str:
    return changes.query(at=at, policies=",".join(dict.fromkeys(plan.policies)), players=str(plan.players))


def _asked(changes: Changes, plan: Plan, item: str) -> str:
    """Return the address of the what-if form, prefilled with the current changes."""
    form = next(form for form in forms() if form.question.change_fields)
    filled, *others = form.question.change_fields
    metric = next((f"{prefix}{item}" for prefix in find_game(plan.game).OWNED), "score")
    fields = [("game", plan.game), ("ruleset", plan.ruleset), ("players", str(plan.players))]
    fields += [("policies", ",".join(dict.fromkeys(plan.policies))), *((name, metric) for name in others[:1])]
    return f"/ask/{form.name}?{urlencode([*fields, *((filled, line) for line in changes.lines)])}"


def movable(printed: Mapping[str, str]) -> dict[str, list[str]]:
    """Map each catalogue part to the paths of its whole numbers; settings of the whole game are excluded."""
    parts: dict[str, list[str]] = {}
    for path, value in printed.items():
        group = group_of(path)
        if _WHOLE.fullmatch(value) and "." in group and group != path:
            parts.setdefault(group, []).append(path)
    return parts


def _in_order_of_faces(parts: Iterable[str], changes: Changes) -> dict[str, str]:
    """Return the names of parts by path, sorted like the gallery: cards by age and colour, then boards and the rest."""
    order = {name: place for place, name in enumerate(Faces.of(changes.game, Source(changes.ruleset)))}
    names = {part: name_of(part) for part in parts}
    return dict(sorted(names.items(), key=lambda named: order.get(named[1], len(order))))


def sliders_of(changes: Changes, at: str, printed: Mapping[str, str]) -> list[Slider]:
    """Return a slider for each whole number of a catalogue part, including numbers added by the changes."""
    current = {path_of(line): line.partition("=")[2].strip() for line in changes.lines}
    paths = [path for path in dict.fromkeys([*printed, *current]) if group_of(path) == at]
    paths.sort(key=lambda path: path.count("."))  # numbers of the part itself first, then numbers of its subparts
    sliders = []
    for path in paths:
        value, before = current.get(path, printed.get(path, "0")), printed.get(path, "0")
        if _WHOLE.fullmatch(value) and _WHOLE.fullmatch(before):
            high = max(int(before) + ROOM, 2 * int(before), int(value))
            sliders.append(Slider(path, short_name(path, at), int(value), int(before), min(0, int(value)), high))
    return sliders


async def events(request: Request) -> Response:
    """Stream the figures of the changed game as server-sent events while the page is open."""
    changes, at = changes_of(request.query_params.multi_items()), request.query_params.get("at", "")
    changes.page()
    plan, live = _plan_of(request, changes), request.app.state.live
    flat = {"game": plan.game, "ruleset": plan.ruleset, "players": plan.players, "policies": list(plan.policies)}
    return StreamingResponse(
        _figures(live, {"plan": flat, "item": name_of(at)}, changes.lines), media_type="text/event-stream"
    )


async def _figures(live: LiveGames, baseline: Mapping[str, Any], lines: Sequence[str]) -> AsyncIterator[str]:
    process = await asyncio.to_thread(live.show, baseline, lines)
    news, sent = live.news, ""
    try:
        while True:
            line = news.get(("changes", *lines)) or news.get((), "")
            if line and line != sent:
                sent = line
                yield f"data: {line}\n\n"
            if process.poll() is not None:
                yield f"data: {json.dumps({'error': 'the games ended: another page plays, or nobody looked'})}\n\n"
                return
            await asyncio.sleep(PAUSE)
    finally:
        live.drop(process, lines)


def goal(request: Request) -> Response:
    """Write a goal file that restores the printed figure despite the changes, and redirect to the search form."""
    pairs = form_of(request)
    fields, changes = dict(pairs), changes_of(pairs)
    changes.page()
    folder, number = folder_of(request), 1
    at = find_part(fields.get("at", ""), list(movable(printed_values(changes.game, changes.ruleset))))
    while folder.inside(f"goal-{number}.toml").exists():
        number += 1
    write_text(folder.inside(f"goal-{number}.toml"), restoring_goal(changes, at, fields))
    return RedirectResponse(search_address(f"goal-{number}.toml"), 303)


def restoring_goal(changes: Changes, at: str, fields: Mapping[str, str]) -> str:
    """Compose a goal file that restores the printed figure of a part with the fewest further changes to its numbers.

    Parameters
    ----------
    fields: the form: ``metric`` and ``value``, the figure and its target; ``policies`` and ``players``.
    """
    try:
        value = float(fields.get("value", ""))
    except ValueError:
        raise UserError("wait until the first games are played: the goal needs the printed figure") from None
    plan = {
        "game": changes.game,
        "ruleset": changes.ruleset,
        "players": short_number(fields.get("players", "")),
        "policies": fields.get("policies") or PLAYERS,
        "set": list(changes.lines),
    }
    target = {"metric": fields.get("metric", "score"), "value": round(value, 3), "within": 0.02}
    sliders = sliders_of(changes, at, printed_values(changes.game, changes.ruleset))
    comment = f"{name_of(at)}: restore the printed figure with the fewest changes in addition to those under [plan]"
    return goal_text(comment, plan, target, {slider.path: RANGE for slider in sliders})


ROUTES = [
    Route("/move", move_page),
    Route("/move/events", events),
    Route("/move/goal", goal, methods=["POST"]),
]
