"""A game scene by scene, as plain data for a page that steps through it, built from its trace and positions."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wsim.position import Position


@dataclass(frozen=True)
class Seat:
    """A seat of the game.

    Attributes
    ----------
    name: its name on the page, such as the board. policy: the policy that plays it.
    side: seats with the same number win together; -1: it cannot win.
    """

    name: str
    policy: str
    side: int


@dataclass(frozen=True)
class Event:
    """An event of a scene.

    Attributes
    ----------
    text: the full description, printed after the name of ``seat`` if there is one.
    veiled: the description for other seats; None: the same as ``text``.
    """

    text: str
    seat: int | None = None
    veiled: str | None = None


@dataclass(frozen=True)
class Flow:
    """Coins or cards that go from one seat to another in a scene."""

    giver: int
    taker: int
    text: str


@dataclass(frozen=True)
class Clash:
    """A conflict of two seats, with the strength of both."""

    seats: tuple[int, int]
    strengths: tuple[int, int]


@dataclass(frozen=True)
class Card:
    """A card or similar: its name, its kind (a key of ``COLOURS`` or ``colours``), and its role in the scene.

    ``face`` is the name of its drawing if it differs from ``name``, as for ``4 camels``.
    """

    name: str
    kind: str | None = None
    note: str = ""
    face: str = ""


@dataclass(frozen=True)
class City:
    """The state of one seat after a scene.

    Attributes
    ----------
    facts: name -> value, such as coins; ideally with the same names in all scenes.
    cards: its cards on the table. hand: its hand, or the hand from which it chose.
    points: running points, in the order of ``Story.categories``.
    """

    facts: Mapping[str, int | str]
    cards: Sequence[Card]
    points: Sequence[int]
    hand: Sequence[Card] = ()


@dataclass(frozen=True)
class Row:
    """A row of a common board: its name, its cards (None: an empty place), and each seat's number of parts."""

    name: str
    places: Sequence[Card | None]
    parts: Sequence[int]


@dataclass(frozen=True)
class Scene:
    """A moment at which the page stops. The first scene is the table before any decision.

    ``turn_of`` is the seat whose turn it is, if seats take turns. A scene outside a story also has its ``seats``.
    """

    chapter: str
    label: str
    cities: Sequence[City]
    events: Sequence[Event] = ()
    flows: Sequence[Flow] = ()
    clashes: Sequence[Clash] = ()
    board: Sequence[Row] = ()
    turn_of: int | None = None
    seats: Sequence[Seat] = ()


@dataclass(frozen=True)
class Story:
    """A whole game.

    Attributes
    ----------
    categories: categories of points. colours: CSS colours of kinds of cards, in addition to those of the game.
    cards, hands, flows: captions of these items, a few words each. points: the meaning of points, in one sentence.
    positions: the position after each scene; if the story is complete, the game is over in the last position.
    named: whether seats are named after the players at a table instead of after boards.
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
    named: bool = False


def with_names(story: Story, names: Sequence[str]) -> Story:
    """Return a story in which each seat is named after its player and lists its board instead of its policy."""
    numbered = re.compile(r"Seat \d+")
    seats = [
        replace(seat, name=names[place], policy="" if numbered.fullmatch(seat.name) else seat.name)
        if place < len(names)
        else seat
        for place, seat in enumerate(story.seats)
    ]
    scenes = [
        replace(
            scene,
            events=[
                replace(
                    event,
                    text=by_name(event.text, names),
                    veiled=None if event.veiled is None else by_name(event.veiled, names),
                )
                for event in scene.events
            ],
        )
        for scene in story.scenes
    ]
    return replace(story, seats=seats, scenes=scenes, named=True)


def by_name(text: str, names: Sequence[str]) -> str:
    """Return a text in which the names of the players replace seat numbers (``seat 2``)."""
    return re.sub(
        r"\b[Ss]eat (\d+)\b",
        lambda number: names[int(number[1])] if int(number[1]) < len(names) else number[0],
        text,
    )


def moments(position: Any, moment: Callable[[Any], Any]) -> list[Any]:
    """Follow the policies of a position's plan; return a copy at each change of ``moment``, and at the end."""
    copies = [position.clone()]
    while position.to_move is not None:
        position.follow()
        if position.to_move is None or moment(position) != moment(copies[-1]):
            copies.append(position.clone())
    return copies


def plain_story(
    positions: Sequence[Position], made: Sequence[Any], policies: Sequence[str], phrase: Callable[[Any], str]
) -> Story:
    """Return the story of a game from its decisions alone: one scene per decision.

    Parameters
    ----------
    positions: the positions at the start and after each step. made: the index of the move at each step; other values
        are shown as they are.
    policies: the policy of each seat. phrase: a function that describes a move in words.
    """
    events = [[Event("The game begins.")]]
    for before, step in zip(positions, made, strict=False):
        event = (
            Event(str(step))
            if not isinstance(step, int)
            else Event(phrase(before.moves()[step]), before.to_move, "decides")
        )
        events.append([event])
    return Story(
        seats=[Seat(f"Seat {seat}", str(policy), seat) for seat, policy in enumerate(policies)],
        categories=["points"],
        colours={},
        cards="nothing",
        hands="nothing",
        flows="nothing",
        points="The score of every seat if the game ended here.",
        scenes=[
            Scene("Game", f"Decision {step}", [City({}, [], [points]) for points in position.standing()], events[step])
            for step, position in enumerate(positions)
        ],
        positions=positions,
    )
