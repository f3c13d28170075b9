"""Either/or symbols of a city (R12)."""

from __future__ import annotations

import numpy as np

from wsim.jit import kernel
from wsim.kernels.guards import stop_game
from wsim.wonders import words as w
from wsim.wonders.kernels.guards import check_lanes
from wsim.wonders.kernels.payment import spread
from wsim.wonders.limits import FLEXIBLE

_BYTE = np.uint64(0xFF)


@kernel
def add_flex(public, seat, entry, mask, role, sold):
    """Give a city one more either/or symbol, with a role if its alternatives follow what the city produces (R18)."""
    if public.flex_count[seat] == w.FLEX:
        stop_game(FLEXIBLE, seat, entry, w.FLEX + 1, w.FLEX)
    word = spread(mask)
    if role:
        public.flex_role[seat, public.flex_count[seat]] = role
    public.flex[seat, public.flex_count[seat]] = mask
    public.flex_count[seat] += 1
    public.flex_lanes[seat] |= word * _BYTE
    public.reach[seat] += word
    check_lanes(public.reach[seat], seat, entry)
    if sold:
        public.sale_flex[seat, public.sale_flex_count[seat]] = mask
        public.sale_flex_count[seat] += 1
        public.sale_flex_lanes[seat] |= word * _BYTE
        public.sale_reach[seat] += word
        check_lanes(public.sale_reach[seat], seat, entry)
