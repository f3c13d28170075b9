"""What a seat may know (R49): names of the observation's columns, and the same told to a person."""

from __future__ import annotations

from typing import Any

from wsim.wonders.catalog import Catalogue
from wsim.wonders.trace import told_move
from wsim.wonders.words import (
    AGES,
    COLORS,
    NEIGHBORS,
    RESOURCE_GROUPS,
    RESOURCES,
    SIDES_OF_BOARD,
    SLOTS,
    SYMBOLS,
)

__all__ = ["columns", "names_of", "told_deed", "told_hand", "told_table"]

_TABLE = ("age", "turn", "turns", "discarded", "seat", "decision")
_CITY = (
    "side", "coins", "stages", "shields", "hand_size", "abilities", "free_build_used", "defeats", "debts", "diplomacy",
    "copied_symbols", "either_or", "either_or_for_sale", "board_resource", "sold",
)  # fmt: skip
_DEED = ("action", "card", "bank")


def columns(names: list[str], rules: Any, history: bool = True) -> tuple[str, ...]:
    """Return the names of the columns of an observation, in order.

    ``hand:CARD`` counts copies in the own hand, ``mate:CARD`` in the mate's (teams). A city's columns begin with
    ``own.``, then ``left1.``, ``left2.``, ... in the order to the left; ``built:CARD`` is 1 or 0. With ``history``
    follow ``passedT:CARD``, the hand handed on after turn T of this age, and for every age, turn and city
    ``deed:A.T.CITY.action`` (0 none, 1 + place in ACTIONS), ``.card`` (number, of builds) and ``.bank`` (coins), with
    ``.late.`` those of last cards and of builds from the discard pile.
    """
    found = [*_TABLE, *(f"hand:{name}" for name in names)]
    if rules.teams:
        found += [f"mate:{name}" for name in names]
    cities = ["own", *(f"left{step}" for step in range(1, int(rules.seats)))]
    for city in cities:
        found += [f"{city}.{name}" for name in _CITY]
        found += [f"{city}.cards_{color}" for color in COLORS]
        found += [f"{city}.symbol_{symbol or 'none'}" for symbol in SYMBOLS]
        found += [f"{city}.victory_{age + 1}" for age in range(AGES)]
        found += [f"{city}.price_{side}_{group}" for side in NEIGHBORS for group in RESOURCE_GROUPS]
        found += [f"{city}.makes_{resource}" for resource in RESOURCES]
        found += [f"{city}.sells_{resource}" for resource in RESOURCES]
        found += [f"{city}.built:{name}" for name in names]
    if history:
        turns = range(1, int(rules.turns) + 1)
        found += [f"passed{turn}:{name}" for turn in turns for name in names]
        for age in range(1, AGES + 1):
            for turn in turns:
                for city in cities:
                    for late in ("", "late."):
                        found += [f"deed:{age}.{turn}.{city}.{late}{what}" for what in _DEED]
    return tuple(found)


def told_table(catalogue: Catalogue, rules: Any, record: Any) -> dict[str, Any]:
    """Return what everybody at the table may know, as a JSON object: the moment, every city, every turn in the open."""
    public = record.public
    return {
        "age": int(public.age) + 1,
        "turn": int(public.turn) + 1,
        "discarded": int(public.discarded),
        "cities": [_told_city(catalogue, rules, public, seat) for seat in range(int(rules.seats))],
        "deeds": [told_deed(catalogue, int(deed)) for deed in public.deeds[: int(public.deed_count)]],
    }


def _told_city(catalogue: Catalogue, rules: Any, public: Any, seat: int) -> dict[str, Any]:
    wonder = catalogue.wonders[int(public.side[seat]) // SIDES_OF_BOARD]
    city: dict[str, Any] = {
        "wonder": wonder.name,
        "side": catalogue.sides[int(public.side[seat]) % SIDES_OF_BOARD],
        "stages": int(public.stages[seat]),
        "coins": int(public.coins[seat]),
        "built": [card.name for number, card in enumerate(catalogue.cards) if _owns(public, seat, number)],
        "victories": [int(count) for count in public.victory[seat]],
        "defeats": int(public.defeats[seat]),
        "shields": int(public.shields[seat]),
    }
    if rules.cities:
        city |= {"debts": int(public.debts[seat]), "diplomacy": int(public.diplomacy[seat])}
    if seat < rules.players:
        city["hand_size"] = int(public.hand_size[seat])
    if public.free_used[seat]:
        city["free_build_used"] = True
    return city


def _owns(public: Any, seat: int, card: int) -> bool:
    return bool(int(public.built[seat, card >> 6]) >> (card & 63) & 1)


def told_deed(catalogue: Catalogue, deed: int) -> dict[str, Any]:
    """Return what the table saw of a move (moves.py) as the trace tells moves, without the card where it went down."""
    seat, age, turn, decision = deed >> 40 & 15, deed >> 44 & 3, deed >> 46 & 15, deed >> 50 & 7
    told = told_move([card.name for card in catalogue.cards], deed & ((1 << 40) - 1), seat, decision, 0)
    told.pop("stage", None)
    if told["action"] != "build":
        told.pop("card", None)
    return {"age": age + 1, "turn": turn + 1, **told}


def names_of(catalogue: Catalogue, rules: Any, age: int, slots: int) -> list[str]:
    """Return the names of the slots of an age, alphabetically."""
    card = rules.slot_card[age]
    return [catalogue.cards[int(card[slot])].name for slot in range(SLOTS) if slots >> slot & 1]


def told_hand(catalogue: Catalogue, rules: Any, record: Any, seat: int) -> dict[str, Any]:
    """Return what a seat alone may know: its hand, its mate's, what it handed on, the discard pile when it last saw it.

    ``handed_on`` has, turn by turn of this age, what the seat played and what was then left of the hand.
    """
    own, age = record.own[seat], int(record.public.age)
    told: dict[str, Any] = {"hand": names_of(catalogue, rules, age, int(own.hand))}
    if rules.teams:
        told["mate_hand"] = names_of(catalogue, rules, age, int(own.mate_hand))
    told["handed_on"] = [
        {
            "turn": turn + 1,
            "took": catalogue.cards[int(rules.slot_card[age][int(own.took[age, turn])])].name,
            "left": names_of(catalogue, rules, age, int(own.passed[age, turn])),
        }
        for turn in range(int(record.public.turn))
    ]
    if own.looked:
        counts = ((int(own.look[card >> 4]) >> 4 * (card & 15)) & 15 for card in range(len(catalogue.cards)))
        told["pile_seen"] = {card.name: n for card, n in zip(catalogue.cards, counts, strict=True) if n}
    return told
