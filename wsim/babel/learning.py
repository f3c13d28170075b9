"""What ``wsim learn`` needs of Tower of Babel: the inputs of the net at a decision, and what an outcome is worth."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from wsim.babel.fitting import Decisions, fit, fresh_arrays
from wsim.babel.kernels.layout import MOVES
from wsim.babel.kernels.net_layout import MOVE_NUMBERS, STATE_NUMBERS
from wsim.babel.nets import Net
from wsim.babel.policies.net_describe import describe
from wsim.babel.registry import POLICIES
from wsim.babel.words import SEATS
from wsim.kernels.searching import LEAD, WINNING
from wsim.learn.net_learner import NetLearner

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from wsim.babel.position import BabelPosition
    from wsim.learn.learner import Fitting
    from wsim.positions.machine import Machine

__all__ = ["LEARNER", "MOVE", "STATE", "Describer"]

STATE = np.dtype([("numbers", "f4", (STATE_NUMBERS,)), ("moves", "i2")])
"""A decision as the net sees it; ``moves``: how many rows of MOVE are its own."""
MOVE = np.dtype([("numbers", "f4", (MOVE_NUMBERS,)), ("worth", "f4")])
"""A move of it; ``worth`` is what playouts say."""
_WEIGHTS = "tuned"  # the strongest set: what it says of a move is an input
_DECISIONS = 165.0  # of a game, for any number of players: more of them play fewer turns


class Describer:
    """Room for the inputs of one decision.

    Parameters
    ----------
    machine: of the plan that is played.
    settings: the SETTINGS record whose weights ``weighted`` values moves by.

    It is of the thread that made it.
    """

    def __init__(self, machine: Machine, settings: Any) -> None:
        self._settings, self._rules = settings, machine.rules
        game = machine.workspace()[0]
        self._public, self._choice = game.public, game.choice
        self._owns = [game.own[seat] for seat in range(SEATS)]
        self._x = np.zeros(STATE_NUMBERS, np.float32)
        self._numbers = np.zeros((MOVES, MOVE_NUMBERS), np.float32)

    def __call__(self, position: BabelPosition) -> tuple[NDArray[Any], NDArray[Any], list[int]]:
        """Return the STATE record, the MOVE records (worth 0) of the decision at hand, and the moves' indices.

        It must be the last thing that the position's machine looked at.
        """
        assert position.to_move is not None
        own, count = self._owns[position.to_move], len(position.coded)
        describe(self._public, own, self._choice, self._rules, self._settings, self._x, self._numbers)
        state, moves = np.zeros((), STATE), np.zeros(count, MOVE)
        state["numbers"], state["moves"] = self._x, count
        moves["numbers"] = self._numbers[:count]
        return state, moves, list(range(count))


class _Learner(NetLearner[Net]):
    """Tower of Babel as ``wsim learn`` sees it (``wsim.learn.learner.Learner``)."""

    state, move, plan = STATE, MOVE, Path(__file__).with_name("learning.toml")

    def length(self, players: int) -> float:  # noqa: ARG002 (the same at every table)
        """Return about how many decisions a game has."""
        return _DECISIONS

    def describer(self, simulator: Any, players: Any) -> Describer:
        """Return the inputs of decisions of what is played; moves are valued by the weights of the first player."""
        return Describer(simulator.machine, players.compiled[1].settings[0])

    def worth(self, simulator: Any, outcomes: NDArray[np.float64], seat: int) -> NDArray[np.float64]:
        """Return what outcomes are worth to a seat: winning, and a little for the lead over the best rival."""
        score, share = outcomes[..., : simulator.seats, 0], outcomes[..., : simulator.seats, 1]
        others = np.delete(score, seat, axis=-1).max(axis=-1)
        return np.asarray(WINNING * share[..., seat] + LEAD * (score[..., seat] - others))

    def mates(self, simulator: Any, seat: int) -> Sequence[int]:  # noqa: ARG002 (there are no teams)
        """Return the seat alone."""
        return (seat,)

    def fresh(self, seed: int) -> Net:
        """Return a net that follows the weights of ``tuned``."""
        return Net(fresh_arrays(seed), POLICIES.interface().weights.shipped[_WEIGHTS])

    def decisions(self, simulator: Any, states: NDArray[Any], moves: NDArray[Any]) -> Decisions:  # noqa: ARG002
        """Return the decisions of one table, ready to be fitted to."""
        return Decisions(states, moves)

    def fit(
        self, net: Net, tables: Sequence[Decisions], how: Fitting, seed: int,
        progress: Callable[[int, int], None] | None,
    ) -> Net:  # fmt: skip
        """Return a net fitted to the decisions of some tables."""
        return Net(fit(net.arrays, tables, how, seed, progress), net.weights)


LEARNER = _Learner(POLICIES)
"""What ``wsim learn`` needs of Tower of Babel."""
