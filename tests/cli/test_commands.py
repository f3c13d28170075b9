"""The other commands, and the promises that hold for all of them."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import wsim
from tests.cli.test_run import process
from tests.conftest import Command
from wsim.game import GAMES, find_game

ROOT = Path(__file__).parents[2]
HEAVY = ("numpy", "numba", "polars")


def fresh(code: str) -> str:
    """Run Python code in a process of its own and return what it prints."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        [sys.executable, "-c", code], env=environment, text=True, capture_output=True, check=True
    ).stdout


@pytest.mark.parametrize("words", [["--help"], ["run", "--help"], ["--version"], []])
def test_help_loads_nothing_heavy(words: list[str]) -> None:
    shown = fresh(
        "import sys; from wsim.cli.app import main\n"
        f"try: main({words})\n"
        f"finally: print([name for name in {HEAVY} if name in sys.modules])"
    )
    assert shown.splitlines()[-1] == "[]"
    assert shown.startswith(("Usage: wsim", "wsim 0."))


def test_help_names_the_options_of_each_game(wsim_command: Command) -> None:
    shown = wsim_command("run", "--help").out
    for name in GAMES:
        game = find_game(name)
        assert f"Options of {game.TITLE} (--game {name}):" in shown
        assert all(f"  --{key.replace('_', '-')}" in shown for key in game.OPTIONS)


def test_importing_wsim_loads_nothing_heavy() -> None:
    shown = fresh(f"import sys, wsim; dir(wsim); print([name for name in {HEAVY} if name in sys.modules])")
    assert shown == "[]\n"


def test_the_public_names_are_there() -> None:
    assert {"simulate", "load_run", "Plan", "Run", "UserError"} <= set(dir(wsim))
    assert wsim.UserError.__module__ == "wsim.errors"
    with pytest.raises(AttributeError, match="module 'wsim' has no attribute 'simulation'"):
        _ = wsim.simulation  # type: ignore[attr-defined]


def test_the_command_alone_is_the_help(wsim_command: Command) -> None:
    answer = wsim_command()
    assert (answer.code, answer.err) == (0, "")
    assert "trace" in answer.out


def test_the_version(wsim_command: Command) -> None:
    assert wsim_command("--version").out == f"wsim {wsim.__version__}\n"


def test_a_mistyped_command_is_one_sentence(wsim_command: Command) -> None:
    answer = wsim_command("rnu")
    assert (answer.code, answer.out) == (2, "")
    assert answer.err == "wsim: No such command 'rnu'. Did you mean 'run'?\n"


def test_a_mistake_is_not_hidden_as_a_sentence(
    wsim_command: Command, toy: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.games.toy_game.GAME.policies", lambda: 1 / 0)
    from wsim.cli.app import main

    with pytest.raises(ZeroDivisionError):
        main(["policies"])


def test_traces_are_lines_of_json(wsim_command: Command, toy: None) -> None:
    answer = wsim_command("trace", "--games", "3", "--seed", "7")
    assert answer.code == 0
    traces = [json.loads(line) for line in answer.out.splitlines()]
    assert [(trace["index"], trace["seed"]) for trace in traces] == [(0, 7), (1, 7), (2, 7)]
    head = '{"format": "wsim-trace/1", "game": "toy", "ruleset": "toy-1e", "seed": 7, "index": 0, "seats": [{"policy"'
    assert answer.out.startswith(head)


def test_a_trace_is_of_the_game_that_run_plays(wsim_command: Command, toy: None) -> None:
    trace = json.loads(wsim_command("trace", "--first", "41").out)
    game = wsim.simulate(games=42).filter(game=41)
    assert [seat["total"] for seat in trace["scores"]] == game["total"].to_list()


def test_traces_as_text(wsim_command: Command, toy: None) -> None:
    lines = wsim_command("trace", "--games", "2", "--format", "text").out.splitlines()
    assert [line[:7] for line in lines if line[:5] in ("Game ", "")] == ["Game 0:", "", "Game 1:"]


def test_traces_into_a_file(wsim_command: Command, toy: None) -> None:
    lines = wsim_command("trace", "--games", "3").out
    answer = wsim_command("trace", "--games", "3", "-o", "games.jsonl")
    assert (answer.code, answer.out) == (0, "")
    assert Path("games.jsonl").read_text() == lines
    assert os.listdir() == ["games.jsonl"]


def test_a_trace_that_fails_leaves_the_old_file(
    wsim_command: Command, toy: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("games.jsonl").write_text("old")
    words = ("trace", "--games", "9", "--fail", "5", "-o", "games.jsonl")
    assert wsim_command(*words).err == "wsim: game 5 cannot be played\n"
    assert Path("games.jsonl").read_text() == "old"
    assert os.listdir() == ["games.jsonl"]


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        (
            ("--format", "jsn"),
            2,
            "unknown format 'jsn': traces are written as json, text or html (did you mean 'json'?)",
        ),
        (("--first", "-1"), 2, "the first game must be at least 0, not -1"),
        (("--picks",), 2, "trace has no option '--picks' (did you mean '--policies'?)"),
        (("games",), 2, "'games' does not exist"),
        (("one", "two"), 2, "wsim trace RUN GAME: the game is a number, not 'two'"),
        (("one", "--seed", "2"), 2, "the games of a run are told as they were played: 'seed' cannot be changed"),
        (("--first", str(2**44)), 2, f"games have numbers up to {2**44 - 1}: 1 from {2**44} go beyond it"),
        (("--first", "9" * 23), 2, f"games have numbers up to {2**44 - 1}: 1 from {'9' * 23} go beyond it"),
        (("-o", "nowhere/x"), 1, "cannot write 'nowhere/x': No such file or directory"),
    ],
)
def test_mistakes_of_trace(wsim_command: Command, toy: None, words: list[str], code: int, sentence: str) -> None:
    answer = wsim_command("trace", *words)
    assert (answer.code, answer.out, answer.err) == (code, "", f"wsim: {sentence}\n")


@pytest.mark.skipif(os.name != "posix", reason="a closed pipe is a signal or an error on POSIX only")
def test_a_reader_who_leaves_early_is_no_error(toy: None) -> None:
    trace = process("trace", "--games", "20000")
    assert trace.stdout is not None
    assert trace.stderr is not None
    assert json.loads(trace.stdout.readline())["index"] == 0
    trace.stdout.close()
    assert trace.stderr.read() == ""
    trace.stderr.close()
    trace.wait(timeout=60)


def test_the_registry_of_policies(wsim_command: Command, toy: None) -> None:
    lines = wsim_command("policies").out.splitlines()
    assert lines[1].split() == ["name", "kind", "idea", "parameters", "source", "random"]
    assert [line.split()[0] for line in lines[3:]] == ["bold", "random", "shy"]
    rows = json.loads(wsim_command("policies", "--json").out)
    assert [row["random"] for row in rows] == [False, True, False]
    assert json.loads(wsim_command("policies", "shy", "--json").out) == rows[2]
    assert wsim_command("policies", "shi").err.endswith("known are bold, random, shy (did you mean 'shy'?)\n")


def test_a_net_is_shown_with_what_it_learned_from(wsim_command: Command) -> None:
    said = wsim_command("policies", "net").out
    for seed in (1, 2):
        assert re.search(rf"net:seed={seed}: [0-9,]+ decisions in \d+ rounds, seed {seed}: 1e-3 [0-9,]+, 1e-4 ", said)
    [net] = json.loads(wsim_command("policies", "net:seed=2", "--json").out)["nets"]
    assert (net["net"], net["seed"]) == ("net:seed=2", 2)
    [net] = json.loads(wsim_command("policies", "net", "--game", "tower_of_babel", "--json").out)["nets"]
    assert sorted(net["tables"]) == ["2005-3", "2005-4", "2005-5"]


@pytest.fixture
def a_run(wsim_command: Command, toy: None) -> str:
    assert wsim_command("run", "--games", "1000", "--out", "run").code == 0
    return "run"


def test_a_table_of_a_run(wsim_command: Command, a_run: str) -> None:
    answer = wsim_command("wonders", a_run)
    assert answer.code == 0
    title, header, _, *rows = answer.out.splitlines()
    assert title == "Wonders, 1,000 games"
    assert header.split() == ["policy", "n", "mean", "total"]
    assert [row.split()[0] for row in rows[:3]] == ["bold", "random", "shy"]
    assert rows[-1] == "A note."


@pytest.mark.parametrize(
    ("words", "order"),
    [
        (["--sort", "policy"], ["shy", "random", "bold"]),
        (["--sort", "mean total", "--top", "1"], ["bold"]),
        (["--sort", "-policy"], ["bold", "random", "shy"]),
        (["--sort", "n", "--top", "1"], ["bold"]),
        (["--filter", "n=1000"], ["random", "shy"]),
        (["--filter", "n=1000", "--filter", "policy=SHY"], ["shy"]),
        (["--filter", "policy=nobody"], []),
    ],
)
def test_a_table_sorted_cut_and_filtered(wsim_command: Command, a_run: str, words: list[str], order: list[str]) -> None:
    rows = json.loads(wsim_command("wonders", a_run, "--json", *words).out)["rows"]
    assert [row["policy"] for row in rows] == order
    table, _, note = wsim_command("wonders", a_run, *words).out.rpartition("\n\n")
    assert note == "A note.\n"
    assert table.count("\n") + 1 == (3 + len(order) if order else 2)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("wonders", "nothing"), "'nothing' does not exist"),
        (("cards", "run"), "toy has no table of cards: it has policies, treasures, wonders"),
        (
            ("wonders", "run", "--sort", "polcy"),
            "the table has no column 'polcy': it has policy, n, mean_total (did you mean 'policy'?)",
        ),
        (("wonders", "run", "--filter", "n"), "a filter is COLUMN=VALUE, COLUMN=VALUE,VALUE or != in the place of ="),
        (("wonders", "run", "--filter", "n=many"), "the column 'n' holds numbers, not 'many'"),
        (("wonders", "run", "--top", "0"), "top must be at least 1, not 0"),
        (("wonders",), "Missing argument 'RUN'"),
        (("wonders", "run", "--tpo", "3"), "No such option: --tpo"),
    ],
)
def test_mistakes_of_tables(wsim_command: Command, a_run: str, words: list[str], sentence: str) -> None:
    answer = wsim_command(*words)
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith(f"wsim: {sentence}")
    assert answer.err.count("\n") == 1


def test_json_has_no_nan() -> None:
    from wsim.display import json_of

    assert json_of({"a": [float("nan"), float("inf"), 1.5, None, True, "x"]}) == {
        "a": [None, None, 1.5, None, True, "x"]
    }


def test_numbers_of_a_column_are_aligned(capsys: pytest.CaptureFixture[str]) -> None:
    from wsim.cli.console import print_tables
    from wsim.display import Shown

    print_tables([Shown("T", [{"name": "[b]", "x": 0.5, "n": 12345}, {"name": None, "x": -12.25, "n": None}])])
    assert capsys.readouterr().out.splitlines()[3:] == ["[b]     0.50  12,345", "      -12.25"]
