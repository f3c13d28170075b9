"""Signals, limits and former tracebacks: real processes, real signals."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.cli.test_run import SLOW, WSIM, files, process, wait_for_shards
from tests.conftest import Command
from wsim.lab.run import record
from wsim.lab.store import load_run
from wsim.lab.writer import RunWriter

pytestmark = [pytest.mark.usefixtures("toy"), pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")]


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_sigterm_acts_like_ctrl_c(wsim_command: Command, number: int) -> None:
    run = process(*SLOW, "--out", "run")
    wait_for_shards("run", 2)
    run.send_signal(number)
    out, error = run.communicate(timeout=60)
    assert (run.returncode, out) == (130, "")
    assert error.splitlines()[-1] == "wsim run --resume run"
    assert load_run("run").status == "interrupted"
    assert wsim_command("run", "--resume", "run").code == 0
    assert wsim_command(*SLOW, "--out", "whole").code == 0
    assert files("run") == files("whole")


@pytest.mark.slow
def test_a_second_signal_ends_the_process_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A game takes ten minutes: the command must stop waiting for it."""
    monkeypatch.setenv("TOY_PLAYS", "plays")
    run = process("run", "--games", "1000", "--pause", "600", "--out", "run")
    try:
        end = time.monotonic() + 60
        while not Path("plays").exists():
            assert time.monotonic() < end
            time.sleep(0.01)
        time.sleep(0.5)
        run.send_signal(signal.SIGINT)
        assert run.stderr is not None
        said = run.stderr.readline()
        assert said == "wsim: waiting for the current games to finish; press Ctrl-C again to stop immediately\n"
        assert run.poll() is None
        run.send_signal(signal.SIGTERM)
        _, error = run.communicate(timeout=30)
        assert (run.returncode, error) == (130, "wsim: stopped immediately; finished parts are stored\n")
    finally:
        run.kill()
        run.communicate()


def test_a_signal_during_a_c_callback_is_not_lost() -> None:
    code = (
        "import ctypes, signal, time\n"
        "from wsim.cli.console import guarded\n"
        "def command():\n"
        "    ctypes.CFUNCTYPE(None)(lambda: signal.raise_signal(signal.SIGINT))()\n"
        "    time.sleep(60)\n"
        "raise SystemExit(guarded(command))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=30, check=False)
    assert (done.returncode, done.stderr) == (130, "wsim: interrupted\n")


def test_signal_handlers_are_restored_after_a_command(wsim_command: Command) -> None:
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)], sys.unraisablehook
    wsim_command("--version")
    assert ([signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)], sys.unraisablehook) == before


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="limits of memory as Linux has them")
def test_an_endless_plan_starts_with_little_memory() -> None:
    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_DATA, (1 << 30, 1 << 30))

    run = process("run", "--games", str(10**13), "--shard-games", "50", "--out", "run", preexec_fn=limit)
    wait_for_shards("run", 2)
    run.send_signal(signal.SIGTERM)
    _, error = run.communicate(timeout=60)
    assert run.returncode == 130
    assert " of 10,000,000,000,000 games are stored" in error
    assert load_run("run").games >= 100


def test_an_endless_run_can_be_opened_and_verified(wsim_command: Command) -> None:
    def stop(doing: str, done: int, total: int) -> None:
        if done >= 200:
            raise KeyboardInterrupt

    from wsim import Plan

    with pytest.raises(KeyboardInterrupt):
        record(Plan.make(games=10**13), "run", shard=50, progress=stop)
    assert "of 10,000,000,000,000 games" in wsim_command("table", "run", "policies").err
    answer = wsim_command("verify", "run")
    assert answer.code == 1
    assert "of 10,000,000,000,000 games in seats; the first missing game is " in answer.out


def test_only_one_of_two_simultaneous_writers_writes(monkeypatch: pytest.MonkeyPatch) -> None:
    """The second looks again once it holds the folder."""
    from wsim import Plan, UserError

    original = RunWriter.__enter__
    nested: list[Any] = []

    def overtaken(self: RunWriter) -> RunWriter:
        if not nested:
            nested.append(record)
            record(Plan.make(games=100, seed=5), "run", shard=30)
        return original(self)

    monkeypatch.setattr(RunWriter, "__enter__", overtaken)
    with pytest.raises(UserError, match=r"'run' contains a different run: plan\.seed is 5 there and 6 here"):
        record(Plan.make(games=100, seed=6), "run", shard=30)
    assert load_run("run").plan.seed == 5


# --- findings of the trial of faults ----------------------------------------------------------------------------------

BIG = "9" * 400
HUGE = "9" * 5000
SENTENCES = [
    (["run", "--plan", "deep.toml"], "deep.toml is nested too deeply to be a plan"),
    (["run", "--plan", "huge.toml"], "huge.toml"),
    (["run", "--game", "seven_wonders", "--policies", f"balanced:shield={BIG}"], "parameter shield of policy"),
    (["run", "--game", "seven_wonders", "--policies", f"balanced:shield={HUGE}"], "parameter shield of policy"),
    (["run", "--game", "seven_wonders", "--policies", "weighted:file=list.toml"], "extends [1]; accepted: "),
    (["run", "--game", "seven_wonders", "--policies", "weighted:file=big.toml"], "the weight 'shield' in the set 'a'"),
    (["run", "--game", "seven_wonders", "--policies", "weighted:file=huge.toml"], "huge.toml"),
    (["run", "--game", "seven_wonders", "--policies", "weighted:file=deep.toml"], "deep.toml is nested too deeply"),
    (["run", "--policies", "bo\x1b[31mld"], "contains the control character '\\x1b'"),
    (["run", "--out", "r\udcff"], "the argument 'r\\udcff' is not valid UTF-8"),
    (["run", "--patch", "r\udcff.toml"], "the argument 'r\\udcff.toml' is not valid UTF-8"),
    (["trace", "--first", "1" + "0" * 22], "games are numbered up to 17592186044415"),
    (["trace", "--first", HUGE], "is not a whole number"),
    (["run", "--games", HUGE], "is not a whole number"),
    (["advise", "run", "-12"], "'-12' is below 0: games are numbered from 0, and no count is negative"),
    (["policies", "--check", "--games", "-1"], "'-1' is below 0"),
    (["learn", "--decisions", "-5"], "decisions must be at least 1, not -5"),
]


@pytest.mark.parametrize(("words", "sentence"), SENTENCES, ids=range(len(SENTENCES)))
def test_errors_that_once_had_tracebacks_are_reported_in_one_sentence(
    wsim_command: Command, words: list[str], sentence: str
) -> None:
    Path("deep.toml").write_text("a = " + "[" * 5000 + "]" * 5000)
    Path("huge.toml").write_text(f"games = {HUGE}\n")
    Path("list.toml").write_text("[a]\nextends = [1]\n")
    Path("big.toml").write_text(f"[a]\nshield = {BIG}\n")
    answer = wsim_command(*words)
    assert (answer.code, answer.out) == (2, "")
    assert sentence in answer.err
    assert answer.err.startswith("wsim: ")
    assert answer.err.count("\n") == 1


def test_a_chain_of_three_thousand_weight_sets_can_be_read(wsim_command: Command) -> None:
    sets = ["[s0]\nshield = 2.0\n", *(f"[s{i}]\nextends = 's{i - 1}'\n" for i in range(1, 3000))]
    Path("w.toml").write_text("".join(reversed(sets)))
    line_up = "weighted:file=w.toml:set=s2999,random,random,random"
    answer = wsim_command("trace", "--game", "seven_wonders", "--policies", line_up)
    assert (answer.code, answer.err) == (0, "")


@pytest.mark.slow
def test_a_closed_standard_output_is_reported_in_one_sentence() -> None:
    words = " ".join([*WSIM, "policies"])
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    for closed, code, text in ((">&-", 1, "wsim: standard output is closed\n"), ("2>&-", 0, ""), (">&- 2>&-", 1, "")):
        done = subprocess.run(
            ["sh", "-c", f"{words} {closed}"], capture_output=True, text=True, timeout=60, check=False, env=environment
        )
        assert (done.returncode, done.stderr) == (code, text)


@pytest.mark.slow
@pytest.mark.parametrize("variables", [{"LC_ALL": "C"}, {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}])
def test_non_ascii_folder_names_work_in_the_c_locale(variables: dict[str, str]) -> None:
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), **variables}
    words = [*WSIM, "run", "--games", "10", "--out", "straße"]
    done = subprocess.run(words, capture_output=True, timeout=60, check=False, env=environment)
    assert b"Traceback" not in done.stderr
    assert done.returncode == (0 if len(variables) == 1 else 2)
