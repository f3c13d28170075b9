"""Set up positions of 7 Wonders from a person's description of a real table: cities, coins, their own hand."""

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
from wsim.wonders.catalog.counter_slots import slots_of
from wsim.wonders.describe import POSITION_KEYS
from wsim.wonders.describe.by_clauses import COUNTERS_KEY, HAS, set_up_by_clauses, set_up_counters
from wsim.wonders.facts import CITY_FACTS, SO_FAR
from wsim.wonders.kernels import layout
from wsim.wonders.words import AGES, EMPTY_CITY, ENTRIES, FLEX, FREE_TOKEN

CITY_KEYS = (
    "wonder",
    "side",
    "built",
    "copied",
    "recruited",
    "stages",
    *settable(CITY_FACTS),
    HAS,
    SO_FAR,
    COUNTERS_KEY,
)
MAX_FROM_PILE = 6  # accepted builds of one city from the discard pile
P = TypeVar("P", bound=StatePosition)


def plan_keys(described: Mapping[str, Any], ruleset: str) -> dict[str, Any]:
    """Return the plan keys that a position's cities determine: players, boards and sides."""
    cities = listed("cities", described.get("cities"), Mapping)
    duo = ruleset.endswith("duo")
    if duo and len(cities) != 3:
        raise UserError(f"a position with two players must have 3 cities, the Free City last, not {len(cities)}")
    for number, city in enumerate(cities):
        for key in ("wonder", "side"):
            if not isinstance(city.get(key), str):
                raise UserError(f"{key} of city {number} of the position must be text, not {city.get(key)!r}")
    return {
        "players": 2 if duo else len(cities),
        "wonders": ",".join(city["wonder"] for city in cities),
        "sides": ",".join(city["side"] for city in cities),
    }


def set_up(start: P, described: Mapping[str, Any]) -> P:
    """Convert a description to a position in which ``seat`` chooses first in a turn.

    ``start`` is the beginning of a game of the plan and is modified. The description has ``seat``, ``age`` and ``turn``
    (from 1), ``hand``, ``cities`` (each with wonder, side, built, stages, coins, victories, ...), ``discarded`` (cards
    on the pile) and ``handed_on`` (for each turn of this age, the card played and the rest of the hand); missing values
    are 0 or unknown. ``redrawn`` draws the hidden cards. Raises a UserError that lists all mistakes in the description.
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
    with mistakes.noted():
        if described.get("draft"):
            raise UserError("a further deck is being drafted; accepted: a position after the draft")
    mistakes.raise_any()  # the rest depends on these values
    record.public.age, record.public.turn, record.public.turns = age, turn, rules.age_turns[age]
    record.public.deed_count = record.public.display = record.public.enlisted = 0
    for player in range(int(rules.players)):
        record.own[player].recruits = record.own[player].draft = 0
        record.own[player].drafted[:] = record.own[player].watched[:] = 0
    record.asking.dealt = 2 * age + 1
    record.asking.count = 0  # drop decisions from the beginning of the game
    for number, city in enumerate(listed("cities", described["cities"], Mapping)):
        with mistakes.noted():
            _set_city(start, number, city)
    with mistakes.noted():
        set_up_counters(slots_of(start.simulator.catalogue), record, None, described.get(COUNTERS_KEY, {}))
    with mistakes.noted():
        record.public.enlisted = _enlisted(start, described.get("enlisted", []))
    shown, dealt = (decks * (rules.deck_moment <= 2 * age) for decks in (rules.deck_shown, rules.deck_dealt))
    with mistakes.noted():
        record.public.display = _recruits(start, described.get("display", []), shown, "display")
    with mistakes.noted():
        record.own[seat].recruits = _recruits(start, described.get("recruits", []), dealt, "recruits")
    _deal_others(start, seat)
    most = int(rules.seats) * (int(rules.turns) + 1) * AGES
    with mistakes.noted():
        record.public.discarded = parse_int_in_range("discarded", described.get("discarded", 0), 0, most)
    size = int(rules.age_turns[age]) + 1 - turn
    record.public.hand_size[: int(rules.players)] = size
    cities = listed("cities", described["cities"], Mapping) if rules.asides else []
    for number, city in enumerate(cities[: int(rules.players)]):  # R107
        with mistakes.noted():
            given = parse_int_in_range(f"hand_size of city {number}", city.get("hand_size", size), size - 1, size)
            record.public.hand_size[number] = given
    for player in range(int(rules.players)):
        record.own[player].passed[:], record.own[player].took[:] = 0, layout.NOBODY
        record.own[player].aside[:] = 0
    if rules.duo:  # the holder of the Free City, and the number of its drawn cards (R45)
        record.hidden.holder = (age == 1) ^ (turn & 1)
        record.hidden.free_pile_next = turn + 1
    drew = bool(rules.duo) and int(record.hidden.holder) == seat
    with mistakes.noted():
        record.own[seat].hand = _hand(start, seat, described.get("hand"), int(record.public.hand_size[seat]) + drew)
    with mistakes.noted():
        own, public = start.record.own[seat], start.record.public
        age, turn = int(public.age), int(public.turn)
        for hand in listed("handed_on", described.get("handed_on", []), Mapping):
            at = parse_int_in_range("turn of handed_on", hand.get("turn"), 1, turn) - 1
            left = listed("left of handed_on", hand.get("left", []), str)
            own.passed[age, at] = _slots(start, left, 0, "a hand that was handed on")
            if "took" in hand:
                took = _slots(start, [hand["took"]], int(own.passed[age, at]), "a hand that was handed on")
                own.took[age, at] = took.bit_length() - 1
            if rules.asides and "put_aside" in hand:
                gone = int(own.passed[age, at]) | (1 << int(own.took[age, at]) if own.took[age, at] >= 0 else 0)
                own.aside[age, at] = _slots(start, [hand["put_aside"]], gone, "a hand that was handed on").bit_length()
    mistakes.raise_any()
    flow = record.flow
    flow.phase, flow.seat, flow.end, flow.wrap = layout.CHOOSE, seat, int(rules.players), seat
    record.hidden.taken[:] = np.iinfo(np.uint64).max
    start.refresh(LOOK)
    return start.redrawn(seat, 0)


def _set_city(position: StatePosition, seat: int, city: Mapping[str, Any]) -> None:
    """Set up a city as described; raise a UserError that lists all mistakes in the description."""
    mistakes, public, rules = Mistakes(), position.record.public, position.machine.rules
    with mistakes.noted():
        refuse_unknown("a city", city, CITY_KEYS, unnamed=("shields", "hand_size"))
    position.refresh(ADD, EMPTY_CITY, seat)  # clauses of the table may have acted when the game began (R87)
    with mistakes.noted():
        _build(position, seat, listed(f"built of city {seat}", city.get("built", []), str))
    with mistakes.noted():
        either = rules.deck_shown | rules.deck_dealt | rules.draws
        has = _recruits(position, city.get("recruited", []), either, f"recruited of city {seat}")
        for card in range(int(rules.deck_from[rules.decks])):
            if has >> card & 1:
                position.refresh(ADD, int(rules.deck_entry) + card, seat)
    with mistakes.noted():
        names = listed(f"copied of city {seat}", city.get("copied", []), str) if rules.copies else []
        for number in sorted({_card(_names(position), name, f"copied of city {seat}") for name in names}):
            position.refresh(ADD, ENTRIES + number, seat)
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
    set_up_counters(slots_of(position.simulator.catalogue), position.record, seat, city.get(COUNTERS_KEY, {}))


def _build(position: StatePosition, seat: int, built: Sequence[str]) -> None:
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
    # one structure per turn, last cards, and builds from the discard pile
    age = int(public.age)
    most = int(rules.age_turns[:age].sum()) + age + int(public.turn) + MAX_FROM_PILE
    for number in numbers:
        position.refresh(ADD, number, seat)
        if int(public.flex_count[seat]) > FLEX - 2 or len(built) > most:
            raise UserError(f"city {seat} cannot have built {len(built)} structures by then")


def _enlisted(position: StatePosition, names: Any) -> int:
    """Return recruited cards that were drawn from the stock, as a bit set; raise UserError for unrecruited cards."""
    recruited = int(np.bitwise_or.reduce(position.record.public.recruited[: int(position.machine.rules.seats)]))
    cards = [card.name for card in position.simulator.catalogue.deck_cards]
    enlisted = 0
    for name in listed("enlisted", names, str):
        number = _card(cards, name, "enlisted")
        if not recruited >> number & 1:
            raise UserError(f"enlisted cannot contain {name}; accepted: cards that a city has recruited")
        enlisted |= 1 << number
    return enlisted


def _deal_others(position: StatePosition, seat: int) -> None:
    """Give other players the right number of arbitrary cards from further decks; they are resampled later."""
    rules, record = position.machine.rules, position.record
    public = record.public
    stock = ~int(np.bitwise_or.reduce(public.recruited[: int(rules.seats)]))
    stock &= ~(int(public.display) | int(record.own[seat].recruits))
    for deck in range(int(rules.decks)):
        cards = (1 << int(rules.deck_from[deck + 1])) - (1 << int(rules.deck_from[deck]))
        size = int(rules.deck_dealt[deck]) if rules.deck_moment[deck] <= 2 * public.age else 0
        for other in range(int(rules.players)):
            left = size - (int(public.recruited[other]) & ~int(public.enlisted) & cards).bit_count()
            for _ in range(left if other != seat else 0):
                card = stock & cards & -(stock & cards)
                record.own[other].recruits |= np.uint64(card)
                stock &= ~card


def _recruits(position: StatePosition, names: Any, decks: Any, where: str) -> int:
    """Return cards of further decks as a bit set; raise UserError if a card is in use or from a wrong deck (R88)."""
    rules, public = position.machine.rules, position.record.public
    cards = [card.name for card in position.simulator.catalogue.deck_cards]
    taken = int(np.bitwise_or.reduce(public.recruited[: int(rules.seats)])) | int(public.display)
    recruits = 0
    for name in listed(where, names, str):
        number = _card(cards, name, where)
        deck = int(np.searchsorted(rules.deck_from[1 : rules.decks + 1], number, side="right"))
        if not decks[deck] or (taken | recruits) >> number & 1:
            raise UserError(f"{where} cannot contain {name}")
        recruits |= 1 << number
    return recruits


def _hand(position: StatePosition, seat: int, names: Any, size: int) -> int:
    """Return a hand as a bit set of the age's slots; raise UserError if it cannot be dealt."""
    cards = listed("hand", names, str)
    if len(cards) != size:
        raise UserError(f"the hand has {len(cards)} cards, but seat {seat} has {size} in this turn")
    return _slots(position, cards, 0, f"the hand of seat {seat}")


def _slots(position: StatePosition, cards: Sequence[str], taken: int, where: str) -> int:
    """Return a bit set of the age's slots for these card names, avoiding the slots in ``taken``."""
    rules, public = position.machine.rules, position.record.public
    age = int(public.age)
    slots = 0
    for name in cards:
        number = _card(_names(position), name, where)
        free = [
            slot
            for slot in range(int(rules.slots[age]))
            if int(rules.slot_card[age][slot]) == number and not (slots | taken) >> slot & 1
        ]
        if not free:
            raise UserError(f"{where} cannot contain {Counter(cards)[name]} {name} in age {age + 1}")
        slots |= 1 << free[0]
    return slots


def _names(position: StatePosition) -> list[str]:
    return [card.name for card in position.simulator.catalogue.cards]


def _card(names: Sequence[str], name: Any, where: str) -> int:
    if name not in names:
        raise UserError(f"{where} has an unknown card {name!r}{nearest(str(name), names)}")
    return names.index(name)
