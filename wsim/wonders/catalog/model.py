"""What a catalogue is made of: frozen records of cards, boards, effects and one rule set; plain data without I/O."""

from __future__ import annotations

from dataclasses import MISSING, asdict, dataclass, field, fields
from typing import TYPE_CHECKING, Any

from wsim.errors import UserError, nearest

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "CITIES",
    "COLORS",
    "COUNTED",
    "MANUFACTURED",
    "RAW",
    "RESOURCES",
    "SWITCHES",
    "Card",
    "Catalogue",
    "Cost",
    "Count",
    "Effects",
    "Settings",
    "Stage",
    "Toll",
    "TradeDiscount",
    "TradePrice",
    "Wonder",
]

RAW = ("clay", "stone", "ore", "wood")
MANUFACTURED = ("glass", "loom", "papyrus")
RESOURCES = RAW + MANUFACTURED
COLORS = ("brown", "gray", "blue", "yellow", "red", "green", "purple", "black")
CITIES = ("self", "left", "right")
COUNTED = (
    *COLORS,
    "wonder_stage",
    "defeat_token",
    "victory_token",
    "victory_token_1",
    "victory_token_3",
    "victory_token_5",
)
SWITCHES: Mapping[str, bool] = {
    "copied_shipowners_counts_itself": True,
    "counting_includes_itself": True,
    "last_card_on_new_state": True,
    "discard_builds_boards_first": True,
    "olympia_discount_cumulative": False,
    "paid_build_beside_chain": False,
    "chain_from_any_age": True,
    "discard_build_optional": True,
    "free_city_chooses_payment": True,
    "debt_choice": True,
}
"""Switches of a rule set with the value that holds where a rule set is silent; cards.toml says what each means."""


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
class Count:
    """``n`` points or coins for each of ``what`` (see ``COUNTED``) in ``cities`` (see ``CITIES``)."""

    what: tuple[str, ...]
    cities: tuple[str, ...]
    n: int


@dataclass(frozen=True, slots=True)
class TradePrice:
    """Resources ("raw" or "manufactured") bought from ``neighbors`` ("left", "right") cost ``price`` each (R14)."""

    resources: str
    neighbors: tuple[str, ...]
    price: int


@dataclass(frozen=True, slots=True)
class TradeDiscount:
    """Units bought from ``neighbors`` cost ``n`` less: "first_unit_each_turn" or "board_resource" (R14)."""

    scope: str
    neighbors: tuple[str, ...]
    n: int


@dataclass(frozen=True, slots=True)
class Toll:
    """``n`` coins or debts for ``who`` ("others", "neighbors"), once or ``per`` "victory_token" or "wonder_stage"."""

    who: str
    n: int
    per: str = ""


@dataclass(frozen=True, slots=True)
class Effects:
    """Effects of a card or stage, named as in cards.toml; the defaults mean "none"."""

    points: int = 0
    shields: int = 0
    coins: int = 0
    science: str = ""
    """"compass", "gear", "tablet" or "any"."""
    produces: tuple[str, ...] = ()
    produces_one_of: tuple[str, ...] | str = ()
    """Resources, or the words "own_board_brown_gray" / "not_own_board_brown_gray" (R18)."""
    trade_price: TradePrice | None = None
    trade_discount: TradeDiscount | None = None
    points_per: Count | None = None
    coins_per: Count | None = None
    points_if_wonder_complete: int = 0
    play_last_card: bool = False
    build_from_discard: bool = False
    copy_guild: bool = False
    free_build: str = ""
    """"once_per_age", "first_of_color", "first_turn_of_age" or "last_turn_of_age" (R26)."""
    coins_to_others: Toll | None = None
    coin_loss: Toll | None = None
    debt: Toll | None = None
    victory_token: int = 0
    """1, 3 or 5: the token of age I, II or III, named by its printed value whatever the settings make it worth."""
    diplomacy: int = 0
    copy_science: int = 0
    stages_cost_no_resources: bool = False
    discard_defeat_tokens: bool = False

    def present(self) -> dict[str, Any]:
        """Return the effects that are there, by name, in the order of the fields."""
        return {f.name: getattr(self, f.name) for f in fields(self) if getattr(self, f.name) != f.default}


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
        raise UserError(f"unknown side {side!r} of {self.name}: accepted are {', '.join(names)}{nearest(side, names)}")


@dataclass(frozen=True, slots=True)
class Settings:
    """The numbers of a rule set; cards.toml says what each means."""

    hand_size: int = 7
    start_coins: int = 3
    sale_coins: int = 3
    trade_price: int = 2
    victory_tokens: tuple[int, int, int] = (1, 3, 5)
    defeat_points: int = -1
    coins_per_point: int = 3
    guilds_extra: int = 2

    @property
    def turns(self) -> int:
        """Turns of an age: the last card of a hand is not played (R5)."""
        return self.hand_size - 1


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


def plain(record: Any) -> dict[str, Any]:
    """Return a small record (Count, Toll, ...) as it is written in cards.toml: fields at their default left out."""
    defaults = {f.name: f.default for f in fields(record) if f.default is not MISSING}
    written = {key: value for key, value in asdict(record).items() if value != defaults.get(key, MISSING)}
    return {key: list(value) if isinstance(value, tuple) else value for key, value in written.items()}
