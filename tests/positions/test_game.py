"""The methods of ``wsim.Game``, and the calls that it rejects."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

import wsim
from wsim.game import find_game
from wsim.positions.kernel_game import compile_stepping


@pytest.fixture(scope="module")
def game() -> wsim.Game:
    """A game with four players, which tests clone."""
    return wsim.Game(ruleset="1e", players=4, seed=7, policies="balanced")


def test_moves_are_described_as_in_the_trace(game: wsim.Game) -> None:
    first = game.legal()[0]
    assert set(first) == {"index", "seat", "card", "action", "how", "bank", "left", "right"}
    assert [move["index"] for move in game.legal()] == list(range(len(game.legal())))


def test_step_accepts_an_index_or_part_of_a_move(game: wsim.Game) -> None:
    card = next(move["card"] for move in game.legal() if move["action"] == "sell")
    by_part, by_index = game.clone(), game.clone()
    by_part.step({"card": card, "action": "sell"})
    by_index.step(next(m["index"] for m in game.legal() if m["action"] == "sell" and m["card"] == card))
    assert by_part.record() == by_index.record()
    whole = game.clone().step(game.legal()[0])
    assert whole.record() == game.clone().step(0).record()


def test_following_the_policies_gives_the_game_of_the_plan(game: wsim.Game) -> None:
    followed = game.clone()
    while followed.to_move is not None:
        followed.follow()
    assert followed.result is not None
    played = wsim.simulate(ruleset="1e", players=4, seed=7, policies="balanced", games=1)
    assert [score["total"] for score in followed.result] == played["total"].to_list()
    assert followed.legal() == []
    assert followed.decision is None
    assert "over" in repr(followed)


def test_at_reaches_the_given_moment(game: wsim.Game) -> None:
    there = game.clone().at(age=2, turn=3, seat=1)
    told = there.record()
    assert (told["age"], told["turn"], there.to_move) == (2, 3, 1)


def test_playouts_depend_on_earlier_moves() -> None:
    """Playouts depend on earlier moves: a seat that sold its cards wins less than a seat that built."""
    game = wsim.Game(ruleset="1e", players=4, seed=1, policies="balanced")
    careless = game.clone()
    while careless.record()["age"] < 3:
        sales = [m["index"] for m in careless.legal() if m["action"] == "sell"]
        careless = careless.step(sales[0]) if careless.to_move == 0 and sales else careless.follow()
    careful = game.clone().at(age=3)
    low, high = (one.rollout("balanced", 200, seat=0).mean(axis=0)[0] for one in (careless, careful))
    assert low[0] < high[0] - 10
    assert low[1] < 0.05 < high[1]


def test_ask_does_not_change_the_game(game: wsim.Game) -> None:
    before = game.record()
    asked = game.ask("greedy")
    assert asked in game.legal()
    assert game.record() == before


Refused = Callable[[wsim.Game], Any]


@pytest.mark.parametrize(
    ("refused", "sentence"),
    [
        (lambda g: g.step(999), "move 999 does not exist: legal moves are numbered 0 to"),
        (lambda g: g.step(-1), "move -1 does not exist"),
        (lambda g: g.step("Loom"), "a move must be an index or part of a legal move, not 'Loom'"),
        (lambda g: g.step({"card": "Palace"}), "matches none of the"),
        (lambda g: g.step({"action": "sell"}), "legal moves: add more keys, or give its index"),
        (lambda g: g.observe(4), "seat 4 does not exist: seats are numbered 0 to 3"),
        (lambda g: g.observe(True), "seat True does not exist"),
        (lambda g: g.observe().__getitem__("hands"), "an observation has no 'hands'"),
        (lambda g: g.determinize(0, 1.5), "rng must be a whole number, not 1.5"),
        (lambda g: g.rollout("balanced", 0), "at least 1 playout is needed, not 0"),
        (lambda g: g.rollout("balanced", "10"), "at least 1 playout is needed, not '10'"),
        (lambda g: g.values(games=2.5), "at least 1 playout is needed, not 2.5"),
        (lambda g: g.at(age="2"), "has no decision at age 2"),
        (lambda g: wsim.Game("1e"), "plan must be a wsim.Plan"),  # type: ignore[arg-type]
        (lambda g: wsim.Game(players=4, number="3"), "game number '3' does not exist"),  # type: ignore[arg-type]
        (lambda g: wsim.Game.from_json(None), "a position file is a JSON object"),  # type: ignore[arg-type]
        (lambda g: g.rollout("balancd"), "unknown policy 'balancd'"),
        (lambda g: g.rollout(["balanced"] * 3), "3 policies"),
        (lambda g: g.at(round=3), "a moment has no 'round'"),
        (lambda g: g.at(age=4), "has no decision at age 4"),
        (lambda g: g.at(seat=7), "seat 7 does not exist"),
        (lambda g: wsim.Game(players=4, number=-1), "game number -1 does not exist"),
        (lambda g: wsim.Game(players=9), "9 players cannot play"),
    ],
)
def test_a_mistake_is_reported_in_one_sentence(game: wsim.Game, refused: Refused, sentence: str) -> None:
    before = game.record()
    with pytest.raises(wsim.UserError) as caught:
        refused(game.clone())
    assert sentence in str(caught.value)
    assert game.record() == before


def test_a_finished_game_accepts_no_moves(game: wsim.Game) -> None:
    over = game.clone()
    while over.to_move is not None:
        over.follow()
    for refused in (lambda: over.step(0), over.follow, lambda: over.rollout("random"), lambda: over.ask("random")):
        with pytest.raises(wsim.UserError, match="the game is over"):
            refused()
    with pytest.raises(wsim.UserError, match="name the seat"):
        over.observe()
    assert over.observe(2)["seat"] == 2


def test_the_former_name_of_record_still_works() -> None:
    game = wsim.Game(players=3, policies="greedy")
    assert game.told() == game.record()
    assert game.observe().told == game.observe().record


@pytest.mark.parametrize(
    "keys", [{"players": 3}, {"ruleset": "2e-cities-teams", "players": 4}], ids=["1e", "teams"]
)  # fmt: skip
def test_observations_match_the_view_of_the_seat(keys: dict[str, Any]) -> None:
    """Whoever decides: of every seat its hand and its mate's, and each city by its distance to the left."""
    game = wsim.Game(seed=5, **keys)
    for _ in range(5 * int(keys["players"])):
        game.follow()
    for seat in range(int(keys["players"])):
        seen = game.observe(seat)
        numbers = dict(zip(seen.columns, map(int, seen.array), strict=True))
        assert numbers["seat"] == seat
        for prefix, cards in (("hand", seen["hand"]), ("mate", seen.record.get("mate_hand", []))):
            found = {name.partition(":")[2]: count for name, count in numbers.items() if name.startswith(f"{prefix}:")}
            assert {name: count for name, count in found.items() if count} == Counter(cards)
        for step in range(int(keys["players"])):
            city, place = seen["cities"][(seat + step) % int(keys["players"])], f"left{step}" if step else "own"
            assert (numbers[f"{place}.coins"], numbers[f"{place}.stages"]) == (city["coins"], city["stages"])
            built = {name for name, count in numbers.items() if name.startswith(f"{place}.built:") and count}
            assert {name.partition(":")[2] for name in built} == set(city["built"])


def test_former_names_of_a_game_still_work() -> None:
    game = wsim.Game(players=3, seed=7).at(turn=3)
    assert game.deeds() == game.public_moves() != []
    assert game.seen(0) == game.scene(0)
    assert game.paid(game.legal()[0]) == game.payments(game.legal()[0])
    assert game.observe()["deeds"] == game.observe()["public_moves"]


def test_single_games_load_stepping_kernels_and_runs_load_playing_kernels() -> None:
    game: Any = find_game("seven_wonders")
    assert game._entry_module == "wsim.wonders.kernels.engine"
    with compile_stepping():
        assert game._entry_module == "wsim.wonders.kernels.commands"
    assert game._entry_module == "wsim.wonders.kernels.engine"
