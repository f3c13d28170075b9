"""``rulebased``: the fixed order of rules of Robilliard, Fonlupt and Teytaud (2014).

In ages I and II, the first applicable rule: an either/or resource card; a resource that the city lacks; a red card, if
the city does not lead alone and the card makes it lead or share the lead; the blue card with most points; a green
card; a random buildable card; sell a random card. In age III: the most points at once. If a rule allows several cards,
the first in the list is taken; every card is paid for as cheaply as possible.
"""

from __future__ import annotations

import numpy as np

from wsim.jit import kernel
from wsim.rng import below
from wsim.wonders.kernels.moves import action_of, card_of, spends_of
from wsim.wonders.policies.greedy import pick_most_points
from wsim.wonders.policies.points import price_of
from wsim.wonders.words import BLUE, BUILD, EFFECT, GREEN, RED, RESOURCE_KINDS, SELL

_EITHER_OR, _LACKING, _LEADING, _CIVIL, _SCIENCE, _ANY_BUILD, _NO_BUILD = 60, 50, 40, 30, 20, 10, 0
_ZERO = np.uint64(0)
_LANE = np.uint64(0xFF)


@kernel
def _lacks(public, rules, seat, card):
    """Return whether a card produces a resource that the city cannot produce at all."""
    made = rules.produces[card]
    for resource in range(RESOURCE_KINDS):
        lane = _LANE << np.uint64(8 * resource)
        if made & lane and public.reach[seat] & lane == _ZERO:
            return True
    return False


@kernel
def _takes_lead(public, rules, seat, card):
    """Return whether the card makes a city that does not lead alone lead or share the lead in shields."""
    most = 0
    for other in range(public.seats):
        if other != seat:
            most = max(most, public.shields[other])
    own = public.shields[seat]
    return own <= most and own + rules.shields[card] >= most


@kernel
def _rule(public, rules, seat, card):
    """Return the rank of a card in the order of rules (higher is earlier); blue cards by their points."""
    either = np.int64(rules.one_of[card])
    if either & (either - 1):
        return _EITHER_OR
    if rules.produces[card] and _lacks(public, rules, seat, card):
        return _LACKING
    color = rules.color[card]
    if color == RED and _takes_lead(public, rules, seat, card):
        return _LEADING
    if color == BLUE:
        return _CIVIL + min(np.int64(rules.points[card]), _LEADING - _CIVIL - 1)
    return _SCIENCE if color == GREEN else _ANY_BUILD


@kernel
def _random_card(own, choice, action):
    """Return the index of the first move of a random card with this action; -1 if there is none."""
    cards, last = 0, -1
    for i in range(choice.count):
        if action_of(choice.moves[i]) == action and card_of(choice.moves[i]) != last:
            last = card_of(choice.moves[i])
            cards += 1
    if cards == 0:
        return -1
    wanted = below(own, cards)
    last = -1
    for i in range(choice.count):
        if action_of(choice.moves[i]) == action and card_of(choice.moves[i]) != last:
            last = card_of(choice.moves[i])
            if wanted == 0:
                return i
            wanted -= 1
    return -1


@kernel
def _cheapest(choice, index):
    """Return the cheapest move with the same action and card; keep a free build for later if possible."""
    card, action = card_of(choice.moves[index]), action_of(choice.moves[index])
    best, at = 1 << 30, index
    for i in range(choice.count):
        move = choice.moves[i]
        if card_of(move) == card and action_of(move) == action:
            price = 2 * price_of(move) + (1 if spends_of(move) else 0)
            if price < best:
                best, at = price, i
    return at


@kernel
def rulebased_policy(public, own, choice, rules, settings):
    """Follow the rules of the age."""
    if public.age == 2 or choice.kind == EFFECT:
        return pick_most_points(public, own, choice, rules, settings)
    best, at = _NO_BUILD, -1
    for i in range(choice.count):
        move = choice.moves[i]
        if action_of(move) == BUILD:
            rank = _rule(public, rules, choice.seat, card_of(move))
            if rank > best:
                best, at = rank, i
    if at >= 0 and best == _ANY_BUILD:
        at = _random_card(own, choice, BUILD)
    elif at < 0:
        at = _random_card(own, choice, SELL)
    return _cheapest(choice, at) if at >= 0 else 0
