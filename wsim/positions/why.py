"""Why a game went as it did: at every decision what could have been done, what it was worth, what the choice cost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from wsim.positions.game_value import Game
from wsim.positions.move_text import half, move_text, worth
from wsim.positions.players import names_of, who_plays_on

if TYPE_CHECKING:
    from wsim.game import Simulator
    from wsim.lab.plan import Plan
    from wsim.lab.progress import Progress

PLAYOUTS = 200
"""Playouts of each move, unless another number is asked for."""
COSTLY = 3
"""How many moves are marked as those that cost most."""
SHOWN = 4  # moves of a decision in the text, besides the one that was made
_LEFT_OUT = ("win_shares", "scores", "games")  # of the rows of Game.values


def why_of(
    plan: Plan, number: int, playouts: int = PLAYOUTS, *, seat: int | None = None, policies: str | None = None,
    progress: Progress | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Return what the decisions of a game of a plan were worth, as ``why`` of docs/trace.md describes it.

    Parameters
    ----------
    number: which game of the plan; its own policies decide.
    playouts: of each legal move. Seeded by the plan: the same answer on every machine.
    seat: the decisions of this player only.
    policies: who plays on in the playouts; None: who sits at the table.
    progress: called with ``decisions``, those done and those there are.
    """
    return why_along(_followed(Game(plan, number=number)), playouts, seat=seat, policies=policies, progress=progress)


def _followed(game: Game) -> list[tuple[Game, int]]:
    """Return the game before each decision of its plan's policies, with the index of their move."""
    found = []
    while game.to_move is not None:
        here = game.clone()
        found.append((here, game.made()))
    return found


def why_along(
    decisions: Sequence[tuple[Game, int]], playouts: int = PLAYOUTS, *, seat: int | None = None,
    policies: str | None = None, progress: Progress | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Return what decisions of one game were worth, as ``why_of`` does.

    Parameters
    ----------
    decisions: the game before each of them, with the index of the move that was made; at least one.
    """
    wanted = [(here, index) for here, index in decisions if seat in (None, here.to_move)]
    found: list[dict[str, Any]] = []
    for here, index in wanted:
        found.append(_decision(here, index, playouts, policies))
        if progress is not None:
            progress("decisions", len(found), len(wanted))
    dear = sorted((one for one in found if (one["cost"]["low"] or 0) > 0), key=lambda one: -one["cost"]["win_share"])
    for one in found:
        one["costly"] = any(one is other for other in dear[:COSTLY])
    game = decisions[0][0]
    played_by = names_of(who_plays_on(game.plan, game.number)) if policies is None else policies
    return {"playouts": playouts, "policies": played_by, "decisions": found}


def _decision(here: Game, index: int, playouts: int, policies: str | None) -> dict[str, Any]:
    """Return what a decision was worth."""
    observed = here.observe().record
    decided: dict[str, Any] = {key: observed[key] for key in ("age", "turn") if key in observed}
    decided |= {"seat": here.to_move, "decision": here.decision, "hand": observed["hand"], "scores": here.standing()}
    rows = here.values(policies=policies, games=playouts, rng=here.plan.seed)
    made = next(row for row in rows if row["index"] == index)
    decided |= {"win_shares": made["win_shares"], "made": index, "cost": _cost(here, rows, index, playouts, policies)}
    decided["moves"] = [{key: value for key, value in row.items() if key not in _LEFT_OUT} for row in rows]
    return decided


def _cost(
    game: Game, rows: Sequence[Mapping[str, Any]], index: int, playouts: int, policies: str | None
) -> dict[str, float | None]:
    """Return what a move cost in win share, by fresh playouts of it and the best one.

    The playouts by which a move was found to be the best of many flatter it; these do not know which one it is.
    """
    best = rows[0]["index"]
    if index == best:
        return {"win_share": 0.0, "low": 0.0, "high": 0.0}
    fresh = game.comparison([best, index], policies, game.plan.seed, first=playouts)
    fresh.play_on(playouts)
    loss = fresh.losses(0)
    ends = {"win_share": loss.value[1], "low": loss.low[1], "high": loss.high[1]}
    return {key: round(float(value), 6) for key, value in ends.items()}


def why_text(why: Mapping[str, Any], simulator: Simulator) -> str:
    """Return what ``why_of`` found as text for a person."""
    several = "," in why["policies"]
    players = f"{why['policies'].replace(',', ', ')} in {'their seats' if several else 'every seat'}"
    head = (
        f"Why: each move by {why['playouts']} playouts with {players}, from what the seat knew; "
        "> marks the move that was made"
    )
    return "\n".join([head, *(line for one in why["decisions"] for line in _lines(one, simulator))]) + "\n"


def _lines(decided: Mapping[str, Any], simulator: Simulator) -> Iterator[str]:
    moment = ", ".join(f"{key} {decided[key]}" for key in ("age", "turn") if key in decided)
    numbers = " ".join(map(str, decided["scores"]))
    chances = " ".join(f"{share:.2f}" for share in decided["win_shares"])
    yield ""
    decision = decided["decision"].replace("_", " ")
    yield f"{moment}, seat {decided['seat']} ({decision}): points {numbers}, win chance {chances}"
    yield f"  hand: {_hand(decided['hand'])}"
    shown = [row for place, row in enumerate(decided["moves"]) if place < SHOWN or row["index"] == decided["made"]]
    texts = [move_text(row["move"], simulator) for row in shown]
    width = max(map(len, texts))
    for row, text in zip(shown, texts, strict=True):
        yield f"  {'>' if row['index'] == decided['made'] else ' '} {text:<{width}}  {worth(row)}"
    if (others := len(decided["moves"]) - len(shown)) > 0:
        yield f"    and {others} more"
    if decided["costly"]:
        cost = decided["cost"]
        reach = half(cost["low"], cost["high"])
        yield f"  !! among the moves that cost most: {cost['win_share']:.3f} ±{reach:.3f} of the victory"


def _hand(hand: Any) -> str:
    """Return a hand as text: a list of names, or kinds with their numbers."""
    if isinstance(hand, Mapping):
        return ", ".join(f"{number} {kind}" for kind, number in hand.items()) or "none"
    return ", ".join(map(str, hand)) or "none"
