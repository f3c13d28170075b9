"""Check a user's policy: play the same games compiled and as plain Python, compare the results and time both."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np

from wsim.errors import UserError
from wsim.game import find_game
from wsim.lab.batch import play
from wsim.lab.plan import Plan

if TYPE_CHECKING:
    import polars as pl


SHORT = 1.0  # seconds; in shorter measurements, the cost of frames and threads dominates, so the games are timed alone


@dataclass(frozen=True)
class PolicyCheck:
    """The result of checking a policy.

    Attributes
    ----------
    policy: the line-up entry. tables: the number of games played at each table (rule set and players).
    wrong: the problems found, one sentence each; empty if the check passed.
    compiled, plain: microseconds per game with the policy in every seat, compiled and as plain Python.
    """

    policy: str
    tables: Mapping[str, int]
    wrong: tuple[str, ...]
    compiled: float
    plain: float

    def record(self) -> dict[str, Any]:
        """Return the result as a JSON object."""
        return {
            "policy": self.policy,
            "passed": not self.wrong,
            "wrong": list(self.wrong),
            "games": dict(self.tables),
            "compiled_us": round(self.compiled, 1),
            "plain_us": round(self.plain, 1),
        }


def check_policy(policy: str, tables: Mapping[str, Mapping[str, Any]], games: int, seed: int) -> PolicyCheck:
    """Play games with a policy, compiled (with bounds checks) and as plain Python, and compare them row by row.

    Parameters
    ----------
    policy: a line-up entry that names a function in a file or module.
    tables: name of a table -> its plan keys (game, ruleset, players).
    games: games per table. seed: the seed, the same for every table.

    Raises UserError if the policy cannot be loaded, is built in, or is declared as plain Python.
    """
    wrong: list[str] = []
    played: dict[str, int] = {}
    spent = [0.0, 0.0]
    _refuse_uncompiled(policy)
    for name, keys in tables.items():
        plan = Plan.make(**keys, games=games, seed=seed, policies=policy)
        try:
            compiled, seconds = _play_timed(plan)
            plain, plain_seconds = _play_uncompiled(plan)
        except UserError as error:
            wrong.append(f"{name}: {error}")
            continue
        played[name] = games
        spent[0] += seconds
        spent[1] += plain_seconds
        different = _first_difference(compiled, plain)
        if different is not None:
            wrong.append(
                f"{name}: compiled and plain Python play game {different} differently: the policy reads past a record, "
                "uses a negative index, or keeps state between calls"
            )
    total = max(sum(played.values()), 1)
    return PolicyCheck(policy, played, tuple(wrong), spent[0] / total * 1e6, spent[1] / total * 1e6)


def _refuse_uncompiled(policy: str) -> None:
    """Raise UserError for a policy that is built in or declared as plain Python."""
    from wsim.policies.declare import declaration_of
    from wsim.policies.lineup import parse_entry
    from wsim.policies.user_policies import function_of

    entry = parse_entry(policy)
    if entry.file is None and entry.module is None:
        raise UserError(f"{policy!r} is not a policy in a file or module: write ./FILE.py:NAME or MODULE:NAME")
    function = function_of(entry)
    declared = declaration_of(function)
    if getattr(function, "py_func", function) is function and (declared is None or declared.python):
        raise UserError(f"{policy!r} is a plain Python policy, which is never compiled: there is nothing to compare")


def _play_uncompiled(plan: Plan) -> tuple[pl.DataFrame, float]:
    """Play a plan in a subprocess without the JIT; return its seats table and the seconds spent playing."""
    import polars as pl

    with TemporaryDirectory() as folder:
        out = Path(folder) / "seats.parquet"
        done = subprocess.run(
            [sys.executable, "-m", "wsim.lab.policy_check", json.dumps(plan.as_dict()), str(out)],
            env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise UserError(
                f"as plain Python, {(done.stderr.strip().splitlines() or ['it ended without a message'])[-1]}"
            )
        return pl.read_parquet(out), float(done.stdout)


def _play_timed(plan: Plan) -> tuple[pl.DataFrame, float]:
    """Play a plan on one thread; return its seats table and the seconds spent playing."""
    import polars as pl

    simulator = find_game(plan.game).prepare(plan)
    simulator.play(0, np.zeros(simulator.seats, simulator.row_dtype))  # warm up: the first game of a process is slow
    start = time.perf_counter()
    frames = [chunk.seats for chunk in play(simulator, [range(plan.games)], threads=1, picks=False)]
    seconds = time.perf_counter() - start
    if seconds < SHORT:
        rows = np.zeros(simulator.seats * plan.games, simulator.row_dtype)
        start = time.perf_counter()
        simulator.play(0, rows)
        seconds = time.perf_counter() - start
    return pl.concat(frames), seconds


def _first_difference(compiled: pl.DataFrame, plain: pl.DataFrame) -> int | None:
    """Return the number of the first game whose rows differ; None if all rows are equal."""
    if compiled.equals(plain):
        return None
    for game in compiled["game"].unique(maintain_order=True).to_list():
        if not compiled.filter(compiled["game"] == game).equals(plain.filter(plain["game"] == game)):
            return int(game)
    return None


def _main(plan: str, out: str) -> int:
    """Play a plan, write its seats table and print the seconds; write errors to stderr."""
    try:
        frame, seconds = _play_timed(Plan.restore(json.loads(plan)))
    except UserError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    frame.write_parquet(out)
    sys.stdout.write(f"{seconds}")
    return 0


if __name__ == "__main__":
    sys.exit(_main(*sys.argv[1:]))
