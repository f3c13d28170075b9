"""Rulebook examples and single rules of the base game, computed by hand, against the twin."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.wonders.reference.conflict import fight_conflicts
from tests.wonders.reference.market import market
from tests.wonders.reference.moves import discard_moves, free_city_moves
from tests.wonders.reference.scenario import Seat, lay_out, legal, play
from tests.wonders.reference.scoring import categories, scores
from tests.wonders.reference.turn import Log, build_from_discard_pile, play_last_cards

if TYPE_CHECKING:
    from tests.wonders.reference.table import Move, Table


def builds(moves: list[Move]) -> list[tuple[str, int, int, int]]:
    """How, bank, left and right of each building move."""
    return [(m["how"], m["bank"], m["left"], m["right"]) for m in moves if m["action"] == "build"]


def build(seat: int, card: str, **more: Any) -> Move:
    """A build that costs nothing unless told."""
    return {"seat": seat, "card": card, "action": "build", **more}


def test_r13_example_a_university_buys_from_both_neighbours() -> None:
    # University: 2 wood, glass, papyrus; own: wood (Lumber Yard) and glass (Alexandria); wood right, papyrus left.
    table = lay_out(
        "1e", [Seat("Alexandria A", ["Lumber Yard"], coins=4), Seat("Ephesos A"), Seat("Olympia A", coins=0)], age=3
    )
    assert builds(legal(table, 0, "University")) == [("paid", 0, 2, 2)]
    play(table, legal(table, 0, "University")[0])
    assert [city.coins for city in table.cities] == [0, 5, 2]


def test_r13_example_b_a_sold_unit_still_serves_its_owner() -> None:
    table = lay_out(
        "1e", [Seat("Halikarnassos A", ["Quarry"]), *[Seat(f"{w} A", coins=4) for w in ("Gizah", "Rhodos")]]
    )
    # Both neighbours buy 2 stone for Sawmill-like needs: 8 coins in all; the seller builds Library (2 stone, 1 loom).
    assert builds(legal(table, 0, "Library")) == [("paid", 0, 0, 0)]
    play(
        table,
        build(0, "Library"),
        build(1, "Senate", right=4),
        build(2, "Town Hall", left=4),
    )
    assert [city.coins for city in table.cities] == [3 + 8, 0, 0]


def test_r10_example_c_coins_earned_this_turn_cannot_be_spent_in_it() -> None:
    # Forum costs 2 clay; one is owned, one for sale; the treasury is empty, so it is not offered.
    table = lay_out("1e", [Seat("Gizah A", ["Clay Pool"], coins=0), Seat("Babylon A"), Seat("Rhodos A")], age=2)
    assert builds(legal(table, 0, "Forum")) == []
    table.cities[0].coins = 2
    assert builds(legal(table, 0, "Forum")) == [("paid", 0, 2, 0)]


def test_r50_order_of_the_list() -> None:
    table = lay_out(
        "1e", [Seat("Olympia A", ["Stone Pit"], stages=2, coins=9), Seat("Rhodos A"), Seat("Rhodos B")], age=1
    )
    shown = [
        (m["card"], m["action"], m.get("how"), m.get("left"), m.get("right"))
        for m in legal(table, 0, "Stockade", "Barracks", "Barracks")
    ]
    assert shown == [
        ("Barracks", "build", "paid", 0, 2),
        ("Barracks", "build", "paid", 2, 0),
        ("Barracks", "build", "free", 0, 0),
        ("Barracks", "stage", "paid", 2, 2),
        ("Barracks", "sell", None, None, None),
        ("Stockade", "build", "paid", 0, 0),
        ("Stockade", "build", "free", 0, 0),
        ("Stockade", "stage", "paid", 2, 2),
        ("Stockade", "sell", None, None, None),
    ]


def test_r26_a_once_per_age_free_build_is_used_up_and_not_offered_beside_a_chain() -> None:
    table = lay_out("1e", [Seat("Olympia A", ["Theater"], stages=2), Seat("Rhodos A"), Seat("Gizah A")], age=2)
    assert builds(legal(table, 0, "Statue")) == [("chain", 0, 0, 0)]
    assert builds(legal(table, 0, "Aqueduct")) == [("free", 0, 0, 0)]
    play(table, legal(table, 0, "Aqueduct")[0])
    assert table.cities[0].free_builds_used == 1
    assert builds(legal(table, 0, "Laboratory")) == []


def test_r26_second_edition_first_of_each_colour_is_free() -> None:
    table = lay_out("2e", [Seat("Olympia day", ["Altar"], stages=2), Seat("Rhodos day"), Seat("Gizah day")], age=3)
    assert builds(legal(table, 0, "Palace")) == []
    assert builds(legal(table, 0, "University")) == [("free", 0, 0, 0)]


@pytest.mark.parametrize(
    ("stages", "turn", "free"), [(1, 1, True), (1, 6, False), (2, 6, True), (2, 2, False), (0, 1, False)]
)
def test_r26_second_edition_first_and_last_turn_are_free(stages: int, turn: int, free: bool) -> None:
    seats = [Seat("Olympia night", stages=stages), Seat("Rhodos day"), Seat("Gizah day")]
    table = lay_out("2e", seats, age=3, turn=turn)
    assert builds(legal(table, 0, "Arsenal")) == ([("free", 0, 0, 0)] if free else [])


def test_r9_3_vineyard_counts_a_brown_card_of_the_same_turn() -> None:
    table = lay_out("1e", [Seat("Gizah A", ["Sawmill"]), Seat("Rhodos A"), Seat("Ephesos A")], age=2)
    play(table, build(0, "Vineyard"), build(1, "Foundry", bank=1))
    assert table.cities[0].coins == 3 + 2


@pytest.mark.parametrize(("itself", "coins"), [(True, 2), (False, 1)])
def test_r9_3_switch_counting_includes_itself(itself: bool, coins: int) -> None:
    seats = [Seat("Gizah A", ["Tavern"], coins=0), Seat("Rhodos A"), Seat("Ephesos A")]
    table = lay_out("1e", seats, age=3, counting_includes_itself=itself)
    play(table, build(0, "Lighthouse"))
    assert table.cities[0].coins == coins
    assert categories(table, 0)["commerce"] == 2  # points always count it


@pytest.mark.parametrize(("cumulative", "price"), [(False, 1), (True, 0)])
def test_r14_switch_olympia_discount_cumulative(cumulative: bool, price: int) -> None:
    seats = [Seat("Olympia B", ["East Trading Post"], stages=1), Seat("Gizah A"), Seat("Babylon A")]
    table = lay_out("1e", seats, olympia_discount_cumulative=cumulative)
    means = market(table, 0)
    assert (means.left_prices.raw, means.right_prices.raw) == (1, price)
    assert means.left_prices.manufactured == 2


@pytest.mark.parametrize(("beside", "expected"), [(False, ["chain"]), (True, ["chain", "paid"])])
def test_r16_switch_paid_build_beside_chain(beside: bool, expected: list[str]) -> None:
    seats = [Seat("Gizah A", ["Baths", "Quarry"]), Seat("Rhodos A"), Seat("Ephesos A")]
    table = lay_out("1e", seats, age=2, paid_build_beside_chain=beside)
    assert [how for how, *_ in builds(legal(table, 0, "Aqueduct"))] == expected
    free_city = lay_out("1e-duo", [*seats[1:], seats[0]], age=2, paid_build_beside_chain=beside)
    assert [how for how, *_ in builds(legal(free_city, 2, "Aqueduct"))] == ["chain"]  # R46
    four = [Seat("Gizah day", ["Baths", "Quarry"]), *[Seat(f"{w} day") for w in ("Petra", "Rhodos", "Ephesos")]]
    teams = lay_out("2e-cities-teams", four, age=2, paid_build_beside_chain=beside)
    assert [how for how, *_ in builds(legal(teams, 0, "Aqueduct"))] == ["chain"]  # R41


@pytest.mark.parametrize("any_age", [True, False])
def test_r16_switch_chain_from_any_age(any_age: bool) -> None:
    seats = [Seat("Gizah day", ["Theater", "Library"]), Seat("Rhodos day"), Seat("Ephesos day")]
    table = lay_out("2e", seats, age=3, chain_from_any_age=any_age)
    assert builds(legal(table, 0, "Senate")) == [("chain", 0, 0, 0)]  # age II to age III
    assert builds(legal(table, 0, "Gardens")) == ([("chain", 0, 0, 0)] if any_age else [])  # age I to age III


@pytest.mark.parametrize("optional", [True, False])
def test_r28_switch_discard_build_optional(optional: bool) -> None:
    seats = [Seat("Halikarnassos A", ["Altar"], stages=1), Seat("Rhodos A"), Seat("Ephesos A")]
    table = lay_out("1e", seats, discard_build_optional=optional)
    assert discard_moves(table, 0) == []
    table.discard_pile = [table.catalogue.cards[name] for name in ("Theater", "Baths", "Theater", "Altar")]
    names = [move.get("card") for move in discard_moves(table, 0)]
    assert names == ["Baths", "Theater", *([None] if optional else [])]


def test_r28_a_card_sold_in_the_same_turn_can_be_built_and_fires_at_once() -> None:
    table = lay_out("1e", [Seat("Halikarnassos A", stages=1), Seat("Rhodos A"), Seat("Ephesos A")])
    stage = {"seat": 0, "card": "Altar", "action": "stage", "stage": 2}
    log, placed = play(table, stage, {"seat": 1, "card": "Tavern", "action": "sell"})
    build_from_discard_pile(table, placed, log)
    assert [(m["card"], m["source"], m["how"]) for m in log.extra] == [("Tavern", "discard_pile", "free")]
    assert table.discard_pile == []
    assert [city.coins for city in table.cities] == [8, 6, 3]


def test_r27_the_last_card_uses_what_the_turn_gave_and_the_others_lose_theirs() -> None:
    seats = [Seat("Babylon B", stages=1, coins=0), Seat("Rhodos A"), Seat("Gizah A")]
    table = lay_out("1e", seats, age=1, turn=6)
    means = [market(table, seat) for seat in table.seats]
    log, _ = play(
        table,
        {"seat": 0, "card": "Altar", "action": "stage", "stage": 2},
        build(1, "Tavern"),
        {"seat": 2, "card": "Theater", "action": "sell"},
    )
    play_last_cards(table, [["Guard Tower"], ["Stockade"], ["Press"]], means, log)
    assert [(m["seat"], m["card"], m["action"], m["source"]) for m in log.extra] == [
        (0, "Guard Tower", "build", "last_card")
    ]
    assert [card.name for card in table.discard_pile] == ["Theater", "Stockade", "Press"]


@pytest.mark.parametrize("new_state", [True, False])
def test_r9_5_switch_last_card_on_new_state(new_state: bool) -> None:
    seats = [Seat("Babylon B", stages=2, coins=0), Seat("Rhodos A"), Seat("Gizah A")]
    table = lay_out("1e", seats, age=1, turn=6, last_card_on_new_state=new_state)
    means = [market(table, seat) for seat in table.seats]
    log, _ = play(table, build(0, "Glassworks"))  # glass for Workshop, from this very turn
    play_last_cards(table, [["Workshop"], [], []], means, log)
    assert log.extra[0]["action"] == ("build" if new_state else "sell")


def test_r19_example_of_the_first_edition() -> None:
    # Alexandria (3 shields) has Rhodos (5) on its left and Ephesos (2) on its right at the end of age II.
    seats = [
        Seat("Alexandria A", ["Barracks", "Walls"]),
        Seat("Rhodos A", ["Walls", "Stables", "Stockade"]),
        Seat("Ephesos A", ["Walls"]),
    ]
    table = lay_out("1e", seats, age=2)
    entries = fight_conflicts(table)
    assert entries[0] == {"seats": [0, 1], "shields": [3, 5], "tokens": [-1, 3]}
    assert entries[2] == {"seats": [2, 0], "shields": [2, 3], "tokens": [-1, 3]}
    assert (table.cities[0].victories, table.cities[0].defeats) == ([3], 1)


def test_r22_example_of_the_first_edition_adds_up() -> None:
    # Tokens 6; 14 coins 4; stages of Alexandria A 10; Altar, Aqueduct, Town Hall 13; science 3/2/1 21; Chamber 4.
    structures = ["Altar", "Aqueduct", "Town Hall", "Apothecary", "Dispensary", "Academy", "Workshop", "Laboratory"]
    structures += ["Library", "Loom", "Press", "Chamber of Commerce"]
    seat = Seat("Alexandria A", structures, stages=3, coins=14, victories=[1, 3, 5], defeats=3)
    table = lay_out("1e", [seat, Seat("Gizah A"), Seat("Rhodos A")])
    points = categories(table, 0)
    assert list(points.values()) == [6, 4, 10, 13, 21, 4, 0, 0]
    table.cities[0].structures.append(table.catalogue.cards["University"])
    assert categories(table, 0)["science"] == 31


def guild_table(own: list[str], left: list[str], **switches: Any) -> Table:
    """Olympia B complete, with its neighbour's guilds to copy."""
    return lay_out(
        "1e", [Seat("Olympia B", own, stages=3, coins=0), Seat("Gizah A", left), Seat("Rhodos A")], **switches
    )


def test_r29_the_best_copied_guild_counts_as_the_owners() -> None:
    left = ["Workers Guild", "Spies Guild", "Walls", "Barracks"]
    score = scores(guild_table([], left))[0]
    assert score["guild"] == 2  # Spies: two red cards of the neighbour; Workers: none
    science = scores(guild_table(["Workshop", "Apothecary"], ["Scientists Guild"]))[0]
    assert (science["science"], science["guild"]) == (10, 0)


@pytest.mark.parametrize(("itself", "points"), [(True, 4), (False, 3)])
def test_r29_switch_copied_shipowners_counts_itself(itself: bool, points: int) -> None:
    own = ["Loom", "Sawmill", "Spies Guild"]
    table = guild_table(own, ["Shipowners Guild"], copied_shipowners_counts_itself=itself)
    assert scores(table)[0]["guild"] == points


def test_r29_a_copy_counts_for_the_owners_shipowners() -> None:
    assert scores(guild_table(["Shipowners Guild"], []))[0]["guild"] == 1
    assert scores(guild_table(["Shipowners Guild"], ["Spies Guild"]))[0]["guild"] == 2


def test_r25_strategists_and_builders() -> None:
    seats = [
        Seat("Gizah A", ["Strategists Guild", "Builders Guild"], stages=1),
        Seat("Rhodos A", defeats=2, stages=2),
        Seat("Ephesos A", defeats=3, stages=3),
    ]
    assert categories(lay_out("1e", seats), 0)["guild"] == 5 + 6


def test_r24_ties_share_the_victory() -> None:
    table = lay_out("1e", [Seat("Gizah A"), Seat("Rhodos A", coins=4), Seat("Ephesos A", coins=4)])
    assert [row["win_share"] for row in scores(table)] == [0.0, 0.5, 0.5]


def test_r46_the_free_city_builds_if_it_can() -> None:
    table = lay_out("1e-duo", [Seat("Gizah A"), Seat("Rhodos A"), Seat("Ephesos A")])
    means = market(table, 2)
    assert {m["action"] for m in free_city_moves(table, 2, ["Altar", "Baths"], means)} == {"build"}
    table.cities[2].coins = 0
    assert {m["action"] for m in free_city_moves(table, 2, ["Baths", "Mine"], means)} == {"sell"}


@pytest.mark.parametrize(("chooses", "offered"), [(True, [(0, 2), (1, 0)]), (False, [(1, 0)])])
def test_r46_switch_free_city_chooses_payment(chooses: bool, offered: list[tuple[int, int]]) -> None:
    seats = [Seat("Gizah A"), Seat("Rhodos A", ["Stone Pit"]), Seat("Ephesos A", ["West Trading Post"])]
    table = lay_out("1e-duo", seats, free_city_chooses_payment=chooses)
    moves = free_city_moves(table, 2, ["Baths"], market(table, 2))
    assert [(m["left"], m["right"]) for m in moves if m["action"] == "build"] == offered


def test_r48_the_free_city_never_wins() -> None:
    table = lay_out("1e-duo", [Seat("Gizah A"), Seat("Rhodos A"), Seat("Ephesos A", coins=90)])
    assert [row["win_share"] for row in scores(table)] == [0.5, 0.5, 0.0]


def test_r7_no_second_structure_of_a_name() -> None:
    table = lay_out("1e", [Seat("Gizah A", ["Loom"]), Seat("Rhodos A"), Seat("Ephesos A")], age=2)
    assert builds(legal(table, 0, "Loom")) == []
    with pytest.raises(ValueError, match="R7"):
        play(table, build(0, "Loom"))


def test_r9_6_nothing_is_asked_of_an_empty_pile() -> None:
    def nobody(kind: str, seat: int, moves: list[Move], hand: list[str]) -> Move:
        raise AssertionError("asked")

    table = lay_out("1e", [Seat("Halikarnassos A", stages=1), Seat("Rhodos A"), Seat("Ephesos A")], ask=nobody)
    log, placed = play(table, {"seat": 0, "card": "Altar", "action": "stage", "stage": 2})
    build_from_discard_pile(table, placed, log)
    assert log == Log([], [])
