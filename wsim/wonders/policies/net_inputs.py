"""The inputs of the policy ``net``: numbers of the state, sets of cards, and the candidate moves with their numbers.

They use only what a seat may know (R49): its hand, the hands it passed on, and public information. They are the same
for every rule set and number of players.
"""

from __future__ import annotations

import numpy as np

from wsim.jit import kernel, lowest_bit
from wsim.wonders import words as w
from wsim.wonders.kernels.layout import BANK_AT, NOBODY
from wsim.wonders.kernels.moves import action_of, bank_of, card_of, how_of, left_of, right_of, spends_of
from wsim.wonders.kernels.turn import neighbor_left, neighbor_right
from wsim.wonders.policies.free_city import city_value
from wsim.wonders.policies.points import effect_change, next_holder, next_stage, score_change
from wsim.wonders.policies.value import card_for_next
from wsim.wonders.policies.weighted import move_values

MAX_CANDIDATES = 64
_ZERO, _ONE, _BYTE = np.uint64(0), np.uint64(1), np.uint64(0xFF)
_SAME = np.uint64((1 << BANK_AT) - 1)  # the fields of a move for card, action and way
_ABILITIES = 11
_MARGIN = 3  # shields at which a lead is capped


# --- numbers of the state


@kernel
def _lane(word, resource):
    return np.int64((word >> np.uint64(8 * resource)) & _BYTE)


@kernel
def _military(public, rules, seat):
    points = public.defeats[seat] * rules.defeat_points
    for age in range(w.AGES):
        points += public.victory[seat, age] * rules.victory_points[age]
    return points


@kernel
def _moment(public, choice, rules, x):
    """Fill the numbers of the table and the moment; return their count."""
    x[public.age * w.TURNS + public.turn] = 1.0
    at = w.AGES * w.TURNS
    x[at + rules.players - 2] = 1.0
    at += w.SEATS - 1
    if choice.kind < w.EFFECT:
        x[at + choice.kind] = 1.0
    at += w.EFFECT
    x[at], x[at + 1], x[at + 2] = rules.duo, rules.cities, rules.teams
    x[at + 3] = (public.turns - public.turn) / 4.0
    x[at + 4] = public.discarded / 20.0
    x[at + 5] = 1.0 if public.turn == public.turns - 1 else 0.0
    return at + 6


@kernel
def _city(public, rules, seat, x, at):
    """Fill the numbers of any city; return the next index."""
    coins = public.coins[seat]
    x[at], x[at + 1], x[at + 2] = coins / 10.0, min(coins, 6) / 6.0, min(coins, 2) / 2.0
    x[at + 3] = public.stages[seat] / 3.0
    x[at + 4] = (rules.stage_count[public.side[seat]] - public.stages[seat]) / 2.0
    x[at + 5] = public.shields[seat] / 5.0
    x[at + 6] = _military(public, rules, seat) / 6.0
    x[at + 7], x[at + 8] = public.diplomacy[seat], public.debts[seat] / 3.0
    at += 9
    for color in range(w.COLOR_KINDS):
        x[at + color] = public.colors[seat, color] / 3.0
    at += w.COLOR_KINDS
    for symbol in range(1, w.SYMBOL_KINDS):
        x[at + symbol - 1] = public.symbols[seat, symbol] / 2.0
    return at + w.SYMBOL_KINDS - 1


@kernel
def _economy(public, rules, seat, x, at):
    """Fill what the own city can produce and pay; return the next index."""
    for resource in range(w.RESOURCE_KINDS):
        reach = _lane(public.reach[seat], resource)
        x[at + resource] = min(reach, 4) / 2.0
        x[at + w.RESOURCE_KINDS + resource] = 1.0 if reach > 0 else 0.0
        x[at + 2 * w.RESOURCE_KINDS + resource] = min(_lane(public.plain[seat], resource), 4) / 2.0
    at += 3 * w.RESOURCE_KINDS
    for kind in range(w.PRICE_KINDS):
        x[at + kind] = 2.0 - public.price[seat, kind]
    at += w.PRICE_KINDS
    stage = next_stage(public, rules, seat)
    lacking = 0
    for resource in range(w.RESOURCE_KINDS):
        lack = 0
        if stage >= 0:
            lack = max(_lane(rules.cost[stage], resource) - _lane(public.reach[seat], resource), 0)
        x[at + resource] = lack
        lacking += lack
    x[at + w.RESOURCE_KINDS] = 1.0 if stage >= 0 and lacking == 0 else 0.0
    at += w.RESOURCE_KINDS + 1
    for bit in range(_ABILITIES):
        x[at + bit] = public.abilities[seat] >> bit & 1
    at += _ABILITIES
    x[at], x[at + 1] = public.free_used[seat], public.copy_science[seat]
    return at + 2


@kernel
def _neighbor(public, rules, seat, other, x, at):
    """Fill the numbers of a neighbour relative to the own city; return the next index."""
    at = _city(public, rules, other, x, at)
    lead = public.shields[other] - public.shields[seat]
    x[at + max(-_MARGIN, min(lead, _MARGIN)) + _MARGIN] = 1.0
    x[at + 2 * _MARGIN + 1] = lead / 4.0
    at += 2 * _MARGIN + 2
    for resource in range(w.RESOURCE_KINDS):
        x[at + resource] = min(_lane(public.sale_reach[other], resource), 3) / 2.0
        x[at + w.RESOURCE_KINDS + resource] = 1.0 if _lane(public.reach[other], resource) > 0 else 0.0
    at += 2 * w.RESOURCE_KINDS
    x[at] = 1.0 if rules.teams and other == seat ^ 1 else 0.0
    return at + 1


@kernel
def fill_state(public, own, choice, rules, x):
    """Fill the numbers of the state for the deciding seat; return their count."""
    seat = own.seat
    at = _moment(public, choice, rules, x)
    at = _city(public, rules, seat, x, at)
    at = _economy(public, rules, seat, x, at)
    at = _neighbor(public, rules, seat, neighbor_left(public, seat), x, at)
    at = _neighbor(public, rules, seat, neighbor_right(public, seat), x, at)
    left, right = neighbor_left(public, seat), neighbor_right(public, seat)
    for other in range(rules.players):
        if other != seat and other != left and other != right:
            x[at] = max(x[at], public.colors[other, w.PURPLE] / 3.0)
            x[at + 1] = max(x[at + 1], public.shields[other] / 5.0)
            x[at + 2] += public.shields[other] / 10.0
            x[at + 3] += public.colors[other, w.GREEN] / 6.0
            x[at + 4] += public.colors[other, w.RED] / 6.0
            x[at + 5] = max(x[at + 5], _military(public, rules, other) / 6.0)
    return at + 6


# --- sets of cards


@kernel
def _names(rules, age, slots, word):
    """Return the cards in some slots as one 64-bit word of the card set."""
    names = _ZERO
    while slots:
        card = np.int64(rules.slot_card[age, lowest_bit(slots)])
        slots &= slots - _ONE
        if card >> 6 == word:
            names |= _ONE << np.uint64(card & 63)
    return names


@kernel
def hand_names(public, own, rules, word):
    """Return the cards in the seat's hand as one 64-bit word of the card set."""
    return _names(rules, public.age, own.hand, word)


@kernel
def coming_names(public, own, rules, word):
    """Return the cards that may return to the seat in this age as one 64-bit word of the card set (R5).

    A hand that it passed on returns after as many turns as there are players, without the cards that other cities have
    built from it.
    """
    seen_names, seat, players, age, turn = _ZERO, own.seat, rules.players, public.age, public.turn
    for after in range(1, players):
        handed = turn + after - players
        if handed < 0 or turn + after >= public.turns:
            continue
        names = _names(rules, age, own.passed[age, handed], word)
        for step in range(1, turn - handed):
            holder = (seat - step) % players if rules.to_right[age] else (seat + step) % players
            names &= ~public.built[holder, word]
        seen_names |= names
    return seen_names


# --- moves


@kernel
def _value_moves(public, own, choice, rules, settings, values):
    """Fill the value of every move according to ``weighted``; for the Free City, its value to the holder (R46)."""
    if choice.seat == own.seat:
        move_values(public, settings, choice, rules, values)
        return
    for i in range(choice.count):
        values[i] = city_value(public, own, choice, rules, choice.moves[i])


@kernel
def list_candidates(public, own, choice, rules, settings, values, places):
    """List the indices of the candidate moves: for each action with each card, the best payment; of a clause's
    decision (R72) all, or the best of each option if there are too many.

    Returns their number and fills ``values`` for all legal moves.
    """
    _value_moves(public, own, choice, rules, settings, values)
    count, i = 0, 0
    if choice.kind == w.EFFECT and choice.count <= MAX_CANDIDATES:
        while count < choice.count:
            places[count] = count
            count += 1
        return count
    while i < choice.count and count < MAX_CANDIDATES:
        same, best = choice.moves[i] & _SAME, i
        i += 1
        while i < choice.count and choice.moves[i] & _SAME == same:
            if values[i] > values[best]:
                best = i
            i += 1
        places[count] = best
        count += 1
    return count


@kernel(rare=True)
def _fill_decision(public, choice, rules, values, places, count, best, numbers):
    """Fill the applicable numbers of each candidate of a clause decision (R72)."""
    coins = public.coins[choice.seat]
    for j in range(count):
        at = places[j]
        paid = bank_of(choice.moves[at])
        numbers[j, 0] = paid / 4.0
        numbers[j, 6], numbers[j, 7] = values[at] / 5.0, (values[at] - best) / 5.0
        numbers[j, 8] = 1.0 if values[at] == best else 0.0
        numbers[j, 11] = effect_change(public, rules, choice, at) / 5.0
        numbers[j, 12] = 1.0 if action_of(choice.moves[at]) == w.DECLINE else 0.0
        numbers[j, 14] = min(coins - paid, 6) / 6.0


@kernel
def fill_moves(public, own, choice, rules, settings, values, places, count, numbers):
    """Fill the numbers of each candidate."""
    seat, coins = choice.seat, public.coins[choice.seat]
    stage = next_stage(public, rules, seat)
    stage_points = score_change(public, rules, seat, stage) if stage >= 0 else 0.0
    receiver = next_holder(public, rules, own.seat)
    best = values[places[0]]
    for j in range(1, count):
        best = max(best, values[places[j]])
    card, points, denied = NOBODY, 0.0, 0.0
    if choice.kind == w.EFFECT:
        _fill_decision(public, choice, rules, values, places, count, best, numbers)
        return
    for j in range(count):
        at = places[j]
        move = choice.moves[at]
        action = action_of(move)
        if card_of(move) != card and action != w.DECLINE:
            card, points, denied = card_of(move), 0.0, 0.0
            if choice.kind == w.TURN:
                denied = card_for_next(public, settings, rules, receiver, card)
        if action == w.BUILD:
            points = score_change(public, rules, seat, card)
        paid, traded = bank_of(move), left_of(move) + right_of(move)
        numbers[j, 0], numbers[j, 1], numbers[j, 2] = paid / 4.0, left_of(move) / 4.0, right_of(move) / 4.0
        numbers[j, 3] = 1.0 if action == w.BUILD and how_of(move) == w.CHAIN else 0.0
        numbers[j, 4] = 1.0 if action == w.BUILD and how_of(move) == w.FREE else 0.0
        numbers[j, 5] = spends_of(move)
        numbers[j, 6], numbers[j, 7] = values[at] / 5.0, (values[at] - best) / 5.0
        numbers[j, 8] = 1.0 if values[at] == best else 0.0
        numbers[j, 9], numbers[j, 10] = 1.0 if action == w.STAGE else 0.0, 1.0 if action == w.SELL else 0.0
        numbers[j, 11] = (points if action == w.BUILD else (stage_points if action == w.STAGE else 0.0)) / 5.0
        numbers[j, 12] = 1.0 if action == w.DECLINE else 0.0
        numbers[j, 13] = denied / 5.0
        numbers[j, 14] = min(coins - paid - traded, 6) / 6.0
        numbers[j, 15] = 1.0 if seat != own.seat else 0.0
