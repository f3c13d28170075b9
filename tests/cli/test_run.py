"""``wsim run``: its tables, its messages, its exit codes; an interrupt and a full disk in a real process."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import wsim
from tests.conftest import Command
from tests.tiers import first_quick
from wsim.lab.store import load_run

pytestmark = pytest.mark.usefixtures("toy")

ROOT = Path(__file__).parents[2]
WSIM = [sys.executable, "-m", "tests.games.known", "toy"]


def process(*words: str, **how: Any) -> subprocess.Popen[str]:
    """Start the command line with the toy game as a separate process in the folder of the test."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    pipe = subprocess.PIPE
    return subprocess.Popen([*WSIM, *words], env=environment, stdout=pipe, stderr=pipe, text=True, **how)


def files(folder: str) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in Path(folder).rglob("*.parquet")}


def test_a_run_prints_its_tables_and_its_folder(wsim_command: Command) -> None:
    answer = wsim_command("run", "--games", "1000")
    assert (answer.code, answer.err) == (0, "")
    title, header, _, *rows = answer.out.splitlines()
    assert title == "Policies; a fair share of wins is 0.250"
    assert " ".join(header.split()) == "policy n win share x fair share q verdict score stones treasures"
    assert rows[0].split()[:2] == ["bold", "2,000"]
    last, folder = answer.out.splitlines()[-1].split(": ")
    assert last.startswith("1,000 games in ")
    assert load_run(folder).complete


def test_run_prints_json(wsim_command: Command) -> None:
    answer = json.loads(wsim_command("run", "--games", "10", "--json", "--out", "run").out)
    assert (answer["folder"], answer["games"], answer["played"]) == ("run", 10, 10)
    assert {row["policy"] for row in answer["tables"]["Policies"]} == {"bold", "random", "shy"}


def test_a_finished_run_is_shown_without_playing_again(wsim_command: Command) -> None:
    wsim_command("run", "--games", "10")
    again = wsim_command("run", "--games", "10")
    assert again.code == 0
    assert "all 10 games were already played: runs/toy-1e-4p-seed1-10-" in again.out


def test_options_override_the_plan_file(wsim_command: Command) -> None:
    Path("plan.toml").write_text('games = 5\nseed = 9\nrotate = true\npicks = true\nwonders = "Gizah"\n')
    words = ("--plan", "plan.toml", "--games", "6", "--fixed-seats", "--no-picks", "--out", "run")
    assert wsim_command("run", *words).code == 0
    expected = wsim.Plan.make(games=6, seed=9, wonders="Gizah")
    assert load_run("run").plan == expected


def test_options_of_a_single_game_are_listed(wsim_command: Command) -> None:
    assert wsim_command("run", "--games", "5", "--pause=0", "--wonders", "Gizah", "--out", "run").code == 0
    assert load_run("run").plan.options == {"pause": "0", "wonders": "Gizah"}


KEYS = "game, ruleset, players, games, seed, policies, rotate, cards, patch, set, picks, keep, pause, fail, wonders"
MISTAKES = [
    ("--games -5", "games must be at least 1, not -5"),
    ("--games many", "Invalid value for '--games': 'many' is not a whole number: write it as 10000, 10k or 1e4"),
    ("--games", "Option '--games' requires an argument"),
    ("--players 2", "toy is for 3 to 7 players, not 2"),
    ("--players 8", "toy is for 3 to 7 players, not 8"),
    ("--seed -1", "seed must be at least 0, not -1"),
    ("--ruleset toy-3e", "unknown rule set 'toy-3e' (did you mean 'toy-2e'?)"),
    ("--policies bald", "unknown policy 'bald' (did you mean 'bold'?)"),
    ("--policies bold,shy", "2 policies for 4 players: give one for all seats or one per seat"),
    (
        "--policies bold:",
        "'bold:' is not a policy: write name, name:key=value, ./file.py:function or package.module:function",
    ),
    ("--game toi", "unknown game 'toi' (did you mean 'toy'?): wsim plays toy, seven_wonders, tower_of_babel"),
    ("--polcies bold", "run has no option '--polcies' (did you mean '--policies'?)"),
    ("--wonder Gizah", "run has no option '--wonder' (did you mean '--wonders'?)"),
    ("--pause", "the option '--pause' needs a value: seconds to sleep in every game"),
    ("-x", "run has no option '-x'"),
    ("fast", "run takes no argument 'fast'"),
    ("--threads 0", "threads must be a whole number from 1 to 1024, not 0"),
    ("--shard-games 0", "a shard must contain at least 1 game, not 0"),
    ("--plan nothing.toml", "cannot read the plan 'nothing.toml': No such file or directory"),
    ("--plan odd.toml", f"unknown plan key 'colour': the keys of toy are {KEYS}"),
    ("--cards nothing.toml", "cannot read 'nothing.toml': No such file or directory"),
    ("--set points", "set must be path=value, such as cards.Palace.points=6, not 'points'"),
    ("--resume nothing", "'nothing' does not exist"),
    ("--resume one two", "only one folder can be resumed, not both 'one' and 'two'"),
    ("--out full", "'full' contains files that are not a wsim run: choose another --out"),
    ("--fail 3", "game 3 cannot be played"),
]


@first_quick(9, ("words", "sentence"), MISTAKES)
def test_a_mistake_is_reported_in_one_sentence_and_nothing_is_written(
    wsim_command: Command, words: str, sentence: str
) -> None:
    Path("odd.toml").write_text("colour = 'red'")
    Path("full").mkdir()
    Path("full/letter.txt").write_text("dear")
    Path("runs").mkdir()
    before = sorted(Path().rglob("*"))
    answer = wsim_command("run", *shlex.split(words))
    assert (answer.code, answer.out, answer.err) == (2, "", f"wsim: {sentence}\n")
    assert sorted(Path().rglob("*")) == before


def test_a_disk_error_is_reported_as_a_failure(wsim_command: Command) -> None:
    answer = wsim_command("run", "--games", "10", "--out", "/dev/null/run")
    assert (answer.code, answer.out) == (1, "")
    assert answer.err == "wsim: cannot write '/dev/null/run': Not a directory\n"


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="a limit on the size of files stands for a full disk")
def test_a_file_size_limit_is_reported_as_a_failure() -> None:
    import resource

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))

    run = process("run", "--games", "4000", "--out", "run", preexec_fn=limit)
    _, error = run.communicate(timeout=60)
    shard = "run/seats/part-00000000000000.parquet"
    assert (run.returncode, error) == (1, f"wsim: cannot write '{shard}': File too large\n")
    assert not Path("run").exists()


def wait_for_shards(folder: str, count: int) -> None:
    end = time.monotonic() + 60
    while len(files(folder)) < count:
        assert time.monotonic() < end, "no shard was written"
        time.sleep(0.01)


SLOW = ("run", "--games", "1000", "--pause", "0.002", "--shard-games", "50")


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="Ctrl-C is sent as a signal")
def test_ctrl_c_keeps_finished_parts_and_says_how_to_continue(wsim_command: Command) -> None:
    run = process(*SLOW, "--out", "a run")
    wait_for_shards("a run", 2)
    run.send_signal(signal.SIGINT)
    out, error = run.communicate(timeout=60)
    assert (run.returncode, out) == (130, "")
    first, command = error.splitlines()
    done = load_run("a run").games
    assert first == f"wsim: interrupted; {done:,} of 1,000 games are stored; continue with:"
    assert 100 <= done < 1000
    assert command == "wsim run --resume 'a run'"

    assert wsim_command(*SLOW, "--out", "a run").err == (
        "wsim: 'a run' contains this run, unfinished: add --resume to continue it, or choose a different --out\n"
    )
    resumed = wsim_command(*shlex.split(command)[1:])
    assert resumed.code == 0
    assert f"{1000 - done:,} games in " in resumed.out
    assert wsim_command(*SLOW, "--out", "whole").code == 0
    assert files("a run") == files("whole")


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="a process is killed by a signal")
def test_a_killed_run_can_be_resumed(wsim_command: Command) -> None:
    run = process(*SLOW, "--out", "run")
    wait_for_shards("run", 2)
    run.kill()
    run.communicate(timeout=60)
    assert wsim_command(*SLOW, "--out", "run", "--resume").code == 0
    assert load_run("run").complete
    assert wsim_command(*SLOW, "--out", "whole").code == 0
    assert files("run") == files("whole")


def test_compiling_is_announced_when_the_cache_is_cold(wsim_command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.games.toy_game.GAME.cold", lambda: 12.4, raising=False)
    words = ("run", "--games", "10", "--out", "run")
    assert wsim_command(*words).err == "compiling (once per version of wsim, 12 to 37 s) ...\n"
    assert wsim_command(*words, "--quiet").err == ""
    monkeypatch.setattr("tests.games.toy_game.GAME.cold", lambda: 0, raising=False)
    assert wsim_command(*words).err == ""


def test_a_progress_bar_appears_only_on_terminals(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    from wsim.cli.console import progress_bar

    with progress_bar(True) as advance:
        assert advance is None
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    with progress_bar(False) as advance:
        assert advance is None
    with progress_bar(True) as advance:
        assert advance is not None
        advance("games", 250, 1000)
        advance("games", 1000, 1000)
    shown = capsys.readouterr()
    assert "1000/1000" in shown.err
    assert shown.out == ""


def test_long_work_without_a_terminal_prints_a_forecast(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    from wsim.cli.console import progress_bar

    seconds = iter([0.0, 1.0, 3.0, 6.0, 6.0])  # the start, and each report
    monkeypatch.setattr("wsim.cli.console.time", SimpleNamespace(monotonic=lambda: next(seconds)))
    with progress_bar(True, "", always_forecast=True) as heard:
        assert heard is not None
        for done in (1, 2, 4):
            heard("decisions", done, 80)
    assert capsys.readouterr().err == "This will take at most about 2 minutes (80 decisions); Ctrl-C stops it.\n"
    with progress_bar(False, always_forecast=True) as heard:
        assert heard is None
