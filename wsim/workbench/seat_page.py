"""The page of a seat or of spectators: what the seat knows, its moves, and the score at the end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from wsim.game import find_game
from wsim.positions.chances import line_up_of, no_chances, playouts_of
from wsim.positions.game_value import Game
from wsim.positions.move_text import move_text, value_texts
from wsim.positions.played_game import HINTS, hint
from wsim.positions.scenes import Card
from wsim.positions.values import BY_NET
from wsim.report.cards import Faces, cards_in
from wsim.report.game_page import AtTable, Replay, board_values
from wsim.workbench.evening import standings
from wsim.workbench.play_table import MAX_LETTERS, NAMELESS, PACES, Decision, Table
from wsim.workbench.rendering import owner, page

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from wsim.positions.chances import Chances

LINES = 14  # lines of the public history
FEW = 20
"""Number of playouts per moment for spectators, if there is no value net."""
SUMS = ("seat", "total", "coins", "rank", "win_share")
"""The fields of a score that are not points of a category."""


def seat_page(request: Request, table: Table, seat: int | None, learned: Mapping[str, Any]) -> Response:
    """Return the page of a seat, or of spectators (``seat`` None); ``learned``: the results of playouts."""
    values: dict[str, Any] = {
        "version": table.version,  # read first: later changes are shown by the next page
        "table": table,
        "seat": seat,
        "link": request.path_params["link"],
        "sentence": table.failure or ("" if seat is None else table.named(table.refusal(seat))),
        **({} if owner(request) else {"menu": ()}),
        "faces": None if table.failure else Faces.of_plan(table.plan),  # the page has the icons before its cards
        "scripts": ["play.js"],
        "modules": ["replay.js"],
        "styles": ["replay.css", "play.css", "board.css"],
        "game": table.plan.game,
        "scenes": (),
        "decision": None,
    }
    heading = f"{'Watching' if seat is None else f'{table.names[seat]} at'} {find_game(table.plan.game).TITLE}"
    if table.ready:
        values |= _game_values(table, seat, learned)
        values["by_net"] = table.game().by_net and "check" not in request.query_params
    return page(request, "seat.html.j2", heading, **values)


def _game_values(table: Table, seat: int | None, learned: Mapping[str, Any]) -> dict[str, Any]:
    """Return the template values for a game that is ready."""
    game = table.game()
    faces, board = Faces.of_plan(table.plan), _board(table, game, seat, learned.get("chances"))
    scenes, scored = board.get("scenes", ()), _score_sheet(game)
    shown = board | scored | _choice(table, game, seat, scenes, faces)
    return (
        shown
        | {
            "drawings": faces.hidden(cards_in(scenes)),  # only cards that the seat sees
            "words": "" if seat is None or scored["scores"] else game.view(seat),
            "standings": standings(table.evening) if len(table.evening) > 1 else (),
            "sitting": table.sitting(),
            "waited_for": table.waited_for(),
            "seen": table.seen()[-LINES:],
            "chances_known": table.ended is not None,
            "steps": len(game.steps),
            "hints": learned.get("hint") or {},
            "chance": learned.get("chance") or "",
            "playouts": HINTS,
            "paces": PACES,
            "nameless": NAMELESS,
            "letters": MAX_LETTERS,
        }
    )


def _score_sheet(game: Game) -> dict[str, Any]:
    """Return the scores of a finished game, the winner first, and the categories in which any seat has points."""
    scores = sorted(game.result or (), key=lambda score: (-score["win_share"], -score["total"]))
    named = [name for name in (scores[0] if scores else ()) if name not in SUMS]
    return {"scores": scores, "categories": [name for name in named if any(score[name] for score in scores)]}


def _choice(table: Table, game: Game, seat: int | None, scenes: Sequence[Any], faces: Faces) -> dict[str, Any]:
    """Return a seat's decision with its moves, and the reasons why other cards in hand cannot be built."""
    decision = None if seat is None else table.decision(seat)
    if seat is None or decision is None:
        return {"decision": None, "moves": [], "obstacles": {}}
    hand = scenes[-1].cities[seat].hand if scenes and game.to_move is not None else ()
    obstacles = decision.game.obstacles()
    moves = _moves(decision, hand, table, faces, obstacles)
    named = {group["name"] for group in moves}
    return {
        "decision": decision,
        "moves": moves,
        "obstacles": {name: why for name, why in obstacles.items() if name not in named},
    }


def _board(table: Table, game: Game, seat: int | None, known: Chances | None) -> dict[str, Any]:
    """Return the template values of the board: a finished game with win chances, or the moments visible so far."""
    if table.over:
        table.look_back()
        if (ended := table.ended) is not None:
            return board_values(ended, home=len(ended.story.scenes) - 1)
    story = table.seen_by(seat).story(game, table.sitting())
    if known is None or len(known.share) != len(story.scenes):  # not requested, or for an earlier decision
        known = no_chances(len(story.seats))
    acting = list(table.waited_for())
    if not table.names and game.to_move is not None and game.decision in find_game(game.plan.game).OPEN:
        acting = [game.to_move]
    return board_values(Replay(game.plan, game.number, story, known, ""), AtTable(seat, acting))


def _moves(
    decision: Decision, cards: Sequence[Card], table: Table, faces: Faces, obstacles: Mapping[str, str]
) -> list[dict[str, Any]]:
    """Return the legal moves grouped by card in hand, with the reason if it cannot be built; other moves are last.

    A move without a card is grouped under any other drawn item that it names, such as a wonder that all seats build.
    """
    hand = {card.name: card for card in cards}
    groups: dict[str | None, dict[str, Any]] = {}
    for move in decision.game.legal():
        name = move.get("card") or next((one for one in move.values() if isinstance(one, str) and one in faces), None)
        key = name if isinstance(name, str) else None
        drawn = hand.get(str(name)) or (Card(str(name)) if name in faces else None)
        why = obstacles.get(str(name), "")
        group = groups.setdefault(key, {"card": drawn, "name": key, "why": why, "moves": []})
        group["moves"].append((move["index"], table.named(move_text(move, decision.game))))
    return sorted(groups.values(), key=lambda group: group["name"] is None)


def hints(table: Table, seat: int, playouts: int | None) -> dict[int, dict[str, str]]:
    """Return each move's win share for a seat, and its loss compared with the best move (empty for the best)."""
    decision = table.decision(seat)
    if decision is None:
        return {}
    rows = hint(decision.game, playouts, shown=None)
    texts = [value_texts(row, 2, best=rank == 0) for rank, row in enumerate(rows)]
    return {row["index"]: {"share": share, "loss": loss} for row, (share, _, loss) in zip(rows, texts, strict=True)}


def chances_so_far(table: Table, seat: int | None, playouts: int | None) -> Chances:
    """Return win chances at all moments so far, from a seat's knowledge or, for spectators of policies, all hands."""
    game = table.game()
    playing = line_up_of(game.plan, game.number)
    playouts = playouts_of(playing, FEW if seat is None else HINTS) if playouts is None else playouts
    return table.seen_by(seat).chances(game, playing, playouts)


def win_chance(known: Chances, seat: int) -> str:
    """Format the current win chance of a seat, with its interval if it comes from playouts."""
    share, low, high = (100 * float(values[-1, seat]) for values in (known.share, known.low, known.high))
    return f"{share:.0f}%" + ("" if known.playouts == BY_NET else f" (95% interval {low:.0f} to {high:.0f}%)")
