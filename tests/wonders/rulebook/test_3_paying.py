"""Chapter 3, paying (R11-R18): costs, production, trade, discounts, minimal payments, chains."""

# ruff: noqa: N802

from __future__ import annotations

import pytest

from tests.wonders.both import Position
from tests.wonders.position_kernels import SET_TABLE

pytestmark = pytest.mark.jit_off

BOARDS = ("Gizah A", "Rhodos A", "Ephesos A")  # stone; ore on the left, papyrus on the right
CITIES = ("Gizah day", "Rhodos day", "Ephesos day")


def test_R11_example_a_coin_cost_goes_to_the_bank() -> None:
    p = Position("1e", *BOARDS)
    assert p.builds(0, "Timber Yard") == [("paid", 1, 0, 0)]
    p.play({0: p.moves(0, "Timber Yard")[0]})
    assert p.coins == [2, 3, 3]


def test_R11_example_a_free_structure() -> None:
    p = Position("1e", *BOARDS)
    p.city(0, coins=0)
    assert p.builds(0, "East Trading Post") == [("paid", 0, 0, 0)]
    assert p.builds(0, "Marketplace") == [("paid", 0, 0, 0)]


def test_R11_a_chain_and_a_free_build_waive_coins_too() -> None:
    p = Position("2e-cities", "Olympia day", "Rhodos day", "Gizah day", age=2)
    p.city(0, stages=2, coins=0)
    assert p.builds(0, "Gambling Den") == [("free", 0, 0, 0)]  # the first black structure


def test_R12_example_gizah_produces_two_stone_clay_ore_papyrus_and_cloth() -> None:
    p = Position("1e", *BOARDS)
    p.city(0, "Stone Pit", "Clay Pool", "Ore Vein", "Press", "Loom", coins=0)
    assert p.builds(0, "Barracks") == [("paid", 0, 0, 0)]
    assert p.builds(0, "Scriptorium") == [("paid", 0, 0, 0)]
    p = Position("1e", *BOARDS, age=2)
    p.city(0, "Stone Pit", "Clay Pool", "Ore Vein", "Press", "Loom", coins=0)
    assert p.builds(0, "Aqueduct") == []  # three stone


def test_R12_example_of_the_second_edition_no_clay_no_guard_tower() -> None:
    p = Position("2e", "Gizah day", "Ephesos day", "Alexandria day")
    p.city(0, "Stone Pit", "Ore Vein", "Press")
    assert p.builds(0, "Barracks") == [("paid", 0, 0, 0)]
    assert p.builds(0, "Scriptorium") == [("paid", 0, 0, 0)]
    assert p.builds(0, "Guard Tower") == []


def test_R12_resources_are_not_used_up() -> None:
    p = Position("1e", *BOARDS)
    p.city(0, coins=0)
    p.play({0: p.moves(0, "Baths")[0]})
    assert p.stage_payments(0) == []
    p.city(0, "Stone Pit")
    assert p.stage_payments(0) == [(0, 0, 0)]


def test_R12_an_either_or_symbol_gives_one_of_its_alternatives() -> None:
    p = Position("1e", "Gizah A", "Alexandria A", "Ephesos A", age=2)
    p.city(0, "Clay Pit", "Lumber Yard", coins=0)
    assert p.builds(0, "Stables") == []  # clay, ore and wood: clay or ore
    p.city(0, "Ore Vein")
    assert p.builds(0, "Stables") == [("paid", 0, 0, 0)]


@pytest.mark.parametrize(
    ("board", "card"),
    [
        ("Alexandria A", "Stockade"), ("Alexandria B", "Stockade"), ("Alexandria B", "Scriptorium"),
    ],
)  # fmt: skip
def test_R12_alexandria_produces_a_resource_of_choice(board: str, card: str) -> None:
    p = Position("1e", board, "Gizah A", "Halikarnassos A")
    assert p.builds(0, card) == []
    p.city(0, stages=2, coins=0)
    assert p.builds(0, card) == [("paid", 0, 0, 0)]
    assert p.builds(1, card) == []  # R13: nobody else can buy it


@pytest.mark.parametrize("side", ["day", "night"])
def test_R12_alexandria_of_the_second_edition(side: str) -> None:
    p = Position("2e", f"Alexandria {side}", "Gizah day", "Halikarnassos day")
    p.city(0, stages=2, coins=0)
    assert p.builds(0, "Stockade") == [("paid", 0, 0, 0)]
    assert (p.builds(0, "Scriptorium") == [("paid", 0, 0, 0)]) == (side == "night")
    assert p.builds(1, "Stockade") == []


def test_R13_example_a_university_buys_from_both_neighbours() -> None:
    # University: 2 wood, glass, papyrus; own wood and glass; papyrus on the left, wood on the right.
    p = Position("1e", "Alexandria A", "Ephesos A", "Olympia A", age=3)
    p.city(0, "Lumber Yard", coins=4)
    assert p.builds(0, "University") == [("paid", 0, 2, 2)]
    p.play({0: p.moves(0, "University")[0]})
    assert p.coins == [0, 5, 5]


def test_R13_example_b_the_seller_keeps_the_symbol() -> None:
    p = Position("1e", "Halikarnassos A", "Babylon A", "Ephesos A", age=2)
    p.city(0, "Quarry", "Stone Pit")
    p.city(1, "Brickyard", coins=4)
    p.city(2, "Brickyard", coins=4)
    library = p.moves(0, "Library")[0]  # two stone and a loom, all its own
    bought = [p.moves(seat, "Library") for seat in (1, 2)]
    assert [(m.left, m.right) for m in bought[0] if m.action == "build"] == []  # six coins: not affordable
    p.city(1, "Loom")
    p.city(2, "Loom")
    bought = [p.moves(seat, "Library") for seat in (1, 2)]
    assert [(moves[0].left, moves[0].right) for moves in bought] == [(0, 4), (4, 0)]
    p.play({0: library, 1: bought[0][0], 2: bought[1][0]})
    assert p.coins == [3 + 8, 0, 0]
    assert all("Library" in p.owned(seat) for seat in range(3))


def test_R13_seller_keeps_the_symbol() -> None:
    p = Position("1e", *BOARDS)
    p.play({0: p.moves(0, "Baths")[0], 1: p.moves(1, "Baths")[0], 2: p.moves(2, "Baths")[0]})
    assert p.coins == [7, 1, 1]  # both neighbours bought the one stone that its owner used, too


def test_R13_each_symbol_of_a_neighbour_is_bought_once() -> None:
    p = Position("1e", "Gizah A", "Rhodos A", "Ephesos A", age=2)
    p.city(0, "Lumber Yard", coins=20)
    assert p.builds(0, "Statue") == []  # two ore; the left neighbour has one
    p.city(1, "Ore Vein")
    assert p.builds(0, "Statue") == [("paid", 0, 4, 0)]


def test_R13_any_one_alternative_of_an_either_or_symbol_is_for_sale() -> None:
    p = Position("1e", "Gizah A", "Ephesos A", "Halikarnassos A", age=2)
    p.city(1, "Clay Pit")
    p.city(0, "Sawmill", coins=20)
    assert p.builds(0, "Archery Range") == [("paid", 0, 2, 0)]  # its ore
    assert p.builds(0, "Temple") == []  # its clay, but no glass
    assert p.builds(0, "Stables") == []  # its clay and its ore at once


def test_R13_yellow_stages_and_black_cards_are_not_for_sale() -> None:
    p = Position("2e-cities", "Gizah day", "Alexandria day", "Ephesos day", age=2)
    p.city(1, "Caravansery", "Forum", "Secret Warehouse", "Black Market", stages=2)
    p.city(0, coins=20)
    for card in ("Stockade", "Apothecary", "Guard Tower"):
        p.go_to(age=1)
        assert p.builds(0, card) == []
    assert p.builds(0, "Workshop") == [("paid", 0, 2, 0)]  # the board's glass


def test_R13_a_structure_of_the_same_turn_cannot_be_bought_from() -> None:
    p = Position("2e", *CITIES)
    p.hand(0, "Stockade")
    p.hand(1, "Lumber Yard")
    p.hand(2, "Stockade")
    assert p.play_turn()
    assert (p.owned(0), p.owned(2), p.pile) == (set(), set(), ["Stockade", "Stockade"])


def test_R13_a_seat_may_buy_from_either_neighbour() -> None:
    p = Position("1e", "Gizah A", "Rhodos A", "Ephesos A")
    p.city(2, "Ore Vein")
    assert p.builds(0, "Barracks") == [("paid", 0, 0, 2), ("paid", 0, 2, 0)]


@pytest.mark.parametrize(("post", "card", "pairs"), [
    ("East Trading Post", "Barracks", [(0, 1), (2, 0)]), ("West Trading Post", "Barracks", [(0, 2), (1, 0)]),
    ("Marketplace", "Barracks", [(0, 2), (2, 0)]), ("East Trading Post", "Scriptorium", [(0, 2), (2, 0)]),
    ("West Trading Post", "Scriptorium", [(0, 2), (2, 0)]), ("Marketplace", "Scriptorium", [(0, 1), (1, 0)]),
])  # fmt: skip
def test_R14_trading_posts_and_marketplace(post: str, card: str, pairs: list[tuple[int, int]]) -> None:
    p = Position("1e", *BOARDS)
    p.city(0, post)
    p.city(1, "Press")
    p.city(2, "Ore Vein")
    assert [(left, right) for _, _, left, right in p.builds(0, card)] == pairs


@pytest.mark.parametrize(("cumulative", "right"), [(False, 1), (True, 0)])
def test_R14_olympia_B_and_a_trading_post(cumulative: bool, right: int) -> None:
    p = Position("1e", "Olympia B", "Rhodos A", "Ephesos A", olympia_discount_cumulative=cumulative)
    p.city(2, "Ore Vein")
    p.city(0, stages=1)
    assert p.builds(0, "Barracks") == [("paid", 0, 0, 1), ("paid", 0, 1, 0)]
    p.city(0, "East Trading Post")
    expected = [("paid", 0, 0, right)] if right == 0 else [("paid", 0, 0, 1), ("paid", 0, 1, 0)]
    assert p.builds(0, "Barracks") == expected
    p.city(1, "Press")
    assert p.builds(0, "Scriptorium") == [("paid", 0, 0, 2), ("paid", 0, 2, 0)]  # manufactured: full price


@pytest.mark.parametrize(("wharf", "pairs"), [
    ("West Clandestine Wharf", [(0, 4), (1, 2), (3, 0)]), ("East Clandestine Wharf", [(0, 3), (2, 1), (4, 0)]),
])  # fmt: skip
def test_R14_a_clandestine_wharf_takes_one_coin_off_one_unit_each_turn(
    wharf: str, pairs: list[tuple[int, int]]
) -> None:
    p = Position("2e-cities", *CITIES, age=2)
    p.city(0, wharf, "Lumber Yard", coins=20)
    p.city(1, "Ore Vein")
    p.city(2, "Foundry")
    assert [(left, right) for _, _, left, right in p.builds(0, "Statue")] == pairs


def test_R14_smugglers_cache_makes_starting_resources_cheaper_every_time() -> None:
    p = Position("2e-cities", *CITIES, age=1)
    p.city(0, "Smuggler's Cache")
    assert p.builds(0, "Barracks") == [("paid", 0, 1, 0)]
    assert p.builds(0, "Scriptorium") == [("paid", 0, 0, 1)]
    p.city(2, "Ore Vein")
    assert p.builds(0, "Barracks") == [("paid", 0, 0, 2), ("paid", 0, 1, 0)]  # not the board's: full price


def test_R14_cities_discounts_add_up_but_prices_stop_at_zero() -> None:
    p = Position("2e-cities", *CITIES, age=2)
    p.city(0, "West Trading Post", "West Clandestine Wharf", "Smuggler's Cache", "Lumber Yard", coins=20)
    p.city(1, "Ore Vein")
    # the board's ore costs 2 - 1 - 1 = 0, the vein's 1, less 1 for the wharf
    assert p.builds(0, "Statue") == [("paid", 0, 0, 0)]


def test_R14_a_discount_can_be_used_from_the_next_turn() -> None:
    p = Position("2e-cities", *CITIES)
    before = p.moves(0, "Barracks")[0]
    p.play({0: "West Trading Post"})
    assert (before.left, p.builds(0, "Barracks")) == (2, [("paid", 0, 1, 0)])


def test_R15_the_payments_are_the_pareto_minimal_pairs() -> None:
    p = Position("1e", *BOARDS, age=2)
    p.city(0, "East Trading Post", coins=20)
    p.city(1, "Lumber Yard", "Ore Vein")
    p.city(2, "Foundry", "Lumber Yard")
    # Statue: two ore and a wood, right units at 1, left units at 2
    assert [pair[2:] for pair in p.builds(0, "Statue")] == [(0, 3), (2, 2), (4, 1), (6, 0)]


def test_R15_only_affordable_payments_are_offered() -> None:
    p = Position("1e", *BOARDS, age=2)
    p.city(0, "East Trading Post", coins=4)
    p.city(1, "Lumber Yard", "Ore Vein")
    p.city(2, "Foundry", "Lumber Yard")
    assert [pair[2:] for pair in p.builds(0, "Statue")] == [(0, 3), (2, 2)]


def test_R15_bank_and_neighbours_are_paid_from_one_treasury() -> None:
    p = Position("2e-cities", *CITIES)
    p.city(0, coins=2)
    assert p.builds(0, "Pigeonhole") == []  # one coin and an ore
    p.city(0, coins=3)
    assert p.builds(0, "Pigeonhole") == [("paid", 1, 2, 0)]


def test_R15_a_city_that_needs_no_trade_pays_nobody() -> None:
    p = Position("1e", *BOARDS)
    p.city(0, "Ore Vein")
    assert p.builds(0, "Barracks") == [("paid", 0, 0, 0)]


@pytest.mark.parametrize(("held", "card", "age"), [
    ("Scriptorium", "Library", 2), ("Scriptorium", "Courthouse", 2), ("Apothecary", "Stables", 2),
    ("Theater", "Statue", 2), ("Statue", "Gardens", 3),
])  # fmt: skip
def test_R16_examples_of_chains(held: str, card: str, age: int) -> None:
    p = Position("1e", *BOARDS, age=age)
    p.city(0, coins=0)
    assert p.builds(0, card) == []
    p.city(0, held)
    assert p.builds(0, card) == [("chain", 0, 0, 0)]


@pytest.mark.parametrize("any_age", [True, False])
def test_R16_example_of_the_second_edition_theater_gives_gardens_in_age_III(any_age: bool) -> None:
    p = Position("2e", *CITIES, age=3, chain_from_any_age=any_age)
    p.city(0, "Theater", "Library")
    assert p.builds(0, "Gardens") == ([("chain", 0, 0, 0)] if any_age else [])
    assert p.builds(0, "Senate") == [("chain", 0, 0, 0)]


@pytest.mark.parametrize(("beside", "expected"), [(False, ["chain"]), (True, ["chain", "paid"])])
def test_R16_paying_in_addition_to_a_chain_is_not_offered(beside: bool, expected: list[str]) -> None:
    p = Position("1e", *BOARDS, age=2, paid_build_beside_chain=beside)
    p.city(0, "Baths", "Quarry")
    assert [how for how, *_ in p.builds(0, "Aqueduct")] == expected


def test_R16_one_predecessor_is_enough() -> None:
    for post in ("East Trading Post", "West Trading Post"):
        p = Position("1e", *BOARDS, age=2)
        p.city(0, post, coins=0)
        assert p.builds(0, "Forum") == [("chain", 0, 0, 0)]


def test_R17_architect_firm_leaves_only_the_coins_of_stages() -> None:
    p = Position("2e-cities", "Petra night", "Gizah day", "Rhodos day")
    p.city(0, "Architect Firm", coins=10)
    assert p.stage_payments(0) == [(0, 0, 0)]  # two clay and two ore
    p.city(0, stages=1)
    assert p.stage_payments(0) == [(10, 0, 0)]
    p.city(0, coins=9)
    assert p.stage_payments(0) == []
    assert p.builds(0, "Stockade") == []  # structures cost what they cost


def test_R18_secret_warehouse_doubles_a_resource_of_board_brown_or_gray() -> None:
    p = Position("2e-cities", "Gizah day", "Alexandria day", "Ephesos day", age=2)
    p.city(0, "Secret Warehouse", "Clay Pit", coins=0)
    assert p.builds(0, "Aqueduct") == []  # three stone: board and warehouse make two
    p.city(0, "Stone Pit")
    assert p.builds(0, "Aqueduct") == [("paid", 0, 0, 0)]
    assert p.builds(0, "Forum") == [("paid", 0, 0, 0)]  # clay of the pit and clay of the warehouse
    p.city(1, "Brickyard")
    p.city(0, "Caravansery")
    assert p.builds(0, "Temple") == []  # wood of the yellow card does not count for the warehouse


def test_R18_black_market_gives_what_the_city_does_not_produce() -> None:
    p = Position("2e-cities", "Gizah day", "Rhodos day", "Babylon day")
    p.city(0, "Black Market", coins=0)
    for card in ("Workshop", "Apothecary", "Scriptorium", "Barracks", "Guard Tower", "Stockade"):
        assert p.builds(0, card) == [("paid", 0, 0, 0)], card
    assert p.stage_payments(0) == []  # two wood
    p.city(0, "Clay Pit")  # clay or ore: neither is missing any more
    p.city(0, coins=0)
    assert p.builds(0, "Guard Tower") == [("paid", 0, 0, 0)]  # from the pit
    p.city(0, "Lumber Yard", "Loom", "Press", "Glassworks")
    p.go_to(age=2)
    assert p.builds(0, "Statue") == []  # it gives nothing to a city that has everything: two ore are missing one


def test_R18_the_symbols_follow_later_structures() -> None:
    p = Position("2e-cities", "Gizah day", "Alexandria day", "Ephesos day", age=2)
    p.city(0, "Secret Warehouse", "Black Market", "Foundry", coins=0)
    assert p.builds(0, "Statue") == [("paid", 0, 0, 0)]  # two ore, wood of the market
    p.city(0, "Lumber Yard")
    assert p.builds(0, "Archery Range") == [("paid", 0, 0, 0)]  # ore, wood, wood of the warehouse


@pytest.mark.engine_only
def test_R18_a_new_game_forgets_what_symbols_stood_for() -> None:
    """Seat 0 had a Secret Warehouse, whose symbol is what its city makes; in the next game it has one of grey goods."""
    p, q = (Position("2e-cities", *CITIES, age=2) for _ in range(2))
    p.city(0, "Secret Warehouse")
    assert p.public.flex_role[0, 0]
    p._do(SET_TABLE)
    p.public.age = 1
    for one in (p, q):
        one.city(0, "Forum", coins=0)
    cards = ("Dispensary", "Laboratory", "School", "Library", "Caravansery", "Temple")
    assert [p.builds(0, card) for card in cards] == [q.builds(0, card) for card in cards]
    assert not p.public.flex_role.any()
