"""A game of a run, as a position that goes on as the run played it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wsim.errors import UserError
from wsim.game import find_game
from wsim.lab.replay import refuse_other_rules
from wsim.positions.game import Game

if TYPE_CHECKING:
    from wsim.lab.store import Run

__all__ = ["game_of_run", "refuse_other_game"]


def refuse_other_game(run: Run, number: int) -> None:
    """Raise UserError for the number of a game that does not belong in a run."""
    games = run.wanted
    if isinstance(number, bool) or number not in games:
        raise UserError(
            f"there is no game {number!r} in {str(run.path)!r}: its games go from {games.start} to {games.stop - 1}"
        )


def game_of_run(run: Run, number: int, *, trust: bool = False) -> Game:
    """Return a game of a run before its first decision (``Run.game``)."""
    refuse_other_game(run, number)
    plan = run.plan
    if plan.code and not trust:
        raise UserError(
            f"{str(run.path)!r} names policy code, {', '.join(plan.code)}, that runs when its games are followed: "
            "look at it and say trust=True"
        )
    refuse_other_rules(run, plan, find_game(plan.game).prepare(plan))
    return Game(plan, number=number)
