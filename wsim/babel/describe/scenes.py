"""Present a game of Tower of Babel as scenes, one per turn, with events from the trace and the table from a view."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from wsim.babel.catalog.faces import won_disc
from wsim.babel.catalog.model import Disc
from wsim.babel.describe.text import offered
from wsim.positions.scenes import Card, City, Event, Flow, Row, Scene, Seat, Story

if TYPE_CHECKING:
    from wsim.game import Position

_CATEGORIES = ("wonders", "unfinished_wonders", "refused_offers", "disc_sets", "action_cards")
_ENDS = {"kind_gone": "a kind of disc is gone from the board", "turn_limit": "the limit of turns is reached"}
Object = Mapping[str, Any]


def story(trace: Object, positions: Sequence[Position]) -> Story:
    """Return a game as a story; ``positions`` are the positions at the start, after each turn and at the end."""
    points = [[[score[name] for name in _CATEGORIES] for score in position.scores()] for position in positions]
    used = [index for index in range(len(_CATEGORIES)) if any(seat[index] for scores in points for seat in scores)]
    seats = [Seat(f"Seat {number}", str(seat["policy"]), number) for number, seat in enumerate(trace["seats"])]
    table = _Table(trace, seats)
    return Story(
        seats=seats,
        categories=[_CATEGORIES[index].replace("_", " ") for index in used],
        colours={},
        cards="discs",
        hands="hand",
        flows="cards given for a build",
        points="Points on the track. Unfinished wonders, sets of discs and some action cards count at the end.",
        scenes=[
            table.scene(turn, position.view(None), [[seat[index] for index in used] for seat in scores])
            for turn, position, scores in zip((None, *trace["turns"]), positions, points, strict=True)
        ],
        positions=positions,
    )


def scene(view: Object) -> Scene:
    """Return a seat's view as a scene, which shows only the number of cards in other hands."""
    cities = []
    for number, seat in enumerate(view["seats"]):
        private = view if number == view["seat"] else {"hand": {}, "held": {}}
        cities.append(_city(seat, private, [seat["points"]]))
    events = []
    if build := view.get("build"):
        events.append(Event(f"To be built: {build['wonder']}, space {build['space']} ({_disc(build['disc']).name})"))
        events += _offers(build)
    label = f"Turn {view['turn']}; next row: {view['row']}; deck: {view['deck']} cards"
    return Scene(f"Row {view['row']}", label, cities, events, board=_board(view), turn_of=view["active"])


def _board(view: Object) -> list[Row]:
    return [
        Row(row["wonder"], [None if needs is None else _disc(needs) for needs in row["discs"]], row["parts"])
        for row in view["board"]
    ]


class _Table:
    def __init__(self, trace: Object, seats: Sequence[Seat]) -> None:
        self.trace, self.seats = trace, seats

    def scene(self, turn: Object | None, after: Object, points: Sequence[Sequence[int]]) -> Scene:
        """Return the scene shown after a turn (``None`` for the start), given the view and the points at that time."""
        cities = [
            _city(seat, private, scores)
            for seat, private, scores in zip(after["seats"], after["own"], points, strict=True)
        ]
        board = _board(after)
        if turn is None:
            return Scene("Row 1", "The start", cities, [Event("begins", self.trace["start"])], board=board)
        events = [event for action in turn["actions"] for event in self.acted(turn["seat"], action)]
        events += [_drew(draw["seat"], draw["cards"], "draws") for draw in turn.get("draws", ()) if draw["cards"]]
        if turn is self.trace["turns"][-1]:
            events += self.ended()
        flows = [
            Flow(offer["seat"], turn["seat"], _counted(offer["cards"]) or "trade card")
            for action in turn["actions"]
            for offer in action.get("offers", ())
            if action["completed"] and offer["seat"] in action["taken"]
        ]
        label = f"Turn {turn['turn']}"
        return Scene(f"Row {after['row']}", label, cities, events, flows, board=board, turn_of=turn["seat"])

    def acted(self, active: int, action: Object) -> Iterator[Event]:
        """Yield the events of an action of the active seat."""
        for play in action["plays"]:
            if play["card"] is not None:
                name = play["card"].replace("_", " ")
                aside = f", sets aside {_listed(play['aside'])}" if "aside" in play else ""
                yield Event(f"plays {name}{aside}, draws {_listed(play['drawn'])}", play["seat"], f"plays {name}")
        if action["action"] == "pass":
            yield _drew(active, action["drawn"], "passes and draws")
        else:
            yield from self.built(active, action)
        if action.get("double_turn"):
            yield Event("plays a Double turn", active)

    def built(self, active: int, action: Object) -> Iterator[Event]:
        """Yield the events of a build."""
        yield Event(f"builds at {action['wonder']}: {_disc(action['disc']).name}", active)
        yield from _offers(action)
        if not action["completed"]:
            yield Event("cannot complete the build", active)
        elif action["disc_to"] != active:
            yield Event("gets the disc", action["disc_to"])
        if "wonder_completed" in action:
            yield from self.scored(active, action["wonder"], action["wonder_completed"])
        for paid in action["paid"]:
            triple = " with a Triple bonus" if paid.get("triple_bonus") else ""
            yield Event(
                f"gets {_number(paid['points'], 'point')} for an offer that was not taken{triple}", paid["seat"]
            )

    def scored(self, active: int, wonder: str, completed: Object) -> Iterator[Event]:
        """Yield events for the points of a finished wonder, and for the action card drawn for it."""
        yield Event(f"{wonder} is finished (row {completed['row']}): {self.earned(completed)}")
        if completed["action_card"]:
            card = completed["action_card"].replace("_", " ")
            yield Event(f"draws the action card {card}", active, "draws an action card")

    def earned(self, wonder: Object) -> str:
        """Describe in words the points that each seat gets for a wonder."""
        shares = [f"{points} to {self.seats[seat].name}" for seat, points in enumerate(wonder["points"]) if points]
        return ", ".join(shares) or "no points"

    def ended(self) -> Iterator[Event]:
        yield Event(f"The game ends: {_ENDS[self.trace['end']['reason']]}.")
        for wonder in self.trace["end"]["unfinished"]:
            yield Event(f"{wonder['wonder']} is unfinished: {self.earned(wonder)}")


def _offers(build: Object) -> Iterator[Event]:
    for offer in build["offers"]:
        if parts := offered(offer, _counted(offer["cards"])):
            taken = ", which is taken" if offer["seat"] in build["taken"] else ""
            yield Event(f"offers {' and '.join(parts)}{taken}", offer["seat"])


def _city(seat: Object, private: Object, points: Sequence[int]) -> City:
    facts = {
        "points on the track": seat["points"],
        "cards in hand": seat["hand_size"],
        "action cards": seat["action_cards"],
    }
    held = [Card(name.replace("_", " "), face=name) for name, number in private["held"].items() for _ in range(number)]
    hand = [replace(card, face=kind) for card, kind in zip(_cards(private["hand"]), private["hand"], strict=True)]
    won = [Card(kind, kind, face=won_disc(kind)) for kind, number in seat["discs"].items() for _ in range(number)]
    return City(facts, won, points, [*hand, *held])


def _cards(counts: Mapping[str, int]) -> list[Card]:
    return [Card(_number(number, kind), kind) for kind, number in counts.items()]


def _disc(needs: Mapping[str, int]) -> Card:
    return Card(_counted(needs), next(iter(needs)), face=str(Disc(tuple(needs.items()))))


def _drew(seat: int, cards: Sequence[str], manner: str) -> Event:
    """Return the event that a seat draws cards. Other seats do not see which cards."""
    return Event(f"{manner} {_listed(cards)}", seat, f"{manner} {_number(len(cards), 'card')}")


def _listed(cards: Sequence[str]) -> str:
    return _counted({kind: cards.count(kind) for kind in dict.fromkeys(cards)}) or "nothing"


def _counted(counts: Mapping[str, int]) -> str:
    return " + ".join(_number(number, kind) for kind, number in counts.items())


def _number(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
