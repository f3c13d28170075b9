"""Chapter 2, a turn (R6-R10): the three actions, names, stages, the order of resolution, coins of the same turn."""

# ruff: noqa: N802

from __future__ import annotations

import pytest

from tests.wonders.both import Position

pytestmark = pytest.mark.jit_off

BOARDS = ("Gizah A", "Rhodos A", "Ephesos A")
CITIES = ("Gizah day", "Rhodos day", "Ephesos day", "Babylon day")


def test_R6_a_sold_card_gives_three_coins_and_goes_onto_the_discard_pile() -> None:
    p = Position("1e", *BOARDS)
    p.play({0: "sell Altar"})
    assert (p.coins, p.pile, p.owned(0)) == ([6, 3, 3], ["Altar"], set())


def test_R6_selling_is_always_allowed() -> None:
    p = Position("1e", *BOARDS, age=3)
    p.city(0, coins=0)
    assert [move.action for move in p.moves(0, "Palace")] == ["sell"]


def test_R6_all_seats_choose_from_the_state_at_the_start_of_the_turn() -> None:
    p = Position("1e", *BOARDS)
    p.city(0, coins=0)
    p.hand(0, "Stockade")
    p.hand(1, "Lumber Yard")  # seat 1 chooses after seat 0, seat 2 after both: neither can use it yet
    p.hand(2, "Stockade")
    assert p.play_turn()
    assert p.coins == [3, 3, 6]
    assert p.pile == ["Stockade", "Stockade"]
    assert p.builds(2, "Stockade") == [("paid", 0, 0, 2)]


def test_R7_nobody_owns_two_structures_of_one_name() -> None:
    p = Position("1e", *BOARDS, age=2)
    p.city(0, "Loom", "Altar")  # Loom is printed in ages I and II: one name
    assert p.builds(0, "Loom") == []
    assert p.builds(1, "Loom") == [("paid", 0, 0, 0)]
    p.discarded("Altar", "Loom", "Press")
    assert [move.card for move in p.pile_moves(0)] == ["Press", ""]


def test_R7_binds_free_builds_too() -> None:
    p = Position("1e", "Olympia A", "Gizah A", "Rhodos A", age=2)
    p.city(0, "Aqueduct", stages=2)
    assert p.builds(0, "Aqueduct") == []


def test_R7_a_card_under_a_stage_has_no_name() -> None:
    p = Position("1e", *BOARDS)
    p.city(0, "Stone Pit")
    stage = next(move for move in p.moves(0, "Altar") if move.action == "stage")
    p.play({0: stage})
    assert p.builds(0, "Altar") == [("paid", 0, 0, 0)]


def test_R8_stages_are_built_in_order_and_each_once() -> None:
    p = Position("1e", *BOARDS)
    points = []
    for _ in range(3):
        p.play({0: "stage"})
        points.append(p.points(0)["wonder"])
    assert points == [3, 8, 15]
    p.city(0, "Stone Pit", "Quarry", coins=50)
    assert p.stage_payments(0) == []


def test_R8_a_stage_costs_what_is_printed_on_it_not_on_the_card() -> None:
    p = Position("1e", *BOARDS, age=3)
    p.city(0, "Stone Pit", coins=0)
    assert [(m.action, m.bank, m.left, m.right) for m in p.moves(0, "Palace")] == [
        ("stage", 0, 0, 0),
        ("sell", 0, 0, 0),
    ]


def test_R8_a_card_under_a_stage_is_not_a_structure_and_not_discarded() -> None:
    p = Position("1e", *BOARDS, age=2)
    p.play({0: "stage"})
    assert (p.owned(0), p.pile) == (set(), [])
    p.play({1: "Vineyard"})
    assert p.coins[1] == 3


@pytest.mark.engine_only
def test_R8_a_card_under_a_stage_has_no_colour() -> None:
    p = Position("1e", *BOARDS, age=2)
    p.play({0: "stage"})
    assert int(p.public.colors[0].sum()) == 0


def test_R8_example_the_second_stage_of_the_lighthouse() -> None:
    p = Position("1e", "Alexandria A", "Gizah A", "Babylon A")
    p.city(0, "Foundry", stages=1, coins=0)  # two ore for the second stage
    assert p.stage_payments(0) == [(0, 0, 0)]
    p.play({0: p.moves(0, "Altar")[-2]})
    assert int(p.public.stages[0]) == 2
    assert p.builds(0, "Stockade") == [("paid", 0, 0, 0)]  # its new symbol gives a wood


def test_R9_1_every_chosen_card_is_placed_before_anything_is_counted() -> None:
    p = Position("1e", *BOARDS, age=2)
    p.play({0: "stage", 1: "Loom", 2: "sell Altar"})
    assert [int(number) for number in p.public.stages[:3]] == [1, 0, 0]
    assert [p.owned(seat) for seat in range(3)] == [set(), {"Loom"}, set()]
    assert p.pile == ["Altar"]


def test_R9_2_payments_and_sales_go_through_together() -> None:
    p = Position("1e", *BOARDS)
    p.city(0, coins=2)
    p.city(1, coins=0)
    buy = p.moves(0, "Barracks")[0]  # ore from the left
    p.play({0: buy, 1: "sell Altar", 2: "sell Altar"})
    assert p.coins == [0, 5, 6]


def test_R9_3_vineyard_counts_a_brown_card_of_the_same_turn() -> None:
    p = Position("1e", *BOARDS, age=2)
    p.city(0, "Sawmill", coins=0)
    p.play({0: "Vineyard", 1: "Foundry"})
    assert p.coins[0] == 2


@pytest.mark.parametrize(("itself", "gained"), [(True, 3), (False, 2)])
def test_R9_3_lighthouse_and_secret_network_count_themselves(itself: bool, gained: int) -> None:
    p = Position("2e-cities", *CITIES, age=3, counting_includes_itself=itself)
    p.city(0, "Tavern", "Forum", "Hideout", "Lair", coins=0)
    p.play({0: "Lighthouse"})
    assert p.coins[0] == gained
    p.play({0: "Secret Network"})
    assert p.coins[0] == 2 * gained
    assert p.points(0)["commerce"] == 3  # points count the cards of the end, itself included, whatever the switch


def test_R9_3_arena_counts_the_stages_built_so_far() -> None:
    p = Position("1e", *BOARDS, age=3)
    p.city(0, stages=2, coins=0)
    p.play({0: "Arena"})
    assert (p.coins[0], p.points(0)["commerce"]) == (6, 2)


def test_R9_4_a_loss_comes_after_all_gains_of_the_turn() -> None:
    p = Position("2e-cities", *CITIES)
    for seat in range(4):
        p.city(seat, coins=0)
    p.play({0: "Opium Den", 1: "sell Altar", 2: "Tavern"})
    assert p.losses == [(1, 3, 0), (2, 3, 0), (3, 0, 3)]
    assert p.coins == [4, 0, 2, 0]


def test_R9_5_the_last_cards_of_the_hands_are_discarded_without_coins() -> None:
    p = Position("1e", *BOARDS, turn=6)
    for seat, card in enumerate(("Baths", "Theater", "Tavern")):
        if card != "Tavern":
            p.hand(seat, card)
    p.play({})
    assert (p.pile, p.coins) == (["Baths", "Theater"], [3, 3, 3])


@pytest.mark.parametrize(("new_state", "action"), [(True, "build"), (False, "sell")])
def test_R9_5_a_last_card_is_played_on_the_state_after_the_turn(new_state: bool, action: str) -> None:
    p = Position("1e", "Babylon B", "Rhodos A", "Ephesos A", turn=6, last_card_on_new_state=new_state)
    p.city(0, stages=2, coins=0)
    p.hand(0, "Workshop")
    p.play({0: "Glassworks"})  # the glass that Workshop needs
    assert p.extra == [(0, "last_card", action, "Workshop")]


@pytest.mark.parametrize("new_state", [True, False])
@pytest.mark.parametrize("held", [True, False])
def test_R9_5_discounts_for_the_last_card_follow_the_state_that_pays(held: bool, new_state: bool) -> None:
    """The left neighbour's ore costs 1 with the Cache, 2 without; what was there before the turn always counts."""
    p = Position("2e-cities", "Babylon night", *CITIES[1:3], turn=7, last_card_on_new_state=new_state)
    p.city(0, *["Smuggler's Cache"] * held, stages=1, coins=1)
    p.hand(0, "Barracks")
    p.play({0: "Altar" if held else "Smuggler's Cache"})
    builds = held or new_state
    assert p.extra == [(0, "last_card", "build" if builds else "sell", "Barracks")]
    assert p.coins == ([0, 4, 3] if builds else [4, 3, 3])


def test_R9_5_income_of_the_turn_pays_for_the_last_card() -> None:
    p = Position("1e", "Babylon B", "Rhodos A", "Ephesos A", turn=6)
    p.city(0, stages=2, coins=0)
    p.hand(0, "Barracks")  # its ore is the left neighbour's
    p.play({0: "sell Altar"})
    assert p.extra == [(0, "last_card", "build", "Barracks")]
    assert p.coins == [1, 5, 3]


def test_R9_5_symbols_and_rebates_are_fresh_for_the_last_card() -> None:
    p = Position("2e-cities", "Babylon night", "Rhodos day", "Gizah day", turn=7)
    p.city(0, "West Clandestine Wharf", stages=1, coins=2)
    p.hand(0, "Barracks")
    ore = p.moves(0, "Barracks")[0]
    assert (ore.left, ore.right) == (1, 0)
    p.hand(0, "Pigeonhole")  # one ore and one coin; the wharf has served once this turn
    p.city(0, coins=3)
    p.play({0: ore})
    assert p.extra == [(0, "last_card", "build", "Pigeonhole")]
    assert p.coins[:2] == [0, 5]


def test_R9_5_losses_of_a_last_card_are_further_losses() -> None:
    p = Position("2e-cities", "Babylon night", "Rhodos day", "Gizah day", turn=7)
    p.city(0, stages=1)
    p.hand(0, "Opium Stash")
    p.play({0: "Hideout"})
    assert p.losses == [(1, 1, 0), (2, 1, 0), (1, 1, 0), (2, 1, 0)]


@pytest.mark.parametrize(("boards_first", "order"), [(True, [1, 0]), (False, [0, 1])])
def test_R9_6_boards_build_from_the_pile_before_forging_agency(boards_first: bool, order: list[int]) -> None:
    boards = ("Gizah day", "Halikarnassos day", "Rhodos day")
    p = Position("2e-cities", *boards, age=2, discard_builds_boards_first=boards_first)
    p.city(1, stages=1)
    p.discarded("Baths", "Well")
    p.play({0: "Forging Agency", 1: "stage"})
    assert [(seat, card) for seat, _, _, card in p.extra] == list(zip(order, ("Baths", "Well"), strict=True))


def test_R9_6_boards_build_in_seat_order() -> None:
    p = Position("2e-cities", "Gizah day", "Rhodos day", "Ephesos day", "Halikarnassos night")
    p.discarded("Baths", "Theater", "Well")
    p.play({3: "stage", 1: "Forging Agency", 0: "sell Altar"})
    assert [(seat, card) for seat, _, _, card in p.extra] == [(3, "Altar"), (1, "Baths")]


def test_R9_6_a_forging_agency_from_the_pile_builds_at_the_end_of_the_queue() -> None:
    p = Position("2e-cities", "Gizah day", "Halikarnassos day", "Rhodos day", age=2)
    p.city(1, stages=1)
    p.discarded("Forging Agency", "Opium Den")
    p.play({1: "stage"})
    assert [card for _, _, _, card in p.extra] == ["Forging Agency", "Opium Den"]
    assert [seat for seat, _, _ in p.losses] == [0, 2]
    assert p.coins == [0, 7, 0]


def test_R9_new_production_can_be_used_from_the_next_turn() -> None:
    p = Position("1e", *BOARDS)
    p.hand(0, "Lumber Yard", "Stockade")
    p.hand(1, "Altar")
    p.hand(2, "Altar")
    assert p.builds(0, "Stockade") == []
    p.play({0: "Lumber Yard"})
    assert p.builds(0, "Stockade") == [("paid", 0, 0, 0)]


def test_R10_example_c_coins_earned_this_turn_cannot_be_spent_in_it() -> None:
    # Forum costs 2 clay: one is owned, one for sale; the treasury is empty when the turn starts.
    p = Position("1e", "Gizah A", "Babylon A", "Rhodos A", age=2)
    p.city(0, "Clay Pool", coins=0)
    assert p.builds(0, "Forum") == []
    sell = p.moves(0, "Forum")[-1]
    buy = next(move for move in p.moves(1, "Aqueduct") if move.action == "sell")
    p.play({0: sell, 1: buy})
    assert p.builds(0, "Forum") == [("paid", 0, 2, 0)]
