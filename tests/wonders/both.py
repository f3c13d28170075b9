"""Run the same tests on two engines: ``Position`` belongs to the compiled engine or to the slow reference twin.

A test of a rule lays a position out by name, plays, and looks. Written with this ``Position`` it runs twice
(``tests/wonders/conftest.py``): as a test of the engine, and of the twin that the engine is compared with.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tests.wonders import positions
from tests.wonders.extremes import facts_of, house_rules
from tests.wonders.positions import Move
from tests.wonders.reference.clauses import drop_turn_units, moment
from tests.wonders.reference.conflict import end_age
from tests.wonders.reference.facts import Card, Cost
from tests.wonders.reference.game import passed
from tests.wonders.reference.market import market
from tests.wonders.reference.moves import discard_moves, free_city_moves, loss_moves, turn_moves
from tests.wonders.reference.scenario import Seat, lay_out
from tests.wonders.reference.scoring import CATEGORIES, effect_points, scores
from tests.wonders.reference.table import FREE_CITY
from tests.wonders.reference.table import Move as TwinMove
from tests.wonders.reference.turn import Log, build_from_discard_pile, play_last_cards, resolve
from wsim.wonders.catalog import load_catalogue


def _made_up(color: str, *effects: Any) -> Card:
    return Card(f"a {color} card", color, Cost(0, ()), (), effects, {})


class TwinPosition:
    """A position of the twin with the same interface as the engine's (``tests.wonders.positions``)."""

    def __init__(
        self, ruleset: str, *boards: str, age: int = 1, turn: int = 1, changes: tuple[str, ...] = (), **switches: bool
    ) -> None:
        seats = [Seat(board) for board in boards]
        players = 2 if ruleset == "1e-duo" else len(boards)
        facts = facts_of(load_catalogue(ruleset, changes=changes)) if changes else None
        self.table = lay_out(ruleset, seats, age, turn, self._ask, facts, **switches)
        if changes:
            self.table.rules = house_rules(load_catalogue(ruleset, changes=changes), players)
        self.seats = len(boards)
        self.names = sorted(self.table.catalogue.cards)
        self._hands: list[list[str]] = [[] for _ in boards]
        self._script: dict[tuple[int, str], int] = {}
        self._log = Log([])
        self._listed: list[TwinMove] = []

    def _ask(self, kind: str, seat: int, moves: list[TwinMove], hand: list[str]) -> TwinMove:
        decider = self._holder if self.table.is_free_city(seat) else seat
        return moves[self._script.get((decider, kind), 0)] if len(moves) > 1 else moves[0]

    @property
    def _holder(self) -> int:
        return (self.table.age - 1 + self.table.turn - 1) % 2

    # --- laying out

    def city(self, seat: int, *structures: str, stages: int = 0, **amounts: Any) -> None:
        city, cards = self.table.cities[seat], self.table.catalogue.cards
        city.structures += [cards[name] for name in structures]
        city.buried += [cards[self.names[0]]] * stages
        effects = [effect for name in structures for effect in cards[name].effects]
        effects += [effect for stage in city.built_stages[len(city.buried) - stages :] for effect in stage.effects]
        city.diplomacy += sum(effect["n"] for effect in effects if effect["kind"] == "diplomacy")
        city.victories += amounts.pop("victories", ())
        if "shields" in amounts:
            more = amounts.pop("shields") - city.shields
            city.structures.append(_made_up("red", {"kind": "shields", "n": more}))
        for name in amounts:
            assert hasattr(city, name)
        vars(city).update(amounts)

    def count(self, seat: int, things: dict[str, Any]) -> None:
        city = self.table.cities[seat]
        for what, number in things.items():
            if what == "defeat_tokens":
                city.defeats = number
            elif what in ("wonder_stages", "wonder_complete"):
                stages = len(city.all_stages) if what == "wonder_complete" else number
                city.buried = [self.table.catalogue.cards[self.names[0]]] * stages
            else:
                city.structures += [_made_up(what.replace("grey", "gray"))] * number

    def hand(self, seat: int, *cards: str) -> None:
        self._hands[seat] = list(cards)

    def discarded(self, *cards: str) -> None:
        self.table.discard_pile += [self.table.catalogue.cards[name] for name in cards]

    def script(self, seat: int, **indices: int) -> None:
        self._script |= {(seat, kind): index for kind, index in indices.items()}

    def go_to(self, age: int) -> None:
        self.table.age = age

    # --- asking

    def moves(self, seat: int, *hand: str, kind: str = "turn") -> list[Move]:
        means = market(self.table, seat)
        if kind == "free_city":
            return self._decoded(free_city_moves(self.table, seat, hand, means))
        return self._decoded(turn_moves(self.table, seat, hand, means))

    def pile_moves(self, seat: int) -> list[Move]:
        return self._decoded(discard_moves(self.table, seat))

    def loss_moves(self, seat: int, loss: int) -> list[int]:
        return [int(move["coins"]) for move in loss_moves(self.table, seat, loss)]

    def builds(self, seat: int, card: str) -> list[tuple[str, int, int, int]]:
        return [(m.how, m.bank, m.left, m.right) for m in self.moves(seat, card) if m.action == "build"]

    def stage_payments(self, seat: int, card: str = "") -> list[tuple[int, int, int]]:
        moves = self.moves(seat, card or self.names[0])
        return [(m.bank, m.left, m.right) for m in moves if m.action == "stage"]

    def _decoded(self, moves: list[TwinMove]) -> list[Move]:
        """Convert moves to the format of the engine's tests; ``word`` is the index among all moves ever listed."""
        decoded = []
        for move in moves:
            bank, left, right = (int(move.get(name, 0)) for name in ("bank", "left", "right"))
            card, how = move.get("card", ""), move.get("how", "")
            decoded.append(Move(move["action"], card, how, bank, left, right, len(self._listed)))
            self._listed.append(move)
        return decoded

    # --- playing

    def _move(self, seat: int, text: str) -> TwinMove:
        action, _, name = text.partition(" ")
        if action not in ("build", "stage", "sell"):
            action, name = "build", text
        return {"card": name or self.names[0], "action": action}

    def play(self, moves: Mapping[int, str | Move]) -> None:
        chosen = [
            {**(self._move(seat, move) if isinstance(move, str) else self._listed[move.word]), "seat": seat}
            for seat, move in sorted(moves.items())
        ]
        self._resolve(chosen)

    def _resolve(self, moves: list[TwinMove]) -> None:
        """Resolve a turn by R9; costs that a move does not state are 0."""
        table, self._log = self.table, Log([])
        table.losses = []
        means = [market(table, seat) for seat in table.seats]
        drop_turn_units(table)
        placed = resolve(
            table, [{"how": "paid", "bank": 0, "left": 0, "right": 0, **move} for move in moves], self._log
        )
        if table.is_last_turn:
            placed += play_last_cards(table, self._hands, means, self._log)
        build_from_discard_pile(table, placed, self._log)

    def play_turn(self) -> bool:
        table = self.table
        moment(table, "turn_start")
        moves = []
        for seat, hand in enumerate(self._hands):
            if hand and not table.is_free_city(seat):
                moves.append(table.ask("turn", seat, turn_moves(table, seat, hand, market(table, seat)), hand))
                hand.remove(moves[-1]["card"])
                if table.rules.duo and seat == self._holder:
                    options = free_city_moves(table, FREE_CITY, hand, market(table, FREE_CITY))
                    free_city = table.ask("free_city", FREE_CITY, options, hand)
                    hand.remove(free_city["card"])
        if table.rules.duo:
            moves.append(free_city)
        self._resolve(moves)
        table.turn += 1
        return True

    def pass_hands(self) -> None:
        self._hands = passed(self._hands, self.table.rules.passing[self.table.age - 1])

    def end_age(self) -> list[tuple[list[int], list[int], list[int]]]:
        return [(entry["seats"], entry["shields"], entry["tokens"]) for entry in end_age(self.table)]

    # --- looking

    @property
    def public(self) -> Any:
        """The cities in the format of the engine's public record, read-only."""
        cities = self.table.cities
        fields = ("coins", "defeats", "debts", "diplomacy", "shields")
        counts = {name: [getattr(city, name) for city in cities] for name in fields}
        counts["stages"] = [len(city.buried) for city in cities]
        record = np.rec.fromrecords([tuple(counts.values())], dtype=[(name, np.int64, len(cities)) for name in counts])[
            0
        ]
        record.setflags(write=False)
        return record

    @property
    def losses(self) -> list[tuple[int, int, int]]:
        return [(loss["seat"], loss["coins"], loss["debt"]) for loss in self.table.losses]

    @property
    def extra(self) -> list[tuple[int, str, str, str]]:
        return [(m["seat"], m["source"], m["action"], m.get("card", "")) for m in self._log.extra]

    @property
    def coins(self) -> list[int]:
        return [city.coins for city in self.table.cities]

    @property
    def debts(self) -> list[int]:
        return [city.debts for city in self.table.cities]

    def owned(self, seat: int) -> set[str]:
        return {card.name for card in self.table.cities[seat].structures}

    @property
    def pile(self) -> list[str]:
        return sorted(card.name for card in self.table.discard_pile)

    def victories(self, seat: int) -> list[int]:
        return sorted(self.table.cities[seat].victories)

    def points(self, seat: int) -> dict[str, int]:
        row = scores(self.table)[seat]
        assert sum(row[name] for name in CATEGORIES) == row["total"]
        return {name: row[name] for name in CATEGORIES if row[name]}

    def worth(self, *cards: str) -> int:
        table = self.table
        return sum(effect_points(table, table.cities[0], table.catalogue.cards[name].effects, 0) for name in cards)

    def shares(self) -> list[float]:
        return [row["win_share"] for row in scores(self.table)]


SIDES: dict[str, Any] = {"engine": positions.Position, "twin": TwinPosition}
chosen = ["engine"]
"""The engine that runs: the last entry."""


class Position(positions.Position):
    """A position of the engine under test. The twin has no records, so tests that read them use only the engine."""

    def __new__(cls, *boards: str, **more: Any) -> Position:
        position: Position = SIDES[chosen[-1]](*boards, **more)
        return position
