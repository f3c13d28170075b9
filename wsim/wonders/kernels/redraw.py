"""Hidden cards drawn again, as likely as they are to a seat that remembers all it has seen (R49).

What a seat knows: the hands that it has held (and, in teams, its mate's), when, and so what is left of them; what was
built in the open, by whom and when, and so from which hand; how many cards went face down; the discard pile when it last
built from it; which cards are in the deck of an age, of guilds and black cards how many. What the others chose is taken
to say nothing more of a card than that they chose it: each card of a hand is as likely to be the one that left it.
Then all that is left open is where each unseen slot is, and every place is as likely as any other.

A redrawing makes up a whole past: for each age, which slot left which hand in which turn. Hands are numbered by the
seat that they were first dealt to. A past that does not hold the cards that were seen on the discard pile, or built
from it, is thrown away and made up anew.
"""

from __future__ import annotations

import numpy as np

from wsim.jit import count_bits, kernel, lowest_bit
from wsim.rng import SEAT_STREAM, below, seek, uniform
from wsim.wonders.kernels.layout import (
    CHOOSE,
    CITY,
    DEAL,
    LAST,
    MEMORY,
    MOMENT_AT,
    NOBODY,
    QUEUE,
    SETTLE,
)
from wsim.wonders.kernels.moves import NO_MOVE, action_of, card_of, slot_of
from wsim.wonders.kernels.setup import DICE_STREAM
from wsim.wonders.kernels.turn import neighbor_left
from wsim.wonders.words import (
    AGES,
    BUILD,
    CARD_WORDS,
    CARDS,
    DISCARD_PILE,
    DRAWN_KINDS,
    FREE_CITY,
    LAST_CARD,
    PLAY_LAST,
    SEATS,
    SELL,
    TURNS,
)

__all__ = ["redraw"]

_ZERO, _ONE = np.uint64(0), np.uint64(1)
_BYTE, _NIBBLE = np.uint64(0xFF), np.uint64(0xF)
_FREE_CITY_SEAT = 2
_STREAM = 14  # of redrawings
SOLD, BURIED, NOTHING = -1, -2, -3  # REDRAW.event where no card was built
_DUO_TRIES = 2_000  # guesses at one turn of the rival
MOST_TRIES = 50_000  # pasts made up before the seen pile is given up for one that comes near


# --- which hand is where


@kernel
def _hand_at(rules, age, turn, seat):
    """Return the hand that a seat holds in a turn (R5)."""
    players = rules.players
    return (seat - turn) % players if age != 1 else (seat + turn) % players


@kernel
def _seat_of(rules, age, turn, hand):
    """Return the seat that holds a hand in a turn."""
    players = rules.players
    return (hand + turn) % players if age != 1 else (hand - turn) % players


@kernel
def _holder(public, age, turn):
    """Return who holds the Free City's card in a turn (R45)."""
    first = neighbor_left(public, _FREE_CITY_SEAT) if age != 1 else 1
    return first if turn % 2 == 0 else 1 - first


@kernel
def _bit(slot):
    return _ONE << np.uint64(slot)


# --- what the seat knows


@kernel
def _put_away(game, rules):
    """Say whether the hands of this age are put away already (R9.5)."""
    flow = game.flow
    if game.public.turn < rules.turns - 1 or flow.phase <= CITY:
        return False
    return flow.seat != NOBODY or not (flow.phase == LAST or flow.phase == SETTLE and flow.after == LAST)


@kernel
def _read_events(game, rules):
    """Read the public history: what left each seat's hand in each turn, and what was built from the pile."""
    public, past = game.public, game.redraw
    past.build_count = 0
    for age in range(AGES):
        past.turns[age] = 0
        for seat in range(SEATS):
            for turn in range(TURNS + 1):
                past.event[age, seat, turn] = NOTHING
    for number in range(public.deed_count):
        deed = public.deeds[number]
        seat, age = np.int64(deed >> np.uint64(40) & _NIBBLE), np.int64(deed >> np.uint64(44) & np.uint64(3))
        turn, decision = np.int64(deed >> np.uint64(46) & _NIBBLE), np.int64(deed >> np.uint64(50) & np.uint64(7))
        if decision == DISCARD_PILE:
            past.builds[past.build_count] = card_of(deed)
            past.built_at[past.build_count] = age * (TURNS + 1) + turn
            past.built_deed[past.build_count] = number
            past.build_count = min(past.build_count + 1, QUEUE - 1)
            continue
        what = SOLD
        if action_of(deed) == BUILD:
            what = card_of(deed)
        elif action_of(deed) != SELL:
            what = BURIED
        past.event[age, seat, TURNS if decision == LAST_CARD else turn] = what
        if decision != LAST_CARD:
            past.turns[age] = max(past.turns[age], turn + 1)


@kernel
def _drawn(game, rules, age, turn, seat):
    """Return the Free City's card as a set, if that seat drew it in a turn (R45)."""
    if rules.duo and _holder(game.public, age, turn) == seat:
        return game.own[_FREE_CITY_SEAT].passed[age, turn]
    return _ZERO


@kernel
def _seen_before(game, rules, witness, age, turn):
    """Return the hand that a seat got in a turn: before its move, without what it drew."""
    public, past = game.public, game.redraw
    own = game.own[witness]
    slots = own.passed[age, turn]
    if age == public.age and turn == public.turn and not _put_away(game, rules):
        slots = own.hand
    if turn < past.turns[age] or _has_chosen(game, witness):
        slots |= _bit(own.took[age, turn])
    if rules.duo and _holder(public, age, turn) == witness:
        if turn < past.turns[age] or _has_chosen(game, witness) and game.flow.phase != CITY:
            slots |= _bit(game.own[_FREE_CITY_SEAT].took[age, turn])
        slots &= ~_drawn(game, rules, age, turn, witness)
    return slots


@kernel
def _has_chosen(game, seat):
    """Say whether a seat's move of this turn is chosen, but not revealed."""
    flow = game.flow
    if flow.phase == CITY and flow.seat == seat:
        return True
    return (flow.phase == CHOOSE or flow.phase == CITY) and game.hidden.taken[seat] != NO_MOVE and _is_past(flow, seat)


@kernel
def _is_past(flow, seat):
    """Say whether a seat has had its turn to choose."""
    if flow.wrap:
        return flow.wrap <= seat < flow.seat
    return seat < flow.seat or seat >= flow.end


@kernel
def _witness(game, rules, me, age, turn, hand):
    """Return the seat through whose eyes ``me`` saw a hand in a turn: its own or its mate's; NOBODY if it did not."""
    if turn > game.redraw.turns[age] or turn >= rules.turns:
        return NOBODY
    if turn == game.redraw.turns[age] and (age != game.public.age or game.flow.phase == DEAL):
        return NOBODY
    seat = _seat_of(rules, age, turn, hand)
    if seat == me or rules.teams and seat == me ^ 1:
        return seat
    return NOBODY


@kernel
def _all_seen(game, rules, me, age):
    """Return the slots of an age that a seat has seen."""
    seen = _ZERO
    for turn in range(game.redraw.turns[age] + 1):
        for hand in range(rules.players):
            witness = _witness(game, rules, me, age, turn, hand)
            if witness != NOBODY:
                seen |= _seen_before(game, rules, witness, age, turn) | _drawn(game, rules, age, turn, witness)
    return seen


# --- slots whose place is unknown


@kernel
def _fill_pool(game, rules, age, seen):
    """Put the unseen slots of an age into the pool: all that are always dealt, of those drawn as many as are missing."""
    past = game.redraw
    size = 0
    for i in range(rules.base_count[age]):
        slot = rules.base_slots[age, i]
        if seen & _bit(slot) == _ZERO:
            past.pool[size] = slot
            size += 1
    for kind in range(DRAWN_KINDS):
        missing, first, last = rules.pool_drawn[age, kind], size, size
        if missing == 0:
            continue
        for i in range(rules.pool_count[age, kind]):
            slot = rules.pool[age, kind, i]
            if seen & _bit(slot):
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
    """Say whether a drawn card that the seat has never seen was built in the open from a hand."""
    past = game.redraw
    for seat in range(rules.seats):
        for turn in range(TURNS + 1):
            if past.event[age, seat, turn] == card:
                return True
    return False


@kernel
def _from_pool(past):
    """Take a random slot out of the pool."""
    past.pool_size -= 1
    j = below(past, past.pool_size + 1)
    slot = past.pool[j]
    past.pool[j] = past.pool[past.pool_size]
    return slot


@kernel
def _remove_from_pool(past, slot):
    """Take a certain slot out of the pool."""
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
    """Return a random slot of a set."""
    for _ in range(below(past, count_bits(slots))):
        slots &= slots - _ONE
    return lowest_bit(slots)


# --- the discard pile as it was seen


@kernel
def _want_pile(game, rules, me):
    """Note what the seat saw on the discard pile in this age, less what it knows to have gone there in this age."""
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
            past.wanted[past.builds[build]] += 1
    age = public.age
    for hand in range(rules.players):
        for turn in range(past.turns[age]):
            if age * (TURNS + 1) + turn <= moment and _leaves(past, rules, age, hand, turn) == SOLD:
                witness = _witness(game, rules, me, age, turn, hand)
                if witness != NOBODY:
                    past.wanted[rules.slot_card[age, game.own[witness].took[age, turn]]] -= 1


@kernel
def _seen_pile_at(game, me):
    """Return the moment at which the seat saw the discard pile in this age, -1 if it did not."""
    looked = game.own[me].looked
    if looked == 0:
        return -1
    moment = (looked - 1) >> MOMENT_AT
    return moment if moment // (TURNS + 1) == game.public.age else -1


@kernel
def _hidden_slot(game, rules, me, age, hand, turn, slots):
    """Draw which of some slots left a hand face down in a turn; NOBODY if none can have.

    A sale must be one of the cards that were seen on the pile. The fewer ways are left, the less likely was this past.
    """
    past = game.redraw
    if slots == _ZERO:
        return NOBODY
    sold = _leaves(past, rules, age, hand, turn) == SOLD
    if not sold or age != game.public.age or age * (TURNS + 1) + turn > _seen_pile_at(game, me):
        return np.int64(_random_slot(past, slots))
    fitting, possible, left = _ZERO, 0, slots
    while left:
        slot = lowest_bit(left)
        left &= left - _ONE
        card = rules.slot_card[age, slot]
        possible += _was_on_pile(past, game.own[me], card)
        if past.wanted[card] > 0:
            fitting |= _bit(slot)
    if fitting == _ZERO:
        return NOBODY
    past.weight *= count_bits(fitting) / possible
    slot = np.int64(_random_slot(past, fitting))
    past.wanted[rules.slot_card[age, slot]] -= 1
    return slot


@kernel
def _was_on_pile(past, own, card):
    """Say whether a name was on the pile that a seat saw, or built from it before."""
    if own.look[card >> 4] >> np.uint64(4 * (card & 15)) & _NIBBLE:
        return True
    for build in range(past.build_count):
        if past.builds[build] == card:
            return True
    return False


# --- one hand


@kernel
def _first_sight(game, rules, me, age, hand):
    """Return the first turn in which a seat saw a hand; one more than the turns resolved if it never did."""
    for turn in range(game.redraw.turns[age] + 1):
        if _witness(game, rules, me, age, turn, hand) != NOBODY:
            return turn
    return game.redraw.turns[age] + 1


@kernel
def _leaves(past, rules, age, hand, turn):
    """Return what left a hand in a turn: a card built, SOLD or BURIED."""
    return past.event[age, _seat_of(rules, age, turn, hand), turn]


@kernel
def _build_unseen(game, rules, me, age, hand):
    """Take what was built out of a hand before the seat saw it from the pool; say whether it was there."""
    past = game.redraw
    for turn in range(min(_first_sight(game, rules, me, age, hand), past.turns[age])):
        event = _leaves(past, rules, age, hand, turn)
        if event >= 0:
            slot = _named_from_pool(past, rules, age, event)
            past.gone[age, hand, turn] = slot
            if slot == NOBODY:
                return False
        if rules.duo and _holder(game.public, age, turn) == _seat_of(rules, age, turn, hand):
            event = past.event[age, _FREE_CITY_SEAT, turn]
            if event >= 0:
                past.city[age, turn] = _named_from_pool(past, rules, age, event)
                if past.city[age, turn] == NOBODY:
                    return False
    return True


@kernel
def _bury_unseen(game, rules, me, age, hand):
    """Draw what went face down out of a hand before the seat saw it, and the whole hand if it never did.

    Returns whether what was seen on the discard pile allows it.
    """
    past = game.redraw
    sight = _first_sight(game, rules, me, age, hand)
    for turn in range(min(sight, past.turns[age])):
        if _leaves(past, rules, age, hand, turn) < 0:
            pool = _ZERO
            for j in range(past.pool_size):
                pool |= _bit(past.pool[j])
            slot = _hidden_slot(game, rules, me, age, hand, turn, pool)
            past.gone[age, hand, turn] = slot
            if slot == NOBODY:
                return False
            _remove_from_pool(past, slot)
        if rules.duo and _holder(game.public, age, turn) == _seat_of(rules, age, turn, hand):
            if past.event[age, _FREE_CITY_SEAT, turn] < 0:
                past.city[age, turn] = _from_pool(past)
    if sight > past.turns[age]:
        slots = _ZERO
        for _ in range(rules.hand_size - past.turns[age]):
            slots |= _bit(_from_pool(past))
        past.left[age, hand] = slots
    return True


@kernel
def _follow(game, rules, me, age, hand):
    """Follow a hand from when the seat first saw it, from sight to sight; say whether what is known can be."""
    past = game.redraw
    turn, turns = _first_sight(game, rules, me, age, hand), past.turns[age]
    if turn > turns:
        return True
    slots = _ZERO
    while turn < turns:
        witness = _witness(game, rules, me, age, turn, hand)
        if witness != NOBODY:
            slots = _play_known(game, rules, witness, age, hand, turn)
            turn += 1
            continue
        until = turn + 1
        while until <= turns and _witness(game, rules, me, age, until, hand) == NOBODY:
            until += 1
        if rules.duo:
            slots = _guess_duo(game, rules, me, age, hand, turn, until, slots)
        else:
            slots = _guess(game, rules, me, age, hand, turn, until, slots)
        if slots == _NOWHERE:
            return False
        turn = until
    witness = _witness(game, rules, me, age, turns, hand)
    past.left[age, hand] = slots if witness == NOBODY else _seen_before(game, rules, witness, age, turns)
    return True


@kernel
def _play_known(game, rules, witness, age, hand, turn):
    """Let what the seat saw leave a hand; return what was handed on."""
    past, own = game.redraw, game.own[witness]
    slots = _seen_before(game, rules, witness, age, turn) | _drawn(game, rules, age, turn, witness)
    past.gone[age, hand, turn] = own.took[age, turn]
    slots &= ~_bit(own.took[age, turn])
    if rules.duo and _holder(game.public, age, turn) == witness:
        past.city[age, turn] = game.own[_FREE_CITY_SEAT].took[age, turn]
        slots &= ~_bit(past.city[age, turn])
    return slots


_NOWHERE = np.uint64(0xFFFFFFFFFFFFFFFF)


@kernel
def _guess(game, rules, me, age, hand, turn, until, slots):
    """Say what left a known hand while the seat did not see it; return what is left, _NOWHERE if that cannot be."""
    past = game.redraw
    end = min(until, past.turns[age])
    for at in range(turn, end):
        event = _leaves(past, rules, age, hand, at)
        if event >= 0:
            slot = _named_in(rules, age, slots, event)
            if slot == NOBODY:
                return _NOWHERE
            past.gone[age, hand, at] = slot
            slots &= ~_bit(slot)
    kept = _ZERO
    if until <= past.turns[age]:
        kept = _seen_before(game, rules, _witness(game, rules, me, age, until, hand), age, until)
    for at in range(turn, end):
        if _leaves(past, rules, age, hand, at) < 0:
            if slots & ~kept == _ZERO:
                return _NOWHERE
            slot = _hidden_slot(game, rules, me, age, hand, at, slots & ~kept)
            if slot == NOBODY:
                return _NOWHERE
            past.gone[age, hand, at] = slot
            slots &= ~_bit(slot)
    return slots


@kernel
def _guess_duo(game, rules, me, age, hand, turn, until, slots):
    """Likewise in the game for two, where the rival may have drawn a card to the hand and played two (R45, R46)."""
    past = game.redraw
    event, city = _leaves(past, rules, age, hand, turn), past.event[age, _FREE_CITY_SEAT, turn]
    if _holder(game.public, age, turn) == me:
        return _guess(game, rules, me, age, hand, turn, until, slots)
    kept = _ZERO
    if _witness(game, rules, me, age, turn + 1, hand) != NOBODY:
        kept = _seen_before(game, rules, me, age, turn + 1)
    for _ in range(_DUO_TRIES):
        place = -1
        extra = np.int64(lowest_bit(kept & ~slots)) if kept & ~slots else np.int64(NOBODY)
        if extra == NOBODY:
            place = below(past, past.pool_size)
            extra = past.pool[place]
        open_slots = (slots | _bit(extra)) & ~kept
        first = _random_slot(past, open_slots)
        second = _random_slot(past, open_slots & ~_bit(first))
        if event >= 0 and rules.slot_card[age, first] != event:
            continue
        if city >= 0 and rules.slot_card[age, second] != city:
            continue
        if place >= 0:
            past.pool_size -= 1
            past.pool[place] = past.pool[past.pool_size]
        past.gone[age, hand, turn], past.city[age, turn] = first, second
        past.drawn[age, turn] = extra
        return (slots | _bit(extra)) & ~_bit(first) & ~_bit(second)
    return _NOWHERE


# --- one age, the pile, all of it


@kernel
def _make_age(game, rules, me, age):
    """Make up the past of an age; say whether it agrees with what was seen."""
    past = game.redraw
    for turn in range(TURNS):
        past.drawn[age, turn] = NOBODY
    _fill_pool(game, rules, age, _all_seen(game, rules, me, age))
    for hand in range(rules.players):
        if not _build_unseen(game, rules, me, age, hand):
            return False
    for hand in range(rules.players):
        if not _follow(game, rules, me, age, hand):
            return False
    for hand in range(rules.players):
        if not _bury_unseen(game, rules, me, age, hand):
            return False
    return True


@kernel
def _has_last_card(game, rules, age, seat):
    """Say whether a seat keeps its last card until it plays it, because it has not done so yet (R27)."""
    waits = game.flow.phase == LAST or game.flow.phase == SETTLE and game.flow.after == LAST
    return age == game.public.age and waits and game.public.abilities[seat] & PLAY_LAST != 0


@kernel
def _last_event(game, rules, age, hand):
    """Return what became of the last card of a hand: a card built, SOLD or BURIED, NOTHING if it is still there."""
    past = game.redraw
    if age == game.public.age and not _put_away(game, rules):
        return NOTHING
    seat = _seat_of(rules, age, rules.turns - 1, hand)
    if past.event[age, seat, TURNS] != NOTHING:
        return past.event[age, seat, TURNS]
    return NOTHING if _has_last_card(game, rules, age, seat) else SOLD


@kernel
def _discard_age(game, rules, age, before, at_least):
    """Count what was discarded in an age, from a moment on and before another one, onto the pile of names.

    A moment is age * (TURNS + 1) + turn; what is discarded in a turn lies there when one builds from the pile in it.
    """
    past = game.redraw
    for hand in range(rules.players):
        for turn in range(past.turns[age]):
            moment = age * (TURNS + 1) + turn
            if not at_least <= moment < before:
                continue
            if _leaves(past, rules, age, hand, turn) == SOLD:
                past.pile[rules.slot_card[age, past.gone[age, hand, turn]]] += 1
            if rules.duo and hand == 0 and past.event[age, _FREE_CITY_SEAT, turn] == SOLD:
                past.pile[rules.slot_card[age, past.city[age, turn]]] += 1
        moment = age * (TURNS + 1) + rules.turns - 1
        if at_least <= moment < before and _last_event(game, rules, age, hand) == SOLD and past.left[age, hand]:
            past.pile[rules.slot_card[age, lowest_bit(past.left[age, hand])]] += 1
        if rules.duo and hand == 0 and at_least <= moment < before and past.city_left[age] != NOBODY:
            past.pile[rules.slot_card[age, past.city_left[age]]] += 1


@kernel
def _last_cards_fit(game, rules, age):
    """Say whether the last cards that were built in the open are those that were left."""
    past = game.redraw
    for hand in range(rules.players):
        event = _last_event(game, rules, age, hand)
        if event >= 0 and (past.left[age, hand] == _ZERO or rules.slot_card[age, lowest_bit(past.left[age, hand])] != event):
            return False
    return True


@kernel
def _make_pile(game, rules, me):
    """Lay the discard pile that follows from the past, or from what the seat saw of it; say whether it agrees."""
    past, own = game.redraw, game.own[me]
    for card in range(rules.cards):
        past.pile[card] = 0
    since, begun = 0, 0
    if own.looked:
        since = (own.looked - 1) >> MOMENT_AT
        begun = (own.looked - 1) & ((1 << MOMENT_AT) - 1)
        if since // (TURNS + 1) == game.public.age and not _looks_right(game, rules, me, since, begun):
            return False
        since += 1
        for card in range(rules.cards):
            past.pile[card] = np.int64(own.look[card >> 4] >> np.uint64(4 * (card & 15)) & _NIBBLE)
    for build in range(past.build_count):
        if past.built_deed[build] < begun:
            continue
        moment, card = past.built_at[build], past.builds[build]
        if moment >= since:
            _discard_until(game, rules, moment + 1, since)
            since = moment + 1
        if uniform(past) * _copies_of(rules, card) >= past.pile[card]:
            return False
        past.pile[card] -= 1
    _discard_until(game, rules, AGES * (TURNS + 1), since)
    return True


@kernel
def _discard_until(game, rules, before, at_least):
    """Count what was discarded between two moments onto the pile."""
    for age in range(game.public.age + 1):
        _discard_age(game, rules, age, before, at_least)


@kernel
def _copies_of(rules, card):
    """Return how many slots of all ages have a name."""
    copies = 0
    for age in range(AGES):
        for slot in range(rules.slots[age]):
            copies += rules.slot_card[age, slot] == card
    return copies


@kernel
def _is_of_one_age(rules, age, card):
    """Say whether a name has slots in no other age."""
    for other in range(AGES):
        if other == age:
            continue
        for slot in range(rules.slots[other]):
            if rules.slot_card[other, slot] == card:
                return False
    return True


@kernel
def _looks_right(game, rules, me, moment, deed):
    """Say whether what was discarded in this age before the seat saw the pile was on it; leaves the pile empty."""
    past, own, age = game.redraw, game.own[me], game.public.age
    _discard_age(game, rules, age, moment + 1, 0)
    for build in range(past.build_count):
        if past.built_deed[build] < deed:
            past.pile[past.builds[build]] -= 1
    right = True
    for card in range(rules.cards):
        lay = np.int64(own.look[card >> 4] >> np.uint64(4 * (card & 15)) & _NIBBLE)
        if past.pile[card] > lay or past.pile[card] < lay and _is_of_one_age(rules, age, card):
            right = False
        past.pile[card] = 0
    return right


@kernel
def _make_past(game, rules, me):
    """Make up the past of all ages once; say whether it agrees with what the seat has seen."""
    _want_pile(game, rules, me)
    for age in range(game.public.age + 1):
        if age < game.public.age or game.flow.phase != DEAL:
            if not _make_age(game, rules, me, age) or not _last_cards_fit(game, rules, age):
                return False
            if rules.duo:
                game.redraw.city_left[age] = _from_pool(game.redraw) if _is_laid(game, rules, age) else NOBODY
    return _make_pile(game, rules, me) and uniform(game.redraw) < game.redraw.weight


@kernel
def _is_laid(game, rules, age):
    """Say whether the hands of an age are put away."""
    return age < game.public.age or _put_away(game, rules)


@kernel
def _tell_seat(game, rules, seat, age):
    """Give another seat the past that was made up: what it took and handed on."""
    past, own = game.redraw, game.own[seat]
    for turn in range(past.turns[age]):
        hand = _hand_at(rules, age, turn, seat)
        slots = past.left[age, hand]
        for later in range(turn + 1, past.turns[age]):
            slots |= _bit(past.gone[age, hand, later])
            if rules.duo and _holder(game.public, age, later) == _seat_of(rules, age, later, hand):
                slots |= _bit(past.city[age, later])
                if past.drawn[age, later] != NOBODY:
                    slots &= ~_bit(past.drawn[age, later])
                else:
                    slots &= ~game.own[_FREE_CITY_SEAT].passed[age, later]
        own.passed[age, turn] = slots
        own.took[age, turn] = past.gone[age, hand, turn]


@kernel
def _give_hand(game, rules, seat):
    """Give another seat the hand that was drawn for it, with nothing chosen yet."""
    public, past, own = game.public, game.redraw, game.own[seat]
    age, turn = public.age, public.turn
    hand = past.left[age, _hand_at(rules, age, turn, seat)]
    if _put_away(game, rules) and not _has_last_card(game, rules, age, seat):
        hand = _ZERO
    choosing = game.flow.phase == CHOOSE or game.flow.phase == CITY
    if rules.duo and choosing and _holder(public, age, turn) == seat:
        slot = _from_pool(past)
        game.own[_FREE_CITY_SEAT].passed[age, turn] = _bit(slot)
        hand |= _bit(slot)
    if choosing:
        own.took[age, turn] = NOBODY
    own.hand = own.seen = hand
    for at in range(past.turns[age]):
        own.seen |= own.passed[age, at] | _bit(own.took[age, at])


@kernel
def _choose_anew(game, rules, me):
    """Let all choose anew who have chosen in this turn, after the seat itself; its own choice stands."""
    flow, hidden = game.flow, game.hidden
    chosen = _has_chosen(game, me) or flow.phase == LAST and hidden.taken[me] != NO_MOVE
    if flow.phase == CITY and flow.seat != me:
        flow.phase = CHOOSE
    for seat in range(rules.seats):
        if seat != me and not (rules.duo and seat == _FREE_CITY_SEAT and chosen and hidden.holder == me):
            hidden.taken[seat] = NO_MOVE
    flow.seat = me if flow.phase == CITY or not chosen else me + 1
    flow.end, flow.wrap = rules.players, me


@kernel
def _lay_pile(game, rules):
    """Put the cards of the pile and what is left of the Free City's pile down."""
    past, hidden = game.redraw, game.hidden
    for word in range(CARD_WORDS):
        hidden.pile[word] = _ZERO
    for card in range(rules.cards):
        hidden.copies[card] = past.pile[card]
        if past.pile[card]:
            hidden.pile[card >> 6] |= _ONE << np.uint64(card & 63)
    if rules.duo and not _put_away(game, rules):
        for place in range(hidden.free_pile_next, rules.hand_size):
            hidden.free_pile[place] = _from_pool(past)


@kernel
def _free_city_past(game, rules, me):
    """Tell what the rival drew and the Free City took, as it was made up."""
    past, city = game.redraw, game.own[_FREE_CITY_SEAT]
    for age in range(game.public.age + 1):
        for turn in range(past.turns[age]):
            if _holder(game.public, age, turn) != me:
                city.took[age, turn] = past.city[age, turn]
                drawn = past.drawn[age, turn]
                city.passed[age, turn] = _bit(drawn if drawn != NOBODY else past.city[age, turn])


@kernel
def _show_mates(game, rules, me):
    """Let the other seats see their mates' hands as they were before the moves of the turn (R42)."""
    age, turn = game.public.age, game.public.turn
    for seat in range(rules.players):
        mate = game.own[seat ^ 1]
        if seat == me:
            continue
        hand = mate.hand
        if turn < game.redraw.turns[age]:
            hand = mate.passed[age, turn] | _bit(mate.took[age, turn])
        elif _has_chosen(game, seat ^ 1):
            hand |= _bit(mate.took[age, turn])
        game.own[seat].mate_hand = hand


@kernel
def redraw(game, rules, seed, number, me):
    """Draw all anew that a seat cannot know: hands, pile, deals to come, hidden choices, the other seats' streams.

    A function of position, seed and number. Of what the seat knows, nothing changes.
    """
    public, hidden, past = game.public, game.hidden, game.redraw
    seek(past, seed, number, _STREAM)
    _read_events(game, rules)
    for _ in range(MOST_TRIES):
        if _make_past(game, rules, me):
            break
    # a stage of a turn is resolved where the turn's deeds are there: the choice of the next one is still open
    if game.flow.phase != DEAL:
        for seat in range(rules.players):
            if seat != me:
                for age in range(public.age + 1):
                    _tell_seat(game, rules, seat, age)
                _give_hand(game, rules, seat)
        _lay_pile(game, rules)
        if rules.duo:
            _free_city_past(game, rules, me)
        if rules.teams:
            _show_mates(game, rules, me)
        phase = game.flow.phase
        if phase == CHOOSE or phase == CITY or phase == LAST and game.flow.seat != NOBODY:
            _choose_anew(game, rules, me)
    for seat in range(rules.players):
        if seat != me:
            own = game.own[seat]
            own.looked = 0
            for i in range(MEMORY):
                own.memory[i] = 0.0
            seek(own, seed, number, SEAT_STREAM + seat)
    hidden.seed, hidden.number = seed, number
    seek(hidden.dice, seed, number, DICE_STREAM)
