"""The log of a game while it is played: public moves (R49), and events for traces and the picks table."""

from __future__ import annotations

import numpy as np

from wsim.jit import kernel, lowest_bit
from wsim.kernels.guards import stop_game
from wsim.wonders.kernels import layout
from wsim.wonders.kernels.moves import action_of, card_of, how_of
from wsim.wonders.limits import LOGGED, MOVES
from wsim.wonders.words import BUILD, CARD_WORDS, CHAIN, DISCARD, FREE_CITY, LAST_CARD, STAGE

_ZERO, _ONE = np.uint64(0), np.uint64(1)
_OPEN = np.uint64(0xFFFFFFFFFF)  # of a move: all but the slot and what follows
_CARD = np.uint64(0xFF)
_SEAT, _AGE, _TURN, _DECISION = (np.uint64(at) for at in (40, 44, 46, 50))


@kernel
def log_deed(public, seat, move, decision):
    """Record the public part of a move."""
    at = public.deed_count
    if at == layout.DEEDS:
        stop_game(MOVES, -1, card_of(move) if action_of(move) == BUILD else -1, layout.DEEDS + 1, layout.DEEDS)
    deed = move & _OPEN
    if action_of(move) != BUILD and action_of(move) < DISCARD:
        deed &= ~_CARD
    deed |= (np.uint64(seat) << _SEAT) | (np.uint64(decision) << _DECISION)
    public.deeds[at] = deed | (np.uint64(public.age) << _AGE) | (np.uint64(public.turn) << _TURN)
    public.deed_count = at + 1


@kernel
def log_event(game, kind, seat):
    """Append an event to the log and return it; the log has room for the longest game, except for clause effects."""
    log, public = game.log, game.public
    at = log.count
    if at == layout.EVENTS + layout.EFFECTS_LOGGED:
        stop_game(LOGGED, -1, -1, layout.EVENTS + layout.EFFECTS_LOGGED + 1, layout.EVENTS + layout.EFFECTS_LOGGED)
    log.count = at + 1
    event = log.events[at]
    event.kind = kind
    event.age = public.age
    event.turn = public.turn
    event.seat = seat
    return event


@kernel
def _count_ways(game, rules, event):
    """Count the legal ways to build each distinct card of the logged hand; experiments weigh picks by them.

    The moves of a card are listed together, in the order of the hand.
    """
    choice, hand = game.choice, event.hand
    at, last, i = -1, -1, 0
    while hand:
        card = rules.slot_card[game.public.age, lowest_bit(hand)]
        hand &= hand - _ONE
        if card == last:
            continue
        at, last = at + 1, card
        ways = 0
        while i < choice.count and card_of(choice.moves[i]) == card:
            if action_of(choice.moves[i]) == BUILD:
                ways += 1
            i += 1
        event.ways[at] = min(ways, 255)


@kernel
def log_pick(game, rules, decider, index, randomised, probability):
    """Log the decision at hand and return its event."""
    choice = game.choice
    event = log_event(game, layout.LOG_PICK, choice.seat)
    event.decision = choice.kind
    event.legal = choice.count
    event.index = index
    event.randomised = randomised
    event.probability = probability
    event.move = choice.moves[index]
    event.hand = game.own[decider].hand if choice.kind <= LAST_CARD or choice.kind == FREE_CITY else _ZERO
    _count_ways(game, rules, event)
    event.wanted, event.others, event.overruled = _ZERO, 0, 0
    return event


@kernel
def log_wish(game, event):
    """Log the policy's wish at a decision at which it could have been overruled."""
    wish = game.wish
    event.wanted = game.choice.moves[wish.index]
    event.others = wish.others
    event.overruled = wish.overruled
    event.stages = 0
    for word in range(2 * CARD_WORDS):
        event.could[word] = _ZERO
    for i in range(game.choice.count):
        move = game.choice.moves[i]
        if action_of(move) == STAGE:
            event.stages = 1
        elif action_of(move) == BUILD:
            card = card_of(move)
            bit = _ONE << np.uint64(card & 63)
            event.could[card >> 6] |= bit
            if how_of(move) == CHAIN:
                event.could[CARD_WORDS + (card >> 6)] |= bit


@kernel(rare=True)
def log_loss(game, seat, paid, debts):
    """Log the coins that a seat paid for a loss, and the debts that it took instead."""
    event = log_event(game, layout.LOG_LOSS, seat)
    event.values[0], event.values[1] = paid, debts


@kernel(rare=True)
def log_effect(game, seat, action, city, amount):
    """Log the effect of a clause's action on a city; repeated effects within a turn are added up."""
    log = game.log
    at = log.count - 1
    while at >= 0 and log.events[at].kind != layout.LOG_TURN_END and log.events[at].kind != layout.LOG_HANDS:
        event = log.events[at]
        if (
            event.kind == layout.LOG_EFFECT
            and event.seat == seat
            and event.values[0] == action
            and event.values[1] == city
        ):
            event.values[2] += amount
            return
        at -= 1
    event = log_event(game, layout.LOG_EFFECT, seat)
    event.values[0], event.values[1], event.values[2] = action, city, amount


@kernel(rare=True)
def log_coins(game, rules):
    """Log every treasury after a turn, and before it every counter."""
    public = game.public
    for counter in range(rules.counters):
        event = log_event(game, layout.LOG_COUNTER, 0)
        for seat in range(public.seats):
            event.values[seat] = public.counter[seat, counter]
        event.values[layout.VALUES - 1] = counter
    event = log_event(game, layout.LOG_TURN_END, 0)
    for seat in range(public.seats):
        event.values[seat] = public.coins[seat]


@kernel(rare=True)
def log_hands(game, rules):
    """Log the hands as dealt, one event per player, then the Free City's pile."""
    for seat in range(rules.players):
        event = log_event(game, layout.LOG_HANDS, seat)
        event.hand = game.own[seat].hand
    if rules.duo:
        event = log_event(game, layout.LOG_HANDS, 2)
        for i in range(game.public.turns + 1):
            event.values[i] = game.hidden.free_pile[i]
