"""Unit tests of ``wsim.Game`` on a plain Python game: moves, moments, copies, files, playouts."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import wsim
from tests.positions import test_by_hand
from wsim.errors import UserError
from wsim.game import GAMES


@pytest.fixture
def counting(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a function that begins a game in which two seats say 0, 1 or 2 twice; ``highest`` says 2, ``fixed`` 1."""
    monkeypatch.setitem(GAMES, "counting", f"{test_by_hand.__name__}:GAME")

    def begin(*policies: str, number: int = 0, **keys: Any) -> Any:
        return wsim.Game(game="counting", players=2, policies=policies or ("highest", "fixed"), number=number, **keys)

    return begin


def refused(sentence: str) -> Any:
    return pytest.raises(UserError, match=sentence)


def test_a_move_is_an_index_or_part_of_one_legal_move(counting: Any) -> None:
    game = counting()
    assert game.legal() == [{"index": number, "action": str(number)} for number in range(3)]
    assert game.step(0).step({"action": "2"}).step({"action": "1", "index": 1}).step(np.int64(2)) is game
    assert (game.steps, game.standing()) == ([0, 2, 1, 2], [1, 4])
    assert (game.to_move, game.decision, game.legal()) == (None, None, [])
    assert [row["win_share"] for row in game.result] == [0.0, 1.0]
    game = counting()
    assert game.result is None
    for move, sentence in (
        (3, "move 3 does not exist: legal moves are numbered 0 to 2"), (-1, "move -1 does not exist"),
        ({}, r"\{\} matches 3 legal moves"), ({"action": "3"}, "matches none of the 3 legal moves"),
        (1.0, "a move must be an index or part of a legal move, not 1.0"),
    ):  # fmt: skip
        with refused(sentence):
            game.step(move)
    assert game.step({"index": 2}).steps == [2], "an index alone chooses among all"
    assert game.step({"index": 2, "action": "1"}).steps == [2, 1], "it decides only among several"
    assert (game.observe().record["seat"], game.observe(1).record["seat"]) == (0, 1)
    assert game.view() == game.view(0) != game.view(1)


def test_a_finished_game_has_no_decisions(counting: Any) -> None:
    game = counting()
    while game.to_move is not None:
        game.follow()
    assert game.steps == [2, 1, 2, 1]
    for call in (
        lambda: game.step(0), game.follow, lambda: game.ask("fixed"), game.observe, lambda: game.rollout(games=1),
        lambda: game.values(games=1),
    ):  # fmt: skip
        with refused("the game is over"):
            call()
    assert game.observe(1).record["own"] == [1, 1]
    assert repr(game) == "<wsim.Game standard, 2 players, game 0: over>"


def test_follow_uses_the_planned_line_up_and_ask_any_policy(counting: Any) -> None:
    game = counting("highest", "fixed", number=3, rotate=True)
    assert (game.made(), game.made(), game.number) == (1, 2, 3), "rotated by one of two"
    assert game.ask("fixed:word=0") == {"index": 0, "action": "0"}
    assert game.ask("highest")["index"] == 2
    assert game.steps == [1, 2], "asking makes no move"
    assert game.rollout(games=2).tolist() == [[[2.0, 0.0], [4.0, 1.0]]] * 2, "playouts rotate nobody"


def test_at_lets_the_policies_play_to_the_moment(counting: Any) -> None:
    game = counting()
    assert game.at(seat=1).steps == [2]
    assert game.at(seat=1).steps == [2], "already there"
    with refused(r"a moment has no 'sat' \(did you mean 'seat'\?\): give any of age, turn, seat"):
        game.at(sat=1)
    with refused("seat 2 does not exist: seats are numbered 0 to 1"):
        game.at(seat=2)
    with refused("game 0 has no decision at age 1: it has no such key"):
        counting().at(age=1)
    late = counting().step(0).step(0).step(0)
    with refused("game 0 has no decision at seat 0: its last seat is 1"):
        late.at(seat=0)


def test_copies_and_the_history_are_independent(counting: Any) -> None:
    game = counting().step(1).step(0)
    copy = game.clone().step(2)
    assert (game.steps, copy.steps, copy.standing(), game.standing()) == ([1, 0], [1, 0, 2], [3, 0], [1, 0])
    assert [past.steps for past in copy.history()] == [[], [1], [1, 0], [1, 0, 2]]
    assert [position.standing() for position in copy.positions()] == [[0, 0], [1, 0], [1, 0], [3, 0]]
    other = game.determinize(1, 5)
    assert (other.steps, game.steps) == ([1, 0, ["determinize", 1, 5]], [1, 0])
    assert other.positions()[-1].luck == other.determinize(1, 5).positions()[-1].luck
    assert other.positions()[-1].luck != game.determinize(1, 6).positions()[-1].luck
    assert game.determinize(1, (1 << 63) + 5).steps == other.steps, "63 bits count"
    for seat in (-1, 2, True):
        with refused("does not exist: seats are numbered 0 to 1"):
            game.determinize(seat, 5)
    with refused("rng must be a whole number, not 'x'"):
        game.determinize(0, "x")


def test_a_position_file_contains_plan_number_and_steps(counting: Any) -> None:
    game = counting(number=4, seed=7).step(1).determinize(0, 9).step(2)
    text = game.to_json()
    content = json.loads(text)
    assert (content["number"], content["steps"]) == (4, [1, ["determinize", 0, 9], 2])
    again = wsim.Game.from_json(text)
    assert (again.steps, again.number, again.plan.seed, again.described) == (game.steps, 4, 7, False)
    assert again.to_json() == text
    for step, sentence in (
        (3, "step 1 of the position file: move 3 does not exist"), (True, "a step must be the index of a move or"),
        (["determinize", 0], r"the index of a move or \['determinize', seat, rng\], not \['determinize', 0\]"),
        (["again", 0, 9], "a step must be"), (["determinize", 2, 9], "seat 2 does not exist"),
    ):  # fmt: skip
        with refused(sentence):
            wsim.Game.from_json(json.dumps({**content, "steps": [1, step]}))
    for number in (-1, True, 1 << 43):
        with refused(f"game number {number} does not exist: games are numbered 0 to {(1 << 43) - 1}"):
            counting(number=number)
    assert counting(number=(1 << 43) - 1).number == (1 << 43) - 1


def test_playouts_and_values_by_hand(counting: Any) -> None:
    """Seat 0 to move, both have said 1. By ``fixed`` the rest are ones: with 0, 1 or 2 it loses, shares or wins."""
    game = counting().step(1).step(1)
    assert game.rollout("fixed", 2).tolist() == [[[2.0, 0.5], [2.0, 0.5]]] * 2
    assert game.rollout(("highest", "fixed:word=0"), 1, seat=0).tolist() == [[[3.0, 1.0], [1.0, 0.0]]]
    assert game.rollout(games=1).tolist() == [[[3.0, 1.0], [2.0, 0.0]]], "by those at the table"
    rows = game.values(policies="fixed", games=3)
    assert [(row["index"], row["win_share"], row["score"], row["games"]) for row in rows] == [
        (2, 1.0, 3.0, 3), (1, 0.5, 2.0, 3), (0, 0.0, 1.0, 3)
    ]  # fmt: skip
    assert [row["loss"] for row in rows] == [0.0, 0.5, 1.0]
    assert [row["win_shares"] for row in rows] == [[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]]
    assert [row["index"] for row in game.values([0, {"action": "2"}, 0], "fixed", 1)] == [2, 0]
    assert game.by_net is False
    for keys, sentence in (
        ({"games": 0}, "there is no value net for this table of counting: at least 1 playout is needed"),
        ({"games": -1}, "at least 1 playout is needed, not -1"), ({"games": 1.0}, "at least 1 playout is needed, not"),
        ({"moves": []}, "name at least one legal move"), ({"first": -1}, "playouts are numbered from 0, not -1"),
    ):  # fmt: skip
        with refused(sentence):
            game.values(**keys)
    with refused("at least 1 playout is needed, not 0"):
        game.rollout(games=0)
