"""Expected gains from clauses, by column: how often each clause acts until the end, and the gains of one action.

``RULES.clause_times`` gives how often a clause triggers per age; later effects are assumed to equal the current one.
``gains`` has one row for the own city and one for the mean rival.
"""

from __future__ import annotations

import numpy as np

from wsim.jit import kernel, stack_room
from wsim.kernels.formula_words import OPERATION
from wsim.wonders import words as w
from wsim.wonders.facts import NAME_NUMBER

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
COUNTED = PILE_BUILDS + 1
"""Points that a change of counters gains through other clauses, such as those of `scored` (``counter_value``)."""
REBATES = COUNTED + 1
"""Coins off one unit of each payment, by clauses of ``trade_cost``."""
EITHER_FROM = REBATES + 1
"""The first of the columns of units for one turn from which a decision gives one."""
STEPS_FROM = EITHER_FROM + w.RESOURCE_KINDS
"""The first of the counter columns: the expected change of each counter of the own city by clauses."""
COLUMNS = STEPS_FROM + w.COUNTERS
room_for_gains = stack_room("clause_gains.gains", np.float64, 2, COLUMNS)
_ROUGHLY = np.full(COLUMNS, 1.0)  # points of one of each column, by which the option of a later decision is chosen
_ROUGHLY[[COINS, COINS_AT_ONCE]], _ROUGHLY[[SHIELDS, AGE_SHIELDS]], _ROUGHLY[DEBTS] = 1 / 3, 1.5, -1.0
_ROUGHLY[SYMBOLS_FROM:UNITS_FROM], _ROUGHLY[UNITS_FROM:TURN_UNITS_FROM] = 4.0, 1.5
_ROUGHLY[TURN_UNITS_FROM:PRICES_FROM], _ROUGHLY[PRICES_FROM:FREE_TOKENS] = 0.2, -1.5
_ROUGHLY[[FREE_TOKENS, PILE_BUILDS]] = 4.0
_ROUGHLY[EITHER_FROM:] = 0.0
_RIVALS = 0.5  # of what the mean rival gains, to the seat
_TAKE, _GIVE, _GAIN_COINS, _GAIN_SHIELDS = w.ACT["take"], w.ACT["give"], w.ACT["gain coins"], w.ACT["gain shields"]
_GAIN_AGE_SHIELDS, _GAIN_VICTORY = w.ACT["gain age_shields"], w.ACT["gain victory_tokens"]
_GAIN_DEFEATS, _GAIN_DEBTS, _GAIN_DIPLOMACY = (
    w.ACT["gain defeat_tokens"], w.ACT["gain debts"], w.ACT["gain diplomacy_tokens"],
)  # fmt: skip
_LOSE_COINS, _LOSE_DEFEATS, _LOSE_DEBTS = w.ACT["lose coins"], w.ACT["lose defeat_tokens"], w.ACT["lose debts"]
_GAIN_POINTS, _LOSE_POINTS = w.ACT["gain points"], w.ACT["lose points"]
_GAIN_SYMBOL = w.ACT["gain compass"]
_LOSE_PRICE, _LOSE_FREE = w.ACT[f"lose {w.UNIT_PRICES[0]}"], w.ACT["lose free_build_tokens"]
_LOSE_DIPLOMACY = w.ACT["lose diplomacy_tokens"]
_GAIN_COPIES, _GAIN_DRAW = w.ACT["gain copies"], w.ACT["gain draw 1"]
_DRAWN, _EACH_MORE = 1.0, 0.5  # points of one card from the stock of a deck that may be recruited, of each further one
_POINTS_FACT, _SHIELDS_FACT, _UNITS_FACT, _SYMBOL_FACT = (
    w.KNOWN_OF_CARD.index(name) for name in ("points", "shields", w.RESOURCES[0], w.SYMBOLS[w.COMPASS])
)

_END, _NAME, _AGE = OPERATION["end"], OPERATION["name"], NAME_NUMBER["age"]


@kernel
def _reads(rules, at, name):
    """Return whether a formula reads a name."""
    while rules.code[at] & 0xFF != _END:
        if rules.code[at] & 0xFF == _NAME and rules.code[at] >> 10 == name:
            return True
        at += 1
    return False


@kernel(rare=True)
def reads_age(rules, clause):
    """Return whether the condition or an amount of a clause reads the age."""
    condition = np.int64(rules.clause_if[clause])
    if condition >= 0 and _reads(rules, condition, _AGE):
        return True
    for at in range(rules.clause_actions[clause], rules.clause_actions[clause + 1]):
        if _reads(rules, np.int64(rules.action_amount[at]), _AGE):
            return True
    return False


@kernel
def clear_gains(gains):
    """Set all gains to 0."""
    for column in range(COLUMNS):
        gains[OWN, column] = gains[RIVAL, column] = 0.0


@kernel
def rough_points(gains):
    """Return the approximate value of gains to the own city, in points."""
    value = 0.0
    for column in range(COLUMNS):
        value += _ROUGHLY[column] * (gains[OWN, column] - _RIVALS * gains[RIVAL, column])
    return value


@kernel
def rough_of(column, number):
    """Return what so many of a column are roughly worth, in points."""
    return _ROUGHLY[column] * number


@kernel
def times_in_age(public, rules, clause, trigger):
    """Return how often a clause is expected to trigger in the rest of this age."""
    times = np.float64(rules.clause_times[clause, public.age])
    if trigger == w.ON_AGE:
        return 0.0
    if w.ON_WAR <= trigger < w.ON_CARD_COST or trigger == w.ON_LAST_CARD:
        return times
    return times * (public.turns - 1 - public.turn) / public.turns


@kernel
def times_left(public, rules, clause, trigger):
    """Return how often a clause is expected to trigger until the end if its structure or stage is placed now."""
    if trigger == w.ON_BUILT:
        return 1.0
    times = times_in_age(public, rules, clause, trigger)
    for age in range(public.age + 1, w.AGES):
        times += rules.clause_times[clause, age]
    return times


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
    """Return the amount of an action; if it takes tokens or debts, minus the amount that the city can lose."""
    if act == _LOSE_DEFEATS:
        return -min(amount, np.int64(public.defeats[city]))
    if act == _LOSE_DEBTS:
        return -min(amount, np.int64(public.debts[city]))
    if act == _LOSE_DIPLOMACY:
        return -min(amount, np.int64(public.diplomacy[city]))
    return -min(amount, np.int64(public.free_tokens[city])) if act == _LOSE_FREE else amount


@kernel
def _known(public, rules, fact):
    """Return a printed fact of the structure that causes an event; of a future one, the mean of all cards."""
    entry = np.int64(public.event_entry) - 1
    return np.int64(rules.mean_facts[fact]) if entry < 0 else np.int64(rules.card_facts[entry, fact])


@kernel(rare=True)
def _add_copy(public, rules, gains, row, times):
    """Add the gains from copying a structure by its printed facts; for a future one, the mean of all cards."""
    gains[row, POINTS] += times * _known(public, rules, _POINTS_FACT)
    gains[row, SHIELDS] += times * _known(public, rules, _SHIELDS_FACT)
    for resource in range(w.RESOURCE_KINDS):
        gains[row, UNITS_FROM + resource] += times * _known(public, rules, _UNITS_FACT + resource)
    for symbol in range(w.SYMBOL_KINDS - 2):
        gains[row, SYMBOLS_FROM + symbol] += times * _known(public, rules, _SYMBOL_FACT + symbol)


@kernel
def _column_of(act):
    """Return the column of the gains that an action changes; coins, copies and draws are counted elsewhere."""
    if act == _GAIN_SHIELDS:
        return SHIELDS
    if act == _GAIN_AGE_SHIELDS:
        return AGE_SHIELDS
    if act == _GAIN_DEBTS or act == _LOSE_DEBTS:
        return DEBTS
    if act == _GAIN_DIPLOMACY or act == _LOSE_DIPLOMACY:
        return DIPLOMACY
    if _GAIN_SYMBOL <= act < _LOSE_COINS:
        return SYMBOLS_FROM + act - _GAIN_SYMBOL  # the remaining columns are in the order of gains
    if _LOSE_PRICE <= act < _LOSE_FREE:
        return PRICES_FROM + act - _LOSE_PRICE
    return FREE_TOKENS if act == _LOSE_FREE else POINTS


@kernel
def _points_of_one(public, rules, act):
    """Return by how much one token, debt or point of an action changes its column."""
    if act == _GAIN_VICTORY:
        return np.int64(rules.victory_points[public.age])
    if act == _GAIN_DEFEATS or act == _LOSE_DEFEATS:
        return np.int64(rules.defeat_points)
    return -1 if act == _LOSE_POINTS or _LOSE_PRICE <= act < _LOSE_FREE else 1


@kernel
def add_gain(public, rules, gains, trigger, act, seat, city, amount, times):
    """Add the expected gains of one action of a clause to the own city or a rival."""
    row, share = OWN, 1.0
    if city != seat:
        rivals = max(rules.players - (2 if rules.teams else 1), 1)
        row, share = RIVAL, -1.0 if rules.teams and city == seat ^ 1 else 1.0 / rivals
    if act <= _GAIN_COINS or act == _LOSE_COINS:
        _add_coins(public, gains, act, seat, city, row, share, amount, times, trigger == w.ON_BUILT)
    elif act == _GAIN_COPIES:
        _add_copy(public, rules, gains, row, share * times * min(amount, 1))
    elif act >= _GAIN_DRAW:
        gains[row, POINTS] += share * times * (_DRAWN + _EACH_MORE * (amount - 1))
    else:
        if (act == _GAIN_SHIELDS or act == _GAIN_AGE_SHIELDS) and (trigger == w.ON_PEACE or trigger == w.ON_AGE_END):
            times -= 1.0  # no conflicts follow the last age
        unit = _points_of_one(public, rules, act)
        gains[row, _column_of(act)] += share * times * _signed(public, act, city, amount) * unit
