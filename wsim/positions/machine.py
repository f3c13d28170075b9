"""The machine of a game's kernels, and positions of it: bytes that it takes up, steps and leaves again."""

from __future__ import annotations

import threading
from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from wsim.errors import UserError
from wsim.position import Position
from wsim.positions.commands import ASK, BEGIN, COMPARE, EVERYTHING, FOLLOW, OBSERVE, PLAY_OUT, REDRAW, STEP

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from wsim.game import Simulator
    from wsim.policies.registry import LineUp

__all__ = ["Machine", "StatePosition"]

_NO_OUTCOMES: NDArray[np.float64] = np.zeros((0, 0, 2))
_NOTHING_SEEN: NDArray[np.int16] = np.zeros(0, np.int16)


class Machine:
    """A plan's kernels, ready for positions.

    Parameters
    ----------
    entry: the kernel of (game, words, state, rules, seating, line_up, command, number, seat, seed, outcomes, seen) that
        returns who decides next.
    game, state: dtypes; a game begins with its state, whose size is a multiple of 8 bytes.
    rules, seating, addresses: what the plan's kernels play by.
    line_up: the policies behind the addresses.
    """

    def __init__(
        self,
        entry: Any,
        game: np.dtype[Any],
        state: np.dtype[Any],
        rules: Any,
        seating: Any,
        line_up: LineUp,
    ) -> None:
        from wsim.jit import addresses_of

        self.entry, self.game, self.state = entry, game, state
        self.rules, self.seating, self.line_up = rules, seating, line_up
        self.addresses = addresses_of(line_up.entrances)
        self._local = threading.local()

    def workspace(self) -> Any:
        """Return the game record of this thread, as a record and as 64-bit words."""
        if not hasattr(self._local, "game"):
            whole = np.zeros(1, self.game)
            self._local.game = whole.view(np.recarray)[0], whole.view(np.uint64).reshape(-1)
            self._local.choice, self._local.error = whole["choice"][0], whole["error"][0]
        return self._local.game

    @property
    def choice(self) -> Any:
        """The decision at which the last run of this thread stopped: a view that is found once."""
        return self._local.choice

    def run(
        self,
        state: NDArray[np.uint64],
        command: int,
        number: int = 0,
        seat: int = EVERYTHING,
        seed: int = 0,
        outcomes: NDArray[np.float64] = _NO_OUTCOMES,
        seen: NDArray[np.int16] = _NOTHING_SEEN,
    ) -> tuple[int, Any]:
        """Carry out a command on a state; return the player who decides next (-1: none) and the game record."""
        game, words = self.workspace()
        with np.errstate(over="ignore"):  # random numbers wrap around, as they must
            try:
                decider = int(
                    self.entry(
                        *(game, words, state, self.rules, self.seating, self.addresses),
                        *(command, number, seat, seed, outcomes, seen),
                    )
                )
            except Exception as error:
                self.line_up.raise_failure(error)  # a user's policy that failed is named
                raise
        if self._local.error[0]:
            self.raise_for(self._local.error)
        return decider, game

    def raise_for(self, error: Any) -> None:
        """Raise UserError for a policy that failed, or returned no legal index."""
        self.line_up.raise_failure()
        _, seat, index, count = (int(value) for value in error)
        raise UserError(
            f"a policy of the line-up returned {index} in seat {seat}: "
            f"an index from 0 to {count - 1} into the list of legal moves is needed"
        )


class StatePosition(Position):
    """A position of a game whose kernels are a machine (``wsim.game.Position``).

    Attributes
    ----------
    simulator: the plan made ready that it is a game of. machine: what steps it. words: its state, uint64.
    """

    def __init__(self, simulator: Any, number: int) -> None:
        """Begin game ``number`` of a simulator: its first decision, with nobody asked yet."""
        self.simulator, self.machine = simulator, simulator.machine
        self.words = np.zeros(self.machine.state.itemsize // 8, np.uint64)
        self._run(BEGIN, number)

    def _run(self, command: int, number: int = 0, seat: int = EVERYTHING, seed: int = 0) -> Any:
        decider, game = self.machine.run(self.words, command, number, seat, seed)
        self._to_move = None if decider < 0 else decider
        choice = self.machine.choice
        count = 0 if decider < 0 else int(choice["count"])
        seat = choice["seat"] if "seat" in (choice.dtype.names or ()) else decider
        self.choice = (int(choice["kind"]), int(seat))
        self.coded = choice["moves"][:count].copy()
        self._keep_result(game)
        return game

    @property
    def to_move(self) -> int | None:
        """The player who decides, None at the end."""
        return self._to_move

    @property
    def record(self) -> Any:
        """The state as a numpy record: a view of ``words``."""
        return self.words.view(self.machine.state).view(np.recarray)[0]

    def refresh(self, command: int, number: int = 0, seat: int = EVERYTHING) -> None:
        """Lay out a part of the position, or list the moves of what was laid out."""
        self._run(command, number, seat)

    def take(self, index: int) -> None:
        """Make the move with this index, which is legal, and run on to the next decision."""
        self._run(STEP, index)

    def follow(self, more: int = 0) -> int:
        """Make the move that the plan's own policy makes, in the very game that the plan plays; return its index.

        With ``more``, so many moves after it, too; the index is that of the last one then.
        """
        return int(self._run(FOLLOW, more).error[2])

    def asked(self, simulator: Simulator, seed: int, number: int = 0) -> int:
        """Return the index of the move that a simulator's line-up would make here."""
        other: Machine = simulator.machine  # type: ignore[attr-defined]
        return other.run(self.words, ASK, number, EVERYTHING, seed)[0]

    def clone(self) -> Self:
        """Return a copy."""
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        other.words = self.words.copy()
        return other

    def redrawn(self, seat: int, seed: int, number: int = 0) -> Self:
        """Return a copy in which all that the seat cannot know is drawn anew; a function of state, seed and number."""
        other = self.clone()
        other._run(REDRAW, number, seat, seed)  # noqa: SLF001 (it is of this class)
        return other

    def play_out(
        self, simulator: Simulator, playouts: int, seat: int | None, seed: int, first: int = 0
    ) -> NDArray[np.float64]:
        """Play to the end with another simulator's line-up; return (score, share of the victory), shape (n, seats, 2).

        Playout i draws from the random streams of game ``first + i`` of the seed; with ``seat``, what it cannot know is
        drawn anew.
        """
        other: Machine = simulator.machine  # type: ignore[attr-defined]
        outcomes = np.zeros((playouts, simulator.seats, 2))
        other.run(self.words, PLAY_OUT, first, EVERYTHING if seat is None else seat, seed, outcomes)
        return outcomes

    def compare(
        self, simulator: Simulator, moves: Sequence[int], playouts: int, seat: int | None, seed: int, first: int = 0
    ) -> NDArray[np.float64]:
        """Play to the end after each of some moves; return (score, share of the victory), shape (n, moves, seats, 2).

        Playout i of every move has the same cards, drawn anew as in ``play_out``, and the same random streams.
        """
        other: Machine = simulator.machine  # type: ignore[attr-defined]
        outcomes = np.zeros((playouts * len(moves), simulator.seats, 2))
        state = np.concatenate([self.words, self.words])  # the second half is room for a redrawing
        watcher = EVERYTHING if seat is None else seat
        other.run(state, COMPARE, first, watcher, seed, outcomes, np.array(moves, np.int16))
        return outcomes.reshape(playouts, len(moves), simulator.seats, 2)

    def observation(self, seat: int, size: int) -> NDArray[np.int16]:
        """Return the first ``size`` numbers of what a seat may know."""
        seen = np.zeros(size, np.int16)
        self.machine.run(self.words, OBSERVE, 0, seat, seen=seen)
        return seen

    @abstractmethod
    def _keep_result(self, game: Any) -> None:
        """Keep the score of a game that is over."""
