"""The table that effect functions receive: all public information, by name (docs/effects.md)."""

from __future__ import annotations

import numpy as np

from wsim.jit import kernel, types
from wsim.kernels.formula_words import HANDED
from wsim.wonders.facts import CITY_NAMES
from wsim.wonders.kernels.formula import of_city
from wsim.wonders.kernels.layout import Public, Rules
from wsim.wonders.words import SEATS

_TABLE_FIELDS = ("age", "turn", "players", "seats")
_CITIES, _NAMES = len(_TABLE_FIELDS), len(CITY_NAMES)
CITY = np.dtype([(name, np.int64) for name in CITY_NAMES])
TABLE = np.dtype([*((name, np.int64) for name in _TABLE_FIELDS), ("cities", CITY, (SEATS,))])
"""Age and turn from 1, players, cities at the table (``seats``: with the Free City of two), and each of them."""
CALLED = types.int64(Public, Rules, *[types.int64] * (2 + HANDED))
"""The signature of a slot: (public, rules, own, other, the numbers passed to the function)."""


@kernel(types.int64(Public, Rules, types.int64[::1]))
def write_table(public, rules, table):
    """Write a table into an array of as many numbers."""
    table[0], table[1], table[2], table[3] = public.age + 1, public.turn + 1, rules.players, public.seats
    for seat in range(public.seats):
        for name in range(_NAMES):
            table[_CITIES + _NAMES * seat + name] = of_city(public, rules, seat, name)
    return 0
