"""The rules of the ladder: each seat is dealt six of forty cards; seats in turn play one card to a common ladder.

A card above the last one is a rung, worth a point; a lower card starts the ladder again. The most rungs win.
"""

from __future__ import annotations

import numpy as np

from wsim.jit import kernel
from wsim.kernels.engine import loading
from wsim.kernels.heads import NOBODY
from wsim.rng import below, deal_word, redrawn_deal_word, redrawn_seat_word, seat_word, seek

from .layout import CARDS, HAND, PARAMETERS

_BIT = np.uint64(1)
load_entrant = loading(PARAMETERS)


@kernel
def deal(game, rules, seat, every):
    """Deal unseen cards: to every seat, or to all seats but one as many cards as they hold."""
    public, taken, cards = game.public, game.public.seen, HAND
    if not every:
        taken |= game.own[seat].hand
    for other in range(rules.seats):
        own = game.own[other]
        if every or other != seat:
            cards = HAND - (public.turn + rules.seats - 1 - other) // rules.seats
            own.hand = np.uint64(0)
            while cards:
                card = _BIT << np.uint64(below(game.hidden, CARDS))
                if not taken & card:
                    taken |= card
                    own.hand |= card
                    cards -= 1


@kernel
def redraw(game, rules, seed, number, seat):
    """Resample all that a seat cannot know."""
    seek(game.hidden, redrawn_deal_word(seed, number), 0)
    for one in range(rules.seats):
        seek(game.own[one], redrawn_seat_word(seed, number, one), 0)
    deal(game, rules, seat, False)


@kernel
def set_up(game, rules, seating, number):
    """Set the table for a game."""
    public = game.public
    public.seats, public.turn, public.seen, public.top = rules.seats, 0, np.uint64(0), -1
    game.hidden.number, game.log.count = number, 0
    seek(game.hidden, deal_word(seating, number), 0)
    for seat in range(rules.seats):
        own = game.own[seat]
        public.rungs[seat], own.seat = 0, seat
        load_entrant(own, seating, (seat + number) % rules.seats if seating.rotate else seat)
        seek(own, seat_word(seating, number, seat), 0)
    deal(game, rules, 0, True)


@kernel
def next_decision(game, rules, until):
    """List the moves of the seat whose turn it is and return it; NOBODY at the end."""
    public, choice = game.public, game.choice
    seat = public.turn % rules.seats
    choice.kind, choice.count = 0, 0
    if public.turn == HAND * rules.seats:
        return NOBODY
    for card in range(CARDS):
        if game.own[seat].hand >> np.uint64(card) & _BIT:
            choice.moves[choice.count] = card
            choice.count += 1
    return seat


@kernel
def take(game, rules, card):
    """Play a card."""
    public = game.public
    seat = public.turn % rules.seats
    game.own[seat].hand ^= _BIT << np.uint64(card)
    public.seen |= _BIT << np.uint64(card)
    public.turn += 1
    public.rungs[seat] += card > public.top
    public.top = card


@kernel
def outcome(game, seat):
    """Return (points, share of the victory) of a seat."""
    rungs, winners = game.public.rungs, 0
    for other in range(game.public.seats):
        if rungs[other] > rungs[seat]:
            return float(rungs[seat]), 0.0
        winners += rungs[other] == rungs[seat]
    return float(rungs[seat]), 1.0 / winners
