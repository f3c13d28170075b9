"""The facts (cards, boards, rule sets) as plain records, read from ``tests/data``."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

Effect = dict[str, Any]

DATA = Path(__file__).resolve().parents[2] / "data"

# Printed points of a red, brown or gray card exist on nobody's card; a designer's would be counted so.
CATEGORY_OF_COLOR = {
    "blue": "civilian",
    "green": "science",
    "yellow": "commerce",
    "purple": "guild",
    "black": "cities",
    "red": "military",
    "brown": "commerce",
    "gray": "commerce",
}

RESOURCES = ("clay", "stone", "ore", "wood", "glass", "loom", "papyrus")

# The options of a rule set and their default values.
SWITCHES: dict[str, bool] = {
    "copied_shipowners_counts_itself": True,  # R29
    "counting_includes_itself": True,  # R9.3
    "discard_builds_boards_first": True,  # R9.6
    "olympia_discount_cumulative": False,  # R14
    "paid_build_beside_chain": False,  # R16
    "chain_from_any_age": True,  # R16
    "discard_build_optional": True,  # R28
    "free_city_chooses_payment": True,  # R46
    "debt_choice": True,  # R32
    "last_card_on_new_state": True,  # R9.5
}


@dataclass(frozen=True)
class Cost:
    """Coins for the bank and resource units, one string per unit."""

    coins: int
    units: tuple[str, ...]


def clauses_in(effects: Iterable[Effect]) -> list[Effect]:
    """Return the clauses among some effects, as written."""
    return sorted((one for one in effects if one["kind"] == "when"), key=lambda one: int(one["number"]))


class WithEffects:
    """Base class for items in a city that have effects."""

    effects: tuple[Effect, ...]

    @cached_property
    def clauses(self) -> list[Effect]:
        """The item's clauses, as written."""
        return clauses_in(self.effects)


@dataclass(frozen=True)
class Card(WithEffects):
    """All copies of one card name; a name printed in two ages (Loom) is one card with copies in both."""

    name: str
    color: str
    cost: Cost
    free_with: tuple[str, ...]
    effects: tuple[Effect, ...] = field(hash=False)
    minimums: dict[int, tuple[int, ...]] = field(hash=False)  # age -> printed player minimum of each copy

    @property
    def ages(self) -> tuple[int, ...]:
        """The ages in which the card is printed."""
        return tuple(sorted(self.minimums))


@dataclass(frozen=True)
class Stage(WithEffects):
    """One stage of a board side."""

    cost: Cost
    effects: tuple[Effect, ...] = field(hash=False)


@dataclass(frozen=True)
class Wonder:
    """A board: its starting resource and its two sides, the first side first."""

    name: str
    resource: str
    sides: dict[str, tuple[Stage, ...]] = field(hash=False)


@dataclass(frozen=True)
class RuleSet:
    """The rules of a rule set that differ from other rule sets, except cards and boards."""

    name: str
    files: tuple[str, ...]
    players: tuple[int, ...]
    turns: int = 6
    hand_size: int = 7
    duo: bool = False
    teams: bool = False
    hands: tuple[int, ...] = ()  # cards dealt in each age, where a house rule says so
    start_coins: int = 3
    sale_coins: int | str | tuple[int | str, ...] = 3  # by age, by a formula
    trade_price: int = 2
    victory_tokens: tuple[int, ...] = (1, 3, 5)  # what those printed 1, 3 and 5 are worth
    defeat_points: int = -1
    coins_per_point: int = 3
    guilds_extra: int = 2
    passing: tuple[str, ...] = ("left", "right", "left")
    last_card: tuple[str, ...] = ("discarded", "discarded", "discarded")
    science: str = ""  # as printed
    tie_breaks: tuple[str, ...] = ("coins",)

    def cards_dealt(self, age: int) -> int:
        """The number of cards in a hand; an age has one turn fewer (R5)."""
        return self.hands[age - 1] if self.hands else self.hand_size

    def token_points(self, printed: int) -> int:
        """Return the points of a victory token, which is identified by its printed value."""
        return self.victory_tokens[(1, 3, 5).index(printed)]


_FIRST = ("seven_wonders_1e.json",)
_SECOND = ("seven_wonders_2e.json",)
_CITIES = ("seven_wonders_2e.json", "seven_wonders_cities_2e.json")

RULE_SETS: dict[str, RuleSet] = {
    rule_set.name: rule_set
    for rule_set in (
        RuleSet("1e", _FIRST, (3, 4, 5, 6, 7)),
        RuleSet("1e-duo", _FIRST, (2,), duo=True),
        RuleSet("2e", _SECOND, (3, 4, 5, 6, 7)),
        RuleSet("2e-cities", _CITIES, (3, 4, 5, 6, 7), turns=7, hand_size=8),
        RuleSet("2e-cities-teams", _CITIES, (4, 6), turns=7, hand_size=8, teams=True),
    )
}


@dataclass(frozen=True)
class Recruit(WithEffects):
    """A card of a further deck."""

    deck: str
    name: str
    cost: Cost
    effects: tuple[Effect, ...] = field(hash=False)


@dataclass(frozen=True)
class Deck:
    """A further deck: its cards in alphabetical order, how many are dealt or displayed, and when one is recruited."""

    cards: tuple[Recruit, ...]
    deal: int
    display: int
    recruit: str
    drafted: bool = False
    age: int = 1
    after: int = 0  # after the conflicts of which age it is dealt instead, 0 none


@dataclass(frozen=True)
class Catalogue:
    """Cards and boards by name, in alphabetical order; functions that formulas call, by file and name."""

    cards: dict[str, Card]
    wonders: dict[str, Wonder]
    functions: dict[tuple[str, str], Callable[..., Any]] = field(default_factory=dict)
    counters: dict[str, dict[str, Any]] = field(default_factory=dict)  # by name: of, lasts, start, least, most (R70)
    decks: dict[str, Deck] = field(default_factory=dict)  # further ones, by name in alphabetical order (R88)
    table: dict[str, list[Effect]] = field(default_factory=dict)  # rules that every city has, by name (R87)


def read_cost(entry: dict[str, int]) -> Cost:
    """Convert a dictionary such as ``{"coins": 1, "wood": 2}`` to a Cost."""
    units = tuple(resource for resource in RESOURCES for _ in range(entry.get(resource, 0)))
    return Cost(entry.get("coins", 0), units)


def catalogue_of(entries: dict[str, list[dict[str, Any]]]) -> Catalogue:
    """Build a Catalogue from facts in the format of the JSON files (``cards`` and ``wonders``)."""
    cards: dict[str, Card] = {}
    for entry in sorted(entries["cards"], key=lambda entry: str(entry["name"])):
        name = entry["name"]
        minimums = {entry["age"]: tuple(sorted(entry["copies_from_players"]))}
        if name in cards:
            minimums = {**cards[name].minimums, **minimums}
        cost, free_with = read_cost(entry["cost"]), tuple(entry["free_with"])
        cards[name] = Card(name, entry["color"], cost, free_with, tuple(entry["effects"]), minimums)
    wonders: dict[str, Wonder] = {}
    for entry in sorted(entries["wonders"], key=lambda entry: str(entry["name"])):
        sides = {
            side: tuple(Stage(read_cost(stage["cost"]), tuple(stage["effects"])) for stage in stages)
            for side, stages in entry["sides"].items()
        }
        wonders[entry["name"]] = Wonder(entry["name"], entry["resource"], sides)
    return Catalogue(cards, wonders)


def load(rule_set: str) -> Catalogue:
    """Load the facts of a rule set (for 2e-cities, of both 2e and Cities)."""
    entries: dict[str, list[dict[str, Any]]] = {"cards": [], "wonders": []}
    for file in RULE_SETS[rule_set].files:
        facts = json.loads((DATA / file).read_text(encoding="utf-8"))
        for kind in entries:
            entries[kind] += facts[kind]
    return catalogue_of(entries)
