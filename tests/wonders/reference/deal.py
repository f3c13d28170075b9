"""Set up the boards and deal the cards from their random streams."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from tests.wonders.reference.rng import SETUP_STREAM, Stream

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.wonders.reference.facts import Card, Catalogue

Thing = TypeVar("Thing")


def shuffle_front(things: Sequence[Thing], number: int, stream: Stream) -> list[Thing]:
    """Return all items, with the first ``number`` drawn at random (Fisher-Yates from the front)."""
    pool = list(things)
    for i in range(number):
        j = i + stream.below(len(pool) - i)
        pool[i], pool[j] = pool[j], pool[i]
    return pool


def draw(things: Sequence[Thing], number: int, stream: Stream) -> list[Thing]:
    """Return ``number`` random items in the order drawn."""
    if number > len(things):
        raise ValueError(f"cannot draw {number} of {len(things)}")
    return shuffle_front(things, number, stream)[:number]


def set_up(
    catalogue: Catalogue, seed: int, game: int, wonders: Sequence[str | None], sides: Sequence[str | None]
) -> list[tuple[str, str]]:
    """Return the wonder and side of each seat, drawn at random if None is given (R2)."""
    stream = Stream(seed, game, SETUP_STREAM)
    fixed = [name for name in wonders if name is not None]
    if len(set(fixed)) != len(fixed) or not set(fixed) <= set(catalogue.wonders):
        raise ValueError(f"wonders must differ and exist: {fixed}")
    pool = [name for name in sorted(catalogue.wonders) if name not in fixed]
    drawn = iter(draw(pool, wonders.count(None), stream))
    boards = [name if name is not None else next(drawn) for name in wonders]
    seated = []
    for board, side in zip(boards, sides, strict=True):
        names = list(catalogue.wonders[board].sides)
        if side is not None and side not in names:
            raise ValueError(f"{board} has no side {side}")
        seated.append((board, side if side is not None else names[stream.below(2)]))
    return seated


def copies(card: Card, age: int, cities: int) -> int:
    """Return the number of copies of a card in the age's deck for a number of cities (R4)."""
    return sum(minimum <= cities for minimum in card.minimums[age])


def age_deck(catalogue: Catalogue, age: int, cities: int, stream: Stream, guilds_extra: int = 2) -> list[str]:
    """Return the card names in an age's unshuffled deck: base cards, drawn guilds, drawn black cards (R4)."""
    printed = [catalogue.cards[name] for name in sorted(catalogue.cards) if age in catalogue.cards[name].minimums]
    guilds = [card.name for card in printed if card.color == "purple"]
    blacks = [card.name for card in printed if card.color == "black"]
    base = [
        card.name for card in printed if card.color not in ("purple", "black") for _ in range(copies(card, age, cities))
    ]
    return (
        base
        + draw(guilds, cities + guilds_extra if guilds else 0, stream)
        + draw(blacks, cities if blacks else 0, stream)
    )


def deal_age(
    catalogue: Catalogue, age: int, cities: int, hand_size: int, seed: int, game: int, guilds_extra: int = 2
) -> list[list[str]]:
    """Return every city's hand in the order dealt (in 1e-duo the last is the Free City's pile, top card first)."""
    stream = Stream(seed, game, age - 1)
    deck = age_deck(catalogue, age, cities, stream, guilds_extra)
    if len(deck) != cities * hand_size:
        raise ValueError(f"age {age} has {len(deck)} cards for {cities} hands of {hand_size}")
    shuffled = shuffle_front(deck, len(deck) - 1, stream)  # the last card has nowhere to go, so it costs no draw
    return [shuffled[seat * hand_size : (seat + 1) * hand_size] for seat in range(cities)]
