"""``weighted``: the move of the highest value, a sum of what it brings times the weights of the age (features.py).

Each distinct card is valued once and so is the next stage; a payment then only costs coins. The first of equal moves is taken.
"""

from __future__ import annotations

import numpy as np

from wsim.jit import kernel
from wsim.rng import below
from wsim.wonders.layout import BUILD, DECLINE, DISCARD_PILE, LOSS, POLICY, STAGE
from wsim.wonders.moves import action_of, bank_of, card_of, left_of, right_of, spends_of
from wsim.wonders.policies.explore import explores
from wsim.wonders.policies.features import INDEX
from wsim.wonders.policies.free_city import pick_for_free_city
from wsim.wonders.policies.points import coins_of, next_holder, next_stage
from wsim.wonders.policies.value import city_needs, entry_value, take_value

__all__ = ["weighted_policy"]

_COIN, _RESERVE, _GIFT, _SALE, _DEBT = (INDEX[name] for name in ("coin", "reserve", "gift", "sale", "debt"))
_STAGE, _SAVE_FREE = INDEX["stage"], INDEX["save_free"]
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
def _pick_move(public, own, choice, tables):
    """Return the best move of a turn, a last card or a build from the discard pile."""
    seat, age = choice.seat, public.age
    coins = public.coins[seat]
    weights = own.weights[age]
    stage = next_stage(public, tables, seat)
    needs = city_needs(public, tables, seat, stage)
    staged, stage_coins = 0.0, 0
    if stage >= 0 and choice.kind != DISCARD_PILE:
        staged = weights[_STAGE] + entry_value(public, own, tables, seat, stage, needs)
        stage_coins = coins_of(public, tables, seat, stage) if tables.eventful[stage] else 0
    receiver = next_holder(public, tables, seat)
    denying = 0.0 if public.turn >= public.turns - 1 else 1.0
    if tables.teams and receiver == seat ^ 1:
        denying = -denying
    best, at = -1e9, 0
    last, built_card = -1, -1
    taken, built, built_coins = 0.0, 0.0, 0
    for i in range(choice.count):
        move = choice.moves[i]
        action, card = action_of(move), card_of(move)
        if card != last:
            last = card
            taken = denying * take_value(public, own, tables, receiver, card) if denying != 0.0 else 0.0
        value = taken
        if action <= STAGE:
            traded = left_of(move) + right_of(move)
            after = coins - traded - bank_of(move)
            value -= weights[_GIFT] * traded
            if action == BUILD:
                if card != built_card:
                    built_card = card
                    built = entry_value(public, own, tables, seat, card, needs)
                    built_coins = coins_of(public, tables, seat, card) if tables.eventful[card] else 0
                value += built
                after += built_coins
                if spends_of(move):
                    value -= weights[_SAVE_FREE]
            else:
                value += staged
                after += stage_coins
            value += _treasury(own, age, coins, after)
        elif action == DECLINE:
            value = 0.0
        else:
            value += weights[_SALE] + _treasury(own, age, coins, coins + tables.sale_coins)
        if value > best:
            best, at = value, i
    return at


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
