"""``wsim trace POSITION.json``: the game of a position file as it was played, by people or policies."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import wsim
from tests.conftest import Command
from wsim.game import find_game
from wsim.positions.as_played import decisions_of
from wsim.positions.why import why_along

pytestmark = pytest.mark.usefixtures("elsewhere")

KEYS: dict[str, dict[str, Any]] = {
    "wonders": {"ruleset": "1e", "players": 3, "seed": 7, "policies": "greedy,balanced,random", "rotate": False},
    "babel": {"game": "tower_of_babel", "players": 3, "seed": 7, "policies": "balanced", "rotate": False},
}


def over(game: wsim.Game) -> wsim.Game:
    while game.to_move is not None:
        game.follow()
    return game


def saved(game: wsim.Game, name: str = "ours.json") -> wsim.Game:
    Path(name).write_text(game.to_json())
    return game


@pytest.mark.parametrize("name", ["wonders", "babel"])
@pytest.mark.slow
def test_a_position_played_by_policies_gives_the_trace_of_the_plan(name: str, wsim_command: Command) -> None:
    game = saved(over(wsim.Game(**KEYS[name])))
    answer = wsim_command("trace", "ours.json", "--format", "json")
    assert answer.code == 0, answer.err
    assert json.loads(answer.out) == json.loads(json.dumps(find_game(game.plan.game).prepare(game.plan).trace(0)))


@pytest.mark.slow
def test_a_played_position_is_traced_with_moves_and_their_values(wsim_command: Command) -> None:
    game = wsim.Game(**KEYS["wonders"])
    index = len(game.legal()) - 1
    move = game.legal()[index]
    game = saved(over(game.step(index)))
    answer = wsim_command("trace", "ours.json", "--why=0", "--playouts", "2", "--format", "json")
    assert answer.code == 0, answer.err
    trace = json.loads(answer.out)
    first = trace["ages"][0]["turns"][0]["moves"][0]
    assert {key: first[key] for key in ("card", "action")} == {key: move[key] for key in ("card", "action")}
    assert [seat["policy"] for seat in trace["seats"]] == ["greedy", "balanced", "random"]
    assert game.result is not None
    assert [one["total"] for one in trace["scores"]] == [one["total"] for one in game.result]
    assert trace["why"] == json.loads(json.dumps(why_along(list(decisions_of(game)), 2, seat=0)))
    text = wsim_command("trace", "ours.json", "--format", "text")
    assert f"{move['card']}" in text.out.partition("turn 2")[0]


@pytest.mark.slow
def test_a_page_shows_the_game_up_to_its_last_move(wsim_command: Command) -> None:
    saved(wsim.Game(**KEYS["wonders"]).step(1).follow())
    answer = wsim_command("trace", "ours.json", "-o", "game.html", "--playouts", "3")
    assert answer.code == 0, answer.err
    assert "wsim trace ours.json --format html --playouts 3" in Path("game.html").read_text()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["ours.json"], "the game in 'ours.json' is unfinished: only --format html can show it so far"),
        (["ours.json", "3"], "'ours.json' is one game, shown as it was played: unexpected argument '3'"),
        (["ours.json", "--first", "3"], "unexpected argument '--first'"),
        (["ours.json", "--players", "3"], "unexpected argument '--players'"),
        (["ours.json", "--why=9"], "seat 9 does not exist"),
        (["bad.json"], "a position file is a JSON object"),
    ],
)
def test_an_invalid_position_is_rejected_in_one_sentence(
    wsim_command: Command, words: list[str], sentence: str
) -> None:
    saved(wsim.Game(**KEYS["wonders"]))
    Path("bad.json").write_text("{")
    answer = wsim_command("trace", *words, "--format", "json")
    assert (answer.code, answer.out) == (2, "")
    assert sentence in answer.err
