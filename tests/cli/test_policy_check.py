"""``wsim policies --check``: a custom policy is tested before it is trusted."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import polars as pl
import pytest

from tests.conftest import Command
from wsim.lab import policy_check

GOOD = """
import numpy as np
import wsim
from wsim.rng import below

@wsim.policy(parameters={"step": 1})
def good(public, own, choice, rules):
    own.memory[0] += 1.0
    return (below(own, choice.count) + int(own.parameters[0])) % choice.count

@wsim.policy
def outside(public, own, choice, rules):
    return 0 if public.coins[public.seats + 3 * choice.count] >= 0 else 1

@wsim.policy
def luck(public, own, choice, rules):
    return int(np.random.random() * choice.count)

def plain(public, own, choice, rules):
    return 0

STATE = [0.5]

@wsim.policy
def frozen(public, own, choice, rules):
    return 0 if STATE[0] > 0.4 else 1
"""


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(GOOD)
    return tmp_path


@pytest.mark.slow
def test_a_good_policy_passes(mine: Path, wsim_command: Command) -> None:
    answer = wsim_command("policies", "--check", "./mine.py:good:step=2", "--games", "4", "--json")
    found = json.loads(answer.out)
    assert answer.code == 0
    assert found["passed"]
    assert found["wrong"] == []
    assert sum(found["games"].values()) == 12
    told = wsim_command("policies", "--check", "./mine.py:good", "--games", "4")
    assert "plays the same both ways in 12 games" in told.out


@pytest.mark.slow
def test_a_policy_that_reads_past_a_record_is_found(mine: Path, wsim_command: Command) -> None:
    answer = wsim_command("policies", "--check", "./mine.py:outside", "--games", "3")
    assert answer.code == 1
    assert answer.out.startswith("wrong: ")
    assert "./mine.py:outside" in answer.out
    assert "bounds" in answer.out or "raised" in answer.out


@pytest.mark.slow
@pytest.mark.parametrize(
    ("policy", "sentence"),
    [
        ("./mine.py:luck", "uses random numbers that the plan's seed does not control"),
        ("./mine.py:plain", "is a plain Python policy, which is never compiled"),
        ("balanced", "is not a policy in a file or module"),
        ("./mine.py:none", "there is no function 'none'"),
        ("./other.py:good", "does not exist"),
    ],
)
def test_untestable_policies_are_reported_in_one_sentence(
    mine: Path, wsim_command: Command, policy: str, sentence: str
) -> None:
    answer = wsim_command("policies", "--check", policy, "--games", "2")
    assert answer.code in (1, 2)
    assert sentence in answer.out + answer.err


@pytest.mark.slow
def test_unchecked_skips_bounds_checks(mine: Path, wsim_command: Command) -> None:
    words = ("run", "--games", "20", "--players", "3", "--policies", "./mine.py:outside,random,random", "--json")
    assert "raised IndexError" in wsim_command(*words).err
    assert wsim_command("--unchecked", *words).code == 0


@pytest.mark.parametrize(("games", "seconds"), [(3, 0.3), (50, 5.0)])
def test_the_time_per_game_excludes_startup(games: int, seconds: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the fake clock of the test, a game takes a tenth of a second and the start-up before the first game takes
    100.
    """
    clock, costs = [0.0], [100.0]

    def played(_: int, rows: Any) -> None:
        clock[0] += costs.pop() if costs else 0.0
        clock[0] += 0.1 * len(rows)

    def chunks(simulator: Any, of: Any, **_: Any) -> Any:
        clock[0] += 7.0 if games == 3 else 0.0  # threads that start
        simulator.play(0, np.zeros(len(of[0]), simulator.row_dtype))
        yield SimpleNamespace(seats=pl.DataFrame({"game": [*of[0]]}))

    simulator = SimpleNamespace(seats=1, row_dtype=np.dtype("i8"), play=played)
    monkeypatch.setattr(policy_check, "find_game", lambda _: SimpleNamespace(prepare=lambda _: simulator))
    monkeypatch.setattr(policy_check, "play", chunks)
    monkeypatch.setattr(policy_check, "SHORT", 8.0 if games == 3 else 4.0)
    monkeypatch.setattr("wsim.lab.policy_check.time.perf_counter", lambda: clock[0])
    frame, found = policy_check._play_timed(cast("Any", SimpleNamespace(game="", games=games)))
    assert frame["game"].to_list() == [*range(games)]
    assert found == pytest.approx(seconds)
