"""Shared helpers of the Tower of Babel tests: plans, tables, and policies that follow a script."""

from __future__ import annotations

from typing import Any

import numpy as np

from wsim.babel.describe.trace import read_log
from wsim.babel.game import GAME as BABEL
from wsim.babel.kernels.deal import set_up
from wsim.babel.kernels.layout import (
    ACT,
    BEGIN,
    COMPLETED,
    GAME,
    LINE_UP,
    POLICY,
    SCORE,
    SEATING,
    Game,
    Rules,
    Seating,
    records,
)
from wsim.babel.kernels.playing import ENGINE
from wsim.babel.kernels.scoring import final_scoring
from wsim.babel.simulator import BabelSimulator
from wsim.babel.words import ACTION_CARDS, DECISIONS, KINDS, SEATS, SLOTS
from wsim.jit import addresses_of, kernel, types
from wsim.kernels.heads import RECORD_ALL
from wsim.lab.plan import Plan

Pick = tuple[int, int, int, str, int, int, int]
RED, BLUE, YELLOW, GREEN = range(4)  # seats of a scene, named as in the rulebook's examples: Red is active


def plan(**changes: Any) -> Plan:
    """Return a plan for four random players; ``options`` are options of this game."""
    options = changes.pop("options", {})
    fields = {"game": "tower_of_babel", "players": 4, "seed": 7, "policies": ("random",), "rotate": False}
    return Plan.make(**{**fields, **changes, **options})


def table(**changes: Any) -> BabelSimulator:
    """Return a table for a plan."""
    return BABEL.prepare(plan(**changes))


def changes(rules: dict[str, Any]) -> tuple[str, ...]:
    """Return switches as changes of the card file."""
    written = {key: str(value).lower() if isinstance(value, bool) else repr(value) for key, value in rules.items()}
    return tuple(f"babel.rules.{key}={value}" for key, value in written.items())


def played(of: BabelSimulator, games: int, first: int = 0) -> Any:
    """Return the rows of some games."""
    rows = np.zeros(games * of.seats, of.row_dtype)
    of.play(first, rows)
    return rows


def log_of(of: BabelSimulator, number: int) -> list[Pick]:
    """Return the decisions of a game as the reference lists them."""
    return [
        (event.turn, event.action, event.seat, DECISIONS[event.what], event.count, event.index, event.move)
        for event in read_log(of.logged(number)[0].log)
        if event.what < len(DECISIONS) and event.count > 1
    ]


play_until = ENGINE.play_until


@kernel(POLICY, package="babel.kernels")
def scripted(public, own, choice, tables, settings):  # type: ignore[no-untyped-def]
    """Choose the move whose code is stored in the weight for this decision, otherwise the first move."""
    wanted = settings.weights[choice.kind]
    for index in range(choice.count):
        if choice.moves[index] == wanted:
            return index
    return 0


@kernel(types.void(Game, Rules, Seating), package="babel.kernels")
def _lay_out(g, t, seating):  # type: ignore[no-untyped-def]
    for seat in range(t.seats):
        g.own[seat].entrant = -1
    set_up(g, t, seating, 0)


@kernel(types.void(Game, Rules, Seating, LINE_UP, types.int64), package="babel.kernels")
def _take_turn(g, t, seating, lineup, ending):  # type: ignore[no-untyped-def]
    if ending:
        final_scoring(g, t)
    else:
        g.flow.phase, g.public.action = ACT, 1
        play_until(g, t, seating, lineup, 1 << BEGIN | 1 << SCORE)


class Scene:
    """A table in the middle of a game: empty hands, no points, seat 0 active, every seat following a script.

    Without a common draw, so that what a turn leaves behind can be seen; ``t`` is the RULES record, to be changed.
    """

    def __init__(self, seats: int = 4, two_colour: bool = False, **rules: Any) -> None:
        of = table(players=seats, set=changes({"use_two_colour_discs": two_colour, **rules}))
        self.t, self.seats = of.rules, seats
        self.discs = [dict(disc.needs) for disc in of.catalogue.discs]
        self.t.common_draw = 0
        self.g = records(1, GAME)[0]
        self.seating = records(1, SEATING)[0]
        self.seating.settings_at[:SEATS] = range(SEATS)
        self.g.log.recording = RECORD_ALL
        with np.errstate(over="ignore"):
            _lay_out(self.g, self.t, self.seating)
        self.g.log.count = 0
        self.g.public.active = 0
        for slot in range(SLOTS):
            self.g.public.board[slot] = slot
        for seat in range(seats):
            self.hand(seat)

    def hand(self, seat: int, **cards: int) -> None:
        """Replace a hand by exactly these cards; its previous cards return to the deck."""
        own, public = self.g.own[seat], self.g.public
        for number, kind in enumerate(KINDS):
            change = cards.get(kind, 0) - int(own.hand[number])
            own.hand[number] += change
            self.g.hidden.deck[number] -= change
            public.hand_size[seat] += change
            public.deck -= change

    def give(self, seat: int, *cards: str) -> None:
        """Give action cards to a seat."""
        for card in cards:
            self.g.own[seat].cards[ACTION_CARDS.index(card)] += 1
            self.g.public.action_cards[seat] += 1
            if card in ("card_exchange", "draw_three"):
                self.g.hidden.instant_cards += 1

    def slot(self, **needs: int) -> int:
        """Return the slot of the first disc on the board with these requirements."""
        return next(slot for slot in range(SLOTS) if self.discs[slot] == needs and self.g.public.slots_left >> slot & 1)

    def remove(self, *slots: int) -> None:
        """Take discs off the board as if somebody had built with them."""
        for slot in slots:
            self.g.public.slots_left &= ~(1 << slot)
            for kind in self.discs[slot]:
                self.g.public.kind_left[KINDS.index(kind)] -= 1

    def script(self, seat: int, **codes: int) -> None:
        """Set the moves of a seat by decision name; for other decisions it takes the first move."""
        self.seating.settings[seat]["weights"][: len(DECISIONS)] = [codes.get(decision, 0) for decision in DECISIONS]

    def turn(self) -> None:
        """Play the turn of the active seat."""
        self._run(False)

    def finish(self) -> None:
        """Do the final scoring."""
        self._run(True)

    def _run(self, ending: bool) -> None:
        with np.errstate(over="ignore"):
            _take_turn(self.g, self.t, self.seating, addresses_of([scripted] * SEATS), ending)

    # --- looking ------------------------------------------------------------------------------------------------------
    def cards(self, seat: int) -> dict[str, int]:
        """Return the cards in a seat's hand."""
        return {
            kind: int(self.g.own[seat].hand[number])
            for number, kind in enumerate(KINDS)
            if self.g.own[seat].hand[number]
        }

    def held(self, seat: int) -> list[str]:
        """Return the action cards of a seat."""
        return [card for number, card in enumerate(ACTION_CARDS) for _ in range(self.g.own[seat].cards[number])]

    def units(self, wonder: int) -> list[int]:
        """Return the parts on a wonder."""
        return [int(number) for number in self.g.public.units[wonder][: self.seats]]

    def points(self) -> list[int]:
        """Return the points of every seat."""
        return [int(number) for number in self.g.public.points[: self.seats]]

    def owned(self) -> list[int]:
        """Return the number of discs that each seat owns."""
        return [int(number) for number in self.g.public.disc_count[: self.seats]]

    def asked(self, decision: str) -> list[tuple[int, int]]:
        """Return (seat, number of moves) for each decision of this kind in the turn, including forced decisions."""
        wanted = DECISIONS.index(decision)
        return [(event.seat, event.count) for event in read_log(self.g.log) if event.what == wanted]


def five_ships(**rules: Any) -> tuple[Scene, int, int]:
    """Return a scene in which Red announces a disc of five ships, with its slot and wonder."""
    scene = Scene(**rules)
    slot = scene.slot(ship=5)
    scene.script(RED, turn=1 + slot, complete=COMPLETED)
    return scene, slot, slot // 3
