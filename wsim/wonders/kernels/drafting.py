"""Drafts of further decks: each player keeps a card of its hand and passes the rest on (R101, R102).

Hands go around in the direction of the age that a deck belongs to. A hand has the number of the seat to which it is
dealt.
"""

from __future__ import annotations

import numpy as np

from wsim.jit import count_bits, kernel, lowest_bit
from wsim.wonders import words as w
from wsim.wonders.kernels.layout import ACTION_AT, HOW_AT, NOBODY, TRIGGER_AT
from wsim.wonders.kernels.moves import card_of
from wsim.wonders.kernels.pending import KEEP, add_pending
from wsim.wonders.kernels.recruiting import cards_of, deal_decks, draw_from, set_aside

_ZERO, _ONE = np.uint64(0), np.uint64(1)
_KEEP, _TRIGGER = np.uint64((w.CHOOSE << ACTION_AT) | (w.KEEPS << HOW_AT)), np.uint64(TRIGGER_AT)


@kernel
def _seat_with(rules, deck, hand, turn):
    """Return the seat that holds a hand of a deck in a turn of its draft."""
    step = turn % rules.players
    to_right = rules.to_right[rules.deck_moment[deck] >> 1]
    return (hand + (rules.players - step if to_right else step)) % rules.players


@kernel(rare=True)
def forget_drafts(game, rules):
    """Empty all hands at the beginning of a game: no hand of age I is dealt yet."""
    for seat in range(rules.players):
        own = game.own[seat]
        own.hand = own.mate_hand = own.seen = own.draft = _ZERO
        for turn in range(w.TURNS):
            own.passed[0, turn] = _ZERO
            own.took[0, turn] = NOBODY
        for turn in range(w.HAND):
            own.drafted[turn] = _ZERO


@kernel(rare=True)
def deal_further(game, rules, moment):
    """Deal the decks of a moment, unless they are dealt; return whether players are to draft any of them (R101)."""
    asking, drafts = game.asking, False
    if asking.dealt > moment:
        return False
    asking.dealt = moment + 1
    deal_decks(game, rules, moment)
    asking.draft_deck = asking.draft_turn = 0
    for deck in range(rules.decks):
        if rules.deck_drafted[deck] and rules.deck_moment[deck] == moment:
            drafts, cards = True, cards_of(rules, deck)
            for seat in range(rules.players):
                own = game.own[seat]
                own.draft |= own.recruits & cards
                own.recruits &= ~cards
                own.drafted[0] |= own.draft & cards
    return drafts


@kernel(rare=True)
def draft_on(game, rules):
    """Ask all players to keep a card, deck by deck, once all have kept the last one; return whether any is asked."""
    asking = game.asking
    while asking.draft_deck < rules.decks:
        deck, turn = asking.draft_deck, asking.draft_turn
        if rules.deck_drafted[deck] and rules.deck_moment[deck] == asking.dealt - 1:
            if turn:
                _pass_on(game, rules, deck, turn)
            asking.draft_turn += 1
            if turn < rules.deck_dealt[deck] - 1:
                for seat in range(rules.players):
                    add_pending(game, rules, KEEP + deck, seat, seat)
                return True
            for seat in range(rules.players):  # the last card is kept without a choice
                own = game.own[seat]
                own.recruits |= own.draft & cards_of(rules, deck)
                own.draft &= ~cards_of(rules, deck)
        asking.draft_deck += 1
        asking.draft_turn = 0
    return False


@kernel(rare=True)
def _pass_on(game, rules, deck, turn):
    """Hand what is left of every hand to the next player, who sees it."""
    cards = cards_of(rules, deck)
    for seat in range(rules.players):
        own = game.own[seat]
        own.drafted[turn] |= own.draft & cards
    for hand in range(rules.players):
        own = game.own[_seat_with(rules, deck, hand, 1)]
        own.draft = (own.draft & ~cards) | (game.own[hand].drafted[turn] & cards)
    for seat in range(rules.players):
        own = game.own[seat]
        own.drafted[turn] = (own.drafted[turn] & ~cards) | (own.draft & cards)


@kernel(rare=True)
def list_draft(game, rules, seat, deck):
    """List the cards of a player's hand, of which it keeps one."""
    choice, at = game.choice, 0
    choice.kind, choice.seat = w.EFFECT, seat
    cards = game.own[seat].draft & cards_of(rules, deck)
    while cards:
        entry = np.uint64(rules.deck_entry + lowest_bit(cards))
        cards &= cards - _ONE
        choice.moves[at] = (np.uint64(seat) << _TRIGGER) | entry | _KEEP
        at += 1
    choice.count = at


@kernel(rare=True)
def keep(game, rules, seat, move):
    """Put the chosen card into the secret hand of a player (R101)."""
    own, card = game.own[seat], _ONE << np.uint64(card_of(move) - rules.deck_entry)
    own.draft &= ~card
    own.recruits |= card


# --- redrawn in search (R102)


@kernel(rare=True)
def redraw_drafts(game, rules, me):
    """Redraw the cards that the other players hold from drafted decks."""
    for deck in range(rules.decks):
        if rules.deck_drafted[deck] and game.own[me].drafted[0] & cards_of(rules, deck):
            _redraw_draft(game, rules, me, deck)


@kernel(rare=True)
def _redraw_draft(game, rules, me, deck):
    """Redraw the card that left each hand in each turn: cards that the seat passed on were kept by the later holders of
    the hand, one each in any order; cards that it never saw are drawn from all unseen cards. Recruited cards stay where
    they are."""
    past, cards, own = game.redraw, cards_of(rules, deck), game.own[me]
    size, turns, seen = rules.deck_dealt[deck], rules.deck_dealt[deck], _ZERO
    for seat in range(rules.players):
        past.kept[seat] = size - count_bits(game.own[seat].draft & cards)
        turns = min(turns, past.kept[seat])  # in which all have kept a card
    for turn in range(min(turns + 1, size)):
        seen |= own.drafted[turn] & cards
    unseen = cards & ~seen & ~game.public.enlisted & ~set_aside(game.asking)
    for seat in range(rules.players):
        past.recruited[seat] = game.public.recruited[seat] & unseen
    for seat in range(rules.players):
        unseen &= ~past.recruited[seat]
    for hand in range(rules.players):
        past.in_draft[hand] = _ZERO
        for turn in range(size):
            past.kept_of[hand, turn] = _ZERO
        unseen = _draw_unseen(game, rules, me, deck, hand, turns, size, unseen)
        for turn in range(min(turns + 1, size)):
            if _seat_with(rules, deck, hand, turn) == me:
                _share_out(game, rules, me, deck, hand, turn, min(turns + 1, size), size)
    for seat in range(rules.players):
        if seat != me:
            _give_draft(game, rules, seat, deck, turns, size)


@kernel(rare=True)
def _draw_unseen(game, rules, me, deck, hand, turns, size, unseen):
    """Draw what left a hand before the seat saw it, and the whole hand if it never did; return what is left of the
    cards that it never saw and nobody has recruited."""
    past, left = game.redraw, size
    for turn in range(size):
        seat = _seat_with(rules, deck, hand, turn)
        if seat == me and turn <= turns:
            return unseen
        if turn < past.kept[seat]:
            card = past.recruited[seat] & (~past.recruited[seat] + _ONE)
            if card == _ZERO:
                card = draw_from(past, unseen, 1)
            past.recruited[seat] &= ~card
            unseen &= ~card
            past.kept_of[hand, turn] = card
            left -= 1
    past.in_draft[hand] = draw_from(past, unseen, left)
    return unseen & ~past.in_draft[hand]


@kernel(rare=True)
def _share_out(game, rules, me, deck, hand, turn, turns, size):
    """Draw who kept which of the cards that the seat saw in a turn, until it sees the hand again or to the end."""
    past, own, again = game.redraw, game.own[me], turn + rules.players
    cards = cards_of(rules, deck)
    known = own.drafted[turn] & cards
    if again < turns:
        known &= ~own.drafted[again]
    if turn < past.kept[me]:
        past.kept_of[hand, turn] = known & (own.recruits | game.public.recruited[me])
        known &= ~past.kept_of[hand, turn]
    for later in range(turn + 1, min(again, size)):
        seat = _seat_with(rules, deck, hand, later)
        past.kept_of[hand, later] = known & game.public.recruited[seat]
        known &= ~past.kept_of[hand, later]
    for later in range(turn + 1, min(again, size)):
        if past.kept_of[hand, later] == _ZERO and later < past.kept[_seat_with(rules, deck, hand, later)]:
            past.kept_of[hand, later] = draw_from(past, known, 1)
            known &= ~past.kept_of[hand, later]
    if again >= turns:
        past.in_draft[hand] = known


@kernel(rare=True)
def _give_draft(game, rules, seat, deck, turns, size):
    """Give another seat the cards that it kept, the hand before it, and the hands that it saw."""
    past, own, kept, cards = game.redraw, game.own[seat], _ZERO, cards_of(rules, deck)
    own.draft &= ~cards
    for hand in range(rules.players):
        rest = past.in_draft[hand]
        for back in range(size):
            turn = size - 1 - back
            rest |= past.kept_of[hand, turn]
            if _seat_with(rules, deck, hand, turn) == seat:
                kept |= past.kept_of[hand, turn]
                own.drafted[turn] = (own.drafted[turn] & ~cards) | (rest if turn <= turns else _ZERO)
                if turn == turns:
                    own.draft |= rest & ~past.kept_of[hand, turn]
    own.recruits = (own.recruits & ~cards) | (kept & ~game.public.recruited[seat])
