"""Chapter 14, further decks (R88-R92, R101, R102, R104, R106)."""

# ruff: noqa: N802

from __future__ import annotations

import json
from itertools import product
from typing import Any

import pytest

import wsim
from tests.wonders.engine_tools import RANDOM, TASTES, engine_table
from tests.wonders.extremes import written
from tests.wonders.test_decks import decisions, deck, several


def test_R88_each_card_is_dealt_once_whatever_the_policies() -> None:
    changes = (deck(several(15, points=1), deal=2), deck({"Sage": {}, "Bard": {}, "Monk": {}}, "Guests", display=2))
    seen = set()
    for player in (RANDOM, TASTES[0]):
        dealt = [engine_table("1e", 7, (player,), set=changes).trace(number)["decks"] for number in range(4)]
        for one in dealt:
            hands = [name for hand in one["Envoys"] for name in hand]
            assert len(set(hands)) == len(hands) == 14
            assert len(set(one["Guests"])) == 2
        seen.add(json.dumps(dealt))
    assert len(seen) == 1


def test_R88_a_deck_of_a_later_age_is_unknown_until_then() -> None:
    changes = [deck(several(14), deal=2, age=2), deck({"Sage": {}, "Monk": {}}, "Guests", display=1, age=3)]
    game = wsim.Game(set=changes, players=3, policies="random", seed=1)
    for age, (hands, shown) in enumerate(((0, 0), (2, 0), (2, 1)), start=1):
        seen: Any = game.at(age=age, turn=2).observe(0)
        had = [name for city in seen["cities"] for name in city["recruited"]]
        own = [name for name in seen["cities"][0]["recruited"] if name.startswith("Envoy")]
        assert len(seen["recruits"]) + len(own) == hands
        assert len(seen["display"]) + sum(name in ("Sage", "Monk") for name in had) == shown


@pytest.mark.parametrize("moment", ["age_start", "age_end"])
def test_R89_each_player_may_recruit_one_card_in_each_age(moment: str) -> None:
    table = engine_table("1e", 3, set=(deck(several(21, points=1), deal=3, recruit=moment),))
    for number in range(3):
        trace = table.trace(number)
        of_age = [age.get("decisions", ()) for age in trace["ages"]]
        of_turn = [turn.get("decisions", ()) for age in trace["ages"] for turn in age["turns"]]
        assert [len(made) for made in of_age] == ([3, 3, 3] if moment == "age_end" else [0, 0, 0])
        assert [len(made) for made in of_turn] == ([0] * 18 if moment == "age_end" else ([3] + [0] * 5) * 3)
        assert [one["seat"] for one in decisions(trace)] == [0, 1, 2] * 3


def test_R89_only_affordable_cards_are_offered() -> None:
    trace = engine_table("1e", 3, set=(deck(several(7, cost=99), deal=1),)).trace(0)
    assert decisions(trace) == []
    game = wsim.Game(set=[deck({"Dear": {"cost": 4}, "Cheap": {"cost": 3}}, display=2)], players=3, policies="random")
    assert [move.get("card") for move in game.legal()] == ["Cheap", None]


def test_R89_a_card_of_the_display_is_gone_for_the_next_seat() -> None:
    game = wsim.Game(set=[deck({"One": {}, "Two": {}}, display=2)], players=3, policies="random", seed=1)
    assert [move.get("card") for move in game.legal()] == ["One", "Two", None]
    game = game.step(game.legal()[0])
    assert [move.get("card") for move in game.legal()] == ["Two", None]
    game = game.step(game.legal()[0])
    assert game.decision == "turn"  # nothing is left for seat 2


def test_R90_a_recruited_card_costs_coins_has_its_effects_and_is_not_a_structure() -> None:
    clauses = [
        {"event": "built", "gain": {"coins": "10 * cards + 100 * stages"}},
        {"event": "scored", "points": "7 + cards - cards"},
    ]
    card = {"cost": 2, "coins": 5, "shields": 2, "points": 3, "produces": ["ore"], "when": clauses}
    watch = written([{"event": "card_built", "by": "anyone", "gain": {"coins": 50}}])
    changes = [deck({"Hero": card}, display=1), f"table.Watch.when={watch}"]
    game = wsim.Game(set=changes, players=3, policies="random", seed=1)
    game = game.step(game.legal()[0])
    city: Any = json.loads(game.to_json(seat=0))["position"]["cities"][0]
    assert (city["coins"], city["shields"]) == (3 - 2 + 5, 2)
    assert (city["built"], city["recruited"]) == ([], ["Hero"])


def test_R91_points_of_a_recruited_card_count_in_the_category_of_stages() -> None:
    changes = (deck({"Hero": {"points": 30, "when": [{"event": "scored", "points": 400}]}}, display=1),)
    frame = wsim.simulate(set=changes, players=3, policies="greedy", games=5, seed=1)
    has = frame["recruited:Hero"].to_numpy()
    assert has.sum() == 5
    assert (frame["points_wonder"].to_numpy()[has] >= 430).all()
    assert (frame["points_wonder"].to_numpy()[~has] < 100).all()


def test_R92_only_its_player_sees_a_hand() -> None:
    game = wsim.Game(
        set=[deck(several(12, points=1), deal=2)], ruleset="2e-cities-teams", players=4, policies="random", seed=1
    )
    seen = [json.loads(game.to_json(seat=seat))["position"] for seat in range(4)]
    hands = [tuple(view["recruits"]) for view in seen]
    assert len(set(hands)) == 4
    for seat, view in enumerate(seen):
        others = {name for other, hand in enumerate(hands) if other != seat for name in hand}
        assert not [name for name in others if f'"{name}"' in json.dumps(view)]


@pytest.mark.parametrize(("passing", "step"), [("left", 1), ("right", -1)])
def test_R101_players_keep_a_card_and_pass_the_others_on_in_the_direction_of_age_I(passing: str, step: int) -> None:
    """Three hands of three: the first card is chosen, the second after the hands were passed on, the last one stays."""
    changes = [deck(several(21), draft=3), f"settings.passing=['{passing}', 'left', 'left']"]
    game = wsim.Game(set=changes, players=3, policies="random", seed=1)
    hands: Any = [game.observe(seat)["draft"] for seat in range(3)]
    assert not any(game.observe(seat)["hand"] for seat in range(3)), "no card of age I is dealt yet"
    kept: list[list[str]] = [[], [], []]
    for _ in range(2):
        for seat in range(3):
            assert (game.decision, game.to_move) == ("effect", seat)
            assert [move["card"] for move in game.legal()] == hands[seat]
            kept[seat].append(hands[seat].pop(0))
            game = game.step(game.legal()[0])
        hands = [hands[(seat - step) % 3] for seat in range(3)]
    for seat in range(3):
        seen: Any = game.observe(seat)
        assert sorted(seen["recruits"]) == sorted(kept[seat] + hands[seat])
        assert len(seen["hand"]) == 7


def test_R101_decks_are_drafted_one_after_the_other_by_name() -> None:
    changes = (deck(several(14), "Second", draft=2), deck({f"Bard{n}": {} for n in range(21)}, "First", draft=3))
    trace = engine_table("1e", 3, set=changes).trace(0)
    assert [one["deck"] for one in decisions(trace) if one["action"] == "keep"] == 6 * ["First"] + 3 * ["Second"]


@pytest.mark.slow
def test_R102_what_others_choose_of_their_hand_is_secret() -> None:
    """The third seat's view does not depend on the cards kept by the earlier seats."""
    seen = set()
    for first, second in product(range(3), repeat=2):
        game = wsim.Game(set=[deck(several(21), draft=3)], players=3, policies="random", seed=1)
        game.step(first).step(second)
        seen.add(json.dumps(json.loads(game.to_json(seat=2))["position"]))
    assert len(seen) == 1


def test_R104_one_of_some_cards_of_the_stock_is_recruited_for_its_price() -> None:
    """Four cards, one of which lies open: of the three others each seat sees two in turn, or those that are left."""
    cards = {name: {"cost": 1, "points": 5} for name in ("Aide", "Bard", "Cook", "Dean")}
    drawing = {"event": "turn_start", "if": "age == 1 and turn == 1", "gain": {"draw": {"Envoys": 2}}}
    changes = [deck(cards, display=1, recruit="age_end"), f"table.Call.when={written([drawing])}"]
    game = wsim.Game(set=changes, players=3, policies="random", seed=3)
    first: Any = game.observe(0)
    left, taken = set(cards) - set(first["display"]), []
    for shown in (2, 2, 1):
        *offered, last = game.legal()
        assert (len(offered), last["action"]) == (shown, "decline")
        assert {move["card"] for move in offered} <= left
        taken.append(offered[0]["card"])
        left.remove(taken[-1])
        game = game.step(0)
    seen: Any = game.observe(0)
    assert [city["recruited"] for city in seen["cities"]] == [[name] for name in taken]
    assert [city["coins"] for city in seen["cities"]] == [2, 2, 2]
    assert (seen["display"], game.decision) == (first["display"], "turn")


def test_R104_a_player_who_cannot_pay_for_any_drawn_card_is_not_asked() -> None:
    drawing = written([{"event": "turn_start", "gain": {"draw": {"Envoys": 1}}}])
    game = wsim.Game(set=[deck({"Dear": {"cost": 9}}), f"table.Call.when={drawing}"], players=3, policies="random")
    assert game.decision == "turn"


def gained(city: dict[str, Any]) -> int:
    """Return the points that a city gained by rules of the table and recruited cards."""
    return int(city.get("by_clauses", {}).get("points_wonder", 0))


def watching(name: str, *clauses: dict[str, Any]) -> str:
    return f"table.{name}.when={written(list(clauses))}"


def test_R106_clauses_of_others_react_to_a_recruited_card_and_know_it() -> None:
    """Seat 1 recruits the Hero (2 coins, 3 shields, 4 points), its first card: its rules and its neighbours' react."""
    cards = {"Aide": {}, "Hero": {"cost": 2, "shields": 3, "points": 4, "science": "gear", "produces": ["ore"]}}
    worth = "card.coins + 10 * card.shields + max(0, 100 * card.points) + 1000 * card.gear + 2000 * card.ore"
    hero = {"event": "recruited", "if": "card.name == 'Hero'"}
    changes = [
        deck(cards, display=2),
        watching("Facts", {**hero, "gain": {"points": worth}}),
        watching("Order", {**hero, "gain": {"points": "10000 * card.order"}}),
        watching("Others", {**hero, "by": "neighbor", "each": "trigger", "take": 1}),
        watching("Never", {**hero, "if": "card.from_stock or card.by_chain or card.red", "gain": {"coins": 9}}),
        watching("Paid", {"event": "recruited", "by": "anyone", "if": "card.paid", "gain": {"debts": 1}}),
    ]
    game = wsim.Game(set=changes, players=3, policies="random", seed=1)
    assert [move.get("card") for move in game.legal()] == ["Aide", "Hero", None]
    game = game.step(game.legal()[-1])
    game = game.step(game.legal()[1])
    seen: Any = game.observe(0)
    cities = seen["cities"]
    assert [city["coins"] for city in cities] == [3 + 1, 0, 3], "it pays 2 coins and has one left, for seat 0"
    assert [city["debts"] for city in cities] == [1, 1, 1], "every city reacts to a move of any"
    assert gained(cities[1]) == 10_000 + 3000 + 400 + 30 + 2
    assert [gained(cities[0]), gained(cities[2])] == [0, 0]


def test_R106_own_clauses_act_first_and_a_card_does_not_react_to_itself() -> None:
    """The Hero gains 7 coins when recruited; the rule of the table then pays as many points as the city has coins."""
    clauses = [{"event": "built", "gain": {"coins": 7}}, {"event": "recruited", "by": "anyone", "gain": {"coins": 50}}]
    changes = [
        deck({"Aide": {"cost": 1}, "Hero": {"cost": 2, "when": clauses}}, display=2),
        watching("Count", {"event": "recruited", "gain": {"points": "coins"}}),
    ]
    game = wsim.Game(set=changes, players=3, policies="random", seed=1)
    game = game.step(game.legal()[1])
    seen: Any = game.observe(0)
    assert (seen["cities"][0]["coins"], gained(seen["cities"][0])) == (3 - 2 + 7, 8)
    game = game.step(game.legal()[0])
    seen = game.observe(0)
    assert seen["cities"][0]["coins"] == 8 + 50, "it reacts to the card of the next seat"


def test_R106_cards_of_the_stock_are_known_as_such() -> None:
    drawing = {"event": "turn_start", "if": "age == 1 and turn == 1", "gain": {"draw": {"Envoys": 2}}}
    changes = [
        deck({"Aide": {"cost": 1}, "Bard": {"cost": 1}, "Cook": {"cost": 1}}),
        watching("Call", drawing),
        watching("Tell", {"event": "recruited", "gain": {"points": "3 * card.from_stock + 100 * card.paid"}}),
    ]
    game = wsim.Game(set=changes, players=3, policies="random", seed=1)
    game = game.step(game.legal()[0])
    seen: Any = game.observe(0)
    assert gained(seen["cities"][0]) == 3
