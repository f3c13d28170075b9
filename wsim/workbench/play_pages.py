"""Play: tables are opened, and people play at them. The page of a seat is made of what that seat knows and no more."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Mapping, Sequence
from functools import lru_cache
from http import HTTPStatus
from importlib import import_module
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from wsim.errors import UserError
from wsim.files import text_within, write_text
from wsim.game import find_game
from wsim.lab.plan import Plan, sound_games
from wsim.positions.chances import chances, line_up_of
from wsim.positions.game_value import Game
from wsim.positions.move_text import interval_text, move_text
from wsim.positions.played_game import HINTS, hint
from wsim.positions.position_file import read
from wsim.report.theme import Palette
from wsim.workbench.guard import ANY, origin_of
from wsim.workbench.play_table import MOST_LETTERS, MOST_PEOPLE, Decision, Tables, new_seed, person
from wsim.workbench.rendering import folder_of, form_of, page

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request

    from wsim.positions.scenes import Scene

MENU = (("Play", "/play"),)
LINES = 14  # of what everybody has seen
PATIENCE, PAUSE = 25.0, 0.2  # seconds that a browser waits for a change, and between two looks
REPLAY_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"
"""Of a page that has all it needs within itself."""


def tables_of(app: Starlette) -> Tables:
    """Return the tables of the workbench."""
    tables: Tables = app.state.play_tables
    return tables


def begin(app: Starlette) -> None:
    """Begin without a table."""
    app.state.play_tables = Tables()


def end(app: Starlette) -> None:
    """Save the games that are going on."""
    for table in tables_of(app):
        if table.ready and not table.over and (game := table.game()).steps:
            write_text(app.state.folder.inside(f"table-{table.key}.json"), game.to_json() + "\n")


# --- tables -----------------------------------------------------------------------------------------------------------


def show_tables(request: Request) -> Response:
    """Return the tables, and the form of a new one."""
    file, wanted = request.query_params.get("file"), request.query_params.get("game")
    plan = None if file is None else read(_text(request, file))[0]
    usual = None if plan is not None else find_game(wanted) if wanted else next(sound_games())[1]
    return page(
        request,
        "play.html.j2",
        "Play",
        tables=list(tables_of(request.app)),
        rulesets=list(_rulesets()),
        usual="" if usual is None else f"{usual.NAME} {usual.default_plan()['ruleset']}",
        file=file,
        plan=plan,
        seats=range(MOST_PEOPLE if plan is None else min(plan.players, MOST_PEOPLE)),
        letters=MOST_LETTERS,
        styles=["play.css"],
        policies=sorted({str(row["name"]) for _, game in sound_games() for row in game.policies()}),
        saved=[one for one in folder_of(request).found() if one.kind == "position"],
    )


def _rulesets() -> Any:
    """Yield each rule set of each game: its value in the form, and what it is in words."""
    for name, game in sound_games():
        if game.CATALOGUES is None:
            ruleset = str(game.default_plan()["ruleset"])
            yield f"{name} {ruleset}", f"{game.TITLE}, {ruleset}"
            continue
        module, _, attribute = game.CATALOGUES.partition(":")
        for row in vars(import_module(module))[attribute].rulesets():
            yield f"{name} {row['ruleset']}", f"{row['title']} ({row['players']} players)"


def _text(request: Request, name: str) -> str:
    """Return a position file of the folder."""
    return text_within(folder_of(request).inside(name))


def open_table(request: Request) -> Response:
    """Open a table as the form says, and show it."""
    fields = dict(form_of(request))
    names = {seat: name for seat in range(MOST_PEOPLE) if (name := person(fields.get(f"name{seat}", "")))}
    if file := fields.get("file"):
        text = _text(request, file)
        plan = read(text)[0]
        table = tables_of(request.app).open(lambda: Game.from_json(text), plan, names)
    else:
        plan = _plan(request, fields)
        table = tables_of(request.app).open(lambda: Game(plan), plan, names)
    return RedirectResponse(f"/play/{table.key}", HTTPStatus.SEE_OTHER)


def _plan(request: Request, fields: Mapping[str, str]) -> Plan:
    """Return the plan of a new table; raise UserError for one that cannot be."""
    game, _, ruleset = fields.get("rules", "").partition(" ")
    players = fields.get("players", "")
    if not players.isdecimal():
        raise UserError(f"the number of players is a whole number, not {players!r}")
    seed = fields.get("seed", "").strip()
    if seed and not seed.isdecimal():
        raise UserError(f"the seed is a whole number, not {seed!r}")
    patch = fields.get("patch", "").strip()
    plan = Plan.make(
        game=game,
        ruleset=ruleset,
        players=int(players),
        policies=fields.get("policies") or "balanced",
        seed=int(seed) if seed else new_seed(),
        rotate=False,
        games=1,
        patch=(str(folder_of(request).inside(patch)),) if patch else (),
        set=tuple(line.strip() for line in fields.get("changes", "").splitlines() if line.strip()),
    )
    if plan.effects:
        raise UserError("patches with effects in Python do not play at a table: name one with formulas alone")
    if plan.code or plan.named_files("policies"):
        raise UserError("policies of files do not play at a table: name policies that come with the game")
    return plan


def show_table(request: Request) -> Response:
    """Return a table as whoever opened it sees it: the links of the seats, saving, closing."""
    table = tables_of(request.app).of(request.path_params["key"])
    version, base = table.version, _base(request)
    return page(
        request,
        "table.html.j2",
        table.title,
        version=version,
        table=table,
        base=base,
        sitting=table.sitting(),
        waited_for=table.waited_for() if table.ready else [],
        seen=table.seen()[-LINES:] if table.ready else [],
        scripts=["play.js"],
        styles=["play.css"],
        local=base.startswith(("http://127.", "http://localhost")),
    )


def _base(request: Request) -> str:
    """Return how the addresses of seats begin: that of this machine in the local network, if others may come."""
    access = request.app.state.access
    if access.host not in ANY:
        return str(origin_of(access.host, access.port))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # sends nothing: it says which of this machine's addresses would
            return origin_of(probe.getsockname()[0], access.port)
        except OSError:
            return f"http://{request.headers['host']}"


def save_table(request: Request) -> Response:
    """Save the game as a position file of the folder."""
    table, name = tables_of(request.app).of(request.path_params["key"]), dict(form_of(request)).get("file", "").strip()
    if not name.endswith(".json"):
        raise UserError(f"a position file ends in .json, not {name!r}")
    path = folder_of(request).inside(name)
    if path.exists() and '"wsim-position/' not in text_within(path)[:200]:
        raise UserError(f"{name!r} is there and no position: name another file")
    write_text(path, table.game().to_json() + "\n")
    return RedirectResponse(f"/play/{table.key}?saved={quote(name)}", HTTPStatus.SEE_OTHER)


def close_table(request: Request) -> Response:
    """Forget a table."""
    tables_of(request.app).close(request.path_params["key"])
    return RedirectResponse("/play", HTTPStatus.SEE_OTHER)


# --- a seat -----------------------------------------------------------------------------------------------------------


def show_seat(request: Request) -> Response:
    """Return the page of a seat."""
    return _seat_page(request, "", HTTPStatus.OK)


def move(request: Request) -> Response:
    """Make a move of a seat."""
    table, seat = tables_of(request.app).seat(request.path_params["link"])
    fields = dict(form_of(request))
    index = fields.get("move", "")
    try:
        if not index.isdecimal():
            raise UserError(f"a move is a number, not {index!r}")
        table.choose(seat, fields.get("stamp", ""), int(index))
    except UserError as error:
        return _seat_page(request, str(error), HTTPStatus.CONFLICT)
    return _back(request)


def undo(request: Request) -> Response:
    """Take back the last choice of a seat."""
    table, seat = tables_of(request.app).seat(request.path_params["link"])
    try:
        table.undo(seat)
    except UserError as error:
        return _seat_page(request, str(error), HTTPStatus.CONFLICT)
    return _back(request)


def _back(request: Request) -> Response:
    return RedirectResponse(f"/seat/{request.path_params['link']}", HTTPStatus.SEE_OTHER)


def _seat_page(request: Request, sentence: str, status: int) -> Response:
    """Return the page of a seat, made of what the seat knows: its view, its moves, what it learns of playouts."""
    link = request.path_params["link"]
    table, seat = tables_of(request.app).seat(link)
    values: dict[str, Any] = {
        "version": table.version,  # before anything else is looked at: what changes meanwhile is shown by the next page
        "table": table,
        "seat": seat,
        "link": link,
        "sentence": sentence or table.failure,
        "status": status,
        "menu": (),
        "scripts": ["play.js"],
        "styles": ["play.css"],
        "game": table.plan.game,
    }
    heading = f"{table.names[seat]} at {find_game(table.plan.game).TITLE}"
    if not table.ready:
        return page(request, "seat.html.j2", heading, **values, decision=None)
    decision, game, query = table.decision(seat), table.game(), request.query_params
    values |= {
        "scene": game.seen(seat),
        "words": game.view(seat),
        "sitting": table.sitting(),
        "waited_for": table.waited_for(),
        "seen": table.seen()[-LINES:],
        "scores": _ranked(game),
        "decision": decision,
        "moves": () if decision is None else _moves(decision, game.seen(seat), seat),
        "hints": _hints(decision) if decision is not None and "hint" in query else (),
        "chance": _chance(game if decision is None else decision.game, seat) if "chance" in query else "",
        "colour": Palette(find_game(table.plan.game).COLOURS).of,
        "playouts": HINTS,
    }
    return page(request, "seat.html.j2", heading, **values)


def _moves(decision: Decision, scene: Scene | None, seat: int) -> list[dict[str, Any]]:
    """Return the legal moves of a decision by card of the hand, those of none last."""
    hand = {card.name: card for card in scene.cities[seat].hand} if scene is not None else {}
    groups: dict[str | None, dict[str, Any]] = {}
    for one in decision.game.legal():
        name = one.get("card")
        place = name if isinstance(name, str) else None
        group = groups.setdefault(place, {"card": hand.get(str(name)), "name": place, "moves": []})
        group["moves"].append((one["index"], move_text(one, decision.game)))
    return sorted(groups.values(), key=lambda group: group["name"] is None)


def _hints(decision: Decision) -> list[tuple[str, str, str, str]]:
    """Return the best moves in words, with win share, score and what each loses to the best."""
    return [
        (
            move_text(row["move"], decision.game),
            f"{row['win_share']:.2f}{interval_text(row['low'], row['high'], 2)}",
            f"{row['score']:.1f}{interval_text(row['score_low'], row['score_high'], 1)}",
            f"{row['loss']:.2f}{interval_text(row['loss_low'], row['loss_high'], 2)}" if place else "",
        )
        for place, row in enumerate(hint(decision.game))
    ]


def _chance(game: Game, seat: int) -> str:
    """Return what a seat can hope for, in words."""
    plan = game.plan
    found = chances(game.positions()[-1:], line_up_of(plan, game.number), HINTS, plan.seed, [seat])
    share, low, high = (100 * float(one[0, seat]) for one in (found.share, found.low, found.high))
    return f"{share:.0f} % (95 % interval {low:.0f} to {high:.0f} %)"


def _ranked(game: Game) -> Sequence[Mapping[str, Any]]:
    """Return the scores of a game that is over, the best first."""
    return sorted(game.result or (), key=lambda one: (-one["win_share"], -one["total"]))


async def changes(request: Request) -> Response:
    """Answer when the table is not what it was in version ``since``, or after a while."""
    table, _ = tables_of(request.app).seat(request.path_params["link"])
    return await waited(request, lambda: table.version)


async def table_changes(request: Request) -> Response:
    """Answer when the table is not what it was in version ``since``, or after a while."""
    table = tables_of(request.app).of(request.path_params["key"])
    return await waited(request, lambda: table.version)


async def waited(request: Request, version: Any) -> Response:
    """Answer with the version as soon as it is not ``since``, or after a while, or when the browser is gone."""
    since = request.query_params.get("since", "")
    for _ in range(int(PATIENCE / PAUSE)):
        if str(version()) != since or await request.is_disconnected():
            break
        await asyncio.sleep(PAUSE)
    return JSONResponse({"version": version()})


def replay(request: Request) -> Response:
    """Return the replay of a game that is over, with its turning points."""
    table, _ = tables_of(request.app).seat(request.path_params["link"])
    game = table.game()
    if game.to_move is not None:
        raise UserError("The game is going on: its replay shows every hand, so it comes at the end.")
    return replay_page(game, table.sitting())


def replay_page(game: Game, names: Sequence[str]) -> Response:
    """Return the page of a game: one file that needs nothing else."""
    text = _replay(game.to_json(), tuple(names))
    return HTMLResponse(text, headers={"Content-Security-Policy": REPLAY_POLICY})


@lru_cache(maxsize=8)
def _replay(text: str, names: tuple[str, ...]) -> str:
    """Return the page of a position file, which takes seconds: the latest are kept, for all who sat there."""
    from wsim.report.game_page import check_replay, render, replay_of_game

    check_replay(HINTS)
    return render(replay_of_game(Game.from_json(text, trust=True), names, HINTS))


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
    Route("/seat/{link}/replay", replay),
]
SHOWS = {"game": lambda name: f"/play?game={quote(name)}"}
