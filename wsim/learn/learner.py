"""What a game hands in so that its players learn: inputs of its net, the worth of outcomes, fitting."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol, cast

from wsim.errors import UserError
from wsim.game import GAMES, find_game

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Fitting", "Learner", "learner_of"]


@dataclass(frozen=True)
class Fitting:
    """How long and how fast is learned from a harvest.

    Attributes
    ----------
    rounds: how often every decision is gone through. size: decisions of a step.
    rate: the highest learning rate. decay: of the weights, at each step, as a part of the rate.
    """

    rounds: float = 4.0
    size: int = 512
    rate: float = 2e-3
    decay: float = 1e-4


class Learner(Protocol):
    """A game whose policy ``net`` learns.

    Attributes
    ----------
    state, moves: dtypes of a decision (with how many ``moves`` it has) and of each of its moves (with its ``worth``).
    policy: the line-up entry of the policy that plays a net, without its file.
    plan: the learning plan of the net that comes with wsim.
    """

    @property
    def state(self) -> np.dtype[Any]: ...

    @property
    def move(self) -> np.dtype[Any]: ...

    @property
    def policy(self) -> str: ...

    @property
    def plan(self) -> Path: ...

    def length(self, players: int) -> float:
        """Return about how many decisions a game has, those without a choice included."""
        ...

    def describer(self, simulator: Any, players: Any) -> Any:
        """Return a function of a position: (its record, records of its moves, their indices in the legal moves).

        ``simulator`` is what is played, ``players`` a simulator of the policy whose judgement is an input.
        """
        ...

    def worth(self, simulator: Any, outcomes: NDArray[np.float64], seat: int) -> NDArray[np.float64]:
        """Return what outcomes (..., seats, (score, share)) are worth to a seat."""
        ...

    def mates(self, simulator: Any, seat: int) -> Sequence[int]:
        """Return the seats that win together with a seat, itself included."""
        ...

    def fresh(self, seed: int) -> Any:
        """Return a net that has learned nothing."""
        ...

    def load(self, file: str) -> Any:
        """Return the net of a file, or the one that comes with wsim for an empty name; raise UserError for none."""
        ...

    def save(self, net: Any, path: Path, about: Mapping[str, Any]) -> None:
        """Write a net with what it was learned from; a file appears whole or not at all."""
        ...

    def decisions(self, simulator: Any, states: NDArray[Any], moves: NDArray[Any]) -> Any:
        """Return the decisions of one table, ready to be fitted to."""
        ...

    def fit(
        self, net: Any, tables: Sequence[Any], how: Fitting, seed: int, progress: Callable[[int, int], None] | None
    ) -> Any:
        """Return a net fitted to the decisions of some tables, beginning from another net."""
        ...


def learner_of(game: str) -> Learner:
    """Return what a game hands in; raise UserError for a game without a policy that learns."""
    found = find_game(game).LEARNER
    if found is None:
        able = [name for name in GAMES if find_game(name).LEARNER is not None]
        raise UserError(f"{game} has no policy that learns: {', '.join(able)} have one; wsim tune improves weights")
    module, _, attribute = found.partition(":")
    return cast("Learner", vars(import_module(module))[attribute])
