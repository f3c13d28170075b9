"""Expected gains from the clauses of a structure or stage until the end: expected frequency times current amount.

``RULES.clause_times`` gives how often a clause triggers per age; later effects are assumed to equal the current one.
``gains`` has one row for the own city and one for the mean rival.
"""

from __future__ import annotations

import numpy as np

from wsim.jit import kernel, stack_room
from wsim.kernels.formula_words import OPERATION
from wsim.wonders import words as w
from wsim.wonders.kernels.clause_owners import has_entry, related
from wsim.wonders.kernels.clauses import cities_met, formula_points
from wsim.wonders.kernels.counters import FIRST_ACT
from wsim.wonders.kernels.formula import evaluate
from wsim.wonders.kernels.moves import action_of, card_of, city_of, option_of, picked_of, slot_of, trigger_of_move
from wsim.wonders.kernels.picked import know_card
from wsim.wonders.kernels.prices import (
    FIRST,
    FIRST_OF_BOTH,
    MADE,
    PRICED,
    RAW,
    add_unit_changes,
    clear_units,
    room_for_units,
    saving_of,
    seller_of,
)

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
"""Points that clauses of `scored` count at the end because a counter changes."""
REBATES = COUNTED + 1
"""Coins off one unit of each payment, by clauses of ``trade_cost``."""
EITHER_FROM = REBATES + 1
"""The first of the columns of units for one turn of which a decision gives one."""
COLUMNS = EITHER_FROM + w.RESOURCE_KINDS
room_for_gains = stack_room("clause_value.gains", np.float64, 2, COLUMNS)
_room_for_option = stack_room("clause_value.option", np.float64, 2, COLUMNS)
_ROUGHLY = np.full(COLUMNS, 1.0)  # points of one of each column, by which the option of a later decision is chosen
_ROUGHLY[[COINS, COINS_AT_ONCE]], _ROUGHLY[[SHIELDS, DEBTS]] = 1 / 3, (1.5, -1.0)
_ROUGHLY[SYMBOLS_FROM:UNITS_FROM], _ROUGHLY[UNITS_FROM:TURN_UNITS_FROM] = 4.0, 1.5
_ROUGHLY[TURN_UNITS_FROM:PRICES_FROM], _ROUGHLY[PRICES_FROM:FREE_TOKENS] = 0.2, -1.5
_ROUGHLY[[FREE_TOKENS, PILE_BUILDS]] = 4.0
_ROUGHLY[EITHER_FROM:] = 0.0
_UNIT_SAVED = 1.5  # coins that a resource less in a cost saves: bought, it costs 2, but a city produces some
_UNITS_BOUGHT = 1.3  # by a purchase
_OF_BOTH = 0.5  # of a rebate on one side, for each side of a rebate on the first unit from either
_LEAST = 1.0  # points of the structure of a city that it misses least
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
_END = OPERATION["end"]
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
    if w.ON_WAR <= trigger < w.ON_CARD_COST or trigger == w.ON_LAST_CARD:
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
    elif act == _GAIN_POINTS or act == _LOSE_POINTS:
        column, unit = POINTS, 1 if act == _GAIN_POINTS else -1
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


@kernel(rare=True)
def _scored(public, rules, city, seat, item):
    """Return the points of the clauses of `scored` of a city; of ``seat`` also those of an item that it is to place."""
    points, last = 0, -1
    for clause in range(rules.clause_from[w.ON_SCORE], rules.clause_from[w.ON_SCORE + 1]):
        entry = np.int64(rules.clause_entry[clause])
        if entry != last and (has_entry(public, rules, city, entry) or (city == seat and entry == item)):
            points += formula_points(public, rules, city, entry)
        last = entry
    return points


@kernel(rare=True)
def _counter_points(public, rules, city, seat, item, action, amount):
    """Return the points that a change of a counter adds for a city at the end; the counter is put back."""
    counter = (action - FIRST_ACT) >> 1
    if rules.counter_lasts[counter] < w.FOR_GAME and public.age < w.AGES - 1:
        return 0
    value = np.int64(public.counter[city, counter])
    changed = value + (amount if (action - FIRST_ACT) & 1 == 0 else -amount)
    changed = min(max(changed, np.int64(rules.counter_least[counter])), np.int64(rules.counter_most[counter]))
    if changed == value:
        return 0
    points = -_scored(public, rules, city, seat, item)
    whole = rules.counter_of[counter] == w.OF_TABLE
    for one in range(public.seats):
        if whole or one == city:
            public.counter[one, counter] = changed
    points += _scored(public, rules, city, seat, item)
    for one in range(public.seats):
        if whole or one == city:
            public.counter[one, counter] = value
    return points


@kernel
def _add_actions(public, rules, gains, trigger, seat, city, other, item, times, first, end):
    """Add the expected gains of some actions of a clause for one city."""
    for at in range(first, end):
        amount = evaluate(public, rules, np.int64(rules.action_amount[at]), seat, other)
        action = np.int64(rules.action[at])
        if amount and action >= FIRST_ACT:
            points = times * _counter_points(public, rules, city, seat, item, action, amount)
            if city == seat:
                gains[OWN, COUNTED] += points
            else:
                gains[RIVAL, COUNTED] += points / max(rules.players - 1, 1)
        elif amount:
            _add(public, rules, gains, trigger, action, seat, city, amount, times)


@kernel(rare=True)
def _fill_option(public, rules, gains, clause, option, trigger, seat, mover, item, target):
    """Fill the gains of an option of a decision, with its price; 0 if the condition of the clause is false.

    ``target``: the city that is chosen, -1 for all that the clause names.
    """
    for column in range(COLUMNS):
        gains[OWN, column] = gains[RIVAL, column] = 0.0
    cities = cities_met(public, rules, clause, seat, mover)
    if target >= 0:
        cities &= 1 << target
    if cities == 0:
        return
    paid = rules.option_paid[option]
    _add_actions(public, rules, gains, trigger, seat, seat, mover, item, 1.0, rules.option_first[option], paid)
    for city in range(public.seats):
        if cities >> city & 1:
            other = mover if rules.clause_each[clause] == w.WHOM_SELF else city
            _add_actions(public, rules, gains, trigger, seat, city, other, item, 1.0, paid, rules.option_end[option])


@kernel
def _add_either(public, rules, gains, option_gains, clause, trigger, seat, mover, item, times):
    """Add the units for one turn that the options of a decision give, as those of an either/or symbol; return whether
    at least two options give some."""
    giving = 0
    for adding in range(2):
        if adding and giving < 2:
            return False
        for option in range(rules.clause_options[clause], rules.clause_options[clause + 1]):
            _fill_option(public, rules, option_gains, clause, option, trigger, seat, mover, item, -1)
            units = 0.0
            for kind in range(w.RESOURCE_KINDS):
                units += option_gains[OWN, TURN_UNITS_FROM + kind]
                if adding:
                    gains[OWN, EITHER_FROM + kind] += times * option_gains[OWN, TURN_UNITS_FROM + kind]
            giving += units > 0.0
    return True


@kernel
def _add_card(rules, gains, option):
    """Add what a card that a later decision chooses is roughly worth: a build from the pile, the least structure."""
    if rules.option_do[option] == w.DO_BUILD:
        gains[OWN, PILE_BUILDS] += 1.0
    elif rules.option_do[option] == w.DO_DISCARD:
        gains[OWN, POINTS] -= _LEAST


@kernel(rare=True)
def _add_decision(public, rules, gains, clause, trigger, seat, mover, item, times):
    """Add the expected gains of a clause that asks: those of the option that is roughly the best one."""
    option_gains = _room_for_option()
    best, chosen, at = (0.0 if rules.clause_may[clause] else -1e9), -1, -1
    for option in range(rules.clause_options[clause], rules.clause_options[clause + 1]):
        for target in range(public.seats if rules.clause_one[clause] else 1):
            city = target if rules.clause_one[clause] else -1
            _fill_option(public, rules, option_gains, clause, option, trigger, seat, mover, item, city)
            _add_card(rules, option_gains, option)
            value = 0.0
            for column in range(COLUMNS):
                value += _ROUGHLY[column] * (option_gains[OWN, column] - _RIVALS * option_gains[RIVAL, column])
            if value > best:
                best, chosen, at = value, option, city
    if chosen < 0:
        return
    either = _add_either(public, rules, gains, option_gains, clause, trigger, seat, mover, item, times)
    _fill_option(public, rules, option_gains, clause, chosen, trigger, seat, mover, item, at)
    _add_card(rules, option_gains, chosen)
    for column in range(COLUMNS):
        if either and TURN_UNITS_FROM <= column < PRICES_FROM:
            continue
        gains[OWN, column] += times * option_gains[OWN, column]
        gains[RIVAL, column] += times * option_gains[RIVAL, column]


@kernel(rare=True)
def clause_of_move(rules, move):
    """Return the clause and the option of a move that chooses one (R72)."""
    clause = 0
    while rules.clause_entry[clause] != card_of(move) or rules.clause_number[clause] != slot_of(move):
        clause += 1
    return clause, np.int64(rules.clause_options[clause]) + option_of(move)


@kernel(rare=True)
def fate_of_card(rules, move):
    """Return what happens to the card that a move of a clause's decision chooses (words.DO_BUILD, DO_DISCARD)."""
    if action_of(move) != w.CHOOSE or picked_of(move) < 0:
        return w.DO_NOTHING
    _, option = clause_of_move(rules, move)
    return np.int64(rules.option_do[option])


@kernel(rare=True)
def fill_gains_of_move(public, rules, choice, index, gains):
    """Fill the gains of a move of a clause's decision for its city and the mean rival (R72)."""
    move, seat = choice.moves[index], choice.seat
    clause, option = clause_of_move(rules, move)
    mover, target = trigger_of_move(move), city_of(move)
    entry, how, order = public.event_entry, public.event_how, public.event_order
    if picked_of(move) >= 0:
        know_card(public, rules, seat, rules.option_from[option], picked_of(move))
    _fill_option(public, rules, gains, clause, option, w.ON_BUILT, seat, mover, -1, target)
    public.event_entry, public.event_how, public.event_order = entry, how, order
    if public.age == w.AGES - 1 and rules.clause_from[w.ON_PEACE] <= clause < rules.clause_from[w.ON_SCORE]:
        gains[OWN, SHIELDS] = gains[OWN, AGE_SHIELDS] = gains[RIVAL, SHIELDS] = 0.0  # no conflicts follow
        gains[RIVAL, AGE_SHIELDS] = 0.0


@kernel
def _add_city(public, rules, gains, clause, trigger, seat, city, other, item, times):
    """Add the expected gains of a clause for one city, if its condition is true now."""
    condition = np.int64(rules.clause_if[clause])
    if condition < 0 or evaluate(public, rules, condition, seat, other):
        first, end = rules.clause_actions[clause], rules.clause_actions[clause + 1]
        _add_actions(public, rules, gains, trigger, seat, city, other, item, times, first, end)


@kernel
def _add_clause(public, rules, gains, clause, trigger, seat, mover, item, times):
    """Add the expected gains of a clause, triggered by a city, for all cities that it acts on."""
    if rules.clause_options[clause + 1] > rules.clause_options[clause]:
        _add_decision(public, rules, gains, clause, trigger, seat, mover, item, times)
        return
    each = rules.clause_each[clause]
    if each == w.WHOM_SELF or each == w.WHOM_TRIGGER:
        city = seat if each == w.WHOM_SELF else mover
        _add_city(public, rules, gains, clause, trigger, seat, city, mover, item, times)
        return
    for city in range(public.seats):
        if city != seat and related(public, rules, seat, city, each):
            _add_city(public, rules, gains, clause, trigger, seat, city, city, item, times)


@kernel
def _rivals_share(rules, seat, payer):
    """Return the part of what a payer other than the own city loses that counts for the mean rival."""
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
    """Add what a clause of ``trade_cost`` brings: lower prices, or coins that the rivals pay."""
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
            times = _times_left(public, rules, clause, trigger)
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
def fixed_points(public, rules, seat, item):
    """Return the points of an item's clauses of `scored` that are plain numbers: they count like printed points."""
    points = 0
    for clause in range(rules.clause_from[w.ON_SCORE], rules.clause_from[w.ON_SCORE + 1]):
        at = np.int64(rules.action_amount[rules.clause_actions[clause]])
        if rules.clause_entry[clause] == item and rules.clause_if[clause] < 0 and rules.code[at + 1] & 0xFF == _END:
            for city in range(public.seats):
                if related(public, rules, seat, city, rules.clause_each[clause]):
                    points += evaluate(public, rules, at, seat, city)
    return points


@kernel(rare=True)
def add_end_of_age(public, rules, seat, item, gains):
    """Add what an item's clauses of the end of an age would bring if this age ended now."""
    for trigger in range(w.ON_WAR, w.ON_AGE_END + 1):
        for clause in range(rules.clause_from[trigger], rules.clause_from[trigger + 1]):
            if rules.clause_entry[clause] == item:
                _add_clause(public, rules, gains, clause, trigger, seat, seat, item, 1.0)


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
                _add_clause(public, rules, gains, clause, trigger, seat, seat, item, times)
                continue
            movers = 0
            for mover in range(public.seats):
                movers += _ways_to_trigger(public, rules, clause, trigger, seat, mover)
            for mover in range(public.seats):
                ways = _ways_to_trigger(public, rules, clause, trigger, seat, mover)
                if ways:
                    _add_clause(public, rules, gains, clause, trigger, seat, mover, item, times * ways / movers)
    if until == w.ON_SCORE and rules.triggers & PRICED:
        add_prices(public, rules, seat, item, gains)
