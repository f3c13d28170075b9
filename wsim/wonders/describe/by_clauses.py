"""What a city has by clauses (R57, R65, R66, R68) and what formulas may ask of its past: told, and set up again.

No structure or stage that stands there says it, so that a view of a city names it besides.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from wsim.errors import UserError
from wsim.positions.setup_fields import number_in, refuse_unknown
from wsim.wonders.catalog.clauses import counted
from wsim.wonders.catalog.formula_text import price_in_words
from wsim.wonders.words import MOST_PRICE, RESOURCES, SYMBOLS, TURN_UNITS, UNIT_PRICES

HAS, DID = "by_clauses", "so_far"
"""Keys of a city: things with how many clauses brought, and what formulas ask of the game so far."""
PAST: Mapping[str, str] = {
    "chains": "built_chain", "sold": "sold", "trade_paid": "trade_paid", "trade_received": "trade_received",
    "coins_lost": "coins_lost", "free_builds": "built_free", "from_discard": "built_discard",
}  # fmt: skip
"""Name of formulas -> field of ``PUBLIC``."""
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
    """Return what clauses brought a city and what formulas may ask of its past; ``entries``: what stands there."""
    public = state.public
    found: dict[str, dict[str, int]] = {}
    if rules.triggers:
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
        found[HAS] = {name: number for name, number in things.items() if number}
    if rules.code.any():
        found[DID] = {name: number for name, field in PAST.items() if (number := int(public[field][seat]))}
    return {key: told for key, told in found.items() if told}


def set_up_by_clauses(state: Any, seat: int, city: Mapping[str, Any]) -> None:
    """Give a city, whose structures and stages stand, what its description says that ``by_clauses`` tells."""
    public = state.public
    has, did = (_numbers(key, seat, city.get(key, {})) for key in (HAS, DID))
    for name, number in did.items():
        public[PAST[name]][seat] = number
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
            raise UserError(f"{name} of city {seat} comes to {price}: a unit costs 0 to {MOST_PRICE} coins (R66)")
        public.price[seat, kind], public.price_change[seat, kind] = price, has.get(name, 0)
    public.cheapest[seat] = public.price[seat].min()
    for name, field in WAITING.items():
        state.hidden[field][seat] = has.get(name, 0)


def _numbers(key: str, seat: int, given: Any) -> dict[str, int]:
    """Return what a description says of a city under a key."""
    where = f"{key} of city {seat}"
    if not isinstance(given, Mapping):
        raise UserError(f"{where} is an object of numbers, not {given!r}")
    refuse_unknown(where, given, list(THINGS if key == HAS else PAST))
    if key == DID:
        return {name: number_in(f"{name} in {where}", number, 0, 1000) for name, number in given.items()}
    return {
        name: number_in(f"{name} in {where}", number, -MOST_PRICE if name in UNIT_PRICES else 0, MOST)
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
