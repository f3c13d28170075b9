"""Python effects in a separate process (``wsim --isolated``, other people's code)."""

from __future__ import annotations

import json
import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.wonders.test_effects import CENSUS, patch, played
from wsim.errors import UserError
from wsim.jit import SlotError
from wsim.lab.plan import Plan
from wsim.lab.run import record
from wsim.lab.tasks import packed
from wsim.policies import effect_calls, isolated_effects
from wsim.policies.declare import isolated
from wsim.policies.effect_files import EffectFile
from wsim.policies.isolated_effects import ANSWER, IsolatedEffects
from wsim.policies.isolation import report
from wsim.wonders.game import GAME

FUNCTIONS = """
    def flat(table, own, other):
        return 3

    def richest(table, own, other, more):
        return table.cities[own].coins + more

    def outside(table, own, other):
        return 8 - table.age

    def raising(table, own, other):
        if table.age == 1:
            raise ValueError("no such age")
        return 0

    def endless(table, own, other):
        number = 0
        while table.age > 0:
            number = (number + 1) % 7
        return number
"""

NO_VALUE = -(2**63)


@pytest.fixture(autouse=True)
def apart() -> Iterator[None]:
    """Isolate all user code."""
    with isolated():
        yield


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[IsolatedEffects]:
    """A process that serves three functions, shared because it takes seconds to start."""
    amount = "mine.flat(least=0, most=9) + mine.richest(1, least=0, most=9) + mine.raising(least=0, most=9)"
    end_all()  # those that tests of other files started
    with isolated():
        yield process_of(amount, tmp_path_factory.mktemp("served"))
    end_all()


@pytest.fixture
def alone() -> Iterator[None]:
    """Hide the processes of other tests."""
    before = dict(effect_calls._PROCESSES)
    effect_calls._PROCESSES.clear()
    yield
    end_all()
    effect_calls._PROCESSES.update(before)


def end_all() -> None:
    """End all effect processes."""
    for process in effect_calls.isolated_processes():
        process._process.end()
    effect_calls._PROCESSES.clear()
    report()


def result_of(process: IsolatedEffects, function: str, *given: int, table: Any = None) -> tuple[int, str]:
    """Return the process's result and the reason for a failure."""
    number = [name for name, _ in process.functions].index(function)
    room = np.zeros(1, process.interface.table) if table is None else table
    arguments = [*given, *[0] * (isolated_effects.ARGUMENTS - len(given))]
    return process._result(number, room.ctypes.data, *arguments), isolated_effects.taken_reason()


def process_of(amount: str, folder: Path, functions: str = FUNCTIONS) -> IsolatedEffects:
    """Return the process that serves a patch."""
    GAME.prepare(Plan.make(patch=[str(patch(folder, amount, functions))], policies="random"))
    (process,) = effect_calls.isolated_processes()
    return process


@pytest.mark.slow
def test_a_request_is_a_function_its_arguments_and_the_public_table(served: IsolatedEffects) -> None:
    assert served.functions == [("flat", 0), ("raising", 0), ("richest", 1)]
    table = np.zeros(1, served.interface.table)
    table["cities"]["coins"][0, 2] = 40
    assert result_of(served, "richest", 2, 5, 7, table=table) == (47, "")
    assert result_of(served, "richest", 5, 2, 7, table=table) == (7, "")
    assert result_of(served, "flat", table=table) == (3, "")


@pytest.mark.slow
def test_what_a_function_raises_is_told_and_the_next_call_is_answered(served: IsolatedEffects) -> None:
    table = np.zeros(1, served.interface.table)
    table["age"] = 1
    assert result_of(served, "raising", table=table) == (NO_VALUE, "raised ValueError: no such age")
    table["age"] = 2
    assert result_of(served, "raising", table=table) == (0, "")


class Answering:
    """A socket that returns prepared bytes, a few at a time, and then reports that its process has ended."""

    def __init__(self, *pieces: bytes) -> None:
        self.pieces, self.sent = list(pieces), b""

    def sendall(self, request: bytes) -> None:
        self.sent += request

    def recv(self, size: int) -> bytes:
        piece = self.pieces.pop(0) if self.pieces else b""
        assert len(piece) <= size
        return piece


@pytest.mark.parametrize(
    ("pieces", "answer"),
    [
        ([ANSWER.pack(-7, 0)], (-7, "")),
        ([ANSWER.pack(-7, 0)[:3], ANSWER.pack(-7, 0)[3:]], (-7, "")),
        ([ANSWER.pack(5, 3), b"a\x1b", b"c"], (0, "raised a?c")),
        ([ANSWER.pack(5, 501)], (0, "did not answer properly")),
        ([ANSWER.pack(5, -1)], (0, "did not answer properly")),
        ([ANSWER.pack(5, 0)[:3]], (0, "ended its process (exit 3)")),
        ([ANSWER.pack(5, 2), b"a"], (0, "ended its process (exit 3)")),
    ],
)
def test_an_answer_is_a_number_or_a_short_text(
    pieces: list[bytes], answer: tuple[int, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    ended: list[bool] = []
    process: Any = IsolatedEffects.__new__(IsolatedEffects)
    own = Answering(*pieces)
    process._process = SimpleNamespace(
        sockets=[own], end=lambda: ended.append(True), why_ended=lambda: "ended its process (exit 3)"
    )
    process._owner, process._ended = os.getpid(), False
    monkeypatch.setattr(isolated_effects, "select", SimpleNamespace(select=lambda own, *_more: (own, [], [])))
    assert process._exchange(b"request") == answer
    assert own.sent == b"request"
    bad = not answer[1].startswith("raised") and answer[1] != ""
    assert (ended, process._ended) == ([True] * bad, bad)
    monkeypatch.setattr(isolated_effects, "select", SimpleNamespace(select=lambda *_given: ([], [], [])))
    assert process._exchange(b"") == (0, "did not return within 10 s")
    monkeypatch.setattr(os, "getpid", lambda: -1)
    assert process._exchange(b"")[1].startswith("cannot be called in a process that was forked")


def test_ctrl_c_in_a_call_is_raised_once_the_compiled_code_has_returned(monkeypatch: pytest.MonkeyPatch) -> None:
    ended: list[bool] = []

    def exchange(_request: bytes) -> tuple[int, str]:
        raise KeyboardInterrupt

    process: Any = IsolatedEffects.__new__(IsolatedEffects)
    process._process, process._exchange = SimpleNamespace(end=lambda: ended.append(True)), exchange
    process._lock, process._ended, process._owner, process.functions = threading.Lock(), False, os.getpid(), []
    process.interface = SimpleNamespace(table=np.dtype(np.int64))
    room = np.zeros(1, np.int64)
    assert process._result(0, room.ctypes.data, *[0] * isolated_effects.ARGUMENTS) == NO_VALUE
    assert (ended, process._ended) == ([True], True)
    call = effect_calls.Call(EffectFile("mine.py", "digest", (), Path("mine.py")), "flat", 0, 0, 9, "Altar")
    monkeypatch.setattr(effect_calls, "_SLOTS", {call: 5})
    monkeypatch.setattr(effect_calls, "failed_slot", lambda: (5, None))
    with pytest.raises(KeyboardInterrupt):
        effect_calls.failure(SlotError(), ", in game 7")
    assert isolated_effects.taken_reason() == ""


@pytest.mark.slow
def test_games_are_those_of_the_number_that_it_returns(served: IsolatedEffects, tmp_path: Path) -> None:
    assert played(patch(tmp_path, "mine.flat(least=0, most=5)", FUNCTIONS)) == played(patch(tmp_path, "3"))
    assert effect_calls.isolated_processes() == [served]  # the same file serves other folders


@pytest.mark.slow
def test_the_output_says_which_effects_were_isolated(served: IsolatedEffects, tmp_path: Path) -> None:
    report()
    path = patch(tmp_path, "mine.flat(least=0, most=5)", FUNCTIONS)
    GAME.prepare(Plan.make(patch=[str(path)], policies="random"))
    assert "isolated, in a process of its own: mine.py" in report()
    with isolated(False):
        GAME.prepare(Plan.make(patch=[str(path)], policies="random"))
        assert report() == ["trusted, in the process of wsim: mine.py"]


@pytest.mark.slow
def test_isolated_effects_do_not_run_on_a_cluster(served: IsolatedEffects, tmp_path: Path) -> None:
    plan = Plan.make(patch=[str(patch(tmp_path, "mine.flat(least=0, most=5)", FUNCTIONS))], policies="random")
    with pytest.raises(UserError, match=r"isolated code \(mine.py\) does not run on a cluster"):
        packed(len, [(plan, GAME.prepare(plan))])


@pytest.mark.slow
def test_rows_are_those_of_trusted_effects(alone: None, tmp_path: Path) -> None:
    plan = Plan.make(patch=[str(CENSUS)], policies="balanced", games=200)
    with isolated(False):
        trusted = record(plan, tmp_path / "trusted", threads=2)
    apart = record(plan, tmp_path / "apart", threads=2)
    assert apart.seats.collect().equals(trusted.seats.collect())
    sessions = [json.loads((tmp_path / name / "run.json").read_text())["sessions"][-1] for name in ("apart", "trusted")]
    assert [session.get("isolated") for session in sessions] == [["census.py"], None]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("amount", "sentence"),
    [
        (
            "mine.raising(least=0, most=9)",
            "'raising' of mine.py, which Altar calls, raised ValueError: no such age, in",
        ),
        ("mine.outside(least=0, most=6)", "returned 7, outside its declared range 0 to 6, in"),
    ],
)
def test_a_failure_ends_the_run_in_one_sentence(alone: None, tmp_path: Path, amount: str, sentence: str) -> None:
    with pytest.raises(UserError) as failed:
        played(patch(tmp_path, amount, FUNCTIONS), games=20)
    assert sentence in str(failed.value)


@pytest.mark.slow
def test_a_process_that_hangs_or_ends_ends_the_run(
    alone: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = patch(tmp_path, "mine.flat(least=0, most=5)", FUNCTIONS)
    for said, number in (
        (r"did not return within 0 s", signal.SIGSTOP),
        (r"ended its process \(signal 9\)", signal.SIGKILL),
    ):
        process = process_of("mine.flat(least=0, most=5)", tmp_path)
        monkeypatch.setattr(isolated_effects, "SECONDS", 0.2)
        os.kill(process.number, number)
        with pytest.raises(UserError, match=rf"'flat' of mine.py, which Altar calls, {said}, in game"):
            played(path, games=20)
        monkeypatch.undo()
        end_all()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("open('/etc/hostname').read()", "PermissionError"),
        ("import socket; socket.socket()", "PermissionError"),
        ("import os; os.fork()", "PermissionError"),
        ("import os; os._exit(0)", "cannot be loaded: its process ended or did not answer correctly"),
    ],
)
def test_code_of_others_is_confined(alone: None, tmp_path: Path, line: str, sentence: str) -> None:
    tried = f"\ntry:\n    {line}\nexcept OSError as error:\n    raise RuntimeError(type(error).__name__)\n"
    with pytest.raises(UserError, match=sentence):
        process_of("mine.flat(least=0, most=5)", tmp_path, dedent(FUNCTIONS) + tried)


@pytest.mark.slow
def test_a_function_that_no_process_serves_starts_one(alone: None, tmp_path: Path) -> None:
    first = process_of("mine.flat(least=0, most=5)", tmp_path)
    assert process_of("mine.flat(least=0, most=7)", tmp_path) is first
    other = process_of("mine.richest(1, least=0, most=900)", tmp_path)
    assert other is not first
    assert other.serves(("richest", 1))
    assert not other.serves(("richest", 2))
