"""Hundreds of thousands of drawn payments: the engine's solver against blind enumeration, both jitted.

The enumeration walks through all symbols of the city and its neighbours; each is left alone or covers one missing
unit. It marks every pair of totals that covers the cost and keeps the minimal affordable ones. Nothing of it is shared
with the solver.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.wonders.position_kernels import entry
from wsim.jit import kernel, types
from wsim.wonders.kernels.entry_points import pay_entry
from wsim.wonders.kernels.layout import Public, Solver
from wsim.wonders.kernels.production import add_flex
from wsim.wonders.words import WILD_PRICES

MOST = 48  # coins of one side
SOURCES = 24
# Shapes of drawn inputs: like a game's, with Cities' discounts, with mixed either/or symbols, with many units.
PLAIN, CITIES, MIXED, LARGE = range(4)
SHAPES = ("plain", "cities", "mixed", "large")


@kernel
def _draw_below(state: Any, bound: Any) -> Any:
    """Draw 0..bound-1 from a linear congruential stream kept in ``state[0]``."""
    state[0] = state[0] * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)
    return np.int64((state[0] >> np.uint64(33)) % np.uint64(bound))


@kernel
def _draw_mask(state: Any, shape: Any) -> Any:
    """Draw a symbol as a mask over the resources: mostly one, often some raw or made ones, sometimes a mixture."""
    kind = _draw_below(state, 10)
    if (shape == MIXED and kind >= 4) or (shape == LARGE and kind == 9):
        return 1 + _draw_below(state, 127)
    if kind < 6:
        return 1 << _draw_below(state, 7)
    if kind < 8:
        return (1 << _draw_below(state, 4)) | (1 << _draw_below(state, 4))
    return 15 if kind == 8 else 112


@kernel
def _give(public: Any, seat: Any, mask: Any) -> Any:
    """Give a city one symbol, for sale too."""
    if mask & (mask - 1):
        add_flex(public, seat, 0, mask, 0, True)
        return
    for resource in range(7):
        if mask >> resource & 1:
            one = np.uint64(1) << np.uint64(8 * resource)
            public.plain[seat] += one
            public.sale[seat] += one
            public.reach[seat] += one
            public.sale_reach[seat] += one


@kernel
def _empty(public: Any) -> Any:
    """Clear three cities."""
    public.seats = 3  # seat 0 pays, seat 1 is on its left, seat 2 on its right
    for seat in range(3):
        public.plain[seat] = public.sale[seat] = public.reach[seat] = public.sale_reach[seat] = np.uint64(0)
        public.flex_lanes[seat] = public.sale_flex_lanes[seat] = np.uint64(0)
        public.flex_count[seat] = public.sale_flex_count[seat] = public.abilities[seat] = 0
        for side in range(2):
            public.turn_rebate[seat, side] = public.board_rebate[seat, side] = 0


@kernel
def _draw_prices(public: Any, state: Any, shape: Any) -> Any:
    """Draw the prices of seat 0 and, with Cities, wharfs and Smuggler's Cache."""
    cheapest = 99
    for kind in range(4):
        price = 2 - (_draw_below(state, 3) == 0) if shape != MIXED else _draw_below(state, 3)
        public.price[0, kind] = price
        cheapest = min(cheapest, price)
    public.cheapest[0] = cheapest
    if shape != PLAIN and _draw_below(state, 3) > 0:
        for side in range(2):
            public.turn_rebate[0, side] = _draw_below(state, 2)
            public.board_rebate[0, side] = _draw_below(state, 2)
        public.abilities[0] = WILD_PRICES


@kernel
def _draw_case(public: Any, state: Any, shape: Any, symbols: Any) -> Any:
    """Draw three cities; put owner (0 own, 1 left, 2 right), mask and whether it is a board's into ``symbols``."""
    _empty(public)
    _draw_prices(public, state, shape)
    count = 0
    for owner in range(3):
        board = _draw_below(state, 7)
        public.board_resource[owner] = board
        symbols[count, 0], symbols[count, 1], symbols[count, 2] = owner, 1 << board, owner > 0
        _give(public, owner, 1 << board)
        count += 1
        for _ in range(_draw_below(state, 5) + (1 if shape == LARGE else 0)):
            mask = _draw_mask(state, shape)
            symbols[count, 0], symbols[count, 1], symbols[count, 2] = owner, mask, 0
            _give(public, owner, mask)
            count += 1
    return count


@kernel
def _draw_cost(state: Any, shape: Any, symbols: Any, count: Any, cost: Any) -> Any:
    """Draw a cost, half of its units among what some symbol gives, so that it can often be paid."""
    for resource in range(7):
        cost[resource] = 0
    units = 7 + _draw_below(state, 6) if shape == LARGE else 1 + _draw_below(state, 6)
    for _ in range(units):
        resource = _draw_below(state, 7)
        if _draw_below(state, 5) > 0 or shape == LARGE:
            mask = symbols[_draw_below(state, count), 1]
            for _ in range(20):
                if mask >> resource & 1:
                    break
                resource = _draw_below(state, 7)
        cost[resource] += 1


@kernel
def _use(public: Any, symbol: Any, resource: Any, cost: Any, paid: Any, sign: Any) -> Any:
    """Let a symbol cover a unit (sign 1) or take that back (-1); what is bought is added to its side's total."""
    cost[resource] -= sign
    owner = symbol[0]
    if owner == 0:
        return
    price = public.price[0, 2 * (owner - 1) + (resource >= 4)]
    if symbol[2]:
        price = max(price - public.board_rebate[0, owner - 1], 0)
    paid[owner - 1] += sign * price
    paid[2 + owner - 1] = max(paid[2 + owner - 1], price)


@kernel
def _mark(public: Any, paid: Any, found: Any) -> Any:
    """Mark the pair of totals, each side's wharf taken off its dearest unit; ``paid``: totals, dearest units."""
    left = paid[0] - min(public.turn_rebate[0, 0], paid[2])
    right = paid[1] - min(public.turn_rebate[0, 1], paid[3])
    if left < MOST and right < MOST:
        found[left, right] = 1


@kernel
def _walk(public: Any, symbols: Any, count: Any, cost: Any, missing: Any, found: Any) -> Any:
    """Try every use of the symbols: each is left alone (option -1) or covers one missing resource (0 to 6).

    A stack instead of recursion: numba cannot load a recursive function back from its cache.
    """
    option = np.zeros(SOURCES, np.int64)
    paid = np.zeros((SOURCES + 1, 4), np.int64)
    if missing == 0:
        _mark(public, paid[0], found)
        return
    at = 0
    option[0] = -2
    while at >= 0:
        if option[at] >= 0:
            _use(public, symbols[at], option[at], cost, paid[at + 1], -1)
            missing += 1
        option[at] += 1
        while 0 <= option[at] < 7 and not (symbols[at, 1] >> option[at] & 1 and cost[option[at]] > 0):
            option[at] += 1
        if option[at] == 7:
            at -= 1
            continue
        paid[at + 1] = paid[at]
        if option[at] >= 0:
            _use(public, symbols[at], option[at], cost, paid[at + 1], 1)
            missing -= 1
        if missing == 0:
            _mark(public, paid[at + 1], found)
        elif missing < count - at:
            at += 1
            option[at] = -2


@kernel
def _differs(solver: Any, listed: Any, found: Any, budget: Any) -> Any:
    """Return whether the listed pairs differ from the minimal affordable ones, by ascending left; 0 if they do not."""
    at, best = 0, MOST
    for left in range(MOST):
        for right in range(best):
            if found[left, right]:
                best = right
                if left + right <= budget:
                    if at >= listed or solver.pairs[at] != np.uint64(left << 24 | right << 32):
                        return 1
                    at += 1
                break
    return at != listed


@entry(types.int64(Public, Solver, types.uint64[:], types.int64, types.int64, types.int64[:]))
def compare_many(public: Any, solver: Any, state: Any, shape: Any, number: Any, seen: Any) -> Any:
    """Compare so many drawn cases; return -1, or the number of the first that differs, left as it is in ``public``.

    ``seen`` counts cases that could be paid, could be paid in several ways, needed trade, and had a special discount.
    """
    symbols = np.zeros((SOURCES, 3), np.int64)
    cost = np.zeros(7, np.int64)
    found = np.zeros((MOST, MOST), np.int8)
    for case in range(number):
        count = _draw_case(public, state, shape, symbols)
        _draw_cost(state, shape, symbols, count, cost)
        bank, purse = _draw_below(state, 3), _draw_below(state, 26)
        packed, units = np.uint64(0), 0
        for resource in range(7):
            packed |= np.uint64(cost[resource]) << np.uint64(8 * resource)
            units += cost[resource]
        found[:, :] = 0
        _walk(public, symbols, count, cost, units, found)
        listed = pay_entry(public, solver, 0, packed, bank, purse)
        if purse < bank:
            found[:, :] = 0
        if _differs(solver, listed, found, purse - bank):
            for resource in range(7):
                solver.span[resource] = cost[resource]
            solver.span[7] = listed
            solver.best_right[0], solver.best_right[1] = bank, purse
            return case
        seen[0] += listed > 0
        seen[1] += listed > 1
        seen[2] += listed > 0 and solver.pairs[0] != np.uint64(0)
        seen[3] += listed > 0 and public.abilities[0] != 0
    return -1


@entry(types.int64(Public, Solver, types.uint64[:], types.int64, types.int64, types.int64))
def draw_many(public: Any, solver: Any, state: Any, shape: Any, number: Any, repeats: Any) -> Any:
    """Draw so many cases and solve each ``repeats`` times, for benchmarks; return how many could be paid."""
    symbols = np.zeros((SOURCES, 3), np.int64)
    cost = np.zeros(7, np.int64)
    payable = 0
    for _ in range(number):
        count = _draw_case(public, state, shape, symbols)
        _draw_cost(state, shape, symbols, count, cost)
        bank, purse = _draw_below(state, 3), _draw_below(state, 26)
        packed = np.uint64(0)
        for resource in range(7):
            packed |= np.uint64(cost[resource]) << np.uint64(8 * resource)
        for _ in range(repeats):
            payable += pay_entry(public, solver, 0, packed, bank, purse) > 0
    return payable
