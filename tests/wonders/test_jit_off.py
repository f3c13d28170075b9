"""One source, two speeds: without the JIT the engine plays the same games (style: galois, tskit).

The whole comparison runs in a process of its own, where numba is off; what it plays is compared with the jitted rows.
``NUMBA_DISABLE_JIT=1 pytest -m jit_off`` runs more: rulebook, playthroughs and twin agreement on the plain functions.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.tiers import first_quick
from tests.wonders.engine_tools import RANDOM, TASTES, engine_table, played, twin_policy
from tests.wonders.reference.game import Reference
from wsim.jit import JIT

TABLES = [("1e", 3), ("1e", 7), ("1e-duo", 2), ("2e", 4), ("2e-cities", 4), ("2e-cities-teams", 4)]
PLAYERS = (*TASTES, RANDOM)


def digests() -> dict[str, str]:
    """Return a digest of the rows of two games of every rule set."""
    answers = {}
    for ruleset, players in TABLES:
        line_up = [PLAYERS[seat % 4] for seat in range(players)]
        rows = played(engine_table(ruleset, players, line_up, seed=31, rotate=True), 2)
        answers[f"{ruleset} {players}"] = hashlib.sha256(rows.tobytes()).hexdigest()
    return answers


@pytest.mark.slow
@pytest.mark.boundscheck
def test_games_without_the_jit_match_compiled_ones() -> None:
    root = Path(__file__).parents[2]
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(root)}
    command = [sys.executable, "-W", "error", "-m", "tests.wonders.test_jit_off"]
    answer = subprocess.run(command, env=environment, cwd=root, capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stderr
    assert json.loads(answer.stdout) == {"jit": False, **digests()}


@pytest.mark.jit_off
@pytest.mark.boundscheck
@first_quick(2, ("ruleset", "players"), TABLES)
def test_a_few_games_agree_with_the_twin(ruleset: str, players: int) -> None:
    line_up = [PLAYERS[seat % 4] for seat in range(players)]
    table = engine_table(ruleset, players, line_up, seed=32)
    twin = Reference(ruleset, players)
    for number in range(2):
        assert table.trace(number) == twin.play(32, number, [twin_policy(ruleset, player) for player in line_up])


if __name__ == "__main__":
    print(json.dumps({"jit": JIT, **digests()}))
