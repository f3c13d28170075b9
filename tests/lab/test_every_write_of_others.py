"""Matches, searches, tuning, learning and copies can be continued after ending at any write or byte."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

import wsim
from tests.balance.goals import write_goal
from tests.conftest import Command
from tests.lab.ends import Ended
from tests.lab.test_every_write import anew, data, some
from wsim import Plan
from wsim.balance.ask import balance
from wsim.balance.goal import read_goal
from wsim.files import StoreError
from wsim.game import GAMES
from wsim.jit import JIT
from wsim.lab import remote
from wsim.lab.execution import Execution
from wsim.lab.run import record
from wsim.lab.verify import verify
from wsim.learn.plan import LearningPlan
from wsim.learn.rounds import learn
from wsim.tuning.answer import resume


@some(7, quick="")
def test_a_match_survives_interruption_at_every_write(
    end: Any, step: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(GAMES, "luck", "tests.games.luck_game:GAME")
    monkeypatch.setattr("wsim.questions.match.deal_files.ROWS_A_PART", 300)
    monkeypatch.setattr("wsim.questions.match.trial.MAX_CHUNK", 1)  # parts do not hang on how fast games are
    how: dict[str, Any] = {"game": "luck", "players": 3, "budget": 30, "within": 0.001, "threads": 1, "luck": "hash"}

    def work(*, resume: bool = False) -> dict[str, Any]:
        found = wsim.match("p:skill=3", "p", **how, out="match", resume=resume).record()
        return {name: found[name] for name in ("pairs", "cells", "deals")}

    anew("match")()
    whole = work()

    def after(at: int) -> None:
        assert work(resume=Path("match/match.json").exists()) == whole, at
        assert json.loads(Path("match/match.json").read_text())["deals"] == whole["deals"]

    assert end(Path("match"), anew("match"), work, after, step) > 3


GOAL = """
[plan]
game = "medal"
policies = "bold"
set = ["wonders.Temple.points=4"]
[[target]]
of = "wonder"
within = 0.05
[[knob]]
path = "wonders.Temple.points"
range = "-4..0"
[search]
games = 600
replays = 300
rounds = 1
proposals = 2
proof_games = 5000
"""


@pytest.mark.slow
@pytest.mark.usefixtures("medal")
@some(21, quick="writes")
def test_a_patch_search_survives_interruption_at_every_write(end: Any, step: int, wsim_command: Command) -> None:
    goal = read_goal(write_goal(GOAL, "../goal.toml"))
    whole = balance(goal).record()

    def work() -> None:
        Path("out").mkdir()
        balance(goal, journal=Path("out/journal"))

    def after(at: int) -> None:
        Path("out").mkdir(exist_ok=True)
        again = balance(goal, journal=Path("out/journal"), resume=True).record()
        assert {**again, "seconds": 0} == {**whole, "seconds": 0}, at

    assert end(Path("out"), anew("out"), work, after, step) > 5


@pytest.mark.usefixtures("medal")
@some(1, quick="")
def test_a_found_patch_survives_interruption_at_every_write(
    end: Any, step: int, wsim_command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The search continues from any combination of its record, the patch and the journal that a process leaves."""

    def work(*more: str) -> None:
        answer = wsim_command("balance", write_goal(GOAL, "goal.toml"), "--out", "out/patch.toml", "--quiet", *more)
        if answer.code == 1:
            raise StoreError(answer.err)
        assert answer.code in (0, 130), answer.err

    def written() -> tuple[str, Any]:
        record = json.loads(Path("out/patch.json").read_text(encoding="utf-8"))
        return Path("out/patch.toml").read_text(encoding="utf-8"), {**record, "seconds": 0}

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    Path("out").mkdir()
    with monkeypatch.context() as patch:
        patch.setattr("wsim.balance.answer.BalanceAnswer.write", stop)
        work()
    shutil.copytree("out", "searched")
    work("--resume")
    whole = written()

    def after(at: int) -> None:
        if not Path("out/patch.toml").exists():
            work("--resume")
            assert not Path("out/patch.toml.journal").exists(), at
        assert written() == whole, at

    assert end(Path("out"), anew("out", "searched"), lambda: work("--resume"), after, step) > 1


@pytest.mark.slow
@some(7, quick="writes")
def test_tuning_survives_interruption_at_every_write(
    end: Any, step: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("cmaes", reason="needs wsim[learn]")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(GAMES, "aiming", "tests.tuning.aiming_game:GAME")
    how: dict[str, Any] = {"game": "aiming", "against": "stone", "games": 50, "held_out": 200, "generations": 3}

    def work() -> dict[str, Any]:
        return without_question(wsim.tune("archer", **how, out="run").record())

    def without_question(record: dict[str, Any]) -> dict[str, Any]:
        return {key: value for key, value in record.items() if key != "asked"}  # a resumed search was asked differently

    whole = work()

    def after(at: int) -> None:
        record = without_question(resume("run").run().record()) if Path("run/tune.json").exists() else work()
        assert record == whole, at

    assert end(Path("run"), anew("run"), work, after, step) > 5


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


@pytest.mark.slow
@pytest.mark.skipif(not JIT, reason="needs many playouts")
@some(28, quick="writes")
def test_learning_survives_interruption_at_every_write(
    end: Any, step: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    plan = LearningPlan.restore(LESSON)

    def work() -> None:
        learn(plan, Path("net"), execution=Execution(threads=1))

    def figures() -> dict[str, bytes]:
        return {name: one for name, one in files("net").items() if not name.endswith(".npz")}

    work()
    whole = figures()

    def after(at: int) -> None:
        work()
        assert figures() == whole, at
        assert Path("net/net.npz").read_bytes() == Path("net/round-2/net.npz").read_bytes(), at

    assert end(Path("net"), anew("net"), work, after, step) >= 10
    complete = files("net")
    work()
    assert files("net") == complete


def files(folder: str) -> dict[str, bytes]:
    found = (path for path in sorted(Path(folder).rglob("*")) if path.is_file() and not path.name.startswith("."))
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}


class Place:
    """A path in an object store. ``ends``: the write before which the sending process ends; 0: never."""

    address = "s3://bucket/there"

    def __init__(self, objects: dict[str, bytes], ends: int = 0) -> None:
        self.objects, self.ends, self.writes = objects, ends, 0

    def names(self) -> dict[str, int]:
        return {name: len(content) for name, content in self.objects.items()}

    def get(self, name: str) -> bytes:
        return self.objects[name]

    def holds(self, name: str, content: bytes) -> bool:
        return self.objects[name] == content

    def put(self, name: str, content: bytes) -> None:
        self.writes += 1
        if self.ends and self.writes >= self.ends:
            raise Ended(name)
        self.objects[name] = content

    def claim(self, digest: str) -> None:
        if CLAIM not in self.objects:
            self.put(CLAIM, digest.encode())
        self.check_claim(digest)

    def check_claim(self, digest: str) -> None:
        assert self.objects[CLAIM] == digest.encode()

    def release(self) -> None:
        self.put(CLAIM, b"")
        del self.objects[CLAIM]


CLAIM = remote._CLAIM


@pytest.mark.slow
@pytest.mark.usefixtures("toy")
@some(9, quick="writes")
def test_a_fetch_survives_interruption_at_every_write(end: Any, step: int, monkeypatch: pytest.MonkeyPatch) -> None:
    record(Plan.make(games=40, picks=True), "there", shard=10)
    objects = files("there")
    monkeypatch.setattr(remote._Location, "of", lambda address: Place(objects))

    def work() -> None:
        remote.copy_run("s3://bucket/there", "run")

    def after(at: int) -> None:
        if not Path("run/run.json").exists():
            work()
        assert data("run") == data("there"), at
        assert verify("run") == [], at

    assert end(Path("run"), anew("run"), work, after, step) > 10


@pytest.mark.slow
@pytest.mark.usefixtures("toy")
def test_a_copy_to_a_store_survives_interruption_at_every_write(monkeypatch: pytest.MonkeyPatch) -> None:
    record(Plan.make(games=40, picks=True), "run", shard=10)
    whole = files("run")

    def send(place: Place) -> None:
        monkeypatch.setattr(remote._Location, "of", lambda address: place)
        remote.copy_run("run", "s3://bucket/there")

    send(counting := Place({}))
    for at in range(1, counting.writes + 1):
        there: dict[str, bytes] = {}
        with pytest.raises(Ended):
            send(Place(there, at))
        assert ("run.json" in there) == (at == counting.writes), at  # all but the claim is there
        send(Place(there))
        assert there == whole, at
    assert counting.writes > 10
    assert files("run") == whole
