"""A city's gains from clauses (R57, R65, R66, R68), in views and hand-written positions.

These gains cannot be derived from the structures and stages of the city, so a view lists them separately.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from wsim.errors import Mistakes, UserError
from wsim.positions.setup_fields import object_in, parse_int_in_range, refuse_unknown
from wsim.wonders.catalog.clause_text import counted
from wsim.wonders.catalog.counter_slots import Slot
from wsim.wonders.facts import price_in_words
from wsim.wonders.words import MAX_PRICE, POINTS_COLUMNS, RESOURCES, SYMBOLS, TURN_UNITS, UNIT_PRICES

HAS = "by_clauses"
"""Key of a city's view: the amounts gained from clauses, by item."""
WAITING: Mapping[str, str] = {"discard_builds": "card_builds", "stage_discard_builds": "board_builds"}
"""Pending builds from the discard pile, by structures and by stages -> field of ``HIDDEN``."""
SHIELDS = ("shields", "age_shields")
SYMBOLS_GAINED = (*SYMBOLS[1:-1], "wild")
ITEMS = (*SHIELDS, *SYMBOLS_GAINED, *RESOURCES, *TURN_UNITS, *UNIT_PRICES, *WAITING, *POINTS_COLUMNS)
MAX_AMOUNT = 50  # of an item in a hand-written position
LEAST: Mapping[str, int] = {**dict.fromkeys(UNIT_PRICES, -MAX_PRICE), **dict.fromkeys(POINTS_COLUMNS, -MAX_AMOUNT)}
"""The smallest amounts in a hand-written position, if they are not 0."""
COUNTERS_KEY = "counters"
"""Key for the values of counters, by name (R70): in a city's view, and in the whole view for those of the table."""


def lanes(packed: int) -> Iterator[int]:
    """Unpack packed amounts: yield the number of units of each resource."""
    yield from (packed >> 8 * lane & 0xFF for lane in range(len(RESOURCES)))


def by_clauses(rules: Any, state: Any, seat: int, entries: list[int]) -> dict[str, dict[str, int]]:
    """Return a city's gains from clauses, in the format of its view; ``entries`` are the city's cards and stages."""
    if not rules.triggers:
        return {}
    public = state.public
    for_age = int(public.age_shields[seat])
    items = {
        "shields": int(public.shields[seat]) - for_age - sum(int(rules.shields[entry]) for entry in entries),
        "age_shields": for_age,
    }
    for number, name in enumerate(SYMBOLS_GAINED, start=1):
        printed = sum(int(rules.symbol[entry]) == number for entry in entries)
        items[name] = int(public.symbols[seat, number]) - printed
    made = sum(int(rules.produces[entry]) for entry in entries) + (1 << 8 * int(public.board_resource[seat]))
    turn_units = int(public.turn_units[seat])
    items |= zip(RESOURCES, lanes(int(public.plain[seat]) - made - turn_units), strict=True)
    items |= zip(TURN_UNITS, lanes(turn_units), strict=True)
    items |= zip(UNIT_PRICES, map(int, public.price_change[seat]), strict=True)
    items |= zip(POINTS_COLUMNS, map(int, public.gained[seat]), strict=True)
    items |= {name: int(state.hidden[field][seat]) for name, field in WAITING.items()}
    gained = {name: number for name, number in items.items() if number}
    return {HAS: gained} if gained else {}


def set_up_by_clauses(state: Any, seat: int, city: Mapping[str, Any]) -> None:
    """Add the described gains from clauses to a city whose structures and stages are already set up."""
    public = state.public
    given = city.get(HAS, {})
    where = f"{HAS} of city {seat}"
    refuse_unknown(where, object_in(where, given), ITEMS)
    has = {
        name: parse_int_in_range(f"{name} in {where}", number, LEAST.get(name, 0), MAX_AMOUNT)
        for name, number in given.items()
    }
    public.age_shields[seat] = has.get("age_shields", 0)
    public.shields[seat] += sum(has.get(name, 0) for name in SHIELDS)
    for number, name in enumerate(SYMBOLS_GAINED, start=1):
        public.symbols[seat, number] += has.get(name, 0)
    units, for_turn = (
        sum(has.get(name, 0) << 8 * lane for lane, name in enumerate(names)) for names in (RESOURCES, TURN_UNITS)
    )
    public.turn_units[seat] = for_turn
    public.plain[seat] += units + for_turn
    public.reach[seat] += units + for_turn
    for kind, name in enumerate(UNIT_PRICES):
        price = int(public.price[seat, kind]) + has.get(name, 0)
        if not 0 <= price <= MAX_PRICE:
            raise UserError(f"{name} of city {seat} would be {price}: a unit costs 0 to {MAX_PRICE} coins (R66)")
        public.price[seat, kind], public.price_change[seat, kind] = price, has.get(name, 0)
    public.gained[seat] = [has.get(name, 0) for name in POINTS_COLUMNS]
    public.cheapest[seat] = public.price[seat].min()
    for name, field in WAITING.items():
        state.hidden[field][seat] = has.get(name, 0)


def counters_of_table(slots: Sequence[Slot], state: Any) -> dict[str, dict[str, int]]:
    """Return the table's counters, in the format of a view."""
    values = {
        slot.label: int(state.public.counter[0, number])
        for number, slot in enumerate(slots)
        if slot.counter.of == "table"
    }
    return {COUNTERS_KEY: values} if values else {}


def counters_of_city(slots: Sequence[Slot], state: Any, seat: int, entries: list[int]) -> dict[str, dict[str, int]]:
    """Return a city's counters, in the format of its view.

    ``entries`` are the city's cards and stages. Counters of other cards are included only if they have changed.
    """
    values = {}
    for number, slot in enumerate(slots):
        value = int(state.public.counter[seat, number])
        if slot.counter.of != "table" and (slot.entry in (-1, *entries) or value != slot.counter.start):
            values[slot.label] = value
    return {COUNTERS_KEY: values} if values else {}


def set_up_counters(slots: Sequence[Slot], state: Any, seat: int | None, given: Any) -> None:
    """Set the counters of a city, or of the table if ``seat`` is None; omitted counters get their initial value.

    Raises a UserError that lists all mistakes.
    """
    where = f"{COUNTERS_KEY} of {'the table' if seat is None else f'city {seat}'}"
    numbers = {
        slot.label: number for number, slot in enumerate(slots) if (slot.counter.of == "table") == (seat is None)
    }
    refuse_unknown(where, object_in(where, given), list(numbers))
    mistakes = Mistakes()
    for label, number in numbers.items():
        counter = slots[number].counter
        with mistakes.noted():
            value = parse_int_in_range(
                f"{label} in {where}", given.get(label, counter.start), counter.least, counter.most
            )
            state.public.counter[slice(None) if seat is None else seat, number] = value
    mistakes.raise_any()


def in_words(city: Mapping[str, Any]) -> list[str]:
    """Describe a city's gains from clauses and its counters in English, item by item."""
    texts = [f"{name}: {value}" for name, value in city.get(COUNTERS_KEY, {}).items()]
    for name, number in {**city.get(HAS, {}), "free_build_tokens": city.get("free_build_tokens", 0)}.items():
        if name in UNIT_PRICES:
            texts.append(f"{price_in_words(name)} {number:+d}")
        elif name in POINTS_COLUMNS:
            texts.append(f"{name.removeprefix('points_')} points {number:+d}")
        elif number:
            texts.append(counted(str(number), name.removeprefix("stage_")))
    return texts
