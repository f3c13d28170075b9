"""Cards that move from city to city or are exchanged (R96, R97), clauses that another city decides (R98), and the order
of building in `count` (R99)."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

import wsim
from tests.tiers import first_checked
from tests.wonders.clause_changes import check_refusal, when
from tests.wonders.extremes import Case, compare_case
from wsim.wonders.catalog import load_catalogue
from wsim.wonders.catalog.effects import EFFECTS
from wsim.wonders.catalog.formula import parse
from wsim.wonders.catalog.formula_text import english

MOVING = (
    "counters.favour={most = 9}",
    when(
        "Altar",
        {
            "event": "turn_start",
            "may": True,
            "card": {"from": "left", "do": "swap", "for": "card.cost < 3"},
            "gain": {"coins": "card.cost"},
        },
        {"event": "turn_start", "may": True, "decider": "left", "card": {"from": "right", "do": "take"}},
        {"event": "scored", "points": "count(card.red and card.order <= last.cards.order - 2) + last.blue.order"},
    ),
    when(
        "Baths",
        {"event": "turn_start", "price": 1, "card": {"from": "discarded", "do": "swap"}, "gain": {"points": 1}},
        {
            "event": "card_built",
            "by": "anyone",
            "decider": "trigger",
            "may": True,
            "each": "left",
            "choose": [{"take": 1, "price": 1}, {"give": 2}],
        },
    ),
    when(
        "Theater",
        {
            "event": "turn_start",
            "decider": "right",
            "choose": [
                {"card": {"from": "left", "do": "discard", "if": "card.order == 1"}},
                {"card": {"from": "city"}, "gain": {"shields": "card.order"}},
                {"gain": {"coins": 1}, "price": {"counter": {"favour": 1}}},
            ],
        },
    ),
)


@pytest.mark.boundscheck
@first_checked(("ruleset", "players"), [("1e", 4), ("1e-duo", 2), ("2e", 3)])
def test_moving_cards_and_decisions_of_others_agree_with_the_twin(ruleset: str, players: int) -> None:
    traces = compare_case(Case(1, ruleset, players, MOVING), games=2)
    parts = [part for trace in traces for age in trace["ages"] for part in (*age["turns"], age)]
    made = [
        one for part in parts for one in part.get("decisions", ()) if one.get("card") in ("Altar", "Baths", "Theater")
    ]
    told = Counter((one["card"], one["when"], one["action"], "gives" in one, "owner" in one) for one in made)
    assert told["Altar", 1, "choose", False, False] == told["Altar", 1, "choose", True, False] > 0
    assert told["Altar", 2, "choose", False, True] > 0
    assert told["Theater", 1, "choose", False, True] > 0


DRAWN = (
    when(
        "Altar",
        {
            "event": "turn_start",
            "may": True,
            "card": {"from": "discarded", "draw": 3, "do": "build"},
            "gain": {"coins": "card.cost"},
        },
        {
            "event": "turn_start",
            "decider": "left",
            "card": {"from": "discarded", "draw": "1 + age"},
            "gain": {"coins": "card.cost"},
        },
    ),
    when("Baths", {"event": "turn_start", "price": 1, "card": {"from": "discarded", "draw": 2, "do": "swap"}}),
)


@pytest.mark.boundscheck
@pytest.mark.parametrize("ruleset", ["1e", pytest.param("2e", marks=pytest.mark.slow)])
def test_drawn_cards_agree_with_the_twin(ruleset: str) -> None:
    traces = compare_case(Case(1, ruleset, 3, DRAWN), games=2)
    parts = [part for trace in traces for age in trace["ages"] for part in (*age["turns"], age)]
    made = Counter((one["card"], one["when"]) for part in parts for one in part.get("decisions", ()) if "card" in one)
    assert made["Altar", 1] > 0
    assert made["Altar", 2] > 0


@pytest.mark.slow
def test_redrawing_keeps_only_the_pile_cards_that_the_decider_sees() -> None:
    """Cards that are drawn for a decision, an exchange half done, and a decision of a neighbour: redrawn for whoever
    decides, the decision is the same, the drawn cards are on the pile, and the hands of others differ."""
    seen: Counter[str] = Counter()
    for changes in (DRAWN, MOVING):
        game = wsim.Game(set=changes, players=3, policies="random", seed=2)
        while game.to_move is not None:
            if game.decision == "effect":
                position: Any = game._position
                drawn = position.redrawn(game.to_move, 5)
                assert list(drawn.coded) == list(position.coded)
                assert drawn.view(game.to_move) == position.view(game.to_move)
                whole, other = position.view(None), drawn.view(None)
                assert sum(whole["discard_pile"].values()) == sum(other["discard_pile"].values())
                assert [*map(len, whole["hands"])] == [*map(len, other["hands"])]
                if changes is DRAWN:
                    assert {move["picked"] for move in game.legal() if "picked" in move} <= set(other["discard_pile"])
                    seen["pile"] += whole["discard_pile"] != other["discard_pile"]
                seen["hands"] += whole["hands"] != other["hands"]
                seen["owner"] += "owner" in game.legal()[0]
                seen["gives"] += "gives" in game.legal()[0]
                game.step(game.legal()[0])
                continue
            names = ("Altar", "Baths", "Theater")
            built = [move for move in game.legal() if move["action"] == "build" and move["card"] in names]
            sold = [move for move in game.legal() if move["action"] == "sell" and move["card"] not in names]
            game.step((built or sold or game.legal())[0])
    assert min(seen.values()) > 0
    assert len(seen) == 4


@pytest.mark.slow
def test_every_policy_handles_decisions_about_moving_cards() -> None:
    policies = ["greedy", "balanced", "net", "search:playouts=4"]
    for changes in (MOVING, DRAWN):
        game = wsim.Game(set=changes, players=4, policies=policies, seed=5)
        asked = set()
        while game.to_move is not None:
            if game.decision == "effect":
                asked.add(game.to_move)
            game.made()
        assert len(asked) > 1


def _until(game: wsim.Game, card: str) -> list[dict[str, Any]]:
    """Build a card as soon as possible, and return the legal moves of its clauses' first decision."""
    while game.decision != "effect":
        moves = game.legal()
        wanted = [move for move in moves if move.get("card") == card and move["action"] == "build"]
        built = [move for move in moves if move["action"] == "build"]
        game.step((wanted or built or moves)[0])
    return game.legal()


def _built(game: wsim.Game, seat: int) -> list[str]:
    return list(game._position.view(seat)["cities"][seat]["built"])


def test_a_neighbour_card_is_exchanged_for_an_own_card() -> None:
    """First the card is chosen that comes, then the one that goes; both count where they stand, as built last."""
    swap = {"event": "turn_start", "card": {"from": "left", "do": "swap"}, "gain": {"coins": "card.order"}}
    game = wsim.Game(set=when("Altar", swap), players=3, policies="first", seed=3)
    legal = _until(game, "Altar")
    seat = legal[0]["seat"]
    left = (seat + 1) % 3
    mine, theirs = _built(game, seat), _built(game, left)
    assert [move["picked"] for move in legal] == sorted(set(theirs) - set(mine))
    coins = game._position.view(seat)["cities"][seat]["coins"]
    game.step(legal[0])
    assert (game.decision, game.to_move) == ("effect", seat)
    assert [move["gives"] for move in game.legal()] == sorted(set(mine) - set(theirs))
    assert game.phrase(game.legal()[0]) == f"Altar: gives {game.legal()[0]['gives']}"
    comes, goes = legal[0]["picked"], game.legal()[0]["gives"]
    game.step(game.legal()[0])
    assert sorted(_built(game, seat)) == sorted({*mine, comes} - {goes})
    assert sorted(_built(game, left)) == sorted({*theirs, goes} - {comes})
    assert game._position.view(seat)["cities"][seat]["coins"] > coins
    moved = [(move["seat"], move["action"], move["card"]) for move in game._position.view(seat)["public_moves"][-2:]]
    assert moved == [(seat, "take", comes), (left, "take", goes)]


def test_the_neighbour_decides_and_pays_while_the_owner_gains() -> None:
    clause = {"event": "turn_start", "decider": "left", "price": 1, "gain": {"points": 4}, "each": "self"}
    game = wsim.Game(set=when("Altar", clause), players=3, policies="first", seed=3)
    legal = _until(game, "Altar")
    decider, owner = legal[0]["seat"], legal[0]["owner"]
    assert game.to_move == decider == (owner + 1) % 3
    assert [move["action"] for move in legal] == ["choose", "decline"]
    assert [game.phrase(move) for move in legal] == [
        f"Altar of seat {owner}: pays 1 coin: this city gains 4 points",
        f"Altar of seat {owner}: decline",
    ]
    before = game._position.view(0)["cities"]
    game.step(legal[0])
    after = game._position.view(0)["cities"]
    assert after[decider]["coins"] == before[decider]["coins"] - 1
    assert after[owner]["coins"] == before[owner]["coins"]
    assert after[owner]["by_clauses"] == {"points_civilian": 4}


def test_a_rival_that_decides_chooses_what_harms_the_owner() -> None:
    """Of 5 points for the owner or none the neighbour that weighs moves gives none."""
    options = [{"gain": {"points": 5}}, {"gain": {"points": 1}}]
    clause = {"event": "turn_start", "decider": "left", "choose": options}
    for policy in ("greedy", "balanced"):
        game = wsim.Game(set=when("Altar", clause), players=3, policies=policy, seed=3)
        legal = _until(game, "Altar")
        assert [move["option"] for move in legal] == [1, 2]
        assert game.made() == 1, policy


def test_moving_clauses_are_described_in_english() -> None:
    catalogue = load_catalogue("1e", changes=MOVING)
    said = {name: EFFECTS["when"].say(catalogue.card(name).effects.when).split("; ") for name in ("Altar", "Theater")}
    assert said["Altar"][0] == (
        "at the start of each turn: may choose: chooses a card of the left neighbour's city: takes it into its own "
        "city for one of its own (its cost is less than 3), gains (its cost) coins"
    )
    assert said["Altar"][1] == (
        "at the start of each turn: the left neighbour may choose: chooses a card of the right neighbour's city: takes "
        "it into this city"
    )
    assert said["Theater"][0].startswith("at the start of each turn: the right neighbour chooses one of: (1)")
    assert "(3) pays 1 of the counter favour: this city gains 1 coin" in said["Theater"][0]
    assert english(parse("left.count(card.blue and card.order > first.red.order)")) == (
        "the number of: the left neighbour's structures where the colour is blue and the number in the order of "
        "building is more than the number in the order of building of own first red card"
    )


@pytest.mark.parametrize(
    ("clause", "expected"),
    [
        (
            {"event": "built", "card": {"from": "city", "do": "take"}},
            "do: 'take' is not possible with a card from its own city; accepted: from = 'left' or 'right'",
        ),
        (
            {"event": "built", "card": {"from": "left", "do": "take", "for": "card.red"}},
            'card.for: no card is given for it; accepted with: do = "swap"',
        ),
        (
            {"event": "built", "decider": "left", "gain": {"coins": 1}},
            "when.1.decider: nothing is decided; accepted with: may, price, choose, one, card, amount",
        ),
        (
            {"event": "built", "decider": "lefty", "may": True, "gain": {"coins": 1}},
            "unknown seat 'lefty' (did you mean 'left'?)",
        ),
        (
            {"event": "built", "decider": "trigger", "may": True, "gain": {"coins": 1}},
            "when.1.decider: 'trigger' is the city that made a move, but 'built' is not a move",
        ),
        (
            {"event": "built", "card": {"from": "left", "draw": 3}, "gain": {"coins": 1}},
            "card.draw: nothing is drawn from the left neighbour's city; accepted with: from = 'discarded'",
        ),
        (
            {"event": "built", "card": {"from": "discarded", "draw": "coins"}, "gain": {"coins": 1}},
            "'coins' could be 32,767, and at most 20 cards are drawn; accepted: min(20, ...)",
        ),
        (
            {
                "event": "built",
                "choose": [
                    {"card": {"from": "discarded", "draw": 3, "do": "build"}},
                    {"card": {"from": "discarded", "draw": 2, "do": "build"}},
                ],
            },
            "when.1.choose: cards are drawn for one option of a decision at most; accepted: draw in one of them, or",
        ),
        ({"event": "scored", "decider": "left", "points": 1}, "decider: nothing is decided when points are counted"),
        (
            {"event": "built", "gain": {"coins": "count(card.order % 2 == 0)"}},
            "'card.order % 2 == 0', at character 7: card.order must be compared with a number that",
        ),
        (
            {"event": "built", "gain": {"coins": "count(card.red or card.order > 2)"}},
            "'card.red or card.order > 2', at character 7: is not accepted in a condition on the building order;",
        ),
    ],
)
def test_mistakes_are_reported_in_one_sentence(clause: dict[str, Any], expected: str) -> None:
    check_refusal(clause, expected)
