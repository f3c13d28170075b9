"""Expected gains of a city from clauses that change prices (R75-R77): coins saved, coins that rivals pay."""

from __future__ import annotations

import numpy as np

from wsim.jit import kernel
from wsim.wonders import words as w
from wsim.wonders.kernels.clause_owners import related
from wsim.wonders.kernels.formula import evaluate
from wsim.wonders.kernels.prices import (
    FIRST,
    FIRST_OF_BOTH,
    MADE,
    RAW,
    add_unit_changes,
    clear_units,
    room_for_units,
    saving_of,
    seller_of,
)
from wsim.wonders.policies.clause_gains import COINS, OWN, PRICES_FROM, REBATES, RIVAL, times_left

_UNIT_SAVED = 1.5  # coins that a resource less in a cost saves: bought, it costs 2, but a city produces some
_UNITS_BOUGHT = 1.3  # by a purchase
_OF_BOTH = 0.5  # of a rebate on one side, for each side of a rebate on the first unit from either


@kernel
def _rivals_share(rules, seat, payer):
    """Return the share of a loss of a payer other than the own city that counts for the mean rival."""
    return -1.0 if rules.teams and payer == seat ^ 1 else 1.0 / max(rules.players - (2 if rules.teams else 1), 1)


@kernel
def _saved_on(public, rules, clause, seat, payer, entry):
    """Return the coins that a clause saves a payer for a structure or stage; a unit counts as UNIT_SAVED coins."""
    public.event_entry = entry + 1
    saved = 0.0
    condition = np.int64(rules.clause_if[clause])
    if condition < 0 or evaluate(public, rules, condition, seat, payer):
        for at in range(rules.clause_actions[clause], rules.clause_actions[clause + 1]):
            amount = evaluate(public, rules, np.int64(rules.action_amount[at]), seat, payer)
            saved += saving_of(rules, np.int64(rules.action[at]), amount, entry, _UNIT_SAVED)
    public.event_entry = 0
    return saved


@kernel
def _mean_saved(public, rules, clause, trigger, seat, payer):
    """Return the coins that a clause saves a payer on average: for its next stages, or for the cards still dealt."""
    saved, number = 0.0, 0
    if trigger == w.ON_STAGE_COST:
        side = public.side[payer]
        for stage in range(public.stages[payer], rules.stage_count[side]):
            saved += _saved_on(public, rules, clause, seat, payer, np.int64(rules.stage_entry[side, stage]))
            number += 1
        return saved / max(number, 1)
    for age in range(public.age, w.AGES):
        for slot in range(rules.slots[age]):
            card = np.int64(rules.slot_card[age, slot])
            if rules.clause_colors[clause] >> rules.color[card] & 1:
                saved += _saved_on(public, rules, clause, seat, payer, card)
                number += 1
    return saved / max(number, 1)


@kernel
def _add_unit_prices(public, rules, gains, clause, seat, times):
    """Add the gains from a clause of ``trade_cost``: lower prices, or coins that the rivals pay."""
    changes, pairs = room_for_units(), 0
    clear_units(changes)
    for payer in range(public.seats):
        if related(public, rules, seat, payer, rules.clause_by[clause]):
            pairs += add_unit_changes(public, rules, changes, clause, seat, payer)
    for payer in range(public.seats):
        if not related(public, rules, seat, payer, rules.clause_by[clause]):
            continue
        clear_units(changes)
        add_unit_changes(public, rules, changes, clause, seat, payer)
        for side in range(w.NEIGHBOR_SEATS):
            first = changes[side, FIRST] + _OF_BOTH * changes[side, FIRST_OF_BOTH]
            if payer == seat:
                gains[OWN, REBATES] += first
                gains[OWN, PRICES_FROM + 2 * side] += changes[side, RAW]
                gains[OWN, PRICES_FROM + 2 * side + 1] += changes[side, MADE]
                continue
            more = _UNITS_BOUGHT * (changes[side, RAW] + changes[side, MADE]) / 2.0 - first
            coins = more * times / max(pairs, 1)
            gains[RIVAL, COINS] -= _rivals_share(rules, seat, payer) * coins
            if seller_of(public, payer, side) == seat:
                gains[OWN, COINS] += coins


@kernel(rare=True)
def add_prices(public, rules, seat, item, gains):
    """Add the expected gains from an item's clauses that change prices (R75-R77)."""
    for trigger in range(w.ON_CARD_COST, w.ON_TRADE_COST + 1):
        for clause in range(rules.clause_from[trigger], rules.clause_from[trigger + 1]):
            if rules.clause_entry[clause] != item:
                continue
            times = times_left(public, rules, clause, trigger)
            if trigger == w.ON_TRADE_COST:
                _add_unit_prices(public, rules, gains, clause, seat, times)
                continue
            payers = 0
            for payer in range(public.seats):
                payers += related(public, rules, seat, payer, rules.clause_by[clause])
            for payer in range(public.seats):
                if not related(public, rules, seat, payer, rules.clause_by[clause]):
                    continue
                often = times / payers
                if trigger == w.ON_STAGE_COST:
                    left = rules.stage_count[public.side[payer]] - public.stages[payer]
                    often = min(often, np.float64(left))
                coins = often * _mean_saved(public, rules, clause, trigger, seat, payer)
                if payer == seat:
                    gains[OWN, COINS] += coins
                else:
                    gains[RIVAL, COINS] += _rivals_share(rules, seat, payer) * coins
