"""``weighted``: the move with the highest value, a sum of features times the weights of the age (features.py).

Each distinct card and the next stage are valued once; payments only differ in coins. Ties go to the first move.
``move_values`` returns the value of every move instead of the index of the best.
"""

from __future__ import annotations

import numpy as np

from wsim.jit import kernel
from wsim.wonders.kernels.layout import ACTION_AT, BANK_AT, HOW_AT, NOBODY
from wsim.wonders.kernels.moves import (
    action_of,
    amount_of,
    bank_of,
    card_of,
    keeps_of,
    left_of,
    option_of,
    picked_of,
    right_of,
    slot_of,
    spends_of,
)
from wsim.wonders.kernels.turn import sale_coins
from wsim.wonders.policies.clause_gains import COINS_AT_ONCE, OWN, room_for_gains
from wsim.wonders.policies.clause_value import fill_gains_of_move, share_of, way_of_card
from wsim.wonders.policies.features import INDEX
from wsim.wonders.policies.points import coins_of, next_holder, next_stage
from wsim.wonders.policies.value import card_for_next, city_needs, gains_value, item_value, treasury_value
from wsim.wonders.words import BUILD, DECLINE, DISCARD_PILE, EFFECT, LOSS, SELL, STAGE, TURN

_GIFT, _SALE, _DEBT = (INDEX[name] for name in ("gift", "sale", "debt"))
_STAGE, _SAVE_FREE = INDEX["stage"], INDEX["save_free"]
_SAME = np.uint64((1 << HOW_AT) - 1)  # the fields of a move for card and action
_BANK = np.uint64(BANK_AT)
_COINS, _NOTHING = np.uint64(0xFFFFFF << BANK_AT), np.uint64(0)  # the fields for coins paid to bank, left and right
_CARD, _SALE_MOVE = np.uint64((1 << ACTION_AT) - 1), np.uint64(SELL << ACTION_AT)
_DENIED = 0.15  # fraction of a card's value to the next player that a move gains by not passing it on


@kernel
def _loss_value(public, settings, choice, index):
    """Return the value of one payment for a loss; unpaid coins become debts (R32)."""
    age, coins = public.age, public.coins[choice.seat]
    most, paid = bank_of(choice.moves[0]), bank_of(choice.moves[index])
    return treasury_value(settings, age, coins, coins - paid) + settings.weights[age, _DEBT] * (most - paid)


@kernel
def _after_paying(settings, age, coins, gained, move):
    """Return the change in the value of the treasury from the coins that a move pays and gains."""
    if gained == 0 and move & _COINS == _NOTHING:
        return 0.0
    traded = left_of(move) + right_of(move)
    after = coins + gained - traded - bank_of(move)
    return treasury_value(settings, age, coins, after) - settings.weights[age, _GIFT] * traded


@kernel
def _best_payment(settings, choice, age, coins, gained, first):
    """Return the best of the moves from ``first`` on with the same action and card.

    As (change of the treasury's value, offset from ``first``, number of such moves).
    """
    kind = choice.moves[first] & _SAME
    best, at, ways = -1e9, 0, 0
    while first + ways < choice.count:
        move = choice.moves[first + ways]
        if move & _SAME != kind:
            break
        value = _after_paying(settings, age, coins, gained, move)
        if spends_of(move):
            value -= settings.weights[age, _SAVE_FREE]
        if value > best:
            best, at = value, ways
        ways += 1
    return best, at, ways


@kernel
def _pile_value(public, settings, choice, rules, needs, index):
    """Return the value of a build from the discard pile; 0 for declining (R28)."""
    seat, age, move = choice.seat, public.age, choice.moves[index]
    if action_of(move) == DECLINE:
        return 0.0
    card = card_of(move)
    gained = coins_of(public, rules, seat, card) if rules.eventful[card] else 0
    value = item_value(public, settings, rules, seat, card, needs)
    return value + _after_paying(settings, age, public.coins[seat], gained, move)


@kernel(rare=True)
def effect_value(public, settings, choice, rules, index):
    """Return the value of a move in a clause decision (R72); 0 for declining."""
    if action_of(choice.moves[index]) == DECLINE:
        return 0.0
    seat, gains, move = choice.seat, room_for_gains(), choice.moves[index]
    if slot_of(move) == 0:  # a card is recruited (R89)
        entry, needs = card_of(move), city_needs(public, rules, seat, next_stage(public, rules, seat))
        gained = coins_of(public, rules, seat, entry) if rules.eventful[entry] else 0
        value = item_value(public, settings, rules, seat, entry, needs)
        if keeps_of(move):  # it is paid for later (R101)
            move |= np.uint64(rules.cost_coins[entry]) << _BANK
        return value + _after_paying(settings, public.age, public.coins[seat], gained, move)
    fill_gains_of_move(public, rules, choice, index, gains)
    coins, gained = public.coins[seat], np.int64(gains[OWN, COINS_AT_ONCE])
    value = gains_value(public, settings, rules, seat, gains)
    card = picked_of(choice.moves[index])
    gainer, loser = way_of_card(public, rules, choice, choice.moves[index])
    for gains_it in range(2):
        city = gainer if gains_it else loser
        if city != NOBODY:
            needs = city_needs(public, rules, city, next_stage(public, rules, city))
            share = share_of(public, rules, seat, city) if gains_it else -share_of(public, rules, seat, city)
            value += share * item_value(public, settings, rules, city, card, needs)
    if gainer == seat and loser == NOBODY and rules.eventful[card]:
        gained += coins_of(public, rules, seat, card)
    return value + treasury_value(settings, public.age, coins, coins + gained)


@kernel(rare=True)
def best_effect(public, settings, choice, rules):
    """Return the most valuable move of a clause decision; the first in case of ties."""
    best, at = -1e9, 0
    for i in range(choice.count):
        value = effect_value(public, settings, choice, rules, i)
        if value > best:
            best, at = value, i
    return at


@kernel(rare=True)
def best_amount(public, settings, choice, rules, index):
    """Return the index of the move with the most valuable amount (R95) of the option that a move chooses."""
    best, at = -1e9, index
    for i in range(choice.count):
        if amount_of(choice.moves[i]) and option_of(choice.moves[i]) == option_of(choice.moves[index]):
            value = effect_value(public, settings, choice, rules, i)
            if value > best:
                best, at = value, i
    return at


@kernel
def _best_rest(public, settings, choice, rules, stage, needs, first):
    """Rate the stage moves and the sale, which every card has; they are listed from ``first`` on.

    Returns the value of the best, its offset from ``first``, and the number of such moves per card.
    """
    seat, age = choice.seat, public.age
    coins = public.coins[seat]
    best, at, ways = -1e9, 0, 0
    if action_of(choice.moves[first]) == STAGE:
        gained = coins_of(public, rules, seat, stage) if rules.eventful[stage] else 0
        best, at, ways = _best_payment(settings, choice, age, coins, gained, first)
        best += settings.weights[age, _STAGE] + item_value(public, settings, rules, seat, stage, needs)
    sale = first + ways
    if sale < choice.count and choice.moves[sale] & _SAME == choice.moves[first] & _CARD | _SALE_MOVE:
        after = coins + sale_coins(public, rules, seat)
        sold = settings.weights[age, _SALE] + treasury_value(settings, age, coins, after)
        if sold > best:
            best, at = sold, ways
        ways += 1
    return best, at, ways


@kernel
def _denying(public, choice, rules, receiver):
    """Return 1 if a card that is not built is denied to a rival, -1 to a team mate, 0 if nobody would get it."""
    if choice.kind != TURN or public.turn >= public.turns - 1:
        return 0.0
    return -1.0 if rules.teams and receiver == choice.seat ^ 1 else 1.0


@kernel
def _card_to_lose(public, settings, choice, rules, rest_ways):
    """Return the index of the first move other than a build of the card that is worth most to the next player.

    If the next player is a team mate, it is the card worth least; at the end of an age, the first card.
    """
    receiver = next_holder(public, rules, choice.seat)
    sign = _denying(public, choice, rules, receiver)
    most, at, i = -1e9, 0, 0
    while i < choice.count:
        while action_of(choice.moves[i]) == BUILD:
            i += 1
        value = sign * card_for_next(public, settings, rules, receiver, card_of(choice.moves[i]))
        if value > most:
            most, at = value, i
        i += rest_ways
    return at


@kernel(inline=True)
def _pick_move(public, settings, choice, rules):
    """Return the best move of a turn or a last card.

    Moves are listed by card: builds first, then the stage moves and the sale, which are the same for every card.
    """
    seat, age, count = choice.seat, public.age, choice.count
    coins = public.coins[seat]
    stage = next_stage(public, rules, seat)
    needs = city_needs(public, rules, seat, stage)
    best, at, i = -1e9, 0, 0
    rest, rest_at, rest_ways = -1e9, 0, 0
    while i < count:
        move = choice.moves[i]
        if action_of(move) == BUILD:
            card = card_of(move)
            gained = coins_of(public, rules, seat, card) if rules.eventful[card] else 0
            value, place, ways = _best_payment(settings, choice, age, coins, gained, i)
            value += item_value(public, settings, rules, seat, card, needs)
            if value > best:
                best, at = value, i + place
            i += ways
            if rest_ways == 0 and i < count and card_of(choice.moves[i]) != card:
                continue  # stages and sales are banned: there are only builds
        if rest_ways == 0 and i < count:
            rest, rest_at, rest_ways = _best_rest(public, settings, choice, rules, stage, needs, i)
        i += rest_ways
    if rest > best:
        return _card_to_lose(public, settings, choice, rules, rest_ways) + rest_at
    return at


@kernel
def weighted_policy(public, own, choice, rules, settings):
    """Take the move with the highest value; pay a coin loss as long as coins are worth less than a debt."""
    if choice.kind == LOSS:
        best, at = -1e9, 0
        for i in range(choice.count):
            value = _loss_value(public, settings, choice, i)
            if value > best:
                best, at = value, i
        return at
    if choice.kind == DISCARD_PILE:
        seat = choice.seat
        needs = city_needs(public, rules, seat, next_stage(public, rules, seat))
        best, at = -1e9, 0
        for i in range(choice.count):
            value = _pile_value(public, settings, choice, rules, needs, i)
            if value > best:
                best, at = value, i
        return at
    if choice.kind == EFFECT:
        return best_effect(public, settings, choice, rules)
    return _pick_move(public, settings, choice, rules)


# --- the value of every move


@kernel
def _turn_values(public, settings, choice, rules, values):
    """Fill the values of the moves of a turn or a last card, each distinct card and the stage valued once."""
    seat, age = choice.seat, public.age
    coins, weights = public.coins[seat], settings.weights[public.age]
    stage, receiver = next_stage(public, rules, seat), next_holder(public, rules, seat)
    denying = _DENIED * _denying(public, choice, rules, receiver)
    needs = city_needs(public, rules, seat, stage)
    staged, gained_by_stage = 0.0, 0
    if stage >= 0:
        staged = weights[_STAGE] + item_value(public, settings, rules, seat, stage, needs)
        gained_by_stage = coins_of(public, rules, seat, stage) if rules.eventful[stage] else 0
    same, value, gained = ~_NOTHING, 0.0, 0
    for i in range(choice.count):
        move = choice.moves[i]
        action, card = action_of(move), card_of(move)
        if move & _SAME != same:
            same = move & _SAME
            if action == BUILD:
                value = item_value(public, settings, rules, seat, card, needs)
                gained = coins_of(public, rules, seat, card) if rules.eventful[card] else 0
            else:
                value = staged if action == STAGE else weights[_SALE]
                gained = gained_by_stage if action == STAGE else sale_coins(public, rules, seat)
                value += denying * card_for_next(public, settings, rules, receiver, card)
        values[i] = value + _after_paying(settings, age, coins, gained, move)
        if spends_of(move):
            values[i] -= weights[_SAVE_FREE]


@kernel
def move_values(public, settings, choice, rules, values):
    """Fill ``values`` (float64, one per legal move) with the value of each move of a decision, in points.

    These are the values that ``weighted_policy`` uses, except that denying a card adds a fraction of its value to the
    next player (the policy considers that last, to choose among stage moves and sales). For a Free City's decision it
    is the value to that city, not to a player (see free_city.py).
    """
    if choice.kind == LOSS:
        for i in range(choice.count):
            values[i] = _loss_value(public, settings, choice, i)
    elif choice.kind == DISCARD_PILE:
        needs = city_needs(public, rules, choice.seat, next_stage(public, rules, choice.seat))
        for i in range(choice.count):
            values[i] = _pile_value(public, settings, choice, rules, needs, i)
    elif choice.kind == EFFECT:
        for i in range(choice.count):
            values[i] = effect_value(public, settings, choice, rules, i)
    else:
        _turn_values(public, settings, choice, rules, values)
