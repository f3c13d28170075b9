"""What ``wsim learn`` needs of 7 Wonders: the inputs of the net at a decision, and what an outcome is worth."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from wsim.kernels.searching import LEAD, WINNING
from wsim.learn.net_learner import NetLearner
from wsim.wonders.fitting import Decisions, fit, fresh_arrays
from wsim.wonders.kernels.net_layout import CARD_ROLES, MOVE_NUMBERS, STATE_NUMBERS
from wsim.wonders.nets import Net
from wsim.wonders.policies.net_describe import describe
from wsim.wonders.policies.net_inputs import MOST_CANDIDATES
from wsim.wonders.registry import POLICIES
from wsim.wonders.words import CARD_WORDS, SEATS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from wsim.learn.learner import Fitting
    from wsim.positions.machine import Machine
    from wsim.wonders.position import WondersPosition

__all__ = ["LEARNER", "MOVE", "STATE", "Describer"]

SETS = 3  # hand, coming, built: the first roles of cards
STATE = np.dtype(
    [
        ("numbers", "f4", (STATE_NUMBERS,)),
        ("sets", "u8", (SETS, CARD_WORDS)),
        ("side", "i2"),
        ("stages", "i2"),
        ("moves", "i2"),  # how many rows of MOVE are its own
    ]
)
"""A decision as the net sees it."""
MOVE = np.dtype([("role", "i2"), ("card", "i2"), ("numbers", "f4", (MOVE_NUMBERS,)), ("worth", "f4")])
"""A move of it; ``role`` is a place in CARD_ROLES, or -1 where it has no card; ``worth`` is what playouts say."""

assert len(CARD_ROLES) > SETS


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
        self._side, self._stages = self._public.side, self._public.stages
        self._x = np.zeros(STATE_NUMBERS, np.float32)
        self._sets = np.zeros((SETS, CARD_WORDS), np.uint64)
        self._moves = np.zeros((3, MOST_CANDIDATES), np.int64)
        self._numbers = np.zeros((MOST_CANDIDATES, MOVE_NUMBERS), np.float32)

    def __call__(self, position: WondersPosition) -> tuple[NDArray[Any], NDArray[Any], list[int]]:
        """Return the STATE record, the MOVE records (worth 0) of the decision at hand, and the moves' indices.

        It must be the last thing that the position's machine looked at.
        """
        seat = position.to_move
        assert seat is not None
        count = int(
            describe(
                *(self._public, self._owns[seat], self._choice, self._rules, self._settings),
                *(self._x, self._sets, self._moves, self._numbers),
            )
        )
        state, moves = np.zeros((), STATE), np.zeros(count, MOVE)
        state["numbers"], state["sets"] = self._x, self._sets
        state["side"], state["stages"], state["moves"] = self._side[seat], self._stages[seat], count
        moves["role"], moves["card"] = self._moves[1, :count], self._moves[2, :count]
        moves["numbers"] = self._numbers[:count]
        return state, moves, [int(place) for place in self._moves[0, :count]]


class _Learner(NetLearner[Net]):
    """7 Wonders as ``wsim learn`` sees it (``wsim.learn.learner.Learner``)."""

    state, move, plan = STATE, MOVE, Path(__file__).with_name("learning.toml")

    def length(self, players: int) -> float:
        """Return about how many decisions a game has."""
        return 18.0 * players

    def describer(self, simulator: Any, players: Any) -> Describer:
        """Return the inputs of decisions of what is played; moves are valued by the weights of the first player."""
        return Describer(simulator.machine, players.compiled[1].settings[0])

    def worth(self, simulator: Any, outcomes: NDArray[np.float64], seat: int) -> NDArray[np.float64]:
        """Return what outcomes are worth to a seat: winning, and a little for the lead over the best rival.

        In teams of two it is the lead of the team's points, halved, over the best other team's (R42).
        """
        rules = simulator.compiled[0]
        players = int(rules.players)
        score, share = outcomes[..., :players, 0], outcomes[..., :players, 1]
        if rules.teams:
            score = (score[..., 0::2] + score[..., 1::2]) / 2
            share, seat = share[..., 0::2], seat // 2  # mates share it
        others = np.delete(score, seat, axis=-1).max(axis=-1)
        return np.asarray(WINNING * share[..., seat] + LEAD * (score[..., seat] - others))

    def mates(self, simulator: Any, seat: int) -> Sequence[int]:
        """Return the seats of a team."""
        return (seat & ~1, seat | 1) if simulator.compiled[0].teams else (seat,)

    def fresh(self, seed: int) -> Net:
        """Return a net that follows ``balanced``."""
        return Net(fresh_arrays(seed), POLICIES.interface().weights.shipped["balanced"])

    def decisions(self, simulator: Any, states: NDArray[Any], moves: NDArray[Any]) -> Decisions:
        """Return the decisions of one table, ready to be fitted to."""
        return Decisions(simulator.compiled[0], states, moves)

    def fit(
        self, net: Net, tables: Sequence[Decisions], how: Fitting, seed: int,
        progress: Callable[[int, int], None] | None,
    ) -> Net:  # fmt: skip
        """Return a net fitted to the decisions of some tables."""
        return Net(fit(net.arrays, tables, how, seed, progress), net.weights)


LEARNER = _Learner(POLICIES)
"""What ``wsim learn`` needs of 7 Wonders."""
