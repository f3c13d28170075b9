"""What a catalogue is made of: frozen records of cards, boards and one rule set; plain data without I/O."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from wsim.errors import UserError, nearest
from wsim.policies.effect_files import EffectFile
from wsim.wonders.catalog.effects import Effects

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Cost:
    """Coins to the bank and units of resources, in the order of ``RESOURCES`` and without zeros (R11)."""

    coins: int = 0
    resources: tuple[tuple[str, int], ...] = ()

    @property
    def units(self) -> int:
        """Number of resource units."""
        return sum(n for _, n in self.resources)


@dataclass(frozen=True, slots=True)
class Card:
    """A structure. A name printed in two ages is one card with copies in both."""

    name: str
    color: str
    cost: Cost
    copies: tuple[tuple[int, tuple[int, ...]], ...]
    """(age, least player number of each copy), ages ascending; empty for guilds and black cards, which are drawn."""
    ages: tuple[int, ...]
    free_with: tuple[str, ...]
    effects: Effects
    uncertain: str = ""

    def copies_dealt(self, age: int, seats: int) -> int:
        """Return how many copies are always in the deck of ``age`` (1 to 3) for ``seats`` cities (R4)."""
        return sum(least <= seats for when, minima in self.copies if when == age for least in minima)


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage of a wonder."""

    cost: Cost
    effects: Effects


@dataclass(frozen=True, slots=True)
class Wonder:
    """A board: its starting resource and the rule set's two sides, each with its stages in building order."""

    name: str
    resource: str
    sides: tuple[tuple[str, tuple[Stage, ...]], ...]

    def stages(self, side: str) -> tuple[Stage, ...]:
        """Return the stages of a side; raise UserError for an unknown one."""
        for name, stages in self.sides:
            if name == side:
                return stages
        names = [name for name, _ in self.sides]
        raise UserError(f"unknown side {side!r} of {self.name}{nearest(side, names)}: accepted are {', '.join(names)}")


Amount = int | str
"""A number, or a formula of one."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The rules of a rule set that are numbers, formulas and lists; ``house_rules`` says what each means.

    A formula is in its normal form; of three values the ages have one each.
    """

    hand_size: Amount | tuple[Amount, ...] = 7
    start_coins: Amount = 3
    sale_coins: Amount | tuple[Amount, ...] = 3
    trade_price: Amount = 2
    victory_tokens: tuple[Amount, ...] = (1, 3, 5)
    defeat_points: Amount = -1
    coins_per_point: Amount = 3
    guilds_extra: Amount = 2
    guilds: Amount = ""
    passing: tuple[str, str, str] = ("left", "right", "left")
    last_card: tuple[str, str, str] = ("discarded", "discarded", "discarded")
    science: str = "compass ** 2 + gear ** 2 + tablet ** 2 + 7 * sets(compass, gear, tablet)"
    tie_breaks: tuple[str, ...] = ("coins",)


ADDED_SETTINGS = ("guilds", "passing", "last_card", "science", "tie_breaks")
"""Settings that older versions had not: those that stand as printed say nothing in a digest."""


@dataclass(frozen=True, slots=True)
class Catalogue:
    """One rule set with everything laid over it: what the engine's rules are compiled from.

    ``digest`` names the content that games depend on (not titles, sources or marks of uncertainty): two catalogues
    with the same digest play the same games. ``changes`` are the patch files and ``--set`` texts laid over ``source``.
    """

    ruleset: str
    title: str
    seat_numbers: tuple[int, ...]
    sides: tuple[str, str]
    cards: tuple[Card, ...]
    """Sorted by name."""
    wonders: tuple[Wonder, ...]
    """Sorted by name."""
    switches: Mapping[str, bool] = field(hash=False)
    settings: Settings
    cities: bool
    teams: bool
    duo: bool
    digest: str
    source: str
    changes: tuple[str, ...] = ()
    effects: tuple[EffectFile, ...] = ()
    """Files of functions that formulas call."""

    @property
    def seats(self) -> tuple[int, int]:
        """Least and greatest number of players; ``seat_numbers`` has all accepted ones."""
        return self.seat_numbers[0], self.seat_numbers[-1]

    def cities_at_table(self, players: int) -> int:
        """Return the number of cities in a game of ``players``: the Free City is a third one (R43)."""
        return 3 if self.duo else players

    def card(self, name: str) -> Card:
        """Return the card called ``name``; raise UserError for an unknown one."""
        for card in self.cards:
            if card.name == name:
                return card
        similar = nearest(name, (card.name for card in self.cards))
        raise UserError(f"unknown card {name!r} in rule set {self.ruleset}{similar}")

    def wonder(self, name: str) -> Wonder:
        """Return the board called ``name``; raise UserError for an unknown one."""
        names = [wonder.name for wonder in self.wonders]
        if name in names:
            return self.wonders[names.index(name)]
        accepted = f": accepted are {', '.join(names)}"
        raise UserError(f"unknown wonder {name!r} in rule set {self.ruleset}{accepted}{nearest(name, names)}")
