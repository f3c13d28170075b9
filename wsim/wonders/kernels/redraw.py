"""Redrawing of hidden cards with their true probabilities for a seat that remembers all it has seen (R49).

A seat knows the hands that it has held (and, in teams, its mate's), when it held them, and so the rest of each; the
cards built openly, by whom and when, and so from which hand; how many cards were played face down; the discard pile
when it last built from it; the cards in the deck of an age, but only the numbers of guilds and black cards. The choices
of others are assumed to carry no information about a card except that they chose it: each card of a hand is equally
likely to have left it. Then the only unknown is the location of each unseen slot, and all locations are equally likely.

A redrawing samples a whole past: for each age, which slot left which hand in which turn. Hands are numbered by the seat
to which they were first dealt. A past without the cards seen on the discard pile, or built from it, is rejected and
sampled again; after very many rejections only the pile is kept as seen, regardless of sales.
"""

from __future__ import annotations

import numpy as np

from wsim.jit import kernel, lowest_bit
from wsim.rng import below, redrawn_deal_word, redrawn_seat_word, seek, uniform
from wsim.wonders import words as w
from wsim.wonders.kernels.deal import DICE_STREAM
from wsim.wonders.kernels.drafting import redraw_drafts
from wsim.wonders.kernels.layout import (
    CHOOSE,
    CITY,
    DEAL,
    DRAFT,
    DRAWN_FROM_PILE,
    LAST,
    MEMORY,
    MOMENT_AT,
    NOBODY,
    NOT_DRAWN,
)
from wsim.wonders.kernels.moves import NO_MOVE
from wsim.wonders.kernels.past import from_pool, leaves, make_age, want_pile
from wsim.wonders.kernels.pending import decider_of, first_pending
from wsim.wonders.kernels.recruiting import redraw_recruits
from wsim.wonders.kernels.redraw_unrecorded import draw_unrecorded, is_recorded
from wsim.wonders.kernels.seen import (
    NOTHING,
    SOLD,
    bit,
    hand_at,
    has_chosen,
    holder,
    phase_after,
    put_aside_by,
    put_away,
    read_events,
    seat_of,
)
from wsim.wonders.kernels.turn import drop_copy, plays_last
from wsim.wonders.words import AGES, CARD_WORDS, TURNS

_ZERO, _ONE = np.uint64(0), np.uint64(1)
_NIBBLE = np.uint64(0xF)
_FREE_CITY_SEAT = 2
_STREAM = 14  # of redrawings
_DRAWN_TRIES = 200  # pasts made up before cards that are drawn for a decision (R100) are put into the pile
MAX_TRIES = 50_000  # pasts made up before a pile that was seen is no longer asked to agree


# --- one age, the pile, all of it


@kernel
def _has_last_card(game, rules, age, seat):
    """Return whether a seat still has its last card to play (R27)."""
    return age == game.public.age and phase_after(game.flow) == LAST and plays_last(game.public, rules, seat)


@kernel
def _last_event(game, rules, age, hand):
    """Return the fate of the last card of a hand: the card built, SOLD or BURIED; NOTHING if it is still there."""
    past = game.redraw
    if age == game.public.age and not put_away(game, rules):
        return NOTHING
    seat = seat_of(rules, age, rules.age_turns[age] - 1, hand)
    if past.event[age, seat, TURNS] != NOTHING:
        return past.event[age, seat, TURNS]
    return NOTHING if _has_last_card(game, rules, age, seat) else SOLD


@kernel
def _discard_age(game, rules, age, before, at_least):
    """Add the cards discarded in an age between two moments to the counts of names on the pile.

    A moment is age * (TURNS + 1) + turn (``seen.pile_moment``): cards discarded in a turn are on the pile for builds at
    its end; the last cards of an age follow its turns.
    """
    past = game.redraw
    for hand in range(rules.players):
        for turn in range(past.turns[age]):
            moment = age * (TURNS + 1) + turn
            if not at_least <= moment < before:
                continue
            if leaves(past, rules, age, hand, turn) == SOLD:
                past.pile[rules.slot_card[age, past.gone[age, hand, turn]]] += 1
            if rules.duo and hand == 0 and past.event[age, _FREE_CITY_SEAT, turn] == SOLD:
                past.pile[rules.slot_card[age, past.city[age, turn]]] += 1
        moment = age * (TURNS + 1) + rules.age_turns[age]
        if at_least <= moment < before and _last_event(game, rules, age, hand) == SOLD and past.left[age, hand]:
            past.pile[rules.slot_card[age, lowest_bit(past.left[age, hand])]] += 1
        if rules.duo and hand == 0 and at_least <= moment < before and past.city_left[age] != NOBODY:
            past.pile[rules.slot_card[age, past.city_left[age]]] += 1


@kernel
def _last_cards_fit(game, rules, age):
    """Return whether the last cards that were built openly are the remaining ones."""
    past = game.redraw
    for hand in range(rules.players):
        event = _last_event(game, rules, age, hand)
        if event >= 0 and (
            past.left[age, hand] == _ZERO or rules.slot_card[age, lowest_bit(past.left[age, hand])] != event
        ):
            return False
    return True


@kernel
def _make_pile(game, rules, me):
    """Set the discard pile from the past, or from what the seat saw of it; return whether it is consistent.

    If ``strict`` is 0, the pile is as it was seen, without the cards built from it.
    """
    past, own = game.redraw, game.own[me]
    for card in range(rules.cards):
        past.pile[card] = 0
    since, begun = 0, 0
    if own.looked:
        since = (own.looked - 1) >> MOMENT_AT
        begun = (own.looked - 1) & ((1 << MOMENT_AT) - 1)
        in_this_age = past.strict and since // (TURNS + 1) == game.public.age
        if in_this_age and not _looks_right(game, rules, me, since, begun):
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
        if past.returned[build]:
            past.pile[card] += 1
            continue
        if past.strict and uniform(past) * _copies_of(rules, card) >= past.pile[card]:
            return False
        past.pile[card] = max(past.pile[card] - 1, 0)
    _discard_until(game, rules, AGES * (TURNS + 1), since)
    return True


@kernel
def _discard_until(game, rules, before, at_least):
    """Add the cards discarded between two moments to the pile."""
    for age in range(game.public.age + 1):
        _discard_age(game, rules, age, before, at_least)


@kernel
def _copies_of(rules, card):
    """Return the number of slots with a name in all ages."""
    copies = 0
    for age in range(AGES):
        for slot in range(rules.slots[age]):
            copies += rules.slot_card[age, slot] == card
    return copies


@kernel
def _is_of_one_age(rules, age, card):
    """Return whether a name has slots in no other age."""
    for other in range(AGES):
        if other == age:
            continue
        for slot in range(rules.slots[other]):
            if rules.slot_card[other, slot] == card:
                return False
    return True


@kernel
def _looks_right(game, rules, me, moment, deed):
    """Return whether the cards discarded in this age before the seat saw the pile were on it; leaves the pile empty."""
    past, own, age = game.redraw, game.own[me], game.public.age
    _discard_age(game, rules, age, moment + 1, 0)
    for build in range(past.build_count):
        if past.built_deed[build] < deed:
            past.pile[past.builds[build]] += 1 if past.returned[build] else -1
    right = True
    for card in range(rules.cards):
        listed = np.int64(own.look[card >> 4] >> np.uint64(4 * (card & 15)) & _NIBBLE)
        if past.pile[card] > listed or (past.pile[card] < listed and _is_of_one_age(rules, age, card)):
            right = False
        past.pile[card] = 0
    return right


@kernel
def _has_drawn(game):
    """Return whether the pile of a sampled past contains the cards drawn from it for a decision (R100)."""
    for card in range(w.CARDS):
        if (game.asking.drawn[card >> 6] >> np.uint64(card & 63)) & _ONE and game.redraw.pile[card] == 0:
            return False
    return True


@kernel
def _make_past(game, rules, me):
    """Sample a past of all ages; return whether it is consistent with what the seat has seen."""
    want_pile(game, rules, me)
    for age in range(game.public.age + 1):
        if age < game.public.age or game.flow.phase != DEAL:
            if not make_age(game, rules, me, age) or not _last_cards_fit(game, rules, age):
                return False
            if rules.duo:
                game.redraw.city_left[age] = (
                    from_pool(game.redraw) if (age < game.public.age or put_away(game, rules)) else NOBODY
                )
    return _make_pile(game, rules, me) and uniform(game.redraw) < game.redraw.weight


@kernel
def _show_seat(game, rules, seat, age):
    """Give a different seat its sampled past: the cards it took and passed on."""
    past, own = game.redraw, game.own[seat]
    for turn in range(past.turns[age]):
        hand = hand_at(rules, age, turn, seat)
        slots = past.left[age, hand]
        for later in range(turn + 1, past.turns[age]):
            slots |= bit(past.gone[age, hand, later])
            if rules.duo and holder(game.public, age, later) == seat_of(rules, age, later, hand):
                slots |= bit(past.city[age, later])
                if past.drawn[age, later] != NOBODY:
                    slots &= ~bit(past.drawn[age, later])
                else:
                    slots &= ~game.own[_FREE_CITY_SEAT].passed[age, later]
        for later in range(turn + 1, past.turns[age] + 1 if rules.asides else 0):
            if past.aside_of[age, hand, later]:
                slots |= bit(past.aside_of[age, hand, later] - 1)
        own.passed[age, turn] = slots
        own.took[age, turn] = past.gone[age, hand, turn]
    for turn in range(min(past.turns[age] + 1, TURNS) if rules.asides else 0):
        own.aside[age, turn] = past.aside_of[age, hand_at(rules, age, turn, seat), turn]


@kernel
def _give_hand(game, rules, seat):
    """Give a different seat the hand drawn for it, with nothing chosen yet."""
    public, past, own = game.public, game.redraw, game.own[seat]
    age, turn = public.age, public.turn
    hand = past.left[age, hand_at(rules, age, turn, seat)]
    if put_away(game, rules) and not _has_last_card(game, rules, age, seat):
        hand = _ZERO
    choosing = phase_after(game.flow) == CHOOSE or game.flow.phase == CITY
    if rules.duo and choosing and holder(public, age, turn) == seat:
        slot = from_pool(past)
        game.own[_FREE_CITY_SEAT].passed[age, turn] = bit(slot)
        hand |= bit(slot)
    if choosing:
        own.took[age, turn] = NOBODY
    own.hand = own.seen = hand
    for at in range(past.turns[age]):
        own.seen |= own.passed[age, at] | bit(own.took[age, at])
    for at in range(min(past.turns[age] + 1, TURNS) if rules.asides else 0):
        own.seen |= put_aside_by(rules, own, age, at)


@kernel
def _choose_anew(game, rules, me):
    """Make all seats that have chosen in this turn choose again, after the seat itself, whose choice is kept."""
    flow, hidden = game.flow, game.hidden
    chosen = has_chosen(game, me) or (flow.phase == LAST and hidden.taken[me] != NO_MOVE)
    if flow.phase == CITY and flow.seat != me:
        flow.phase = CHOOSE
    for seat in range(rules.seats):
        if seat != me and not (rules.duo and seat == _FREE_CITY_SEAT and chosen and hidden.holder == me):
            hidden.taken[seat] = NO_MOVE
    flow.seat = me if flow.phase == CITY or not chosen else me + 1
    flow.end, flow.wrap = rules.players, me


@kernel
def _free_city_past(game, me):
    """Record what the rival drew and the Free City took in the sampled past."""
    past, city = game.redraw, game.own[_FREE_CITY_SEAT]
    for age in range(game.public.age + 1):
        for turn in range(past.turns[age]):
            if holder(game.public, age, turn) != me:
                city.took[age, turn] = past.city[age, turn]
                drawn = past.drawn[age, turn]
                city.passed[age, turn] = bit(drawn if drawn != NOBODY else past.city[age, turn])


@kernel
def _show_mates(game, rules, me):
    """Show the other seats their mates' hands as they were before the moves of the turn (R42)."""
    age, turn = game.public.age, game.public.turn
    for seat in range(rules.players):
        mate = game.own[seat ^ 1]
        if seat == me:
            continue
        hand = mate.hand
        if turn < game.redraw.turns[age]:
            hand = game.redraw.left[age, hand_at(rules, age, turn, seat ^ 1)] | bit(mate.took[age, turn])
        elif seat ^ 1 == me and has_chosen(game, me):  # all others are to choose again
            hand |= bit(mate.took[age, turn])
        game.own[seat].mate_hand = hand


@kernel
def _try_pasts(game, rules, me, tries):
    """Sample pasts until one is consistent with what the seat has seen; return whether one was."""
    for _ in range(tries):
        if _make_past(game, rules, me):
            return True
    return False


@kernel
def _make_agreeing_past(game, rules, me, tries):
    """Sample a past that is consistent with the history and, if that is not too rare, with piles that were seen."""
    past = game.redraw
    past.strict = 1
    if game.asking.is_drawn == DRAWN_FROM_PILE and _sees_drawn(game, rules, me):
        for _ in range(_DRAWN_TRIES):
            if _make_past(game, rules, me) and _has_drawn(game):
                return
    if not _try_pasts(game, rules, me, tries):  # of piles that were seen; all the rest still has to agree
        past.strict = 0
        _try_pasts(game, rules, me, MAX_TRIES)


@kernel
def _set_pile(game, rules):
    """Set the discard pile as the sampled past has it."""
    past, hidden = game.redraw, game.hidden
    for word in range(CARD_WORDS):
        hidden.pile[word] = _ZERO
    for card in range(rules.cards):
        hidden.copies[card] = past.pile[card]
        if past.pile[card]:
            hidden.pile[card >> 6] |= _ONE << np.uint64(card & 63)


@kernel
def _draw_recorded(game, rules, me, tries):
    """Sample a past that is consistent with the history, and set every seat's hand and memory from it."""
    _make_agreeing_past(game, rules, me, tries)
    for seat in range(rules.players):
        if seat != me:
            for age in range(game.public.age + 1):
                _show_seat(game, rules, seat, age)
            _give_hand(game, rules, seat)
    _set_pile(game, rules)
    if rules.duo:
        hidden = game.hidden
        if not put_away(game, rules):
            for place in range(hidden.free_pile_next, rules.age_turns[game.public.age] + 1):
                hidden.free_pile[place] = from_pool(game.redraw)
        _free_city_past(game, me)
    if rules.teams:
        _show_mates(game, rules, me)
    phase = game.flow.phase
    if phase == CHOOSE or phase == CITY or (phase == LAST and game.flow.seat != NOBODY):
        _choose_anew(game, rules, me)


@kernel
def _sees_drawn(game, rules, me):
    """Return whether a seat decides about cards that are drawn from the pile or a deck (R100, R104)."""
    asking = game.asking
    if asking.is_drawn == NOT_DRAWN:
        return False
    decider = decider_of(asking.pending[first_pending(asking)])
    return me == (game.hidden.holder if decider >= rules.players else decider)


@kernel(rare=True)
def _keep_drawn(game, rules, me):
    """Put the drawn cards that the seat sees into the redrawn pile, in place of others; redraw them for other seats."""
    asking, hidden, past = game.asking, game.hidden, game.redraw
    if not _sees_drawn(game, rules, me):
        asking.is_drawn = NOT_DRAWN
    if asking.is_drawn != DRAWN_FROM_PILE:
        return
    for card in range(rules.cards):
        word, at = card >> 6, np.uint64(card & 63)
        if (asking.drawn[word] >> at) & _ONE == _ZERO or hidden.copies[card]:
            continue
        others = np.int64(0)
        for other in range(rules.cards):
            if (asking.drawn[other >> 6] >> np.uint64(other & 63)) & _ONE == _ZERO:
                others += hidden.copies[other]
        skipped = below(past, max(others, 1)) if others else np.int64(-1)
        for other in range(rules.cards):
            if skipped >= 0 and (asking.drawn[other >> 6] >> np.uint64(other & 63)) & _ONE == _ZERO:
                skipped -= np.int64(hidden.copies[other])
                if skipped < 0:
                    drop_copy(hidden, other)
        hidden.copies[card] += 1
        hidden.pile[word] |= _ONE << at


@kernel
def redraw(game, rules, seed, number, me):
    """Resample everything that a seat cannot know: hands, pile, deals to come, hidden choices, all streams.

    A function of position, seed and number. Nothing that the seat knows changes.
    """
    redraw_within(game, rules, seed, number, me, MAX_TRIES)


@kernel
def redraw_within(game, rules, seed, number, me, tries):
    """Resample like ``redraw``, but require agreement with a seen pile in only this many sampled pasts."""
    hidden, past = game.hidden, game.redraw
    word = redrawn_deal_word(seed, number)
    seek(past, word, _STREAM)
    read_events(game, rules)
    if not is_recorded(game, rules):
        draw_unrecorded(game, rules, me)
        _choose_anew(game, rules, me)
    elif game.flow.phase != DEAL and (phase_after(game.flow) != DRAFT or game.asking.dealt > 1):
        _draw_recorded(game, rules, me, tries)
    if game.asking.is_drawn:
        _keep_drawn(game, rules, me)
    if rules.decks:
        redraw_recruits(game, rules, me)
    if rules.drafts:
        redraw_drafts(game, rules, me)
    for seat in range(rules.seats):
        own = game.own[seat]
        seek(own, redrawn_seat_word(seed, number, seat), 0)
        if seat != me:
            own.looked = 0
            for i in range(MEMORY):
                own.memory[i] = 0.0
    hidden.deals = word
    seek(hidden.dice, word, DICE_STREAM)
