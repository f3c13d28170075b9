"""Fit a value net, which gives each seat's win chance, to positions and results of games (``wsim.kernels.chances``).

The loss is the cross-entropy between the shares of the victory and the softmax of the net's outputs over the seats of a
position. ``python analysis/value_net.py`` trains the nets that ship with the games.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from wsim.learn.fitting import Batch, Decisions, fit
from wsim.learn.fitting_settings import Fitting
from wsim.learn.learner import learner_of
from wsim.policies.nets import LearnedNet
from wsim.positions.value_net import Follower

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from wsim.positions.machine import KernelSimulator


@dataclass(frozen=True, eq=False)
class Stages(Decisions):
    """Positions from one table; ``states`` and ``moves`` (the standings) have the shape (positions, seats)."""

    def batch(self, indices: NDArray[np.int64]) -> Batch:
        """Return the selected positions as a batch, in which each seat is a decision with a single move."""
        states, moves = self.states[indices].reshape(-1), self.moves[indices].reshape(-1)
        return Batch(states, moves, np.arange(len(states)), np.ones(len(states), np.int64), self.known)


def collect(simulator: KernelSimulator[Any], first: int, games: int, gap: int) -> Stages:
    """Play games and sample about every ``gap``-th position."""
    learner, values = learner_of(simulator.plan.game), simulator.value_net
    assert values is not None
    states, standings = Follower(simulator, values, learner.nets.shipped).collect(first, games, gap)
    return Stages(states, standings, learner.known(simulator))


def chances(values: NDArray[np.float32], seats: int) -> NDArray[np.float32]:
    """Compute win chances as the softmax over the seats of each position, shape (positions, seats)."""
    grouped = values.reshape(-1, seats)
    powers = np.exp(grouped - grouped.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))


def _slopes(values: NDArray[np.float32], batch: Batch) -> NDArray[np.float32]:
    """Return the derivatives of the cross-entropy; all positions of a batch have equally many seats."""
    worth = batch.moves["worth"]
    seats = len(worth) // max(1, round(float(worth.sum())))
    return np.asarray((chances(values, seats).reshape(-1) - worth) * np.float32(seats / len(worth)))


def fit_value(
    game: str, tables: Sequence[Stages], how: Fitting, seed: int, about: Mapping[str, Any],
    progress: Callable[[int, int], None] | None = None, start: str = "",
) -> LearnedNet:  # fmt: skip
    """Fit a value net to the positions of several tables, and return it.

    ``about``: a record of how the games were played. ``start``: the file of a value net to continue from.
    """
    learner = learner_of(game)
    net = learner.load(start) if start else learner.fresh(seed)
    arrays = dict(net.arrays)
    if not start:
        arrays["straight"] = np.zeros_like(arrays["straight"])  # an untrained policy net starts from ``weighted``
    arrays = fit(arrays, tables, learner.layers, how, seed, progress, _slopes)
    return LearnedNet(net.spec, arrays, net.weights, about)
