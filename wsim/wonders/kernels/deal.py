"""Setting the table and dealing the ages (R1-R5, R43), each a function of the seed and the game's number only."""

from __future__ import annotations

import numpy as np

from wsim.jit import kernel
from wsim.kernels.engine import loading
from wsim.rng import SETUP_STREAM, below, deal_word, redrawn_deal_word, redrawn_seat_word, seat_word, seek
from wsim.wonders import words as w
from wsim.wonders.kernels.city import FACTS
from wsim.wonders.kernels.clauses import note_watchers
from wsim.wonders.kernels.counters import reset_counters
from wsim.wonders.kernels.drafting import deal_further, forget_drafts
from wsim.wonders.kernels.layout import DEAL, DRAFT, MEMORY, NOBODY
from wsim.wonders.kernels.payment import forget_prices
from wsim.wonders.kernels.pending import forget_event
from wsim.wonders.kernels.turn import neighbor_left

_ZERO, _ONE = np.uint64(0), np.uint64(1)
DICE_STREAM = 12
SIDES_STREAM = 13  # of the balanced design
load_entrant = loading(w.PARAMETERS)
_clear = FACTS.clear()


@kernel
def _draw(dealer, count, drawn):
    """Move ``drawn`` random members of ``dealer.pool[:count]`` to its front, in drawn order."""
    for i in range(drawn):
        j = i + below(dealer, count - i)
        dealer.pool[i], dealer.pool[j] = dealer.pool[j], dealer.pool[i]


@kernel
def seat_boards(game, rules, seating, number):
    """Choose the board and side of every seat (R2): at random, as fixed, rotated with the game, or balanced."""
    public, dealer = game.public, game.dealer
    seats, boards = rules.seats, rules.boards
    if seating.design == w.BALANCED_BOARDS:
        _seat_balanced(public, dealer, rules, seating, number)
        return
    shift = number % seats if seating.design == w.ROTATED_BOARDS else 0
    seek(dealer, deal_word(seating, number), SETUP_STREAM)
    free = 0
    for board in range(boards):
        fixed = False
        for seat in range(seats):
            fixed |= seating.board[seat] == board
        if not fixed:
            dealer.pool[free] = board
            free += 1
    drawn = 0
    for seat in range(seats):
        board = seating.board[(seat + shift) % seats]
        if board < 0:
            j = drawn + below(dealer, free - drawn)
            dealer.pool[drawn], dealer.pool[j] = dealer.pool[j], dealer.pool[drawn]
            board = dealer.pool[drawn]
            drawn += 1
        public.side[seat] = 2 * board
    for seat in range(seats):
        side = seating.side[(seat + shift) % seats]
        public.side[seat] += side if side >= 0 else below(dealer, 2)


@kernel
def _seat_balanced(public, dealer, rules, seating, number):
    """Balance boards: in a block of 2 * boards games, every seat gets each board once with each side (unless fixed).

    The first half of a block draws its sides game by game, the second half plays the other sides: so every pair of
    sides of two boards meets, and comparisons of boards stay connected.
    """
    boards = rules.boards
    block, within = number // (2 * boards), number % (2 * boards)
    half, game = within // boards, within % boards
    first = block * 2 * boards
    seek(dealer, deal_word(seating, first), SETUP_STREAM)
    for board in range(boards):
        dealer.pool[board] = board
    _draw(dealer, boards, boards)
    seek(dealer, deal_word(seating, first + game), SIDES_STREAM)
    for seat in range(rules.seats):
        board = dealer.pool[(seat + game) % boards]
        drawn = below(dealer, 2)
        side = seating.side[seat]
        public.side[seat] = 2 * board + (side if side >= 0 else (drawn + half) % 2)


@kernel
def reset_city(public, rules, seat):
    """Empty a city and give it the starting resource of its board and its starting coins (R3, R12)."""
    _clear(public, rules, seat)
    resource = rules.board_resource[public.side[seat]]
    public.board_resource[seat] = resource
    public.made_kinds[seat] = 1 << resource
    unit = _ONE << np.uint64(8 * resource)
    public.plain[seat] = public.sale[seat] = public.reach[seat] = public.sale_reach[seat] = unit


@kernel
def set_up(game, rules, seating, number):
    """Set the table for a game: boards, policies, coins, random streams."""
    public, hidden = game.public, game.hidden
    public.seats = rules.seats
    public.turns = rules.age_turns[0]
    public.age = public.turn = 0
    public.discarded = public.deed_count = 0
    seat_boards(game, rules, seating, number)
    entries = seating.entries
    shift = number % entries if seating.rotate_policies else 0
    for seat in range(rules.seats):
        reset_city(public, rules, seat)
        entrant = (seat + shift) % entries if seat < rules.players else 0
        public.policy[seat] = entrant
        own = game.own[seat]
        own.seat = seat
        for i in range(MEMORY):
            own.memory[i] = 0.0
        own.looked = 0
        own.recruits = own.draft = _ZERO
        seek(own, seat_word(seating, number, seat), 0)
        if own.entrant != entrant:
            load_entrant(own, seating, entrant)
        hidden.board_builds[seat] = hidden.card_builds[seat] = hidden.losses[seat] = hidden.watched[seat] = 0
        for word in range(w.CARD_WORDS):
            hidden.denied[seat, word] = _ZERO
    if rules.counters:
        reset_counters(public, rules, w.FOR_GAME)
    hidden.deals = deal_word(seating, number)
    public.display = public.enlisted = _ZERO
    seek(hidden.dice, hidden.deals, DICE_STREAM)
    hidden.pile[0] = hidden.pile[1] = _ZERO
    for card in range(rules.cards):
        hidden.copies[card] = 0
    game.asking.made = game.asking.count = game.asking.draws = game.asking.is_drawn = game.asking.dealt = 0
    forget_event(public)
    forget_prices(game.solver.prices)  # of a game with other cards, which this thread played before
    if rules.table_entry < rules.last_entry:
        note_watchers(game, rules)
    game.flow.phase = DEAL
    if rules.drafts:
        forget_drafts(game, rules)
    if rules.decks and deal_further(game, rules, 0):
        game.flow.phase = DRAFT
    game.log.count = 0


@kernel
def deal(game, rules):
    """Draw the guilds and black cards of the age, shuffle the deck and deal the hands (R4, R43)."""
    public, hidden, dealer = game.public, game.hidden, game.dealer
    age = public.age
    public.turns = rules.age_turns[age]
    hand_size = public.turns + 1
    seek(dealer, hidden.deals, age)
    size = rules.base_count[age]
    for i in range(size):
        dealer.deck[i] = rules.base_slots[age, i]
    for kind in range(w.DRAWN_KINDS):
        drawn = rules.pool_drawn[age, kind]
        if drawn:
            count = rules.pool_count[age, kind]
            for i in range(count):
                dealer.pool[i] = rules.pool[age, kind, i]
            _draw(dealer, count, drawn)
            for i in range(drawn):
                dealer.deck[size + i] = dealer.pool[i]
            size += drawn
    at = 0
    for seat in range(rules.players):
        hand = _ZERO
        for _ in range(hand_size):
            hand |= _ONE << np.uint64(_next_card(dealer, size, at))
            at += 1
        own = game.own[seat]
        own.hand = own.seen = hand
        own.mate_hand = _ZERO
        public.hand_size[seat] = hand_size
        public.free_used[seat] = 0
        for turn in range(public.turns):
            own.passed[age, turn] = _ZERO
            own.took[age, turn] = NOBODY
        if rules.asides:
            for turn in range(public.turns):
                own.aside[age, turn] = 0
        if rules.watches:
            for turn in range(public.turns):
                own.watched[age, turn] = 0
    if rules.duo:
        for turn in range(public.turns):
            game.own[2].passed[age, turn] = _ZERO
            game.own[2].took[age, turn] = NOBODY
        public.free_used[2] = 0
        for i in range(hand_size):
            hidden.free_pile[i] = _next_card(dealer, size, at)
            at += 1
        hidden.free_pile_next = 0
        # R45: the player on the Free City's left begins ages I and III, the one on its right age II
        hidden.holder = neighbor_left(public, 2) if age != 1 else 1


@kernel
def _next_card(dealer, size, at):
    """Draw the slot at index ``at`` of a deck that is shuffled while it is dealt."""
    j = at + below(dealer, size - at) if at < size - 1 else at
    slot = dealer.deck[j]
    dealer.deck[j] = dealer.deck[at]
    return slot


@kernel
def seat_players(game, rules, seating, seed, number):
    """Let the line-up continue the game with separate random streams for policies, randomised picks and future
    deals."""
    public, hidden = game.public, game.hidden
    hidden.deals = redrawn_deal_word(seed, number)
    seek(hidden.dice, hidden.deals, DICE_STREAM)
    for seat in range(rules.players):
        own = game.own[seat]
        public.policy[seat] = seat % seating.entries
        load_entrant(own, seating, public.policy[seat])
        seek(own, redrawn_seat_word(seed, number, seat), 0)
