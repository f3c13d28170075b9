"""The state of a game (cities, discard pile), with the queries that the rules need."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.wonders.reference.facts import Card, Catalogue, Effect, Recruit, RuleSet, Stage, Wonder
    from tests.wonders.reference.rng import Stream

FREE_CITY = 2  # R44

Move = dict[str, Any]

# (kind of decision, seat, legal moves, hand) -> the move that the seat's policy makes.
Ask = Callable[[str, int, list[Move], list[str]], Move]


@dataclass(eq=False)  # no two cities are the same
class City:
    """All cards and tokens in front of one seat, and counts of its actions."""

    seat: int
    wonder: Wonder
    side: str
    coins: int = 3  # R3
    structures: list[Card] = field(default_factory=list)
    buried: list[Card] = field(default_factory=list)  # under the built stages, hidden (R8)
    victories: list[int] = field(default_factory=list)  # the values of the victory tokens
    defeats: int = 0
    debts: int = 0
    diplomacy: int = 0
    free_builds_used: int = 0  # once-per-age free builds of this age (R26)
    more_shields: int = 0  # brought by clauses
    age_shields: int = 0  # likewise, for this age only (R57)
    more_symbols: list[str] = field(default_factory=list)  # likewise
    more_units: list[str] = field(default_factory=list)  # likewise: resources
    turn_units: list[str] = field(default_factory=list)  # likewise, for this turn only (R65)
    price_changes: Counter[str] = field(default_factory=Counter)  # of units from the neighbours (R66)
    gained: Counter[str] = field(default_factory=Counter)  # points in the course of the game, by category (R94)
    free_tokens: int = 0  # free builds still to be used (R67)
    new: list[Card] = field(default_factory=list)  # structures built in this turn
    how: dict[str, str] = field(default_factory=dict)  # how structures were built: paid, by_chain, free, from_discard
    new_stages: int = 0  # stages built in this turn
    hand: list[Recruit] = field(default_factory=list)  # cards of further decks (R88)
    recruited: list[Recruit] = field(default_factory=list)
    copies: list[Card] = field(default_factory=list)  # structures whose lasting effects it has once more (R103)
    laws: dict[str, list[Effect]] = field(default_factory=dict)  # what every city has, by name (R87)
    tally: Counter[str] = field(default_factory=Counter)

    @property
    def all_stages(self) -> tuple[Stage, ...]:
        """All stages of the board side, built or not."""
        return self.wonder.sides[self.side]

    @property
    def built_stages(self) -> tuple[Stage, ...]:
        """The stages built so far."""
        return self.all_stages[: len(self.buried)]

    def owns(self, name: str) -> bool:
        """Return whether the city has a structure with this name (R7)."""
        return any(card.name == name for card in self.structures)

    def card_effects(self, kind: str) -> Iterator[tuple[Card, Effect]]:
        """Return the effects of a kind on structures."""
        return ((card, effect) for card in self.structures for effect in card.effects if effect["kind"] == kind)

    def stage_effects(self, kind: str) -> Iterator[Effect]:
        """Return the effects of a kind on built stages, recruited cards and copies."""
        things: tuple[Stage | Recruit, ...] = (*self.built_stages, *self.recruited)
        yield from (effect for thing in things for effect in thing.effects if effect["kind"] == kind)
        if kind in ("shields", "science", "produce"):  # not for sale
            made = (effect for card in self.copies for effect in card.effects if effect["kind"] == kind)
            plain = (effect for effect in made if not isinstance(effect.get("one_of"), str))  # R18 is an ability
            yield from ({**effect, "tradable": False} for effect in plain)

    def effects(self, kind: str) -> list[Effect]:
        """Return the effects of a kind on built stages and structures."""
        return [*self.stage_effects(kind), *(effect for _, effect in self.card_effects(kind))]

    @property
    def shields(self) -> int:
        """Shields on structures and stages (R19)."""
        printed = sum(int(effect["n"]) for effect in self.effects("shields"))
        return printed + self.more_shields + self.age_shields

    def count(self, what: str) -> int:
        """Return the city's number of structures of a colour, stages or tokens (R25, R37)."""
        if what == "wonder_stage":
            return len(self.buried)
        if what == "defeat_token":
            return self.defeats
        if what == "victory_token":
            return len(self.victories)
        if what.startswith("victory_token_"):
            return self.victories.count(int(what.removeprefix("victory_token_")))
        return sum(card.color == what for card in self.structures)


@dataclass
class Asked:
    """A pending decision of a clause, with the event that triggered it."""

    owner: City
    where: dict[str, Any]
    clause: Effect
    trigger: City
    event: tuple[Card | Stage | Recruit, str, int] | None
    purchase: int
    deck: str = ""  # to recruit from it instead (R89)
    decider: City | None = None  # who decides, where it is not the owner (R98)
    number: int = 0  # of cards drawn from the stock of the deck, of which one may be recruited (R104)

    @property
    def decides(self) -> City:
        """The city that makes the decision."""
        return self.decider or self.owner

    def chooses_from(self, table: Table, option: Any) -> list[Card | None]:
        """Return the cards from which an option chooses, by name (R80); empty if it does not choose a card."""
        if "card" not in option:
            return [None]
        where = option["card"]["from"]
        if where.endswith("hand"):
            puts_aside = "do" in option["card"]
            return [] if puts_aside and not table.may_put_aside(self.owner.seat) else self.hand_of(table, where)
        city = self.owner if where == "city" else table.named(self.owner.seat, where) if where != "discarded" else None
        among = city.structures if city else table.discard_pile
        if "draw" in option["card"]:
            among = table.drawn(self, str(option["card"]["draw"]))
        cards = {card.name: card for card in among}
        builds = option["card"].get("do", "discard") != "discard"
        return [cards[name] for name in sorted(cards) if not (builds and self.owner.owns(name))]

    def hand_of(self, table: Table, where: str) -> list[Card | None]:
        """Return the cards in the own hand or a neighbour's hand, by name (R105)."""
        around = {"hand": 0, "left_hand": 1, "right_hand": -1}[where]
        seat = (self.owner.seat + around) % len(table.cities)
        if table.is_free_city(self.owner.seat) or (around and table.rules.duo):
            return []
        return [table.catalogue.cards[name] for name in sorted(set(table.hands[seat]))]


def recruits_nobody(table: Table, asked: Asked) -> None:
    """Default for hand-written tables: recruit no cards."""


def draws_nothing(asked: Asked, number: str) -> list[Card]:
    """Default for hand-written tables: draw no cards."""
    return []


def deals_nothing(age: int) -> None:
    """Default for hand-written tables: deal no further decks."""


@dataclass
class Table:
    """The whole game at one moment."""

    rules: RuleSet
    switches: dict[str, bool]
    catalogue: Catalogue
    cities: list[City]
    ask: Ask
    age: int = 1
    turn: int = 1
    purchase: int = 0  # coins of the purchase that sets clauses off
    amount: int = 0  # what is chosen in the decision of a clause (R95)
    builds: list[tuple[bool, int]] = field(default_factory=list)  # granted by clauses: whether by cards, seat (R68)
    discard_pile: list[Card] = field(default_factory=list)
    counters: dict[tuple[str, int, str], int] = field(default_factory=dict)  # those changed: name, seat, card (R70)
    display: dict[str, list[Recruit]] = field(default_factory=dict)  # cards of further decks that lie open
    event: tuple[Card | Stage | Recruit, str, int] | None = None  # what was just built, how, its number (R71)
    effects: list[dict[str, Any]] = field(default_factory=list)  # what clauses did since they were last told of
    pending: list[Asked] = field(default_factory=list)  # decisions of clauses still to be made (R72)
    recruit: Callable[[Table, Asked], None] = recruits_nobody  # answers one of those (R89)
    decisions: list[dict[str, Any]] = field(default_factory=list)  # those made since they were last told of
    drawn: Callable[[Asked, str], list[Card]] = draws_nothing  # from the pile, for a decision (R100)
    streams: Iterator[Stream] = field(default_factory=lambda: iter(()))  # what is drawn for decisions comes from
    hands: list[list[str]] = field(default_factory=list)  # of the players, as they are
    short: list[bool] = field(default_factory=list)  # of these, whether a card of it was put aside in the age (R107)
    deal_after: Callable[[int], None] = deals_nothing  # the further decks after an age
    losses: list[dict[str, int]] = field(default_factory=list)  # coins lost since they were last told of (R32)

    def may_put_aside(self, seat: int) -> bool:
        """Return whether a card of a player's hand may be put aside: one of each hand and age (R107)."""
        return not self.rules.duo and bool(self.hands[seat]) and not self.short[seat]

    @property
    def seats(self) -> range:
        """All seats, including the Free City."""
        return range(len(self.cities))

    def left(self, seat: int) -> City:
        """Return the left neighbour (R1)."""
        return self.cities[(seat + 1) % len(self.cities)]

    def right(self, seat: int) -> City:
        """Return the right neighbour (R1)."""
        return self.cities[(seat - 1) % len(self.cities)]

    def counter_key(self, name: str, city: City, source: str) -> tuple[str, int, str]:
        """Return the key under which a counter of a city, a card in a city, or the table is stored."""
        of = self.catalogue.counters[name]["of"]
        return name, -1 if of == "table" else city.seat, source if of == "card" else ""

    def counter(self, name: str, city: City, source: str) -> int:
        """Return the value of a counter (R70)."""
        return self.counters.get(self.counter_key(name, city, source), int(self.catalogue.counters[name]["start"]))

    def named(self, seat: int, where: str) -> City:
        """Return the city that an effect of a seat calls self, left or right."""
        return {"self": self.cities[seat], "left": self.left(seat), "right": self.right(seat)}[where]

    def others(self, seat: int, who: str) -> list[City]:
        """Return the cities that an effect of a seat calls others (including team mates: R34, R41) or neighbors."""
        if who == "neighbors":
            return [self.left(seat), self.right(seat)]
        return [city for city in self.cities if city.seat != seat]

    def is_free_city(self, seat: int) -> bool:
        """Return whether the seat is the Free City of the two-player game."""
        return self.rules.duo and seat == FREE_CITY

    @property
    def is_last_turn(self) -> bool:
        """Return whether this is the last turn of the age (R5)."""
        return self.turn == self.rules.cards_dealt(self.age) - 1
