"""A game that people play, policies in the other seats: whose turn it is, what was chosen, what can be undone."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from wsim.errors import UserError
from wsim.game import find_game

if TYPE_CHECKING:
    from wsim.positions.game_value import Game

HINTS = 200
"""Playouts of each move of a hint."""
SHOWN = 5
"""Moves of a hint."""
MOMENT = ("to_move", "decision")
"""Keys of what a seat knows that say only who is asked next: they change while others choose at the same time."""


@dataclass(frozen=True)
class _Before:
    """Where the game stood before a decision of a person."""

    seat: int
    game: Game
    moves: int
    opened: int


class PlayedGame:
    """A game in progress with people in some seats.

    Attributes
    ----------
    game: where it stands. people: their seats. moves: the index of every move so far.
    opened: seat and words of the moves that everybody saw as they were made, in games without a list of deeds.
    """

    def __init__(self, game: Game, people: Iterable[int]) -> None:
        self.game, self.people = game, frozenset(people)
        self.moves: list[int] = []
        self.opened: list[tuple[int, str]] = []
        self._before: list[_Before] = []

    def decide(self, index: int) -> None:
        """Make a move of the person who is to decide; raise UserError for one that is not legal."""
        game, seat = self.game, self.game.to_move
        assert seat in self.people
        before = _Before(seat, game.clone(), len(self.moves), len(self.opened))
        game.step(index)
        self._before.append(before)
        self._made(before.game, index)

    def follow(self) -> None:
        """Let the policy decide whose seat it is."""
        there = self.game.clone()
        self.lead(there, there.made())

    def lead(self, there: Game, index: int) -> None:
        """Go to where a policy's move, found on a copy of the game, has led that copy."""
        before, self.game = self.game, there
        self._made(before, index)

    def _made(self, before: Game, index: int) -> None:
        self.moves.append(index)
        if before.to_move is not None and before.decision in find_game(before.plan.game).OPEN:
            self.opened.append((before.to_move, before.phrase(before.legal()[index])))

    def undo(self, seat: int) -> None:
        """Go back to before the last decision of a person; raise UserError if another person has decided since."""
        if not any(one.seat == seat for one in self._before):
            raise UserError("There is nothing to undo.")
        last = self._before[-1]
        if last.seat != seat:
            raise UserError(f"Seat {last.seat} has moved since: nothing can be undone.")
        if self._shown(last):
            raise UserError("Others chose at the same time, and it has been shown: nothing can be undone.")
        self._before.pop()
        self.game = last.game
        del self.moves[last.moves :]
        del self.opened[last.opened :]

    def _shown(self, last: _Before) -> bool:
        """Whether the last decision was made at the same time as another person's, and both were shown since."""
        known = known_to(last.game, last.seat)
        at_once = takewhile(lambda one: known_to(one.game, last.seat) == known, reversed(self._before[:-1]))
        others = {one.seat for one in at_once} - {last.seat}
        return any(known_to(self.game, other) != known_to(last.game, other) for other in others)

    def decided(self, seat: int) -> int:
        """Return how many decisions a person has made."""
        return sum(one.seat == seat for one in self._before)

    def seen(self) -> list[str]:
        """Return what the table has seen so far, in words: the deeds, or the moves that were made in the open."""
        return self.game.deeds() or [f"seat {seat}: {text}" for seat, text in self.opened]


def hint(game: Game) -> list[dict[str, Any]]:
    """Return the moves that are worth most to the seat that decides (rows of ``wsim.Game.values``)."""
    return game.values(games=HINTS, rng=game.plan.seed)[:SHOWN]


def ahead(game: Game, seat: int) -> Game | None:
    """Return the game where a seat decides next, if it can do so already; None if it must see first what others do.

    Players who choose at the same time are asked one after the other. Nothing that the seat may know changes until it
    is asked, so what it may do then it may do now; in the copy that is returned the others have made any moves at all.
    """
    there, known = game.clone(), known_to(game, seat)
    while there.to_move not in (None, seat):
        there.step(0)
        if known_to(there, seat) != known:
            return None
    return there if there.to_move == seat else None


def known_to(game: Game, seat: int) -> dict[str, Any]:
    """Return what a seat knows, but for who is asked next."""
    return {key: value for key, value in game.observe(seat).record.items() if key not in MOMENT}
