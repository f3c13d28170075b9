"""A game of Tower of Babel scene by scene: a scene is a turn, told by the trace, the table after it by the position."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from wsim.babel.position import BabelPosition
from wsim.babel.words import KINDS
from wsim.positions.scenes import City, Event, Flow, Group, Retelling, Row, Scene, Seat, moments

if TYPE_CHECKING:
    from wsim.babel.simulator import BabelSimulator

__all__ = ["retell"]

_CATEGORIES = ("wonders", "unfinished_wonders", "refused_offers", "disc_sets", "action_cards")
_COLOURS = dict(
    zip(
        KINDS,
        (
            "light-dark(#b8860b, #dcb04a)",  # camel
            "light-dark(#8b5e3c, #b2825b)",  # crane
            "light-dark(#3667a6, #7da9de)",  # ship
            "light-dark(#9a9a96, #a9a9a5)",  # stonemason
        ),
        strict=True,
    )
)
_ENDS = {"kind_gone": "a kind of disc is gone from the board", "turn_limit": "the limit of turns is reached"}


def retell(simulator: BabelSimulator, number: int) -> Retelling:
    """Return game ``number`` of a simulator's plan, scene by scene."""
    trace = simulator.trace(number)
    start = BabelPosition(simulator, number)
    positions = moments(start, lambda one: int(one.record.public.turn))
    seats = [Seat(f"Seat {place}", str(seat["policy"]), place) for place, seat in enumerate(trace["seats"])]
    teller = _Teller(trace, seats)
    points = [[[score[name] for name in _CATEGORIES] for score in position.scores()] for position in positions]
    used = [place for place in range(len(_CATEGORIES)) if any(seat[place] for one in points for seat in one)]
    scenes = []
    for place, (position, counted) in enumerate(zip(positions, points, strict=True)):
        turn = trace["turns"][place - 1] if place else None
        scenes.append(teller.scene(turn, position, [[seat[one] for one in used] for seat in counted]))
    return Retelling(
        seats=seats,
        categories=[_CATEGORIES[place].replace("_", " ") for place in used],
        kinds=teller.kinds,
        colours=_COLOURS,
        hands="hand",
        flows="cards given for a build",
        points="Points on the track. Unfinished wonders, sets of discs and some action cards count at the end.",
        scenes=scenes,
        positions=positions,
    )


class _Teller:
    """Tells the turns of a trace, and remembers the kinds of what it names."""

    def __init__(self, trace: Mapping[str, Any], seats: Sequence[Seat]) -> None:
        self.trace, self.seats = trace, seats
        self.kinds: dict[str, str] = {}

    def chip(self, kind: str, text: str) -> str:
        """Return the text of a card or disc, whose kind is remembered."""
        self.kinds[text] = kind
        return text

    def cards(self, counts: Mapping[str, int]) -> list[str]:
        """Return cards of a kind as one chip each kind."""
        return [self.chip(kind, _number(number, kind)) for kind, number in counts.items()]

    def disc(self, needs: Mapping[str, int] | None) -> str | None:
        """Return a disc as a chip, None if it is taken."""
        if needs is None:
            return None
        return self.chip(next(iter(needs)), _counted(needs))

    def scene(self, turn: Mapping[str, Any] | None, after: BabelPosition, points: Sequence[Sequence[int]]) -> Scene:
        """Return the scene of a turn, with the position and the points after it; the first is the start."""
        told = after.told(None)
        cities = [
            self.city(seat, own, counted) for seat, own, counted in zip(told["seats"], told["own"], points, strict=True)
        ]
        board = [
            Row(row["wonder"], [self.disc(needs) for needs in row["discs"]], row["parts"]) for row in told["board"]
        ]
        if turn is None:
            start = Event("begins", self.trace["start"])
            return Scene("Row 1", "The start", cities, [start], board=board)
        events = [event for action in turn["actions"] for event in self.acted(turn["seat"], action)]
        events += [self.drew(draw["seat"], draw["cards"], "draws") for draw in turn.get("draws", ()) if draw["cards"]]
        if turn is self.trace["turns"][-1]:
            events += self.ended()
        flows = [flow for action in turn["actions"] for flow in self.given(turn["seat"], action)]
        label = f"Turn {turn['turn']}"
        return Scene(f"Row {told['row']}", label, cities, events, flows, board=board, turn_of=turn["seat"])

    def city(self, told: Mapping[str, Any], own: Mapping[str, Any], points: Sequence[int]) -> City:
        """Return what lies before a seat, and its hand."""
        facts = {
            "points on the track": told["points"],
            "cards in hand": told["hand_size"],
            "action cards": told["action_cards"],
        }
        discs = self.cards(told["discs"])
        held = [name.replace("_", " ") for name, number in own["held"].items() for _ in range(number)]
        return City(facts, [Group("discs", discs)] if discs else [], points, [*self.cards(own["hand"]), *held])

    def acted(self, active: int, action: Mapping[str, Any]) -> Iterator[Event]:
        """Tell an action of the active seat."""
        for play in action["plays"]:
            if play["card"] is not None:
                yield self.played(play)
        if action["action"] == "pass":
            yield self.drew(active, action["drawn"], "passes and draws")
        else:
            yield from self.built(active, action)
        if action.get("double_turn"):
            yield Event("plays a Double turn", active)

    def built(self, active: int, action: Mapping[str, Any]) -> Iterator[Event]:
        """Tell a build: announced, offers, who is taken, and what it earns."""
        yield Event(f"builds at {action['wonder']}: {self.disc(action['disc'])}", active)
        for offer in action["offers"]:
            cards = _counted(offer["cards"])
            parts = [part for part in (cards, "the trade card" if offer["trade"] else "") if part]
            if parts:
                taken = ", which is taken" if offer["seat"] in action["taken"] else ""
                yield Event(f"offers {' and '.join(parts)}{taken}", offer["seat"])
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

    def scored(self, active: int, wonder: str, completed: Mapping[str, Any]) -> Iterator[Event]:
        """Tell the points of a finished wonder, and the action card drawn for it."""
        yield Event(f"{wonder} is finished (row {completed['row']}): {self.earned(completed)}")
        if completed["action_card"]:
            card = completed["action_card"].replace("_", " ")
            yield Event(f"draws the action card {card}", active, "draws an action card")

    def earned(self, told: Mapping[str, Any]) -> str:
        """Tell who gets points for a wonder."""
        got = [f"{points} to {self.seats[seat].name}" for seat, points in enumerate(told["points"]) if points]
        return ", ".join(got) or "no points"

    def played(self, play: Mapping[str, Any]) -> Event:
        """Tell an action card that was played; only its seat sees which cards go and come."""
        name = play["card"].replace("_", " ")
        aside = f", sets aside {_listed(play['aside'])}" if "aside" in play else ""
        return Event(f"plays {name}{aside}, draws {_listed(play['drawn'])}", play["seat"], f"plays {name}")

    def drew(self, seat: int, cards: Sequence[str], manner: str) -> Event:
        """Tell cards that were drawn, which the others do not see."""
        return Event(f"{manner} {_listed(cards)}", seat, f"{manner} {_number(len(cards), 'card')}")

    def given(self, active: int, action: Mapping[str, Any]) -> Iterator[Flow]:
        """Tell the cards that others gave for a build."""
        for offer in action.get("offers", ()):
            if offer["seat"] in action["taken"] and action["completed"]:
                yield Flow(offer["seat"], active, _counted(offer["cards"]) or "trade card")

    def ended(self) -> Iterator[Event]:
        """Tell the end of the game."""
        yield Event(f"The game ends: {_ENDS[self.trace['end']['reason']]}.")
        for wonder in self.trace["end"]["unfinished"]:
            yield Event(f"{wonder['wonder']} stays unfinished: {self.earned(wonder)}")


def _listed(cards: Sequence[str]) -> str:
    """Return cards as a text: how many of each kind."""
    return _counted({kind: cards.count(kind) for kind in dict.fromkeys(cards)}) or "nothing"


def _counted(counts: Mapping[str, int]) -> str:
    return " + ".join(_number(number, kind) for kind, number in counts.items())


def _number(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
