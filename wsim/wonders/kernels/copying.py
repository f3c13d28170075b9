"""Copies: a city has the lasting effects of a structure once more (R103)."""

from __future__ import annotations

import numpy as np

from wsim.jit import kernel
from wsim.kernels.guards import stop_game
from wsim.wonders import words as w
from wsim.wonders.kernels.guards import add_shields, check_lanes
from wsim.wonders.kernels.production import add_flex
from wsim.wonders.limits import MAX_SYMBOLS, SYMBOLS

_ONE = np.uint64(1)


@kernel(rare=True)
def copy_structure(public, rules, city, card, source):
    """Give a city the lasting effects of a structure: shields, its symbol, production that is not for sale, points at
    the end; ``source``: the entry with the clause. Return 1, or 0 if it is not a structure or the city already has a
    copy of it."""
    if card < 0 or card >= w.STAGE_ENTRY:
        return 0
    bit = _ONE << np.uint64(card & 63)
    if public.copied[city, card >> 6] & bit:
        return 0
    public.copied[city, card >> 6] |= bit
    if rules.shields[card]:
        add_shields(public, city, source, rules.shields[card])
    symbol = rules.symbol[card]
    if symbol:
        symbols = 1
        for kind in range(1, w.SYMBOL_KINDS):
            symbols += public.symbols[city, kind]
        if symbols > MAX_SYMBOLS:
            stop_game(SYMBOLS, city, source, symbols, MAX_SYMBOLS)
        public.symbols[city, symbol] += 1
    public.plain[city] += rules.produces[card]
    public.reach[city] += rules.produces[card]
    check_lanes(public.reach[city], city, source)
    if rules.one_of[card]:
        add_flex(public, city, source, np.int64(rules.one_of[card]), 0, False)
    return 1
