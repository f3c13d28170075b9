"""Expected gains from the clauses of a structure or stage until the end: expected frequency times current amount.

``RULES.clause_times`` gives how often a clause triggers per age; later effects are assumed to equal the current one.
``gains`` has one row for the own city and one for the mean rival.
"""

from __future__ import annotations

import numpy as np

from wsim.jit import kernel, stack_room
from wsim.wonders import words as w
from wsim.wonders.kernels.clause_owners import related
from wsim.wonders.kernels.clauses import cities_met
from wsim.wonders.kernels.counters import FIRST_ACT
from wsim.wonders.kernels.formula import evaluate
from wsim.wonders.kernels.layout import NOBODY
from wsim.wonders.kernels.moves import (
    action_of,
    amount_of,
    card_of,
    city_of,
    gives_of,
    option_of,
    owner_of_move,
    picked_of,
    slot_of,
    trigger_of_move,
)
from wsim.wonders.kernels.pending import decider_for
from wsim.wonders.kernels.picked import know_card, source_city
from wsim.wonders.kernels.prices import PRICED
from wsim.wonders.policies.clause_gains import (
    AGE_SHIELDS,
    COLUMNS,
    COUNTED,
    EITHER_FROM,
    OWN,
    PILE_BUILDS,
    POINTS,
    PRICES_FROM,
    RIVAL,
    SHIELDS,
    STEPS_FROM,
    TURN_UNITS_FROM,
    add_gain,
    clear_gains,
    reads_age,
    rough_points,
    times_in_age,
    times_left,
)
from wsim.wonders.policies.counter_value import add_worth_of_steps, points_scored, times_until_stopped, uses_of
from wsim.wonders.policies.price_value import add_prices

_room_for_option = stack_room("clause_value.option", np.float64, 2, COLUMNS)
_room_for_expected = stack_room("clause_value.expected", np.float64, 2, COLUMNS)
_LEAST = 1.0  # points of the structure of a city that it misses least
_TAKEN = 3.0  # points of the structure that a city takes from another
_TAKE, _GIVE, _GAIN_COINS, _LOSE_COINS = w.ACT["take"], w.ACT["give"], w.ACT["gain coins"], w.ACT["lose coins"]
_LAST_MOVE = w.ON_CARD + len(w.MOVE_TRIGGERS) - 1


@kernel
def _add_actions(public, rules, gains, trigger, seat, city, other, item, times, first, end, viewer, stopped):
    """Add the expected gains of some actions of a clause of ``seat`` for one city, as a viewer sees them.

    ``stopped``: the clause will soon be stopped by counters that it changes; then counters of its card only limit it.
    """
    for at in range(first, end):
        amount = evaluate(public, rules, np.int64(rules.action_amount[at]), seat, other)
        action = np.int64(rules.action[at])
        if amount and action < FIRST_ACT:
            if viewer != seat and action <= _GIVE:
                giver, taker = (city, seat) if action == _TAKE else (seat, city)
                amount = min(amount, np.int64(public.coins[giver]))
                add_gain(public, rules, gains, trigger, _LOSE_COINS, viewer, giver, amount, times)
                add_gain(public, rules, gains, trigger, _GAIN_COINS, viewer, taker, amount, times)
            else:
                add_gain(public, rules, gains, trigger, action, viewer, city, amount, times)
        elif amount and city == viewer:
            steps, counter = amount if (action - FIRST_ACT) & 1 == 0 else -amount, (action - FIRST_ACT) >> 1
            if not stopped or rules.counter_of[counter] != w.OF_CARD:
                gains[OWN, STEPS_FROM + counter] += times * steps
        elif amount:
            points = times * points_scored(public, rules, city, viewer, item, action, amount)
            gains[RIVAL, COUNTED] += points / max(rules.players - 1, 1)


@kernel(rare=True)
def _fill_option(public, rules, gains, clause, option, trigger, seat, mover, item, target, viewer, payer, stopped):
    """Fill the gains of an option of a decision, with its price; 0 if the condition of the clause is false.

    ``target``: the chosen city, -1 for all cities that the clause names. ``seat`` has the clause, ``payer`` decides it
    (R98), and the gains are those of a viewer and its rivals. ``stopped``: as in ``_add_actions``.
    """
    clear_gains(gains)
    cities = cities_met(public, rules, clause, seat, mover)
    if target >= 0:
        cities &= 1 << target
    if cities == 0:
        return
    paid = rules.option_paid[option]
    first = rules.option_first[option]
    _add_actions(public, rules, gains, trigger, seat, payer, mover, item, 1.0, first, paid, viewer, stopped)
    for city in range(public.seats):
        if cities >> city & 1:
            other = mover if rules.clause_each[clause] == w.WHOM_SELF else city
            end = rules.option_end[option]
            _add_actions(public, rules, gains, trigger, seat, city, other, item, 1.0, paid, end, viewer, stopped)


@kernel
def _add_either(public, rules, gains, option_gains, clause, trigger, seat, mover, item, times):
    """Add the units for one turn that the options of a decision give, treated as an either/or symbol; return whether at
    least two options give units."""
    giving = 0
    for adding in range(2):
        if adding and giving < 2:
            return False
        for option in range(rules.clause_options[clause], rules.clause_options[clause + 1]):
            _fill_option(public, rules, option_gains, clause, option, trigger, seat, mover, item, -1, seat, seat, False)
            units = 0.0
            for kind in range(w.RESOURCE_KINDS):
                units += option_gains[OWN, TURN_UNITS_FROM + kind]
                if adding:
                    gains[OWN, EITHER_FROM + kind] += times * option_gains[OWN, TURN_UNITS_FROM + kind]
            giving += units > 0.0
    return True


@kernel
def _add_card(rules, gains, option):
    """Add the approximate value of a card chosen in a later decision, such as a build from the pile."""
    does = rules.option_do[option]
    if does == w.DO_BUILD:
        gains[OWN, PILE_BUILDS] += 1.0
    elif does == w.DO_DISCARD and rules.option_from[option] == w.FROM_CITY:
        gains[OWN, POINTS] -= _LEAST
    elif does != w.DO_NOTHING and rules.option_from[option] != w.FROM_HAND:
        if does != w.DO_DISCARD:
            gains[OWN, POINTS] += _TAKEN - (_LEAST if does == w.DO_SWAP else 0.0)
        if does != w.DO_SWAP:
            gains[RIVAL, POINTS] -= _TAKEN / max(rules.players - 1, 1)


@kernel
def _targets(public, rules, clause, option, seat, mover):
    """Return how many cities or amounts can be chosen in an option of a later decision; 1 without such a choice."""
    if rules.option_amount[option] >= 0:
        return evaluate(public, rules, np.int64(rules.option_amount[option]), seat, mover)
    return public.seats if rules.clause_one[clause] else 1


@kernel
def _can_pay(public, rules, option, seat, mover, payer):
    """Return whether the deciding city could pay the price of an option now."""
    for at in range(rules.option_first[option], rules.option_paid[option]):
        amount, action = evaluate(public, rules, np.int64(rules.action_amount[at]), seat, mover), rules.action[at]
        if action < FIRST_ACT:
            if public.coins[payer] < amount:
                return False
        elif public.counter[payer, (action - FIRST_ACT) >> 1] - amount < rules.counter_least[(action - FIRST_ACT) >> 1]:
            return False
    return True


@kernel(rare=True)
def _times_chosen(public, rules, clause, option, seat, mover, payer, times):
    """Return how often an option of a decision of the city itself is chosen before its counters stop the clause."""
    if payer != seat:
        return times
    first, end = np.int64(rules.option_first[option]), np.int64(rules.option_end[option])
    return times_until_stopped(public, rules, clause, first, end, seat, mover, times)


@kernel(rare=True)
def _settle_spent(public, rules, seat, item, clause, gains):
    """Replace a clause's own counter steps by their cost to the other clauses of a city."""
    spends = False
    for counter in range(rules.counters):
        spends = spends or gains[OWN, STEPS_FROM + counter] < 0.0
    if spends:
        add_worth_of_steps(public, rules, seat, item, clause, gains)
        for counter in range(rules.counters):
            gains[OWN, STEPS_FROM + counter] = 0.0


@kernel(rare=True)
def _add_decision(public, rules, gains, clause, trigger, seat, mover, item, times):
    """Add the expected gains of a clause that asks: those of the approximately best option for the deciding city, which
    acts against the owner if it is a different city (R98)."""
    option_gains, payer = _room_for_option(), decider_for(public, rules, clause, seat, mover)
    if payer == NOBODY:
        return
    sign = 1.0 if payer == seat or (rules.teams and payer == seat ^ 1) else -1.0
    best, chosen, at, amount, often = (0.0 if rules.clause_may[clause] else -1e9), -1, -1, 0, times
    stopped = False
    for option in range(rules.clause_options[clause], rules.clause_options[clause + 1]):
        for target in range(_targets(public, rules, clause, option, seat, mover)):
            city = target if rules.clause_one[clause] else -1
            public.amount = target + 1 if rules.option_amount[option] >= 0 else 0
            if public.amount and not _can_pay(public, rules, option, seat, mover, payer):
                break
            uses = uses_of(public, rules, option, seat, payer, times)
            if uses <= 0.0:
                break
            acts = _times_chosen(public, rules, clause, option, seat, mover, payer, uses)
            _fill_option(
                public, rules, option_gains, clause, option, trigger, seat, mover, item, city, seat, payer, acts < uses
            )
            _add_card(rules, option_gains, option)
            add_worth_of_steps(public, rules, seat, item, clause, option_gains)
            value = sign * rough_points(option_gains)
            if value > best:
                best, chosen, at, amount, often, stopped = value, option, city, public.amount, acts, acts < uses
    public.amount = 0
    if chosen < 0:
        return
    times = often
    either = _add_either(public, rules, gains, option_gains, clause, trigger, seat, mover, item, times)
    public.amount = amount
    _fill_option(public, rules, option_gains, clause, chosen, trigger, seat, mover, item, at, seat, payer, stopped)
    public.amount = 0
    _add_card(rules, option_gains, chosen)
    for column in range(COLUMNS):
        option_gains[OWN, column] *= times
        option_gains[RIVAL, column] *= times
    _settle_spent(public, rules, seat, item, clause, option_gains)
    for column in range(COLUMNS):
        if either and TURN_UNITS_FROM <= column < PRICES_FROM:
            continue
        gains[OWN, column] += option_gains[OWN, column]
        gains[RIVAL, column] += option_gains[RIVAL, column]


@kernel(rare=True)
def clause_of_move(rules, move):
    """Return the clause of a move in a clause decision, and the index of the option that the move chooses (R72)."""
    clause = 0
    while rules.clause_entry[clause] != card_of(move) or rules.clause_number[clause] != slot_of(move):
        clause += 1
    return clause, np.int64(rules.clause_options[clause]) + option_of(move)


@kernel(rare=True)
def way_of_card(public, rules, choice, move):
    """Return the city that receives the card chosen by a move in a clause decision, and the city that loses it; NOBODY
    for the discard pile, and if the card stays where it is (R81, R82, R96, R97)."""
    if action_of(move) != w.CHOOSE or picked_of(move) < 0:
        return NOBODY, NOBODY
    _, option = clause_of_move(rules, move)
    owner, does = owner_of_move(move, choice.seat, public.seats), rules.option_do[option]
    source = source_city(public, owner, rules.option_from[option])
    if does == w.DO_NOTHING:
        return NOBODY, NOBODY
    if gives_of(move):
        return (source if source >= 0 else NOBODY), owner
    return (NOBODY if does == w.DO_DISCARD else owner), (source if source >= 0 else NOBODY)


@kernel(rare=True)
def share_of(public, rules, seat, city):
    """Return the weight of a city's points for a seat: points of a mate count fully, points of a rival against it."""
    if city == seat or (rules.teams and city == seat ^ 1):
        return 1.0
    return -1.0 / max(rules.players - (2 if rules.teams else 1), 1)


@kernel(rare=True)
def fill_gains_of_move(public, rules, choice, index, gains):
    """Fill the gains of a move in a clause decision for its city and the mean rival (R72)."""
    move, seat = choice.moves[index], owner_of_move(choice.moves[index], choice.seat, public.seats)
    clause, option = clause_of_move(rules, move)
    if rules.option_do[option] == w.DO_SWAP and gives_of(move):
        clear_gains(gains)  # as for every card that is given
        return
    mover, target = trigger_of_move(move), city_of(move)
    entry, how, order = public.event_entry, public.event_how, public.event_order
    public.amount = amount_of(move)
    if picked_of(move) >= 0:
        know_card(public, rules, seat, rules.option_from[option], picked_of(move))
    viewer = choice.seat
    _fill_option(public, rules, gains, clause, option, w.ON_BUILT, seat, mover, -1, target, viewer, viewer, False)
    add_worth_of_steps(public, rules, viewer, -1, -1, gains)
    public.event_entry, public.event_how, public.event_order = entry, how, order
    public.amount = 0
    if public.age == w.AGES - 1 and rules.clause_from[w.ON_PEACE] <= clause < rules.clause_from[w.ON_SCORE]:
        gains[OWN, SHIELDS] = gains[OWN, AGE_SHIELDS] = gains[RIVAL, SHIELDS] = 0.0  # no conflicts follow
        gains[RIVAL, AGE_SHIELDS] = 0.0


@kernel
def _add_city(public, rules, gains, clause, trigger, seat, city, other, item, times):
    """Add the expected gains of a clause for one city, if its condition is true now."""
    condition = np.int64(rules.clause_if[clause])
    if condition < 0 or evaluate(public, rules, condition, seat, other):
        first, end = rules.clause_actions[clause], rules.clause_actions[clause + 1]
        acts = times_until_stopped(public, rules, clause, first, end, seat, other, times)
        _add_actions(public, rules, gains, trigger, seat, city, other, item, acts, first, end, seat, acts < times)


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
def add_end_of_age(public, rules, seat, item, gains):
    """Add the gains from an item's end-of-age clauses if this age ended now."""
    for trigger in range(w.ON_WAR, w.ON_AGE_END + 1):
        for clause in range(rules.clause_from[trigger], rules.clause_from[trigger + 1]):
            if rules.clause_entry[clause] == item:
                _add_clause(public, rules, gains, clause, trigger, seat, seat, item, 1.0)


@kernel(rare=True)
def _add_by_age(public, rules, gains, clause, trigger, seat, mover, item, share):
    """Add the expected gains of a clause until the end, times a share; age by age if its formulas read the age."""
    now, last = np.int64(public.age), np.int64(public.age)
    times = times_left(public, rules, clause, trigger)
    if trigger != w.ON_BUILT and now < w.AGES - 1 and reads_age(rules, clause):
        times, last = times_in_age(public, rules, clause, trigger), w.AGES - 1
    for age in range(now, last + 1):
        public.age = age
        if age > now:
            times = np.float64(rules.clause_times[clause, age])
        if times > 0.0:
            _add_clause(public, rules, gains, clause, trigger, seat, mover, item, share * times)
    public.age = now


@kernel(rare=True)
def fill_expected_gains(public, rules, seat, item, until, gains):
    """Fill the expected gains of its city and the mean rival from an item's clauses with triggers below ``until``."""
    clear_gains(gains)
    for trigger in range(min(until, w.ON_SCORE)):
        for clause in range(rules.clause_from[trigger], rules.clause_from[trigger + 1]):
            if rules.clause_entry[clause] != item:
                continue
            if trigger < w.ON_CARD or trigger > _LAST_MOVE:
                _add_by_age(public, rules, gains, clause, trigger, seat, seat, item, 1.0)
                continue
            movers = 0
            for mover in range(public.seats):
                movers += _ways_to_trigger(public, rules, clause, trigger, seat, mover)
            for mover in range(public.seats):
                ways = _ways_to_trigger(public, rules, clause, trigger, seat, mover)
                if ways:
                    _add_by_age(public, rules, gains, clause, trigger, seat, mover, item, ways / movers)
    if until == w.ON_SCORE and rules.triggers & PRICED:
        add_prices(public, rules, seat, item, gains)


@kernel(rare=True)
def add_points_to_come(public, rules, seat, item, gains):
    """Set the points to those that an item's clauses are expected to give until the end, less what counters that they
    spend cost others, and add what all other changes of counters that they are expected to make are worth; shields for
    an age only as many as this age is expected to have."""
    expected = _room_for_expected()
    fill_expected_gains(public, rules, seat, item, w.ON_SCORE, expected)
    gains[OWN, POINTS], gains[OWN, COUNTED] = expected[OWN, POINTS], expected[OWN, COUNTED]
    if rules.counters:
        for column in range(STEPS_FROM, COLUMNS):
            gains[OWN, column] = expected[OWN, column]
        shields = gains[OWN, AGE_SHIELDS]
        add_worth_of_steps(public, rules, seat, item, -1, gains)
        gains[OWN, AGE_SHIELDS] = shields + (gains[OWN, AGE_SHIELDS] - shields) / (w.AGES - public.age)
