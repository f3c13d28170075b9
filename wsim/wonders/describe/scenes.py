"""Present a game of 7 Wonders as scenes, one per turn, with events from the trace and the table from a view."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from wsim.positions.scenes import Card, City, Clash, Event, Flow, Scene, Seat, Story
from wsim.wonders.catalog import Catalogue
from wsim.wonders.catalog.entry_text import recruit_text
from wsim.wonders.describe.by_clauses import COUNTERS_KEY, in_words
from wsim.wonders.describe.text import (
    HOW,
    ROMAN,
    card_text,
    decision_text,
    deed,
    draft_text,
    effect_text,
    hands_before,
    next_stage,
    payments,
)
from wsim.wonders.facts import NAMED_IF_ANY
from wsim.wonders.words import ACTIONS, CATEGORIES, COLORS

if TYPE_CHECKING:
    from wsim.game import Position

_NOTES = dict(zip(ACTIONS, ("builds it", "builds a stage with it", "sells it"), strict=False))
_FROM = {None: "", "last_card": "with its last card ", "discard_pile": "from the discard pile "}
_STEPS = {"left": 1, "right": -1}  # to the neighbour's seat
Object = Mapping[str, Any]


def story(
    trace: Object,
    positions: Sequence[Position],
    points: Sequence[Sequence[Mapping[str, int]]],
    catalogue: Catalogue,
    rules: Any,
) -> Story:
    """Return a game as a story, with one scene for the deal and one for each turn.

    Parameters
    ----------
    positions: the positions at the start, after each turn, and at the end.
    points: the points of every seat by category in each position.
    """
    used = [name for name in CATEGORIES if any(seat[name] for seats in points for seat in seats)]
    views = [position.view(None) for position in positions]
    table = _Table(catalogue, rules, trace)
    turns = [(age, turn) for age in trace["ages"] for turn in age["turns"]]
    return Story(
        seats=table.seats,
        categories=used,
        colours={},
        cards="built",
        hands="hand to choose from",
        flows="coins paid to neighbours",
        points="Points as if the game ended at that moment.",
        scenes=[
            table.scene(*when, before, after, [[seat[name] for name in used] for seat in counted])
            for when, before, after, counted in zip(
                [(trace["ages"][0], None), *turns], [views[0], *views], views, points, strict=False
            )
        ],
        positions=positions,
    )


def scene(view: Object, catalogue: Catalogue, rules: Any) -> Scene:
    """Return a seat's view as a scene; the cards in its hand are described with their costs and effects."""
    table = _Table(catalogue, rules, {"seats": [{**city, "policy": ""} for city in view["cities"]]})
    cards, me = {card.name: card for card in catalogue.cards}, view["seat"]
    hands = {me: view["hand"]}
    if "mate_hand" in view:
        hands[me ^ 1] = view["mate_hand"]
    hands |= {seen["seat"]: seen["hand"] for seen in hands_before(view)}
    cities = []
    for seat, city in enumerate(view["cities"]):
        hand = [Card(name, cards[name].color, card_text(cards[name])) for name in hands.get(seat, ())]
        facts = table.facts(city)
        if stage := next_stage(catalogue, city):
            facts["next stage"] = stage
        if seat == me:
            recruits = (*view.get("recruits", ()), *view.get("draft", ()))
            hand += [
                Card(card.name, None, f"{_coins(card.cost)}: {recruit_text(card.effects)}")
                for card in catalogue.deck_cards
                if card.name in recruits
            ]
        cities.append(City(facts, table.built(city, city), [], hand))
    chapter = f"Age {ROMAN[view['age']]}"
    discarded = f"{view['discarded']} card{'' if view['discarded'] == 1 else 's'}"
    when = draft_text(view) if view.get("draft") else f"turn {view['turn']}; discard pile: {discarded}"
    label = f"{chapter}, {when}"
    seen = view["public_moves"]
    moves = [move for move in seen if all(move[key] == seen[-1][key] for key in ("age", "turn"))]
    events = [replace(table.moved(move), veiled=None) for move in moves]
    label += _counters_of_table(view)
    return Scene(chapter, label, cities, events, table.flows(moves), seats=table.seats)


class _Table:
    """The seats of a game with their boards and cards."""

    def __init__(self, catalogue: Catalogue, rules: Any, trace: Object) -> None:
        self.rules, self.kinds = rules, {card.name: card.color for card in catalogue.cards}
        self.stages = {(board.name, side): len(stages) for board in catalogue.wonders for side, stages in board.sides}
        size = 2 if rules.teams else 1
        self.seats = [
            Seat(f"{seat['wonder']} {seat['side']}", seat["policy"], number // size)
            if number < rules.players
            else Seat("Free City", "neutral", -1)
            for number, seat in enumerate(trace["seats"])
        ]

    def scene(
        self, age: Object, turn: Object | None, before: Object, after: Object, points: Sequence[Sequence[int]]
    ) -> Scene:
        """Return the scene of a turn (``None`` for the deal), given the views before and after it and the points."""
        moves = [] if turn is None else [*turn["moves"], *turn.get("extra", ())]
        cities = [
            City(
                self.facts(city),
                self.built(city, before["cities"][seat]),
                points[seat],
                self.hand(before["hands"][seat], [move for move in moves if move["seat"] == seat])
                if seat < len(before["hands"])
                else [],
            )
            for seat, city in enumerate(after["cities"])
        ]
        chapter = f"Age {ROMAN[age['age']]}"
        if turn is None:
            return Scene(chapter, "The deal", cities, [Event("The cards of the first age are dealt.")])
        fought = age["conflicts"] if turn is age["turns"][-1] else ()
        return Scene(
            chapter=chapter,
            label=f"{chapter}, turn {turn['turn']}{_counters_of_table(after)}",
            cities=cities,
            events=[
                *map(self.moved, moves),
                *(_loss_event(loss) for loss in turn.get("losses", ())),
                *map(self.decided, turn.get("decisions", ())),
                *map(self.effect, turn.get("effects", ())),
                *map(self.fought, fought),
                *map(self.decided, age.get("decisions", ()) if turn is age["turns"][-1] else ()),
                *(_loss_event(loss) for loss in (age.get("losses", ()) if turn is age["turns"][-1] else ())),
                *map(self.effect, age.get("effects", ()) if turn is age["turns"][-1] else ()),
            ],
            flows=self.flows(moves),
            clashes=[Clash(tuple(conflict["seats"]), tuple(conflict["shields"])) for conflict in fought],
        )

    def flows(self, moves: Sequence[Object]) -> list[Flow]:
        """Return the coins that moves pay to neighbours."""
        return [
            Flow(move["seat"], (move["seat"] + step) % len(self.seats), str(move[side]))
            for move in moves
            for side, step in _STEPS.items()
            if move.get(side)
        ]

    def facts(self, city: Object) -> dict[str, int | str]:
        """Return the public facts about a city."""
        won = sum(count * int(self.rules.victory_points[age]) for age, count in enumerate(city["victories"]))
        facts: dict[str, int | str] = {
            "coins": city["coins"],
            "stages": f"{city['stages']} of {self.stages[city['wonder'], city['side']]}",
            "shields": city["shields"],
            "victories": f"{sum(city['victories'])} (+{won})" if won else 0,
            "defeats": city["defeats"],
        }
        facts |= {name: city[name] for name in NAMED_IF_ANY if city.get(name)}
        return facts | ({"by clauses": ", ".join(has)} if (has := in_words(city)) else {})

    def built(self, city: Object, before: Object) -> list[Card]:
        """Return a city's structures by colour, then its recruited cards; cards that are not in ``before`` are new."""
        names = sorted(city["built"], key=lambda name: COLORS.index(self.kinds[name]))
        built = [Card(name, self.kinds[name], "" if name in before["built"] else "new") for name in names]
        recruited = [
            Card(name, None, "" if name in before["recruited"] else "new") for name in city.get("recruited", ())
        ]
        return [*built, *recruited]

    def hand(self, names: Sequence[str], moves: Sequence[Object]) -> list[Card]:
        """Return the cards of a hand, with a note on the card that each move used (on the first of several copies)."""
        done = {move["card"]: _NOTES[move["action"]] for move in moves if move.get("source") != "discard_pile"}
        return [Card(name, self.kinds[name], done.pop(name, "")) for name in names]

    def moved(self, move: Object) -> Event:
        """Return a move as an event that hides a card played face down from other seats (R49)."""
        seat, size = move["seat"], len(self.seats)
        neighbours = (self.seats[(seat + step) % size].name for step in _STEPS.values())
        parts = [f"{_coins(coins)} to {name}" for name, coins in payments(move, ("the bank", *neighbours))]
        how = f" {HOW[move['how']]}" if HOW[move.get("how", "paid")] else ""
        how += f", paying {' and '.join(parts)}" if parts else ""
        manner = _FROM[move.get("source")]
        text = f"{manner}{deed(move)}{how}"
        if move["action"] == "build":
            return Event(text, seat)
        return Event(text, seat, f"{manner}{deed({key: move[key] for key in move if key != 'card'})}{how}")

    def decided(self, decision: Object) -> Event:
        """Return a clause decision as an event."""
        return Event(decision_text(decision, " ").strip(), decision["seat"])

    def effect(self, effect: Object) -> Event:
        """Return the effect of a clause as an event."""
        return Event(effect_text(effect, [seat.name for seat in self.seats]))

    def fought(self, conflict: Object) -> Event:
        """Return a conflict at the end of an age as an event."""
        names = [self.seats[seat].name for seat in conflict["seats"]]
        (first, second), (gain, loss) = conflict["shields"], conflict["tokens"]
        result = "ties with" if first == second else "beats" if first > second else "loses to"
        tokens = f": {_signed(gain)} and {_signed(loss)}" if gain or loss else ""
        return Event(f"Conflict: {names[0]} {result} {names[1]}, {first} to {second} shields{tokens}")


def _counters_of_table(view: Object) -> str:
    return "".join(f"; {name}: {value}" for name, value in view.get(COUNTERS_KEY, {}).items())


def _loss_event(loss: Object) -> Event:
    debt = f" and takes {_coins(loss['debt'])} as debt" if loss["debt"] else ""
    return Event(f"loses {_coins(loss['coins'])}{debt}", loss["seat"])


def _coins(number: int) -> str:
    return f"{number} coin{'' if number == 1 else 's'}"


def _signed(number: int) -> str:
    return f"+{number}" if number > 0 else str(number).replace("-", "\N{MINUS SIGN}")
