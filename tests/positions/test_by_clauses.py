"""Gains from clauses that formulas read are public, and part of a hand-written position."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

import wsim
from tests.wonders.extremes import written
from tests.wonders.test_clauses import drawn_case
from wsim.errors import UserError
from wsim.wonders.describe.by_clauses import HAS
from wsim.wonders.facts import CITY_NAMES, SO_FAR
from wsim.wonders.kernels.layout import QUEUE
from wsim.wonders.words import UNIT_PRICES

FOR_GOOD = ("shields", "compass", "gear", "tablet", "wild", "clay", "loom", "free_build_tokens", "debts", "points")
WHEN = [
    {"event": "built", "each": "neighbor", "gain": dict.fromkeys(FOR_GOOD, 1)},
    {"event": "built", "lose": dict.fromkeys(UNIT_PRICES, 1)},
    {"event": "turn_start", "gain": {"turn_ore": 1, "turn_papyrus": 1, "age_shields": 1}},
    {"event": "scored", "points": "sold + chains"},
]
PILE = [{"event": "age_start", "gain": {"discard_builds": 1}}]
CHANGES = [f'cards."{name}".when={written(WHEN)}' for name in ("Altar", "Lumber Yard", "Stockade")]
CHANGES += [f'cards."Loom".when={written(PILE)}', f"wonders.Gizah.A.1.when={written(PILE)}"]
HIDDEN = ("passed", "deed:", "mate:")  # the mate's hand is resampled
LOST = ("public_moves", "handed_on", "pile_seen")  # the history is no part of what a person writes


def table(**keys: Any) -> wsim.Game:
    return wsim.Game(set=CHANGES, players=4, seed=16, policies="balanced", **keys)


def seen(game: wsim.Game, seat: int) -> dict[str, Any]:
    return {key: part for key, part in game.observe(seat).record.items() if key not in LOST}


@pytest.mark.parametrize(("age", "turn"), [(1, 3), (2, 5)])
def test_clause_effects_survive_saving_the_view_of_a_seat(age: int, turn: int) -> None:
    game = table().at(age=age, turn=turn)
    seat = game.to_move
    assert seat is not None
    again = wsim.Game.from_json(game.to_json(seat=seat))
    assert seen(again, seat) == seen(game, seat)
    assert again.legal() == game.legal()
    now = [name for name in again.observe(seat).columns if not name.startswith(("passed", "deed:"))]
    assert again.observe(seat).array[: len(now)].tolist() == game.observe(seat).array[: len(now)].tolist()
    cities = game.observe(seat)["cities"]
    assert all(HAS in city for city in cities)
    assert any(SO_FAR in city for city in cities) == (age > 1)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [*range(101, 109)])  # 100: more debts than the form takes
def test_random_clause_effects_survive_saving_the_view_of_a_seat(seed: int) -> None:
    """A position set up from a seat's view has equal legal moves and, except for the history, equal observations."""
    case, rng, compared = drawn_case(seed), random.Random(seed), 0
    keys: dict[str, Any] = {"ruleset": case.ruleset, "players": case.players, "set": list(case.changes)}
    game = wsim.Game(policies="random", seed=seed, **keys)
    while game.to_move is not None:
        seat = game.to_move
        if game.decision == "turn" and rng.random() < 0.2:
            text = game.to_json(seat=seat)
            again = wsim.Game.from_json(text)
            # else the form cannot express this moment, and has an earlier one
            if json.loads(text)["position"]["cities"] == game.observe(seat)["cities"]:
                compared += 1
                names = [name for name in game.observe(seat).columns if not name.startswith(HIDDEN)]
                arrays = (one.observe(seat).array[: len(names)].tolist() for one in (again, game))
                found, expected = (dict(zip(names, array, strict=True)) for array in arrays)
                assert found == expected
                assert again.legal() == game.legal()
        game.follow()
    assert compared


def test_effects_of_the_start_are_not_applied_twice_to_a_loaded_position() -> None:
    """Whoever sets up a position says what clauses brought; the game from which it is made has begun, too (R87)."""
    when = [{"event": "age_start", "each": "left", "gain": {"shields": 1, "gear": 1, "clay": 1}}]
    game = wsim.Game(set=[f"table.Gift.when={written(when)}"], players=3, seed=5, policies="random")
    seat = game.to_move
    assert seat is not None
    brought = {"shields": 1, "gear": 1, "clay": 1}
    for one in (game, wsim.Game.from_json(game.to_json(seat=seat))):
        cities = one.observe(seat)["cities"]
        assert [(city["shields"], city[HAS]) for city in cities] == [(1, brought)] * 3


def test_observations_show_clause_effects_if_the_catalogue_has_clauses() -> None:
    game = table().at(age=2, turn=2)
    seen = game.observe()
    numbers = dict(zip(seen.columns, seen.array.tolist(), strict=True))
    for step, name in enumerate(("own", "left1", "left2", "left3")):
        city = seen["cities"][(game.to_move + step) % 4] if game.to_move is not None else {}
        assert numbers[f"{name}.free_build_tokens"] == city.get("free_build_tokens", 0)
        assert numbers[f"{name}.shields"] == city["shields"]
        for thing in ("age_shields", "turn_clay", "turn_papyrus"):
            assert numbers[f"{name}.{thing}"] == city.get(HAS, {}).get(thing, 0)
        for thing in ("chains", "trade_paid", "trade_received", "coins_lost", "free_builds", "from_discard", "sold"):
            assert thing in CITY_NAMES
            assert numbers[f"{name}.{thing}"] == city.get(SO_FAR, {}).get(thing, 0)
    assert not [name for name in wsim.Game(players=4).observe().columns if "age_shields" in name]


def test_views_and_scenes_show_clause_effects() -> None:
    game = table().at(age=1, turn=3)
    text, scene = " ".join(game.view().split()), game.scene(0)
    assert "1 also has 2 debts, 2 shields, " in text
    for words in ("wild symbols", "1 ore unit for one turn", "price of raw units from the left -1"):
        assert words in text
        assert scene is not None
        assert words in str(scene.cities[1].facts["by clauses"])


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        (HAS, 3, "by_clauses of city 0 must be an object of numbers, not 3"),
        (HAS, {"shield": 3}, "by_clauses of city 0 has no 'shield' (did you mean 'shields'?): it has shields, "),
        (HAS, {"clay": 51}, "clay in by_clauses of city 0 must be a whole number from 0 to 50, not 51"),
        (HAS, {"clay": -1}, "clay in by_clauses of city 0 must be a whole number from 0 to 50, not -1"),
        (HAS, {"left_raw_price": -3}, "left_raw_price of city 0 would be -1: a unit costs 0 to 5 coins (R66)"),
        (SO_FAR, {"sales": 3}, "so_far of city 0 has no 'sales': it has sold, chains, "),
        (SO_FAR, {"sold": "3"}, "sold in so_far of city 0 must be a whole number from 0 to 1000, not '3'"),
    ],
)
def test_impossible_positions_are_reported_in_one_sentence(key: str, value: Any, words: str) -> None:
    described = json.loads(table().to_json(seat=0))
    described["position"]["cities"][0][key] = value
    with pytest.raises(UserError) as refused:
        wsim.Game.from_json(json.dumps(described))
    assert words in str(refused.value)


@pytest.mark.jit_off  # which sees every index
def test_a_full_build_queue_stops_the_game() -> None:
    """Nobody wins so many in a game (R68), but a position that somebody wrote may say so: 400 wait here."""
    described = json.loads(table().at(age=2, turn=5).to_json(seat=0))
    for city in described["position"]["cities"]:
        city[HAS] = {**city.get(HAS, {}), "discard_builds": 50, "stage_discard_builds": 50}
        city[SO_FAR] = {}
    game = wsim.Game.from_json(json.dumps(described))

    def play_on() -> None:
        while game.to_move is not None:
            game.follow()

    with pytest.raises(wsim.UserError, match=f"65 pending builds from the discard pile: at most {QUEUE} can be played"):
        play_on()
