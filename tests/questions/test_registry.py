"""Registered questions, including a third-party one, are asked, written, read, shown and repeated in the same way."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import wsim
from tests.conftest import Command
from tests.questions import toy_question
from wsim.game import GAMES
from wsim.installed import QUESTIONS
from wsim.questions.registry import find_question, questions

GOAL = """
[plan]
players = 3
policies = "balanced"
[[target]]
metric = "win"
of = "wonder,side"
only = "Rhodos B"
within = 0.06
[[knob]]
path = "wonders.Rhodos.sides.B.*.points"
range = "-1..0"
[search]
games = 400
replays = 60
rounds = 1
proposals = 2
proof_games = 1000
"""
SHEET = "game,wonder,side,score\n" + "".join(
    f"{game},Rhodos,A,5{game}\n{game},Gizah,B,48\n{game},Babylon,A,4{game}\n{game},Ephesos,B,40\n" for game in range(3)
)
RUN = ("--games", "40", "--policies", "random", "-q")
ASKED: dict[str, tuple[str, ...]] = {
    "whatif": ("--set", "cards.Altar.points=3", "--budget", "40", "--policies", "random"),
    "match": ("random", "greedy", "--budget", "20"),
    "skill": ("wonders", "--ladder", "random,greedy", "--games", "40"),
    "robustness": ("random", "greedy", "--games", "60", "--players", "3"),
    "character": ("--games", "60", "--policies", "random", "--variant-set", "cards.Altar.points=3"),
    "exploitability": ("greedy", "--responses", "balanced", "--games", "20", "--players", "3"),
    "picks": ("--games", "60", "--policies", "random", "--randomise", "0.5", "--min-effective-n", "1"),
    "compare": ("one", "two"),
    "combine": ("one", "people"),
    "planning": ("one", "people"),
    "likeness": ("people", "one", "two"),
    "balance": ("goal.toml",),
    "sensitivity": ("goal.toml",),
    "transfer": ("goal.toml", "patch.toml", "--transfer-games", "300"),
    "tune": (
        "archer", "--game", "aiming", "--against", "stone", "--games", "50", "--held-out", "60", "--generations", "2",
        "--judges", "none",
    ),
}  # fmt: skip
"""The smallest question of each kind; ``learn`` is asked by the tests of learning."""


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A third-party question and game, and the files that questions name, in an empty working folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(QUESTIONS, "toy", "tests.questions.toy_question:QUESTION")
    monkeypatch.setitem(GAMES, "aiming", "tests.tuning.aiming_game:GAME")
    Path("goal.toml").write_text(GOAL, encoding="utf-8")
    Path("patch.toml").write_text("wonders.Rhodos.sides.B.1.points = 2\n", encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("name", ASKED)
@pytest.mark.usefixtures("installed")
def test_a_question_can_be_asked_written_read_and_repeated(name: str, wsim_command: Command) -> None:
    if name in ("compare", "combine", "planning", "likeness"):
        for number, out in (("1", "one"), ("2", "two")):
            assert wsim_command("run", "--out", out, "--seed", number, *RUN).code == 0
        Path("sheet.csv").write_text(SHEET, encoding="utf-8")
        assert wsim_command("import", "sheet.csv", "-o", "people").code == 0
    question = find_question(name)
    words = (*question.command.split(), *ASKED[name], "-q")
    asked = wsim_command(*words, "-o", "answer.json")
    assert (asked.code in (0, 3), asked.err) == (True, "")
    assert asked.out
    stored = question.answer_class.read(Path("answer.json"))
    assert stored.record["format"] == question.formats[0]
    again = wsim_command("rerun", "answer.json", "--json", "-q")
    assert (again.code, again.err) == (0, "")
    assert json.loads(again.out)["identical"], again.out


def test_registering_a_question_provides_its_command_and_function() -> None:
    functions = dir(wsim)
    for question in questions():
        assert question.function in functions
        assert question.about
        assert callable(question.named(question.ask))
        assert question.short.endswith(".")
        assert [group.__doc__ for group in question.option_groups]


@pytest.mark.parametrize("room", ["workbench", "report"])
def test_no_page_refers_to_a_specific_question(room: str) -> None:
    also_columns = {"worth"} if room == "report" else set()
    for path in (Path(wsim.__file__).parent / room).rglob("*"):
        if path.suffix in (".py", ".j2"):
            text = path.read_text(encoding="utf-8")
            for question in questions():
                named = rf"""["']{question.name}["']|/ask/{question.name}\b|<code>wsim {question.command}\b"""
                assert question.name in also_columns or not re.search(named, text), (path.name, question.name)


@pytest.mark.usefixtures("installed")
def test_an_installed_question_has_a_form_and_a_function() -> None:
    from wsim.workbench.forms import form_of

    answer: Any = wsim.toy(number=5)  # type: ignore[attr-defined]
    assert answer.squares["square"].to_list() == [0, 1, 4, 9, 16]
    assert answer.again().identical
    form = form_of("toy")
    _, groups = form.read({"number": ["5"]})
    assert groups == [toy_question.ToyOptions(number=5)]
    assert form.words({"number": ["5"]}, "toy.json") == "wsim toy --number 5 -o toy.json"


@pytest.mark.slow
def test_an_installed_question_can_be_listed_asked_and_repeated(tmp_path: Path) -> None:
    """The question is found in a separate process through the metadata that pip would write."""
    info = tmp_path / "site" / "toy-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: toy\nVersion: 1.0\n", encoding="utf-8")
    entry = "[wsim.questions]\ntoy = tests.questions.toy_question:QUESTION\n"
    (info / "entry_points.txt").write_text(entry, encoding="utf-8")
    paths = os.pathsep.join((str(tmp_path / "site"), str(Path(wsim.__file__).parents[1])))

    def printed(*words: str) -> str:
        environment = {**os.environ, "PYTHONPATH": paths}
        done = subprocess.run(
            [sys.executable, "-m", "wsim", *words], env=environment, cwd=tmp_path, capture_output=True, text=True,
            check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert "List the squares of the first numbers." in printed("toy", "--help")
    printed("toy", "--number", "4", "-o", "toy.json", "-q")
    assert json.loads((tmp_path / "toy.json").read_text(encoding="utf-8"))["squares"][-1] == {"square": 9}
    assert json.loads(printed("rerun", "toy.json", "--json", "-q"))["identical"]
