"""A game in progress as a value: the interface that a game implements, and the methods derived from it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from numpy.typing import NDArray

_DECISIONS = 1 << 20  # streams reserved for the decisions of a playout


class Position(ABC):
    """A game in progress that can be inspected, stepped, copied and played out (``wsim.game.Simulator.begin``).

    ``simulator`` arguments are prepared plans of the same game, possibly with a different line-up.
    """

    @property
    @abstractmethod
    def to_move(self) -> int | None:
        """The player whose decision is next; None at the end."""

    @abstractmethod
    def moves(self) -> Sequence[Mapping[str, Any]]:
        """Return the legal moves in order, in the format of the trace; empty at the end."""

    @abstractmethod
    def take(self, index: int) -> None:
        """Make the legal move at ``index`` and advance to the next decision."""

    @abstractmethod
    def follow(self) -> int:
        """Make the move that the plan's own policy makes when the plan is played; return its index."""

    @abstractmethod
    def chosen_by(self, simulator: Any, seed: int, number: int = 0) -> int:
        """Return the index of the move that a simulator's line-up makes with the random numbers of (seed, number)."""

    @abstractmethod
    def scores(self) -> list[dict[str, Any]]:
        """Return the scores of a finished game in the format of the trace, each with seat, total and win_share."""

    @abstractmethod
    def standing(self) -> list[int]:
        """Return each seat's score as if the game ended now (where the rules allow scoring before the end)."""

    @abstractmethod
    def view(self, seat: int | None) -> dict[str, Any]:
        """Return the information available to a seat as a JSON object; for None, the whole position."""

    @abstractmethod
    def redrawn(self, seat: int, seed: int, number: int = 0) -> Self:
        """Return a copy with all information hidden from the seat resampled, using only position, seed and number."""

    def decision(self) -> str:
        """Return the kind of the next decision, as named in picks tables and traces."""
        return "move"

    def clone(self) -> Self:
        """Return a copy."""
        shared = {name: value for name, value in vars(self).items() if name == "simulator"}
        return deepcopy(self, {id(value): value for value in shared.values()})

    def text(self, seat: int) -> list[str]:
        """Describe the information available to a seat as readable text, at most 80 columns wide."""
        from textwrap import wrap

        lines = [wrap(f"{name}: {value}", 80, subsequent_indent="  ") for name, value in self.view(seat).items()]
        return [line for part in lines for line in part]

    def asks(self) -> str:
        """Describe the next decision in a few words."""
        return self.decision().replace("_", " ")

    def obstacles(self) -> Mapping[str, str]:
        """Explain why some expected moves are illegal: a sentence per card name."""
        return {}

    def columns(self, history: bool = True) -> tuple[str, ...]:  # noqa: ARG002 (for games with a history)
        """Return the names of an observation's entries; without ``history``, only those about the current table."""
        return ()

    def observation(self, seat: int, size: int) -> NDArray[Any]:  # noqa: ARG002 (for games with columns)
        """Return the first ``size`` entries of a seat's observation as an int16 array."""
        import numpy as np

        return np.zeros(size, np.int16)

    def play_out(self, simulator: Any, playouts: int, seat: int | None, seed: int, first: int = 0) -> NDArray[Any]:
        """Play to the end with a simulator's line-up; return scores and win shares, shape (playouts, seats, 2).

        Playout i uses the random numbers of ``first + i``; with ``seat``, it resamples everything hidden from that
        seat.
        """
        import numpy as np

        outcomes = []
        for number in range(first, first + playouts):
            game = self.clone() if seat is None else self.redrawn(seat, seed, number)
            decided = 0
            while game.to_move is not None:
                game.take(game.chosen_by(simulator, seed, number * _DECISIONS + decided))
                decided += 1
            outcomes.append([(score["total"], score["win_share"]) for score in game.scores()])
        return np.array(outcomes, np.float64)

    def compare(
        self, simulator: Any, moves: Sequence[int], playouts: int, seat: int | None, seed: int, first: int = 0
    ) -> NDArray[Any]:
        """Play to the end after each of several moves, using the same cards and random streams for all moves.

        Returns scores and win shares, shape (playouts, moves, seats, 2).
        """
        import numpy as np

        outcomes = []
        for number in range(first, first + playouts):
            drawn = self if seat is None else self.redrawn(seat, seed, number)
            after = [drawn.clone() for _ in moves]
            for game, move in zip(after, moves, strict=True):
                game.take(move)
            outcomes.append([game.play_out(simulator, 1, None, seed, number)[0] for game in after])
        return np.array(outcomes, np.float64)
