"""Chapter 13, house rules (R59-R63): settings that are formulas and lists."""

# ruff: noqa: N802

from __future__ import annotations

import pytest

from tests.wonders.both import Position
from wsim.wonders.catalog import load_catalogue
from wsim.wonders.catalog.compiling import compile_rules

pytestmark = pytest.mark.jit_off

BOARDS = ("Gizah A", "Rhodos A", "Ephesos A")
GREEN = ("Apothecary", "Dispensary", "Workshop", "Laboratory", "Scriptorium")  # 2 compasses, 2 gears, 1 tablet


def house(*changes: str, boards: tuple[str, ...] = BOARDS, age: int = 1, turn: int = 1) -> Position:
    return Position("1e", *boards, age=age, turn=turn, changes=tuple(f"settings.{change}" for change in changes))


def test_R59_what_follows_from_players_and_age_is_settled_before_the_game() -> None:
    changes = [f"settings.{text}" for text in ("start_coins='players'", "victory_tokens='2 ** 1 * age'")]
    for players in (3, 7):
        rules = compile_rules(load_catalogue("1e", changes=changes), players)[0]
        assert (int(rules.start_coins), rules.victory_points.tolist()) == (players, [2, 4, 6])


def test_R59_ages_may_have_separate_hands() -> None:
    fewer = [f"cards.{name}.copies=[4]" for name in ("Apothecary", "Workshop", "Scriptorium")]
    changes = ["rulesets.1e.seats=[3]", "settings.hand_size=[6, 7, 7]", *fewer]
    rules = compile_rules(load_catalogue("1e", changes=changes), 3)[0]
    assert (rules.age_turns.tolist(), int(rules.turns), int(rules.hand_size)) == ([5, 6, 6], 6, 7)


def test_R60_a_sale_gives_the_amount_of_its_formula_in_seat_order() -> None:
    p = house("sale_coins='1 + sold + min(9, right.coins)'")
    for seat, coins in enumerate((0, 0, 2)):
        p.city(seat, coins=coins)
    p.play({0: "sell Altar", 1: "sell Altar", 2: "sell Altar"})
    assert p.coins == [4, 6, 10]  # 1 + 1 + 2, 1 + 1 + 4, and 2 + 1 + 1 + 6


@pytest.mark.parametrize(("age", "coins"), [(1, 1), (2, 0), (3, 5)])
def test_R60_a_sale_may_give_a_different_amount_in_each_age(age: int, coins: int) -> None:
    p = house("sale_coins=[1, 'red', 5]", age=age)
    p.city(0, coins=0)
    p.play({0: "sell Altar"})
    assert p.coins[0] == coins


@pytest.mark.parametrize(("formula", "points"), [
    ("compass * gear * tablet", 4), ("10 if compass == 2 else 0", 10), ("-compass - green", -7), ("left.gear", 1),
])  # fmt: skip
def test_R61_science_is_scored_by_a_formula(formula: str, points: int) -> None:
    p = house(f"science='{formula}'")
    p.city(0, *GREEN)
    p.city(1, "Workshop")
    assert p.points(0).get("science", 0) == points


def test_R61_wild_symbols_are_fixed_for_the_greatest_total() -> None:
    p = house("science='10 * tablet - gear if compass == 2 else 0'")
    p.city(0, *GREEN, "Scientists Guild")  # a third compass brings nothing, a gear -1
    assert p.points(0)["science"] == 10 * 2 - 2


@pytest.mark.parametrize(("ties", "shares"), [
    ("['coins']", [0.0, 1.0, 0.0]), ("['stages', 'coins']", [1.0, 0.0, 0.0]), ("[]", [0.5, 0.5, 0.0]),
    ("['-debts', 'coins']", [0.0, 1.0, 0.0]), ("['shields']", [0.5, 0.5, 0.0]),
])  # fmt: skip
def test_R62_a_list_decides_between_equal_points(ties: str, shares: list[float]) -> None:
    p = house(f"tie_breaks={ties}", boards=("Ephesos A", "Rhodos A", "Gizah A"))
    p.city(0, stages=1, coins=3)  # 3 points of the stage, 1 of coins
    p.city(1, "Altar", coins=6)
    assert [sum(p.points(seat).values()) for seat in range(3)] == [4, 4, 1]
    assert p.shares() == shares


@pytest.mark.parametrize(("fates", "plays"), [
    ("'played'", True), ("['played', 'discarded', 'discarded']", True), ("['discarded', 'played', 'played']", False),
])  # fmt: skip
def test_R63_everybody_plays_the_last_card_of_an_age(fates: str, plays: bool) -> None:
    p = house(f"last_card={fates}", turn=6)
    for seat, hand in enumerate((("Altar", "Baths"), ("Loom", "Press"), ("Theater", "Stockade"))):
        p.hand(seat, *hand)
    p.play_turn()
    assert [(seat, kind) for seat, kind, *_ in p.extra] == [(seat, "last_card") for seat in range(3 * plays)]
    assert plays or {"Baths", "Press", "Stockade"} <= set(p.pile)
