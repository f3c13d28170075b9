"""Python functions that wrap two kernels: the payments for a cost, and the points for science symbols."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from wsim.errors import UserError, nearest, refuse_other_types
from wsim.wonders.catalog.effects import pack_units, resource_mask
from wsim.wonders.kernels import layout
from wsim.wonders.kernels.entry_points import pay_entry, science_entry
from wsim.wonders.words import FLEX, LEFT_MADE, LEFT_RAW, RESOURCE_GROUPS, RESOURCES, RIGHT_MADE, RIGHT_RAW, UNITS

LETTERS = {"C": "clay", "S": "stone", "O": "ore", "W": "wood", "G": "glass", "T": "loom", "P": "papyrus"}
DISCOUNTS = {"left_raw": (LEFT_RAW,), "right_raw": (RIGHT_RAW,), "both_manufactured": (LEFT_MADE, RIGHT_MADE)}
MAX_SYMBOLS = 40
MAX_COINS = 250


def payments(
    *,
    own: Iterable[str] = (),
    left: Iterable[str] = (),
    right: Iterable[str] = (),
    cost: str = "",
    discounts: Iterable[str] = (),
    coins: int | None = None,
    bank: int = 0,
    prices: Mapping[str, Mapping[str, int]] | None = None,
) -> list[tuple[int, int]]:
    """Return the Pareto-minimal payments for a cost as (coins to the left, coins to the right), ascending (R15).

    Parameters
    ----------
    own, left, right: the symbols that the own city produces and that the neighbours sell, one string per symbol;
        several letters are alternatives: ``["W", "SC"]`` is one wood, and one stone or clay. W wood, S stone, C clay,
        O ore, G glass, T loom (textile), P papyrus.
    cost: one letter per unit, at most 12 units.
    discounts: any of ``left_raw``, ``right_raw`` (trading posts), ``both_manufactured`` (Marketplace), R14.
    coins: the treasury at the start of the turn (R10); None for unlimited coins.
    bank: coins of the cost that go to the bank.
    prices: prices that differ from 2 (or 1 with a discount): ``{"left": {"raw": 1, "manufactured": 2}, ...}``.

    Returns an empty list if the cost cannot be paid. Raises UserError for unknown symbols or discounts.

    >>> payments(own=["W"], left=["S"], right=["S", "S"], cost="WSS")
    [(0, 4), (2, 2)]
    """
    own, left, right, discounts = (
        _strings(name, value)
        for name, value in {"own": own, "left": left, "right": right, "discounts": discounts}.items()
    )
    refuse_other_types(str, cost=cost)
    public = np.zeros(1, layout.PUBLIC).view(np.recarray)
    solver = np.zeros(1, layout.SOLVER).view(np.recarray)
    record = public[0]
    record.seats = 3
    for seat, (name, symbols) in enumerate((("own", own), ("left", left), ("right", right))):
        _fill_city(record, seat, name, list(symbols))
    record.price[0] = _prices(discounts, prices)
    record.cheapest[0] = min(record.price[0])
    units = _units(cost)
    if len(units) > UNITS:
        raise UserError(f"the cost {cost!r} has {len(units)} units; at most {UNITS} are supported")
    purse = MAX_COINS if coins is None else min(_coins("coins", coins), MAX_COINS)
    packed = np.uint64(pack_units((unit, 1) for unit in units))
    with np.errstate(over="ignore"):
        count = pay_entry(record, solver[0], 0, packed, _coins("bank", bank), purse)
    pairs = [int(pair) for pair in solver[0].pairs[:count]]
    return [(pair >> layout.LEFT_AT & 255, pair >> layout.RIGHT_AT & 255) for pair in pairs]


def _strings(name: str, values: Any) -> list[str]:
    """Convert an iterable of strings to a list; raise UserError for anything else."""
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise UserError(f"{name} must be a list of strings, not {values!r}")
    entries = list(values)
    refuse_other_types(str, **{f"an entry of {name}": entry for entry in entries if not isinstance(entry, str)})
    return entries


def _coins(name: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise UserError(f"{name} must be a whole number of coins, at least 0, not {value!r}")
    return value


def _units(text: str) -> list[str]:
    unknown = [letter for letter in text.upper() if letter not in LETTERS]
    if unknown:
        accepted = ", ".join(f"{letter} {name}" for letter, name in LETTERS.items())
        raise UserError(f"unknown resource {unknown[0]!r} in {text!r}: accepted are {accepted}")
    return [LETTERS[letter] for letter in text.upper()]


def _fill_city(record: Any, seat: int, name: str, symbols: list[str]) -> None:
    """Write the symbols of a city: a single letter is fixed production, several are alternatives."""
    if len(symbols) > MAX_SYMBOLS:
        raise UserError(f"{name} has {len(symbols)} symbols; at most {MAX_SYMBOLS} are supported")
    plain: list[tuple[str, int]] = []
    reach: list[tuple[str, int]] = []
    flex = 0
    for symbol in symbols:
        kinds = sorted(set(_units(symbol)))
        if not kinds:
            raise UserError(f"an empty symbol in {name}: write one letter, or several for alternatives")
        reach += [(kind, 1) for kind in kinds]
        if len(kinds) == 1:
            plain.append((kinds[0], 1))
            continue
        if flex == FLEX:
            raise UserError(f"{name} has more than {FLEX} either/or symbols")
        record.flex[seat, flex] = record.sale_flex[seat, flex] = resource_mask(kinds)
        flex += 1
        lanes = np.uint64(sum(255 << 8 * RESOURCES.index(kind) for kind in kinds))
        record.flex_lanes[seat] |= lanes
        record.sale_flex_lanes[seat] |= lanes
    record.flex_count[seat] = record.sale_flex_count[seat] = flex
    record.plain[seat] = record.sale[seat] = pack_units(plain)
    record.reach[seat] = record.sale_reach[seat] = pack_units(reach)


def _prices(discounts: Iterable[str], prices: Mapping[str, Mapping[str, int]] | None) -> list[int]:
    """Return the four unit prices: left raw, left manufactured, right raw, right manufactured."""
    result = [2, 2, 2, 2]
    given: Any = {} if prices is None else prices
    if not isinstance(given, Mapping) or not all(isinstance(entry, Mapping) for entry in given.values()):
        raise UserError(f"prices must be a table of sides, each with a table of kinds, not {prices!r}")
    for discount in discounts:
        if discount not in DISCOUNTS:
            accepted = ", ".join(DISCOUNTS)
            raise UserError(f"unknown discount {discount!r}{nearest(discount, DISCOUNTS)}: accepted are {accepted}")
        for kind in DISCOUNTS[discount]:
            result[kind] = 1
    for side, offset in (("left", LEFT_RAW), ("right", RIGHT_RAW)):
        for i, group in enumerate(RESOURCE_GROUPS):
            price = (prices or {}).get(side, {}).get(group)
            if price is not None:
                if price not in (0, 1, 2, 3, 4, 5):
                    raise UserError(f"a price must be 0 to 5 coins, not {price!r} ({side} {group})")
                result[offset + i] = price
    return result


def science_score(compass: int = 0, gear: int = 0, tablet: int = 0, wild: int = 0) -> int:
    """Return the points of science symbols, with wild symbols assigned to maximise the total (R23).

    >>> science_score(compass=3, gear=2, tablet=1)
    21
    """
    counts: dict[str, Any] = {"compass": compass, "gear": gear, "tablet": tablet, "wild": wild}
    for name, value in counts.items():
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= 1000:
            raise UserError(f"{name} must be a number of symbols from 0 to 1000, not {value!r}")
    return int(science_entry(compass, gear, tablet, wild))
