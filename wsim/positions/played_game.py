"""A game that people play, with policies in the other seats: make, follow and undo moves, and get hints."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from wsim.errors import UserError
from wsim.game import find_game
from wsim.positions.values import BY_NET

if TYPE_CHECKING:
    from wsim.positions.game_value import Game

HINTS = 200
"""Playouts per move for a hint, if there is no value net or playouts are requested."""
MAX_HINTS = 100_000
SHOWN = 5
"""Moves shown in a hint."""
MOMENT = ("to_move", "decision")
"""Observation keys that only identify the next decision. They change while others choose at the same time."""


@dataclass(frozen=True)
class _Before:
    """The state before a person's decision."""

    seat: int
    game: Game
    moves: int
    opened: int


class PlayedGame:
    """A game in progress with people in some seats.

    Attributes
    ----------
    game: its current state. people: the seats of the people. moves: the index of every move so far.
    opened: seat and description of every public move, for games that do not list public moves themselves.
    """

    def __init__(self, game: Game, people: Iterable[int]) -> None:
        self.game, self.people = game, frozenset(people)
        self.moves: list[int] = []
        self.opened: list[tuple[int, str]] = []
        self._before: list[_Before] = []

    def decide(self, index: int) -> None:
        """Make a move for the person whose decision is next; raise UserError if it is not legal."""
        game, seat = self.game, self.game.to_move
        assert seat in self.people
        before = _Before(seat, game.clone(), len(self.moves), len(self.opened))
        game.step(index)
        self._before.append(before)
        self._record_move(before.game, index)

    def follow(self) -> None:
        """Let the policy of the current seat decide."""
        after = self.game.clone()
        self.lead(after, after.made())

    def lead(self, after: Game, index: int) -> None:
        """Replace the game by a copy in which a policy has already made this move."""
        before, self.game = self.game, after
        self._record_move(before, index)

    def _record_move(self, before: Game, index: int) -> None:
        self.moves.append(index)
        if before.to_move is not None and before.decision in find_game(before.plan.game).OPEN:
            self.opened.append((before.to_move, before.phrase(before.legal()[index])))

    def undo(self, seat: int) -> None:
        """Return to the state before a person's last decision; raise UserError if someone else has decided since."""
        if not any(before.seat == seat for before in self._before):
            raise UserError("There is nothing to undo.")
        last = self._before[-1]
        if last.seat != seat:
            raise UserError(f"Seat {last.seat} has moved since: nothing can be undone.")
        known = known_to(last.game, last.seat)
        at_once = takewhile(lambda before: known_to(before.game, last.seat) == known, reversed(self._before[:-1]))
        others = {before.seat for before in at_once} - {last.seat}
        if any(known_to(self.game, seat) != known_to(last.game, seat) for seat in others):
            raise UserError("Others chose at the same time and their choices have been shown: nothing can be undone.")
        self._before.pop()
        self.game = last.game
        del self.moves[last.moves :]
        del self.opened[last.opened :]

    def decided(self, seat: int) -> int:
        """Return the number of decisions that a person has made."""
        return sum(before.seat == seat for before in self._before)

    def seen(self) -> list[str]:
        """Return the public moves so far as text."""
        return self.game.public_moves() or [f"seat {seat}: {text}" for seat, text in self.opened]


def hint(game: Game, playouts: int | None = None, shown: int | None = SHOWN) -> list[dict[str, Any]]:
    """Return the ``shown`` best moves (None: all) for the deciding seat, as rows of ``wsim.Game.values``.

    If ``playouts`` is None, moves are valued by the value net, or by ``HINTS`` playouts if there is no value net.
    """
    playouts = (BY_NET if game.by_net else HINTS) if playouts is None else playouts
    return game.values(games=playouts, rng=game.plan.seed)[:shown]


def ahead(game: Game, seat: int) -> Game | None:
    """Return the game at a seat's next decision if the seat can decide now; None if other moves must be revealed first.

    Players who choose at the same time are asked one after the other. The seat's knowledge does not
    change before it is asked, so it already has the same legal moves. In the returned copy, the others have made
    arbitrary moves.
    """
    copy, known = game.clone(), known_to(game, seat)
    while copy.to_move not in (None, seat):
        copy.step(0)
        if known_to(copy, seat) != known:
            return None
    return copy if copy.to_move == seat else None


def known_to(game: Game, seat: int) -> dict[str, Any]:
    """Return a seat's information, without the keys that describe the next decision."""
    return {key: value for key, value in game.observe(seat).record.items() if key not in MOMENT}
