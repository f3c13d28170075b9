"""Replay games of a run as positions and traces, if rules, engine and policies are unchanged."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from wsim.errors import UserError
from wsim.game import find_game
from wsim.lab.journal import differences, refuse_old_streams
from wsim.lab.provenance import Provenance
from wsim.positions.game_value import Game

if TYPE_CHECKING:
    from wsim.game import Simulator
    from wsim.lab.plan import Plan


class Played(Protocol):
    """The attributes of a run (``wsim.lab.store.Run``) that this module uses."""

    @property
    def path(self) -> Path:
        """The folder of the run."""

    @property
    def plan(self) -> Plan:
        """The plan of the run."""

    @property
    def provenance(self) -> Provenance:
        """The provenance of the run."""

    @property
    def wanted(self) -> range:
        """The numbers of the run's games."""


def game_of_run(run: Played, number: int, *, trust: bool = False) -> Game:
    """Return a game of a run before its first decision (``Run.game``)."""
    refuse_other_game(run, number)
    _simulator_of(run, "replaying games", trust=trust)
    return Game(run.plan, number=number)


def trace_of_run(run: Played, number: int, *, trust: bool = False) -> dict[str, Any]:
    """Return the trace of one game of a run: deal, decisions and scores.

    ``trust``: execute the code in the run folder, even if someone else wrote it. Raises UserError if there is code and
    ``trust`` is not set, for a game outside the run, and if the game cannot be reproduced.
    """
    if type(number) is not int or not 0 <= number < run.plan.games:
        raise UserError(f"the run contains games 0 to {run.plan.games - 1}, not {number!r}")
    return _simulator_of(run, "replaying a game", trust=trust).trace(number)


def _simulator_of(run: Played, action: str, *, trust: bool) -> Simulator:
    """Return a simulator of the run's plan; ``action`` names the attempted action in error messages."""
    plan = run.plan
    if plan.code and not trust:
        raise UserError(
            f"{action} of {str(run.path)!r} would run its {plan.code_in_words()}: if you trust it, set trust=True"
        )
    simulator = find_game(plan.game).prepare(plan)
    refuse_other_rules(run, plan, simulator)
    return simulator


def refuse_other_game(run: Played, number: int) -> None:
    """Raise UserError for a game number outside the run."""
    games = run.wanted
    if isinstance(number, bool) or number not in games:
        raise UserError(
            f"there is no game {number!r} in {str(run.path)!r}: its games are {games.start} to {games.stop - 1}"
        )


def refuse_other_rules(run: Played, plan: Plan, simulator: Simulator) -> None:
    """Raise UserError if rules, engine or policies have changed since the run was played."""
    refuse_old_streams(run.provenance.identity, str(run.path))
    different: Mapping[str, Any] = differences(run.provenance.identity, Provenance.of(plan, simulator).identity)
    for path, (recorded, current) in different.items():
        if path not in ("plan.games", "plan.picks"):
            raise UserError(
                f"the games of {str(run.path)!r} cannot be reproduced: {path} is {json.dumps(recorded)} "
                f"there and {json.dumps(current)} here"
            )
