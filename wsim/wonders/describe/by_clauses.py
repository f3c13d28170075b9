"""What clauses brought a city (R57, R65, R66, R68), in views and in positions that people write.

No structure or stage of the city says so: a view of a city names it in addition.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from wsim.errors import UserError
from wsim.positions.setup_fields import object_in, parse_int_in_range, refuse_unknown
from wsim.wonders.catalog.clauses import counted
from wsim.wonders.facts import price_in_words
from wsim.wonders.words import MOST_PRICE, RESOURCES, SYMBOLS, TURN_UNITS, UNIT_PRICES

HAS = "by_clauses"
"""Key of a city: things, with how many clauses brought."""
WAITING: Mapping[str, str] = {"discard_builds": "card_builds", "stage_discard_builds": "board_builds"}
"""Builds from the pile that are still to come, by structures and by stages -> field of ``HIDDEN``."""
SHIELDS = ("shields", "age_shields")
SYMBOLS_BROUGHT = (*SYMBOLS[1:-1], "wild")
THINGS = (*SHIELDS, *SYMBOLS_BROUGHT, *RESOURCES, *TURN_UNITS, *UNIT_PRICES, *WAITING)
MOST = 50  # of a thing, as far as a person may claim


def lanes(packed: int) -> Iterator[int]:
    """Yield the units of each resource."""
    yield from (packed >> 8 * lane & 0xFF for lane in range(len(RESOURCES)))


def by_clauses(rules: Any, state: Any, seat: int, entries: list[int]) -> dict[str, dict[str, int]]:
    """Return what clauses brought a city that has these entries, as a view of the city shows it."""
    if not rules.triggers:
        return {}
    public = state.public
    for_age = int(public.age_shields[seat])
    things = {
        "shields": int(public.shields[seat]) - for_age - sum(int(rules.shields[entry]) for entry in entries),
        "age_shields": for_age,
    }
    for number, name in enumerate(SYMBOLS_BROUGHT, start=1):
        printed = sum(int(rules.symbol[entry]) == number for entry in entries)
        things[name] = int(public.symbols[seat, number]) - printed
    made = sum(int(rules.produces[entry]) for entry in entries) + (1 << 8 * int(public.board_resource[seat]))
    turn_units = int(public.turn_units[seat])
    things |= zip(RESOURCES, lanes(int(public.plain[seat]) - made - turn_units), strict=True)
    things |= zip(TURN_UNITS, lanes(turn_units), strict=True)
    things |= zip(UNIT_PRICES, map(int, public.price_change[seat]), strict=True)
    things |= {name: int(state.hidden[field][seat]) for name, field in WAITING.items()}
    brought = {name: number for name, number in things.items() if number}
    return {HAS: brought} if brought else {}


def set_up_by_clauses(state: Any, seat: int, city: Mapping[str, Any]) -> None:
    """Give a city with its structures and stages what its description says that clauses brought."""
    public = state.public
    has = _things(seat, city.get(HAS, {}))
    public.age_shields[seat] = has.get("age_shields", 0)
    public.shields[seat] += sum(has.get(name, 0) for name in SHIELDS)
    for place, name in enumerate(SYMBOLS_BROUGHT, start=1):
        public.symbols[seat, place] += has.get(name, 0)
    units, for_turn = (
        sum(has.get(name, 0) << 8 * lane for lane, name in enumerate(names)) for names in (RESOURCES, TURN_UNITS)
    )
    public.turn_units[seat] = for_turn
    public.plain[seat] += units + for_turn
    public.reach[seat] += units + for_turn
    for kind, name in enumerate(UNIT_PRICES):
        price = int(public.price[seat, kind]) + has.get(name, 0)
        if not 0 <= price <= MOST_PRICE:
            raise UserError(f"{name} of city {seat} would be {price}: a unit costs 0 to {MOST_PRICE} coins (R66)")
        public.price[seat, kind], public.price_change[seat, kind] = price, has.get(name, 0)
    public.cheapest[seat] = public.price[seat].min()
    for name, field in WAITING.items():
        state.hidden[field][seat] = has.get(name, 0)


def _things(seat: int, given: Any) -> dict[str, int]:
    """Return the things that a description says clauses brought a city."""
    where = f"{HAS} of city {seat}"
    refuse_unknown(where, object_in(where, given), THINGS)
    return {
        name: parse_int_in_range(f"{name} in {where}", number, -MOST_PRICE if name in UNIT_PRICES else 0, MOST)
        for name, number in given.items()
    }


def in_words(city: Mapping[str, Any]) -> list[str]:
    """Return what a city has by clauses, thing by thing, for people."""
    things = {**city.get(HAS, {}), "free_build_tokens": city.get("free_build_tokens", 0)}
    said = []
    for name, number in things.items():
        if name in UNIT_PRICES:
            said.append(f"{price_in_words(name)} {number:+d}")
        elif number:
            said.append(counted(str(number), name.removeprefix("stage_")))
    return said
