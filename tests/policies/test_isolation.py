"""Isolated policies play like trusted ones, and what they do wrong costs them the decision and nobody else anything."""

from __future__ import annotations

import gc
import json
import sys
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import wsim
from tests.conftest import Command
from wsim import UserError
from wsim.policies import isolation, user_policies
from wsim.policies.confinement import _filter
from wsim.policies.declare import isolated

FILE = Path(__file__).parent / "hostile.py"
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="Landlock and seccomp")
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="isolation needs POSIX")


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(isolation, "SECONDS", 4.0)
    monkeypatch.setattr(user_policies, "_PLUGGED", {})
    isolation.STARTED.clear()
    yield
    isolation.STARTED.clear()
    gc.collect()


def played(name: str, *, apart: bool = True, games: int = 1, **keys: Any) -> pl.DataFrame:
    plan: dict[str, Any] = {"players": 3, "seed": 3, "rotate": False, **keys}
    with isolated(apart):
        return wsim.simulate(games=games, policies=[f"{FILE}:{name}", "random", "random"], threads=1, **plan)


@pytest.mark.parametrize(
    ("name", "keys"),
    [
        ("last:back=2:explore=0.3", {}),
        ("plain", {"ruleset": "2e-cities", "picks": True}),
        ("plain", {"game": "tower_of_babel"}),
    ],
    ids=["compiled", "plain", "babel"],
)
def test_isolated_play_gives_the_rows_of_trusted_play(name: str, keys: dict[str, Any]) -> None:
    assert played(name, games=5, **keys).equals(played(name, apart=False, games=5, **keys))
    assert isolation.failures() == []


@LINUX
@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("opens", "raised PermissionError"),
        ("talks", "raised PermissionError"),
        pytest.param("writes", "raised PermissionError", marks=pytest.mark.slow),
        pytest.param("forks", "raised PermissionError", marks=pytest.mark.slow),
        pytest.param("starts", "raised PermissionError", marks=pytest.mark.slow),
        pytest.param("signals", "raised PermissionError", marks=pytest.mark.slow),
        pytest.param("eats", "raised MemoryError", marks=pytest.mark.slow),
        ("far", "returned 1000000, not one of"),
    ],
)
def test_what_is_forbidden_costs_the_decision(name: str, reason: str) -> None:
    """The first legal move is played, every time, and the failures are counted and named."""
    rows, expected = played(name), played("last:back=1000", apart=False)
    assert rows.drop("policy").equals(expected.drop("policy"))
    (sentence,) = isolation.failures()
    assert f"hostile.py:{name}' failed" in sentence
    assert reason in sentence


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "reason"), [("ends", "exit 3"), ("crashes", "signal 11"), ("hangs", "did not decide within 4 s")]
)
def test_a_process_that_ends_or_hangs_is_replaced_by_the_rule(name: str, reason: str) -> None:
    """It is started anew twice; then the first legal move is played to the end of the game."""
    expected = played("last:back=1000", apart=False)
    rows = played(name)
    assert rows.drop("policy").equals(expected.drop("policy"))
    (sentence,) = isolation.failures()
    assert reason in sentence
    assert sentence.endswith("its process was not started again.")


def test_what_cannot_be_loaded_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text("def move(public, own):\n    return 0\n", encoding="utf-8")
    with isolated(), pytest.raises(UserError, match=r"takes \(public, own\), but a policy takes four"):
        wsim.simulate(games=1, players=3, policies=f"{tmp_path}/broken.py:move")


@LINUX
def test_importing_reads_no_other_file(tmp_path: Path) -> None:
    (tmp_path / "diary.txt").write_text("private", encoding="utf-8")
    code = "open(__file__.replace('nosy.py', 'diary.txt'))\ndef move(public, own, choice, rules):\n    return 0\n"
    (tmp_path / "nosy.py").write_text(code, encoding="utf-8")
    with isolated(), pytest.raises(UserError, match=r"PermissionError.*diary.txt"):
        wsim.simulate(games=1, players=3, policies=f"{tmp_path}/nosy.py:move")


def test_a_process_receives_the_records_of_its_seat(monkeypatch: pytest.MonkeyPatch) -> None:
    """The shared memory holds no record of another kind, and the private one is that of the policy's seat."""
    seats, kinds = set(), set()
    decide = isolation.Isolated.decide

    def watched(self: Any, counts: Any) -> None:
        seats.add(int(self.slots.records[1]["seat"][0]))
        for record, kind in zip(self.slots.records, self.interface.records, strict=True):
            kinds.add(record.dtype == np.dtype(kind))
        decide(self, counts)

    monkeypatch.setattr(isolation.Isolated, "decide", watched)
    played("last")
    assert (seats, kinds) == ({0}, {True})


def test_a_match_between_files_is_isolated_and_a_contest_publishes_its_seed(
    wsim_command: Command, tmp_path: Path
) -> None:
    code = "import wsim\n@wsim.policy\ndef move(public, own, choice, rules):\n    return choice.count - 1\n"
    for name in ("a", "b"):
        (tmp_path / f"{name}.py").write_text(code, encoding="utf-8")
    names = [f"{tmp_path}/{name}.py:move" for name in ("a", "b")]
    answer = wsim_command("match", *names, "--budget", "20", "--players", "3", "--contest", "--json")
    record = json.loads(answer.out)
    assert record["seed_commitment"] == sha256(str(record["plan"]["seed"]).encode()).hexdigest()
    assert record["seed_commitment"] in answer.err
    assert record["isolated"] == names
    assert "failures" not in record


def test_the_filter_denies_other_architectures_first() -> None:
    code = _filter([41], "x86_64")
    assert len(code) % 8 == 0
    assert code[8:16] == b"\x15\x00\x01\x00" + (0xC000003E).to_bytes(4, "little")
