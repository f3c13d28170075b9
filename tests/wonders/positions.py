"""Set up positions by name in the engine's own records, for tests of single rules.

>>> p = Position("1e", "Gizah A", "Rhodos A", "Ephesos A", age=2)
>>> p.city(0, "Sawmill", coins=0)
>>> p.play({0: "Vineyard", 1: "Foundry"})
>>> p.coins
[2, 3, 3]

Seat 1 is the left neighbour of seat 0, the last seat its right neighbour (R1). Turns and ages are numbered from 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np

from tests.wonders import position_kernels as kernels
from wsim.jit import addresses_of
from wsim.wonders.catalog import Catalogue, load_catalogue
from wsim.wonders.catalog.compiling import compile_rules
from wsim.wonders.kernels import layout
from wsim.wonders.kernels.layout import GAME, SEATING
from wsim.wonders.kernels.moves import NO_MOVE
from wsim.wonders.words import ACTIONS, CATEGORIES, COLORS, DECISIONS, DISCARD_PILE, LAST_CARD, SEATS, WAYS

TOKEN_PLACE = {1: 0, 3: 1, 5: 2}


@dataclass(frozen=True)
class Move:
    """A decoded legal move: ``card`` is empty if there is none; for a paid loss, ``bank`` is the coins paid."""

    action: str
    card: str
    how: str
    bank: int
    left: int
    right: int
    word: int = field(compare=False, default=0)


@lru_cache(maxsize=64)
def rules(ruleset: str, players: int, changes: tuple[str, ...]) -> tuple[Catalogue, Any]:
    """Return the catalogue and the RULES record of a rule set with changes such as ``switches.debt_choice=false``."""
    catalogue = load_catalogue(ruleset, changes=changes)
    return catalogue, compile_rules(catalogue, players)[0]


class Position:
    """A table in the middle of a game: empty cities and hands, three coins each, every seat following a script.

    ``boards`` are written "Gizah A", one per seat (the Free City's the third in 1e-duo); ``switches`` by their names.
    """

    def __init__(
        self, ruleset: str, *boards: str, age: int = 1, turn: int = 1, changes: tuple[str, ...] = (), **switches: bool
    ) -> None:
        texts = tuple(f"switches.{name}={str(value).lower()}" for name, value in sorted(switches.items()))
        players = 2 if ruleset == "1e-duo" else len(boards)
        self.catalogue, self.rules = rules(ruleset, players, texts + changes)
        self.seats = len(boards)
        self.names = [card.name for card in self.catalogue.cards]
        self.game = np.zeros(1, GAME).view(np.recarray)[0]
        self.public, self.hidden = self.game.public, self.game.hidden
        self._seating = np.zeros(1, SEATING).view(np.recarray)[0]
        self._seating.entries = players
        self._seating.board[:], self._seating.side[:] = -1, -1
        wonders = [wonder.name for wonder in self.catalogue.wonders]
        for seat, board in enumerate(boards):
            name, side = board.rsplit(" ", 1)
            self._seating.board[seat] = wonders.index(name)
            self._seating.side[seat] = self.catalogue.sides.index(side)
        for seat in range(self.seats):
            self.game.own[seat].entrant = -1
        self._do(kernels.SET_TABLE)
        self.public.age, self.public.turn = age - 1, turn - 1
        self.game.log.recording = 1
        self.hidden.taken[:] = NO_MOVE

    def _do(self, step: int, seat: int = 0, what: int = 0) -> int:
        line_up = addresses_of([kernels.scripted] * SEATS)
        with np.errstate(over="ignore"):
            return int(kernels.perform(self.game, self.rules, self._seating, line_up, step, seat, what))

    # --- laying out ---------------------------------------------------------------------------------------------------

    def city(self, seat: int, *structures: str, stages: int = 0, **amounts: Any) -> None:
        """Put structures and stages into a city (their immediate effects do not happen) and set its amounts.

        ``amounts``: coins, defeats, debts, diplomacy, shields; ``victories`` as token values such as [1, 3, 5].
        """
        for name in structures:
            self._place(seat, self._word(f"build {name}"))
        for _ in range(stages):
            self._place(seat, self._word("stage"))
        self.hidden.board_builds[seat] = self.hidden.card_builds[seat] = 0
        for value in amounts.pop("victories", ()):
            self.public.victory[seat, TOKEN_PLACE[value]] += 1
        for name, value in amounts.items():
            getattr(self.public, name)[seat] = value

    def _place(self, seat: int, word: int) -> None:
        self.hidden.taken[seat] = word
        self._do(kernels.PLACE, seat)
        self.hidden.taken[seat] = NO_MOVE

    def count(self, seat: int, things: dict[str, Any]) -> None:
        """Give a city a number of structures of some colours, stages and tokens, without naming them."""
        for what, number in things.items():
            if what == "wonder_stages":
                self.public.stages[seat] = number
            elif what == "wonder_complete":
                self.public.stages[seat] = self.rules.stage_count[self.public.side[seat]]
            elif what == "defeat_tokens":
                self.public.defeats[seat] = number
            else:
                self.public.colors[seat, COLORS.index(what.replace("grey", "gray"))] = number

    def hand(self, seat: int, *cards: str) -> None:
        """Give a seat exactly these cards of the age, possibly several copies of a name."""
        slots = [self.names[card] for card in self.rules.slot_card[self.public.age]]
        slots = slots[: int(self.rules.slots[self.public.age])]
        word = 0
        for name in cards:
            at = next(i for i, slot in enumerate(slots) if slot == name and not word >> i & 1)
            word |= 1 << at
        self.game.own[seat].hand = word

    def discarded(self, *cards: str) -> None:
        """Put cards on the discard pile."""
        for name in cards:
            card = self.names.index(name)
            self.hidden.copies[card] += 1
            self.hidden.pile[card >> 6] |= np.uint64(1 << (card & 63))
            self.public.discarded += 1

    def script(self, seat: int, **indices: int) -> None:
        """Set the move index that a seat chooses, by kind of decision (``loss=-1``); the default is the first move."""
        for kind, index in indices.items():
            self.game.own[seat].parameters[DECISIONS.index(kind)] = index

    def go_to(self, age: int) -> None:
        """Continue in a different age with the current cities."""
        self.public.age = age - 1

    # --- asking ------------------------------------------------------------------------------------------------------

    def moves(self, seat: int, *hand: str, kind: str = "turn") -> list[Move]:
        """Return the legal moves of a turn, a last card or the Free City's turn with this hand (R50)."""
        before = int(self.game.own[seat].hand)
        self.hand(seat, *hand)
        self._do(kernels.LIST_TURN, seat, DECISIONS.index(kind))
        self.game.own[seat].hand = before
        return self._listed()

    def pile_moves(self, seat: int) -> list[Move]:
        """Return the moves of a build from the discard pile (R28)."""
        self._do(kernels.LIST_PILE, seat)
        return self._listed()

    def loss_moves(self, seat: int, loss: int) -> list[int]:
        """Return the coins that can be paid for a loss, in the order listed (R32)."""
        self._do(kernels.LIST_LOSS, seat, loss)
        return [move.bank for move in self._listed()]

    def builds(self, seat: int, card: str) -> list[tuple[str, int, int, int]]:
        """Return (how, bank, left, right) for every way to build a card."""
        return [(m.how, m.bank, m.left, m.right) for m in self.moves(seat, card) if m.action == "build"]

    def stage_payments(self, seat: int, card: str = "") -> list[tuple[int, int, int]]:
        """Return (bank, left, right) for every way to build the next stage."""
        card = card or self.names[self.rules.slot_card[self.public.age, 0]]
        return [(m.bank, m.left, m.right) for m in self.moves(seat, card) if m.action == "stage"]

    def _listed(self) -> list[Move]:
        return [self._decoded(int(word)) for word in self.game.choice.moves[: int(self.game.choice.count)]]

    def _decoded(self, word: int) -> Move:
        action = ACTIONS[word >> layout.ACTION_AT & 15]
        card = self.names[word & 255] if action in ("build", "stage", "sell") else ""
        how = WAYS[word >> layout.HOW_AT & 15] if action in ("build", "stage") else ""
        bank, left, right = (word >> at & 255 for at in (layout.BANK_AT, layout.LEFT_AT, layout.RIGHT_AT))
        return Move(action, card, how, bank, left, right, word)

    # --- playing -----------------------------------------------------------------------------------------------------

    def _word(self, text: str) -> int:
        """Return the move "build NAME", "stage", "sell NAME" or "NAME" (a build), at no cost."""
        action, _, name = text.partition(" ")
        if action not in ("build", "stage", "sell"):
            action, name = "build", text
        card = self.names.index(name) if name else 0
        return card | ACTIONS.index(action) << layout.ACTION_AT

    def play(self, moves: Mapping[int, str | Move]) -> None:
        """Resolve a turn in which only these seats move: "NAME" builds, "stage" and "sell NAME" at no cost, or a Move.

        Everything of R9 that follows: losses, in the last turn the last cards, then the builds from the discard pile.
        """
        self.hidden.taken[:] = NO_MOVE
        self.game.log.count = 0
        for seat, move in moves.items():
            self.hidden.taken[seat] = self._word(move) if isinstance(move, str) else move.word
        assert self._do(kernels.RESOLVE) == 0

    def deal(self, number: int = 0) -> None:
        """Deal the age as in game ``number`` of seed 0."""
        self._do(kernels.DEAL, 0, number)

    def play_turn(self) -> bool:
        """Play a turn from the hands, each seat by its script; return whether the turn was completed."""
        self.game.log.count = 0
        self.game.answer.wrong = 0
        return self._do(kernels.PLAY_TURN) == 0

    def pass_hands(self) -> None:
        """Pass the hands on (R5)."""
        self._do(kernels.PASS)

    def end_age(self) -> list[tuple[list[int], list[int], list[int]]]:
        """Resolve the conflicts; return seats, shields and token sums for each conflict."""
        self.game.log.count = 0
        self._do(kernels.END_AGE)
        fought = [event["values"] for event in self.events(layout.LOG_CONFLICT)]
        return [(v[0:2].tolist(), v[2:4].tolist(), v[4:6].tolist()) for v in fought]

    # --- looking -----------------------------------------------------------------------------------------------------

    def events(self, kind: int) -> list[Any]:
        """Return the logged events of a kind since the last step."""
        log = self.game.log.events[: int(self.game.log.count)]
        return [event for event in log if int(event["kind"]) == kind]

    @property
    def losses(self) -> list[tuple[int, int, int]]:
        """The seat, coins paid and debts of every loss in the turn."""
        return [(int(e["seat"]), int(e["values"][0]), int(e["values"][1])) for e in self.events(layout.LOG_LOSS)]

    @property
    def extra(self) -> list[tuple[int, str, str, str]]:
        """The seat, kind of decision, action and card of every last card and build from the pile in the turn."""
        picks = [e for e in self.events(layout.LOG_PICK) if int(e["decision"]) in (LAST_CARD, DISCARD_PILE)]
        moves = [(e, self._decoded(int(e["move"]))) for e in picks]
        return [(int(e["seat"]), DECISIONS[int(e["decision"])], move.action, move.card) for e, move in moves]

    @property
    def coins(self) -> list[int]:
        """The coins of every city."""
        return [int(coins) for coins in self.public.coins[: self.seats]]

    @property
    def debts(self) -> list[int]:
        """The debts of every city."""
        return [int(debts) for debts in self.public.debts[: self.seats]]

    def owned(self, seat: int) -> set[str]:
        """Return the structures of a city."""
        return {name for i, name in enumerate(self.names) if int(self.public.built[seat, i >> 6]) >> (i & 63) & 1}

    @property
    def pile(self) -> list[str]:
        """The discard pile, alphabetically."""
        return [name for i, name in enumerate(self.names) for _ in range(int(self.hidden.copies[i]))]

    def victories(self, seat: int) -> list[int]:
        """Return the victory tokens of a city by their value."""
        return [value for value, at in TOKEN_PLACE.items() for _ in range(int(self.public.victory[seat, at]))]

    def points(self, seat: int) -> dict[str, int]:
        """Return the score of a city by category, without categories that are 0."""
        self._do(kernels.SCORE)
        scores = dict(zip(CATEGORIES, map(int, self.game.result.points[seat]), strict=True))
        assert sum(scores.values()) == int(self.game.result.total[seat])
        return {name: points for name, points in scores.items() if points}

    def worth(self, *cards: str) -> int:
        """Return the points that structures score for seat 0; counts of colours do not change."""
        colors = self.public.colors.copy()
        before = sum(self.points(0).values())
        self.city(0, *cards)
        self.public.colors[:] = colors
        return sum(self.points(0).values()) - before

    def shares(self) -> list[float]:
        """Return every seat's share of the victory."""
        self._do(kernels.SCORE)
        return [float(share) for share in self.game.result.share[: self.seats]]
