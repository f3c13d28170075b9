"""Advice: the legal moves of a position ranked by value, and the move that each policy would make."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from wsim.errors import UserError
from wsim.game import find_game
from wsim.policies.pool import SEARCH
from wsim.policies.registry import NET_OF_FILE
from wsim.positions.move_text import WIDTH, ranked_lines
from wsim.positions.players import names_of, playout_line_up
from wsim.positions.values import BY_NET

if TYPE_CHECKING:
    from wsim.lab.progress import Progress
    from wsim.positions.game_value import Game

FORMAT = "wsim-advice/1"


def advice(
    game: Game, *, playouts: int | None = 400, seconds: float | None = None, policies: str | None = None, rng: int = 0,
    ask: Sequence[str] = (), progress: Progress | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Return the value of every legal move for the deciding seat, and the move that each policy would make.

    Parameters
    ----------
    playouts: playouts per move; 0: the value net instead of playouts; None: as many as ``seconds`` allows.
    seconds: time limit; the number of playouts then depends on the machine.
    policies: the policies used in playouts; None: the policies at the table. rng: seed of the playouts.
    ask: further policies whose moves to include. All registered policies are included, except searchers that are not
        at the table, because a searcher takes longer to compile than everything else that a run needs.
    """
    if game.to_move is None:
        raise UserError("the game is over: there is no move to advise")
    if playouts is not None and playouts != BY_NET and playouts < 2:
        raise UserError(f"at least 2 playouts are needed, or 0 for the value net, not {playouts}")
    if seconds is not None and not 0 < seconds < 86_400:
        raise UserError(f"seconds must be more than 0 and less than a day, not {seconds:g}")
    values = game.comparison(None, policies, rng, by_net=playouts == BY_NET)
    values.play_on(playouts, seconds, progress)
    rows = [{**row, "paid": game.payments(row["move"])} for row in values.rows()]
    observed = game.observe().record
    return {
        "format": FORMAT,
        "game": game.plan.game,
        "ruleset": game.plan.ruleset,
        **{key: observed[key] for key in ("age", "turn") if key in observed},
        "seat": game.to_move,
        "decision": game.decision,
        "playouts": BY_NET if playouts == BY_NET else values.playouts,
        "play_on": names_of(playout_line_up(game.plan, game.number)) if policies is None else policies,
        "rng": rng,
        "moves": rows,
        "policies": {name: game.ask(name, rng=rng)["index"] for name in (*_policies(game), *ask)},
    }


def _policies(game: Game) -> list[str]:
    """Return the names of the policies that are included by default: all policies that need no parameters."""
    seated = {entry.name for entry in game.plan.line_up}
    rows = find_game(game.plan.game).policies()
    names = [str(row["name"]) for row in rows if row["kind"] != SEARCH or row["name"] in seated]
    unnamed = {"weighted", *(row["name"] for row in rows if row["kind"] == NET_OF_FILE)}
    return [name for name in names if name not in unnamed]


def advice_text(advised: Mapping[str, Any], game: Game) -> str:
    """Format advice as text: the seat's knowledge, the ranked moves, and the choice of each policy."""
    decision = advised["decision"].replace("_", " ")
    players = advised["play_on"].replace(",", ", ")
    how = f"{advised['playouts']} playouts of each move with {players}" if advised["playouts"] else "the value net"
    rank = {row["index"]: number for number, row in enumerate(advised["moves"], 1)}
    wanted: dict[int, list[str]] = {}
    for name, index in advised["policies"].items():
        wanted.setdefault(rank[index], []).append(name)
    return "\n".join(
        [
            game.view(),
            "",
            *wrap(f"What seat {advised['seat']} can do ({decision}), by {how}:", WIDTH),
            *ranked_lines(advised["moves"], game, list(rank.values())),
            "",
            *(
                line
                for number in sorted(wanted)
                for line in wrap(
                    f"Move {number} is what {', '.join(wanted[number])} would do.", WIDTH, subsequent_indent="    "
                )
            ),
        ]
    )
