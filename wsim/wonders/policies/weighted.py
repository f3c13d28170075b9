"""``weighted``: the move of the highest value, a sum of what it brings times the weights of the age (features.py).

Each distinct card is valued once and so is the next stage; a payment then only costs coins. The first of equal moves is taken.
"""

from __future__ import annotations

import numpy as np

from wsim.jit import kernel
from wsim.rng import below
from wsim.wonders.layout import BUILD, DECLINE, HOW_AT, LOSS, POLICY, STAGE, TURN
from wsim.wonders.moves import action_of, bank_of, card_of, left_of, right_of, spends_of
from wsim.wonders.policies.explore import explores
from wsim.wonders.policies.features import INDEX
from wsim.wonders.policies.free_city import pick_for_free_city
from wsim.wonders.policies.points import coins_of, next_holder, next_stage
from wsim.wonders.policies.value import city_needs, entry_value, take_value

__all__ = ["weighted_policy"]

_COIN, _RESERVE, _GIFT, _SALE, _DEBT = (INDEX[name] for name in ("coin", "reserve", "gift", "sale", "debt"))
_STAGE, _SAVE_FREE = INDEX["stage"], INDEX["save_free"]
_SAME = np.uint64((1 << HOW_AT) - 1)  # the fields of a move that say what is done with which card
_RESERVED = 6  # coins of a treasury that count as the reserve


@kernel
def _treasury(own, age, before, after):
    """Return the value of a treasury that goes from ``before`` to ``after`` coins."""
    reserve = min(after, _RESERVED) - min(before, _RESERVED)
    return own.weights[age, _COIN] * (after - before) + own.weights[age, _RESERVE] * reserve


@kernel
def _pick_loss(public, own, choice):
    """Return how many coins to pay of a loss: the rest become debts (R32)."""
    age, coins = public.age, public.coins[choice.seat]
    most = bank_of(choice.moves[0])
    best, at = -1e9, 0
    for i in range(choice.count):
        paid = bank_of(choice.moves[i])
        value = _treasury(own, age, coins, coins - paid) + own.weights[age, _DEBT] * (most - paid)
        if value > best:
            best, at = value, i
    return at


@kernel
def _after_paying(own, age, coins, gained, move):
    """Return the value of the treasury that a move leaves, coins gained included."""
    traded = left_of(move) + right_of(move)
    after = coins + gained - traded - bank_of(move)
    return _treasury(own, age, coins, after) - own.weights[age, _GIFT] * traded


@kernel
def _best_payment(own, choice, age, coins, gained, first):
    """Return the best of the moves from ``first`` on that do the same thing with the same card.

    As (value of the treasury it leaves, its place after ``first``, how many such moves there are).
    """
    kind = choice.moves[first] & _SAME
    best, at, ways = -1e9, 0, 0
    while first + ways < choice.count:
        move = choice.moves[first + ways]
        if move & _SAME != kind:
            break
        value = _after_paying(own, age, coins, gained, move)
        if spends_of(move):
            value -= own.weights[age, _SAVE_FREE]
        if value > best:
            best, at = value, ways
        ways += 1
    return best, at, ways


@kernel
def _pick_move(public, own, choice, tables):
    """Return the best move of a turn, a last card or a build from the discard pile.

    The list goes card by card: its builds, then the stage moves, the same for every card, then the sale.
    """
    seat, age, count = choice.seat, public.age, choice.count
    coins = public.coins[seat]
    stage = next_stage(public, tables, seat)
    needs = city_needs(public, tables, seat, stage)
    sold = own.weights[age, _SALE] + _treasury(own, age, coins, coins + tables.sale_coins)
    staged, stage_at, stage_ways = 0.0, 0, 0
    receiver = next_holder(public, tables, seat)
    denying = _denies(public, tables, choice, receiver)
    best, at, i = -1e9, 0, 0
    last, taken = -1, 0.0
    while i < count:
        move = choice.moves[i]
        action, card = action_of(move), card_of(move)
        if action == DECLINE:
            return at if best >= 0.0 else i
        if card != last:
            last = card
            taken = denying * take_value(public, own, tables, receiver, card) if denying != 0.0 else 0.0
        if action == BUILD:
            gained = coins_of(public, tables, seat, card) if tables.eventful[card] else 0
            value, place, ways = _best_payment(own, choice, age, coins, gained, i)
            value += entry_value(public, own, tables, seat, card, needs)
        elif action == STAGE:
            if stage_ways == 0:
                gained = coins_of(public, tables, seat, stage) if tables.eventful[stage] else 0
                staged, stage_at, stage_ways = _best_payment(own, choice, age, coins, gained, i)
                staged += own.weights[age, _STAGE] + entry_value(public, own, tables, seat, stage, needs)
            value, place, ways = staged, stage_at, stage_ways
        else:
            value, place, ways = sold, 0, 1
        if value + taken > best:
            best, at = value + taken, i + place
        i += ways
    return at


@kernel
def _denies(public, tables, choice, receiver):
    """Return how much a card kept from the next player counts: not where the hand ends, against where a mate gets it."""
    if choice.kind != TURN or public.turn >= public.turns - 1:
        return 0.0
    return -1.0 if tables.teams and receiver == choice.seat ^ 1 else 1.0


@kernel(POLICY)
def weighted_policy(public, own, choice, tables):
    """Take the move of the highest value; pay a coin loss with coins as long as they are worth less than a debt."""
    if choice.kind == LOSS:
        return _pick_loss(public, own, choice)
    if explores(own, choice):
        return below(own, choice.count)
    if choice.seat != own.seat:
        return pick_for_free_city(public, own, choice, tables)
    return _pick_move(public, own, choice, tables)
