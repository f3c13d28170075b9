"""Explain why a game went as it did: the options at every decision, their values, and the cost of the choice."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from wsim.lab.batch import in_chunks
from wsim.positions.character import GOOD
from wsim.positions.game_value import Game
from wsim.positions.move_text import half, move_text, worth
from wsim.positions.players import names_of, playout_line_up
from wsim.positions.values import BY_NET, WORLDS

if TYPE_CHECKING:
    from wsim.game import Simulator
    from wsim.lab.plan import Plan
    from wsim.lab.progress import Progress

PLAYOUTS = 200
"""Default number of playouts per move."""
COSTLY = 3
"""Number of moves marked as the most costly."""
SHOWN = 4  # moves of a decision shown in the text, in addition to the chosen one
NOTICEABLE = GOOD
"""Costs below this are not marked if the value net estimates them, because it is not precise enough."""
_LEFT_OUT = ("win_shares", "scores", "games")  # columns of Game.values


def why_of(
    plan: Plan, number: int, playouts: int = PLAYOUTS, *, seat: int | None = None, policies: str | None = None,
    progress: Progress | None = None, threads: int | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Evaluate all decisions in one game of a plan (for the format, see ``why`` in docs/trace.md).

    Parameters
    ----------
    number: the number of the game; its own policies decide.
    playouts: playouts per legal move; 0: the value net. Seeded by the plan: the same answer on every machine.
    seat: only the decisions of this player.
    policies: the policies used in playouts; None: the policies at the table.
    progress: called with ``decisions``, the number done and the total.
    threads: number of threads that share the decisions; None: one per usable processor.
    """
    game = Game(plan, number=number)
    decisions = []
    while game.to_move is not None:
        before = game.clone()
        decisions.append((before, game.made()))
    return why_along(decisions, playouts, seat=seat, policies=policies, progress=progress, threads=threads)


def why_along(
    decisions: Sequence[tuple[Game, int]], playouts: int = PLAYOUTS, *, seat: int | None = None,
    policies: str | None = None, progress: Progress | None = None, threads: int | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Evaluate the given decisions, all from one game, and return a result like that of ``why_of``.

    Parameters
    ----------
    decisions: the game before each decision, with the index of the chosen move; at least one.
    """
    wanted = [(before, index) for before, index in decisions if seat in (None, before.to_move)]
    valued: list[dict[str, Any]] = []
    for decided in values_along(wanted, playouts, policies, threads):
        valued.append(decided)
        if progress is not None:
            progress("decisions", len(valued), len(wanted))
    mark_costly(valued, playouts)
    game = decisions[0][0]
    played_by = names_of(playout_line_up(game.plan, game.number)) if policies is None else policies
    return {"playouts": playouts, "policies": played_by, "decisions": valued}


def values_along(
    decisions: Sequence[tuple[Game, int]], playouts: int = PLAYOUTS, policies: str | None = None,
    threads: int | None = None,
) -> Iterator[dict[str, Any]]:  # fmt: skip
    """Yield the evaluated decisions for ``why_along`` in order, each as soon as it is ready.

    ``threads`` threads share the decisions (None: one per usable processor). The value net, being fast, uses one.
    """
    for before, _ in decisions[:1]:
        before.comparison([0], policies, 0)  # prepares the players of all clones of the game, once

    def valued(some: range) -> list[dict[str, Any]]:
        return [_valued(*decisions[number], playouts, policies) for number in some]

    threads = 1 if playouts == BY_NET else threads
    for some in in_chunks(valued, [range(len(decisions))], chunk=1, threads=threads):
        yield from some


def _valued(before: Game, index: int, playouts: int, policies: str | None) -> dict[str, Any]:
    """Evaluate the moves of one decision and return its entry in the result of ``why_along``."""
    observed = before.observe().record
    decided: dict[str, Any] = {key: observed[key] for key in ("age", "turn") if key in observed}
    decided |= {"seat": before.to_move, "decision": before.decision}
    decided |= {"hand": observed["hand"]} if "hand" in observed else {}
    decided["scores"] = before.standing()
    rows = before.values(policies=policies, games=playouts, rng=before.plan.seed)
    made = next(row for row in rows if row["index"] == index)
    cost = _cost(before, rows, index, playouts, policies)
    decided |= {"win_shares": made["win_shares"], "made": index, "cost": cost}
    decided["moves"] = [{key: value for key, value in row.items() if key not in _LEFT_OUT} for row in rows]
    return decided


def mark_costly(valued: Sequence[dict[str, Any]], playouts: int = PLAYOUTS) -> None:
    """Set ``costly`` on every evaluated decision: true for the most costly mistakes, at most ``COSTLY`` of them."""
    mistakes = [decision for decision in valued if is_mistake(decision["cost"], playouts)]
    costly = sorted(mistakes, key=lambda decision: -decision["cost"]["win_share"])[:COSTLY]
    for decision in valued:
        decision["costly"] = any(decision is mistake for mistake in costly)


def is_mistake(cost: Mapping[str, float | None], playouts: int) -> bool:
    """Return whether a move clearly reduced the win share."""
    least = NOTICEABLE if playouts == BY_NET else 0.0
    return (cost["low"] or 0) > 0 and (cost["win_share"] or 0) >= least


def _cost(
    game: Game, rows: Sequence[Mapping[str, Any]], index: int, playouts: int, policies: str | None
) -> dict[str, float | None]:
    """Estimate the win share that a move cost, by fresh playouts of the move and of the best move.

    The playouts that selected the best of many moves overstate its value; fresh playouts do not.
    """
    best = rows[0]["index"]
    if index == best:
        return {"win_share": 0.0, "low": 0.0, "high": 0.0}
    by_net = playouts == BY_NET
    first = WORLDS if by_net else playouts
    fresh = game.comparison([best, index], policies, game.plan.seed, first=first, by_net=by_net)
    fresh.play_on(playouts)
    loss = fresh.losses(0)
    ends = {"win_share": loss.value[1], "low": loss.low[1], "high": loss.high[1]}
    return {key: round(float(value), 6) for key, value in ends.items()}


def why_text(why: Mapping[str, Any], simulator: Simulator) -> str:
    """Format the result of ``why_of`` as text."""
    several = "," in why["policies"]
    players = f"{why['policies'].replace(',', ', ')} in {'their seats' if several else 'every seat'}"
    how = f"{why['playouts']} playouts with {players}" if why["playouts"] else "the value net, some turns on"
    head = f"Why: each move by {how}, from what the seat knew; > marks the move that was made"
    return "\n".join([head, *(line for decision in why["decisions"] for line in _lines(decision, simulator))]) + "\n"


def _lines(decided: Mapping[str, Any], simulator: Simulator) -> Iterator[str]:
    moment = [f"{key} {decided[key]}" for key in ("age", "turn", "seat") if key in decided]
    numbers = " ".join(map(str, decided["scores"]))
    chances = " ".join(f"{share:.2f}" for share in decided["win_shares"])
    yield ""
    decision = decided["decision"].replace("_", " ")
    yield f"{', '.join(moment)} ({decision}): points {numbers}, win chance {chances}"
    if "hand" in decided:
        yield f"  hand: {_hand(decided['hand'])}"
    shown = [row for rank, row in enumerate(decided["moves"]) if rank < SHOWN or row["index"] == decided["made"]]
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
    """Format a hand as text, given either a list of names or a mapping from kinds to counts."""
    if isinstance(hand, Mapping):
        return ", ".join(f"{number} {kind}" for kind, number in hand.items()) or "none"
    return ", ".join(map(str, hand)) or "none"
