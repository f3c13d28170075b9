"""Positions of 7 Wonders set up from what a person at a real table sees: cities, coins, the own hand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

from wsim.errors import Mistakes, UserError, nearest
from wsim.kernels.commands import ADD, LOOK
from wsim.positions.machine import StatePosition
from wsim.positions.seat_facts import set_facts, settable
from wsim.positions.setup_fields import listed, parse_int_in_range, refuse_unknown
from wsim.wonders.describe import POSITION_KEYS
from wsim.wonders.describe.by_clauses import HAS, set_up_by_clauses
from wsim.wonders.facts import CITY_FACTS, SO_FAR
from wsim.wonders.kernels import layout
from wsim.wonders.words import AGES, FLEX, FREE_TOKEN

CITY_KEYS = ("wonder", "side", "built", "stages", *settable(CITY_FACTS), HAS, SO_FAR)
MOST_FROM_PILE = 6  # builds of one city from the discard pile, as far as a person may claim
P = TypeVar("P", bound=StatePosition)


def plan_keys(described: Mapping[str, Any], ruleset: str) -> dict[str, Any]:
    """Return the keys of a plan that a position's cities decide: players, boards and sides."""
    cities = listed("cities", described.get("cities"), Mapping)
    duo = ruleset.endswith("duo")
    if duo and len(cities) != 3:
        raise UserError(f"a position of the game for two has 3 cities, the Free City the last, not {len(cities)}")
    for place, city in enumerate(cities):
        for key in ("wonder", "side"):
            if not isinstance(city.get(key), str):
                raise UserError(f"city {place} of the position needs its {key} as text, not {city.get(key)!r}")
    return {
        "players": 2 if duo else len(cities),
        "wonders": ",".join(city["wonder"] for city in cities),
        "sides": ",".join(city["side"] for city in cities),
    }


def set_up(start: P, described: Mapping[str, Any]) -> P:
    """Return the position that a person describes: ``seat`` is to choose in a turn, before anybody has chosen.

    ``start`` is the beginning of a game of the plan, and is changed. The description has ``seat``, ``age`` and ``turn``
    (from 1), ``hand``, ``cities`` (each with wonder, side, built, stages, coins, victories, ...), ``discarded`` (cards
    on the pile) and ``handed_on`` (turn by turn of this age what was played and what was left); what is left out is 0
    or unknown. Hidden cards are drawn as ``redrawn`` draws them. Raises UserError with all mistakes of a position that
    cannot be.
    """
    mistakes = Mistakes()
    with mistakes.noted():
        refuse_unknown("a position", described, POSITION_KEYS)
    record, rules = start.record, start.machine.rules
    with mistakes.noted():
        age = parse_int_in_range("age", described.get("age"), 1, AGES) - 1
        turn = parse_int_in_range("turn", described.get("turn"), 1, int(rules.age_turns[age])) - 1
    with mistakes.noted():
        seat = parse_int_in_range("seat", described.get("seat"), 0, int(rules.players) - 1)
    mistakes.raise_any()  # what follows depends on them
    record.public.age, record.public.turn, record.public.turns = age, turn, rules.age_turns[age]
    record.public.deed_count = 0
    for one, city in enumerate(listed("cities", described["cities"], Mapping)):
        with mistakes.noted():
            _set_city(start, one, city)
    most = int(rules.seats) * (int(rules.turns) + 1) * AGES
    with mistakes.noted():
        record.public.discarded = parse_int_in_range("discarded", described.get("discarded", 0), 0, most)
    size = int(rules.age_turns[age]) + 1 - turn
    record.public.hand_size[: int(rules.players)] = size
    for one in range(int(rules.players)):
        record.own[one].passed[:], record.own[one].took[:] = 0, layout.NOBODY
    if rules.duo:
        _set_free_city(start, age, turn)
    drew = bool(rules.duo) and int(record.hidden.holder) == seat
    with mistakes.noted():
        record.own[seat].hand = _hand(start, seat, described.get("hand"), size + drew)
    with mistakes.noted():
        _set_memory(start, seat, described.get("handed_on", []))
    mistakes.raise_any()
    flow = record.flow
    flow.phase, flow.seat, flow.end, flow.wrap = layout.CHOOSE, seat, int(rules.players), seat
    record.hidden.taken[:] = np.iinfo(np.uint64).max
    start.refresh(LOOK)
    return start.redrawn(seat, 0)


def _set_free_city(position: StatePosition, age: int, turn: int) -> None:
    """Say who holds the Free City's card, and how many of its cards are drawn (R45)."""
    first = 0 if age != 1 else 1
    hidden = position.record.hidden
    hidden.holder = first if turn % 2 == 0 else 1 - first
    hidden.free_pile_next = turn + 1


def _set_city(position: StatePosition, seat: int, city: Mapping[str, Any]) -> None:
    """Set a city up as it is described; raise UserError with all mistakes of it."""
    mistakes, public, rules = Mistakes(), position.record.public, position.machine.rules
    with mistakes.noted():
        refuse_unknown("a city", city, CITY_KEYS, unnamed=("shields", "hand_size"))
    with mistakes.noted():
        _build(position, seat, listed(f"built of city {seat}", city.get("built", []), str))
    side = int(public.side[seat])
    with mistakes.noted():
        stages = parse_int_in_range(f"stages of city {seat}", city.get("stages", 0), 0, int(rules.stage_count[side]))
        for stage in range(stages):
            position.refresh(ADD, int(rules.stage_entry[side][stage]), seat)
    with mistakes.noted():
        set_facts(CITY_FACTS, city, f"city {seat}", public, seat, rules)
    mistakes.raise_any()
    if public.free_tokens[seat]:
        public.abilities[seat] |= FREE_TOKEN
    set_up_by_clauses(position.record, seat, city)


def _build(position: StatePosition, seat: int, built: Sequence[str]) -> None:
    """Put the structures into a city that it has built."""
    mistakes, public, rules = Mistakes(), position.record.public, position.machine.rules
    names, numbers = _names(position), []
    for name in built:
        with mistakes.noted():
            numbers.append(number := _card(names, name, f"city {seat}"))
            if int(rules.age_of[number]) > int(public.age):
                raise UserError(f"city {seat} cannot have built {name} in age {int(public.age) + 1}")
            if built.count(name) > 1:
                raise UserError(f"city {seat} has built {name} more than once (R7)")
    mistakes.raise_any()
    for number in numbers:
        position.refresh(ADD, number, seat)
        if int(public.flex_count[seat]) > FLEX - 2 or len(built) > _most_built(position):
            raise UserError(f"city {seat} cannot have built {len(built)} structures by then")


def _most_built(position: StatePosition) -> int:
    """Return how many structures a city can have: one a turn, last cards, and builds from the discard pile."""
    public, age = position.record.public, int(position.record.public.age)
    return int(position.machine.rules.age_turns[:age].sum()) + age + int(public.turn) + MOST_FROM_PILE


def _hand(position: StatePosition, seat: int, names: Any, size: int) -> int:
    """Return a hand as slots of the age; raise UserError for one that cannot be dealt."""
    cards = listed("hand", names, str)
    if len(cards) != size:
        raise UserError(f"the hand has {len(cards)} cards, but in this turn seat {seat} holds {size}")
    return _slots(position, cards, 0, f"the hand of seat {seat}")


def _slots(position: StatePosition, cards: Sequence[str], taken: int, where: str) -> int:
    """Return slots of the age with these names, none of ``taken``."""
    rules, public = position.machine.rules, position.record.public
    age = int(public.age)
    found = 0
    for name in cards:
        number = _card(_names(position), name, where)
        free = [
            slot
            for slot in range(int(rules.slots[age]))
            if int(rules.slot_card[age][slot]) == number and not (found | taken) >> slot & 1
        ]
        if not free:
            raise UserError(f"{where} cannot hold {Counter(cards)[name]} {name} in age {age + 1}")
        found |= 1 << free[0]
    return found


def _set_memory(position: StatePosition, seat: int, handed_on: Any) -> None:
    """Note the hands that the seat has handed on in this age."""
    own, public = position.record.own[seat], position.record.public
    age, turn = int(public.age), int(public.turn)
    for one in listed("handed_on", handed_on, Mapping):
        at = parse_int_in_range("turn of handed_on", one.get("turn"), 1, turn) - 1
        left = listed("left of handed_on", one.get("left", []), str)
        own.passed[age, at] = _slots(position, left, 0, "a hand that was handed on")
        if "took" in one:
            took = _slots(position, [one["took"]], int(own.passed[age, at]), "a hand that was handed on")
            own.took[age, at] = took.bit_length() - 1


def _names(position: StatePosition) -> list[str]:
    return [card.name for card in position.simulator.catalogue.cards]


def _card(names: Sequence[str], name: Any, where: str) -> int:
    if name not in names:
        raise UserError(f"{where} has an unknown card {name!r}{nearest(str(name), names)}")
    return names.index(name)
