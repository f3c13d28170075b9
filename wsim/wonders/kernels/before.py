"""Production in the last turn of an age, as it was before the turn (R9.5, switch last_card_on_new_state off)."""

from __future__ import annotations

import numpy as np

from wsim.jit import kernel
from wsim.kernels.facts import copying
from wsim.wonders.kernels.layout import BEFORE
from wsim.wonders.kernels.payment import spread
from wsim.wonders.kernels.turn import private_symbol

_ZERO, _BYTE = np.uint64(0), np.uint64(0xFF)
_copy_payer = copying(BEFORE)


@kernel(rare=True)
def freeze(game):
    """Store the production of this turn, for a last card that is paid from the old state (R9.5, switched off)."""
    _copy_payer(game.public, game.before)


@kernel(rare=True)
def thaw(game):
    """Restore the payers as they were before the turn; this works because either/or symbols are only appended."""
    public, before, frozen = game.public, game.before, game.frozen
    frozen.seats = public.seats
    _copy_payer(before, frozen)
    for seat in range(public.seats):
        frozen.board_resource[seat] = public.board_resource[seat]
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
