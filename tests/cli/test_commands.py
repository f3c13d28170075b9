"""The other commands, and the guarantees that apply to all of them."""

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
from tests.tiers import first_quick
from wsim.cli.command_table import ALIASES, PANELS
from wsim.cli.console import remark, write_out
from wsim.game import GAMES, find_game

ROOT = Path(__file__).parents[2]
HEAVY = ("numpy", "numba", "polars")


def fresh(code: str) -> str:
    """Run Python code in a separate process and return its output."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        [sys.executable, "-c", code], env=environment, text=True, capture_output=True, check=True
    ).stdout


@first_quick(1, "words", [["--help"], ["run", "--help"], ["--version"], []])
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


def test_the_public_names_exist() -> None:
    assert {"simulate", "load_run", "Plan", "Run", "UserError"} <= set(dir(wsim))
    assert wsim.UserError.__module__ == "wsim.errors"
    with pytest.raises(AttributeError, match="module 'wsim' has no attribute 'simulation'") as wrong:
        _ = wsim.simulation  # type: ignore[attr-defined]
    assert (wrong.value.name, wrong.value.obj) == ("simulation", wsim)  # with these, Python says "Did you mean"


def test_wsim_without_arguments_prints_the_help(wsim_command: Command) -> None:
    answer = wsim_command()
    assert (answer.code, answer.err) == (0, "")
    assert "trace" in answer.out


def test_the_help_groups_commands_by_purpose(wsim_command: Command) -> None:
    lines = wsim_command().out.splitlines()
    headings = [line.removesuffix(":") for line in lines if re.fullmatch(r"[A-Z][a-z ]+:", line)]
    assert headings == ["Options", *PANELS]
    listed = [line.split()[0] for line in lines if re.match(r"  [a-z]+  ", line)]
    assert len(listed) <= 20
    assert listed[:5] == ["run", "open", "import", "cards", "table"]
    assert {"merge", "synergies", "tune", "sensitivity"}.isdisjoint(listed)
    assert "  New here? Play games with wsim run, then browse them with" in wsim_command().out


@pytest.mark.parametrize("name", [*ALIASES, "synergies", "tune", "sensitivity"])
def test_an_unlisted_command_still_works(wsim_command: Command, name: str) -> None:
    shown = wsim_command(name, "--help")
    assert (shown.code, shown.err) == (0, "")
    assert shown.out.startswith(f"Usage: wsim {name} ")
    if name in ALIASES:
        current = ALIASES[name]
        shown_there = wsim_command(*current.split(), "--help").out
        assert shown_there == shown.out.replace(f"wsim {name} ", f"wsim {current} ", 1)


def test_version_is_printed(wsim_command: Command) -> None:
    assert wsim_command("--version").out == f"wsim {wsim.__version__}\n"


def test_a_mistyped_command_is_reported_in_one_sentence(wsim_command: Command) -> None:
    answer = wsim_command("rnu")
    assert (answer.code, answer.out) == (2, "")
    assert answer.err == "wsim: No such command 'rnu'. Did you mean 'run'?\n"


def test_an_internal_error_is_not_turned_into_a_sentence(
    wsim_command: Command, toy: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.games.toy_game.GAME.policies", lambda: 1 / 0)
    from wsim.cli.app import main

    with pytest.raises(ZeroDivisionError):
        main(["policies"])


def test_traces_are_json_lines(wsim_command: Command, toy: None) -> None:
    answer = wsim_command("trace", "--games", "3", "--seed", "7")
    assert answer.code == 0
    traces = [json.loads(line) for line in answer.out.splitlines()]
    assert [(trace["index"], trace["seed"]) for trace in traces] == [(0, 7), (1, 7), (2, 7)]
    head = '{"format": "wsim-trace/1", "game": "toy", "ruleset": "toy-1e", "seed": 7, "index": 0, "seats": [{"policy"'
    assert answer.out.startswith(head)


def test_a_trace_matches_the_game_that_run_plays(wsim_command: Command, toy: None) -> None:
    trace = json.loads(wsim_command("trace", "--first", "41").out)
    game = wsim.simulate(games=42).filter(game=41)
    assert [seat["total"] for seat in trace["scores"]] == game["total"].to_list()


def test_traces_can_be_printed_as_text(wsim_command: Command, toy: None) -> None:
    lines = wsim_command("trace", "--games", "2", "--format", "text").out.splitlines()
    assert [line[:7] for line in lines if line[:5] in ("Game ", "")] == ["Game 0:", "", "Game 1:"]


def test_traces_can_be_written_to_a_file(wsim_command: Command, toy: None) -> None:
    lines = wsim_command("trace", "--games", "3").out
    answer = wsim_command("trace", "--games", "3", "-o", "games.jsonl")
    assert (answer.code, answer.out) == (0, "")
    assert Path("games.jsonl").read_text() == lines
    assert os.listdir() == ["games.jsonl"]


def test_a_failed_trace_leaves_the_existing_file(
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
            "unknown format 'jsn': it must be json, text or html (did you mean 'json'?)",
        ),
        (("--first", "-1"), 2, "the first game must be at least 0, not -1"),
        (("--picks",), 2, "trace has no option '--picks' (did you mean '--policies'?)"),
        (("games",), 2, "'games' does not exist"),
        (("one", "two"), 2, "wsim trace RUN GAME: the game must be a number, not 'two'"),
        (("one", "--seed", "2"), 2, "the games of a run are shown as they were played: 'seed' cannot be changed"),
        (("--first", str(2**44)), 2, f"games are numbered up to {2**44 - 1}: 1 games from {2**44} exceed that"),
        (("--first", "9" * 23), 2, f"games are numbered up to {2**44 - 1}: 1 games from {'9' * 23} exceed that"),
        (("-o", "nowhere/x"), 1, "cannot write 'nowhere/x': No such file or directory"),
    ],
)
def test_mistakes_in_trace_are_reported(
    wsim_command: Command, toy: None, words: list[str], code: int, sentence: str
) -> None:
    answer = wsim_command("trace", *words)
    assert (answer.code, answer.out, answer.err) == (code, "", f"wsim: {sentence}\n")


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="a closed pipe is a signal or an error on POSIX only")
def test_closing_the_pipe_early_is_not_an_error(toy: None) -> None:
    trace = process("trace", "--games", "20000")
    assert trace.stdout is not None
    assert trace.stderr is not None
    assert json.loads(trace.stdout.readline())["index"] == 0
    trace.stdout.close()
    assert trace.stderr.read() == ""
    trace.stderr.close()
    trace.wait(timeout=60)


def test_policies_lists_the_registry(wsim_command: Command, toy: None) -> None:
    lines = wsim_command("policies").out.splitlines()
    assert lines[1].split() == ["name", "kind", "idea", "parameters", "source", "random"]
    assert [line.split()[0] for line in lines[3:]] == ["bold", "random", "shy"]
    rows = json.loads(wsim_command("policies", "--json").out)
    assert [row["random"] for row in rows] == [False, True, False]
    assert json.loads(wsim_command("policies", "shy", "--json").out) == rows[2]
    assert wsim_command("policies", "shi").err.endswith("(did you mean 'shy'?); accepted: bold, random, shy\n")


def test_a_net_is_shown_with_its_training_record(wsim_command: Command) -> None:
    said = wsim_command("policies", "net").out
    for seed in (1, 2):
        trained = rf"net:seed={seed}: trained on [0-9,]+ decisions in \d+ rounds, seed {seed}: 1e-3 [0-9,]+, 1e-4 "
        assert re.search(trained, said)
    [net] = json.loads(wsim_command("policies", "net:seed=2", "--json").out)["nets"]
    assert (net["net"], net["seed"]) == ("net:seed=2", 2)
    [net] = json.loads(wsim_command("policies", "net", "--game", "tower_of_babel", "--json").out)["nets"]
    assert sorted(net["tables"]) == ["2005-3", "2005-4", "2005-5"]


@pytest.fixture
def a_run(wsim_command: Command, toy: None) -> str:
    assert wsim_command("run", "--games", "1000", "--out", "run").code == 0
    return "run"


def test_table_prints_a_run(wsim_command: Command, a_run: str) -> None:
    answer = wsim_command("wonders", a_run)
    assert answer.code == 0
    title, header, _, *rows = answer.out.splitlines()
    assert title == "Wonders, 1,000 games"
    assert header.split() == ["policy", "n", "mean", "total"]
    assert [row.split()[0] for row in rows[:3]] == ["bold", "random", "shy"]
    assert rows[-1] == "A note."


@first_quick(
    2,
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
def test_table_can_be_sorted_shortened_and_filtered(
    wsim_command: Command, a_run: str, words: list[str], order: list[str]
) -> None:
    rows = json.loads(wsim_command("wonders", a_run, "--json", *words).out)["rows"]
    assert [row["policy"] for row in rows] == order
    table, _, note = wsim_command("wonders", a_run, *words).out.rpartition("\n\n")
    assert note == "A note.\n"
    assert table.count("\n") + 1 == (3 + len(order) if order else 2)


@first_quick(
    1,
    ("words", "sentence"),
    [
        (("wonders", "nothing"), "'nothing' does not exist"),
        (("cards", "run"), "toy has no table of cards: it has policies, treasures, wonders"),
        (
            ("wonders", "run", "--sort", "polcy"),
            "the table has no column 'polcy' (did you mean 'policy'?): it has policy, n, mean_total",
        ),
        (("wonders", "run", "--filter", "n"), "a filter is COLUMN=VALUE, COLUMN=VALUE,VALUE or != instead of ="),
        (("wonders", "run", "--filter", "n=many"), "the column 'n' contains numbers, not 'many'"),
        (("wonders", "run", "--top", "0"), "top must be at least 1, not 0"),
        (("wonders",), "Missing argument 'RUN'"),
        (("wonders", "run", "--tpo", "3"), "No such option: --tpo"),
    ],
)
def test_mistakes_in_table_are_reported(wsim_command: Command, a_run: str, words: list[str], sentence: str) -> None:
    answer = wsim_command(*words)
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith(f"wsim: {sentence}")
    assert answer.err.count("\n") == 1


LOUD = """
import wsim

@wsim.policy
def loud(public, own, choice, rules):
    print("\\x1b[31mcompiled", own.seat)
    return 0

@wsim.policy(python=True)
def plain(public, own, choice, rules):
    print("\\x1b]0;plain\\x07", choice.count)
    return 0
"""


@pytest.mark.slow
def test_policy_output_is_separated_and_escaped(wsim_command: Command, tmp_path: Path) -> None:
    (file := tmp_path / "loud.py").write_text(LOUD)
    words = ["--policies", f"{file}:loud,{file}:plain,random", "--players", "3", "--games", "5", "--threads", "1"]
    answer = wsim_command("run", *words, "--out", str(tmp_path / "run"), "--json", "-q")
    assert answer.code == 0, answer.err
    assert json.loads(answer.out)["folder"] == str(tmp_path / "run")
    assert "\\u001b[31mcompiled 0" in answer.err
    assert "\\u001b]0;plain\\u0007" in answer.err
    assert "\x1b" not in answer.err


@pytest.mark.slow
def test_policy_output_is_separated_in_question_commands(wsim_command: Command, tmp_path: Path) -> None:
    (file := tmp_path / "loud.py").write_text(LOUD)
    words = ["--players", "3", "--budget", "20", "--threads", "1", "--json", "-q"]
    answer = wsim_command("match", f"{file}:plain", "random", *words)
    assert json.loads(answer.out)["policies"] == [f"{file}:plain", "random"]
    assert "plain" in answer.err


def test_names_in_foreign_files_cannot_set_titles_or_forge_lines(wsim_command: Command, tmp_path: Path) -> None:
    (file := tmp_path / "p.toml").write_text(
        '[cards."A\\u001b[31mred\\u202e"]\nage = 1\n["\\u001b[2J\\r\\nFAKE: no mistakes"]\nx = 1\n'
    )
    answer = wsim_command("catalog", "--check", str(file))
    assert answer.code == 2
    assert 'cards."A\\u001b[31mred\\u202e"' in answer.err
    assert not re.search("[\x1b\r\u202e]", answer.err)
    assert not re.search("^FAKE", answer.err, re.MULTILINE)


def test_lines_and_remarks_show_control_characters(capsys: pytest.CaptureFixture[str]) -> None:
    write_out("name\x01\x9b2J\u2028of an object\tin a store")
    remark("left alone: \x01ctl\r")
    assert capsys.readouterr() == (
        "name\\u0001\\u009b2J\\u2028of an object\tin a store\n",
        "left alone: \\u0001ctl\\u000d\n",
    )


def test_json_has_no_nan() -> None:
    from wsim.display import json_of

    assert json_of({"a": [float("nan"), float("inf"), 1.5, None, True, "x"]}) == {
        "a": [None, None, 1.5, None, True, "x"]
    }


def test_numbers_in_a_column_are_aligned(capsys: pytest.CaptureFixture[str]) -> None:
    from wsim.cli.console import print_tables
    from wsim.document import Sheet

    print_tables([Sheet("T", [{"name": "[b]", "x": 0.5, "n": 12345}, {"name": None, "x": -12.25, "n": None}])])
    assert capsys.readouterr().out.splitlines()[3:] == ["[b]     0.50  12,345", "      -12.25"]
