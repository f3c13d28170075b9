"""Numbers in everyday notation, options, help, suggestions, completion."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

import wsim
from tests.cli.terminal import ROOT, process_on_terminal
from tests.conftest import Command
from wsim.game import GAMES, find_game
from wsim.lab.plan import DEFAULTS, defaults_by_game
from wsim.options import whole


@pytest.mark.parametrize(
    ("text", "number"),
    [
        *(("10k", 10_000), ("1e6", 1_000_000), ("2.5M", 2_500_000), ("1,000", 1000), ("1_000", 1000)),
        *(("7", 7), ("-3", -3), ("1.50e2", 150), ("1E3", 1000), ("0.0", 0)),
    ],
)
def test_numbers_may_be_written_as_people_write_them(text: str, number: int) -> None:
    assert whole(text) == number


@pytest.mark.parametrize("text", ["1.5", "1e-3", "k", "", "10kk", "1e", "many", "१२", "1" * 5000, "1.2345k"])
def test_values_that_are_not_whole_numbers_are_rejected(text: str) -> None:
    with pytest.raises(wsim.UserError, match="is not a whole number"):
        whole(text)


def test_short_options_match_long_ones(wsim_command: Command) -> None:
    assert wsim_command("-V").out == f"wsim {wsim.__version__}\n"
    for words in ((), ("run",), ("cards",), ("experiment", "picks"), ("experiment",)):
        short, long = (wsim_command(*words, option) for option in ("-h", "--help"))
        assert (short.code, short.out) == (0, long.out)
        assert short.out.startswith("Usage: wsim")


def test_help_is_complete_and_shows_no_types(wsim_command: Command) -> None:
    _, lines = process_on_terminal(80, "--help")
    assert not any(line.endswith("...") for line in lines if "ARGS" not in line)
    for words in (("cards",), ("table",), ("run",), ("verify",), ("catalog",), ("report",), ("experiment", "picks")):
        shown = wsim_command(*words, "--help").out
        assert not re.search(r"<\w+(\[\w+\])?>|[{}]", shown), words


def test_help_states_the_actual_defaults(wsim_command: Command) -> None:
    first, other = (find_game(name).default_plan() for name in GAMES)
    line_ups = [",".join(plan["policies"]) for plan in (first, other)]
    shown = " ".join(wsim_command("run", "--help").out.split())
    assert first["players"] == other["players"] == 4
    duo = find_game("seven_wonders").default_plan("1e-duo")["players"]
    for text in (
        f"{line_ups[0]}; {line_ups[1]} for tower_of_babel",
        f"{first['ruleset']}; {other['ruleset']} for tower_of_babel",
        f"4; {duo} in rule sets for two",
        f"{first['games']:,}; {DEFAULTS['games']:,} for tower_of_babel",
    ):
        assert f"[default: {text}]" in shown
    assert first["rotate"]
    assert other["rotate"]


@pytest.mark.parametrize(
    ("words", "games"), [(("run",), defaults_by_game("games")), (("experiment", "picks"), "20,000"), (("trace",), "1")]
)
def test_help_states_the_default_number_of_games(wsim_command: Command, words: tuple[str, ...], games: str) -> None:
    shown = " ".join(wsim_command(*words, "--help").out.split())
    assert f"20000, 20k or 2e4. [default: {games}]" in shown


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("wonder",), "No such command 'wonder'. Did you mean 'wonders'?"),
        (("foo",), "No such command 'foo': wsim --help lists them"),
        (("experiment",), "wsim experiment needs a command: worth, character, exploitability, picks"),
        (("experiment", "pick"), "No such command 'pick'. Did you mean 'picks'?"),
        (("cards", "x", "--tpo", "3"), "No such option: --tpo (Possible options: --top)"),
        (("run", "--gmaes", "3"), "run has no option '--gmaes' (did you mean '--games'?)"),
    ],
)
def test_mistyped_words_get_suggestions(wsim_command: Command, words: tuple[str, ...], sentence: str) -> None:
    answer = wsim_command(*words)
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith(f"wsim: {sentence}")


@pytest.mark.slow
def test_shells_complete_commands_and_policies() -> None:
    def completed(line: str) -> list[str]:
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "_WSIM_COMPLETE": "complete_bash"}
        environment |= {"COMP_WORDS": line, "COMP_CWORD": str(len(line.split()) - 1)}
        command = [sys.executable, "-c", "from wsim.cli.app import main; main()"]
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=False).stdout.split()

    assert "cards" in completed("wsim car")
    assert "balanced,science" in completed("wsim run --policies balanced,sci")
    assert "tower_of_babel" in completed("wsim run --game tow")


def test_completion_can_be_shown(wsim_command: Command) -> None:
    assert "--show-completion" in wsim_command("--help").out
