"""A sampled past of an age: which slot left which hand in which turn, consistent with what a seat has seen (R49)."""

from __future__ import annotations

import numpy as np

from wsim.jit import count_bits, kernel, lowest_bit
from wsim.rng import below
from wsim.wonders.kernels.layout import MOMENT_AT, NOBODY
from wsim.wonders.kernels.seen import (
    SOLD,
    all_seen,
    bit,
    drawn_by,
    holder,
    put_aside_by,
    seat_of,
    seen_before,
    witness_of,
)
from wsim.wonders.words import DRAWN_KINDS, TURNS

_ZERO, _ONE = np.uint64(0), np.uint64(1)
_NIBBLE = np.uint64(0xF)
_FREE_CITY_SEAT = 2
_DUO_TRIES = 2_000  # guesses at one turn of the rival


# --- slots whose place is unknown


@kernel
def fill_pool(game, rules, age, seen):
    """Put the unseen slots of an age into the pool: all that are always dealt, and as many others as are missing."""
    past = game.redraw
    size = 0
    for i in range(rules.base_count[age]):
        slot = rules.base_slots[age, i]
        if seen & bit(slot) == _ZERO:
            past.pool[size] = slot
            size += 1
    for kind in range(DRAWN_KINDS):
        missing, last = rules.pool_drawn[age, kind], size
        if missing == 0:
            continue
        for i in range(rules.pool_count[age, kind]):
            slot = rules.pool[age, kind, i]
            if seen & bit(slot):
                missing -= 1
            elif _was_built_unseen(game, rules, age, rules.slot_card[age, slot]):
                past.pool[last], past.pool[size] = past.pool[size], slot
                size, last, missing = size + 1, last + 1, missing - 1
            else:
                past.pool[last] = slot
                last += 1
        for _ in range(missing):
            j = size + below(past, last - size)
            past.pool[size], past.pool[j] = past.pool[j], past.pool[size]
            size += 1
    past.pool_size = size


@kernel
def _was_built_unseen(game, rules, age, card):
    """Return whether a random card that the seat has never seen was built openly from a hand, or put aside."""
    past = game.redraw
    for seat in range(rules.seats):
        for turn in range(TURNS + 1):
            if past.event[age, seat, turn] == card or (rules.asides and past.aside[age, seat, turn] == card + 1):
                return True
    return False


@kernel
def from_pool(past):
    """Take a random slot out of the pool."""
    past.pool_size -= 1
    j = below(past, past.pool_size + 1)
    slot = past.pool[j]
    past.pool[j] = past.pool[past.pool_size]
    return slot


@kernel
def _remove_from_pool(past, slot):
    """Take a given slot out of the pool."""
    for j in range(past.pool_size):
        if past.pool[j] == slot:
            past.pool_size -= 1
            past.pool[j] = past.pool[past.pool_size]
            return


@kernel
def _named_from_pool(past, rules, age, card):
    """Take a slot with this name out of the pool, NOBODY if there is none."""
    for j in range(past.pool_size):
        slot = past.pool[j]
        if rules.slot_card[age, slot] == card:
            past.pool_size -= 1
            past.pool[j] = past.pool[past.pool_size]
            return slot
    return NOBODY


@kernel
def _named_in(rules, age, slots, card):
    """Return a slot of a set with this name, NOBODY if there is none."""
    while slots:
        slot = lowest_bit(slots)
        if rules.slot_card[age, slot] == card:
            return slot
        slots &= slots - _ONE
    return NOBODY


@kernel
def _random_slot(past, slots):
    for _ in range(below(past, count_bits(slots))):
        slots &= slots - _ONE
    return lowest_bit(slots)


# --- the discard pile as it was seen


@kernel
def want_pile(game, rules, me):
    """Record the cards that the seat saw on the discard pile in this age, minus those that it knows were discarded in
    this age."""
    public, past, own = game.public, game.redraw, game.own[me]
    past.weight = 1.0
    moment = _seen_pile_at(game, me)
    if moment < 0:
        return
    for card in range(rules.cards):
        past.wanted[card] = np.int64(own.look[card >> 4] >> np.uint64(4 * (card & 15)) & _NIBBLE)
    begun = (own.looked - 1) & ((1 << MOMENT_AT) - 1)
    for build in range(past.build_count):
        if past.built_deed[build] < begun:
            past.wanted[past.builds[build]] += -1 if past.returned[build] else 1
    age = public.age
    for hand in range(rules.players):
        for turn in range(past.turns[age]):
            sold = age * (TURNS + 1) + turn <= moment and leaves(past, rules, age, hand, turn) == SOLD
            if sold and witness_of(game, rules, me, age, turn, hand) == me:
                past.wanted[rules.slot_card[age, game.own[me].took[age, turn]]] -= 1


@kernel
def _seen_pile_at(game, me):
    """Return the moment at which the seat saw the discard pile in this age, -1 if it did not."""
    looked = game.own[me].looked
    if looked == 0 or game.redraw.strict == 0:
        return -1
    moment = (looked - 1) >> MOMENT_AT
    return moment if moment // (TURNS + 1) == game.public.age else -1


@kernel
def _hidden_slot(game, rules, me, age, hand, turn, slots):
    """Draw which of some slots left a hand face down in a turn; NOBODY if none is possible.

    A sale must be one of the cards that were seen on the pile. The fewer ways are left, the less likely this past was.
    """
    past = game.redraw
    if slots == _ZERO:
        return NOBODY
    sold = leaves(past, rules, age, hand, turn) == SOLD
    if not sold or age != game.public.age or age * (TURNS + 1) + turn > _seen_pile_at(game, me):
        return np.int64(_random_slot(past, slots))
    fitting, possible, left = _ZERO, 0, slots
    while left:
        slot = lowest_bit(left)
        left &= left - _ONE
        card = rules.slot_card[age, slot]
        possible += _was_on_pile(past, game.own[me], card)
        if past.wanted[card] > 0:
            fitting |= bit(slot)
    if fitting == _ZERO:
        return NOBODY
    past.weight *= count_bits(fitting) / possible
    slot = np.int64(_random_slot(past, fitting))
    past.wanted[rules.slot_card[age, slot]] -= 1
    return slot


@kernel
def _was_on_pile(past, own, card):
    """Return whether a name was on the pile that a seat saw, or was built from it earlier."""
    if own.look[card >> 4] >> np.uint64(4 * (card & 15)) & _NIBBLE:
        return True
    for build in range(past.build_count):
        if past.builds[build] == card and past.returned[build] == 0:
            return True
    return False


# --- one hand


@kernel
def _first_sight(game, rules, me, age, hand):
    """Return the first turn in which a seat saw a hand; one more than the turns resolved if it never did."""
    for turn in range(game.redraw.turns[age] + 1):
        if witness_of(game, rules, me, age, turn, hand) != NOBODY:
            return turn
    return game.redraw.turns[age] + 1


@kernel
def leaves(past, rules, age, hand, turn):
    """Return the card that was built from a hand in a turn, or SOLD or BURIED."""
    return past.event[age, seat_of(rules, age, turn, hand), turn]


@kernel
def _build_unseen(game, rules, me, age, hand):
    """Remove cards built from a hand before the seat saw it from the pool; return whether all were there."""
    past = game.redraw
    for turn in range(min(_first_sight(game, rules, me, age, hand), past.turns[age])):
        event = leaves(past, rules, age, hand, turn)
        if event >= 0:
            slot = _named_from_pool(past, rules, age, event)
            past.gone[age, hand, turn] = slot
            if slot == NOBODY:
                return False
        if rules.duo and holder(game.public, age, turn) == seat_of(rules, age, turn, hand):
            event = past.event[age, _FREE_CITY_SEAT, turn]
            if event >= 0:
                past.city[age, turn] = _named_from_pool(past, rules, age, event)
                if past.city[age, turn] == NOBODY:
                    return False
    return True


@kernel
def _put_aside_unseen(game, rules, me, age, hand):
    """Remove cards put aside from a hand before the seat saw it from the pool; return whether all were there."""
    past = game.redraw
    for turn in range(min(_first_sight(game, rules, me, age, hand), past.turns[age] + 1)):
        card = past.aside[age, seat_of(rules, age, turn, hand), turn] - 1
        if card >= 0:
            slot = _named_from_pool(past, rules, age, card)
            past.aside_of[age, hand, turn] = slot + 1
            if slot == NOBODY:
                return False
    return True


@kernel
def _number_put_aside(past, rules, age, hand):
    """Return how many cards of a hand were put aside in an age."""
    number = 0
    for turn in range(past.turns[age] + 1 if rules.asides else 0):
        number += past.aside[age, seat_of(rules, age, turn, hand), turn] > 0
    return number


@kernel
def _bury_unseen(game, rules, me, age, hand):
    """Draw the cards that left a hand face down before the seat saw it, and the whole hand if it never did.

    Returns whether this is consistent with the discard pile as seen.
    """
    past = game.redraw
    sight = _first_sight(game, rules, me, age, hand)
    for turn in range(min(sight, past.turns[age])):
        if leaves(past, rules, age, hand, turn) < 0:
            pool = _ZERO
            for j in range(past.pool_size):
                pool |= bit(past.pool[j])
            slot = _hidden_slot(game, rules, me, age, hand, turn, pool)
            past.gone[age, hand, turn] = slot
            if slot == NOBODY:
                return False
            _remove_from_pool(past, slot)
        holds = rules.duo and holder(game.public, age, turn) == seat_of(rules, age, turn, hand)
        if holds and past.event[age, _FREE_CITY_SEAT, turn] < 0:
            past.city[age, turn] = from_pool(past)
    if sight > past.turns[age]:
        slots = _ZERO
        for _ in range(rules.age_turns[age] + 1 - past.turns[age] - _number_put_aside(past, rules, age, hand)):
            slots |= bit(from_pool(past))
        past.left[age, hand] = slots
    return True


@kernel
def _follow(game, rules, me, age, hand):
    """Follow a hand from the first time the seat saw it to the last; return whether its knowledge is consistent."""
    past = game.redraw
    turn, turns = _first_sight(game, rules, me, age, hand), past.turns[age]
    if turn > turns:
        return True
    slots = _ZERO
    while turn < turns:
        witness = witness_of(game, rules, me, age, turn, hand)
        if witness == me:
            own = game.own[witness]
            slots = seen_before(game, rules, witness, age, turn) | drawn_by(game, rules, age, turn, witness)
            past.gone[age, hand, turn] = own.took[age, turn]
            slots &= ~bit(own.took[age, turn])
            if rules.asides:
                slots &= ~put_aside_by(rules, own, age, turn)
                past.aside_of[age, hand, turn] = own.aside[age, turn]
            if rules.duo and holder(game.public, age, turn) == witness:
                past.city[age, turn] = game.own[_FREE_CITY_SEAT].took[age, turn]
                slots &= ~bit(past.city[age, turn])
            turn += 1
            continue
        if witness != NOBODY:  # the mate's hand is seen (R42), not what it plays face down
            slots = seen_before(game, rules, witness, age, turn)
        until = turn + 1
        while until <= turns and witness_of(game, rules, me, age, until, hand) == NOBODY:
            until += 1
        if rules.duo:
            slots = _guess_duo(game, rules, me, age, hand, turn, until, slots)
        else:
            slots = _guess(game, rules, me, age, hand, turn, until, slots)
        if slots == _NOWHERE:
            return False
        turn = until
    witness = witness_of(game, rules, me, age, turns, hand)
    if witness != NOBODY:
        slots = seen_before(game, rules, witness, age, turns)
        if rules.asides:
            slots &= ~put_aside_by(rules, game.own[witness], age, turns)
            past.aside_of[age, hand, turns] = game.own[witness].aside[age, turns]
    elif rules.asides:
        slots = _without_aside(past, rules, age, hand, turns, slots, _ZERO)
        if slots == _NOWHERE:
            return False
    past.left[age, hand] = slots
    return True


_NOWHERE = np.uint64(0xFFFFFFFFFFFFFFFF)


@kernel
def _without_aside(past, rules, age, hand, turn, slots, known):
    """Return a hand without the card put aside from it in a turn (R107), which is none of those known to be in it
    later; _NOWHERE if it has no such card."""
    card = past.aside[age, seat_of(rules, age, turn, hand), turn] - 1
    if card < 0:
        return slots
    slot = _named_in(rules, age, slots & ~known, card)
    if slot == NOBODY:
        return _NOWHERE
    past.aside_of[age, hand, turn] = slot + 1
    return slots & ~bit(slot)


@kernel
def _guess(game, rules, me, age, hand, turn, until, slots):
    """Guess which cards left a known hand while the seat did not see it; return the rest, or _NOWHERE if impossible."""
    past = game.redraw
    end = min(until, past.turns[age])
    for at in range(turn, end):
        event = leaves(past, rules, age, hand, at)
        if event >= 0:
            slot = _named_in(rules, age, slots, event)
            if slot == NOBODY:
                return _NOWHERE
            past.gone[age, hand, at] = slot
            slots &= ~bit(slot)
    known = _ZERO
    if until <= past.turns[age]:
        known = seen_before(game, rules, witness_of(game, rules, me, age, until, hand), age, until)
    for at in range(turn, end if rules.asides else turn):
        slots = _without_aside(past, rules, age, hand, at, slots, known)
        if slots == _NOWHERE:
            return _NOWHERE
    for at in range(turn, end):
        if leaves(past, rules, age, hand, at) < 0:
            if slots & ~known == _ZERO:
                return _NOWHERE
            slot = _hidden_slot(game, rules, me, age, hand, at, slots & ~known)
            if slot == NOBODY:
                return _NOWHERE
            past.gone[age, hand, at] = slot
            slots &= ~bit(slot)
    return slots


@kernel
def _guess_duo(game, rules, me, age, hand, turn, until, slots):
    """Do the same with two players, where the rival may have drawn a card to the hand and played two (R45, R46)."""
    past = game.redraw
    event, city = leaves(past, rules, age, hand, turn), past.event[age, _FREE_CITY_SEAT, turn]
    if holder(game.public, age, turn) == me:
        return _guess(game, rules, me, age, hand, turn, until, slots)
    known = _ZERO
    if witness_of(game, rules, me, age, turn + 1, hand) != NOBODY:
        known = seen_before(game, rules, me, age, turn + 1)
    for _ in range(_DUO_TRIES):
        place = -1
        extra = np.int64(lowest_bit(known & ~slots)) if known & ~slots else np.int64(NOBODY)
        if extra == NOBODY:
            place = below(past, past.pool_size)
            extra = past.pool[place]
        open_slots = (slots | bit(extra)) & ~known
        first = _random_slot(past, open_slots)
        second = _random_slot(past, open_slots & ~bit(first))
        if event >= 0 and rules.slot_card[age, first] != event:
            continue
        if city >= 0 and rules.slot_card[age, second] != city:
            continue
        if place >= 0:
            past.pool_size -= 1
            past.pool[place] = past.pool[past.pool_size]
        past.gone[age, hand, turn], past.city[age, turn] = first, second
        past.drawn[age, turn] = extra
        return (slots | bit(extra)) & ~bit(first) & ~bit(second)
    return _NOWHERE


# --- one age


@kernel
def make_age(game, rules, me, age):
    """Sample a past of an age; return whether it is consistent with what was seen."""
    past = game.redraw
    for turn in range(TURNS):
        past.drawn[age, turn] = NOBODY
    fill_pool(game, rules, age, all_seen(game, rules, me, age))
    for hand in range(rules.players):
        if not _build_unseen(game, rules, me, age, hand):
            return False
    for hand in range(rules.players if rules.asides else 0):
        if not _put_aside_unseen(game, rules, me, age, hand):
            return False
    for hand in range(rules.players):
        if not _follow(game, rules, me, age, hand):
            return False
    for hand in range(rules.players):
        if not _bury_unseen(game, rules, me, age, hand):
            return False
    return True
