"""The recorded cases except payments: science, conflicts, counts, coins, chains, decks."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.wonders.both import Position
from tests.wonders.engine_tools import engine_table
from wsim.wonders.analysis.rule_functions import science_score

CASES = json.loads((Path(__file__).parents[1] / "data" / "cases.json").read_text(encoding="utf-8"))["cases"]
SIDES = ((0, "own"), (1, "left"), (2, "right"))


def cases(*topics: str) -> pytest.MarkDecorator:
    """Return a test parameter for each case of the topics."""
    chosen = [case for case in CASES if case["topic"] in topics]
    assert chosen
    return pytest.mark.parametrize("case", chosen, ids=lambda case: f"case{case['id']}")


def three(ruleset: str = "1e", **more: Any) -> Position:
    """Return three empty cities without coins, whose boards have many stages."""
    side = "night" if ruleset == "2e" else "B"
    p = Position(ruleset, f"Gizah {side}", f"Ephesos {side}", f"Alexandria {side}", **more)
    for seat in range(3):
        p.city(seat, coins=0)
    return p


def card_named(p: Position, name: str) -> str:
    """Return the catalogue's name for a card in a case (``haven``, ``bazaar``)."""
    words = name.replace("bazaar", "bazar").replace("_", " ")
    return next(card for card in p.names if card.lower() == words)


@pytest.mark.engine_only
@cases("science")
def test_science(case: dict[str, Any]) -> None:
    symbols = {name: case[name] for name in ("compass", "gear", "tablet", "wild")}
    assert science_score(**symbols) == case["expected"]
    p = three()
    p.public.symbols[0, 1:5] = list(symbols.values())
    assert p.points(0).get("science", 0) == case["expected"]


@cases("treasury")
def test_treasury(case: dict[str, Any]) -> None:
    p = three()
    p.city(0, coins=case["coins"])
    assert p.points(0).get("treasury", 0) == case["expected"]


@pytest.mark.engine_only
@cases("total_score", "total_score_components")
def test_total(case: dict[str, Any]) -> None:
    changes = (f"cards.Altar.points={case.get('card_points', case.get('blue', 0))}",)
    p = three(changes=changes if case.get("card_points", case.get("blue", 0)) else ())
    if changes[0].endswith("=0"):
        p.public.built[0] = 0
    else:
        p.city(0, "Altar")
    p.city(0, coins=case["coins"], victories=[1] * case["military"])
    for place, name in enumerate(("compass", "gear", "tablet", "wild"), start=1):
        p.public.symbols[0, place] = case.get(name, 0)
    scored = p.points(0)
    assert sum(scored.values()) + case.get("wonder_points", 0) == case["expected"]


def with_shields(shields: list[int], age: int) -> Position:
    """Return cities with the given numbers of shields."""
    boards = ("Gizah A", "Ephesos A", "Babylon A", "Olympia A")
    p = Position("1e", *boards[: len(shields)], age=age)
    for seat, number in enumerate(shields):
        p.city(seat, shields=number)
    return p


def military(p: Position) -> list[int]:
    """Return every seat's military points."""
    return [p.points(seat).get("military", 0) for seat in range(p.seats)]


@cases("military")
def test_military(case: dict[str, Any]) -> None:
    p = with_shields(case["shields"], case["age"])
    p.end_age()
    assert military(p) == case["expected_token_sum"]


@cases("military_player")
def test_military_of_one_player(case: dict[str, Any]) -> None:
    p = with_shields([case["own"], case["left"], case["right"]], case["age"])
    p.end_age()
    assert sorted([*p.victories(0), *[-1] * int(p.public.defeats[0])]) == sorted(case["expected_tokens"])
    assert military(p)[0] == case["expected"]


@cases("military_cumulative")
def test_military_over_ages(case: dict[str, Any]) -> None:
    p = with_shields([0, 0, 0], 1)
    for age, expected in zip(case["ages"], case["expected_after"], strict=True):
        p.go_to(age["age"])
        for seat, number in enumerate(age["shields"]):
            p.city(seat, shields=number)
        p.end_age()
        assert military(p) == expected


@cases("military_sum")
def test_military_sum(case: dict[str, Any]) -> None:
    p = three()
    tokens = case.get("tokens", [1] * case.get("victory_points", 0) + [-1] * case.get("defeat_tokens", 0))
    p.city(0, victories=[token for token in tokens if token > 0], defeats=tokens.count(-1))
    assert military(p)[0] == case["expected"]


@pytest.mark.engine_only
@cases("count_effect")
def test_points_per_item(case: dict[str, Any]) -> None:
    singular = {"wonder_stages": "wonder_stage", "defeat_tokens": "defeat_token"}
    what = singular.get(case["element"], case["element"].removesuffix("_cards"))
    scopes = {"neighbours": ["left", "right"], "all": ["self", "left", "right"]}
    cities = scopes.get(case["scope"], [case["scope"]])
    written = f'{{ what = ["{what}"], cities = {json.dumps(cities)}, n = {case["points_each"]} }}'
    p = three(changes=(f"cards.Workers Guild.points_per={written}",))
    for seat, where in ((0, "self"), (1, "left"), (2, "right")):
        p.count(seat, {case["element"].removesuffix("_cards"): case[where]})
    assert p.worth("Workers Guild") == case["expected"]


@cases("card_points")
def test_points_of_a_card(case: dict[str, Any]) -> None:
    p = three("2e" if case.get("edition") == "2nd" else "1e")
    for seat, where in SIDES:
        p.count(seat, case.get(where, {}))
    cards = [card_named(p, name) for name in case["card"].split("+")]
    assert p.worth(*cards) == case["expected_points"]


@cases("card_coins")
def test_coins_of_a_card(case: dict[str, Any]) -> None:
    p = three()
    for seat, where in SIDES:
        p.count(seat, {what.removesuffix("_before"): number for what, number in case.get(where, {}).items()})
    p.city(0, coins=case["own_coins_before"])
    p.play({0: card_named(p, case["card"])})
    assert p.coins[0] == case["expected_own_coins_after"]


@cases("coins")
def test_coins_of_a_build(case: dict[str, Any]) -> None:
    p = three()
    p.city(0, coins=case["own_coins_before"])
    p.play({0: p.moves(0, card_named(p, case["card"]))[0]})
    assert p.coins[0] == case["expected_own_coins_after"]


@cases("chain")
def test_chain(case: dict[str, Any]) -> None:
    p = three(age=2)
    p.city(0, *(card_named(p, name) for name in case["built"]), coins=case["own_coins"])
    assert (p.builds(0, card_named(p, case["card"])) == [("chain", 0, 0, 0)]) == case["expected_free"]


@cases("legality")
def test_legality(case: dict[str, Any]) -> None:
    p = three()
    p.city(0, *(card_named(p, name) for name in case["built"]))
    assert bool(p.builds(0, card_named(p, case["card"]))) == case["expected_playable"]


@pytest.mark.engine_only
@cases("ranking_dense")
def test_dense_ranking(case: dict[str, Any]) -> None:
    boards = ("Gizah A", "Ephesos A", "Babylon A", "Olympia A")
    p = Position("1e", *boards[: len(case["scores"])])
    for seat, (points, coins) in enumerate(zip(case["scores"], case["coins"], strict=True)):
        p.city(seat, coins=coins, victories=[1] * (points - coins // 3))
    p.points(0)
    assert p.game.result.rank[: p.seats].tolist() == case["expected_rank"]


@pytest.mark.engine_only
@cases("pass_direction")
def test_hands_go_left_in_ages_1_and_3(case: dict[str, Any]) -> None:
    p = Position("1e", "Gizah A", "Ephesos A", "Babylon A", age=case["age"])
    p.deal()
    before = [int(p.game.own[seat].hand) for seat in range(3)]
    p.pass_hands()
    assert [int(p.game.own[seat].hand) for seat in range(3)] == [before[2], before[0], before[1]]


def dealt(ruleset: str, players: int, age: int) -> list[str]:
    """Return all card names dealt in an age."""
    hands = engine_table(ruleset, players).trace(0)["ages"][age - 1]["hands"]
    return [name for hand in hands for name in hand]


@pytest.mark.engine_only
@cases("deck_size")
def test_deck_size(case: dict[str, Any]) -> None:
    for ruleset in ("1e", "2e"):
        assert len(dealt(ruleset, case["players"], case["age"])) == case["expected_cards"]


@pytest.mark.engine_only
@cases("guild_count")
def test_guild_count(case: dict[str, Any]) -> None:
    assert sum(name.endswith("Guild") for name in dealt("1e", case["players"], 3)) == case["expected_guilds"]


@pytest.mark.engine_only
@cases("deck_composition")
def test_deck_composition(case: dict[str, Any]) -> None:
    table = engine_table("1e", 3)
    color = {card.name: card.color for card in table.catalogue.cards}
    colours = case["colours"].replace("grey", "gray").split("+")

    def number(players: int) -> int:
        counted = Counter(color[name] for name in dealt("1e", players, case["age"]))
        return sum(counted[colour] for colour in colours)

    assert number(7) == case["total_at_7_players"]
    for players, new in case["new_cards_by_player_count"].items():
        assert number(int(players)) - (number(int(players) - 1) if int(players) > 3 else 0) == new


@pytest.mark.engine_only
def test_every_topic_is_covered() -> None:
    here = {
        "science", "treasury", "total_score", "total_score_components", "military", "military_player",
        "military_cumulative", "military_sum", "count_effect", "card_points", "card_coins", "coins", "chain",
        "legality", "ranking_dense", "pass_direction", "deck_size", "guild_count", "deck_composition",
    }  # fmt: skip
    in_payment = {"payment", "payment_custom_prices", "coin_cost"}  # tests/wonders/test_payment.py
    in_rulebook = {"wonder_ability"}  # facts in words: R26 and R28 in rulebook/test_6_special_abilities.py
    assert {case["topic"] for case in CASES} == here | in_payment | in_rulebook
