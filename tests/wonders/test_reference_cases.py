"""The recorded cases beside payments: science, conflicts, counts, decks, chains."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.wonders.reference.conflict import fight_conflicts
from tests.wonders.reference.deal import age_deck
from tests.wonders.reference.facts import Card, Cost, Effect, load
from tests.wonders.reference.game import passed
from tests.wonders.reference.rng import Stream
from tests.wonders.reference.scenario import Seat, lay_out, legal, play
from tests.wonders.reference.scoring import best_science, categories, effect_points, win_shares

if TYPE_CHECKING:
    from tests.wonders.reference.table import Table

CASES = json.loads((Path(__file__).parents[1] / "data" / "cases.json").read_text(encoding="utf-8"))["cases"]


def cases(*topics: str) -> pytest.MarkDecorator:
    """A parameter per case of the topics."""
    chosen = [case for case in CASES if case["topic"] in topics]
    assert chosen
    return pytest.mark.parametrize("case", chosen, ids=lambda case: f"case{case['id']}")


def made_up(color: str, *effects: Effect) -> Card:
    """A card with the given effects."""
    return Card(f"a {color} card", color, Cost(0, ()), (), effects, {1: (3,)})


def three(ruleset: str = "1e") -> Table:
    """Three empty cities with boards of many stages."""
    side = "night" if ruleset == "2e" else "B"
    return lay_out(ruleset, [Seat(f"Gizah {side}"), Seat(f"Ephesos {side}"), Seat(f"Alexandria {side}")])


def fill(table: Table, case: dict[str, Any]) -> None:
    """Put the counted things of a case into the three cities."""
    for where, seat in (("own", 0), ("left", 1), ("right", 2)):
        city = table.cities[seat]
        for what, number in case.get(where, {}).items():
            if what == "wonder_stages":
                city.buried = [table.catalogue.cards["Altar"]] * number
            elif what == "wonder_complete":
                city.buried = [table.catalogue.cards["Altar"]] * len(city.all_stages)
            else:
                city.structures += [made_up(what.replace("grey", "gray"))] * number


def card_named(table: Table, name: str) -> Card:
    """A card by its name in a case (``haven``, ``bazaar``)."""
    words = name.replace("bazaar", "bazar").replace("_", " ")
    return next(card for card in table.catalogue.cards.values() if card.name.lower() == words)


@cases("science")
def test_science(case: dict[str, Any]) -> None:
    fixed = Counter({symbol: case[symbol] for symbol in ("compass", "gear", "tablet")})
    assert best_science(fixed, case["wild"], 0, []) == case["expected"]


@cases("treasury")
def test_treasury(case: dict[str, Any]) -> None:
    table = lay_out("1e", [Seat("Gizah A", coins=case["coins"]), Seat("Ephesos A"), Seat("Babylon A")])
    assert categories(table, 0)["treasury"] == case["expected"]


@cases("total_score", "total_score_components")
def test_total(case: dict[str, Any]) -> None:
    table = three()
    city = table.cities[0]
    city.coins = case["coins"]
    city.victories = [1] * case["military"]
    points = case.get("card_points", 0) + case.get("wonder_points", 0) + case.get("blue", 0)
    city.structures = [made_up("blue", {"kind": "points", "n": points})]
    for symbol in ("compass", "gear", "tablet"):
        city.structures += [made_up("green", {"kind": "science", "symbol": symbol})] * case.get(symbol, 0)
    city.structures += [made_up("purple", {"kind": "science", "symbol": "any"})] * case.get("wild", 0)
    assert sum(categories(table, 0).values()) == case["expected"]


def with_shields(shields: list[int], age: int) -> Table:
    """Cities with so many shields each."""
    boards = ("Gizah A", "Ephesos A", "Babylon A", "Olympia A")
    table = lay_out("1e", [Seat(board) for board, _ in zip(boards, shields, strict=False)], age=age)
    for city, number in zip(table.cities, shields, strict=True):
        city.structures = [made_up("red", {"kind": "shields", "n": 1})] * number
    return table


def token_sums(table: Table) -> list[int]:
    """The military points of every seat."""
    return [categories(table, seat)["military"] for seat in table.seats]


@cases("military")
def test_military(case: dict[str, Any]) -> None:
    table = with_shields(case["shields"], case["age"])
    fight_conflicts(table)
    assert token_sums(table) == case["expected_token_sum"]


@cases("military_player")
def test_military_of_one_player(case: dict[str, Any]) -> None:
    table = with_shields([case["own"], case["left"], case["right"]], case["age"])
    fight_conflicts(table)
    city = table.cities[0]
    assert sorted([*city.victories, *[-1] * city.defeats]) == sorted(case["expected_tokens"])
    assert token_sums(table)[0] == case["expected"]


@cases("military_cumulative")
def test_military_over_ages(case: dict[str, Any]) -> None:
    table = with_shields([0, 0, 0], 1)
    for age, expected in zip(case["ages"], case["expected_after"], strict=True):
        table.age = age["age"]
        for city, number in zip(table.cities, age["shields"], strict=True):
            city.structures = [made_up("red", {"kind": "shields", "n": 1})] * number
        fight_conflicts(table)
        assert token_sums(table) == expected


@cases("military_sum")
def test_military_sum(case: dict[str, Any]) -> None:
    table = three()
    tokens = case.get("tokens", [1] * case.get("victory_points", 0) + [-1] * case.get("defeat_tokens", 0))
    table.cities[0].victories = [token for token in tokens if token > 0]
    table.cities[0].defeats = tokens.count(-1)
    assert token_sums(table)[0] == case["expected"]


@cases("count_effect")
def test_points_per_thing(case: dict[str, Any]) -> None:
    table = three()
    what = {"wonder_stages": "wonder_stage", "defeat_tokens": "defeat_token"}.get(case["element"])
    for where, seat in (("self", 0), ("left", 1), ("right", 2)):
        city, number = table.cities[seat], case[where]
        if what == "wonder_stage":
            city.buried = [table.catalogue.cards["Altar"]] * number
        elif what == "defeat_token":
            city.defeats = number
        else:
            city.structures = [made_up(case["element"].removesuffix("_cards"))] * number
    scopes = {"neighbours": ["left", "right"], "all": ["self", "left", "right"]}
    color = what or case["element"].removesuffix("_cards")
    reach = scopes.get(case["scope"], [case["scope"]])
    effect = {"kind": "points_per", "what": [color], "cities": reach, "n": case["points_each"]}
    assert effect_points(table, table.cities[0], [effect], 0) == case["expected"]


@cases("card_points")
def test_points_of_a_card(case: dict[str, Any]) -> None:
    table = three("2e" if case.get("edition") == "2nd" else "1e")
    fill(table, case)
    cards = [card_named(table, name) for name in case["card"].split("+")]
    points = sum(effect_points(table, table.cities[0], card.effects, 0) for card in cards)
    assert points == case["expected_points"]


@cases("card_coins")
def test_coins_of_a_card(case: dict[str, Any]) -> None:
    table = three()
    own = {what.removesuffix("_before"): number for what, number in case["own"].items()}
    fill(table, {**case, "own": own})
    table.cities[0].coins = case["own_coins_before"]
    play(table, {"seat": 0, "card": card_named(table, case["card"]).name, "action": "build"})
    assert table.cities[0].coins == case["expected_own_coins_after"]


@cases("coins")
def test_coins_of_a_build(case: dict[str, Any]) -> None:
    table = three()
    table.cities[0].coins = case["own_coins_before"]
    move = legal(table, 0, card_named(table, case["card"]).name)[0]
    play(table, move)
    assert table.cities[0].coins == case["expected_own_coins_after"]


@cases("chain")
def test_chain(case: dict[str, Any]) -> None:
    table = three()
    table.cities[0].coins = case["own_coins"]
    table.cities[0].structures = [card_named(table, name) for name in case["built"]]
    hows = [move["how"] for move in legal(table, 0, card_named(table, case["card"]).name) if move["action"] == "build"]
    assert (hows == ["chain"]) == case["expected_free"]


@cases("legality")
def test_legality(case: dict[str, Any]) -> None:
    table = three()
    table.cities[0].structures = [card_named(table, name) for name in case["built"]]
    moves = legal(table, 0, card_named(table, case["card"]).name)
    assert any(move["action"] == "build" for move in moves) == case["expected_playable"]


@cases("ranking_dense")
def test_first_rank_wins(case: dict[str, Any]) -> None:
    table = with_shields([0] * len(case["scores"]), 1)
    rows = [
        {"seat": seat, "total": total, "coins": coins}
        for seat, (total, coins) in enumerate(zip(case["scores"], case["coins"], strict=True))
    ]
    expected = [1.0 if rank == 1 else 0.0 for rank in case["expected_rank"]]
    assert win_shares(table, rows) == expected


@cases("pass_direction")
def test_hands_go_left_in_ages_1_and_3(case: dict[str, Any]) -> None:
    assert passed([["a"], ["b"], ["c"]], case["age"]) == [["c"], ["a"], ["b"]]
    assert passed([["a"], ["b"], ["c"]], 2) == [["b"], ["c"], ["a"]]


@cases("deck_size")
def test_deck_size(case: dict[str, Any]) -> None:
    for ruleset in ("1e", "2e"):
        deck = age_deck(load(ruleset), case["age"], case["players"], Stream(1, 1, 1))
        assert len(deck) == case["expected_cards"]


@cases("guild_count")
def test_guild_count(case: dict[str, Any]) -> None:
    catalogue = load("1e")
    deck = age_deck(catalogue, 3, case["players"], Stream(1, 1, 2))
    assert sum(catalogue.cards[name].color == "purple" for name in deck) == case["expected_guilds"]


@cases("deck_composition")
def test_deck_composition(case: dict[str, Any]) -> None:
    catalogue = load("1e")
    colours = case["colours"].replace("grey", "gray").split("+")

    def number(players: int) -> int:
        deck = age_deck(catalogue, case["age"], players, Stream(1, 1, 0))
        return sum(catalogue.cards[name].color in colours for name in deck)

    assert number(7) == case["total_at_7_players"]
    for players, new in case["new_cards_by_player_count"].items():
        assert number(int(players)) - (number(int(players) - 1) if int(players) > 3 else 0) == new


def test_every_topic_is_covered() -> None:
    here = {
        *("science", "treasury", "total_score", "total_score_components", "military", "military_player"),
        *("military_cumulative", "military_sum", "count_effect", "card_points", "card_coins", "coins", "chain"),
        *("legality", "ranking_dense", "pass_direction", "deck_size", "guild_count", "deck_composition"),
    }
    in_payment = {"payment", "payment_custom_prices", "coin_cost"}
    in_rules = {"wonder_ability"}  # facts in words: tests of R26 and R28
    assert {case["topic"] for case in CASES} == here | in_payment | in_rules
