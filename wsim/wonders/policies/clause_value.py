"""Expected gains from the clauses of a structure or stage until the end: expected frequency times current amount.

``RULES.clause_times`` gives how often a clause triggers per age; later effects are assumed to equal the current one.
``gains`` has one row for the own city and one for the mean rival.
"""

from __future__ import annotations

import numpy as np

from wsim.jit import kernel, stack_room
from wsim.wonders import words as w
from wsim.wonders.kernels.clauses import related
from wsim.wonders.kernels.counters import FIRST_ACT
from wsim.wonders.kernels.formula import evaluate

OWN, RIVAL = range(2)
COINS, POINTS, SHIELDS, AGE_SHIELDS, DEBTS, DIPLOMACY, COINS_AT_ONCE, SYMBOLS_FROM = range(8)
"""Columns: later coins, points of tokens, shields, shields for one age, debts, diplomacy tokens, own coins received at
once when built; the first of the columns of symbols."""
UNITS_FROM = SYMBOLS_FROM + w.SYMBOL_KINDS - 1
"""The first of the columns of resource units."""
TURN_UNITS_FROM = UNITS_FROM + w.RESOURCE_KINDS
PRICES_FROM = TURN_UNITS_FROM + w.RESOURCE_KINDS
FREE_TOKENS = PRICES_FROM + w.PRICE_KINDS
PILE_BUILDS = FREE_TOKENS + 1
"""The first columns of units for one turn and of prices; free builds; builds from the discard pile."""
COLUMNS = PILE_BUILDS + 1
room_for_gains = stack_room("clause_value.gains", np.float64, 2, COLUMNS)
_TAKE, _GIVE, _GAIN_COINS, _GAIN_SHIELDS = w.ACT["take"], w.ACT["give"], w.ACT["gain coins"], w.ACT["gain shields"]
_GAIN_AGE_SHIELDS, _GAIN_VICTORY = w.ACT["gain age_shields"], w.ACT["gain victory_tokens"]
_GAIN_DEFEATS, _GAIN_DEBTS, _GAIN_DIPLOMACY = (
    w.ACT["gain defeat_tokens"], w.ACT["gain debts"], w.ACT["gain diplomacy_tokens"],
)  # fmt: skip
_LOSE_COINS, _LOSE_DEFEATS, _LOSE_DEBTS = w.ACT["lose coins"], w.ACT["lose defeat_tokens"], w.ACT["lose debts"]
_GAIN_SYMBOL = w.ACT["gain compass"]
_LOSE_PRICE, _LOSE_FREE = w.ACT[f"lose {w.UNIT_PRICES[0]}"], w.ACT["lose free_build_tokens"]
_LOSE_DIPLOMACY = w.ACT["lose diplomacy_tokens"]
_LAST_MOVE = w.ON_CARD + len(w.MOVE_TRIGGERS) - 1


@kernel
def _times_left(public, rules, clause, trigger):
    """Return how often a clause is expected to trigger until the end if its structure or stage is placed now."""
    if trigger == w.ON_BUILT:
        return 1.0
    times = 0.0
    for age in range(public.age + 1, w.AGES):
        times += rules.clause_times[clause, age]
    if trigger == w.ON_AGE:
        return times
    this_age = rules.clause_times[clause, public.age]
    if trigger >= w.ON_WAR or trigger == w.ON_LAST_CARD:
        return times + this_age
    return times + this_age * (public.turns - 1 - public.turn) / public.turns


@kernel
def _add_coins(public, gains, act, seat, city, row, share, amount, times, at_once):
    """Add the coins that a city gains or loses (at most what it has), and those that the own city gives or takes."""
    if act == _GIVE:
        amount = min(amount, np.int64(public.coins[seat]))
    coins = amount if act == _GIVE or act == _GAIN_COINS else -min(amount, np.int64(public.coins[city]))
    gains[row, COINS_AT_ONCE if at_once and row == OWN else COINS] += share * times * coins
    if act == _TAKE or act == _GIVE:
        gains[OWN, COINS_AT_ONCE if at_once else COINS] -= times * coins


@kernel
def _signed(public, act, city, amount):
    """Return the amount of an action; minus what a city can lose of it where the action takes tokens or debts."""
    if act == _LOSE_DEFEATS:
        return -min(amount, np.int64(public.defeats[city]))
    if act == _LOSE_DEBTS:
        return -min(amount, np.int64(public.debts[city]))
    if act == _LOSE_DIPLOMACY:
        return -min(amount, np.int64(public.diplomacy[city]))
    return -min(amount, np.int64(public.free_tokens[city])) if act == _LOSE_FREE else amount


@kernel
def _add(public, rules, gains, trigger, act, seat, city, amount, times):
    """Add the expected gains of one action of a clause to the own city or a rival."""
    row, share = OWN, 1.0
    if city != seat:
        rivals = max(rules.players - (2 if rules.teams else 1), 1)
        row, share = RIVAL, -1.0 if rules.teams and city == seat ^ 1 else 1.0 / rivals
    if act <= _GAIN_COINS or act == _LOSE_COINS:
        _add_coins(public, gains, act, seat, city, row, share, amount, times, trigger == w.ON_BUILT)
        return
    column, unit = DIPLOMACY, 1
    if act == _GAIN_SHIELDS or act == _GAIN_AGE_SHIELDS:
        column = SHIELDS if act == _GAIN_SHIELDS else AGE_SHIELDS
        times -= 1.0 if trigger == w.ON_PEACE or trigger == w.ON_AGE_END else 0.0  # no conflicts follow the last age
    elif act == _GAIN_VICTORY:
        column, unit = POINTS, np.int64(rules.victory_points[public.age])
    elif act == _GAIN_DEFEATS or act == _LOSE_DEFEATS:
        column, unit = POINTS, np.int64(rules.defeat_points)
    elif act == _GAIN_DEBTS or act == _LOSE_DEBTS:
        column = DEBTS
    elif _GAIN_SYMBOL <= act < _LOSE_COINS:
        column = SYMBOLS_FROM + act - _GAIN_SYMBOL  # the remaining columns are in the order of gains
    elif _LOSE_PRICE <= act < _LOSE_FREE:
        column, unit = PRICES_FROM + act - _LOSE_PRICE, -1
    elif act == _LOSE_FREE:
        column = FREE_TOKENS
    amount = _signed(public, act, city, amount)
    gains[row, column] += share * times * amount * unit


@kernel
def _add_city(public, rules, gains, clause, trigger, seat, city, other, times):
    """Add the expected gains of a clause for one city, if its condition is true now."""
    condition = np.int64(rules.clause_if[clause])
    if condition >= 0 and evaluate(public, rules, condition, seat, other) == 0:
        return
    for at in range(rules.clause_actions[clause], rules.clause_actions[clause + 1]):
        if rules.action[at] >= FIRST_ACT:
            continue  # a counter is worth nothing by itself
        amount = evaluate(public, rules, np.int64(rules.action_amount[at]), seat, other)
        if amount:
            _add(public, rules, gains, trigger, np.int64(rules.action[at]), seat, city, amount, times)


@kernel
def _add_clause(public, rules, gains, clause, trigger, seat, mover, times):
    """Add the expected gains of a clause, triggered by a city, for all cities that it acts on."""
    each = rules.clause_each[clause]
    if each == w.WHOM_SELF or each == w.WHOM_TRIGGER:
        city = seat if each == w.WHOM_SELF else mover
        _add_city(public, rules, gains, clause, trigger, seat, city, mover, times)
        return
    for city in range(public.seats):
        if city != seat and related(public, rules, seat, city, each):
            _add_city(public, rules, gains, clause, trigger, seat, city, city, times)


@kernel
def _ways_to_trigger(public, rules, clause, trigger, seat, city):
    """Return the number of ways in which a city can trigger a clause: by its move, or by buying from a neighbour."""
    by = rules.clause_by[clause]
    if trigger != w.ON_PURCHASE:
        return 1 if related(public, rules, seat, city, by) else 0
    ways = 0
    for side in range(w.NEIGHBOR_SEATS):
        other = (city + (public.seats - 1 if side else 1)) % public.seats
        if city != seat and related(public, rules, seat, city, by):
            ways += related(public, rules, seat, other, rules.clause_seller[clause])
        if other == seat and related(public, rules, seat, seat, by):  # the own city buys from it
            ways += related(public, rules, seat, city, rules.clause_seller[clause])
    return ways


@kernel(rare=True)
def fill_expected_gains(public, rules, seat, item, until, gains):
    """Fill the expected gains of its city and the mean rival from an item's clauses with triggers below ``until``."""
    for column in range(COLUMNS):
        gains[OWN, column] = gains[RIVAL, column] = 0.0
    for trigger in range(min(until, w.ON_SCORE)):
        for clause in range(rules.clause_from[trigger], rules.clause_from[trigger + 1]):
            if rules.clause_entry[clause] != item:
                continue
            times = _times_left(public, rules, clause, trigger)
            if trigger < w.ON_CARD or trigger > _LAST_MOVE:
                _add_clause(public, rules, gains, clause, trigger, seat, seat, times)
                continue
            movers = 0
            for mover in range(public.seats):
                movers += _ways_to_trigger(public, rules, clause, trigger, seat, mover)
            for mover in range(public.seats):
                ways = _ways_to_trigger(public, rules, clause, trigger, seat, mover)
                if ways:
                    _add_clause(public, rules, gains, clause, trigger, seat, mover, times * ways / movers)
