"""What pays in the last turn of an age, as it was before the turn (R9.5, switch last_card_on_new_state off)."""

from __future__ import annotations

import numpy as np

from wsim.jit import kernel
from wsim.wonders.kernels.payment import spread
from wsim.wonders.kernels.turn import private_symbol
from wsim.wonders.words import NEIGHBOR_SEATS, PRICE_KINDS

_ZERO, _BYTE = np.uint64(0), np.uint64(0xFF)


@kernel(rare=True)
def freeze(game):
    """Keep what pays in this turn, for a last card that is paid from the old state (R9.5, switched off)."""
    public, before = game.public, game.before
    for seat in range(public.seats):
        before.plain[seat], before.sale[seat] = public.plain[seat], public.sale[seat]
        before.sale_reach[seat], before.sale_flex_lanes[seat] = public.sale_reach[seat], public.sale_flex_lanes[seat]
        before.flex_count[seat], before.sale_flex_count[seat] = public.flex_count[seat], public.sale_flex_count[seat]
        before.made_kinds[seat] = public.made_kinds[seat]
        before.abilities[seat], before.cheapest[seat] = public.abilities[seat], public.cheapest[seat]
        for kind in range(PRICE_KINDS):
            before.price[seat, kind] = public.price[seat, kind]
        for side in range(NEIGHBOR_SEATS):
            before.turn_rebate[seat, side] = public.turn_rebate[seat, side]
            before.board_rebate[seat, side] = public.board_rebate[seat, side]


@kernel(rare=True)
def thaw(game):
    """Spell out the payers as they were before the turn: either/or symbols are only ever added at the end."""
    public, before, frozen = game.public, game.before, game.frozen
    frozen.seats = public.seats
    for seat in range(public.seats):
        frozen.plain[seat], frozen.sale[seat] = before.plain[seat], before.sale[seat]
        frozen.sale_reach[seat], frozen.sale_flex_lanes[seat] = before.sale_reach[seat], before.sale_flex_lanes[seat]
        frozen.flex_count[seat], frozen.sale_flex_count[seat] = before.flex_count[seat], before.sale_flex_count[seat]
        frozen.abilities[seat], frozen.cheapest[seat] = before.abilities[seat], before.cheapest[seat]
        frozen.board_resource[seat] = public.board_resource[seat]
        for kind in range(PRICE_KINDS):
            frozen.price[seat, kind] = before.price[seat, kind]
        for side in range(NEIGHBOR_SEATS):
            frozen.turn_rebate[seat, side] = before.turn_rebate[seat, side]
            frozen.board_rebate[seat, side] = before.board_rebate[seat, side]
        for symbol in range(before.sale_flex_count[seat]):
            frozen.sale_flex[seat, symbol] = public.sale_flex[seat, symbol]
        frozen.reach[seat], frozen.flex_lanes[seat] = before.plain[seat], _ZERO
        for symbol in range(before.flex_count[seat]):
            role = public.flex_role[seat, symbol]
            mask = np.int64(public.flex[seat, symbol])
            if role:
                mask = private_symbol(role, before.made_kinds[seat])
            frozen.flex[seat, symbol] = mask
            frozen.reach[seat] += spread(mask)
            frozen.flex_lanes[seat] |= spread(mask) * _BYTE
