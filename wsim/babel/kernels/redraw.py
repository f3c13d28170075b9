"""Redrawing of hidden cards with their true probabilities for a seat that remembers all it has seen (A26).

A seat knows its own cards, the discard pile, and for every other hand its size and the cards that were shown in an
offer and have not left it. All other building cards are equally likely to be in any hand or in the deck; so are the
action cards that are neither played nor its own; a seat that is asked to play an action card has one. Offers that are
made but not revealed are made again, after its own.
"""

from __future__ import annotations

from wsim.babel.kernels.deal import CARD_STREAM, DICE_STREAM
from wsim.babel.kernels.layout import AGAIN, LAY_BLUFF, LAY_OFFER, MEMORY, PAY_OFFERS, SET_ASIDE, WINDOW
from wsim.babel.kernels.moves import usable
from wsim.babel.words import ACTION_CARDS, DOUBLE_TURN, DRAW_THREE, EXCHANGE_CARDS, KINDS, TRIPLE_BONUS
from wsim.jit import kernel
from wsim.rng import below, redrawn_deal_word, redrawn_seat_word, seek

_STREAM = 14  # of redrawings
MAX_TRIES = 10_000  # deals of action cards


@kernel
def _put_back(game, me):
    """Put the cards that a seat cannot know back into the decks."""
    public, hidden = game.public, game.hidden
    for seat in range(public.seats):
        if seat == me:
            continue
        own = game.own[seat]
        for kind in range(len(KINDS)):
            held = own.hand[kind] + own.aside[kind]
            hidden.deck[kind] += held - public.shown[seat, kind]
            own.hand[kind], own.aside[kind] = public.shown[seat, kind], 0
    if game.flow.phase == SET_ASIDE and game.flow.seat != me:
        game.flow.aside = game.flow.lowest = 0


@kernel
def _deal_hands(game, me):
    """Fill the other hands from the deck, card by card."""
    public, hidden, past = game.public, game.hidden, game.redraw
    for seat in range(public.seats):
        if seat == me:
            continue
        own = game.own[seat]
        missing = public.hand_size[seat]
        for kind in range(len(KINDS)):
            missing -= own.hand[kind]
        for _ in range(missing):
            left = 0
            for kind in range(len(KINDS)):
                left += hidden.deck[kind]
            place, kind = below(past, left), 0
            while place >= hidden.deck[kind]:
                place -= hidden.deck[kind]
                kind += 1
            hidden.deck[kind] -= 1
            own.hand[kind] += 1


@kernel
def _sort(hidden, first, count):
    """Sort the unknown action cards, so that the draw does not depend on their order."""
    for top in range(first + 1, count):
        card, place = hidden.action_deck[top], top
        while place > first and hidden.action_deck[place - 1] > card:
            hidden.action_deck[place] = hidden.action_deck[place - 1]
            place -= 1
        hidden.action_deck[place] = card


@kernel
def _deal_action_cards(game, rules, me):
    """Shuffle the action cards of the other seats and of the deck, and redeal them."""
    public, hidden, past = game.public, game.hidden, game.redraw
    count, first = 0, hidden.actions_drawn
    for card in range(len(ACTION_CARDS)):
        count += rules.action_cards[card]
    if count == 0 or not rules.use_action_cards:
        return
    for seat in range(public.seats):
        own, tally = game.own[seat], hidden.tally[seat]
        past.fresh[seat] = 0
        if seat == me:
            continue
        for card in range(len(ACTION_CARDS)):
            past.fresh[seat] += own.fresh[card]
            for _ in range(own.cards[card]):
                first -= 1
                hidden.action_deck[first] = card
            tally.cards_drawn[card] -= own.cards[card]
            own.cards[card] = own.fresh[card] = 0
    _sort(hidden, first, count)
    for top in range(first, count):
        other = top + below(past, count - top)
        card = hidden.action_deck[other]
        hidden.action_deck[other] = hidden.action_deck[top]
        hidden.action_deck[top] = card
    for seat in range(public.seats):
        if seat == me:
            continue
        own = game.own[seat]
        for place in range(public.action_cards[seat]):
            card = hidden.action_deck[first]
            first += 1
            own.cards[card] += 1
            own.fresh[card] += place < past.fresh[seat]
            hidden.tally[seat].cards_drawn[card] += 1
    hidden.instant_cards = 0
    for seat in range(public.seats):
        hidden.instant_cards += game.own[seat].cards[EXCHANGE_CARDS] + game.own[seat].cards[DRAW_THREE]


@kernel
def _may_decide(game):
    """Return whether the seat that is asked for an action card has one; in a real game it is asked only if it does."""
    flow, phase = game.flow, game.flow.phase
    if phase == WINDOW:
        own = game.own[flow.seat]
        return flow.left == 0 or usable(own, EXCHANGE_CARDS) + usable(own, DRAW_THREE) > 0
    if phase == PAY_OFFERS:
        return flow.left == 0 or usable(game.own[flow.seat], TRIPLE_BONUS) > 0
    return phase != AGAIN or usable(game.own[game.public.active], DOUBLE_TURN) > 0


@kernel
def _offer_anew(game, me):
    """Make the other seats offer again, after the seat itself, whose own offer is kept."""
    public, flow = game.public, game.flow
    seats = public.seats
    decided = seats - 1 - flow.left  # before flow.seat, without the active seat
    back, seat, mine = 0, flow.seat, False
    while back < decided:
        seat = (seat - 1) % seats
        if seat != public.active:
            back += 1
            mine |= seat == me
    for other in range(seats):
        if other != me:
            game.hidden.offer[other] = game.hidden.bluff[other] = 0
    if me == public.active:
        flow.phase, flow.left, flow.seat = LAY_OFFER, seats - 1, (me + 1) % seats
        return
    if flow.seat != me:
        flow.phase = LAY_OFFER
    flow.left = seats - 2 if mine else seats - 1
    flow.seat = (me + 1) % seats if mine else me
    if flow.seat == public.active:
        flow.seat = (flow.seat + 1) % seats


@kernel
def redraw(game, rules, seed, number, me):
    """Resample everything that a seat cannot know: hands, action cards, decks, laid offers, all streams.

    A function of position, seed and number. Nothing that the seat knows changes.
    """
    hidden = game.hidden
    word = redrawn_deal_word(seed, number)
    seek(game.redraw, word, _STREAM)
    _put_back(game, me)
    _deal_hands(game, me)
    for _ in range(MAX_TRIES):
        _deal_action_cards(game, rules, me)
        if _may_decide(game):
            break
    if game.flow.phase == LAY_OFFER or game.flow.phase == LAY_BLUFF:
        _offer_anew(game, me)
    for seat in range(game.public.seats):
        own = game.own[seat]
        seek(own, redrawn_seat_word(seed, number, seat), 0)
        if seat != me:
            for i in range(MEMORY):
                own.memory[i] = 0.0
    seek(hidden.dice, word, DICE_STREAM)
    seek(hidden, word, CARD_STREAM)
