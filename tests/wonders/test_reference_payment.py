"""The twin's payments against blind enumeration (R11-R15)."""

from __future__ import annotations

import random
from itertools import permutations
from typing import TYPE_CHECKING

from tests.wonders.reference.payment import Prices, pareto_payments

if TYPE_CHECKING:
    from collections.abc import Sequence

RAW = set("WSCO")


def blind_pairs(
    cost: Sequence[str],
    own: Sequence[str],
    sides: Sequence[tuple[Sequence[str], Sequence[str], Prices]],
) -> set[tuple[int, int]]:
    """Enumerate all payable pairs: every assignment of symbols to units, and every choice of the rebated unit."""
    sources = [("own", symbol, False) for symbol in own]
    for name, (plain, board, _) in zip(("left", "right"), sides, strict=True):
        sources += [(name, symbol, False) for symbol in plain] + [(name, symbol, True) for symbol in board]
    pairs: set[tuple[int, int]] = set()
    for chosen in permutations(sources, len(cost)):
        if not all(unit in symbol for unit, (_, symbol, _) in zip(cost, chosen, strict=True)):
            continue
        totals = []
        for name, (_, _, prices) in zip(("left", "right"), sides, strict=True):
            bought = []
            for unit, (owner, _, board_symbol) in zip(cost, chosen, strict=True):
                if owner == name:
                    price = prices.raw if unit in RAW else prices.manufactured
                    bought.append(max(0, price - (prices.cache if board_symbol else 0)))
            rebated = [sum(bought) - price + max(0, price - prices.wharf) for price in bought]
            totals.append({sum(bought), *rebated})
        pairs |= {(left, right) for left in totals[0] for right in totals[1]}
    return pairs


def test_r15_payments_are_the_undominated_affordable_pairs() -> None:
    draw = random.Random(15)
    symbols = ["W", "S", "C", "O", "G", "T", "P", "WS", "CO", "WC", "WSCO", "TGP"]
    paid = several = 0
    for _ in range(1200):
        cost = draw.choices("WSCOGTP"[: draw.choice((2, 4, 7))], k=draw.randint(1, 3))
        own = draw.choices(symbols, k=draw.randint(0, 2))
        sides = [
            (
                draw.choices(symbols, k=draw.randint(0, 4)),
                draw.choices("WSCO", k=draw.randint(0, 1)),
                Prices(draw.randint(0, 2), draw.randint(1, 2), draw.randint(0, 1), draw.randint(0, 1)),
            )
            for _ in range(2)
        ]
        bank, budget = draw.randint(0, 1), draw.randint(0, 12)
        every = blind_pairs(cost, own, sides)
        expected = sorted(
            (left, right)
            for left, right in every
            if bank + left + right <= budget
            and not any((x, y) != (left, right) and x <= left and y <= right for x, y in every)
        )
        (left, left_board, left_prices), (right, right_board, right_prices) = sides
        found = pareto_payments(
            cost,
            own,
            left,
            right,
            left_prices=left_prices,
            right_prices=right_prices,
            left_board=left_board,
            right_board=right_board,
            bank=bank,
            budget=budget,
        )
        assert found == expected
        paid += bool(found)
        several += len(found) > 1
    assert paid > 300  # the draws do reach the interesting cases
    assert several > 50


def test_r14_clandestine_wharf_makes_one_unit_of_its_side_one_coin_cheaper() -> None:
    wharf = Prices(wharf=1)
    assert pareto_payments(["S", "S"], [], ["S", "S"], [], left_prices=wharf) == [(3, 0)]
    assert pareto_payments(["S"], [], ["S"], ["S"], left_prices=wharf) == [(0, 2), (1, 0)]
    both = Prices(raw=1, wharf=1)
    assert pareto_payments(["S", "S"], [], ["S", "S"], [], left_prices=both) == [(1, 0)]


def test_r14_smugglers_cache_applies_every_time_and_prices_stop_at_zero() -> None:
    cache = Prices(cache=1)
    assert pareto_payments(["S", "S"], [], ["S"], [], left_board=["S"], left_prices=cache) == [(3, 0)]
    all_three = Prices(raw=1, wharf=1, cache=1)
    assert pareto_payments(["S"], [], [], [], left_board=["S"], left_prices=all_three) == [(0, 0)]
    # The wharf's coin comes off a unit that still costs something.
    assert pareto_payments(["S", "W"], [], ["W"], [], left_board=["S"], left_prices=all_three) == [(0, 0)]
