"""Any card, and the smallest step up."""

from __future__ import annotations

from wsim.jit import kernel
from wsim.rng import below


@kernel
def random(public, own, choice, rules, settings):
    """Return any move."""
    return below(own, choice.count)


@kernel
def card_value(public, own, settings, card):
    """Return the value of a card by the weights."""
    step = card - public.top
    return settings.weights[0] * step if step > 0 else settings.weights[1] - settings.weights[0] * step


@kernel
def weighted(public, own, choice, rules, settings):
    """Return the move of the highest value, the first of equals."""
    best = 0
    for index in range(1, choice.count):
        value = card_value(public, own, settings, choice.moves[index])
        if value > card_value(public, own, settings, choice.moves[best]):
            best = index
    return best
