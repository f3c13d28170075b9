"""The legal moves of every decision, complete and each listed once.

Every list is ascending, and move 0 declines (pass, offer nothing, take nobody, play nothing), so it comes first
wherever declining is legal. ``layout`` defines the other moves at each decision; the accessors below read them, also
for policies.
"""

from __future__ import annotations

import numpy as np

from wsim.babel import words as w
from wsim.babel.kernels.layout import COMPLETED, TRADE_CARD
from wsim.jit import kernel, lowest_bit

_BYTE = 0xFF
_SECOND = 256  # one card of the disc's second kind
_GUARD = 0x808080  # a borrow from a byte of a packed sum shows here


@kernel
def first_of(move):
    """Return the cards of the disc's first kind in an offer or a completion."""
    return move & _BYTE


@kernel
def second_of(move):
    """Return the cards of the disc's second kind."""
    return (move >> 8) & _BYTE


@kernel
def cards_of(move):
    """Return the cards of both kinds together."""
    return (move & _BYTE) + ((move >> 8) & _BYTE)


@kernel
def trades(move):
    """Return 1 if an offer contains the trade card, else 0."""
    return move >> 16


@kernel
def usable(own, card):
    """Return how many copies of an action card the seat may play now (A18)."""
    return own.cards[card] - own.fresh[card]


@kernel
def list_turn(game):
    """Sections 4 and 5.1: pass, or build with any disc on the board."""
    choice = game.choice
    choice.kind = w.TURN
    choice.moves[0] = 0
    count = 1
    left = game.public.slots_left
    while left:
        choice.moves[count] = 1 + lowest_bit(np.uint64(left))
        left &= left - 1
        count += 1
    choice.count = count


@kernel
def list_play_card(game, seat):
    """Windows W1-W3: play none, the Card exchange or Draw three. A Card exchange needs a hand."""
    choice, own = game.choice, game.own[seat]
    choice.kind = w.PLAY_CARD
    choice.moves[0] = 0
    choice.count = 1
    if usable(own, w.EXCHANGE_CARDS) > 0 and game.public.hand_size[seat] > 0:
        choice.moves[choice.count] = 1 + w.EXCHANGE_CARDS
        choice.count += 1
    if usable(own, w.DRAW_THREE) > 0:
        choice.moves[choice.count] = 1 + w.DRAW_THREE
        choice.count += 1


@kernel
def list_exchange(game, seat, lowest):
    """Set aside one more card, of kind ``lowest`` or a later kind (so that each selection is reached once), or stop."""
    choice, own = game.choice, game.own[seat]
    choice.kind = w.EXCHANGE
    choice.moves[0] = 0
    count = 1
    for kind in range(lowest, len(w.KINDS)):
        if own.hand[kind] > 0:
            choice.moves[count] = 1 + kind
            count += 1
    choice.count = count


@kernel
def list_offer(game, rules, seat):
    """Section 5.2: up to the shown number of each kind (A7), with or without the trade card (A4, A5)."""
    choice, own, public = game.choice, game.own[seat], game.public
    choice.kind = w.OFFER
    most = min(own.hand[public.kind[0]], public.need[0])
    most_second = min(own.hand[public.kind[1]], public.need[1])
    count = 0
    if rules.allow_empty_offer or most + most_second == 0:
        choice.moves[0] = 0
        count = 1
    for second in range(0, most_second * _SECOND + 1, _SECOND):
        for first in range(second == 0, most + 1):
            choice.moves[count] = second + first
            count += 1
    for second in range(0, most_second * _SECOND + 1, _SECOND):
        for first in range(second == 0 and not rules.allow_trade_card_alone, most + 1):
            choice.moves[count] = TRADE_CARD + second + first
            count += 1
    choice.count = count


@kernel
def list_bluff(game, seat):
    """A6, if allowed: any set of kinds in hand that the disc does not need, one card of each."""
    choice, own, public = game.choice, game.own[seat], game.public
    choice.kind = w.BLUFF
    held = 0
    for kind in range(len(w.KINDS)):
        if own.hand[kind] > 0 and kind != public.kind[0] and kind != public.kind[1]:
            held |= 1 << kind
    count = 0
    for mask in range(1 << len(w.KINDS)):
        if mask & ~held == 0:
            choice.moves[count] = mask
            count += 1
    choice.count = count


@kernel
def list_take(game):
    """Section 5.3: every set of offers with at most one trade card and no more cards of a kind than the disc needs.

    Seats are added in ascending order to every legal set so far, which gives ascending masks; a set that is too large
    is never extended.
    """
    choice, public, sums = game.choice, game.public, game.sums
    choice.kind = w.TAKE
    choice.moves[0] = 0
    sums[0] = 0
    count = 1
    room = (public.need[0] + public.need[1] * _SECOND + TRADE_CARD) | _GUARD
    for seat in range(public.seats):
        offer = public.offer[seat]
        if offer:
            for index in range(count):
                total = sums[index] + offer
                if (room - total) & _GUARD == _GUARD:
                    sums[count] = total
                    choice.moves[count] = choice.moves[index] | (1 << seat)
                    count += 1
    choice.count = count


@kernel
def list_complete(game, rules):
    """Section 5.4: decline (A9), or every way to add the missing cards from hand and Jokers (A12-A14)."""
    choice, public = game.choice, game.public
    own = game.own[public.active]
    choice.kind = w.COMPLETE
    missing, missing_second = public.missing[0], public.missing[1]
    short = max(missing - own.hand[public.kind[0]], 0)
    short_second = max(missing_second - own.hand[public.kind[1]], 0)
    jokers = min(usable(own, w.JOKER), rules.max_jokers_per_build)
    size = rules.effects[w.JOKER]
    choice.moves[0] = 0
    count = 1
    if jokers == 0:
        if short + short_second == 0:
            choice.moves[1] = COMPLETED
            count = 2
    else:
        for second in range(short_second, missing_second + 1):
            for first in range(short, missing + 1):
                split = first % size == 0 or rules.joker_may_split
                if split and (first + second) % size == 0 and first + second <= jokers * size:
                    choice.moves[count] = COMPLETED + second * _SECOND + first
                    count += 1
    if count > 1 and not rules.may_decline_when_able:
        count -= 1
        for index in range(count):
            choice.moves[index] = choice.moves[index + 1]
    choice.count = count


@kernel
def list_yes_no(game, kind):
    """Triple bonus and Double turn: no or yes."""
    choice = game.choice
    choice.kind = kind
    choice.moves[0] = 0
    choice.moves[1] = 1
    choice.count = 2


@kernel
def restrict(game, rules, seating):
    """Remove no move: plans of this game forbid none."""
