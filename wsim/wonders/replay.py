"""A game of 7 Wonders scene by scene: a scene is a turn, told by the trace, the table after it by the position."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from wsim.positions.scenes import City, Clash, Event, Flow, Group, Retelling, Scene, Seat, moments
from wsim.wonders.position import WondersPosition
from wsim.wonders.words import ACTIONS, CATEGORIES, COLORS

if TYPE_CHECKING:
    from wsim.wonders.simulator import WondersSimulator

__all__ = ["retell"]

_WORDS = dict(zip(ACTIONS, ("builds it", "builds a stage with it", "sells it"), strict=False))


def retell(simulator: WondersSimulator, number: int) -> Retelling:
    """Return game ``number`` of a simulator's plan, scene by scene."""
    trace = simulator.trace(number)
    start = WondersPosition(simulator, number)
    positions = moments(start, lambda one: (int(one.record.public.age), int(one.record.public.turn)))
    points = [position.points_so_far() for position in positions]
    used = [name for name in CATEGORIES if any(seat[name] for one in points for seat in one)]
    teller = _Teller(simulator, trace)
    cards = simulator.catalogue.cards
    scenes = [
        teller.scene(age, turn, before, after, [[seat[name] for name in used] for seat in counted])
        for (age, turn), before, after, counted in zip(
            teller.turns(), (None, *positions), positions, points, strict=False
        )
    ]
    return Retelling(
        seats=teller.seats,
        categories=used,
        kinds={card.name: card.color for card in cards},
        colours={},
        hands="hand to choose from",
        flows="coins paid to neighbours",
        points="Points as if the game ended at that moment.",
        scenes=scenes,
        positions=positions,
    )


class _Teller:
    """Tells the turns of a trace."""

    def __init__(self, simulator: WondersSimulator, trace: Mapping[str, Any]) -> None:
        self.trace, self.catalogue = trace, simulator.catalogue
        self.rules = simulator.compiled[0]
        size = 2 if self.rules.teams else 1
        self.seats = [
            Seat(
                name="Free City" if place >= self.rules.players else f"{seat['wonder']} {seat['side']}",
                policy=seat["policy"] if place < self.rules.players else "neutral",
                side=place // size if place < self.rules.players else -1,
            )
            for place, seat in enumerate(trace["seats"])
        ]

    def turns(self) -> Iterator[tuple[Mapping[str, Any], Mapping[str, Any] | None]]:
        """Yield the age and turn of every scene; the first, the deal, is no turn."""
        yield self.trace["ages"][0], None
        for age in self.trace["ages"]:
            for turn in age["turns"]:
                yield age, turn

    def scene(
        self,
        age: Mapping[str, Any],
        turn: Mapping[str, Any] | None,
        before: WondersPosition | None,
        after: WondersPosition,
        points: Sequence[Sequence[int]],
    ) -> Scene:
        """Return the scene of a turn: between two positions, with the points that stand after it."""
        told = after.told(None)
        hands = (after if before is None else before).told(None)["hands"]
        chapter = f"Age {'I' * age['age']}"
        played: dict[int, list[Mapping[str, Any]]] = defaultdict(list)
        if turn is not None:
            for move in (*turn["moves"], *turn.get("extra", ())):
                played[move["seat"]].append(move)
        cities = [
            self.city(city, points[seat], hands[seat] if seat < len(hands) else (), played[seat])
            for seat, city in enumerate(told["cities"])
        ]
        if turn is None:
            return Scene(chapter, "The deal", cities, [Event("The cards of the first age are dealt.")])
        last = turn is age["turns"][-1]
        return Scene(
            chapter=chapter,
            label=f"{chapter}, turn {turn['turn']}",
            cities=cities,
            events=[*self.events(turn), *(self.fought(one) for one in age["conflicts"] if last)],
            flows=list(self.flows(turn)),
            clashes=[
                Clash((one["seats"][0], one["seats"][1]), (one["shields"][0], one["shields"][1]))
                for one in age["conflicts"]
                if last
            ],
        )

    def city(
        self, told: Mapping[str, Any], points: Sequence[int], hand: Sequence[str], played: Sequence[Mapping[str, Any]]
    ) -> City:
        """Return a city after a turn, with the hand that it chose from and what it did."""
        side = 2 * [one.name for one in self.catalogue.wonders].index(told["wonder"])
        side += list(self.catalogue.sides).index(told["side"])
        won = sum(count * int(self.rules.victory_points[age]) for age, count in enumerate(told["victories"]))
        facts: dict[str, int | str] = {
            "coins": told["coins"],
            "stages": f"{told['stages']} of {int(self.rules.stage_count[side])}",
            "shields": told["shields"],
            "victories": f"{sum(told['victories'])} (+{won})" if won else 0,
            "defeats": told["defeats"],
        }
        facts |= {name: told[name] for name in ("debts", "diplomacy") if told.get(name)}
        built = {name: self.kind(name) for name in told["built"]}
        new = [move["card"] for move in played if move["action"] == "build"]
        groups = [
            Group(color, cards, [name for name in cards if name in new])
            for color in COLORS
            if (cards := [name for name, kind in built.items() if kind == color])
        ]
        chosen = {move["card"]: _WORDS[move["action"]] for move in played if move.get("source") != "discard_pile"}
        return City(facts, groups, points, hand, chosen)

    def kind(self, name: str) -> str:
        """Return the colour of a card."""
        return next(card.color for card in self.catalogue.cards if card.name == name)

    def events(self, turn: Mapping[str, Any]) -> Iterator[Event]:
        """Tell what every seat did in a turn."""
        for move in turn["moves"]:
            yield self.did(move, "")
        for move in turn.get("extra", ()):
            yield self.did(move, "with its last card " if move["source"] == "last_card" else "from the discard pile ")
        for loss in turn.get("losses", ()):
            debt = f" and takes {_coins(loss['debt'])} as debt" if loss["debt"] else ""
            yield Event(f"loses {_coins(loss['coins'])}{debt}", loss["seat"])

    def did(self, move: Mapping[str, Any], manner: str) -> Event:
        """Tell a move; where its card goes face down, the others see less of it (R49)."""
        seat, card = move["seat"], move["card"]
        if move["action"] == "sell":
            return Event(f"{manner}sells {card}", seat, f"{manner}sells a card")
        how = {"chain": " by a chain", "free": " for free"}.get(move["how"], "")
        size = len(self.seats)
        parts = [
            f"{_coins(move[key])} to {name}"
            for key, name in (
                ("bank", "the bank"),
                ("left", self.seats[(seat + 1) % size].name),
                ("right", self.seats[(seat - 1) % size].name),
            )
            if move[key]
        ]
        paid = f", paying {' and '.join(parts)}" if parts else ""
        if move["action"] == "stage":
            what = f"{manner}builds stage {move['stage']}"
            return Event(f"{what} with {card}{how}{paid}", seat, f"{what}{how}{paid}")
        return Event(f"{manner}builds {card}{how}{paid}", seat)

    def flows(self, turn: Mapping[str, Any]) -> Iterator[Flow]:
        """Tell the coins that neighbours were paid."""
        size = len(self.seats)
        for move in (*turn["moves"], *turn.get("extra", ())):
            for key, step in (("left", 1), ("right", -1)):
                if move.get(key):
                    yield Flow(move["seat"], (move["seat"] + step) % size, str(move[key]))

    def fought(self, conflict: Mapping[str, Any]) -> Event:
        """Tell a conflict at the end of an age."""
        (one, other), (strength, against), (gain, loss) = (conflict[key] for key in ("seats", "shields", "tokens"))
        names = self.seats[one].name, self.seats[other].name
        how = "ties with" if strength == against else "beats" if strength > against else "loses to"
        tokens = f": {_signed(gain)} and {_signed(loss)}" if gain or loss else ""
        return Event(f"Conflict: {names[0]} {how} {names[1]}, {strength} to {against} shields{tokens}")


def _coins(number: int) -> str:
    return f"{number} coin{'' if number == 1 else 's'}"


def _signed(number: int) -> str:
    return f"+{number}" if number > 0 else str(number).replace("-", "\N{MINUS SIGN}")
