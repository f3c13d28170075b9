"""Action cards that may be played "any time": windows W1, W2 and W3 (section 7)."""

from __future__ import annotations

from wsim.babel.kernels.ask import ask
from wsim.babel.kernels.deal import draw, spend_action_card
from wsim.babel.kernels.moves import list_exchange, list_play_card, usable
from wsim.babel.words import DRAW_THREE, EXCHANGE_CARDS, KINDS
from wsim.jit import kernel


@kernel
def open_window(game, rules, line_up, first, count):
    """Let ``count`` seats, clockwise from ``first``, play what they like, each one all its cards before the next."""
    if game.hidden.instant_cards == 0:
        return
    seat = first
    for _ in range(count):
        own = game.own[seat]
        while usable(own, EXCHANGE_CARDS) > 0 or usable(own, DRAW_THREE) > 0:
            list_play_card(game, seat)
            move = ask(game, rules, line_up, seat)
            if move == 0:
                break
            spend_action_card(game, seat, move - 1)
            if move - 1 == DRAW_THREE:
                for _ in range(rules.effects[DRAW_THREE]):
                    draw(game, rules, seat)
            else:
                _exchange(game, rules, line_up, seat)
        seat = (seat + 1) % game.public.seats


@kernel
def _exchange(game, rules, line_up, seat):
    """Set aside cards one kind after the other, draw as many, then discard the set-aside ones (A30)."""
    own, public = game.own[seat], game.public
    lowest = 0
    count = 0
    while count < rules.effects[EXCHANGE_CARDS]:
        list_exchange(game, seat, lowest)
        move = ask(game, rules, line_up, seat)
        if move == 0:
            break
        lowest = move - 1
        own.hand[lowest] -= 1
        own.aside[lowest] += 1
        count += 1
    for _ in range(count):
        draw(game, rules, seat)
    public.hand_size[seat] -= count
    for kind in range(len(KINDS)):
        public.discards[kind] += own.aside[kind]
        own.aside[kind] = 0
