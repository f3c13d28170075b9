"""Chapter 7, Cities (R31-R37), and every black card and stage of that expansion."""

# ruff: noqa: N802

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from tests.wonders.both import Position
from tests.wonders.reference.facts import load

pytestmark = pytest.mark.jit_off

BOARDS = ("Gizah day", "Rhodos day", "Ephesos day", "Alexandria day")


def four(*own: str, coins: int = 3, **more: Any) -> Position:
    """Return four cities, seat 0 with these structures: left neighbour seat 1, right seat 3, seat 2 across."""
    p = Position("2e-cities", *BOARDS, **more)
    for seat in range(4):
        p.city(seat, coins=coins)
    p.city(0, *own)
    return p


@dataclass(frozen=True)
class Black:
    """The immediate effect of a black card on four cities with ten coins each: owner, left, across, right."""

    points: int = 0
    coins: tuple[int, int, int, int] = (10, 10, 10, 10)
    debts: tuple[int, int, int, int] = (0, 0, 0, 0)
    shields: int = 0
    token: int = 0
    diplomacy: int = 0


# The cards whose whole effect is a number; the others have tests of their own further down.
NUMBERS = {
    "City Gates": Black(points=4),
    "Customs": Black(points=4, coins=(10, 11, 11, 11)),
    "Dive": Black(coins=(16, 11, 10, 11)),
    "Hideout": Black(points=2, coins=(10, 9, 9, 9)),
    "Militia": Black(shields=2),
    "Opium Stash": Black(coins=(13, 9, 9, 9)),
    "Raider Camp": Black(token=1, debts=(0, 1, 0, 1)),
    "Residence": Black(points=1, diplomacy=1),
    "Consulate": Black(points=2, diplomacy=1),
    "Gambling Den": Black(coins=(19, 12, 10, 12)),
    "Lair": Black(points=3, coins=(10, 8, 8, 8)),
    "Mercenaries": Black(shields=3),
    "Opium Den": Black(coins=(14, 7, 7, 7)),
    "Raider Fort": Black(token=3, debts=(0, 1, 0, 1)),
    "Tabularium": Black(points=6),
    "Trade Center": Black(points=6, coins=(10, 12, 12, 12)),
    "Brotherhood": Black(points=4, coins=(10, 7, 7, 7)),
    "Capitol": Black(points=8),
    "Contingent": Black(shields=5),
    "Embassy": Black(points=3, diplomacy=1),
    "Mint": Black(points=8, coins=(10, 13, 13, 13)),
    "Opium Distillery": Black(coins=(15, 5, 5, 5)),
    "Raider Garrison": Black(token=5, debts=(0, 1, 0, 1)),
    "Architect Firm": Black(points=2),
    "Sepulcher": Black(points=4),
    "Cenotaph": Black(points=5),
    "Chamber of Builders": Black(points=4),
    "Secret Network": Black(points=1, coins=(11, 10, 10, 10)),
}
OWN_TESTS = {
    "Cells", "East Clandestine Wharf", "Pigeonhole", "Secret Warehouse", "Smuggler's Cache", "West Clandestine Wharf",
    "Band of Spies", "Black Market", "Forging Agency", "Guardhouse", "Memorial", "Prison", "Slave Market",
    "Torture Chamber",
}  # fmt: skip


@pytest.mark.engine_only
def test_every_black_card_has_a_test() -> None:
    black = {card.name for card in load("2e-cities").cards.values() if card.color == "black"}
    assert len(black) == 42
    assert set(NUMBERS) | OWN_TESTS == black


@pytest.mark.parametrize("card", NUMBERS)
def test_black_card(card: str) -> None:
    expected = NUMBERS[card]
    p = four(coins=10)
    p.play({0: card})
    assert tuple(p.coins) == expected.coins
    assert tuple(p.debts) == expected.debts
    assert p.points(0).get("cities", 0) == expected.points
    assert [int(p.public.shields[seat]) for seat in range(4)] == [expected.shields, 0, 0, 0]
    assert p.victories(0) == ([expected.token] if expected.token else [])
    assert [int(p.public.diplomacy[seat]) for seat in range(4)] == [expected.diplomacy, 0, 0, 0]
    p.play({1: "sell Altar"})
    assert p.coins[1] == expected.coins[1] + 3  # nothing happens a second time


COPYING = ("Pigeonhole", "Band of Spies", "Torture Chamber")


@pytest.mark.parametrize("card", COPYING)
def test_R31_a_copy_takes_the_symbol_of_a_neighbours_green_card(card: str) -> None:
    p = four(card, "Workshop")
    assert p.points(0)["science"] == 1
    p.city(2, "Workshop")  # not a neighbour
    assert p.points(0)["science"] == 1
    p.city(1, "Workshop")
    assert p.points(0)["science"] == 4
    assert p.points(1)["science"] == 1  # the copied card's owner keeps its points


@pytest.mark.parametrize("card", COPYING)
def test_R31_never_a_wild_or_copied_symbol(card: str) -> None:
    p = Position("2e-cities", "Gizah day", "Babylon day", "Ephesos day")
    p.city(0, card)
    p.city(1, "Scientists Guild", "Band of Spies" if card != "Band of Spies" else "Pigeonhole", stages=2)
    assert p.points(0).get("science", 0) == 0


def test_R31_one_card_is_taken_only_once_by_the_same_seat() -> None:
    p = four("Pigeonhole", "Band of Spies", "Torture Chamber")
    p.city(1, "Workshop")
    assert p.points(0)["science"] == 1
    p.city(3, "Workshop", "Study")
    assert p.points(0)["science"] == 9
    p.city(2, "Pigeonhole")
    assert p.points(2)["science"] == 1  # another seat may take the same card


def test_R31_copies_and_wild_symbols_are_chosen_together() -> None:
    p = four("Pigeonhole", "Band of Spies", "Scientists Guild", "Apothecary")
    p.city(1, "Apothecary")
    p.city(3, "Workshop")
    # own compass; copies: compass and gear; wild: tablet
    assert p.points(0)["science"] == 4 + 1 + 1 + 7


def test_R32_losses_of_one_step_are_one_loss_their_sum() -> None:
    p = four()
    p.play({0: "Lair", 1: "Opium Den"})
    assert p.losses == [(0, 3, 0), (1, 2, 0), (2, 3, 2), (3, 3, 2)]
    assert p.coins == [0, 5, 0, 0]
    assert p.points(2) == {"treasury": -2}


@pytest.mark.parametrize(("choice", "options"), [(True, [3, 2, 1, 0]), (False, [3])])
def test_R32_debt_may_be_taken_though_one_could_pay(choice: bool, options: list[int]) -> None:
    p = four(debt_choice=choice)
    p.script(1, loss=-1)  # pays as little as it may
    p.play({0: "Opium Den"})
    assert p.losses[0] == (1, options[-1], 3 - options[-1])


@pytest.mark.engine_only
def test_R32_the_list_of_a_loss_does_not_depend_on_the_switch() -> None:
    for choice in (True, False):
        assert four(debt_choice=choice).loss_moves(1, 5) == [3, 2, 1, 0]


def test_R32_all_that_can_be_paid_is_the_first_move() -> None:
    p = four(coins=2)
    p.play({0: "Opium Distillery"})
    assert p.losses == [(1, 2, 3), (2, 2, 3), (3, 2, 3)]
    assert (p.coins, p.debts) == ([7, 0, 0, 0], [0, 3, 3, 3])


@pytest.mark.parametrize("card", ["Sepulcher", "Cenotaph"])
def test_R32_sepulcher_and_cenotaph_count_the_losers_victory_tokens_of_this_turn_too(card: str) -> None:
    p = four(coins=5)
    p.city(0, victories=[5])
    p.city(2, victories=[1, 3])
    p.play({0: card, 1: "Raider Fort"})
    assert p.losses == [(1, 1, 0), (2, 2, 0)]
    assert p.coins == [5, 4, 3, 5]


def test_R32_chamber_of_builders_counts_the_losers_own_stages() -> None:
    p = four(coins=5)
    p.city(0, stages=3)
    p.city(1, stages=2)
    p.play({0: "Chamber of Builders", 2: "stage"})
    assert p.losses == [(1, 2, 0), (2, 1, 0)]


def test_R32_losses_per_token_count_tokens_of_every_age() -> None:
    p = four(coins=9, age=3)
    for seat, tokens in enumerate([[1, 3, 5], [1], [3], [5, 5]]):
        p.city(seat, victories=tokens)
    p.play({0: "Cenotaph"})
    assert [loss[:2] for loss in p.losses] == [(1, 1), (2, 1), (3, 2)]


def test_R32_losses_of_a_build_from_the_pile_are_further_losses() -> None:
    p = Position("2e-cities", "Halikarnassos night", "Rhodos day", "Gizah day")
    p.discarded("Lair")
    p.play({0: "stage", 1: "Hideout"})
    assert p.losses == [(0, 1, 0), (2, 1, 0), (1, 2, 0), (2, 2, 0)]


def test_R32_petra_night_makes_all_others_lose_two() -> None:
    p = Position("2e-cities", "Petra night", "Rhodos day", "Gizah day", "Ephesos day")
    p.play({0: "stage"})
    assert (p.coins, p.points(0)["wonder"]) == ([3, 1, 1, 1], 3)


@pytest.mark.parametrize(("side", "stage", "cost", "points"), [("day", 2, 5, 7), ("night", 2, 10, 14)])
def test_R11_stages_of_petra_that_cost_only_coins(side: str, stage: int, cost: int, points: int) -> None:
    p = Position("2e-cities", f"Petra {side}", "Rhodos day", "Gizah day")
    p.city(0, stages=stage - 1, coins=cost)
    before = p.points(0)["wonder"]
    assert p.stage_payments(0) == [(cost, 0, 0)]
    p.play({0: next(move for move in p.moves(0, "Altar") if move.action == "stage")})
    assert (p.coins[0], p.points(0)["wonder"] - before) == (0, points)
    p = Position("2e-cities", f"Petra {side}", "Rhodos day", "Gizah day")
    p.city(0, stages=stage - 1, coins=cost - 1)
    assert p.stage_payments(0) == []


@pytest.mark.parametrize(("side", "tokens"), [("day", [0, 1, 1]), ("night", [1, 2])])
def test_R20_byzantium_gives_diplomacy_tokens(side: str, tokens: list[int]) -> None:
    p = Position("2e-cities", f"Byzantium {side}", "Rhodos day", "Gizah day")
    held = []
    for _ in tokens:
        p.play({0: "stage"})
        held.append(int(p.public.diplomacy[0]))
    assert held == tokens
    p.city(1, shields=1)
    assert [pair for pair, _, _ in p.end_age()] == [[1, 2]]
    assert int(p.public.diplomacy[0]) == tokens[-1] - 1


def test_R33_debts_are_never_repaid() -> None:
    p = four(coins=0)
    p.city(1, debts=2)
    for _ in range(3):
        p.play({1: "sell Altar"})
    assert (p.debts[1], p.points(1)) == (2, {"treasury": 3 - 2})


def test_R34_gains_for_others_come_before_losses_of_the_same_turn() -> None:
    p = four(coins=0)
    p.play({0: "Trade Center", 2: "Hideout"})
    assert p.losses == [(0, 0, 1), (1, 1, 0), (3, 1, 0)]
    assert p.coins == [0, 1, 2, 1]


def test_R34_gains_come_from_the_bank() -> None:
    p = four(coins=0)
    p.play({0: "Customs", 1: "Mint"})
    assert p.coins == [3, 1, 4, 4]


def test_R35_memorial_pays_two_coins_a_defeat_and_discards_them() -> None:
    p = four(coins=0)
    p.city(0, defeats=3)
    p.city(1, defeats=2)
    p.play({0: "Memorial"})
    assert (p.coins[0], p.public.defeats[:4].tolist()) == (6, [0, 2, 0, 0])
    assert p.points(0).get("military", 0) == 0


def test_R35_all_coins_of_a_turn_are_counted_before_tokens_are_discarded() -> None:
    counts = 'cards."Vineyard".coins_per={what = ["defeat_token"], cities = ["right", "self", "left"], n = 1}'
    for first, second in (("Memorial", "Vineyard"), ("Vineyard", "Memorial")):
        p = Position("2e-cities", *BOARDS[:4], changes=(counts,))
        for seat in range(4):
            p.city(seat, coins=0, defeats=2)
        p.play({0: first, 1: second})
        assert sorted(p.coins) == [0, 0, 4, 6]
        assert p.public.defeats[:4].tolist() == ([0, 2, 2, 2] if first == "Memorial" else [2, 0, 2, 2])


def test_R36_neighbours_of_a_raider_take_debts_though_they_have_coins() -> None:
    p = four(coins=9)
    p.play({0: "Raider Camp", 1: "Raider Fort", 2: "Raider Garrison"})
    assert p.debts == [1, 2, 1, 2]
    assert p.coins == [9, 9, 9, 9]
    assert p.losses == []


def test_R36_with_three_seats_every_other_seat_is_a_neighbour() -> None:
    p = Position("2e-cities", *BOARDS[:3])
    p.play({0: "Raider Camp"})
    assert p.debts == [0, 1, 1]


TOKENS = [1, 1, 3, 5, 5, 5]


@pytest.mark.parametrize(("card", "points"), [("Cells", 4), ("Guardhouse", 3), ("Prison", 12), ("Slave Market", 6)])
def test_R37_points_per_victory_token(card: str, points: int) -> None:
    p = four(card)
    p.city(0, victories=TOKENS)
    p.city(1, victories=[1, 3, 5])
    assert p.points(0)["cities"] == points


def test_R37_slave_market_pays_a_coin_a_token_when_built() -> None:
    p = four(coins=0)
    p.city(0, victories=TOKENS)
    p.play({0: "Slave Market"})
    assert p.coins[0] == 6
    p.city(0, victories=[5])
    assert (p.coins[0], p.points(0)["cities"]) == (6, 7)


def test_R37_tokens_count_at_the_end_of_the_game() -> None:
    p = four("Prison", age=3)
    p.city(0, shields=1)
    p.end_age()
    assert p.points(0)["cities"] == 8


def test_R25_secret_network_counts_the_black_cards_of_the_end() -> None:
    p = four("Hideout", "Lair", coins=0)
    p.play({0: "Secret Network"})
    assert p.coins[0] == 3
    p.city(0, "Embassy")
    assert p.points(0)["cities"] == 2 + 3 + 3 + 4


@pytest.mark.parametrize(("ages", "board"), [((1, 2, 3), "Byzantium night")])
def test_R20_a_token_is_spent_at_every_end_of_age(ages: tuple[int, ...], board: str) -> None:
    p = Position("2e-cities", board, "Rhodos day", "Gizah day")
    p.city(0, stages=2)
    p.city(1, shields=1)
    fought = []
    for age in ages:
        p.go_to(age)
        fought.append(len(p.end_age()))
    assert fought == [1, 1, 3]
