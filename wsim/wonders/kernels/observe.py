"""The observation of a seat, as a row of numbers of fixed length (R49); ``wsim.wonders.describe.view`` names the
columns."""

from __future__ import annotations

import numpy as np

from wsim.jit import kernel, lowest_bit
from wsim.wonders import words as w
from wsim.wonders.facts import OBSERVED, OBSERVED_WITH_CLAUSES
from wsim.wonders.kernels.city import FACTS
from wsim.wonders.kernels.guards import check_coins
from wsim.wonders.kernels.layout import CITY, DEAL, NOBODY
from wsim.wonders.kernels.moves import card_of, owner_of_move, slot_of
from wsim.wonders.kernels.seen import bit, phase_after
from wsim.wonders.kernels.turn import neighbor_left, neighbor_right

_write_city = FACTS.observe(OBSERVED)
_write_by_clauses = FACTS.observe(OBSERVED_WITH_CLAUSES)
HISTORY = 3  # numbers of a deed: action, card, coins to the bank
_ZERO, _ONE, _BYTE = np.uint64(0), np.uint64(1), np.uint64(0xFF)


@kernel
def _write_names(rules, age, slots, seen, at):
    """Count the copies of each name in a set of slots, from index ``at`` on; return the next index."""
    for card in range(rules.cards):
        seen[at + card] = 0
    while slots:
        seen[at + rules.slot_card[age, lowest_bit(slots)]] += 1
        slots &= slots - _ONE
    return at + rules.cards


@kernel
def _write_bits(rules, cards, seen, at):
    """Write for each card of the further decks whether it is in a set; return the next index."""
    count = rules.deck_from[rules.decks]
    for card in range(count):
        seen[at + card] = (cards >> np.uint64(card)) & _ONE
    return at + count


@kernel(rare=True)
def _watched(game, rules, seat, other):
    """Return the hand of another seat that a clause let a seat see (R105), until the moves of the turn are made."""
    public, own = game.public, game.own[other]
    shown = game.own[seat].watched[public.age, public.turn] >> other & 1
    if not shown or phase_after(game.flow) > CITY or game.flow.phase == DEAL:
        return _ZERO
    took = own.took[public.age, public.turn]
    return own.hand | (bit(took) if took != NOBODY else _ZERO)


@kernel
def observe(game, rules, seat, seen):
    """Write the observation of a seat into ``seen``: the table, its hand, every city from its own to the left.

    If the row is long enough, these follow: hands passed on in this age, then all public moves, turn by turn.
    """
    public, own = game.public, game.own[seat]
    choosing = game.choice.seat == seat and game.choice.count > 0
    table = (public.age, public.turn, public.turns, public.discarded, seat, game.choice.kind if choosing else NOBODY)
    at = 0
    for number in table:
        seen[at] = number
        at += 1
    at = _write_names(rules, public.age, own.hand, seen, at)
    if rules.teams:
        at = _write_names(rules, public.age, own.mate_hand, seen, at)
    for step in range(rules.seats):
        other = (seat + step) % rules.seats
        check_coins(public.coins[other], other)
        at = _write_city(public, rules, other, seen, at)
        if rules.triggers:
            at = _write_by_clauses(public, rules, other, seen, at)
        for counter in range(rules.counters):
            seen[at] = public.counter[other, counter]
            at += 1
        for card in range(rules.cards):
            seen[at + card] = (public.built[other, card >> 6] >> np.uint64(card & 63)) & _ONE
        at += rules.cards
        if rules.copies:
            for card in range(rules.cards):
                seen[at + card] = (public.copied[other, card >> 6] >> np.uint64(card & 63)) & _ONE
            at += rules.cards
        at = _write_bits(rules, public.recruited[other], seen, at)
    if rules.asks:
        asked = choosing and game.choice.kind == w.EFFECT
        seen[at] = 1 + card_of(game.choice.moves[0]) if asked else 0
        seen[at + 1] = slot_of(game.choice.moves[0]) if asked else 0
        seen[at + 2] = owner_of_move(game.choice.moves[0], 0, w.SEATS + 1) if asked else 0
        at += 3
    if rules.watches:
        at = _write_names(rules, public.age, _watched(game, rules, seat, neighbor_left(public, seat)), seen, at)
        at = _write_names(rules, public.age, _watched(game, rules, seat, neighbor_right(public, seat)), seen, at)
    at = _write_bits(rules, own.recruits, seen, at)
    at = _write_bits(rules, public.display, seen, at)
    if rules.drafts:
        at = _write_bits(rules, own.draft, seen, at)
    if at < seen.shape[0]:
        _write_history(game, rules, seat, seen, at)


@kernel
def _write_history(game, rules, seat, seen, at):
    """Write the hands passed on in this age and the moves of every city in every turn."""
    public, own = game.public, game.own[seat]
    for turn in range(rules.turns):
        at = _write_names(rules, public.age, own.passed[public.age, turn], seen, at)
    for place in range(at, seen.shape[0]):
        seen[place] = 0
    for number in range(public.deed_count):
        deed = public.deeds[number]
        other = np.int64(deed >> np.uint64(40) & np.uint64(15))
        age, turn = np.int64(deed >> np.uint64(44) & np.uint64(3)), np.int64(deed >> np.uint64(46) & np.uint64(15))
        decision = np.int64(deed >> np.uint64(50) & np.uint64(7))
        step = (other - seat) % rules.seats
        late = decision != 0
        place = at + HISTORY * (((age * rules.turns + turn) * rules.seats + step) * 2 + late)
        if place + HISTORY > seen.shape[0]:
            continue
        seen[place] = 1 + np.int64(deed >> np.uint64(8) & np.uint64(15))
        seen[place + 1] = np.int64(deed & _BYTE)
        seen[place + 2] = np.int64(deed >> np.uint64(16) & _BYTE)
