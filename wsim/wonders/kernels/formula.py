"""Formulas of the card file in play: values of names for the machine that runs their words (R52)."""

from __future__ import annotations

import numpy as np

from wsim.jit import call_slot, count_bits, kernel
from wsim.kernels.formula_machine import machine
from wsim.kernels.formula_words import FACT_BITS, HANDED, KIND_BITS, OPERATION
from wsim.kernels.guards import stop_game
from wsim.wonders.facts import CITY_FACTS, CITY_NAMES, NAME_NUMBER
from wsim.wonders.kernels.city import FACTS, built_as, cards, order_of, ordered_cards
from wsim.wonders.limits import ASKED, MAX_COINS, MAX_COUNT
from wsim.wonders.words import BUILT_HOW, KNOWN_OF_CARD

_WIDE = sum(1 << NAME_NUMBER[name] for fact in CITY_FACTS if fact.span[1] > MAX_COUNT for name in fact.asked_as)
_ONE = np.uint64(1)
_AGE, _TURN, _PLAYERS, _CHOSEN = (NAME_NUMBER[name] for name in ("age", "turn", "players", "amount"))
_NUMBER, _NAME, _CARD, _CARD_SET, _COUNTER, _EVENT, _LAST = (
    OPERATION[name] for name in ("number", "name", "card", "cards", "counter", "event", "last")
)
_STATIC = len(KNOWN_OF_CARD)
_ORDER = _STATIC + len(BUILT_HOW)
_FACT, _KIND = (1 << FACT_BITS) - 1, (1 << KIND_BITS) - 1


@kernel
def of_table(public, rules, name):
    """Return a number of the table or of a purchase; for a future purchase, the full price of a unit."""
    if name == _AGE:
        return public.age + 1
    if name == _TURN:
        return public.turn + 1
    if name == _PLAYERS:
        return rules.players
    if name == _CHOSEN:
        return public.amount
    return public.purchase if public.purchase else rules.trade_price


@kernel(rare=True)
def _of_event(public, rules, fact, owner):
    """Return a fact of the structure or stage that caused the event (R71); of a future one, the mean of all cards."""
    entry = public.event_entry - 1
    if fact == _ORDER:
        return public.event_order if public.event_order else cards(public, rules, owner) + 1
    if fact >= _STATIC:
        return 1 if public.event_how == fact - _STATIC else 0
    return np.int64(rules.mean_facts[fact] if entry < 0 else rules.card_facts[entry, fact])


@kernel(rare=True)
def _of_last(public, rules, seat, operand):
    """Return a fact of the structure that a city built last, first or before the last; 0 if there is none."""
    kind = operand >> FACT_BITS
    card = built_as(public, rules, seat, kind & _KIND, kind >> KIND_BITS)
    if card >= 0 and operand & _FACT == _STATIC:
        return order_of(public, rules, seat, card)
    return np.int64(rules.card_facts[card, operand & _FACT]) if card >= 0 else 0


of_city = FACTS.answer()


@kernel
def city_named(public, whose, owner, other):
    """Return the city that a formula word refers to (words.FORMULA_CITIES)."""
    if whose == 2:
        return owner + 1 if owner + 1 < public.seats else 0
    if whose == 3:
        return owner - 1 if owner > 0 else public.seats - 1
    return other if whose == 1 else owner


@kernel
def leaf(public, rules, operation, operand, owner, other):
    """Return a number, the value of a name, 1 for a card that the city has, the number of cards of a set, a counter, or
    a fact of the card that caused the event or was built last."""
    if operation == _NUMBER:
        return operand
    whose, name = operand & 3, operand >> 2
    if operation == _NAME and name >= len(CITY_NAMES):
        return of_table(public, rules, name)
    city = city_named(public, whose, owner, other)
    if operation == _CARD:
        return np.int64((public.built[city, name >> 6] >> np.uint64(name & 63)) & _ONE)
    if operation == _CARD_SET:
        counted = count_bits(public.built[city, 0] & rules.card_sets[name, 0])
        return np.int64(counted + count_bits(public.built[city, 1] & rules.card_sets[name, 1]))
    if operation == _COUNTER:
        return np.int64(public.counter[city, name])
    if operation == _EVENT:
        return _of_event(public, rules, name, owner)
    if operation == _LAST:
        return _of_last(public, rules, city, name)
    value = of_city(public, rules, city, name)
    if value > MAX_COUNT and (_WIDE >> name & 1 == 0 or value > MAX_COINS):
        stop_game(ASKED, city, -1, value, MAX_COINS if _WIDE >> name & 1 else MAX_COUNT)
    return value


@kernel
def called(public, rules, stack, first, operand, owner, other):
    """Return the result of an effect function for the numbers on the stack from ``first`` on (catalog.effect_file)."""
    count = operand & 7
    for place in range(count, HANDED):
        stack[first + place] = 0
    return call_slot(
        operand >> 3, public, rules, owner, other,
        stack[first], stack[first + 1], stack[first + 2], stack[first + 3],
    )  # fmt: skip


@kernel
def ordered(public, rules, operand, low, high, owner, other):
    """Return how many structures of a set have a number from ``low`` to ``high`` in the order of building (R99)."""
    name = operand >> 2
    return ordered_cards(public, rules, city_named(public, operand & 3, owner, other), rules.card_sets[name], low, high)


evaluate = machine(leaf, called, ordered)
