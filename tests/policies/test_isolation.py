"""Isolated policies play like trusted ones, and a failure costs them one decision without affecting others."""

from __future__ import annotations

import gc
import json
import re
import sys
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from textwrap import dedent
from typing import Any

import numpy as np
import polars as pl
import pytest

import wsim
from tests.conftest import Command
from wsim import UserError
from wsim.game import find_game
from wsim.lab.batch import play, rows_and_picks
from wsim.lab.plan import Plan
from wsim.lab.run import record
from wsim.policies import isolation, user_policies
from wsim.policies.confinement import _filter
from wsim.policies.declare import ISOLATED, isolated
from wsim.positions import side_by_side
from wsim.positions.side_by_side import IsolatedPolicies
from wsim.questions.match.answer import contest_of_files

FILE = Path(__file__).parent / "hostile.py"
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="Landlock and seccomp")
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="isolation needs POSIX")


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(isolation, "SECONDS", 4.0)
    monkeypatch.setattr(user_policies, "_PLUGGED", {})
    isolation.STARTED.clear()
    yield
    for policy in isolation.STARTED:
        if isinstance(policy, isolation.Isolated) and policy._process is not None:
            policy._process.end()  # or a collection of garbage, which takes a second among the objects of numba
    isolation.STARTED.clear()


@pytest.fixture(autouse=True, scope="module")
def swept() -> Iterator[None]:
    """End the processes of policies that are no longer used."""
    yield
    gc.collect()


def played(name: str, *, apart: bool = True, games: int = 1, **keys: Any) -> pl.DataFrame:
    plan: dict[str, Any] = {"players": 3, "seed": 3, "rotate": False, **keys}
    with isolated(apart):
        return wsim.simulate(games=games, policies=[f"{FILE}:{name}", "random", "random"], threads=1, **plan)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "keys"),
    [
        ("plain", {"ruleset": "2e-cities", "randomise": "0.3"}),
        ("plain", {"game": "tower_of_babel", "overrule": "0.3,0,0.1"}),
        ("last:back=2:explore=0.3", {"rotate": True, "overrule": "0.2,0.2,0"}),
    ],
    ids=["plain", "babel", "compiled"],
)
def test_isolated_play_gives_the_rows_and_picks_of_trusted_play(name: str, keys: dict[str, Any]) -> None:
    """Any number of games played in parallel equal games played one at a time."""
    policies = (f"{FILE}:{name}", "random", "balanced")
    plan = Plan.make(players=3, seed=3, policies=policies, **{"rotate": False, **keys})
    game, games = find_game(plan.game), range(2, 27)

    def tables(simulator: Any, part: range) -> tuple[pl.DataFrame, pl.DataFrame]:
        rows, picks = rows_and_picks(simulator, part, picks=True)
        assert picks is not None
        return simulator.seats_frame(rows), simulator.picks_frame(picks)

    with isolated(False):
        seats, picks = tables(game.prepare(plan), games)
    with isolated():
        simulator: Any = game.prepare(plan)
    assert isinstance(simulator.isolated_policies, IsolatedPolicies)
    for together in (1, 7, isolation.SLOTS):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(side_by_side, "SLOTS", together)
            parts = [tables(simulator, part) for part in (games[:12], games[12:])]
        assert pl.concat(part[0] for part in parts).equals(seats)
        assert pl.concat(part[1] for part in parts).equals(picks)
    assert isolation.failures() == []


@pytest.mark.slow
@pytest.mark.parametrize("game", ["seven_wonders", "tower_of_babel"])
def test_isolated_games_in_any_order_of_the_line_up_are_those_of_trusted_ones(game: str) -> None:
    """Two isolated policies from one file play in randomly drawn seats."""
    plan = Plan.make(game=game, players=3, seed=3, policies=(f"{FILE}:last:back=2", f"{FILE}:plain", "random"))
    orders = np.array([[1, 0, 2], [2, 1, 0], [0, 1, 2], [1, 2, 0]] * 5)
    made = []
    for apart in (False, True):
        with isolated(apart):
            simulator: Any = find_game(game).prepare(plan)
        rows = np.zeros(len(orders) * simulator.seats, simulator.row_dtype)
        simulator.play_seated(5, rows, orders)
        made.append(rows)
    assert np.array_equal(made[0], made[1])
    assert isolation.failures() == []


@pytest.mark.slow
def test_threads_share_a_process_without_mixing_games() -> None:
    expected = played("last:back=2:explore=0.3", apart=False, games=400)
    with isolated():
        policies = [f"{FILE}:last:back=2:explore=0.3", "random", "random"]
        rows = wsim.simulate(games=400, players=3, seed=3, rotate=False, threads=4, policies=policies)
    assert rows.equals(expected)
    assert isolation.failures() == []


@pytest.mark.slow
@LINUX
@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("opens", "raised PermissionError"),
        pytest.param("talks", "raised PermissionError", marks=pytest.mark.slow),
        pytest.param("writes", "raised PermissionError", marks=pytest.mark.slow),
        pytest.param("forks", "raised PermissionError", marks=pytest.mark.slow),
        pytest.param("starts", "raised PermissionError", marks=pytest.mark.slow),
        pytest.param("signals", "raised PermissionError", marks=pytest.mark.slow),
        pytest.param("eats", "raised MemoryError", marks=pytest.mark.slow),
        ("far", "returned 1000000, not one of"),
    ],
)
def test_what_is_forbidden_costs_the_decision(name: str, reason: str) -> None:
    """The first legal move is played each time, and the failures are counted and reported."""
    rows, expected = played(name), played("last:back=1000", apart=False)
    assert rows.drop("policy").equals(expected.drop("policy"))
    (sentence,) = isolation.failures()
    assert f"hostile.py:{name}' failed" in sentence
    assert reason in sentence


@pytest.mark.slow
@LINUX
def test_nothing_that_a_policy_can_reach_leads_to_the_process_of_wsim() -> None:
    """This includes signals and the size of the shared memory, whose truncation would kill its readers."""
    rows, expected = played("reaches"), played("last:back=1000", apart=False)
    assert rows.drop("policy").equals(expected.drop("policy"))
    assert isolation.failures() == []


@pytest.mark.slow
def test_lies_in_shared_memory_cost_the_decisions_and_nothing_else() -> None:
    rows, expected = played("scribbles", games=3), played("last:back=1000", apart=False, games=3)
    assert rows.drop("policy").equals(expected.drop("policy"))
    (sentence,) = isolation.failures()
    assert sentence.isprintable()


@LINUX
@pytest.mark.slow
def test_unwritten_memory_reveals_nothing_about_other_policies() -> None:
    names = ["tells", "listens", "listens"]
    policies = [f"{FILE}:{name}" for name in names]
    with isolated(False), pytest.raises(UserError, match=r"listens' returned 1000000"):  # in one process, it does
        wsim.simulate(games=20, players=3, seed=3, rotate=False, threads=1, policies=policies)
    with isolated():
        wsim.simulate(games=20, players=3, seed=3, rotate=False, threads=1, policies=policies)
    assert all("listens" not in sentence for sentence in isolation.failures())


@pytest.mark.slow
@pytest.mark.parametrize(("name", "of", "games"), [("slips", 7, 200), ("dies", 301, 40)])
def test_what_fails_on_several_channels_at_once_is_exactly_what_fails_alone(
    name: str, of: int, games: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For each failed decision the first legal move is played, regardless of other threads."""
    monkeypatch.setattr(isolation, "PROCESSES", 1000)
    monkeypatch.setattr(isolation, "usable_cpus", lambda: 4)
    expected = played(f"{name}:of={of}:wrong=0", apart=False, games=games)
    policies = (f"{FILE}:{name}:of={of}", "random", "random")
    plan, counts = Plan.make(players=3, seed=3, rotate=False, games=games, policies=policies), []
    for threads in (1, 4):
        monkeypatch.setattr(user_policies, "_PLUGGED", {})
        isolation.STARTED.clear()
        with isolated():
            simulator = find_game(plan.game).prepare(plan)
        rows = pl.concat(chunk.seats for chunk in play(simulator, [range(games)], threads=threads, chunk=8))
        assert rows.drop("policy").equals(expected.drop("policy"))
        counts.append(isolation.listed_failures([policies[0]])[0]["decisions"])
    assert counts[0] == counts[1] > 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("ends", "exit 3"),
        ("crashes", "signal 11"),
        ("hangs", "did not decide within 4 s"),
        ("stalls", "did not decide within 4 s"),
    ],
)
def test_a_process_that_ends_or_hangs_is_replaced_by_the_rule(name: str, reason: str) -> None:
    """The process is restarted twice; then the first legal move is played until the end of the game."""
    expected = played("last:back=1000", apart=False)
    rows = played(name)
    assert rows.drop("policy").equals(expected.drop("policy"))
    (sentence,) = isolation.failures()
    assert reason in sentence
    assert sentence.endswith("its process was not restarted.")


@pytest.mark.slow
def test_failures_are_named_with_game_and_seat_in_the_record_of_a_run(tmp_path: Path) -> None:
    policies = (f"{FILE}:far", "random", "random")
    with isolated():
        record(Plan.make(games=2, players=3, seed=3, rotate=False, policies=policies), tmp_path / "run", threads=1)
    session = json.loads((tmp_path / "run" / "run.json").read_text(encoding="utf-8"))["sessions"][-1]
    assert session["isolated"] == [f"{FILE}:far"]
    (failed,) = session["failures"]
    assert failed["decisions"] > len(failed["listed"]) == isolation.LISTED
    assert all(
        re.match(r"in game [01], seat 0: returned 1000000, not one of \d+ legal moves", line)
        for line in failed["listed"]
    )


@pytest.mark.slow
def test_what_cannot_be_loaded_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text("def move(public, own):\n    return 0\n", encoding="utf-8")
    with isolated(), pytest.raises(UserError, match=r"takes \(public, own\), but a policy takes four"):
        wsim.simulate(games=1, players=3, policies=f"{tmp_path}/broken.py:move")


@pytest.mark.slow
@LINUX
@pytest.mark.parametrize(
    "line",
    ["open(diary)", "__import__('os').chmod(diary, 0o777)", "import nosy_helper; nosy_helper.read('nosy_rival.py')"],
    ids=["read", "changed", "rival"],
)
def test_importing_reads_and_changes_no_other_file(line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "diary.txt").write_text("private", encoding="utf-8")
    (tmp_path / "json.py").write_text("raise SystemExit('of the folder that wsim is used in')", encoding="utf-8")
    code = f"diary = __file__.replace('nosy.py', 'diary.txt')\n{line}\n"
    (tmp_path / "nosy.py").write_text(code, encoding="utf-8")
    helper = "from pathlib import Path\ndef read(name):\n    Path(__file__).with_name(name).read_text()\n"
    (tmp_path / "nosy_helper.py").write_text(helper, encoding="utf-8")
    (tmp_path / "nosy_rival.py").write_text("x = 1", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    with isolated(), pytest.raises(UserError, match=r"PermissionError.*(diary.txt|nosy_rival.py)"):
        wsim.simulate(games=1, players=3, policies="./nosy.py:move")


@pytest.mark.slow
def test_what_a_process_says_of_its_policy_may_be_anything(tmp_path: Path) -> None:
    said = """
        import os
        for descriptor in range(3, 64):
            try:
                os.write(descriptor, b"[" * 60000 + b"\\n")
            except OSError:
                pass
        """
    (tmp_path / "lies.py").write_text(dedent(said), encoding="utf-8")
    with isolated(), pytest.raises(UserError, match="its process ended or did not answer correctly"):
        wsim.simulate(games=1, players=3, policies=f"{tmp_path}/lies.py:move")


def test_a_process_receives_the_records_of_its_seat(monkeypatch: pytest.MonkeyPatch) -> None:
    """The shared memory contains only these records, and the private record belongs to the policy's seat."""
    seats, kinds = set(), set()
    decide = isolation.Isolated.decide

    def watched(self: Any, channel: Any, counts: Any, places: Any) -> Any:
        seats.update(channel.slots.records[1]["seat"][: len(counts)].tolist())
        for array, kind in zip(channel.slots.records, self.interface.records, strict=True):
            kinds.add(array.dtype == np.dtype(kind))
        return decide(self, channel, counts, places)

    monkeypatch.setattr(isolation.Isolated, "decide", watched)
    played("last")
    assert (seats, kinds) == ({0}, {True})


@pytest.mark.slow
@pytest.mark.parametrize(
    ("policies", "apart"),
    [(["./a.py:x", "./b.py:x"], True), (["./a.py:x", "./a.py:y"], None), (["net", "./a.py:x"], None)],
)
def test_a_match_between_files_is_isolated(policies: list[str], apart: bool | None) -> None:
    with contest_of_files(policies):
        assert ISOLATED.get() is apart
    with isolated(False), contest_of_files(policies):
        assert ISOLATED.get() is False


@pytest.mark.slow
def test_a_contest_is_isolated_and_publishes_its_seed(wsim_command: Command, tmp_path: Path) -> None:
    code = "import wsim\n@wsim.policy\ndef move(public, own, choice, rules):\n    return choice.count - 1\n"
    (tmp_path / "a.py").write_text(code, encoding="utf-8")
    names = [f"{tmp_path}/a.py:move", "random"]
    answer = wsim_command("match", *names, "--budget", "20", "--players", "3", "--contest", "--json")
    record = json.loads(answer.out)
    assert record["seed_commitment"] == sha256(str(record["plan"]["seed"]).encode()).hexdigest()
    assert record["seed_commitment"] in answer.err
    assert record["isolated"] == names[:1]
    assert f"wsim: isolated, in a process of its own: {names[0]}" in answer.err
    assert "failures" not in record


@pytest.mark.slow
def test_the_filter_denies_other_architectures_first() -> None:
    code = _filter([41], "x86_64")
    assert len(code) % 8 == 0
    assert code[8:16] == b"\x15\x00\x01\x00" + (0xC000003E).to_bytes(4, "little")
