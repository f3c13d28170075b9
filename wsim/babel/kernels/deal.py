"""Set the table up and draw cards (section 2, A2).

A face-down deck is a multiset: drawing from it without replacement is equivalent to taking the top card of a shuffled
pile, so cards are drawn one by one when needed and a reshuffle costs nothing. The k-th card drawn in a game is the same
for every line-up as long as the discard pile has not been reshuffled.
"""

from __future__ import annotations

from wsim.babel import words as w
from wsim.babel.kernels.layout import ACTION_DRAWS, BEGIN, LOG_ACTION_CARD, LOG_DRAW, LOG_RESHUFFLE, MEMORY, NOBODY
from wsim.babel.kernels.log import note
from wsim.babel.kernels.seat import FACTS
from wsim.jit import kernel
from wsim.kernels.engine import loading
from wsim.rng import SETUP_STREAM, below, deal_word, redrawn_deal_word, redrawn_seat_word, seat_word, seek

CARD_STREAM = 0  # discs, then building cards
ACTION_STREAM = 1  # the order of the action deck
DICE_STREAM = 12  # overruled decisions
load_entrant = loading(w.PARAMETERS)
_clear_facts = FACTS.clear()


@kernel
def set_up(game, rules, seating, number):
    """Set up game ``number``: discs, decks, hands and the start player (section 2)."""
    hidden, public = game.hidden, game.public
    _clear_public(public, rules)
    for seat in range(rules.seats):
        own = game.own[seat]
        entrant = seat
        if seating.rotate:
            entrant = (seat + number) % game.public.seats
        if own.entrant != entrant:
            load_entrant(own, seating, entrant)
        own.seat = seat
        _clear_facts(game, rules, seat)
        for index in range(MEMORY):
            own.memory[index] = 0.0
        hidden.offer[seat] = 0
        hidden.bluff[seat] = 0
        seek(own, seat_word(seating, number, seat), 0)
    hidden.reshuffles = 0
    hidden.completed = 0
    game.log.count = 0
    game.flow.phase = BEGIN
    hidden.instant_cards = 0
    word = deal_word(seating, number)
    seek(hidden.dice, word, DICE_STREAM)
    seek(hidden, word, ACTION_STREAM)
    _deal_action_deck(hidden, rules)
    seek(hidden, word, SETUP_STREAM)
    hidden.starter = below(hidden, rules.seats)
    public.active = hidden.starter
    seek(hidden, word, CARD_STREAM)
    for slot in range(w.SLOTS):
        public.board[slot] = slot
        public.kind_left[rules.kind[slot, 0]] += 1
        public.kind_left[rules.kind[slot, 1]] += 1
    public.kind_left[w.NO_KIND] = 0
    for slot in range(w.SLOTS - 1):
        other = slot + below(hidden, w.SLOTS - slot)
        disc = public.board[other]
        public.board[other] = public.board[slot]
        public.board[slot] = disc
    for kind in range(len(w.KINDS)):
        hidden.deck[kind] = rules.cards[kind]
        public.deck += rules.cards[kind]
    for seat in range(rules.seats):
        for _ in range(rules.starting_hand):
            draw(game, rules, seat)


@kernel
def forget_build(public):
    """Clear the build in the public record."""
    public.slot = NOBODY
    public.taken = 0
    public.partner = NOBODY
    for place in range(w.NEEDS):
        public.kind[place] = w.NO_KIND
        public.need[place] = 0
        public.missing[place] = 0
    for seat in range(public.seats):
        public.offer[seat] = 0
        public.bluff[seat] = 0


@kernel
def _clear_public(public, rules):
    public.seats = rules.seats
    public.turn = 1
    public.action = 1
    public.over = w.RUNNING
    public.row = 0
    public.slots_left = (1 << w.SLOTS) - 1
    public.deck = 0
    forget_build(public)
    for wonder in range(w.WONDERS):
        for seat in range(rules.seats):
            public.units[wonder, seat] = 0
    for kind in range(len(w.KINDS) + 1):
        public.kind_left[kind] = 0
    for kind in range(len(w.KINDS)):
        public.discards[kind] = 0


@kernel
def _deal_action_deck(hidden, rules):
    """Shuffle the first cards of the action deck into order; no game draws more than ``ACTION_DRAWS``."""
    count = 0
    if rules.use_action_cards:
        for card in range(len(w.ACTION_CARDS)):
            for _ in range(rules.action_cards[card]):
                hidden.action_deck[count] = card
                count += 1
    hidden.actions_drawn = 0
    hidden.actions_ready = min(count, ACTION_DRAWS)
    for top in range(hidden.actions_ready):
        other = top + below(hidden, count - top)
        card = hidden.action_deck[other]
        hidden.action_deck[other] = hidden.action_deck[top]
        hidden.action_deck[top] = card


@kernel
def draw(game, rules, seat):
    """Give the seat the top card; if the deck is empty, first rebuild it from the discard pile (A2) or draw nothing."""
    hidden, public = game.hidden, game.public
    if public.deck == 0:
        _reshuffle(game, rules)
        if public.deck == 0:
            return
    deck = hidden.deck
    place = below(hidden, public.deck)
    kind = 0  # the kind of card number `place` of the sorted deck, without branches: they would be mispredicted
    end = deck[0]
    kind += place >= end
    end += deck[1]
    kind += place >= end
    end += deck[2]
    kind += place >= end
    deck[kind] -= 1
    public.deck -= 1
    game.own[seat].hand[kind] += 1
    public.hand_size[seat] += 1
    note(game, LOG_DRAW, seat, kind, 0)


@kernel
def _reshuffle(game, rules):
    hidden, public = game.hidden, game.public
    if not rules.reshuffle_discards:
        return
    for kind in range(len(w.KINDS)):
        hidden.deck[kind] = public.discards[kind]
        public.deck += public.discards[kind]
        public.discards[kind] = 0
    if public.deck:
        hidden.reshuffles += 1
        note(game, LOG_RESHUFFLE, public.active, public.deck, 0)


@kernel
def draw_action_card(game, rules, seat):
    """Give the seat the top action card, if one is left (section 6, A31)."""
    hidden, public, own = game.hidden, game.public, game.own[seat]
    if hidden.actions_drawn == hidden.actions_ready:
        return
    card = hidden.action_deck[hidden.actions_drawn]
    hidden.actions_drawn += 1
    own.cards[card] += 1
    own.fresh[card] += not rules.action_card_usable_at_once
    public.action_cards[seat] += 1
    hidden.tally[seat].cards_drawn[card] += 1
    if card in (w.EXCHANGE_CARDS, w.DRAW_THREE):
        hidden.instant_cards += 1
    note(game, LOG_ACTION_CARD, seat, card, 0)


@kernel
def spend_action_card(game, seat, card):
    """Discard an action card that the seat has played."""
    game.own[seat].cards[card] -= 1
    game.public.action_cards[seat] -= 1
    game.hidden.tally[seat].cards_played[card] += 1
    if card in (w.EXCHANGE_CARDS, w.DRAW_THREE):
        game.hidden.instant_cards -= 1


@kernel
def seat_players(game, rules, seating, seed, number):
    """Let the line-up continue the game with separate random streams for policies, cards to be drawn, and dice."""
    hidden = game.hidden
    word = redrawn_deal_word(seed, number)
    seek(hidden.dice, word, DICE_STREAM)
    seek(hidden, word, CARD_STREAM)
    for top in range(hidden.actions_drawn, hidden.actions_ready):
        other = top + below(hidden, hidden.actions_ready - top)
        card = hidden.action_deck[other]
        hidden.action_deck[other] = hidden.action_deck[top]
        hidden.action_deck[top] = card
    for seat in range(rules.seats):
        own = game.own[seat]
        load_entrant(own, seating, seat)
        seek(own, redrawn_seat_word(seed, number, seat), 0)
