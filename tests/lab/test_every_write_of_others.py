"""A match, a search for a patch, tuning, learning, a fetch, ended at any of their writes: each goes on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.balance.goals import write_goal
from tests.conftest import Command
from tests.lab.ends import every_write
from tests.lab.test_every_write import anew, data
from wsim import Plan
from wsim.balance.balance import Execution, balance
from wsim.balance.goal import read_goal
from wsim.experiments.match import match
from wsim.game import GAMES
from wsim.jit import JIT
from wsim.lab import remote
from wsim.lab.run import record
from wsim.lab.verify import verify
from wsim.learn.learning_plan import LearningPlan
from wsim.learn.rounds import learn
from wsim.tuning.tune import resume, tune

STEPS = pytest.mark.parametrize("step", [7, pytest.param(1, marks=pytest.mark.slow)])


@pytest.mark.slow
@STEPS
def test_a_match(step: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(GAMES, "luck", "tests.games.luck_game:GAME")
    monkeypatch.setattr("wsim.experiments.deal_files.ROWS_A_PART", 300)
    monkeypatch.setattr("wsim.experiments.match_trial.LARGEST_CHUNK", 1)  # parts do not hang on how fast games are
    how: dict[str, Any] = {"game": "luck", "players": 3, "budget": 200, "within": 0.001, "threads": 1, "luck": "hash"}

    def work(*, resume: bool = False) -> dict[str, Any]:
        found = match("p:skill=3", "p", **how, out="match", resume=resume).record()
        return {name: found[name] for name in ("pairs", "cells", "deals")}

    anew("match")()
    whole = work()

    def after(at: int) -> None:
        assert work(resume=Path("match/match.json").exists()) == whole, at
        assert json.loads(Path("match/match.json").read_text())["deals"] == whole["deals"]

    assert every_write(Path("match"), anew("match"), work, after, step) > 5


GOAL = """
[plan]
game = "medal"
policies = "bold"
set = ["wonders.Temple.points=4", "wonders.Garden.salt=2"]
[[target]]
of = "wonder"
within = 0.05
[[knob]]
path = "wonders.*.points"
range = "-4..4"
[search]
games = 2000
replays = 1000
rounds = 1
proposals = 2
proof_games = 20000
"""


@pytest.mark.usefixtures("medal")
@STEPS
def test_a_search_for_a_patch(step: int, wsim_command: Command) -> None:
    goal = read_goal(write_goal(GOAL, "../goal.toml"))
    whole = balance(goal).record()

    def work() -> None:
        Path("out").mkdir()
        balance(goal, execution=Execution(journal=Path("out/journal")))

    def after(at: int) -> None:
        Path("out").mkdir(exist_ok=True)
        again = balance(goal, execution=Execution(journal=Path("out/journal"), resume=True)).record()
        assert {**again, "seconds": 0} == {**whole, "seconds": 0}, at

    assert every_write(Path("out"), anew("out"), work, after, 3 * step) > 5


@STEPS
def test_tuning(step: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("cmaes", reason="needs wsim[learn]")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(GAMES, "aiming", "tests.tuning.aiming_game:GAME")
    how: dict[str, Any] = {"game": "aiming", "against": "stone", "games": 50, "held_out": 200, "generations": 3}

    def work() -> dict[str, Any]:
        return tune("archer", **how, out="run").record()

    whole = work()

    def after(at: int) -> None:
        found = resume("run").run().record() if Path("run/tune.json").exists() else work()
        assert found == whole, at

    assert every_write(Path("run"), anew("run"), work, after, step) > 5


LESSON: dict[str, Any] = {
    "game": "tower_of_babel",
    "seed": 3,
    "table": [{"ruleset": "2005", "players": 3}],
    "round": [
        {"decisions": 60, "players": "random", "own": "random", "others": "random", "playouts": 1},
        {"decisions": 40, "playouts": 1},
    ],
    "fitting": {"rounds": 1, "size": 32},
    "judge": [{"ruleset": "2005", "players": 3, "against": ["random"], "games": 4}],
}


@pytest.mark.skipif(not JIT, reason="needs many playouts")
@STEPS
def test_learning(step: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    plan = LearningPlan.restore(LESSON)

    def work() -> None:
        learn(plan, Path("net"), threads=1)

    def figures() -> dict[str, bytes]:
        return {name: one for name, one in files("net").items() if not name.endswith(".npz")}

    work()
    whole = figures()

    def after(at: int) -> None:
        work()
        assert figures() == whole, at
        assert Path("net/net.npz").read_bytes() == Path("net/round-2/net.npz").read_bytes(), at

    assert every_write(Path("net"), anew("net"), work, after, 4 * step if step > 1 else 1) > 10
    complete = files("net")
    work()
    assert files("net") == complete


def files(folder: str) -> dict[str, bytes]:
    found = (path for path in sorted(Path(folder).rglob("*")) if path.is_file() and not path.name.startswith("."))
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}


@pytest.mark.usefixtures("toy")
@STEPS
def test_a_fetch(step: int, monkeypatch: pytest.MonkeyPatch) -> None:
    record(Plan.make(games=40, picks=True), "there", shard=10)
    objects = files("there")

    class Place:
        address = "s3://bucket/there"

        def names(self) -> dict[str, int]:
            return {name: len(content) for name, content in objects.items()}

        def get(self, name: str) -> bytes:
            return objects[name]

    monkeypatch.setattr(remote._Place, "of", lambda address: Place())

    def work() -> None:
        remote.copy_run("s3://bucket/there", "run")

    def after(at: int) -> None:
        if not Path("run/run.json").exists():
            work()
        assert data("run") == data("there"), at
        assert verify("run") == [], at

    assert every_write(Path("run"), anew("run"), work, after, step) > 20
