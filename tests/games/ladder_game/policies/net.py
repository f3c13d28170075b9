"""The move of the highest learned value."""

from __future__ import annotations

from wsim.jit import kernel
from wsim.kernels.net_layers import Parts, net_of

from ..kernels.layout import CARDS, HAND, SIZES
from .simple import card_value


@kernel
def _fill_state(public, own, choice, rules, x):
    """Fill how far the game, the ladder and the best rival are."""
    x[0], x[1], x[2] = public.turn / (HAND * rules.seats), (public.top + 1) / CARDS, public.rungs[own.seat] / HAND
    for seat in range(rules.seats):
        if seat != own.seat:
            x[3] = max(x[3], public.rungs[seat] / HAND)
    return 4


@kernel
def _fill_moves(public, own, choice, rules, settings, values, places, count, numbers):
    """Fill what the weights say of each card, whether it is a rung, how high, and how many of the hand are higher."""
    for j in range(count):
        card = choice.moves[places[j]]
        rung = card > public.top
        numbers[j, 0] = card_value(public, own, settings, card) / CARDS
        numbers[j, 1], numbers[j, 2] = 1.0 if rung else 0.0, card / CARDS
        numbers[j, 3] = (choice.count - places[j] - 1) / HAND


NET = net_of(Parts(SIZES, HAND, HAND, _fill_state, _fill_moves))
net_policy = NET.best
