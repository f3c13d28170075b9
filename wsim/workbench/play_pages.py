"""The pages for playing: open tables and play at them. A seat's page shows only what that seat knows."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from http import HTTPStatus
from importlib.util import find_spec
from threading import Lock
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from starlette.concurrency import run_in_threadpool
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from wsim.errors import UserError
from wsim.game import find_game
from wsim.lab.plan import Plan, loadable_games
from wsim.positions.game_value import Game
from wsim.positions.kernel_game import compile_stepping
from wsim.positions.played_game import HINTS
from wsim.positions.position_file import people_by_seat, read
from wsim.spec.catalogues import catalogues_of
from wsim.workbench.evening import standings
from wsim.workbench.guard import ANY, origin_of
from wsim.workbench.play_table import MAX_LETTERS, MAX_PEOPLE, NAMELESS, PACES, Table, Tables, new_seed, person
from wsim.workbench.rendering import folder_of, form_of, page, whole
from wsim.workbench.seat_page import LINES, chances_so_far, hints, seat_page, win_chance

if TYPE_CHECKING:
    from markupsafe import Markup
    from starlette.applications import Starlette
    from starlette.requests import Request

MENU = (("Play", "/play"),)
MAX_THOUGHTS = 24  # maximum number of cached results
PATIENCE, PAUSE = 25.0, 0.2  # seconds that a browser waits for a change, and between two checks
REPLAY_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"
"""Content security policy of a page that is a single file."""


def tables_of(app: Starlette) -> Tables:
    """Return the tables of the workbench."""
    tables: Tables = app.state.play_tables
    return tables


def begin(app: Starlette) -> None:
    """Restore the tables of the folder, and create the threads for playouts."""
    app.state.play_tables, app.state.thoughts = Tables(app.state.folder.root), Thoughts()


def end(app: Starlette) -> None:
    """Save the unfinished games."""
    for table in tables_of(app):
        if table.ready and not table.over and table.file is not None and table.game().steps:
            table.save(table.file)
    tables_of(app).keep()


class Thoughts:
    """A cache of playout results, computed by two separate threads so that pages stay responsive.

    Repeated requests are computed once; a request for an outdated version of a table is not started.
    """

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(2, "wsim-playouts")
        self._latest: dict[tuple[str, ...], tuple[int, Future[Any]]] = {}
        self._lock = Lock()

    async def about(self, key: tuple[str, ...], version: int, work: Callable[[], Any]) -> Any:
        """Compute and return the result of ``work``; None if a later version was requested before it started."""
        with self._lock:
            latest = self._latest.get(key)
            if latest is None or latest[0] != version or (latest[1].done() and latest[1].exception() is not None):
                latest = self._latest[key] = version, self._pool.submit(self._done, key, version, work)
                for old in list(self._latest)[:-MAX_THOUGHTS]:
                    if self._latest[old][1].done():
                        del self._latest[old]
        return await asyncio.shield(asyncio.wrap_future(latest[1]))  # other requests may be waiting for the same result

    def _done(self, key: tuple[str, ...], version: int, work: Callable[[], Any]) -> Any:
        with self._lock:
            outdated = self._latest[key][0] != version
        return None if outdated else work()


def _thoughts_of(app: Starlette) -> Thoughts:
    thoughts: Thoughts = app.state.thoughts
    return thoughts


# --- tables -----------------------------------------------------------------------------------------------------------


def show_tables(request: Request) -> Response:
    """Return the page that lists the tables, with the form for a new table."""
    return _tables_page(request, request.query_params.get("file"))


def _tables_page(
    request: Request, file: str | None, given: Mapping[str, str] | None = None, refused: str = ""
) -> Response:
    """Return the page that lists the tables; ``given``: the fields of a rejected form; ``refused``: why."""
    wanted = request.query_params.get("game")
    plan = None if file is None else read(folder_of(request).text(file))[0]
    default = None if plan is not None else find_game(wanted) if wanted else next(loadable_games())[1]
    tables = list(tables_of(request.app))
    open_files = {table.file.name for table in tables if table.file is not None}
    return page(
        request,
        "play.html.j2",
        "Play",
        status=HTTPStatus.BAD_REQUEST if refused else HTTPStatus.OK,
        given=given or {},
        refused=refused,
        tables=tables,
        rulesets=list(_rulesets()),
        default="" if default is None else f"{default.NAME} {default.default_plan()['ruleset']}",
        default_policies="" if default is None else _joined(default.default_plan().get("policies", ())),
        nameless=NAMELESS,
        file=file,
        plan=plan,
        seats=range(MAX_PEOPLE if plan is None else min(plan.players, MAX_PEOPLE)),
        people=people_by_seat(folder_of(request).text(file)) if file else {},
        scripts=["play.js"],
        letters=MAX_LETTERS,
        styles=["play.css"],
        policies=sorted({str(row["name"]) for _, game in loadable_games() for row in game.policies()}),
        saved=[
            entry for entry in folder_of(request).found() if entry.kind == "position" and entry.name not in open_files
        ],
    )


def _joined(policies: str | Sequence[str]) -> str:
    return policies if isinstance(policies, str) else ",".join(policies)


def _range_text(numbers: str) -> str:
    """Shorten a list of consecutive numbers to a range such as ``3 to 7``; return other lists unchanged.

    >>> _range_text("3, 4, 5"), _range_text("4, 6"), _range_text("2")
    ('3 to 5', '4, 6', '2')
    """
    parts = [part.strip() for part in numbers.split(",")]
    each = [int(part) for part in parts if part.isdecimal()]
    runs = len(each) == len(parts) > 2 and each == list(range(each[0], each[-1] + 1))
    return f"{parts[0]} to {parts[-1]}" if runs else numbers


def _rulesets() -> Any:
    """Yield the rule sets of all games, each as the value in the form and a label."""
    for name, game in loadable_games():
        catalogues = catalogues_of(game)
        if catalogues is None:
            ruleset = str(game.default_plan()["ruleset"])
            yield f"{name} {ruleset}", f"{game.TITLE}, {ruleset}"
            continue
        for row in catalogues.rulesets():
            yield f"{name} {row['ruleset']}", f"{row['title']} ({_range_text(str(row['players']))} players)"


def open_table(request: Request) -> Response:
    """Open a table from a form and redirect to it, or return the form with an error message."""
    fields = dict(form_of(request))
    try:
        table = _opened(request, fields)
    except UserError as error:
        if fields.get("file"):
            raise
        return _tables_page(request, None, fields, str(error))
    return RedirectResponse(f"/play/{table.key}" if table.names else f"/seat/{table.watching}", HTTPStatus.SEE_OTHER)


def _opened(request: Request, fields: Mapping[str, str]) -> Table:
    names = {seat: name for seat in range(MAX_PEOPLE) if (name := person(fields.get(f"name{seat}", "")))}
    folder, minutes = folder_of(request), fields.get("clock", "").strip()
    clock = 60 * whole("the minutes for a choice", minutes) if minutes else 0
    if file := fields.get("file"):
        text = folder.text(file)
        plan = read(text)[0]
        return tables_of(request.app).open(lambda: Game.from_json(text), plan, names, folder.root, clock)
    plan = _plan(request, fields)
    if not find_game(plan.game).cold():  # otherwise compilation takes longer than a browser should wait
        with compile_stepping():
            find_game(plan.game).prepare(plan)
    return tables_of(request.app).open(lambda: Game(plan), plan, names, folder.root, clock)


def _plan(request: Request, fields: Mapping[str, str]) -> Plan:
    """Return the plan of a new table; raise UserError for an invalid one."""
    game, _, ruleset = fields.get("rules", "").partition(" ")
    seed = fields.get("seed", "").strip()
    patch, policies = fields.get("patch", "").strip(), fields.get("policies", "").strip()
    plan = Plan.make(
        game=game,
        ruleset=ruleset,
        players=whole("the number of players", fields.get("players", "")),
        seed=whole("the seed", seed) if seed else new_seed(),
        rotate=False,
        games=1,
        patch=(str(folder_of(request).inside(patch)),) if patch else (),
        set=tuple(line.strip() for line in fields.get("changes", "").splitlines() if line.strip()),
        **({"policies": policies} if policies else {}),
    )
    if plan.effects:
        raise UserError("a table cannot use patches with Python effects: use one with formulas only")
    if plan.code or plan.named_files("policies"):
        raise UserError("a table cannot use policies from files: use built-in policies")
    return plan


def show_table(request: Request) -> Response:
    """Return the page of a table for the person who opened it: links of the seats, saving and closing."""
    table = tables_of(request.app).of(request.path_params["key"])
    version, base = table.version, _base(request)
    local = base.startswith(("http://127.", "http://localhost"))
    addresses: dict[int | str, str] = {
        "invite": f"{base}/seat/{table.inviting}",
        "watch": f"{base}/seat/{table.watching}",
        **{seat: f"{base}/seat/{link}" for seat, link in table.links.items()},
    }
    return page(
        request,
        "table.html.j2",
        table.title,
        version=version,
        table=table,
        addresses=addresses,
        letters=MAX_LETTERS,
        codes={}
        if local or find_spec("segno") is None
        else {place: qr_code(address) for place, address in addresses.items()},
        nameless=NAMELESS,
        sitting=table.sitting(),
        free=table.free(),
        standings=standings(table.evening),
        waited_for=table.waited_for() if table.ready else [],
        seen=table.seen()[-LINES:] if table.ready else [],
        scripts=["play.js"],
        styles=["play.css"],
        local=local,
    )


def qr_code(address: str) -> Markup:
    """Return a QR code of an address as an SVG drawing; the address is always next to it as text."""
    import segno
    from markupsafe import Markup

    code = segno.make(address, error="m", micro=False)
    return Markup(code.svg_inline(scale=4, border=3, dark="#000", light="#fff", omitsize=True, svgclass="qr"))


def _base(request: Request) -> str:
    """Return the base URL of seat links; if other machines may connect, it has this machine's local address."""
    access = request.app.state.access
    if access.host not in ANY:
        return str(origin_of(access.host, access.port))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # sends nothing, but selects the local address
            return origin_of(probe.getsockname()[0], access.port)
        except OSError:
            return f"http://{request.headers['host']}"


def save_table(request: Request) -> Response:
    """Save the game as a position file in the folder."""
    table, name = tables_of(request.app).of(request.path_params["key"]), dict(form_of(request)).get("file", "").strip()
    if not name.endswith(".json"):
        raise UserError(f"the name of a position file must end in .json, not {name!r}")
    path = folder_of(request).inside(name)
    if path.exists() and '"wsim-position/' not in folder_of(request).text(name)[:200]:
        raise UserError(f"{name!r} exists and is not a position: choose a different name")
    table.save(path)
    return RedirectResponse(f"/play/{table.key}?saved={quote(name)}", HTTPStatus.SEE_OTHER)


def close_table(request: Request) -> Response:
    """Close a table."""
    tables_of(request.app).close(request.path_params["key"])
    return RedirectResponse("/play", HTTPStatus.SEE_OTHER)


# --- a seat -----------------------------------------------------------------------------------------------------------


async def show_seat(request: Request) -> Response:
    """Return a seat's page, based only on the seat's knowledge: its view, moves and playout results."""
    table, place = tables_of(request.app).place(request.path_params["link"])
    if place == "invite":
        return await run_in_threadpool(_invitation, request, table)
    seat = place if isinstance(place, int) else None
    version, learned = table.version, dict[str, Any]()
    playouts = HINTS if "check" in request.query_params else None
    answers: dict[str, Callable[..., Any]] = {"hint": hints, "chance": chances_so_far}
    for wanted, work in answers.items():
        allowed = seat is not None or (wanted == "chance" and not table.names)
        if allowed and wanted in request.query_params and table.ready and not table.over:
            key = (table.key, str(seat), wanted, str(playouts))
            learned[wanted] = await _thoughts_of(request.app).about(key, version, partial(work, table, seat, playouts))
    if (known := learned.pop("chance", None)) is not None:
        learned |= {"chances": known, "chance": "" if seat is None else win_chance(known, seat)}
    if table.version != version and table.names:  # the playouts belong to a past decision
        learned = {}
    return await run_in_threadpool(seat_page, request, table, seat, learned)


def move(request: Request) -> Response:
    """Make a move of a seat."""
    table, seat = tables_of(request.app).seat(request.path_params["link"])
    fields = dict(form_of(request))
    try:
        table.choose(seat, fields.get("stamp", ""), whole("a move", fields.get("move", "")))
    except UserError as error:
        table.refuse(seat, str(error))
    return to_seat(request)


def undo(request: Request) -> Response:
    """Undo the last choice of a seat."""
    table, seat = tables_of(request.app).seat(request.path_params["link"])
    try:
        table.undo(seat)
    except UserError as error:
        table.refuse(seat, str(error))
    return to_seat(request)


def to_seat(request: Request) -> Response:
    """Redirect to the page of a seat, whose address can be reloaded."""
    return RedirectResponse(f"/seat/{request.path_params['link']}", HTTPStatus.SEE_OTHER)


def pace(request: Request) -> Response:
    """Pause or continue the policies of a table without people, or play one moment."""
    table, fields = _without_people(request), dict(form_of(request))
    given, act = fields.get("pace", ""), fields.get("do", "")
    if given not in map(str, PACES) or act not in ("pause", "go", "step"):
        raise UserError(f"a pace is one of {', '.join(map(str, PACES))}, with pause, go or step, not {given!r} {act!r}")
    table.set_pace(paused=act != "go", pace=float(given), step=act == "step")
    chances = "?chance=1" if "chance" in request.query_params else ""
    return RedirectResponse(f"/seat/{request.path_params['link']}{chances}", HTTPStatus.SEE_OTHER)


def take_over(request: Request) -> Response:
    """Give the seat of a policy to a spectator of a table without people."""
    return _taken(request, _without_people(request))


def take_seat(request: Request) -> Response:
    """Give the seat of a policy to a person; only the person who opened the table can do this."""
    return _taken(request, tables_of(request.app).of(request.path_params["key"]))


def _taken(request: Request, table: Table) -> Response:
    fields = dict(form_of(request))
    seat = whole("a seat", fields.get("seat", ""))
    table.take_over(seat, person(fields.get("name", "")) or NAMELESS)
    tables_of(request.app).keep()
    return RedirectResponse(f"/seat/{table.links[seat]}", HTTPStatus.SEE_OTHER)


def _without_people(request: Request) -> Table:
    """Return the table of a link for watching; raise UserError if people play at it."""
    table, place = tables_of(request.app).place(request.path_params["link"])
    if place != "watch" or table.names:
        raise UserError("people play at this table: only they control the game")
    return table


def rematch(request: Request) -> Response:
    """Deal the next game at a table."""
    table, seat = tables_of(request.app).seat(request.path_params["link"])
    try:
        table.rematch()
        tables_of(request.app).keep()
    except UserError as error:
        table.refuse(seat, str(error))
    return to_seat(request)


def rematch_of_table(request: Request) -> Response:
    """Deal the next game at a table; only the person who opened it can do this."""
    table = tables_of(request.app).of(request.path_params["key"])
    table.rematch()
    tables_of(request.app).keep()
    return RedirectResponse(f"/play/{table.key}", HTTPStatus.SEE_OTHER)


def _invitation(request: Request, table: Table, refused: str = "", given: str = "") -> Response:
    """Return the page on which people sit down; redirect a browser that already has a seat."""
    own = request.cookies.get(_cookie(table), "")
    if own in table.links.values():
        return RedirectResponse(f"/seat/{own}", HTTPStatus.SEE_OTHER)
    free = [(seat, table.names[seat]) for seat in table.free()]
    return page(
        request, "invite.html.j2", f"Sit down at {find_game(table.plan.game).TITLE}", menu=(), table=table, free=free,
        letters=MAX_LETTERS, refused=refused, given=given, styles=["play.css"],
        status=HTTPStatus.BAD_REQUEST if refused else HTTPStatus.OK,
    )  # fmt: skip


def sit_down(request: Request) -> Response:
    """Give a seat to a person who has the invitation, and set a cookie that brings the browser back to the seat."""
    table, place = tables_of(request.app).place(request.path_params["link"])
    if place != "invite":
        return to_seat(request)
    fields = dict(form_of(request))
    try:
        name, seat = person(fields.get("name", "")), whole("a seat", fields.get("seat", ""))
        if seat not in table.free():
            raise UserError("Somebody else has just taken this seat: choose a different one.")
        table.rename(seat, name or table.names[seat])
        tables_of(request.app).keep()
    except UserError as error:
        return _invitation(request, table, str(error), fields.get("name", ""))
    reply = RedirectResponse(f"/seat/{table.links[seat]}", HTTPStatus.SEE_OTHER)
    reply.set_cookie(_cookie(table), table.links[seat], path="/seat/", httponly=True, samesite="lax")
    return reply


def _cookie(table: Table) -> str:
    return f"wsim-seat-{table.key}"


async def changes(request: Request) -> Response:
    """Respond when the table has changed since version ``since``, or after a while."""
    table, _ = tables_of(request.app).place(request.path_params["link"])
    return await waited(request, lambda: table.version)


async def table_changes(request: Request) -> Response:
    """Respond when the table has changed since version ``since``, or after a while."""
    table = tables_of(request.app).of(request.path_params["key"])
    return await waited(request, lambda: table.version)


async def waited(request: Request, version: Any) -> Response:
    """Respond with the version as soon as it differs from ``since``, or after ``PATIENCE`` seconds."""
    since = request.query_params.get("since", "")
    for _ in range(int(PATIENCE / PAUSE)):
        if str(version()) != since or await request.is_disconnected():
            break
        await asyncio.sleep(PAUSE)
    return JSONResponse({"version": version()})


async def replay(request: Request) -> Response:
    """Return the replay of a finished game, with its turning points."""
    table, _ = tables_of(request.app).place(request.path_params["link"])
    game = table.game()
    if game.to_move is not None:
        raise UserError("The game is not over: its replay shows every hand, so it is available at the end.")
    return await replay_page(request, game, table.sitting())


async def replay_page(request: Request, game: Game, names: Sequence[str]) -> Response:
    """Return the replay page of a game as one file."""
    key = (game.to_json(), *names)
    text = await _thoughts_of(request.app).about(key, 0, partial(_replay, *key))
    return HTMLResponse(text, headers={"Content-Security-Policy": REPLAY_POLICY})


def _replay(text: str, *names: str) -> str:
    """Return the replay page of a position file."""
    from wsim.report.game_page import check_replay, render, replay_of_game

    check_replay()
    return render(replay_of_game(Game.from_json(text, trust=True), names))


ROUTES = [
    Route("/play", show_tables),
    Route("/play", open_table, methods=["POST"]),
    Route("/play/{key}", show_table),
    Route("/play/{key}/changes", table_changes),
    Route("/play/{key}/save", save_table, methods=["POST"]),
    Route("/play/{key}/close", close_table, methods=["POST"]),
    Route("/seat/{link}", show_seat),
    Route("/seat/{link}/changes", changes),
    Route("/seat/{link}/move", move, methods=["POST"]),
    Route("/seat/{link}/undo", undo, methods=["POST"]),
    Route("/seat/{link}/rematch", rematch, methods=["POST"]),
    Route("/seat/{link}/join", sit_down, methods=["POST"]),
    Route("/seat/{link}/pace", pace, methods=["POST"]),
    Route("/seat/{link}/take", take_over, methods=["POST"]),
    Route("/play/{key}/take", take_seat, methods=["POST"]),
    Route("/seat/{link}/pace", to_seat),
    Route("/seat/{link}/take", to_seat),
    Route("/seat/{link}/rematch", to_seat),
    Route("/seat/{link}/join", to_seat),
    Route("/play/{key}/rematch", rematch_of_table, methods=["POST"]),
    Route("/seat/{link}/move", to_seat),
    Route("/seat/{link}/undo", to_seat),
    Route("/seat/{link}/replay", replay),
]
SHOWS = {"game": lambda name: f"/play?game={quote(name)}"}
