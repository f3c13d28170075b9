"""The page Analyse: the value of each move in a game from a run, a file or a table, with other moves to try.

The address contains the whole request: the source of the game and the branches taken in it (``at``, ``move``).
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from functools import partial
from http import HTTPStatus
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from wsim.errors import UserError
from wsim.game import find_game
from wsim.lab.store import load_run
from wsim.positions.game_value import Game
from wsim.positions.move_text import interval_text, move_text, value_texts
from wsim.positions.players import names_of, playout_line_up, seated
from wsim.positions.position_file import people_by_seat
from wsim.positions.scenes import by_name
from wsim.positions.values import BY_NET
from wsim.positions.why import PLAYOUTS, is_mistake
from wsim.report.cards import Faces, cards_in
from wsim.report.game_page import board_values, render, replay_of_game
from wsim.workbench.game_analysis import Analyses, Analysis, followed, with_branches
from wsim.workbench.play_pages import replay_page, tables_of, waited
from wsim.workbench.play_table import NAMELESS, person
from wsim.workbench.rendering import OWN, folder_of, form_of, page, whole

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request

MIN_PLAYOUTS, MAX_PLAYOUTS = 2, 2000  # per move
OWN |= {"board.js", "board.css"}
BLUNDERS = 10
"""Maximum number of moves in the list of the costliest moves."""


def begin(app: Starlette) -> None:
    """Create the empty cache of analyses."""
    app.state.analyses = Analyses()


def end(app: Starlette) -> None:
    """Stop all running analyses."""
    _analyses(app).end()


def _analyses(app: Starlette) -> Analyses:
    analyses: Analyses = app.state.analyses
    return analyses


def _fields(request: Request) -> list[tuple[str, str]]:
    """Return the fields of the address that identify an analysis."""
    known = ("run", "number", "file", "table", "steps", "at", "move", "playouts", "finish")
    return [(key, value) for key, value in request.query_params.multi_items() if key in known]


def _analysis(request: Request, fields: list[tuple[str, str]]) -> Analysis:
    """Return the requested analysis; raise UserError for an invalid request."""
    given = dict(fields)
    playouts = whole("the number of playouts", given["playouts"]) if "playouts" in given else None
    if playouts is not None and playouts != BY_NET and not MIN_PLAYOUTS <= playouts <= MAX_PLAYOUTS:
        raise UserError(f"playouts per move must be between {MIN_PLAYOUTS} and {MAX_PLAYOUTS}, not {playouts}")
    steps, moves = ([whole(key, value) for key, value in fields if key == wanted] for wanted in ("at", "move"))
    if len(steps) != len(moves):
        raise UserError("every branch needs a number of steps (at) and a move")
    start, branches = _source(request, given), list(zip(steps, moves, strict=True))

    def make() -> Game:
        game = start()
        return with_branches(followed(game) if "finish" in given else game, branches)

    key = (*fields, _version_of_source(request, given))
    return _analyses(request.app).of(key, make, playouts, partial(_names, request))


def _version_of_source(request: Request, given: dict[str, str]) -> int:
    """Return a version number of the source, which changes with the game at a table or with the file."""
    if "table" in given:
        return tables_of(request.app).of(given["table"]).number
    path = folder_of(request).inside(given.get("file") or given["run"])
    return path.stat().st_mtime_ns if path.is_file() else 0


def _source(request: Request, given: dict[str, str]) -> Callable[[], Game]:
    """Return a function that loads the requested game."""
    if "table" in given:
        table = tables_of(request.app).of(given["table"])
        if not table.over and (table.names or "steps" not in given):
            raise UserError("The game is not over: move values are shown at the end.")
        return partial(_so_far, table.game(), whole("steps", given["steps"])) if "steps" in given else table.game
    folder = folder_of(request)
    if "file" in given:
        text = folder.text(given["file"])
        return lambda: Game.from_json(text)
    if "run" not in given:
        raise UserError("the address does not say which game: give run and number, or file, or table")
    path, number = folder.inside(given["run"]), whole("the number of the game", given.get("number", ""))
    return lambda: followed(load_run(path).game(number))


def _so_far(game: Game, steps: int) -> Game:
    """Return the position of a game after its first ``steps`` steps."""
    history = game.history()
    if steps >= len(history):
        raise UserError(f"the game has {len(history) - 1} steps, not {steps}")
    return history[steps]


def _names(request: Request, game: Game) -> list[str]:
    """Return the name of the player in each seat."""
    key = request.query_params.get("table")
    if key is not None:
        return tables_of(request.app).of(key).sitting()
    people = people_by_seat(folder_of(request).text(file)) if (file := request.query_params.get("file")) else {}
    line_up = seated(game.plan, game.number)
    return [people.get(seat) or line_up[seat % len(line_up)] for seat in range(game.plan.players)]


def _labels(analysis: Analysis, names: Sequence[str]) -> list[str]:
    """Return a label for each seat: its name and board, because several policies can have the same name."""
    story = None if analysis.board is None else analysis.board.story
    boards = [] if story is None else [seat.policy if story.named else seat.name for seat in story.seats]
    return [
        f"{name} ({boards[seat]})" if seat < len(boards) and boards[seat] not in ("", name) else name
        for seat, name in enumerate(names)
    ]


def show(request: Request) -> Response:
    """Return the page of a game with the values computed so far, or the page to open a game if none is given."""
    fields = _fields(request)
    if request.app.state.published is not None:
        return _published(request, dict(fields))
    if not fields:
        files = [entry for entry in folder_of(request).found() if entry.kind in ("run", "position")]
        return page(request, "analyse.html.j2", "Analyse", analysis=None, files=files, styles=["play.css"])
    analysis = _analysis(request, fields)
    told, values = analysis.told, _values(request, analysis, fields)
    game = analysis.game
    values |= {"scenes": (), "scripts": ["play.js"], "branches": sum(key == "at" for key, _ in fields)}
    values |= {"told": game is not None and told, "before": _before(analysis, fields)}
    values["styles"] = ["replay.css", "play.css", "board.css"]
    if game is not None and told:  # ``told`` was read before the values, so that none is missing
        board = analysis.board
        if board is not None:
            values |= board_values(board)
            values["modules"] = ["board.js", "replay.js"]
        cards = [card for before, _ in analysis.decisions for card in _cards(before)]
        values |= {
            "drawings": values["faces"].hidden([*cards, *(cards_in(board.story.scenes) if board else ())]),
            "scores": sorted(game.result or (), key=lambda seat: (-seat["win_share"], -seat["total"])),
            "command": _command(analysis, dict(fields), values["branches"]),
        }
    heading = "Analyse" if game is None else f"A game of {find_game(game.plan.game).TITLE}"
    return page(request, "analyse.html.j2", heading, **values)


def _before(analysis: Analysis, fields: list[tuple[str, str]]) -> str:
    """Return the address that undoes the last branch of the game, scrolled to that decision; "" without branches."""
    places = [index for index, (key, _) in enumerate(fields) if key in ("at", "move")]
    if not places:
        return ""
    left = int(next(value for key, value in reversed(fields) if key == "at"))
    scene = next((scene for scene, steps in enumerate(analysis.steps) if steps > left), 0)
    return f"/analyse?{urlencode([field for index, field in enumerate(fields) if index not in places[-2:]])}#{scene}"


def _cards(game: Game) -> list[str]:
    """Return the cards named in the legal moves of a position."""
    return list(dict.fromkeys(str(move["card"]) for move in game.legal() if move.get("card")))


def values_page(request: Request) -> Response:
    """Return the HTML fragment that shows the decisions valued so far."""
    fields = _fields(request)
    analysis = _analysis(request, fields)
    return page(request, "values_only.html.j2", "", **_values(request, analysis, fields))


def _values(request: Request, analysis: Analysis, fields: list[tuple[str, str]]) -> dict[str, Any]:
    """Return the template values for all decisions valued so far."""
    values: dict[str, Any] = {"analysis": analysis, "version": analysis.version, "query": urlencode(fields)}
    values |= {"fields": fields, "rows": (), "running": analysis.running}  # read before the rows: none is missing
    game = analysis.game
    if game is not None and analysis.told:
        names = _labels(analysis, _names(request, game))
        rows = [_row(analysis, index, names) for index in range(analysis.done)]
        values |= {
            "game": game.plan.game,
            "faces": Faces.of_plan(game.plan),
            "rows": rows,
            "names": names,
            "policies": names_of(playout_line_up(game.plan, game.number)),
            "blunders": sorted((row for row in rows if row["mistake"]), key=lambda row: -row["price"])[:BLUNDERS],
            "checked": urlencode([*(field for field in fields if field[0] != "playouts"), ("playouts", PLAYOUTS)]),
            "check": PLAYOUTS,
        }
    return values


def _published(request: Request, given: dict[str, str]) -> Response:
    """Return the replay page of a finished game, for the published site."""
    game = _source(request, given)()
    if game.to_move is not None:
        raise UserError("the game is not over: its page would show every hand")
    return HTMLResponse(render(replay_of_game(game, _names(request, game))))


def _command(analysis: Analysis, given: dict[str, str], branches: int) -> str:
    """Return the command that prints this analysis; "" if there is none."""
    over = analysis.game is not None and analysis.game.to_move is None
    if branches or "finish" in given or "table" in given or not over:
        return ""
    words = [given["file"]] if "file" in given else [given["run"], given["number"]]
    playouts = [] if analysis.playouts == PLAYOUTS else ["--playouts", str(analysis.playouts)]
    return shlex.join(["wsim", "trace", *words, *playouts, "--why"])


def _row(analysis: Analysis, index: int, names: list[str]) -> dict[str, Any]:
    """Return the template values for one decision, with its moves ordered from best to worst."""
    game, made = analysis.decisions[index]
    seats = names if analysis.board is None else [seat.name for seat in analysis.board.story.seats]
    decided = analysis.valued[index]
    cost = decided["cost"]
    moment = [f"{key} {decided[key]}" for key in ("age", "turn") if key in decided]
    if decided["decision"] != "turn" or not moment:
        moment.append(decided["decision"].replace("_", " "))
    moves = [
        {
            "index": row["index"],
            "words": by_name(move_text(row["move"], game), seats),
            "card": str(row["move"].get("card") or ""),
            "made": row["index"] == made,
            "best": rank == 0,
            **dict(zip(("share", "score", "loss"), value_texts(row, 2, best=rank == 0), strict=True)),
        }
        for rank, row in enumerate(decided["moves"])
    ]
    return {
        "place": index,
        "at": len(game.steps),
        "seat": decided["seat"],
        "who": names[decided["seat"]],
        "moment": ", ".join(moment),
        "made": by_name(move_text(game.legal()[made], game), seats),
        "card": str(game.legal()[made].get("card") or ""),
        "price": cost["win_share"],
        "mistake": is_mistake(cost, analysis.playouts or 0),
        "cost": f"{cost['win_share']:.2f}{interval_text(cost['low'], cost['high'], 2)}",
        "costly": decided.get("costly", False),
        "step": analysis.scene_of(index),
        "moves": moves,
        "cards": [
            (card, [move for move in moves if move["card"] == card])
            for card in dict.fromkeys(move["card"] for move in moves)
        ],
    }


async def changes(request: Request) -> Response:
    """Respond once the analysis is newer than version ``since``, or after a timeout."""
    analysis = _analysis(request, _fields(request))
    return await waited(request, lambda: analysis.version)


async def replay(request: Request) -> Response:
    """Return the replay page of the analysed game, with win chances and turning points."""
    game = _analysis(request, _fields(request)).game
    if game is None:
        raise UserError("the game is being prepared")
    return await replay_page(request, game, _names(request, game))


def play_on(request: Request) -> Response:
    """Open a table that starts at a decision of the game, with a person in the deciding seat."""
    fields = dict(form_of(request))
    analysis = _analysis(request, _fields(request))
    if analysis.game is None:
        raise UserError("the game is being prepared")
    history, at = analysis.game.history(), whole("the number of steps", fields.get("step", ""))
    if at >= len(history) or (seat := history[at].to_move) is None:
        raise UserError(f"there is no decision after {at} steps")
    position, name = history[at], person(fields.get("name", "")) or NAMELESS
    table = tables_of(request.app).open(lambda: position, position.plan, {seat: name}, folder_of(request).root)
    return RedirectResponse(f"/play/{table.key}", HTTPStatus.SEE_OTHER)


ROUTES = [
    Route("/analyse", show),
    Route("/analyse/changes", changes),
    Route("/analyse/values", values_page),
    Route("/analyse/replay", replay),
    Route("/analyse/play", play_on, methods=["POST"]),
]
MENU = (("Analyse", "/analyse"),)
PUBLISHED = {"/analyse": {"run": "kept", "number": "kept", "file": "kept"}}
SHOWS = {"position": lambda name: f"/analyse?file={quote(name)}"}
