"""Payments as plain Python, worked out by hand: which units come from whom, at which prices (R11-R15, R76, R77)."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.policies.in_python import linked
from wsim.wonders import words as w
from wsim.wonders.kernels import payment
from wsim.wonders.kernels.layout import GENERAL_STATES, LEFT_AT, RIGHT_AT

pytestmark = pytest.mark.jit_off

LETTERS = {name[0]: number for number, name in enumerate(w.RESOURCES)}
"""clay, stone, ore, wood, glass, loom, papyrus."""


def packed(letters: str) -> np.uint64:
    return np.uint64(sum(1 << 8 * LETTERS[letter] for letter in letters))


class Table:
    """Three cities; seat 0 pays, seat 1 is on its left, seat 2 on its right. Symbols are words: ``w``, ``s/o``."""

    def __init__(self, own: str = "", left: str = "", right: str = "", prices: tuple[int, ...] = (2,) * 4) -> None:
        zeros = [np.uint64(0)] * 3
        self.public = SimpleNamespace(
            seats=3, abilities=[0, 0, 0], cheapest=[min(prices)] * 3, price=np.array([prices] * 3),
            turn_rebate=np.zeros((3, 2), int), board_rebate=np.zeros((3, 2), int), board_resource=[-1] * 3,
            flex=np.zeros((3, 9), int), sale_flex=np.zeros((3, 9), int), flex_count=[0] * 3, sale_flex_count=[0] * 3,
            **{name: list(zeros) for name in ("plain", "reach", "sale", "sale_reach", "flex_lanes", "sale_flex_lanes")},
        )  # fmt: skip
        for seat, symbols in enumerate((own, left, right)):
            for symbol in symbols.split():
                self._give(seat, symbol.replace("/", ""))
        self.solver = SimpleNamespace(
            pairs=[np.uint64(7 << LEFT_AT)] * 99, for_sale=list(zeros), best_right=[0] * 99,
            stride=list(zeros) * 3, span=[0] * 7, open=list(zeros) * 3,
            reachable=np.zeros((2, payment.TOTALS), np.uint64), used=0, choices=0,
            general=np.zeros((2 * GENERAL_STATES, payment.TOTALS), np.int64),
            prices=SimpleNamespace(chosen_units=0, unit=[0] * 4, first=[0, 0], first_of_both=[0, 0]),
        )  # fmt: skip

    def _give(self, seat: int, letters: str) -> None:
        public, word = self.public, packed(letters)
        public.reach[seat] += word
        public.sale_reach[seat] += word
        if len(letters) == 1:
            public.plain[seat] += word
            public.sale[seat] += word
            return
        mask = sum(1 << LETTERS[letter] for letter in letters)
        public.flex[seat, public.flex_count[seat]] = public.sale_flex[seat, public.sale_flex_count[seat]] = mask
        public.flex_count[seat] += 1
        public.sale_flex_count[seat] += 1
        public.flex_lanes[seat] |= word * np.uint64(255)
        public.sale_flex_lanes[seat] |= word * np.uint64(255)

    def payments(
        self, module: Any, cost: str, purse: int, bank: int = 0, repriced: bool = False
    ) -> list[tuple[int, int]]:
        pay = module.pay_repriced if repriced else module.pay
        with np.errstate(over="ignore"):  # a product of lanes is cut off, as in compiled code
            module.prepare_payer(self.public, self.solver, 0)
            count = pay(self.public, self.solver, 0, packed(cost), bank, purse)
        pairs = [int(pair) for pair in self.solver.pairs[:count]]
        return [(pair >> LEFT_AT & 0xFF, pair >> RIGHT_AT & 0xFF) for pair in pairs]


@pytest.fixture(scope="module")
def module() -> Any:
    with pytest.MonkeyPatch.context() as patched:
        return linked(patched, payment)


CASES: list[tuple[Table, str, int, int, list[tuple[int, int]]]] = [
    # what the city makes costs nothing, except the coins for the bank
    (Table("w"), "w", 0, 0, [(0, 0)]), (Table("w"), "w", 0, 1, []), (Table("w"), "w", 1, 1, [(0, 0)]),
    (Table("w"), "ww", 9, 0, []), (Table("w", left="w"), "ww", 2, 0, [(2, 0)]),
    # one unit, from the neighbour that sells it, if the purse is enough for it and the bank
    (Table(left="w"), "w", 2, 0, [(2, 0)]), (Table(left="w"), "w", 1, 0, []), (Table(right="w"), "w", 2, 0, [(0, 2)]),
    (Table(right="w"), "w", 3, 1, [(0, 2)]), (Table(right="w"), "w", 2, 1, []), (Table(right="w"), "o", 9, 0, []),
    # at one price for all, each unit that both sell can come from either
    (Table(left="w w", right="w w"), "ww", 4, 0, [(0, 4), (2, 2), (4, 0)]),
    (Table(left="w w", right="w w"), "ww", 3, 0, []),
    (Table(left="w", right="w w"), "ww", 4, 0, [(0, 4), (2, 2)]),
    (Table(left="w g", right="w w"), "wwg", 6, 0, [(2, 4), (4, 2)]),
    # raw materials cost 1 on the left: each that comes from there is cheaper by one
    (Table(left="w w", right="w w", prices=(1, 2, 2, 2)), "ww", 4, 0, [(0, 4), (1, 2), (2, 0)]),
    (Table(left="w w", right="w w", prices=(1, 2, 2, 2)), "ww", 3, 0, [(1, 2), (2, 0)]),
    (Table(left="w g", right="w", prices=(1, 3, 2, 2)), "wg", 9, 0, [(3, 2), (4, 0)]),
    # with glass on both sides, 2 for it on the left and 2 for wood on the right is worse than 1 and 2
    (Table(left="w g", right="w g", prices=(1, 2, 2, 2)), "wg", 9, 0, [(0, 4), (1, 2), (3, 0)]),
    (Table(left="w g", right="w g", prices=(1, 2, 2, 2)), "wg", 3, 0, [(1, 2), (3, 0)]),
    # an own either/or symbol gives one of two, and what it does not give is bought
    (Table("w/o"), "w", 0, 0, [(0, 0)]), (Table("w/o"), "wo", 9, 0, []),
    (Table("w/o", left="w", right="o"), "wo", 2, 0, [(0, 2), (2, 0)]),
    (Table("w w/o"), "wo", 0, 0, [(0, 0)]), (Table("w/o w/o"), "wo", 0, 0, [(0, 0)]),
    (Table("w/o o/s", left="s"), "wos", 2, 0, [(2, 0)]),
    (Table("w/o w/o w/o", left="o", right="w"), "wwoo", 2, 0, [(0, 2), (2, 0)]),
    (Table("w/o w/o w/o w/o"), "wwoo", 0, 0, [(0, 0)]), (Table("w/o w/o w/o"), "wwoo", 9, 0, []),
    (Table("w/o/s w/o o/s", left="s"), "wwoos", 9, 0, []),
    (Table("w/o/s w/o o/s", left="s w"), "wwoos", 4, 0, [(4, 0)]),
    (Table("w/o/s w/o o/s", left="s", right="w o"), "wwoos", 4, 0, [(0, 4), (2, 2)]),
    (Table("w/o o/s w/s"), "wos", 0, 0, [(0, 0)]),
    # so does a neighbour's, once
    (Table(left="w/o", right="w"), "wo", 4, 0, [(2, 2)]), (Table(left="w/o"), "wo", 9, 0, []),
    (Table(left="w/o", right="w o"), "wo", 4, 0, [(0, 4), (2, 2)]),
    (Table(left="w/o", right="w o", prices=(1, 2, 2, 2)), "wo", 9, 0, [(0, 4), (1, 2)]),
    (Table(left="w/g g/l", prices=(1, 3, 2, 2)), "wg", 9, 0, [(4, 0)]),
    (Table(left="w/g g/w", prices=(1, 3, 2, 2)), "wg", 3, 0, []),
]  # fmt: skip


@pytest.mark.parametrize(("table", "cost", "purse", "bank", "pairs"), CASES)
def test_payments(table: Table, cost: str, purse: int, bank: int, pairs: list[tuple[int, int]], module: Any) -> None:
    assert table.payments(module, cost, purse, bank) == pairs


def test_the_neighbours_of_the_first_and_the_last_seat(module: Any) -> None:
    table = Table()
    for seat, sides in enumerate([(1, 2), (2, 0), (0, 1)]):
        module.prepare_payer(table.public, table.solver, seat)
        assert (table.solver.left, table.solver.right) == sides


@pytest.mark.parametrize(
    ("cost", "turn", "board", "purse", "pairs"),
    [
        # left and right sell two wood and glass each, at 2; the turn is one coin cheaper on the left, then on the right
        ("w", (1, 0), (0, 0), 1, [(1, 0)]), ("w", (1, 0), (0, 0), 2, [(0, 2), (1, 0)]),
        ("w", (0, 1), (0, 0), 1, [(0, 1)]),
        ("ww", (1, 0), (0, 0), 4, [(0, 4), (1, 2), (3, 0)]), ("ww", (1, 1), (0, 0), 2, [(1, 1)]),
        ("w", (3, 0), (0, 0), 0, [(0, 0)]),
        # the symbol on the board of the neighbour is cheaper: the first wood, not the second, and no glass
        ("w", (0, 0), (1, 0), 1, [(1, 0)]), ("ww", (0, 0), (1, 0), 4, [(0, 4), (1, 2), (3, 0)]),
        ("w", (0, 0), (0, 2), 0, [(0, 0)]), ("g", (0, 0), (1, 1), 1, []), ("g", (0, 0), (1, 1), 2, [(0, 2), (2, 0)]),
        # of either/or symbols that give one of what is missing, too; the left one sells clay or stone
        ("c", (1, 0), (0, 0), 1, [(1, 0)]), ("c", (0, 0), (1, 0), 2, [(2, 0)]), ("c", (0, 0), (1, 0), 1, []),
    ],
)  # fmt: skip
def test_rebates_of_a_turn_and_of_a_board(
    cost: str, turn: tuple[int, int], board: tuple[int, int], purse: int, pairs: list[tuple[int, int]], module: Any
) -> None:
    table = Table(left="w w g c/s", right="w w g")
    table.public.abilities[0] = w.WILD_PRICES
    table.public.turn_rebate[0], table.public.board_rebate[0] = turn, board
    table.public.board_resource[1:] = [LETTERS["w"]] * 2
    table.public.cheapest[0] = 2 - max(*turn, *board)
    assert table.payments(module, cost, purse) == pairs
    assert table.payments(module, cost, purse, repriced=True) == pairs, "the general way finds the same"


def test_no_symbol_of_a_board_costs_less_than_nothing(module: Any) -> None:
    """Two coins off glass for 1 and off wood for 1; the second one of each has its price."""
    table = Table(left="g g w", right="w w", prices=(1,) * 4)
    table.public.abilities[0], table.public.cheapest[0] = w.WILD_PRICES, 0
    table.public.board_rebate[0], table.public.board_resource[1:] = (2, 2), [LETTERS["g"], LETTERS["w"]]
    for cost, pairs in (("g", [(0, 0)]), ("gg", [(1, 0)]), ("w", [(0, 0)]), ("gw", [(0, 0)]), ("ww", [(0, 1), (1, 0)])):
        for repriced in (False, True):
            assert table.payments(module, cost, 4, repriced=repriced) == pairs


@pytest.mark.parametrize(
    ("cost", "purse", "changes", "pairs"),
    [
        ("w", 9, {}, [(0, 2), (2, 0)]), ("w", 2, {"unit": [1, 0, 0, 0]}, [(0, 2)]),
        ("w", 9, {"unit": [1, 0, 0, 0]}, [(0, 2), (3, 0)]), ("w", 9, {"unit": [0, 1, 0, 1]}, [(0, 2), (2, 0)]),
        ("g", 9, {"unit": [1, -1, -2, 1]}, [(0, 3), (1, 0)]), ("w", 0, {"unit": [0, 0, -5, 0]}, [(0, 0)]),
        ("w", 9, {"unit": [9, 0, 9, 0]}, [(0, w.MAX_PRICE), (w.MAX_PRICE, 0)]),
        # a unit of the payer's choice is free; the others are bought
        ("wg", 9, {"chosen_units": 1}, [(0, 2), (2, 0)]), ("wg", 0, {"chosen_units": 2}, [(0, 0)]),
        # the first unit from the right is cheaper, or the first of all, wherever it is from
        ("ww", 9, {"first": [0, 1]}, [(0, 3), (2, 1), (4, 0)]), ("ww", 9, {"first": [1, 0]}, [(0, 4), (1, 2), (3, 0)]),
        ("ww", 3, {"first_of_both": [1, 1]}, [(0, 3), (1, 2), (2, 1), (3, 0)]), ("w", 0, {"first": [3, 0]}, [(0, 0)]),
        ("ww", 3, {"first": [1, 0]}, [(1, 2), (3, 0)]), ("wg", 9, {"first": [2, 0]}, [(0, 2), (2, 0)]),
    ],
)  # fmt: skip
def test_prices_changed_by_clauses(
    cost: str, purse: int, changes: dict[str, Any], pairs: list[tuple[int, int]], module: Any
) -> None:
    """Both neighbours sell two wood and glass each, at 2."""
    table = Table(left="w w g", right="w w g")
    vars(table.solver.prices).update(changes)
    assert table.payments(module, cost, purse, repriced=True) == pairs
    assert table.payments(module, cost, -1, repriced=True) == []


def test_more_resources_than_fit_into_one_state_word(module: Any) -> None:
    """One of each: the own symbol gives clay or stone; left sells the raw ones, right wood and the made ones."""
    table = Table("c/s", left="c s o w", right="g l p w")
    assert table.payments(module, "csowglp", 12) == [(4, 8), (6, 6)]
    assert table.payments(module, "csowglp", 11) == []
