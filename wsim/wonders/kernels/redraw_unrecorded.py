"""Redrawing of hidden cards without a recorded history: positions set up by hand (``describe/setup.py``).

Known are the cities, the sizes of hands, the seat's hand, and hands passed on in this age, if given. The rest of a hand
that the seat passed on is drawn from the cards that nobody has built; other hands from all unseen cards; the discard
pile from the cards of this and earlier ages that are nowhere else.
"""

from __future__ import annotations

import numpy as np

from wsim.jit import count_bits, kernel, lowest_bit
from wsim.rng import below
from wsim.wonders.kernels.past import fill_pool, from_pool
from wsim.wonders.kernels.seen import bit, hand_at, put_aside_by, seat_of
from wsim.wonders.words import CARD_WORDS, SLOTS

_ZERO, _ONE = np.uint64(0), np.uint64(1)


@kernel
def is_recorded(game, rules):
    """Return whether the history contains every resolved turn."""
    past, public = game.redraw, game.public
    for age in range(public.age):
        if past.turns[age] < rules.age_turns[age]:
            return False
    return past.turns[public.age] >= public.turn


@kernel
def _built_slots(game, rules, age, hand):
    """Return slots of an age outside a hand, one for each structure on the table that is first dealt in it."""
    public, built = game.public, _ZERO
    for seat in range(rules.seats):
        for card in range(rules.cards):
            if (public.built[seat, card >> 6] >> np.uint64(card & 63)) & _ONE == _ZERO or rules.age_of[card] != age:
                continue
            for slot in range(rules.slots[age]):
                if rules.slot_card[age, slot] == card and (hand | built) & bit(slot) == _ZERO:
                    built |= bit(slot)
                    break
    return built


@kernel
def _handed_on(game, rules, me, seat):
    """Return a seat's hand as ``me`` passed it on in this age, empty if it did not or if this is unknown."""
    public, age = game.public, game.public.age
    hand = hand_at(rules, age, public.turn, seat)
    for back in range(public.turn):
        turn = public.turn - 1 - back
        if seat_of(rules, age, turn, hand) == me:
            return game.own[me].passed[age, turn]
    return _ZERO


@kernel
def _fill_pile(game, rules, aside):
    """Draw the discard pile from the cards that are nowhere else, beside those put aside in this age (R107)."""
    public, hidden, past = game.public, game.hidden, game.redraw
    for card in range(rules.cards):
        hidden.copies[card] = 0
    for word in range(CARD_WORDS):
        hidden.pile[word] = _ZERO
    left = past.pool_size
    for age in range(public.age):
        left += rules.slots[age] - count_bits(_built_slots(game, rules, age, _ZERO))
    missing = public.discarded
    while aside:
        card = rules.slot_card[public.age, lowest_bit(aside)]
        aside &= aside - _ONE
        hidden.copies[card] += 1
        hidden.pile[card >> 6] |= _ONE << np.uint64(card & 63)
        missing -= 1
    for age in range(public.age + 1):
        gone = _ZERO if age == public.age else _built_slots(game, rules, age, _ZERO)
        for place in range(past.pool_size if age == public.age else min(rules.slots[age], SLOTS)):
            slot = past.pool[place] if age == public.age else place
            if gone & bit(slot):
                continue
            if missing and below(past, max(left, 1)) < missing:
                card = rules.slot_card[age, slot]
                hidden.copies[card] += 1
                hidden.pile[card >> 6] |= _ONE << np.uint64(card & 63)
                missing -= 1
            left -= 1


@kernel
def draw_unrecorded(game, rules, me):
    """Draw the other hands and the discard pile."""
    public, own, past = game.public, game.own[me], game.redraw
    age = public.age
    seen = own.hand
    for turn in range(public.turn):
        seen |= own.passed[age, turn]
        if own.took[age, turn] >= 0:
            seen |= bit(own.took[age, turn])
    built = _built_slots(game, rules, age, own.hand)
    aside = _ZERO
    for seat in range(rules.players if rules.asides else 0):
        for turn in range(public.turn + 1):
            aside |= put_aside_by(rules, game.own[seat], age, turn)
    built |= aside
    fill_pool(game, rules, age, seen | built)
    for seat in range(rules.players):
        if seat != me:
            other = game.own[seat]
            size, slots = game.public.hand_size[seat], _ZERO
            if rules.duo and game.hidden.holder == seat:  # it has drawn the Free City's card
                size += 1
            known = _handed_on(game, rules, me, seat) & ~built
            while count_bits(known) > size:
                skip, left = below(past, count_bits(known)), known
                for _ in range(skip):
                    left &= left - _ONE
                known &= ~bit(lowest_bit(left))
            slots = known
            while count_bits(slots) < size and past.pool_size:
                slots |= bit(from_pool(past))
            other.hand = other.seen = slots
    if rules.duo:
        for place in range(game.hidden.free_pile_next, rules.age_turns[age] + 1):
            game.hidden.free_pile[place] = from_pool(past)
    _fill_pile(game, rules, aside)
