"""Unit tests of commands: a terminal session, the options of trace, interrupted answers, charts."""

from __future__ import annotations

import io
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from typer import Exit

import wsim
from tests.positions import test_by_hand
from wsim.cli import doctor_command, presenter, trace_command
from wsim.cli.console import forecast, print_tables, write_note
from wsim.cli.play_command import HELP, _load_saved_game, _Session
from wsim.cli.presenter import Characters, answered, chart_lines
from wsim.cli.trace_command import TraceOptions, Why
from wsim.document import NAME, SHARE, Chart, Column, Document, Sheet, estimated
from wsim.errors import UserError
from wsim.game import GAMES
from wsim.lab.progress import Interrupted
from wsim.positions.played_game import PlayedGame


@pytest.fixture
def session(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """Return a function that starts a two-player game in plain Python from seat 0; the other seat, ``fixed``, plays
    1.
    """
    monkeypatch.setitem(GAMES, "counting", f"{test_by_hand.__name__}:GAME")

    def sit(seat: int = 0, *steps: int, commands: str = "") -> Any:
        monkeypatch.setattr("sys.stdin", io.StringIO(commands))
        game = wsim.Game(game="counting", players=2, policies=("fixed", "fixed"))
        made = _Session(PlayedGame(game, {seat}), seat, tmp_path / "game.json")
        made.replay(steps, "mine.json")
        return made

    return sit


def test_a_session_takes_commands_to_the_end(session: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """Two and zero are said, an undo in between; the result is sorted by who wins."""
    made = session(commands="2\nu\n?\n7\nv\n2\n0\n")
    made.play()
    printed = capsys.readouterr().out
    assert made.game.steps == [2, 1, 0, 1]
    assert printed.count(HELP) == 3, "at the beginning, for ? and for 7"
    assert "'7' is not a move: moves are numbered 0 to 2." in printed
    assert printed.count("Your moves (say)") == 5, "both decisions, both again after the undo, and v"
    assert printed.count("move> ") == 7
    end = printed[printed.index("The game is over.") :].split("\n")
    assert end[1:3] == ["  seat 0 (you): 2.0 points, wins 0.5", "  seat 1: 2.0 points, wins 0.5"]
    session(commands="u\nq\n").play()
    assert "There is nothing to undo." in capsys.readouterr().out
    lost = session(commands="0\n0\n")
    lost.play()
    end = capsys.readouterr().out.split("The game is over.\n")[1].split("\n")
    assert end[:2] == ["  seat 1: 2.0 points, wins 1", "  seat 0 (you): 0.0 points"]


def test_a_session_can_be_saved_and_resumed(
    session: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    made = session(1, 2, commands="s other.json\n0\n")
    made.play()
    assert (made.game.steps, made.played.moves) == ([2, 0, 1], [2, 0, 1]), "it ended with its input"
    told = capsys.readouterr().err
    assert told.startswith("saved; continue with: wsim play --load other.json")
    assert f"--load {tmp_path / 'game.json'}" in told
    saved = json.loads(Path("other.json").read_text(encoding="utf-8"))
    assert (saved["steps"], saved["seat"]) == ([2], 1)
    given: Any = SimpleNamespace(keys=[], extra=[], resolve=lambda plan: plan)
    begun = _load_saved_game("other.json", given, None, trust=False)
    assert (begun.seat, begun.number, begun.steps, begun.position) == (1, 0, [2], None)
    assert _load_saved_game("other.json", given, 0, trust=False).seat == 0
    resampled = made.game.determinize(1, 5)
    Path("third.json").write_text(resampled.to_json(), encoding="utf-8")
    begun = _load_saved_game("third.json", given, None, trust=False)
    assert begun.position is not None
    assert (begun.seat, begun.position.steps) == (1, resampled.steps), "who decides next sits there"
    for keys, extra, key in ((["players"], [], "players"), ([], ["--x"], "x")):
        changed: Any = SimpleNamespace(keys=keys, extra=extra)
        with pytest.raises(UserError, match=f"continues with its own plan: '{key}' cannot be changed"):
            _load_saved_game("other.json", changed, None, trust=False)
    with pytest.raises(UserError, match=r"the saved game 'mine\.json' has more moves than the game"):
        session(0, 2, 1, 2, 1, 0)


def test_the_trace_format_follows_from_the_output(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages to files that end so, text on a terminal, JSON elsewhere."""
    terminal = False
    monkeypatch.setattr(trace_command, "results", lambda: SimpleNamespace(isatty=lambda: terminal))
    assert [TraceOptions(out=out).form for out in (None, "a.html", "a.txt")] == ["json", "html", "json"]
    terminal = True
    assert [TraceOptions(out=out).form for out in (None, "a.html", "a.txt")] == ["text", "html", "json"]
    assert TraceOptions(out="a.html", format="text").form == "text"
    for options, sentence in (
        (TraceOptions(format="txt"), r"unknown format 'txt': it must be json, text or html \(did you mean 'text'\?\)"),
        (TraceOptions(format="html", why="0"), "--why needs --format text or json"),
        (TraceOptions(playouts=5), "--playouts has no effect on text"),
    ):  # fmt: skip
        with pytest.raises(UserError, match=sentence):
            _ = options.form
    assert TraceOptions(format="html", playouts=5).form == "html"
    plan: Any = SimpleNamespace(players=3)
    assert TraceOptions().wanted(plan) is None
    assert TraceOptions(why="every", playouts=0).wanted(plan) == Why(None, 0)
    assert [TraceOptions(why=seat, playouts=2).wanted(plan) for seat in ("0", "2")] == [Why(0, 2), Why(2, 2)]
    for why, playouts, sentence in (
        ("0", 1, "--playouts must be at least 2, or 0 for the value net, not 1"), ("3", 2, "seat 3 does not exist"),
        ("-1", 2, "seat -1 does not exist: seats are numbered 0 to 2"), ("x", 2, "a seat number, not 'x'"),
    ):  # fmt: skip
        with pytest.raises(UserError, match=sentence):
            TraceOptions(why=why, playouts=playouts).wanted(plan)


@pytest.mark.parametrize(
    ("arguments", "first", "extra", "found"),
    [
        ([], None, [], (None, 0)), (["run"], None, [], ("run", 0)), (["run"], 7, [], ("run", 7)),
        (["run", "3"], None, [], ("run", 3)),
        (["run", "3"], 7, [], "the game is given twice: '3' and --first 7"), ([], -1, [], "at least 0, not -1"),
        (["run", "x"], None, [], "the game must be a number, not 'x'"), (["run"], None, ["-3"], "at least 0, not -3"),
        (["run", "3", "4"], None, [], "unexpected argument '4'"),
    ],
)  # fmt: skip
def test_trace_takes_a_run_and_a_game_number(
    arguments: list[str], first: int | None, extra: list[str], found: Any
) -> None:
    given: Any = SimpleNamespace(arguments=arguments, extra=extra)
    if isinstance(found, tuple):
        assert trace_command._run_and_first_game(given, first) == found
    else:
        with pytest.raises(UserError, match=found):
            trace_command._run_and_first_game(given, first)


class Answer:
    """An answer with one row."""

    TABLES = ("rows",)

    def shown(self) -> Document:
        import polars as pl

        return Document(pl.DataFrame({"a": [1]}), [], named="rows", notes=["A note."], hint="A hint.")

    def record(self) -> dict[str, Any]:
        return {"seed": 7, "rows": [9]}


def output(*, quiet: bool = False, as_json: bool = False, instead: bool = False) -> Any:
    written: list[Any] = []
    files: Any = SimpleNamespace(
        instead=instead, check=lambda: None, write=lambda rows, head, quiet: written.append((len(rows), head, quiet))
    )
    printing: Any = SimpleNamespace(quiet=quiet, as_json=as_json)
    made: Any = presenter.Output(printing, files, out=None)
    return made, written


def test_an_answer_is_printed_and_written_even_if_interrupted(capsys: pytest.CaptureFixture[str]) -> None:
    answer: Any = Answer()

    def interrupted(result: Any, hint: str = "") -> Any:
        def play(_progress: Any) -> Any:
            raise Interrupted(result, hint)

        return play

    made, written = output()
    assert answered(lambda _progress: answer, made, write=lambda _answer: ["a", "b"]) is answer
    told = capsys.readouterr()
    assert (told.out, told.err) == ("\nA note.\n", "A hint.\nwritten: a and b\n")
    assert written == [(1, {"seed": 7}, False)]
    made, _ = output(as_json=True, quiet=True)
    answered(lambda _progress: answer, made, write=lambda _answer: "a")
    told = capsys.readouterr()
    assert (json.loads(told.out), told.err) == ({"seed": 7, "rows": [{"a": 1}]}, "")
    made, _ = output(instead=True)
    answered(lambda _progress: answer, made)
    assert capsys.readouterr() == ("", "")
    with pytest.raises(Exit) as exit_:
        answered(interrupted(answer, "go on so"), made)
    assert exit_.value.exit_code == 130
    assert capsys.readouterr().err == "wsim: interrupted; results of the games so far; go on so\n"
    with pytest.raises(Exit):
        answered(interrupted(None, "go on so"), made)
    assert capsys.readouterr().err == "wsim: interrupted; go on so\n"
    with pytest.raises(Interrupted):
        answered(interrupted(None), made)


def test_a_terminal_chart_has_a_common_scale_including_zero() -> None:
    """From -.2 to .2 on eleven places: each is .04, and 0 is the sixth."""
    columns = [Column("name", NAME), estimated("x", SHARE, difference=True)]
    rows: list[dict[str, Any]] = [{"name": "a", "x": 0.12, "x_low": 0.0, "x_high": 0.2},
            {"name": "long", "x": -0.12, "x_low": -0.2, "x_high": None},
            {"name": "b", "x": -0.2, "x_low": -0.2, "x_high": -0.16}, {"name": "c", "x": None}]  # fmt: skip
    chart = Chart("forest", ("x",), ("name",), "T")
    made = chart_lines(chart, Sheet("S", rows, columns), Characters("-", "o", "|"), 27)
    assert made == [
        "   a    +0.120       |--o--",
        "long    -0.120    o  |",
        "   b    -0.200  o-   |",
        "   c                 |",
    ]
    wide = chart_lines(chart, Sheet("S", rows[:1], columns), Characters("-", "o", "|"))
    assert len(wide[0]) == 1 + 2 + 8 + 2 + presenter.CHART
    assert len(chart_lines(chart, Sheet("S", rows[:1], columns), Characters("-", "o", "|"), 5)[0]) == 13 + 10


def test_the_remaining_time_is_forecast_from_the_pace() -> None:
    assert forecast("games", 10, 100, 5.9) == "", "less than a minute"
    assert forecast("games", 10, 100, 6.0) == (
        "This will take at most about 1 minutes (100 games); Ctrl-C stops it with the results so far."
    )
    assert "about 89 minutes" in forecast("games", 1, 1000, 5.34)
    assert "about 1.5 hours" in forecast("games", 1, 1000, 5.4, "")


def test_tables_and_notes_fit_the_width(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    write_note("one two three four five\nsix")
    assert capsys.readouterr().out == "one two three four\nfive\nsix\n"
    rows = [{"name": "a", "first": 1, "second": 2, "third": 3, "fourth": 4}]
    print_tables([Sheet("Title", rows, main=("name", "first", "second")), Sheet("Empty", [])])
    assert capsys.readouterr().out.splitlines() == [
        "Title", "name  first  second", "─" * 19, "a         1       2", "2 more columns:", "--wide", "", "Empty",
        "(no rows)",
    ]  # fmt: skip


def test_extras_are_listed_with_a_version_or_an_install_command(monkeypatch: pytest.MonkeyPatch) -> None:
    needs = ["numpy>=1", 'altair>=5; extra == "report"', "jinja2; python_version > '3' and extra == 'report'",
             "torch>=2; extra == 'learn'", 'pytest; extra == "test"', "wsim; extra == 'all'"]  # fmt: skip
    versions = {"altair": "5.1", "jinja2": "3.0"}
    monkeypatch.setattr("importlib.metadata.requires", lambda _name: needs)
    monkeypatch.setattr(doctor_command, "_version", lambda name: versions.get(name, ""))
    assert [(check.what, check.found, check.sound) for check in doctor_command._extra_checks()] == [
        ("wsim[all]", "", True), ("wsim[learn]", "not installed: torch (pip install 'wsim[learn]')", True),
        ("wsim[report]", "altair 5.1, jinja2 3.0", True),
    ]  # fmt: skip
