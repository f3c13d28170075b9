"""Further decks: dealt or displayed before or after an age, recruited from for coins, also from cards drawn from the
stock, and drawn again in search (R88-R92, R104)."""

from __future__ import annotations

import numpy as np

from wsim.jit import count_bits, kernel, lowest_bit
from wsim.rng import below, seek
from wsim.wonders import words as w
from wsim.wonders.kernels.clauses import card_recruited
from wsim.wonders.kernels.layout import ACTION_AT, BANK_AT, DRAWN_FROM_STOCK, NOT_DRAWN, TRIGGER_AT
from wsim.wonders.kernels.moves import bank_of, card_of
from wsim.wonders.kernels.pending import RECRUIT, add_pending
from wsim.wonders.kernels.turn import add_recruit, gain, take_tokens

DECK_STREAM = 11
LATER_STREAM = 15  # of decks that are dealt before a later age, plus the age
AFTER_STREAM = 18  # of decks that are dealt after an age, plus the age
DRAW_STREAM = 64  # of the first cards drawn for a decision in a game; the next ones follow
_ZERO, _ONE = np.uint64(0), np.uint64(1)
_CHOOSE, _DECLINE = np.uint64(w.CHOOSE << ACTION_AT), np.uint64(w.DECLINE << ACTION_AT)
_COINS, _TRIGGER = np.uint64(BANK_AT), np.uint64(TRIGGER_AT)


@kernel
def cards_of(rules, deck):
    """Return the cards of a deck, one bit each."""
    cards = _ZERO
    for card in range(rules.deck_from[deck], rules.deck_from[deck + 1]):
        cards |= _ONE << np.uint64(card)
    return cards


@kernel
def draw_from(stream, cards, number):
    """Draw a number of cards from a set and return them."""
    drawn = _ZERO
    for _ in range(number):
        left = np.int64(0)
        rest = cards
        while rest:
            left += 1
            rest &= rest - _ONE
        rest = cards
        for _ in range(below(stream, left)):
            rest &= rest - _ONE
        drawn |= rest & (~rest + _ONE)
        cards &= ~drawn
    return drawn


@kernel(rare=True)
def stock_of(game, rules, deck):
    """Return the cards of a deck that nobody has and that are not displayed, one bit each."""
    cards = cards_of(rules, deck) & ~game.public.display
    for seat in range(rules.players):
        cards &= ~(game.public.recruited[seat] | game.own[seat].recruits | game.own[seat].draft)
    return cards


@kernel(rare=True)
def deal_decks(game, rules, moment):
    """Deal each deck of a moment to the hands of the players, seat by seat, or display its cards (R88)."""
    public, age = game.public, moment >> 1
    later = AFTER_STREAM if moment & 1 else LATER_STREAM
    seek(game.dealer, game.hidden.deals, later + age if moment else DECK_STREAM)
    for deck in range(rules.decks):
        if rules.deck_moment[deck] != moment:
            continue
        cards = stock_of(game, rules, deck)
        for seat in range(rules.players if rules.deck_dealt[deck] else 0):
            hand = draw_from(game.dealer, cards, min(rules.deck_dealt[deck], count_bits(cards)))
            game.own[seat].recruits |= hand
            cards &= ~hand
        public.display |= draw_from(game.dealer, cards, min(rules.deck_shown[deck], count_bits(cards)))


@kernel
def _offered(game, rules, seat, deck):
    """Return the cards that a player may recruit from a deck, whatever they cost."""
    cards = game.public.display if rules.deck_shown[deck] else game.own[seat].recruits
    return cards & cards_of(rules, deck)


@kernel(rare=True)
def ask_to_recruit(game, rules, trigger):
    """Append the decisions of all players to recruit from the decks of this event (R89)."""
    for seat in range(rules.players):
        for deck in range(rules.decks):
            if rules.deck_trigger[deck] == trigger and _offered(game, rules, seat, deck):
                add_pending(game, rules, RECRUIT + deck, seat, seat)


@kernel(rare=True)
def list_recruits(game, rules, seat, deck):
    """List the cards of a deck that a player can pay for, then declining; nothing if there are none (R89)."""
    _list_cards(game, rules, seat, deck, _offered(game, rules, seat, deck))


@kernel(rare=True)
def list_drawn(game, rules, seat, deck, number):
    """Draw cards from the stock of a deck, unless already drawn, and list those that a player can pay for (R104)."""
    asking, dealer = game.asking, game.dealer
    if asking.is_drawn == NOT_DRAWN:
        stock = stock_of(game, rules, deck)
        seek(dealer, game.hidden.deals, DRAW_STREAM + asking.draws)
        asking.draws += 1
        asking.is_drawn = DRAWN_FROM_STOCK
        asking.drawn[0] = draw_from(dealer, stock, min(number, count_bits(stock)))
        for word in range(1, w.CARD_WORDS):
            asking.drawn[word] = _ZERO
    _list_cards(game, rules, seat, deck, asking.drawn[0])


@kernel(rare=True)
def _list_cards(game, rules, seat, deck, cards):
    """List the cards of a set that a player can pay for, then declining; nothing if there are none."""
    choice, at = game.choice, 0
    choice.kind, choice.seat, choice.count = w.EFFECT, seat, 0
    asked = np.uint64(seat) << _TRIGGER
    while cards:
        entry = rules.deck_entry + lowest_bit(cards)
        cards &= cards - _ONE
        coins = np.int64(rules.cost_coins[entry])
        if coins <= game.public.coins[seat]:
            choice.moves[at] = asked | np.uint64(entry) | _CHOOSE | (np.uint64(coins) << _COINS)
            at += 1
    if at:
        choice.moves[at] = asked | np.uint64(rules.deck_entry + rules.deck_from[deck]) | _DECLINE
        at += 1
    choice.count = at


@kernel(rare=True)
def recruit(game, rules, seat, move):
    """Pay for a card and put it into the city; its immediate effects and its clauses follow (R90)."""
    public, entry = game.public, card_of(move)
    public.coins[seat] -= bank_of(move)
    public.bank_paid[seat] += bank_of(move)
    card = _ONE << np.uint64(entry - rules.deck_entry)
    from_stock = (game.own[seat].recruits | public.display) & card == _ZERO
    if from_stock:
        public.enlisted |= card
    game.own[seat].recruits &= ~card
    public.display &= ~card
    add_recruit(public, rules, seat, entry)
    if rules.abilities[entry] & w.BUILD_DISCARD:
        game.hidden.board_builds[seat] += 1
    if rules.eventful[entry] & w.AT_ONCE:
        gain(public, rules, seat, entry)
        take_tokens(public, rules, seat, entry)
    card_recruited(game, rules, seat, entry, from_stock)


@kernel
def set_aside(asking):
    """Return the cards that are drawn from the stock of a deck for the decision at hand (R104), one bit each."""
    return asking.drawn[0] if asking.is_drawn == DRAWN_FROM_STOCK else _ZERO


@kernel(rare=True)
def redraw_recruits(game, rules, me):
    """Redraw the hands of the other players: each unseen card is equally likely to be anywhere (R92)."""
    aside = set_aside(game.asking)
    for deck in range(rules.decks):
        cards = cards_of(rules, deck)
        if rules.deck_dealt[deck] == 0 or (rules.deck_drafted[deck] and game.own[me].drafted[0] & cards):
            continue
        unseen = cards & ~game.own[me].recruits & ~aside
        for seat in range(rules.players):
            unseen &= ~game.public.recruited[seat]
        for seat in range(rules.players):
            if seat == me:
                continue
            hand = draw_from(game.redraw, unseen, count_bits(game.own[seat].recruits & cards))
            unseen &= ~hand
            game.own[seat].recruits = (game.own[seat].recruits & ~cards) | hand
