"""The payment solver: every Pareto-minimal pair (coins to the left, coins to the right) that pays a cost (R11-R15).

Amounts of resources are packed, a byte for each resource (layout.py). Most calls end early: on plain production, on an
upper bound of everything that city and neighbours could supply, or on the purse. An either/or symbol that can give only
one of the missing resources counts as plain; if no other one is left, there is a closed form.

What remains is a missing amount r of each of a few resources. The covered amounts form a mixed-radix number with a
digit 0..r for each resource, a *state*, and as there are at most 64 states, a *set of states* is one 64-bit word. A
symbol that can give any resource of a mask turns the word of reachable states into ``reach | union over k in mask of
(reach & OPEN[k]) << STRIDE[k]``, where OPEN[k] are the states that lack some of k. The own symbols come first; then one
word for each coin total to the left neighbour, from the own word on, and one for each total to the right, from "nothing
covered" on. The pair (l, r) pays exactly when a state of ``left[l]`` and one of ``right[r]`` add up to the full state,
that is when ``left[l] & mirrored(right[r])`` is not zero.

More than 64 states (seven resources at once, custom cards) take a slower general path, and so do prices that clauses
change for one payment (prices.py).

What the solver reads of a city (production, ``flex``, ``reach``, prices) is kept up to date by turn.py as cities grow;
``BEFORE`` is a copy from before the turn (before.py) for a last card that is paid from the old state (R9.5).
"""

from __future__ import annotations

import numpy as np

from wsim.jit import kernel, lowest_bit, reverse_bits
from wsim.wonders import words as w
from wsim.wonders.kernels.layout import GENERAL_STATES, LEFT_AT, RIGHT_AT

_ZERO, _ONE = np.uint64(0), np.uint64(1)
_BYTE = np.uint64(0xFF)
_TOP = np.uint64(0x0080808080808080)  # the top bit of every lane; amounts stay below 128
_ONES = np.uint64(0x0001010101010101)
_COPIES = np.uint64(0x0002040810204081)  # times a mask: bit i of the mask lands on the lowest bit of lane i
_RAW = np.uint64(0x00000000FFFFFFFF)  # lanes of clay, stone, ore, wood
_MADE = np.uint64(0x00FFFFFF00000000)
_S3, _S7, _S48 = np.uint64(3), np.uint64(7), np.uint64(48)
_LEFT, _RIGHT = np.uint64(LEFT_AT), np.uint64(RIGHT_AT)
STATES = 64
TOTALS = 64  # coin totals that the solver distinguishes
_FAR = 99


@kernel
def spread(mask):
    """Return the packed word with 1 in the lanes of a mask over the resources."""
    return (np.uint64(mask) * _COPIES) & _ONES


@kernel
def less(amounts, other):
    """Return amounts - other in every lane, at least 0."""
    difference = (amounts | _TOP) - other
    at_least = difference & _TOP
    return difference & (at_least - (at_least >> _S7))


@kernel
def lane_sum(amounts):
    """Return the sum of the lanes (below 128)."""
    return np.int64(((amounts * _ONES) >> _S48) & _BYTE)


@kernel
def _ones_of(amounts):
    """Return a word with 1 in every nonempty lane."""
    return ((amounts + (_TOP - _ONES)) & _TOP) >> _S7


@kernel
def lane(amounts, resource):
    """Return the amount of one resource."""
    return np.int64((amounts >> (np.uint64(resource) << _S3)) & _BYTE)


@kernel
def exceeds(amounts, bound):
    """Return whether some lane of amounts is greater than its lane of bound."""
    return ((bound | _TOP) - amounts) & _TOP != _TOP


@kernel
def prepare_payer(public, solver, seat):
    """Fill the solver's fields that all payments of a city in this turn share; call it before ``pay``."""
    left = seat + 1 if seat + 1 < public.seats else 0
    right = seat - 1 if seat > 0 else public.seats - 1
    solver.left, solver.right = left, right
    solver.plain = public.plain[seat]
    solver.bound = public.reach[seat] + public.sale_reach[left] + public.sale_reach[right]
    solver.flexible = public.flex_lanes[seat] | public.sale_flex_lanes[left] | public.sale_flex_lanes[right]
    solver.wild = public.abilities[seat] & w.WILD_PRICES
    solver.cheapest = public.cheapest[seat]


@kernel
def pay(public, solver, seat, cost, bank, purse):
    """Put the payments of a cost into ``solver.pairs`` by ascending coins to the left; return how many."""
    budget = purse - bank
    if budget < 0:
        return 0
    missing = less(cost, solver.plain)
    if missing == _ZERO:
        solver.pairs[0] = _ZERO
        return 1
    if exceeds(cost, solver.bound):
        return 0
    return _pay_missing(public, solver, seat, missing, budget)


@kernel
def _pay_missing(public, solver, seat, missing, budget):
    """Pay for the units that plain production does not cover, by the fastest exact method."""
    left, right = solver.left, solver.right
    solver.for_sale[0] = public.sale[left]
    solver.for_sale[1] = public.sale[right]
    solver.used = 0
    if solver.wild:
        return _pay_sets(public, solver, seat, missing, budget)
    solver.choices = 0
    if missing & solver.flexible:
        missing = _use_own(public, solver, seat, missing)
        if missing == _ZERO:
            solver.pairs[0] = _ZERO
            return 1
    if (lane_sum(missing) - solver.choices) * solver.cheapest > budget:
        return 0
    if missing & solver.flexible:
        needed = _ones_of(missing)
        _add_sale(public, solver, 0, left, needed)
        _add_sale(public, solver, 1, right, needed)
        if solver.choices:
            return _pay_sets(public, solver, seat, missing, budget)
    return _pay_plain(public, solver, seat, missing, budget)


@kernel
def _use_own(public, solver, seat, missing):
    """Use the city's either/or symbols that can give only one of the missing resources; return what is still missing.

    Such a symbol has no better use. Covering a resource may leave other symbols with only one use, so this repeats.
    """
    needed = _ones_of(missing)
    again = True
    while again:
        again = False
        solver.choices = 0
        for symbol in range(public.flex_count[seat]):
            gives = spread(public.flex[seat, symbol]) & needed
            if gives == _ZERO or solver.used >> symbol & 1:
                continue
            if gives & (gives - _ONE):
                solver.choices += 1
            else:
                solver.used |= 1 << symbol
                missing -= gives
                if missing & (gives * _BYTE) == _ZERO:
                    needed &= ~gives
                    again = True
    return missing


@kernel
def _add_sale(public, solver, side, seller, needed):
    """Add a neighbour's either/or symbols that can give only one of the needed resources to what it sells."""
    for symbol in range(public.sale_flex_count[seller]):
        gives = spread(public.sale_flex[seller, symbol]) & needed
        if gives & (gives - _ONE):
            solver.choices += 1
        else:
            solver.for_sale[side] += gives


@kernel(inline=True)
def _pay_plain(public, solver, seat, missing, budget):
    """Pay with symbols of one resource each: only the numbers of raw and manufactured units from the left matter."""
    most_left = missing - less(missing, solver.for_sale[0])
    least_left = less(missing, solver.for_sale[1])
    raw, made = lane_sum(missing & _RAW), lane_sum(missing & _MADE)
    raw_least, raw_most = lane_sum(least_left & _RAW), lane_sum(most_left & _RAW)
    made_least, made_most = lane_sum(least_left & _MADE), lane_sum(most_left & _MADE)
    left_raw, left_made = public.price[seat, w.LEFT_RAW], public.price[seat, w.LEFT_MADE]
    right_raw, right_made = public.price[seat, w.RIGHT_RAW], public.price[seat, w.RIGHT_MADE]
    if left_raw == left_made and left_raw == right_raw and left_raw == right_made and left_raw > 0:
        if (raw + made) * left_raw > budget:
            return 0
        count = 0
        for units in range(raw_least + made_least, raw_most + made_most + 1):
            to_left, to_right = units * left_raw, (raw + made - units) * left_raw
            solver.pairs[count] = (np.uint64(to_left) << _LEFT) | (np.uint64(to_right) << _RIGHT)
            count += 1
        return count
    if made_least == made_most and left_raw > 0 and right_raw > 0:
        to_left = raw_least * left_raw + made_least * left_made
        to_right = (raw - raw_least) * right_raw + (made - made_least) * right_made
        return _pay_in_steps(solver, budget, to_left, to_right, raw_most - raw_least, left_raw, right_raw)
    top = min(budget, raw_most * left_raw + made_most * left_made)
    for total in range(top + 1):
        solver.best_right[total] = _FAR
    for raw_units in range(raw_least, raw_most + 1):
        for made_units in range(made_least, made_most + 1):
            to_left = raw_units * left_raw + made_units * left_made
            to_right = (raw - raw_units) * right_raw + (made - made_units) * right_made
            if to_left <= top and to_right < solver.best_right[to_left]:
                solver.best_right[to_left] = to_right
    return _collect(solver, top, budget)


@kernel
def _pay_in_steps(solver, budget, to_left, to_right, steps, more, fewer):
    """Pay if units of one price can move from the right to the left one at a time, so that no payment is dominated."""
    count = 0
    for _ in range(steps + 1):
        solver.pairs[count] = (np.uint64(to_left) << _LEFT) | (np.uint64(to_right) << _RIGHT)
        count += to_left + to_right <= budget
        to_left += more
        to_right -= fewer
    return count


@kernel
def _collect(solver, top, budget):
    """Keep the Pareto-minimal affordable pairs of ``solver.best_right[0..top]``."""
    count, best = 0, _FAR
    for to_left in range(top + 1):
        to_right = solver.best_right[to_left]
        if to_right < best:
            best = to_right
            if to_left + to_right <= budget:
                solver.pairs[count] = (np.uint64(to_left) << _LEFT) | (np.uint64(to_right) << _RIGHT)
                count += 1
    return count


@kernel
def _number_states(solver, missing):
    """Number the states of the missing amounts: fill strides and open states; return the number of states."""
    states = 1
    rest = missing
    while rest:
        resource = lowest_bit(rest) >> 3
        amount = lane(rest, resource)
        rest &= ~(_BYTE << np.uint64(8 * resource))
        solver.stride[resource] = np.uint64(states)
        solver.span[resource] = amount
        states *= amount + 1
    if states > STATES:
        return states
    rest = _ones_of(missing)
    while rest:
        resource = lowest_bit(rest) >> 3
        rest &= rest - _ONE
        stride = np.int64(solver.stride[resource])
        block = (_ONE << np.uint64(stride * solver.span[resource])) - _ONE
        period = stride * (solver.span[resource] + 1)
        word = block
        for at in range(period, states, period):
            word |= block << np.uint64(at)
        solver.open[resource] = word
    return states


@kernel
def _cover(solver, reach, gives):
    """Return the states reachable with one more symbol that can give any one of some resources (1 in their lanes)."""
    grown = reach
    while gives:
        resource = lowest_bit(gives) >> 3
        gives &= gives - _ONE
        grown |= (reach & solver.open[resource]) << solver.stride[resource]
    return grown


@kernel
def _cover_all(solver, side, top, gives, price):
    """Extend every coin total of one side by one more symbol at this price."""
    words = solver.reachable
    for total in range(top - price, -1, -1):
        word = words[side, total]
        if word:
            words[side, total + price] |= _cover(solver, word, gives)


@kernel
def _cover_mixed(solver, side, top, gives, raw_price, made_price):
    """Extend every total by one symbol that gives a raw or a manufactured unit, each at its price."""
    words = solver.reachable
    for total in range(top, -1, -1):
        word = words[side, total]
        if word:
            if total + raw_price <= top:
                words[side, total + raw_price] |= _cover(solver, word, gives & _RAW)
            if total + made_price <= top:
                words[side, total + made_price] |= _cover(solver, word, gives & _MADE)


@kernel
def _buy(public, solver, seat, side, needed, top, raw_price, made_price):
    """Extend ``solver.reachable[side]``, whose total 0 is set, by the symbols of a neighbour."""
    seller = solver.left if side == 0 else solver.right
    for total in range(1, top + 1):
        solver.reachable[side, total] = _ZERO
    rebate = public.board_rebate[seat, side]
    loop = needed
    while loop:
        resource = lowest_bit(loop) >> 3
        gives = loop & (~loop + _ONE)
        loop &= loop - _ONE
        sold = lane(solver.for_sale[side], resource)
        price = raw_price if resource < w.RAW_KINDS else made_price
        if rebate > 0 and public.board_resource[seller] == resource and sold > 0:
            _cover_all(solver, side, top, gives, max(price - rebate, 0))
            sold -= 1
        for _ in range(min(sold, solver.span[resource])):
            _cover_all(solver, side, top, gives, price)
    for symbol in range(public.sale_flex_count[seller]):
        gives = spread(public.sale_flex[seller, symbol]) & needed
        if gives == _ZERO or (gives & (gives - _ONE) == _ZERO and solver.wild == 0):
            continue  # the second kind is in for_sale
        if gives & _RAW and gives & _MADE and raw_price != made_price:
            _cover_mixed(solver, side, top, gives, raw_price, made_price)
        else:
            _cover_all(solver, side, top, gives, raw_price if gives & _RAW else made_price)
    if public.turn_rebate[seat, side] > 0:
        for total in range(1, top + 1):
            lower = max(total - public.turn_rebate[seat, side], 0)
            solver.reachable[side, lower] |= solver.reachable[side, total]


@kernel
def _pay_sets(public, solver, seat, missing, budget):
    """Pay by words of reachable states; if all units cost the same, totals are counted in units."""
    states = _number_states(solver, missing)
    if states > STATES:
        return _pay_general(public, solver, seat, missing, budget)
    needed = _ones_of(missing)
    own = _ONE
    for symbol in range(public.flex_count[seat]):
        gives = spread(public.flex[seat, symbol]) & needed
        if gives and solver.used >> symbol & 1 == 0:
            own = _cover(solver, own, gives)
    if (own >> np.uint64(states - 1)) & _ONE:
        solver.pairs[0] = _ZERO
        return 1
    left_raw, left_made = public.price[seat, w.LEFT_RAW], public.price[seat, w.LEFT_MADE]
    right_raw, right_made = public.price[seat, w.RIGHT_RAW], public.price[seat, w.RIGHT_MADE]
    dearest = max(max(left_raw, left_made), max(right_raw, right_made))
    scale = 1
    if public.cheapest[seat] == dearest and dearest > 1 and public.abilities[seat] & w.WILD_PRICES == 0:
        scale, budget = dearest, budget // dearest
        left_raw = left_made = right_raw = right_made = dearest = 1
    most = min(lane_sum(missing) * dearest, TOTALS - 1)
    words = solver.reachable
    words[0, 0] = own
    words[1, 0] = _ONE
    lanes = needed * _BYTE
    left_top, right_top = 0, 0
    if (public.sale[solver.left] | public.sale_flex_lanes[solver.left]) & lanes:
        left_top = min(budget + public.turn_rebate[seat, 0], most)
        _buy(public, solver, seat, 0, needed, left_top, left_raw, left_made)
    if (public.sale[solver.right] | public.sale_flex_lanes[solver.right]) & lanes:
        right_top = min(budget + public.turn_rebate[seat, 1], most)
        _buy(public, solver, seat, 1, needed, right_top, right_raw, right_made)
    mirror = np.uint64(64 - states)
    right_top = min(right_top, budget)
    for total in range(right_top + 1):
        words[1, total] = reverse_bits(words[1, total]) >> mirror
    count, best = 0, right_top + 1
    for to_left in range(min(left_top, budget) + 1):
        word = words[0, to_left]
        if word:
            for to_right in range(min(best - 1, budget - to_left) + 1):
                if word & words[1, to_right]:
                    best = to_right
                    solver.pairs[count] = (np.uint64(to_left * scale) << _LEFT) | (
                        np.uint64(to_right * scale) << _RIGHT
                    )
                    count += 1
                    break
    return count


@kernel
def _general_add(solver, missing, states, gives, side, raw_price, made_price, tops, source, target):
    """Extend every state of the general solver by one more symbol (side -1 own, 0 left, 1 right).

    ``source``, ``target``: the first rows of the states to extend, and of the results.
    """
    for state in range(states - 2, -1, -1):
        stride = 1
        for resource in range(w.RESOURCE_KINDS):
            amount = lane(missing, resource)
            if lane(gives, resource) and (state // stride) % (amount + 1) < amount:
                price = raw_price if resource < w.RAW_KINDS else made_price
                to_left = price if side == 0 else 0
                to_right = price if side == 1 else 0
                for total in range(tops + 1 - to_left):
                    right = solver.general[source + state, total] + to_right
                    if right < solver.general[target + state + stride, total + to_left]:
                        solver.general[target + state + stride, total + to_left] = right
            stride *= amount + 1


@kernel
def _general_buy(solver, missing, states, gives, side, raw_price, made_price, tops, first):
    """Extend the states by a symbol of a neighbour, whose first unit costs ``first`` less (R77)."""
    if first:
        cheap_raw, cheap_made = max(raw_price - first, 0), max(made_price - first, 0)
        _general_add(solver, missing, states, gives, side, raw_price, made_price, tops, GENERAL_STATES, GENERAL_STATES)
        _general_add(solver, missing, states, gives, side, cheap_raw, cheap_made, tops, 0, GENERAL_STATES)
    _general_add(solver, missing, states, gives, side, raw_price, made_price, tops, 0, 0)


@kernel(rare=True)
def _general_clear(solver, row, states, tops):
    """Mark all totals of some states as out of reach, from a row of ``solver.general`` on."""
    for state in range(row, row + states):
        for total in range(tops + 1):
            solver.general[state, total] = _FAR


@kernel(rare=True)
def _general_side(public, solver, seat, side, missing, states, tops, first):
    """Add the symbols that one neighbour sells; ``first``: discount on the first unit from there."""
    seller = solver.left if side == 0 else solver.right
    raw_price = np.int64(public.price[seat, 2 * side]) + solver.prices.unit[2 * side]
    made_price = np.int64(public.price[seat, 2 * side + 1]) + solver.prices.unit[2 * side + 1]
    raw_price, made_price = min(max(raw_price, 0), w.MAX_PRICE), min(max(made_price, 0), w.MAX_PRICE)
    rebate = public.board_rebate[seat, side]
    for resource in range(w.RESOURCE_KINDS):
        sold = lane(public.sale[seller], resource)
        gives = _ONE << np.uint64(8 * resource)
        if rebate > 0 and public.board_resource[seller] == resource and sold > 0:
            cheap_raw, cheap_made = max(raw_price - rebate, 0), max(made_price - rebate, 0)
            _general_buy(solver, missing, states, gives, side, cheap_raw, cheap_made, tops, first)
            sold -= 1
        for _ in range(min(sold, lane(missing, resource))):
            _general_buy(solver, missing, states, gives, side, raw_price, made_price, tops, first)
    for symbol in range(public.sale_flex_count[seller]):
        gives = spread(public.sale_flex[seller, symbol])
        _general_buy(solver, missing, states, gives, side, raw_price, made_price, tops, first)


@kernel(rare=True)
def _fill_general(public, solver, seat, missing, states, tops, left_first, right_first):
    """Fill ``solver.general`` with the least coins to the right for each covered amount and total to the left.

    With a cheaper first unit, the rows from GENERAL_STATES on are those in which it was bought.
    """
    _general_clear(solver, 0, states, tops)
    solver.general[0, 0] = 0
    for symbol in range(public.flex_count[seat]):
        if solver.used >> symbol & 1 == 0:
            _general_add(solver, missing, states, spread(public.flex[seat, symbol]), -1, 0, 0, tops, 0, 0)
    for _ in range(solver.prices.chosen_units):
        _general_add(solver, missing, states, _ONES, -1, 0, 0, tops, 0, 0)
    for side in range(w.NEIGHBOR_SEATS):
        first = left_first if side == 0 else right_first
        if first:
            _general_clear(solver, GENERAL_STATES, states, tops)
        _general_side(public, solver, seat, side, missing, states, tops, first)
        if first:
            for state in range(states):
                for total in range(tops + 1):
                    bought = solver.general[GENERAL_STATES + state, total]
                    solver.general[state, total] = min(solver.general[state, total], bought)


@kernel(rare=True)
def _pay_general(public, solver, seat, missing, budget):
    """Pay more than six missing units, or at prices that clauses change (``solver.prices``)."""
    states = 1
    for resource in range(w.RESOURCE_KINDS):
        states *= lane(missing, resource) + 1
    rebates = public.turn_rebate[seat, 0], public.turn_rebate[seat, 1]
    tops = min(budget + rebates[0], TOTALS - 1)
    for total in range(tops + 1):
        solver.best_right[total] = _FAR
    prices = solver.prices
    for side in range(w.NEIGHBOR_SEATS if prices.first_of_both[0] | prices.first_of_both[1] else 1):
        # the first unit of the payment comes from the left neighbour, then from the right one
        left_first = prices.first[0] + (prices.first_of_both[0] if side == 0 else 0)
        right_first = prices.first[1] + (prices.first_of_both[1] if side == 1 else 0)
        _fill_general(public, solver, seat, missing, states, tops, left_first, right_first)
        for total in range(tops + 1):
            right = np.int64(solver.general[states - 1, total])
            if right < _FAR:
                right = max(right - rebates[1], 0)
                total_left = max(total - rebates[0], 0)
                solver.best_right[total_left] = min(solver.best_right[total_left], right)
    return _collect(solver, min(tops, budget), budget)


@kernel(rare=True)
def forget_prices(prices):
    """Set the changes of prices by clauses back to none, as payments without such clauses expect them."""
    prices.chosen_units = 0
    for item in range(w.RESOURCE_KINDS + 1):
        prices.cost[item] = 0
    for kind in range(w.PRICE_KINDS):
        prices.unit[kind] = 0
    for side in range(w.NEIGHBOR_SEATS):
        prices.first[side] = prices.first_of_both[side] = 0


@kernel(rare=True)
def pay_repriced(public, solver, seat, cost, bank, purse):
    """Do the same as ``pay`` at prices changed by clauses (``solver.prices``; R76, R77)."""
    budget = purse - bank
    if budget < 0:
        return 0
    missing = less(cost, solver.plain)
    if missing == _ZERO:
        solver.pairs[0] = _ZERO
        return 1
    solver.used = 0
    return _pay_general(public, solver, seat, missing, budget)
