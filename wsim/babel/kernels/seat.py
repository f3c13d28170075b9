"""The facts of a seat as kernels: computed facts, and kernels that process all facts (babel/facts.py)."""

from __future__ import annotations

import numpy as np

from wsim.babel.facts import SEAT_FACTS
from wsim.jit import count_bits, kernel
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
    return count_bits(np.uint64(game.own[seat].two_colour))


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
