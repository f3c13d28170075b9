"""Fit a net to the values of moves, in numpy: the layers of ``wsim.kernels.net_layers`` and their derivatives.

The loss is the mean squared error between a move's value in the net and in playouts, both relative to the mean over the
moves of the decision: the net only learns which move is better. The optimiser is AdamW (Loshchilov and Hutter 2019);
its learning rate rises for a tenth of the steps and then falls to 0 along a cosine.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from wsim.learn.fitting_settings import Fitting

if TYPE_CHECKING:
    from numpy.typing import NDArray

Arrays = dict[str, Any]


@dataclass(frozen=True, eq=False)
class Decisions:
    """The decisions of one table, all under the same rules.

    Attributes
    ----------
    states, moves: records (``wsim.kernels.net_layers.Sizes``); the moves of a state follow those of the previous state.
    known: properties of the rules that the layers use (``wsim.learn.learner.Learner.known``).
    """

    states: NDArray[Any]
    moves: NDArray[Any]
    known: Any = None

    @cached_property
    def _starts(self) -> NDArray[np.int64]:
        return np.concatenate([[0], np.cumsum(self.states["moves"], dtype=np.int64)])

    def batch(self, indices: NDArray[np.int64]) -> Batch:
        """Return the selected decisions with all their moves."""
        states = self.states[indices]
        counts = states["moves"].astype(np.int64)
        owner = np.repeat(np.arange(len(indices)), counts)
        within = np.arange(len(owner)) - np.repeat(np.cumsum(counts) - counts, counts)
        return Batch(states, self.moves[self._starts[indices][owner] + within], owner, counts, self.known)


@dataclass(frozen=True, eq=False)
class Batch:
    """A batch of decisions and all their moves.

    Attributes
    ----------
    states, moves, known: as in ``Decisions``.
    owner: for each move, the index of its decision. counts: for each decision, the number of its moves.
    """

    states: NDArray[Any]
    moves: NDArray[Any]
    owner: NDArray[np.int64]
    counts: NDArray[np.int64]
    known: Any


def fresh_arrays(shapes: Mapping[str, tuple[int, ...]], inputs: Mapping[str, float], value: int, seed: int) -> Arrays:
    """Return an untrained net, which values moves as ``weighted`` does.

    ``inputs``: by array, the approximate number of nonzero inputs; an array that is not listed starts at 0. ``value``:
    the index of the ``weighted`` value among the numbers of a move.
    """
    random = np.random.default_rng(seed)
    arrays = {
        name: (random.standard_normal(shape) * math.sqrt(1 / inputs[name]) * 0.7).astype(np.float32)
        if name in inputs
        else np.zeros(shape, np.float32)
        for name, shape in shapes.items()
    }
    arrays["last"] *= 0.3
    arrays["straight"][value] = 0.15
    return arrays


class Layers:
    """The activations of a net on one batch, stored for the derivatives; a subclass adds the inputs of items.

    Attributes
    ----------
    values: the value of every move.
    """

    def __init__(self, arrays: Mapping[str, Any], batch: Batch) -> None:
        self._arrays, self.batch = arrays, batch
        of_states = arrays["bias"] + batch.states["numbers"] @ arrays["of_number"]
        self.add_to_states(of_states)
        layer = of_states[batch.owner] + batch.moves["numbers"] @ arrays["of_move"]
        self.add_to_moves(layer)
        self._first = np.maximum(layer, 0, out=layer)
        self._second = np.maximum(self._first @ arrays["second"] + arrays["second_bias"], 0)
        self.values: NDArray[np.float32] = self._second @ arrays["last"] + batch.moves["numbers"] @ arrays["straight"]

    def add_to_states(self, layer: NDArray[np.float32]) -> None:
        """Add the item inputs of the states to the first layer, shape (states, width)."""

    def add_to_moves(self, layer: NDArray[np.float32]) -> None:
        """Add the item inputs of the moves to the first layer, shape (moves, width)."""

    def of_items(self, of_states: NDArray[np.float32], of_moves: NDArray[np.float32]) -> Arrays:  # noqa: ARG002
        """Return the derivatives with respect to the item arrays, given those with respect to the first layer."""
        return {}

    def backward(self, error: NDArray[np.float32]) -> Arrays:
        """Return the derivatives of a loss with respect to the arrays, given those with respect to the values."""
        batch, arrays = self.batch, self._arrays
        slopes: Arrays = {"last": self._second.T @ error, "straight": batch.moves["numbers"].T @ error}
        second = error[:, None] * arrays["last"] * (self._second > 0)
        slopes["second"], slopes["second_bias"] = self._first.T @ second, second.sum(0)
        first = (second @ arrays["second"].T) * (self._first > 0)
        slopes["of_move"] = batch.moves["numbers"].T @ first
        of_state = np.add.reduceat(first, np.cumsum(batch.counts) - batch.counts, axis=0)
        slopes["bias"] = of_state.sum(0)
        slopes["of_number"] = batch.states["numbers"].T @ of_state
        return {**slopes, **self.of_items(of_state, first)}


def _centred(values: NDArray[np.float32], batch: Batch) -> NDArray[np.float32]:
    """Subtract from the value of each move the mean over the moves of the same decision."""
    starts = np.cumsum(batch.counts) - batch.counts
    means = np.add.reduceat(values, starts) / batch.counts
    return values - means[batch.owner].astype(np.float32)


def _slopes(values: NDArray[np.float32], batch: Batch) -> NDArray[np.float32]:
    """Return the derivatives of the mean squared error with respect to the centred values of the moves."""
    error = _centred(values, batch) - _centred(batch.moves["worth"], batch)
    return _centred(error, batch) * np.float32(2 / len(error))


class _Adam:
    """The AdamW optimiser, with its moments."""

    def __init__(self, arrays: Arrays, decay: float) -> None:
        self.arrays, self.decay, self.steps = arrays, decay, 0
        self.means = {name: np.zeros_like(array) for name, array in arrays.items()}
        self.squares = {name: np.zeros_like(array) for name, array in arrays.items()}

    def step(self, slopes: Arrays, rate: float) -> None:
        self.steps += 1
        scale = rate * math.sqrt(1 - 0.999**self.steps) / (1 - 0.9**self.steps)
        for name, slope in slopes.items():
            mean, square = self.means[name], self.squares[name]
            mean += 0.1 * (slope - mean)
            square += 0.001 * (slope * slope - square)
            self.arrays[name] -= rate * self.decay * self.arrays[name]
            self.arrays[name] -= scale * mean / (np.sqrt(square) + 1e-8)


def _batches(counts: Sequence[int], size: int, random: Any) -> Iterator[tuple[int, NDArray[np.int64]]]:
    """Yield batches (table, decision indices) in random order, each from a single table, with every decision once."""
    parts = []
    for number, count in enumerate(counts):
        mixed = random.permutation(count)
        parts += [(number, part) for part in np.array_split(mixed, max(1, round(len(mixed) / size)))]
    for index in random.permutation(len(parts)):
        yield parts[index]


def fit(
    arrays: Mapping[str, Any], tables: Sequence[Decisions], layers: Callable[[Arrays, Batch], Layers],
    how: Fitting, seed: int, progress: Callable[[int, int], None] | None = None,
    slopes: Callable[[Any, Batch], Any] | None = None,
) -> Arrays:  # fmt: skip
    """Fit a net to the decisions of several tables, starting from ``arrays``, and return its arrays.

    ``layers`` evaluates a net's arrays on a batch; ``slopes`` returns the derivatives of the loss with respect to its
    values, by default of the loss described in the module docstring.
    """
    slopes = slopes or _slopes
    random = np.random.default_rng(seed)
    fitted: Arrays = {name: array.copy() for name, array in arrays.items()}
    adam = _Adam(fitted, how.decay)
    steps = max(1, round(how.rounds * sum(max(1, round(len(decisions.states) / how.size)) for decisions in tables)))
    while adam.steps < steps:
        for table, which in _batches([len(decisions.states) for decisions in tables], how.size, random):
            batch = tables[table].batch(which)
            output = layers(fitted, batch)
            adam.step(output.backward(slopes(output.values, batch)), how.rate * _warmth(adam.steps / steps))
            if progress is not None:
                progress(adam.steps, steps)
            if adam.steps == steps:
                break
    return fitted


def _warmth(done: float) -> float:
    """Return the learning rate as a fraction of its maximum, given the fraction of steps done."""
    return min(1.0, 10 * done + 0.01) * 0.5 * (1 + math.cos(math.pi * max(0.0, done - 0.1) / 0.9))
