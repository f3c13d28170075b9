"""Further decks: dealt, drafted or displayed before or after an age, one card recruited at a time (R88-R91, R101)."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Any

from tests.wonders.reference.rng import AFTER_STREAM, DECK_STREAM, DRAW_STREAM, LATER_STREAM, Stream
from tests.wonders.reference.table import Asked

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.wonders.reference.facts import Card, Deck, Recruit
    from tests.wonders.reference.table import City, Table


def deal_decks(table: Table, seed: int, number: int, age: int = 1, after: int = 0) -> dict[str, Any]:
    """Deal, display and draft the decks before or after an age; return the entries of the trace."""
    places = AFTER_STREAM + after - 1 if after else LATER_STREAM + age - 1 if age > 1 else DECK_STREAM
    stream = Stream(seed, number, places)
    told: dict[str, Any] = {}
    now = {
        name: deck
        for name, deck in table.catalogue.decks.items()
        if (deck.after or deck.age, deck.after) == (after or age, after)
    }
    for name, deck in now.items():
        left = stock(table, name)
        if deck.display:
            table.display[name] = drawn(left, deck.display, stream)
            told[name] = [card.name for card in table.display[name]]
            continue
        told[name] = []
        for city in players(table):
            hand = drawn(left, deck.deal, stream)
            city.hand += hand
            told[name].append([card.name for card in hand])
    draft(table, {name: deck for name, deck in now.items() if deck.drafted}, after or age)
    return told


def draft(table: Table, decks: dict[str, Deck], age: int) -> None:
    """Draft the decks one after the other: all players keep a card simultaneously and pass the rest on."""
    for name, deck in decks.items():
        hands = {city.seat: [card for card in city.hand if card in deck.cards] for city in players(table)}
        for city in players(table):
            city.hand = [card for card in city.hand if card not in deck.cards]
        kept: dict[int, list[Recruit]] = {seat: [] for seat in hands}
        step = 1 if table.rules.passing[age - 1] == "right" else -1
        for _ in range(deck.deal - 1):
            for seat, hand in hands.items():
                told = {"seat": seat, "deck": name, "action": "keep"}
                chosen = table.ask("effect", seat, [{**told, "card": card.name} for card in hand], [])
                table.decisions.append(chosen)
                kept[seat].append(next(card for card in hand if card.name == chosen["card"]))
            left = {seat: [card for card in hand if card not in kept[seat]] for seat, hand in hands.items()}
            hands = {seat: left[(seat + step) % len(hands)] for seat in hands}
        for city in players(table):
            city.hand += kept[city.seat] + hands[city.seat]


def draw_streams(seed: int, number: int) -> Iterator[Stream]:
    """Return the random streams for cards drawn in a game's decisions, in order."""
    return (Stream(seed, number, stream) for stream in count(DRAW_STREAM))


def stock(table: Table, name: str) -> list[Recruit]:
    """Return the cards of a deck that no player has and that are not displayed."""
    taken = [*table.display.get(name, ()), *(card for city in table.cities for card in (*city.hand, *city.recruited))]
    return [card for card in table.catalogue.decks[name].cards if card not in taken]


def drawing(table: Table) -> Callable[[Asked, str], list[Card]]:
    """Return a function that draws cards from the discard pile for a decision (R100)."""

    def draw(asked: Asked, formula: str) -> list[Card]:
        from tests.wonders.reference.clauses import source_of, value

        stream = next(table.streams)
        left = sorted(table.discard_pile, key=lambda card: card.name)
        wanted = value(table, asked.owner, asked.trigger, formula, source=source_of(asked.owner, asked.where))
        return [left.pop(stream.below(len(left))) for _ in range(min(wanted, len(left)))]

    return draw


def drawn(left: list[Recruit], count: int, stream: Stream) -> list[Recruit]:
    """Draw a number of cards at random from the remaining ones."""
    count = min(count, len(left))
    return sorted((left.pop(stream.below(len(left))) for _ in range(count)), key=lambda card: card.name)


def players(table: Table) -> list[City]:
    """Return the cities of players, without the Free City, which does not recruit."""
    return [city for city in table.cities if not table.is_free_city(city.seat)]


def offered(table: Table, city: City, name: str) -> list[Recruit]:
    """Return the cards of a deck that a city may recruit, regardless of their cost."""
    of_deck = {card.name for card in table.catalogue.decks[name].cards}
    cards = table.display.get(name, city.hand)
    return sorted((card for card in cards if card.name in of_deck), key=lambda card: card.name)


def ask_to_recruit(table: Table, event: str) -> None:
    """Queue the decisions of all players to recruit from the decks of this event (R89)."""
    for city in players(table):
        for name, deck in table.catalogue.decks.items():
            if deck.recruit == event and offered(table, city, name):
                table.pending.append(Asked(city, {}, {}, city, None, 0, name))


def choices(city: City, name: str, cards: list[Recruit]) -> list[dict[str, Any]]:
    """Return the moves for the affordable cards, and declining; empty if no card is affordable."""
    told = {"seat": city.seat, "deck": name}
    moves: list[dict[str, Any]] = [
        {**told, "action": "choose", "card": card.name, "bank": card.cost.coins}
        for card in cards
        if card.cost.coins <= city.coins
    ]
    return [*moves, {**told, "action": "decline"}] if moves else []


def take_card(table: Table, city: City, name: str, chosen: dict[str, Any]) -> Recruit:
    """Pay for a card and add it to the city (R90)."""
    [card] = [one for one in table.catalogue.decks[name].cards if one.name == chosen["card"]]
    for held in (table.display.get(name, []), city.hand):
        if card in held:
            held.remove(card)
    city.coins -= card.cost.coins
    city.tally["bank_paid"] += card.cost.coins
    city.recruited.append(card)
    return card
