"""A game scene by scene, as plain data for a page that steps through it: made of its trace and views of positions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wsim.position import Position


@dataclass(frozen=True)
class Seat:
    """A seat of the game.

    Attributes
    ----------
    name: what stands for it on the page, such as the board. policy: who plays it.
    side: those with the same number win together; -1: nobody wins for it.
    """

    name: str
    policy: str
    side: int


@dataclass(frozen=True)
class Event:
    """Something that happens.

    Attributes
    ----------
    text: what, all of it; after the name of ``seat``, by itself without one.
    veiled: the same as the other seats see it; None: they see all of it.
    """

    text: str
    seat: int | None = None
    veiled: str | None = None


@dataclass(frozen=True)
class Flow:
    """What goes from one seat to another in a scene: coins, cards."""

    giver: int
    taker: int
    text: str


@dataclass(frozen=True)
class Clash:
    """A conflict of two seats: the strength of both."""

    seats: tuple[int, int]
    strengths: tuple[int, int]


@dataclass(frozen=True)
class Card:
    """A card or the like: its name, its kind (a key of ``COLOURS`` or ``colours``), what the scene does with it."""

    name: str
    kind: str | None = None
    note: str = ""


@dataclass(frozen=True)
class City:
    """All of one seat in a scene, after it.

    Attributes
    ----------
    facts: a name and a value, such as coins; the whole page has the same names for a seat where it can.
    cards: those that lie before it. hand: those that it holds, or held when it chose.
    points: running points, in the order of ``Story.categories``.
    """

    facts: Mapping[str, int | str]
    cards: Sequence[Card]
    points: Sequence[int]
    hand: Sequence[Card] = ()


@dataclass(frozen=True)
class Row:
    """A row of a common board: its name, its places (None: nothing is left there), and how many parts each seat has."""

    name: str
    places: Sequence[Card | None]
    parts: Sequence[int]


@dataclass(frozen=True)
class Scene:
    """A moment of the game that the page stops at. The first is the table before anything was decided.

    ``turn_of`` is the seat whose turn it is, where seats take turns.
    """

    chapter: str
    label: str
    cities: Sequence[City]
    events: Sequence[Event] = ()
    flows: Sequence[Flow] = ()
    clashes: Sequence[Clash] = ()
    board: Sequence[Row] = ()
    turn_of: int | None = None


@dataclass(frozen=True)
class Story:
    """A whole game.

    Attributes
    ----------
    categories: of running points. colours: CSS colours of kinds of cards, besides those of the game.
    cards: what the cards before a seat are, in a word or two; hands, flows: likewise. points: what points are, a
        sentence.
    positions: after each scene; the last is over.
    """

    seats: Sequence[Seat]
    categories: Sequence[str]
    colours: Mapping[str, str]
    cards: str
    hands: str
    flows: str
    points: str
    scenes: Sequence[Scene]
    positions: Sequence[Position]


def moments(position: Any, moment: Callable[[Any], Any]) -> list[Any]:
    """Follow the policies of a position's plan; return a copy wherever ``moment`` of it changes, and of the end."""
    found = [position.clone()]
    while position.to_move is not None:
        position.follow()
        if position.to_move is None or moment(position) != moment(found[-1]):
            found.append(position.clone())
    return found


def plain_story(
    positions: Sequence[Position], made: Sequence[Any], policies: Sequence[str], phrase: Callable[[Any], str]
) -> Story:
    """Return a game of which only its decisions are known: a scene is one of them.

    Parameters
    ----------
    positions: at the start and after each step. made: the steps, the index of a move; any other is told as it is.
    policies: of the seats. phrase: a move in words.
    """
    events = [[Event("The game begins.")]]
    for before, step in zip(positions, made, strict=False):
        event = Event(str(step)) if not isinstance(step, int) else _decided(before, step, phrase)
        events.append([event])
    return Story(
        seats=[Seat(f"Seat {place}", str(policy), place) for place, policy in enumerate(policies)],
        categories=["points"],
        colours={},
        cards="nothing",
        hands="nothing",
        flows="nothing",
        points="The score of every seat if the game ended here.",
        scenes=[
            Scene("Game", f"Decision {place}", [City({}, [], [points]) for points in one.standing()], events[place])
            for place, one in enumerate(positions)
        ],
        positions=positions,
    )


def _decided(before: Position, index: int, phrase: Callable[[Any], str]) -> Event:
    return Event(phrase(before.moves()[index]), before.to_move, "decides")
