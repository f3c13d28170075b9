"""The move of the highest learned value."""

from __future__ import annotations

from wsim.jit import kernel
from wsim.kernels.net_layers import NetHooks, net_of

from ..kernels.layout import CARDS, HAND, SIZES
from .simple import card_value


@kernel
def _fill(public, own, choice, rules, settings, values, places, count, state, moves):
    """Fill the inputs: progress of game, ladder and best rival; value and height of each card, and the cards above."""
    state[0], state[1] = public.turn / (HAND * rules.seats), (public.top + 1) / CARDS
    state[2] = public.rungs[own.seat] / HAND
    for seat in range(rules.seats):
        if seat != own.seat:
            state[3] = max(state[3], public.rungs[seat] / HAND)
    for j in range(count):
        card = choice.moves[places[j]]
        moves[j, 0], moves[j, 1] = card_value(public, own, settings, card) / CARDS, card / CARDS
        moves[j, 2] = 1.0 if card > public.top else 0.0
        moves[j, 3] = (choice.count - places[j] - 1) / HAND


NET = net_of(NetHooks(SIZES, HAND, HAND, _fill))
net_policy = NET.best
