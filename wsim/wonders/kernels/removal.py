"""Removing a structure from a city: its lasting effects end, its immediate effects remain (R82)."""

from __future__ import annotations

import numpy as np

from wsim.jit import kernel, lowest_bit
from wsim.wonders import words as w
from wsim.wonders.kernels.payment import spread
from wsim.wonders.kernels.turn import MARKET_ROLE, WAREHOUSE_ROLE, refresh_prices, refresh_private_symbols

_ZERO, _ONE, _BYTE, _LANE = np.uint64(0), np.uint64(1), np.uint64(0xFF), np.uint64(8)


@kernel
def _abilities(public, rules, seat):
    """Return the abilities of the structures, stages and recruited cards of a city."""
    abilities, recruited = np.int64(0), public.recruited[seat]
    while recruited:
        abilities |= rules.abilities[rules.deck_entry + lowest_bit(recruited)]
        recruited &= recruited - _ONE
    for stage in range(public.stages[seat]):
        abilities |= rules.abilities[rules.stage_entry[public.side[seat], stage]]
    for word in range(w.CARD_WORDS):
        names = public.built[seat, word]
        while names:
            abilities |= rules.abilities[64 * word + lowest_bit(names)]
            names &= names - _ONE
    return abilities


@kernel
def _kinds_made(public, rules, seat):
    """Return a mask of the resources that the board, brown and gray cards produce (R18)."""
    kinds = 1 << np.int64(public.board_resource[seat])
    for card in range(rules.cards):
        color = rules.color[card]
        if (color == w.BROWN or color == w.GRAY) and (public.built[seat, card >> 6] >> np.uint64(card & 63)) & _ONE:
            kinds |= np.int64(rules.one_of[card])
            for resource in range(w.RESOURCE_KINDS):
                if (rules.produces[card] >> (np.uint64(resource) * _LANE)) & _BYTE:
                    kinds |= 1 << resource
    return kinds


@kernel
def _remove_symbol(public, seat, mask, role, sold):
    """Remove an either/or symbol with a role, or with these alternatives."""
    at = 0
    while public.flex_role[seat, at] != role or (role == 0 and public.flex[seat, at] != mask):
        at += 1
    public.flex_count[seat] -= 1
    for later in range(at, public.flex_count[seat]):
        public.flex[seat, later] = public.flex[seat, later + 1]
        public.flex_role[seat, later] = public.flex_role[seat, later + 1]
    public.flex_role[seat, public.flex_count[seat]] = 0
    if not sold:
        return
    at = 0
    while public.sale_flex[seat, at] != mask:
        at += 1
    public.sale_flex_count[seat] -= 1
    public.sale_flex_lanes[seat] = _ZERO
    public.sale_reach[seat] -= spread(mask)
    for later in range(public.sale_flex_count[seat]):
        if later >= at:
            public.sale_flex[seat, later] = public.sale_flex[seat, later + 1]
        public.sale_flex_lanes[seat] |= spread(public.sale_flex[seat, later]) * _BYTE


@kernel
def _remove_production(public, rules, seat, card):
    """Remove the production of a structure from its city."""
    produces, mask = rules.produces[card], np.int64(rules.one_of[card])
    sold = rules.color[card] == w.BROWN or rules.color[card] == w.GRAY
    public.plain[seat] -= produces
    if sold:
        public.sale[seat] -= produces
        public.sale_reach[seat] -= produces
    if mask:
        _remove_symbol(public, seat, mask, 0, sold)
    public.made_kinds[seat] = _kinds_made(public, rules, seat)


@kernel
def remove_structure(public, rules, seat, card):
    """Remove a structure from a city (R82)."""
    public.built[seat, card >> 6] &= ~(_ONE << np.uint64(card & 63))
    public.colors[seat, rules.color[card]] -= 1
    public.shields[seat] -= rules.shields[card]
    symbol = rules.symbol[card]
    if symbol:
        public.symbols[seat, symbol] -= 1
        if rules.color[card] == w.GREEN:
            public.green_symbols[seat, symbol] -= 1
    abilities = np.int64(rules.abilities[card])
    if abilities:
        public.abilities[seat] = (public.abilities[seat] & w.FREE_TOKEN) | _abilities(public, rules, seat)
        public.copy_science[seat] -= rules.copy_science[card]
        if abilities & (w.WAREHOUSE | w.BLACK_MARKET):
            _remove_symbol(public, seat, 0, WAREHOUSE_ROLE if abilities & w.WAREHOUSE else MARKET_ROLE, False)
    if rules.produces[card] or rules.one_of[card]:
        _remove_production(public, rules, seat, card)
    refresh_private_symbols(public, seat, card)
    if abilities & w.PRICES:
        for side in range(w.NEIGHBOR_SEATS):
            public.turn_rebate[seat, side] -= rules.turn_rebate[card, side]
            public.board_rebate[seat, side] -= rules.board_rebate[card, side]
        _lift_prices(public, rules, seat)


@kernel
def _lift_prices(public, rules, seat):
    """Recompute the prices from the remaining structures (R14)."""
    for kind in range(w.PRICE_KINDS):
        public.post_price[seat, kind] = rules.trade_price
    for card in range(rules.cards):
        if rules.abilities[card] & w.PRICES and (public.built[seat, card >> 6] >> np.uint64(card & 63)) & _ONE:
            for kind in range(w.PRICE_KINDS):
                price = min(public.post_price[seat, kind], rules.price[card, kind])
                public.post_price[seat, kind] = price
    refresh_prices(public, rules, seat)
