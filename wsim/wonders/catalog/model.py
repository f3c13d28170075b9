"""The records of a catalogue: cards, boards and one rule set, as frozen plain data."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from wsim.errors import UserError, nearest
from wsim.policies.effect_files import EffectFile
from wsim.wonders.catalog.counters import Counter
from wsim.wonders.catalog.decks import Deck, DeckCard
from wsim.wonders.catalog.effects import Effects

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Cost:
    """Coins paid to the bank and units of resources, in the order of ``RESOURCES``, without zeros (R11)."""

    coins: int = 0
    resources: tuple[tuple[str, int], ...] = ()

    @property
    def units(self) -> int:
        """Number of resource units."""
        return sum(n for _, n in self.resources)


@dataclass(frozen=True, slots=True)
class Card:
    """A structure. A name printed in two ages is a single card with copies in both."""

    name: str
    color: str
    cost: Cost
    copies: tuple[tuple[int, tuple[int, ...]], ...]
    """(age, minimum number of players for each copy), by age; empty for guilds and black cards, which are drawn."""
    ages: tuple[int, ...]
    free_with: tuple[str, ...]
    effects: Effects
    uncertain: str = ""

    def copies_dealt(self, age: int, seats: int) -> int:
        """Return the number of copies in the deck of ``age`` (1 to 3) in every game with ``seats`` cities (R4)."""
        return sum(minimum <= seats for when, minima in self.copies if when == age for minimum in minima)


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
        """Return the stages of a side; raise UserError if the side is unknown."""
        for name, stages in self.sides:
            if name == side:
                return stages
        names = [name for name, _ in self.sides]
        raise UserError(f"unknown side {side!r} of {self.name}{nearest(side, names)}: accepted are {', '.join(names)}")


@dataclass(frozen=True, slots=True)
class TableRule:
    """Clauses that do not belong to a card. Every city has them from the start of the game (R87)."""

    name: str
    effects: Effects


Amount = int | str
"""A number, or a formula for one."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The numbers, formulas and lists of a rule set (``house_rules`` gives the meaning of each).

    Formulas are in normal form. A tuple of three has one value per age.
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
"""Settings that older versions did not have. At their printed value they are not part of a digest."""


@dataclass(frozen=True, slots=True)
class Catalogue:
    """One rule set with all patches and changes applied; the engine's rules are compiled from it.

    ``digest`` identifies the content that games depend on (not titles, sources or marks of uncertainty): catalogues
    with the same digest play the same games. ``changes`` are the patch files and ``--set`` texts applied to
    ``source``.
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
    """Files of Python functions that formulas call."""
    counters: tuple[Counter, ...] = ()
    """Sorted by name."""
    table: tuple[TableRule, ...] = ()
    """Sorted by name."""
    decks: tuple[Deck, ...] = ()
    """Further decks, sorted by name."""

    @property
    def seats(self) -> tuple[int, int]:
        """Minimum and maximum number of players; ``seat_numbers`` lists all accepted numbers."""
        return self.seat_numbers[0], self.seat_numbers[-1]

    def cities_at_table(self, players: int) -> int:
        """Return the number of cities in a game of ``players``: a two-player game adds the Free City (R43)."""
        return 3 if self.duo else players

    @property
    def deck_cards(self) -> tuple[DeckCard, ...]:
        """The cards of all further decks, in the order of their bits in ``recruited``."""
        return tuple(card for deck in self.decks for card in deck.cards)

    def card(self, name: str) -> Card:
        """Return the card called ``name``; raise UserError if there is none."""
        for card in self.cards:
            if card.name == name:
                return card
        similar = nearest(name, (card.name for card in self.cards))
        raise UserError(f"unknown card {name!r} in rule set {self.ruleset}{similar}")

    def wonder(self, name: str) -> Wonder:
        """Return the board called ``name``; raise UserError if there is none."""
        names = [wonder.name for wonder in self.wonders]
        if name in names:
            return self.wonders[names.index(name)]
        accepted = f": accepted are {', '.join(names)}"
        raise UserError(f"unknown wonder {name!r} in rule set {self.ruleset}{accepted}{nearest(name, names)}")
