"""``wsim advise`` and ``wsim play``: reproducible answers, a scripted game, mistakes in one sentence."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import wsim
from tests.conftest import Command
from tests.tiers import first_quick

pytestmark = pytest.mark.usefixtures("elsewhere")

GAMES = {
    "wonders": ["--policies", "balanced,random,science", "--players", "3", "--seed", "3"],
    "babel": ["--game", "tower_of_babel", "--policies", "balanced", "--players", "3", "--seed", "3"],
}


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch, wsim_command: Command) -> Command:
    """Run ``wsim play`` with these lines as standard input."""

    def play(*words: str) -> object:
        *options, lines = words
        monkeypatch.setattr("sys.stdin", io.StringIO(lines))
        return wsim_command("play", *options)

    return play  # type: ignore[return-value]


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_advice_for_a_run_and_its_position_file_is_the_same(wsim_command: Command, game: str) -> None:
    made = wsim_command("run", *GAMES[game], "--games", "3", "--out", "study", "--quiet")
    assert made.code == 0, made.err
    position = wsim.load_run("study").game(2).at(turn=3)
    Path("here.json").write_text(position.to_json(), encoding="utf-8")
    words = ["--playouts", "3", "--json", "--quiet"]
    ours = wsim_command("advise", "study", "2", "--turn", "3", *words)
    assert ours.code == 0, ours.err
    told = json.loads(ours.out)
    assert json.loads(wsim_command("advise", "here.json", *words).out) == told
    assert wsim_command("advise", "study", "2", "--turn", "3", *words).out == ours.out
    seeded = json.loads(wsim_command("advise", "here.json", *words, "--seed", "4").out)
    assert (told["rng"], seeded["rng"]) == (0, 4)
    assert seeded["moves"] != told["moves"]
    legal = position.legal()
    assert sorted(row["index"] for row in told["moves"]) == list(range(len(legal)))
    assert (told["seat"], told["playouts"]) == (position.to_move, 3)
    assert told["play_on"] == ("balanced" if game == "babel" else "science,balanced,random")  # as they sit in game 2
    assert set(told["policies"]) >= {"random", "greedy", "balanced"}
    assert set(told["policies"].values()) <= set(range(len(legal)))
    for row in told["moves"]:
        assert {**row["move"], "index": row["index"]} == legal[row["index"]]
        assert sum(row["paid"].values()) == sum(row["move"].get(key, 0) for key in ("bank", "left", "right"))


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_advice_text_fits_80_columns_and_obeys_a_time_limit(wsim_command: Command, game: str) -> None:
    options = dict(zip((key[2:] for key in GAMES[game][::2]), GAMES[game][1::2], strict=True))
    keys: dict[str, Any] = {key: int(value) if value.isdecimal() else value for key, value in options.items()}
    Path("here.json").write_text(wsim.Game(**keys).to_json(), encoding="utf-8")
    done = wsim_command("advise", "here.json", "--seconds", "0.01")
    assert done.code == 0, done.err
    assert max(map(len, done.out.splitlines())) <= 80
    assert re.search(r"^   1  \d\.\d{3} ±\d\.\d{3}", done.out, re.MULTILINE)
    assert re.search(r"^Move \d+ is what .*balanced", done.out, re.MULTILINE)


@first_quick(
    2,
    ("words", "sentence"),
    [
        (["no.json"], "there is no file 'no.json'"),
        (["/dev/zero"], "'/dev/zero' is neither a position file nor the folder of a run"),
        (["here.json", "3"], "'here.json' contains a single position: GAME needs a run"),
        (["here.json", "--seat", "1"], "'here.json' contains a single position: --seat needs a run"),
        (["here.json", "--playouts", "1"], "at least 2 playouts are needed, or 0 for the value net, not 1"),
        (["here.json", "--seconds", "-1"], "seconds must be more than 0"),
        (["here.json", "--playout-policies", "balancd"], "balancd"),
        (["study"], "name a game of 'study': wsim advise RUN GAME"),
        (["study", "0", "--age", "9"], "game 0 has no decision at age 9: its last age is 3"),
        (["study", "0", "--seat", "5"], "seat 5 does not exist: seats are numbered 0 to 2"),
        (["study", "7"], "there is no game 7 in 'study'"),
    ],
)
def test_mistakes_in_advise_are_reported(wsim_command: Command, words: list[str], sentence: str) -> None:
    if "study" in words:
        wsim_command("run", *GAMES["wonders"], "--games", "1", "--out", "study", "--quiet")
    Path("here.json").write_text(wsim.Game(players=3).to_json(), encoding="utf-8")
    done = wsim_command("advise", *words, "--quiet")
    assert (done.code, done.out) == (2, "")
    assert sentence in done.err
    assert done.err.count("\n") == 1


@first_quick(1, "game", GAMES)
def test_a_scripted_game_is_played_to_its_end(script: Command, game: str) -> None:
    done = script(*GAMES[game], "--seat", "1", "0\n" * 400)
    assert done.code == 0, done.err
    assert max(map(len, done.out.splitlines())) <= 80
    assert "The game is over." in done.out
    assert re.search(r"  seat 1 \(you\): -?\d+ points", done.out)


@pytest.mark.parametrize("game", GAMES)
def test_a_saved_and_resumed_game_is_the_same(script: Command, game: str) -> None:
    whole = script(*GAMES[game], "--save", "whole.json", "0\n1\n0\n0\n1\n0\n")
    assert (whole.code, whole.err.splitlines()[-1]) == (0, "saved; continue with: wsim play --load whole.json")
    script(*GAMES[game], "--save", "part.json", "0\n1\n0\nu\nq\n")
    again = script("--load", "part.json", "0\n0\n1\n0\n")
    assert again.code == 0, again.err
    assert Path("part.json").read_text() == Path("whole.json").read_text()


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_a_saved_game_is_a_position_file(script: Command, wsim_command: Command, game: str) -> None:
    """One format: wsim advise and the workbench read what wsim play leaves, and the other way round."""
    script(*GAMES[game], "--seat", "1", "--save", "mine.json", "0\n0\nq\n")
    position = wsim.Game.from_json(Path("mine.json").read_text())
    assert position.to_move == 1
    advice = wsim_command("advise", "mine.json", "--playouts", "2", "--json", "-q")
    assert (advice.code, json.loads(advice.out)["seat"]) == (0, 1), advice.err
    Path("table.json").write_text(position.to_json())  # as the workbench saves it: who decides is who goes on
    for name in ("mine.json", "table.json"):
        again = script("--load", name, "u\nu\nu\nq\n")
        assert again.code == 0, again.err
        assert again.out.count("There is nothing to undo.") == 1  # both decisions of the seat can be undone
    drawn = position.determinize(1, 5)
    Path("drawn.json").write_text(drawn.to_json())
    assert script("--load", "drawn.json", "0\nq\n").code == 0
    assert wsim.Game.from_json(Path("drawn.json").read_text()).steps[: len(drawn.steps)] == drawn.steps


def test_a_saved_game_against_a_policy_of_a_file_says_how_it_continues(script: Command) -> None:
    Path("mine.py").write_text("def last(public, own, choice, rules):\n    return choice.count - 1\n")
    words = ["--policies", "./mine.py:last", "--players", "3", "--seed", "3"]
    whole = script(*words, "--save", "whole.json", "0\n1\n0\n0\n")
    assert whole.err.splitlines()[-2:] == [
        "saved; continue with: wsim play --load whole.json --policies ./mine.py:last",
        "wsim: trusted, in the process of wsim: ./mine.py:last",
    ]
    script(*words, "--save", "part.json", "0\n1\nq\n")
    assert script("--load", "part.json", "--policies", "./mine.py:last", "0\n0\n").code == 0
    assert Path("part.json").read_text() == Path("whole.json").read_text()


HINT = re.compile(r"win share .*?\nBest move: \d+", re.DOTALL)


@pytest.mark.slow  # compiles playouts of these policies
def test_a_playout_hint_shows_the_move_numbers(script: Command) -> None:
    done = script(*GAMES["wonders"], "h\nh 2\n")
    by_net, hint = HINT.finditer(done.out)
    legal = dict(re.findall(r"^ +(\d+)  (.+)$", done.out[: by_net.start()], re.MULTILINE))
    rows = re.findall(r"^ {2,3}(\d+)  .{41}(.+)$", hint[0], re.MULTILINE)
    assert len(rows) == 5
    assert all(legal[number].startswith(move) for number, move in rows)
    assert hint[0].endswith(f"Best move: {rows[0][0]}")


@pytest.mark.slow
def test_hint_help_and_invalid_moves_are_answered(script: Command) -> None:
    done = script(*GAMES["wonders"], "h\nh 1\n?\n99\nu\n")
    (by_net,) = HINT.finditer(done.out)
    assert "score" not in by_net[0]
    assert "by the value net; h 200 checks it by playouts" in done.out
    assert "playouts must be from 2 to 100,000, not '1'" in done.out
    assert done.out.count("Type the number of a move") == 3
    assert "'99' is not a move: moves are numbered 0 to" in done.out
    assert "There is nothing to undo." in done.out


@pytest.mark.parametrize(
    ("file", "words", "sentence"),
    [
        ("", ["--seat", "9"], "seat 9 does not exist: seats are numbered 0 to 3"),
        ("", ["--load", "no.json"], "cannot read 'no.json'"),
        ("{", ["--load", "x.json"], "'x.json' is not a saved game: it is not JSON"),
        (
            '{"format": "wsim-match/1"}',
            ["--load", "x.json"],
            "the format of a position file must be 'wsim-position/1'",
        ),
        (
            '{"format": "wsim-position/1", "seat": "me"}',
            ["--load", "x.json"],
            "seat of a position file must be a whole",
        ),
        ('{"format": "wsim-play/1", "seat": 1}', ["--load", "x.json"], "which cannot be continued"),
        ("", ["extra"], "play takes no argument 'extra'"),
    ],
)
def test_mistakes_in_play_are_reported(script: Command, file: str, words: list[str], sentence: str) -> None:
    Path("x.json").write_text(file)
    done = script(*words, "")
    assert (done.code, done.out) == (2, "")
    assert sentence in done.err


def test_ctrl_c_saves_the_game(script: Command, monkeypatch: pytest.MonkeyPatch, wsim_command: Command) -> None:
    def interrupted() -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr("sys.stdin", SimpleNamespace(readline=interrupted))
    done = wsim_command("play", *GAMES["wonders"])
    assert (done.code, done.err.splitlines()[-1]) == (130, "saved; continue with: wsim play --load wsim-play.json")
    assert script("--load", "wsim-play.json", "q\n").code == 0
