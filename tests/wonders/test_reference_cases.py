"""The recorded cases that need direct calls of the twin: science, sums, counts, ranks, decks."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.wonders.reference.deal import age_deck
from tests.wonders.reference.facts import RULE_SETS, Card, Cost, Effect, load
from tests.wonders.reference.game import passed
from tests.wonders.reference.rng import Stream
from tests.wonders.reference.scenario import Seat, lay_out
from tests.wonders.reference.scoring import best_science, categories, effect_points, win_shares

if TYPE_CHECKING:
    from tests.wonders.reference.table import Table

CASES = json.loads((Path(__file__).parents[1] / "data" / "cases.json").read_text(encoding="utf-8"))["cases"]


def cases(*topics: str) -> pytest.MarkDecorator:
    """Return a test parameter for each case of the topics."""
    chosen = [case for case in CASES if case["topic"] in topics]
    assert chosen
    return pytest.mark.parametrize("case", chosen, ids=lambda case: f"case{case['id']}")


def made_up(color: str, *effects: Effect) -> Card:
    """Return a card with the given effects."""
    return Card(f"a {color} card", color, Cost(0, ()), (), effects, {1: (3,)})


def three(ruleset: str = "1e") -> Table:
    """Return three empty cities whose boards have many stages."""
    side = "night" if ruleset == "2e" else "B"
    return lay_out(ruleset, [Seat(f"Gizah {side}"), Seat(f"Ephesos {side}"), Seat(f"Alexandria {side}")])


@cases("science")
def test_science(case: dict[str, Any]) -> None:
    fixed = Counter({symbol: case[symbol] for symbol in ("compass", "gear", "tablet")})
    assert best_science(fixed, case["wild"], 0, []) == case["expected"]


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
    """Return cities with the given numbers of shields."""
    boards = ("Gizah A", "Ephesos A", "Babylon A", "Olympia A")
    table = lay_out("1e", [Seat(board) for board, _ in zip(boards, shields, strict=False)], age=age)
    for city, number in zip(table.cities, shields, strict=True):
        city.structures = [made_up("red", {"kind": "shields", "n": 1})] * number
    return table


@cases("count_effect")
def test_points_per_item(case: dict[str, Any]) -> None:
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
    passing = RULE_SETS["1e"].passing
    assert passed([["a"], ["b"], ["c"]], passing[case["age"] - 1]) == [["c"], ["a"], ["b"]]
    assert passed([["a"], ["b"], ["c"]], passing[1]) == [["b"], ["c"], ["a"]]


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
