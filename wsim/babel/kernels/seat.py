"""The facts of a seat as kernels: computed facts, and kernels that process all facts (babel/facts.py)."""

from __future__ import annotations

from wsim.babel.facts import SEAT_FACTS
from wsim.babel.words import SLOTS
from wsim.jit import kernel
from wsim.kernels.facts import FactKernels


@kernel
def offer_1(game, rules, seat):
    return game.public.offer[seat] & 0xFF


@kernel
def offer_2(game, rules, seat):
    return (game.public.offer[seat] >> 8) & 0xFF


@kernel
def trade_card(game, rules, seat):
    return game.public.offer[seat] >> 16


@kernel
def parts(game, rules, seat, wonder):
    return game.public.units[wonder, seat]


@kernel
def discs_two_colour(game, rules, seat):
    """Return the number of owned discs of two kinds."""
    count = 0
    for disc in range(SLOTS):
        count += (game.own[seat].two_colour >> disc) & 1
    return count


FACTS = FactKernels(
    SEAT_FACTS,
    "game",
    {
        "public": "game.public.{}[seat]",
        "private": "game.own[seat].{}",
        "tally": "game.hidden.tally[seat].{}",
        "table": "game.public.{}",
    },
    [offer_1, offer_2, trade_card, parts, discs_two_colour],
)
