"""A game of Tower of Babel scene by scene: a scene is a turn. What happens is the trace's, the table the view's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from wsim.babel.describe.text import offered
from wsim.positions.scenes import Card, City, Event, Flow, Row, Scene, Seat, Story

if TYPE_CHECKING:
    from wsim.game import Position

_CATEGORIES = ("wonders", "unfinished_wonders", "refused_offers", "disc_sets", "action_cards")
_ENDS = {"kind_gone": "a kind of disc is gone from the board", "turn_limit": "the limit of turns is reached"}
Object = Mapping[str, Any]


def story(trace: Object, positions: Sequence[Position]) -> Story:
    """Return a game scene by scene; ``positions``: at the start, after each turn, at the end."""
    points = [[[score[name] for name in _CATEGORIES] for score in position.scores()] for position in positions]
    used = [place for place in range(len(_CATEGORIES)) if any(seat[place] for one in points for seat in one)]
    seats = [Seat(f"Seat {place}", str(seat["policy"]), place) for place, seat in enumerate(trace["seats"])]
    table = _Table(trace, seats)
    return Story(
        seats=seats,
        categories=[_CATEGORIES[place].replace("_", " ") for place in used],
        colours={},
        cards="discs",
        hands="hand",
        flows="cards given for a build",
        points="Points on the track. Unfinished wonders, sets of discs and some action cards count at the end.",
        scenes=[
            table.scene(turn, position.view(None), [[seat[one] for one in used] for seat in counted])
            for turn, position, counted in zip((None, *trace["turns"]), positions, points, strict=True)
        ],
        positions=positions,
    )


def scene(view: Object) -> Scene:
    """Return what a seat may know (a view of its own) as a scene: of the other hands it is how many cards they are."""
    cities = []
    for seat, one in enumerate(view["seats"]):
        own = view if seat == view["seat"] else {"hand": {}, "held": {}}
        cities.append(_city(one, own, [one["points"]]))
    events = []
    if build := view.get("build"):
        events.append(Event(f"To be built: {build['wonder']}, space {build['space']} ({_disc(build['disc']).name})"))
        events += [
            Event(f"offers {' and '.join(parts)}{', which is taken' if offer['seat'] in build['taken'] else ''}", seat)
            for seat, offer in enumerate(build["offers"])
            if (parts := offered(offer, _counted(offer["cards"])))
        ]
    label = f"Turn {view['turn']}; next row: {view['row']}; deck: {view['deck']} cards"
    return Scene(f"Row {view['row']}", label, cities, events, board=_board(view), turn_of=view["active"])


def _board(view: Object) -> list[Row]:
    """Return the discs that are left on the board."""
    return [
        Row(row["wonder"], [None if needs is None else _disc(needs) for needs in row["discs"]], row["parts"])
        for row in view["board"]
    ]


class _Table:
    """The seats of a game, and what happened there."""

    def __init__(self, trace: Object, seats: Sequence[Seat]) -> None:
        self.trace, self.seats = trace, seats

    def scene(self, turn: Object | None, after: Object, points: Sequence[Sequence[int]]) -> Scene:
        """Return the scene of a turn, with the view and the points after it; without one, the start."""
        cities = [
            _city(seat, own, counted) for seat, own, counted in zip(after["seats"], after["own"], points, strict=True)
        ]
        board = _board(after)
        if turn is None:
            return Scene("Row 1", "The start", cities, [Event("begins", self.trace["start"])], board=board)
        events = [event for action in turn["actions"] for event in self.acted(turn["seat"], action)]
        events += [_drew(draw["seat"], draw["cards"], "draws") for draw in turn.get("draws", ()) if draw["cards"]]
        if turn is self.trace["turns"][-1]:
            events += self.ended()
        flows = [flow for action in turn["actions"] for flow in _given(turn["seat"], action)]
        label = f"Turn {turn['turn']}"
        return Scene(f"Row {after['row']}", label, cities, events, flows, board=board, turn_of=turn["seat"])

    def acted(self, active: int, action: Object) -> Iterator[Event]:
        """Return an action of the active seat."""
        for play in action["plays"]:
            if play["card"] is not None:
                yield _played(play)
        if action["action"] == "pass":
            yield _drew(active, action["drawn"], "passes and draws")
        else:
            yield from self.built(active, action)
        if action.get("double_turn"):
            yield Event("plays a Double turn", active)

    def built(self, active: int, action: Object) -> Iterator[Event]:
        """Return a build: announced, offers, who is taken, and what it earns."""
        yield Event(f"builds at {action['wonder']}: {_disc(action['disc']).name}", active)
        for offer in action["offers"]:
            if parts := offered(offer, _counted(offer["cards"])):
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

    def scored(self, active: int, wonder: str, completed: Object) -> Iterator[Event]:
        """Return the points of a finished wonder, and the action card drawn for it."""
        yield Event(f"{wonder} is finished (row {completed['row']}): {self.earned(completed)}")
        if completed["action_card"]:
            card = completed["action_card"].replace("_", " ")
            yield Event(f"draws the action card {card}", active, "draws an action card")

    def earned(self, wonder: Object) -> str:
        """Return who gets points for a wonder."""
        got = [f"{points} to {self.seats[seat].name}" for seat, points in enumerate(wonder["points"]) if points]
        return ", ".join(got) or "no points"

    def ended(self) -> Iterator[Event]:
        """Return the end of the game."""
        yield Event(f"The game ends: {_ENDS[self.trace['end']['reason']]}.")
        for wonder in self.trace["end"]["unfinished"]:
            yield Event(f"{wonder['wonder']} stays unfinished: {self.earned(wonder)}")


def _city(seat: Object, own: Object, points: Sequence[int]) -> City:
    """Return what lies before a seat, and its hand."""
    facts = {
        "points on the track": seat["points"],
        "cards in hand": seat["hand_size"],
        "action cards": seat["action_cards"],
    }
    held = [Card(name.replace("_", " ")) for name, number in own["held"].items() for _ in range(number)]
    return City(facts, _cards(seat["discs"]), points, [*_cards(own["hand"]), *held])


def _cards(counts: Mapping[str, int]) -> list[Card]:
    """Return cards or discs as one of each kind, with their number."""
    return [Card(_number(number, kind), kind) for kind, number in counts.items()]


def _disc(needs: Mapping[str, int]) -> Card:
    return Card(_counted(needs), next(iter(needs)))


def _played(play: Object) -> Event:
    """Return an action card that was played; only its seat sees which cards go and come."""
    name = play["card"].replace("_", " ")
    aside = f", sets aside {_listed(play['aside'])}" if "aside" in play else ""
    return Event(f"plays {name}{aside}, draws {_listed(play['drawn'])}", play["seat"], f"plays {name}")


def _drew(seat: int, cards: Sequence[str], manner: str) -> Event:
    """Return cards that were drawn, which the others do not see."""
    return Event(f"{manner} {_listed(cards)}", seat, f"{manner} {_number(len(cards), 'card')}")


def _given(active: int, action: Object) -> Iterator[Flow]:
    """Yield the cards that others gave for a build."""
    for offer in action.get("offers", ()):
        if offer["seat"] in action["taken"] and action["completed"]:
            yield Flow(offer["seat"], active, _counted(offer["cards"]) or "trade card")


def _listed(cards: Sequence[str]) -> str:
    """Return cards as a text: how many of each kind."""
    return _counted({kind: cards.count(kind) for kind in dict.fromkeys(cards)}) or "nothing"


def _counted(counts: Mapping[str, int]) -> str:
    return " + ".join(_number(number, kind) for kind, number in counts.items())


def _number(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
