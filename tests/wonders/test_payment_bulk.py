"""The payment solver against blind enumeration on drawn inputs, by the hundred thousand (R11-R15).

The draws go through ``pay_entry`` (kernels/entry_points.py) on records filled as the engine fills them: prices 0 to 2,
wharfs, Smuggler's Cache, either/or symbols over raw and manufactured goods, costs of 1 to 6 units, and of 7 to 12
for the general path.
"""

# ruff: noqa: N802 (tests carry the number of their rule as it is written)

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.wonders.engine_tools import opt_in
from tests.wonders.reference.payment import Prices, pareto_payments
from wsim.jit import JIT
from wsim.wonders.kernels import layout
from wsim.wonders.kernels.layout import PUBLIC, SOLVER
from wsim.wonders.words import RESOURCES

NUMBER = {"plain": 400_000, "cities": 400_000, "mixed": 150_000, "large": 20_000}
SHAPES = tuple(NUMBER)


def described(public: Any, solver: Any) -> str:
    """Describe a differing case, with the results of the solver and of the slow twin."""

    def symbols(seat: int) -> list[str]:
        plain = [name for i, name in enumerate(RESOURCES) for _ in range(int(public.sale[seat]) >> 8 * i & 255)]
        words = [int(word) for word in public.sale_flex[seat][: int(public.sale_flex_count[seat])]]
        return plain + ["/".join(name for i, name in enumerate(RESOURCES) if word >> 8 * i & 1) for word in words]

    amounts = [int(amount) for amount in solver.span[:7]]
    cost = [name for i, name in enumerate(RESOURCES) for _ in range(amounts[i])]
    fields = {
        "cost": cost,
        "bank and purse": solver.best_right[:2].tolist(),
        "own": symbols(0),
        "left": symbols(1),
        "right": symbols(2),
        "boards": [RESOURCES[i] for i in public.board_resource[:3]],
        "prices": public.price[0].tolist(),
        "wharfs": public.turn_rebate[0].tolist(),
        "cache": public.board_rebate[0].tolist(),
        "solver": [
            (int(p) >> layout.LEFT_AT & 255, int(p) >> layout.RIGHT_AT & 255) for p in solver.pairs[: solver.span[7]]
        ],
    }
    sides = []
    for seat, side in ((1, 0), (2, 1)):
        raw, made = int(public.price[0, 2 * side]), int(public.price[0, 2 * side + 1])
        prices = Prices(raw, made, int(public.turn_rebate[0, side]), int(public.board_rebate[0, side]))
        sold = [symbol.split("/") for symbol in symbols(seat)]
        board = [RESOURCES[int(public.board_resource[seat])]]
        sold.remove(board)
        sides.append((sold, [board], prices))
    (left, left_board, left_prices), (right, right_board, right_prices) = sides
    fields["twin"] = pareto_payments(
        cost, [symbol.split("/") for symbol in symbols(0)], left, right,
        left_prices=left_prices, right_prices=right_prices,
        left_board=left_board, right_board=right_board,
        bank=int(solver.best_right[0]), budget=int(solver.best_right[1]),
    )  # fmt: skip
    return "; ".join(f"{name} {value}" for name, value in fields.items())


def compare(shape: str, number: int, seed: int) -> list[int]:
    """Compare a number of cases; return how many were payable, in several ways, with trade, with special discounts."""
    from tests.wonders.payment_kernels import compare_many  # here: compiled where it is used, in the slow tier

    public = np.zeros(1, PUBLIC).view(np.recarray)[0]
    solver = np.zeros(1, SOLVER).view(np.recarray)[0]
    seen = np.zeros(4, np.int64)
    with np.errstate(over="ignore"):
        different = compare_many(public, solver, np.array([seed], np.uint64), SHAPES.index(shape), number, seen)
    assert different < 0, f"case {different}: {described(public, solver)}"
    return [int(count) for count in seen]


@pytest.mark.boundscheck
@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES)
def test_R15_the_solver_agrees_with_brute_force(shape: str) -> None:
    number = NUMBER[shape]
    payable, several, traded, special = compare(shape, number, 15)
    assert payable > number // 5
    assert several > number // 50
    assert traded > number // 20
    assert (special > number // 20) == (shape != "plain")


@opt_in
@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 6))
@pytest.mark.parametrize("shape", SHAPES)
def test_R15_the_solver_agrees_with_brute_force_on_millions_of_cases(shape: str, seed: int) -> None:
    compare(shape, 10 * NUMBER[shape], seed)


@pytest.mark.jit_off
@pytest.mark.skipif(JIT, reason="the slow tier compares hundreds of thousands")
@pytest.mark.parametrize("shape", SHAPES)
def test_R15_the_solver_without_the_jit_agrees_with_brute_force(shape: str) -> None:
    compare(shape, 5 if shape == "large" else 150, 16)
