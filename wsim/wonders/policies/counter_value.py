"""The value of a change of counters (R70) to a city: the gains that its clauses get from them, this age and later.

Expected steps on a track are worth their gains, or their share of a later threshold that the city can still reach,
whichever is higher. If other cities can also raise a counter, half of that counts: either they contribute or nobody
does.
"""

from __future__ import annotations

import numpy as np

from wsim.jit import count_bits, kernel, stack_room
from wsim.wonders import words as w
from wsim.wonders.kernels.clause_owners import has_entry, related
from wsim.wonders.kernels.clauses import cities_met, formula_points
from wsim.wonders.kernels.counters import FIRST_ACT, change_counter
from wsim.wonders.kernels.formula import evaluate
from wsim.wonders.policies.clause_gains import (
    AGE_SHIELDS,
    COINS,
    COINS_AT_ONCE,
    COLUMNS,
    COUNTED,
    OWN,
    RIVAL,
    SHIELDS,
    STEPS_FROM,
    add_gain,
    clear_gains,
    reads_age,
    rough_of,
    rough_points,
    times_in_age,
    times_left,
)

_MOST_STEPS = 12  # that are looked ahead on a track
_room_for_saved = stack_room("counter_value.saved", np.int64, w.COUNTERS)
_room_for_before = stack_room("counter_value.before", np.int64, w.COUNTERS)
_room_for_worth = stack_room("counter_value.worth", np.float64, 2, COLUMNS)
_room_for_apart = stack_room("counter_value.apart", np.float64, 3)  # coins, shields, shields for one age
_room_for_alone = stack_room("counter_value.alone", np.float64, 3)
_room_for_option = stack_room("counter_value.option", np.float64, 2, COLUMNS)


@kernel(rare=True)
def _scored(public, rules, city, seat, item):
    """Return the points of the `scored` clauses of a city; for ``seat``, also those of an item that it will place."""
    points, last = 0, -1
    for clause in range(rules.clause_from[w.ON_SCORE], rules.clause_from[w.ON_SCORE + 1]):
        entry = np.int64(rules.clause_entry[clause])
        if entry != last and (has_entry(public, rules, city, entry) or (city == seat and entry == item)):
            points += formula_points(public, rules, city, entry)
        last = entry
    return points


@kernel
def _set(public, rules, city, counter, value):
    """Set a counter of a city or of the table, within its bounds."""
    value = min(max(value, np.int64(rules.counter_least[counter])), np.int64(rules.counter_most[counter]))
    whole = rules.counter_of[counter] == w.OF_TABLE
    for one in range(public.seats):
        if whole or one == city:
            public.counter[one, counter] = value


@kernel(rare=True)
def points_scored(public, rules, city, seat, item, action, amount):
    """Return the points that a change of a counter adds for a city at the end; the counter is restored."""
    counter = (action - FIRST_ACT) >> 1
    if rules.counter_lasts[counter] < w.FOR_GAME and public.age < w.AGES - 1:
        return 0
    value = np.int64(public.counter[city, counter])
    points = -_scored(public, rules, city, seat, item)
    _set(public, rules, city, counter, value + (amount if (action - FIRST_ACT) & 1 == 0 else -amount))
    points += _scored(public, rules, city, seat, item)
    _set(public, rules, city, counter, value)
    return points


@kernel
def _add_actions(public, rules, gains, steps, trigger, seat, city, other, item, times, first, end):
    """Add the gains of some actions of a clause for one city; for counters other than those of the steps, the points at
    the end."""
    for at in range(first, end):
        amount = evaluate(public, rules, np.int64(rules.action_amount[at]), seat, other)
        action = np.int64(rules.action[at])
        if amount and action >= FIRST_ACT:
            row = OWN if city == seat else RIVAL
            if steps[STEPS_FROM + ((action - FIRST_ACT) >> 1)] == 0.0:
                gains[row, COUNTED] += times * points_scored(public, rules, city, seat, item, action, amount)
        elif amount:
            add_gain(public, rules, gains, trigger, action, seat, city, amount, times)


@kernel(rare=True)
def times_until_stopped(public, rules, clause, first, end, seat, other, times):
    """Return how often a clause acts, at most ``times``, before counters that its actions from ``first`` up to ``end``
    change make its condition false.

    The condition is true now. Counters that last an age stop the clause again in each remaining age.
    """
    condition = np.int64(rules.clause_if[clause])
    lasts = w.FOR_TURN
    for at in range(first, end):
        if rules.action[at] >= FIRST_ACT:
            lasts = max(lasts, np.int64(rules.counter_lasts[(rules.action[at] - FIRST_ACT) >> 1]))
    if condition < 0 or lasts == w.FOR_TURN or rules.clause_each[clause] != w.WHOM_SELF:
        return times
    before, acts = _room_for_before(), 0
    for counter in range(rules.counters):
        before[counter] = public.counter[seat, counter]
    while acts < times and acts < _MOST_STEPS and evaluate(public, rules, condition, seat, other):
        for at in range(first, end):
            if rules.action[at] >= FIRST_ACT:
                amount = evaluate(public, rules, np.int64(rules.action_amount[at]), seat, other)
                change_counter(public, rules, seat, np.int64(rules.action[at]), amount)
        acts += 1
    stopped = acts < times and not evaluate(public, rules, condition, seat, other)
    _put_back(public, rules, before, seat)
    if not stopped:
        return times
    return min(times, np.float64(acts * (w.AGES - public.age if lasts == w.FOR_AGE else 1)))


@kernel
def uses_of(public, rules, option, seat, payer, times):
    """Return how often the deciding city can pay the counters in an option's price, at most ``times``."""
    for at in range(rules.option_first[option], rules.option_paid[option]):
        action = np.int64(rules.action[at])
        if action >= FIRST_ACT:
            counter = (action - FIRST_ACT) >> 1
            amount = evaluate(public, rules, np.int64(rules.action_amount[at]), seat, seat)
            left = np.int64(public.counter[payer, counter]) - np.int64(rules.counter_least[counter])
            if amount > 0:
                times = min(times, np.float64(left // amount))
    return times


@kernel
def _worth_of_option(public, rules, steps, clause, option, cities, trigger, seat, item, times):
    """Return the approximate points of an option of a decision, repeated as often as the city's counters allow."""
    gains, uses = _room_for_option(), uses_of(public, rules, option, seat, seat, times)
    clear_gains(gains)
    if uses <= 0.0:
        return 0.0
    first, end = np.int64(rules.option_first[option]), np.int64(rules.option_end[option])
    uses = times_until_stopped(public, rules, clause, first, end, seat, seat, uses)
    for at in range(rules.option_first[option], rules.option_paid[option]):
        if rules.action[at] < FIRST_ACT:
            _add_actions(public, rules, gains, steps, trigger, seat, seat, seat, item, 1.0, at, at + 1)
    for city in range(public.seats):
        if cities >> city & 1:
            other = seat if rules.clause_each[clause] == w.WHOM_SELF else city
            first, end = rules.option_paid[option], rules.option_end[option]
            _add_actions(public, rules, gains, steps, trigger, seat, city, other, item, 1.0, first, end)
    return uses * rough_points(gains)


@kernel(rare=True)
def _best_option(public, rules, steps, clause, trigger, seat, item, times):
    """Return the approximate points of a clause decision, with its best option and amount."""
    best, before = 0.0, np.int64(public.amount)
    cities = cities_met(public, rules, clause, seat, seat)
    if cities == 0:
        return 0.0
    for option in range(rules.clause_options[clause], rules.clause_options[clause + 1]):
        amounts = np.int64(rules.option_amount[option])
        most = evaluate(public, rules, amounts, seat, seat) if amounts >= 0 else 0
        for amount in range(0 if amounts < 0 else 1, most + 1):
            public.amount = amount
            worth = _worth_of_option(public, rules, steps, clause, option, cities, trigger, seat, item, times)
            best = max(best, worth)
    public.amount = before
    return best


@kernel
def _is_of(public, rules, clause, seat, item):
    """Return whether a city has a clause, or will have it with an item."""
    entry = np.int64(rules.clause_entry[clause])
    return entry == item or has_entry(public, rules, seat, entry)


@kernel
def _worth_of_clause(public, rules, steps, gains, clause, trigger, seat, item, times):
    """Add a city's gains from a clause that triggers ``times`` times; return the approximate points of a decision."""
    if times <= 0.0:
        return 0.0
    if rules.clause_options[clause + 1] > rules.clause_options[clause]:
        return _best_option(public, rules, steps, clause, trigger, seat, item, times)
    each, condition = rules.clause_each[clause], np.int64(rules.clause_if[clause])
    for city in range(public.seats):
        whom = w.WHOM_SELF if each == w.WHOM_TRIGGER else each
        if related(public, rules, seat, city, whom) and (
            condition < 0 or evaluate(public, rules, condition, seat, city)
        ):
            first, end = rules.clause_actions[clause], rules.clause_actions[clause + 1]
            acts = times_until_stopped(public, rules, clause, first, end, seat, city, times)
            _add_actions(public, rules, gains, steps, trigger, seat, city, city, item, acts, first, end)
    return 0.0


@kernel(rare=True)
def _worth_of_clauses(public, rules, steps, seat, item, without, this_age, apart):
    """Return the rough points that the moments of this age, or of the later ones, bring a city by its clauses; and
    those of the end of the game, where it belongs. Clauses that read the age are valued age by age. ``apart``: to it
    the coins and shields among them are added that no decision brings."""
    gains, worth, now = _room_for_worth(), 0.0, np.int64(public.age)
    clear_gains(gains)
    for trigger in range(w.ON_CARD, w.ON_SCORE):
        for clause in range(rules.clause_from[trigger], rules.clause_from[trigger + 1]):
            if clause == without or not _is_of(public, rules, clause, seat, item):
                continue
            if trigger < w.ON_TURN and rules.clause_by[clause] != w.WHOM_SELF:
                continue
            first = last = now if this_age else now + 1
            times = times_in_age(public, rules, clause, trigger)
            if not this_age:
                times = times_left(public, rules, clause, trigger) - times
            by_age = not this_age and reads_age(rules, clause)
            if by_age:
                last = w.AGES - 1
            for age in range(first, last + 1):
                if by_age:
                    public.age = age
                    times = np.float64(rules.clause_times[clause, age])
                worth += _worth_of_clause(public, rules, steps, gains, clause, trigger, seat, item, times)
            public.age = now
    if this_age == (public.age == w.AGES - 1):
        worth += _scored(public, rules, seat, seat, item)
    apart[0] += gains[OWN, COINS] + gains[OWN, COINS_AT_ONCE]
    apart[1] += gains[OWN, SHIELDS]
    apart[2] += gains[OWN, AGE_SHIELDS]
    return worth + rough_points(gains)


@kernel
def _walk(public, rules, steps, seat, times, others, least):
    """Change the counters that last at least ``least`` by a multiple of their expected steps; counters of the table
    also by the steps of other cities."""
    for counter in range(rules.counters):
        step = steps[STEPS_FROM + counter]
        if step != 0.0 and rules.counter_lasts[counter] >= least:
            more = step * times
            if rules.counter_of[counter] == w.OF_TABLE:
                more += step * others
            more = np.floor(more + 0.5)
            _set(public, rules, seat, counter, np.int64(public.counter[seat, counter]) + np.int64(more))


@kernel
def _put_back(public, rules, saved, seat):
    for counter in range(rules.counters):
        if public.counter[seat, counter] != saved[counter]:
            _set(public, rules, seat, counter, saved[counter])


@kernel(rare=True)
def _worth_after(public, rules, steps, saved, seat, item, without, times, others, apart):
    """Return the rough points that the clauses of a city bring after a number of steps; fill the coins and shields
    among them."""
    for kind in range(3):
        apart[kind] = 0.0
    _walk(public, rules, steps, seat, times, others, w.FOR_AGE)
    worth = _worth_of_clauses(public, rules, steps, seat, item, without, True, apart)
    _put_back(public, rules, saved, seat)
    if public.age < w.AGES - 1:
        _walk(public, rules, steps, seat, times, others, w.FOR_GAME)
        worth += _worth_of_clauses(public, rules, steps, seat, item, without, False, apart)
        _put_back(public, rules, saved, seat)
    return worth


@kernel(rare=True)
def still_to_come(public, rules, counter, seat, item):
    """Return by how much the clauses of a city, without those of the item, can still raise a counter."""
    coming = 0.0
    for trigger in range(w.ON_CARD, w.ON_SCORE):
        for clause in range(rules.clause_from[trigger], rules.clause_from[trigger + 1]):
            if rules.clause_entry[clause] == item or not has_entry(public, rules, seat, rules.clause_entry[clause]):
                continue
            for at in range(rules.clause_actions[clause], rules.clause_actions[clause + 1]):
                if rules.action[at] == FIRST_ACT + 2 * counter:
                    times = times_left(public, rules, clause, trigger)
                    if rules.counter_lasts[counter] < w.FOR_GAME:
                        times = times_in_age(public, rules, clause, trigger)
                    coming += times * evaluate(public, rules, np.int64(rules.action_amount[at]), seat, seat)
    return coming


@kernel(rare=True)
def _other_raisers(public, rules, seat, counter):
    """Return how many other cities have a clause that raises a counter."""
    cities = 0
    for clause in range(rules.clause_from[w.ON_SCORE]):
        for at in range(rules.clause_actions[clause], rules.clause_actions[clause + 1]):
            if rules.action[at] == FIRST_ACT + 2 * counter:
                for city in range(public.seats):
                    if city != seat and has_entry(public, rules, city, np.int64(rules.clause_entry[clause])):
                        cities |= 1 << city
    return count_bits(np.uint64(cities))


@kernel(rare=True)
def _look_ahead(public, rules, gains, seat, item, saved):
    """Keep the counters of a city; return what steps it expects: the largest one, whether any goes down, how many other
    cities take steps of the table, and how many times the largest one a city may still go."""
    largest, lowers, others, farther = 0.0, False, 0, 0.0
    for counter in range(rules.counters):
        saved[counter] = public.counter[seat, counter]
        step = gains[OWN, STEPS_FROM + counter]
        lowers = lowers or step < 0.0
        if step > 0.0:
            if rules.counter_of[counter] == w.OF_TABLE:
                others = max(others, np.int64(_other_raisers(public, rules, seat, counter)))
            largest = max(largest, step)
            farther = max(farther, 1.0 + still_to_come(public, rules, counter, seat, item) / step)
    return largest, lowers, others, farther


@kernel(rare=True)
def add_worth_of_steps(public, rules, seat, item, spender, gains):
    """Add what the expected changes of counters are worth to a city, as coins, shields and in rough points; ``item``: a
    structure or stage that it is to place, -1 none; ``spender``: a clause whose changes they are, -1 none. What it
    spends costs it nothing, as its gains are counted already."""
    saved = _room_for_saved()
    largest, lowers, others, farther = _look_ahead(public, rules, gains, seat, item, saved)
    if largest == 0.0 and not lowers:
        return
    steps, shared, without = gains[OWN], others > 0, spender if lowers else -1
    apart, before = _room_for_apart(), _room_for_alone()
    alone = _worth_after(public, rules, steps, saved, seat, item, without, 0.0, 0, before)
    together = _worth_after(public, rules, steps, saved, seat, item, without, 0.0, others, apart) if shared else 0.0
    further = 1.0 / largest if largest > 0.0 else 1.0
    best, best_times, times, tried = -1e9, 0.0, max(1.0, further), 0
    while tried == 0 or (not lowers and tried < _MOST_STEPS and times <= farther):
        worth = _worth_after(public, rules, steps, saved, seat, item, without, times, 0, apart) - alone
        if shared:
            worth += _worth_after(public, rules, steps, saved, seat, item, without, times, others, apart) - together
            worth *= 0.5
        if worth / times > best:
            best, best_times = worth / times, times
        times += further
        tried += 1
    gains[OWN, COUNTED] += best
    if not shared:
        _worth_after(public, rules, steps, saved, seat, item, without, best_times, 0, apart)
        for kind in range(3):
            column = COINS if kind == 0 else (SHIELDS if kind == 1 else AGE_SHIELDS)
            more = (apart[kind] - before[kind]) / best_times
            gains[OWN, column] += more
            gains[OWN, COUNTED] -= rough_of(column, more)
