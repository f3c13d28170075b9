"""A game of a run told again, if rules, engine and policies are still those that played it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from wsim.errors import UserError
from wsim.game import find_game
from wsim.lab.journal import differences
from wsim.lab.provenance import Provenance

if TYPE_CHECKING:
    from wsim.game import Simulator
    from wsim.lab.plan import Plan
    from wsim.lab.store import Run

__all__ = ["refuse_other_rules", "trace_of"]


def trace_of(run: Run, number: int, *, trust: bool = False) -> dict[str, Any]:
    """Return the trace of one game of a run: what was dealt, every decision, the scores.

    ``trust``: run the policy code that the run folder keeps, whoever wrote it. Raises UserError without it if there is
    any, for a game that the run has not, and if it cannot be told as it was played.
    """
    if type(number) is not int or not 0 <= number < run.plan.games:
        raise UserError(f"the run has the games 0 to {run.plan.games - 1}, not {number!r}")
    if run.plan.code and not trust:
        raise UserError(
            f"{str(run.path)!r} names policy code, {', '.join(run.plan.code)}, that runs when a game is told: "
            "look at it and say trust=True"
        )
    simulator: Simulator = find_game(run.plan.game).prepare(run.plan)
    refuse_other_rules(run, run.plan, simulator)
    return simulator.trace(number)


def refuse_other_rules(run: Run, plan: Plan, simulator: Simulator) -> None:
    """Raise UserError if the games of a run cannot be played again as they were: rules, engine or policies differ."""
    different: Mapping[str, Any] = differences(run.provenance.identity, Provenance.of(plan, simulator).identity)
    for path, (there, here) in different.items():
        if path not in ("plan.games", "plan.picks"):
            raise UserError(
                f"the games of {str(run.path)!r} cannot be told as they were played: {path} is {json.dumps(there)} "
                f"there and {json.dumps(here)} here"
            )
