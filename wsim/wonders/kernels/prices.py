"""Prices by formula (R75-R79): how clauses change a cost and the prices of units, and the resulting payments.

Only called in catalogues with such clauses (``PRICED`` in RULES.triggers). ``_gather`` adds up their changes for one
payer and one structure or stage; a cost that differs only in coins and fixed resources goes to the ordinary solver.
Units of the payer's choice, other prices of units and a cheaper first unit take the general path of payment.py.
"""

from __future__ import annotations

import numpy as np

from wsim.jit import kernel, stack_room
from wsim.kernels.guards import stop_game
from wsim.wonders import words as w
from wsim.wonders.kernels.city import cards
from wsim.wonders.kernels.clause_owners import has_entry, may_act, related
from wsim.wonders.kernels.formula import evaluate
from wsim.wonders.kernels.layout import BANK_AT
from wsim.wonders.kernels.payment import forget_prices, lane, lane_sum, pay, pay_repriced
from wsim.wonders.limits import COST_COINS, COST_UNITS, MAX_PAID

PRICED = sum(1 << trigger for trigger in (w.ON_CARD_COST, w.ON_STAGE_COST, w.ON_TRADE_COST))
"""Mask of the triggers of clauses that change prices."""
_ZERO, _BYTE, _BANK = np.uint64(0), np.uint64(0xFF), np.uint64(BANK_AT)
_CHEAPER, _DEARER = w.ACT[f"cheaper {w.CHEAPER[0]}"], w.ACT[f"dearer {w.DEARER[0]}"]
_COINS, _RESOURCE = 0, 1  # items of a cost, in the order of words.CHEAPER; those of words.DEARER have the same order
_ANY, _UNIT, _RAW_UNIT, _MADE_UNIT, _FIRST = (
    w.CHEAPER.index(name) for name in ("resources", "unit", "raw_unit", "manufactured_unit", "first_unit")
)
_DEARER_UNIT = w.DEARER.index("unit")


RAW, MADE, FIRST, FIRST_OF_BOTH = range(4)
"""Columns of ``room_for_units``, which has a row for each neighbour: more coins for a raw and for a manufactured unit;
fewer for the first one from there, and for the first one of all if it is from there."""
room_for_units = stack_room("prices.units", np.int64, w.NEIGHBOR_SEATS, 4)


@kernel
def clear_units(changes):
    """Reset the changes of unit prices."""
    for side in range(w.NEIGHBOR_SEATS):
        for column in range(4):
            changes[side, column] = 0


@kernel
def seller_of(public, payer, side):
    """Return the neighbour on a side."""
    return (payer + (public.seats - 1 if side else 1)) % public.seats


@kernel
def saving_of(rules, action, amount, entry, unit):
    """Return the coins that a change of a cost saves, at ``unit`` coins for a resource; negative if it costs more."""
    item = _item_of(action)
    if action >= _DEARER:
        return -(amount if item == _COINS else amount * unit)
    if item == _COINS:
        return np.float64(min(amount, np.int64(rules.cost_coins[entry])))
    cost = rules.cost[entry]
    most = lane_sum(cost) if item == _ANY else lane(cost, item - _RESOURCE)
    return min(amount, most) * unit


@kernel
def _item_of(action):
    """Return the index of an action's item in words.CHEAPER."""
    if action < _DEARER:
        return action - _CHEAPER
    item = action - _DEARER
    return item + _UNIT - _DEARER_UNIT if item >= _DEARER_UNIT else item


@kernel
def _change_cost(public, rules, prices, clause, owner, payer):
    """Add the changes of a clause of ``card_cost`` or ``stage_cost`` (R76)."""
    condition = rules.clause_if[clause]
    if condition >= 0 and not evaluate(public, rules, condition, owner, payer):
        return
    for at in range(rules.clause_actions[clause], rules.clause_actions[clause + 1]):
        action = np.int64(rules.action[at])
        amount, item = evaluate(public, rules, np.int64(rules.action_amount[at]), owner, payer), _item_of(action)
        if item == _ANY:
            prices.chosen_units += amount
        else:
            prices.cost[item] += amount if action >= _DEARER else -amount


@kernel
def add_unit_changes(public, rules, changes, clause, owner, payer):
    """Add the changes of a clause of ``trade_cost`` for a payer to ``room_for_units`` (R77); return how many neighbours
    are affected."""
    sellers = 0
    for side in range(w.NEIGHBOR_SEATS):
        sellers += related(public, rules, owner, seller_of(public, payer, side), rules.clause_seller[clause])
    for side in range(w.NEIGHBOR_SEATS):
        seller, condition = seller_of(public, payer, side), rules.clause_if[clause]
        other = seller if payer == owner else payer
        if not related(public, rules, owner, seller, rules.clause_seller[clause]):
            continue
        if condition >= 0 and not evaluate(public, rules, condition, owner, other):
            continue
        for at in range(rules.clause_actions[clause], rules.clause_actions[clause + 1]):
            action = np.int64(rules.action[at])
            amount, item = evaluate(public, rules, np.int64(rules.action_amount[at]), owner, other), _item_of(action)
            change = amount if action >= _DEARER else -amount
            if item == _FIRST:
                changes[side, FIRST_OF_BOTH if sellers == w.NEIGHBOR_SEATS else FIRST] += amount
                continue
            if item != _MADE_UNIT:
                changes[side, RAW] += change
            if item != _RAW_UNIT:
                changes[side, MADE] += change
    return sellers


@kernel
def applies(public, rules, trigger, clause, owner, payer, entry):
    """Return whether a clause changes the prices of a payer for a structure or stage, ignoring its condition (R75)."""
    if trigger == w.ON_CARD_COST and rules.clause_colors[clause] >> rules.color[entry] & 1 == 0:
        return False
    return related(public, rules, owner, payer, rules.clause_by[clause]) and has_entry(
        public, rules, owner, rules.clause_entry[clause]
    )


@kernel
def know_next(public, rules, payer, entry):
    """Let formulas read the structure or stage to be paid for as `card`, with the number that it would have."""
    public.event_entry, public.event_how = entry + 1, w.BY_PAYING
    public.event_order = 1 + (cards(public, rules, payer) if entry < w.STAGE_ENTRY else public.stages[payer])


@kernel
def _gather(public, rules, prices, payer, entry):
    """Add up the price changes of all clauses for a payer and a structure or stage; ``prices`` has none at first."""
    changes = room_for_units()
    clear_units(changes)
    before, how, order = public.event_entry, public.event_how, public.event_order
    know_next(public, rules, payer, entry)
    of_cost = w.ON_CARD_COST if entry < w.STAGE_ENTRY else w.ON_STAGE_COST
    for trigger in (of_cost, w.ON_TRADE_COST):
        for owner in range(public.seats):
            if not may_act(public, rules, owner, trigger):
                continue
            for clause in range(rules.clause_from[trigger], rules.clause_from[trigger + 1]):
                if applies(public, rules, trigger, clause, owner, payer, entry):
                    if trigger == w.ON_TRADE_COST:
                        add_unit_changes(public, rules, changes, clause, owner, payer)
                    else:
                        _change_cost(public, rules, prices, clause, owner, payer)
    public.event_entry, public.event_how, public.event_order = before, how, order
    for side in range(w.NEIGHBOR_SEATS):
        prices.unit[2 * side], prices.unit[2 * side + 1] = changes[side, RAW], changes[side, MADE]
        prices.first[side], prices.first_of_both[side] = changes[side, FIRST], changes[side, FIRST_OF_BOTH]


@kernel
def _changed_cost(rules, prices, entry, payer):
    """Return the resources of a cost after changes by clauses, as a packed word; stop a game with too many of them."""
    cost, units = _ZERO, 0
    for resource in range(w.RESOURCE_KINDS):
        at = np.uint64(8 * resource)
        amount = np.int64((rules.cost[entry] >> at) & _BYTE) + prices.cost[_RESOURCE + resource]
        if amount > 0:
            units += amount
            if units > w.UNITS:
                stop_game(COST_UNITS, payer, entry, units, w.UNITS)
            cost |= np.uint64(amount) << at
    return cost


@kernel(rare=True)
def pay_changed(public, rules, solver, producer, payer, entry, purse):
    """Put the payments of a structure or stage into ``solver.pairs``, with the coins to the bank; return how many.

    ``public``: what formulas see. ``producer``: whose production and prices pay, as in ``list_turn``.
    """
    prices = solver.prices
    _gather(public, rules, prices, payer, entry)
    coins = max(rules.cost_coins[entry] + prices.cost[_COINS], 0)
    if coins > MAX_PAID:
        stop_game(COST_COINS, payer, entry, coins, MAX_PAID)
    cost = _ZERO
    if entry < w.STAGE_ENTRY or producer.abilities[payer] & w.FREE_STAGES == 0:
        cost = _changed_cost(rules, prices, entry, payer)
    changed = prices.chosen_units
    for kind in range(w.PRICE_KINDS):
        changed |= prices.unit[kind]
    for side in range(w.NEIGHBOR_SEATS):
        changed |= prices.first[side] | prices.first_of_both[side]
    if changed == 0:
        count = pay(producer, solver, payer, cost, coins, purse)
    elif prices.chosen_units >= lane_sum(cost):
        count = 1 if coins <= purse else 0
        solver.pairs[0] = _ZERO
    else:
        count = pay_repriced(producer, solver, payer, cost, coins, purse)
    for i in range(count):
        solver.pairs[i] |= np.uint64(coins) << _BANK
    forget_prices(prices)
    return count
