"""Position files: saved and loaded, written by hand, rejected in one sentence."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import wsim

TABLES = (
    {"ruleset": "1e", "players": 3},
    {"ruleset": "2e-cities-teams", "players": 4},
    {"ruleset": "1e-duo", "players": 2},
    {"game": "tower_of_babel", "players": 3},
)


@pytest.mark.parametrize("table", TABLES, ids=str)
def test_a_saved_game_contains_its_steps(table: dict[str, Any]) -> None:
    game = wsim.Game(seed=3, number=5, **table)
    for step in range(40):
        assert game.to_move is not None
        if step == 21:
            game = game.determinize(game.to_move, 8)
        game = game.follow() if step % 3 == 0 else game.step(step % len(game.legal()))
    again = wsim.Game.from_json(game.to_json())
    assert again.record() == game.record()
    assert again.legal() == game.legal()
    assert again.to_json() == game.to_json()


def by_hand(**changes: Any) -> dict[str, Any]:
    """Return a hand-written position: age I, turn 2, three players."""
    cities = [
        {"wonder": "Gizah", "side": "A", "built": ["Altar"], "coins": 3},
        {"wonder": "Rhodos", "side": "B", "built": ["Stockade"], "coins": 2},
        {"wonder": "Ephesos", "side": "A", "coins": 6},
    ]
    hand = ["Baths", "Clay Pool", "Loom", "Ore Vein", "Theater", "Timber Yard"]
    told = {"seat": 0, "age": 1, "turn": 2, "hand": hand, "discarded": 1, "cities": cities} | changes
    return {"format": "wsim-position/1", "game": "seven_wonders", "plan": {"ruleset": "1e"}, "position": told}


def test_a_city_without_stated_coins_has_the_starting_coins() -> None:
    told = by_hand()
    del told["position"]["cities"][2]["coins"]
    assert [city["coins"] for city in wsim.Game.from_json(json.dumps(told)).observe()["cities"]] == [3, 2, 3]


def test_a_hand_written_position_can_be_read() -> None:
    game = wsim.Game.from_json(json.dumps(by_hand()))
    assert game.to_move == 0
    assert game.decision == "turn"
    seen = game.observe()
    assert seen["hand"] == by_hand()["position"]["hand"]
    assert [city["coins"] for city in seen["cities"]] == [3, 2, 6]
    assert [city["shields"] for city in seen["cities"]] == [0, 1, 0]
    loom = next(move for move in game.legal() if move.get("card") == "Loom" and move["action"] == "build")
    game.step({"card": "Loom", "action": "build"})
    assert loom["how"] == "paid"
    assert game.to_move == 1, "the others choose after the one who asks"
    outcomes = wsim.Game.from_json(json.dumps(by_hand())).rollout("balanced", 30, seat=0)
    assert outcomes.shape == (30, 3, 2)
    assert outcomes[:, :, 0].min() > 5


@pytest.mark.parametrize(("ruleset", "players"), [("1e", 4), ("2e-cities", 4), ("1e-duo", 2)])
@pytest.mark.parametrize("turn", [3, 4])
def test_the_view_of_a_seat_is_saved_in_readable_form(ruleset: str, players: int, turn: int) -> None:
    game = wsim.Game(ruleset=ruleset, players=players, seed=2, policies="balanced").at(age=2, turn=turn)
    assert game.to_move == 0
    again = wsim.Game.from_json(game.to_json(seat=0))
    assert again.legal() == game.legal()
    mine, theirs = again.observe(0).record, game.observe(0).record
    hidden = {"public_moves": None}
    assert mine | hidden == theirs | hidden


@pytest.mark.slow
@pytest.mark.parametrize(("ruleset", "players"), [("1e", 3), ("1e-duo", 2)])
def test_the_view_of_a_seat_that_has_chosen_can_be_read(ruleset: str, players: int) -> None:
    """While others are still to choose, the file contains the seat's own decision as it was before its choice."""
    game = wsim.Game(ruleset=ruleset, players=players, seed=2, policies="random")
    hand: object = None
    for _ in range(7):
        if game.to_move == 0 and game.decision == "turn":
            hand = game.observe(0).record["hand"]
        again = wsim.Game.from_json(game.to_json(seat=0))
        assert again.to_move == 0
        assert again.observe(0).record["hand"] == hand
        game.follow()


def test_a_hand_that_was_passed_on_is_remembered() -> None:
    """The hand that was handed on in turn 1 is with the left neighbour in turn 2 (R5)."""
    left = ["Apothecary", "Barracks", "Clay Pit", "Glassworks", "Lumber Yard", "Press"]
    game = wsim.Game.from_json(json.dumps(by_hand(handed_on=[{"turn": 1, "took": "Altar", "left": left}])))
    for draw in range(20):
        hands = game.determinize(0, draw).record()["hands"]
        assert hands[1] == left, "the left neighbour holds it, and nothing has left it"
        assert not set(hands[2]) & set(left)


def test_a_card_built_later_is_removed_from_the_passed_hand() -> None:
    """Two turns later the hand is one seat further, and the one between has built the Press of it."""
    left = ["Apothecary", "Barracks", "Clay Pit", "Glassworks", "Lumber Yard", "Press"]
    told = by_hand(
        turn=3, hand=["Baths", "Loom", "Ore Vein", "Theater", "Timber Yard"], handed_on=[{"turn": 1, "left": left}]
    )
    told["position"]["cities"][1]["built"] = ["Stockade", "Press"]
    game = wsim.Game.from_json(json.dumps(told))
    for draw in range(20):
        assert game.determinize(0, draw).record()["hands"][2] == left[:-1]


def refusals() -> Mapping[str, dict[str, Any]]:
    return {
        "age must be a whole number from 1 to 3, not 4": by_hand(age=4),
        "turn must be a whole number from 1 to 6, not True": by_hand(turn=True),
        "seat must be a whole number from 0 to 2, not 3": by_hand(seat=3),
        "the hand has 1 cards, but seat 0 has 6 in this turn": by_hand(hand=["Loom"]),
        "the hand of seat 0 cannot contain 6 Loom in age 1": by_hand(hand=["Loom"] * 6),
        "the hand of seat 0 has an unknown card 'Lom' (did you mean 'Loom'?)": by_hand(hand=["Lom"] * 6),
        "hand must be a list of names, not 'Loom'": by_hand(hand="Loom"),
        "a position has no 'citys'": by_hand(citys=[]),
        "discarded must be a whole number from 0 to 63, not -1": by_hand(discarded=-1),
        "cities must be a list of objects, not None": by_hand(cities=None),
        "city 0 cannot have built Palace in age 1": with_city(built=["Palace"]),
        "city 0 has built Altar more than once (R7)": with_city(built=["Altar", "Altar"]),
        "coins of city 0 must be a whole number from 0 to 200, not 1000": with_city(coins=1000),
        "stages of city 0 must be a whole number from 0 to 3, not 4": with_city(stages=4),
        "a city has no 'coin'": with_city(coin=1),
        "unknown wonder 'Giza'": with_city(wonder="Giza"),
        "side of city 0 of the position must be text, not None": with_city(side=None),
        "a position file has no 'positions'": {**by_hand(), "positions": {}},
        "the format of a position file must be 'wsim-position/1', not 'x'": {**by_hand(), "format": "x"},
        "step 0 of the position file: move 99 does not exist": {**by_hand(), "steps": [99]},
        "step 1 of the position file: a step must be the index of a move": {**by_hand(), "steps": [0, "x"]},
        "step 0 of the position file: seat 9 does not exist": {**by_hand(), "steps": [["determinize", 9, 1]]},
        "./evil.py:f is not loaded": {**by_hand(), "plan": {"ruleset": "1e", "policies": "./evil.py:f"}},
        "unknown plan key 'rule'": {**by_hand(), "plan": {"rule": "1e"}},
        "the plan of a position file must be an object": {**by_hand(), "plan": []},
        "the number of a position file's game must be a whole number": {**by_hand(), "number": "1"},
        "a position with two players must have 3 cities, the Free City last, not 2": duo(),
        "seats must be a list of objects, not None": babel(seats=None),
        "has 99 building cards in hand and 0 action cards in held, but its hand_size is": babel(hand={"camel": 99}),
        "hand has no 'camels'": babel(hand={"camels": 5}),
        "there are 25 cards of camel, but the position shows 7": babel(discards={"camel": 99}),
        "a seat has no 'point'": babel(seats=[{"point": 1}] * 3),
        "the board must list the wonders": babel(board=[]),
        "row must be a whole number from 1 to 8, not 0": babel(row=0),
    }


def babel(**changes: Any) -> dict[str, Any]:
    """Return a position of Tower of Babel, written from a seat's view of a real game, with changes."""
    game = wsim.Game(game="tower_of_babel", players=3, seed=4, policies="balanced").at(turn=2)
    while game.decision != "turn":
        game.follow()
    file: dict[str, Any] = json.loads(game.to_json(seat=game.to_move))
    file["position"] |= changes
    return file


def test_a_hand_written_babel_position_can_be_read() -> None:
    game = wsim.Game(game="tower_of_babel", players=4, seed=4, policies="balanced").at(turn=9)
    while game.decision != "turn":
        game.follow()
    again = wsim.Game.from_json(game.to_json(seat=game.to_move))
    assert game.to_move is not None
    assert again.observe(game.to_move).record == game.observe(game.to_move).record
    assert again.legal() == game.legal()
    assert again.rollout("balanced", 20, seat=game.to_move).shape == (20, 4, 2)


def duo() -> dict[str, Any]:
    """Return a position of the two-player game without the Free City."""
    file = by_hand()
    file["position"]["cities"] = file["position"]["cities"][:2]
    return {**file, "plan": {"ruleset": "1e-duo"}}


def with_city(**changes: Any) -> dict[str, Any]:
    """Return a position whose first city is changed."""
    file = by_hand()
    file["position"]["cities"][0] |= changes
    return file


@pytest.mark.slow
@pytest.mark.parametrize("sentence", refusals(), ids=str)
def test_an_impossible_position_is_reported_in_one_sentence(sentence: str) -> None:
    with pytest.raises(wsim.UserError) as caught:
        wsim.Game.from_json(json.dumps(refusals()[sentence]))
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)


def test_all_mistakes_of_a_position_are_listed_together() -> None:
    wrong = with_city(built=["Altr", "Palace"], coins=1000, coin=1)
    wrong["position"] |= {"hand": ["Loom"], "discarded": -1}
    with pytest.raises(wsim.UserError) as caught:
        wsim.Game.from_json(json.dumps(wrong))
    known = (
        "wonder, side, built, copied, recruited, stages, coins, free_build_used, defeats, debts, diplomacy, victories"
    )
    last = "free_build_tokens, by_clauses, so_far, counters"
    assert str(caught.value).split("\nalso: ") == [
        f"a city has no 'coin' (did you mean 'coins'?): it has {known}, {last}",
        "city 0 has an unknown card 'Altr' (did you mean 'Altar'?)",
        "city 0 cannot have built Palace in age 1",
        "coins of city 0 must be a whole number from 0 to 200, not 1000",
        "discarded must be a whole number from 0 to 63, not -1",
        "the hand has 1 cards, but seat 0 has 6 in this turn",
    ]
    with pytest.raises(wsim.UserError, match=r"(?s)row must be .*also: a seat has no 'point'"):
        wsim.Game.from_json(json.dumps(babel(row=0, seats=[{"point": 1}] * 3)))


@pytest.mark.parametrize("text", ["", "[]", "{", "1", "[" * 50_000, '{"a":' * 50_000, "9" * 5000])
def test_text_that_is_not_a_position_is_reported_in_one_sentence(text: str) -> None:
    with pytest.raises(wsim.UserError, match="a position file"):
        wsim.Game.from_json(text)


@pytest.mark.parametrize("rotate", [True, False])
def test_a_loaded_game_has_the_same_line_up(rotate: bool) -> None:
    game = wsim.Game(players=3, seed=4, policies="greedy,random,balanced", number=2, rotate=rotate).at(turn=3)
    table = ["balanced", "greedy", "random"] if rotate else ["greedy", "random", "balanced"]
    assert game.to_move is not None
    for text in (game.to_json(), game.to_json(game.to_move)):
        again = wsim.Game.from_json(text)
        assert again.values(games=3) == again.values(games=3, policies=table)


@pytest.mark.parametrize(
    "names", [{"cards": "/etc/passwd"}, {"patch": ["/etc/passwd"]}, {"policies": "net:file=/dev/zero"}]
)
def test_files_named_in_a_position_are_not_opened(names: dict[str, Any]) -> None:
    told = json.loads(wsim.Game(wsim.Plan.make(players=3)).to_json())
    told["plan"] |= names
    with pytest.raises(wsim.UserError, match="files that a position names are not opened") as refused:
        wsim.Game.from_json(json.dumps(told))
    assert "root:" not in str(refused.value)


def test_a_position_file_has_a_size_limit() -> None:
    with pytest.raises(wsim.UserError, match="has at most 4,194,304 characters"):
        wsim.Game.from_json(" " * (1 << 22) + "{}")


def test_a_trusted_position_includes_its_patch(tmp_path: Path) -> None:
    patch = tmp_path / "p.toml"
    patch.write_text("[cards.Altar]\npoints = 9\n")
    game = wsim.Game(wsim.Plan.make(players=3, patch=[str(patch)]))
    assert wsim.Game.from_json(game.to_json(), trust=True).record() == game.record()
