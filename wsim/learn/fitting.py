"""Fitting a net to what moves were worth, in numpy: the same for every game, which hands in its layers.

The loss is the mean squared error of the value of a move against its worth by playouts, both as differences from the
mean of its decision: only which move is better than another is learned. AdamW (Loshchilov and Hutter 2019), a learning
rate that rises for a tenth of the steps and falls to nothing along a cosine.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from wsim.learn.learner import Fitting

__all__ = ["Arrays", "Batch", "Decisions", "Forward", "MovesOf", "UpperLayers", "fit", "fresh_arrays"]

Arrays = dict[str, Any]


class Batch(Protocol):
    """Inputs of some decisions and of all their moves.

    Attributes
    ----------
    owner: of each move the place of its decision. counts: of each decision its moves.
    move_numbers, worth: of each move.
    """

    @property
    def owner(self) -> NDArray[np.int64]: ...

    @property
    def counts(self) -> NDArray[np.int64]: ...

    @property
    def move_numbers(self) -> NDArray[np.float32]: ...

    @property
    def worth(self) -> NDArray[np.float32]: ...


class Forward(Protocol):
    """The layers of a net for a batch, kept for the derivatives.

    Attributes
    ----------
    values: of all moves.
    """

    @property
    def values(self) -> NDArray[np.float32]: ...

    def backward(self, error: NDArray[np.float32]) -> Arrays:
        """Return the derivatives of a loss by the arrays, given those by the values."""
        ...


class Decisions(Protocol):
    """Decisions of one table."""

    @property
    def states(self) -> NDArray[Any]: ...

    def batch(self, which: NDArray[np.int64]) -> Any:
        """Return some of them as a ``Batch``."""
        ...


class MovesOf:
    """Which moves belong to which decision, where those of a decision follow those of the one before.

    Parameters
    ----------
    counts: of each decision its moves.
    """

    def __init__(self, counts: NDArray[Any]) -> None:
        self.counts = counts

    @cached_property
    def _starts(self) -> NDArray[np.int64]:
        return np.concatenate([[0], np.cumsum(self.counts, dtype=np.int64)])

    def of(self, which: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Return of some decisions: the moves of each, of each move its decision's place in ``which``, and its own."""
        counts = self.counts[which].astype(np.int64)
        owner = np.repeat(np.arange(len(which)), counts)
        within = np.arange(len(owner)) - np.repeat(np.cumsum(counts) - counts, counts)
        return counts, owner, self._starts[which][owner] + within


def fresh_arrays(shapes: Mapping[str, tuple[int, ...]], inputs: Mapping[str, float], value: int, seed: int) -> Arrays:
    """Return a net that has learned nothing: it follows ``weighted``.

    ``inputs``: by array, how many of its inputs are not 0, about; an array without is 0 at first. ``value``: the place
    of what ``weighted`` says among the numbers of a move.
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


class UpperLayers:
    """What every net makes of its first layer: the second one and the values; kept for the derivatives.

    Parameters
    ----------
    arrays: of the net. batch: what ``layer``, the sums of the first layer's inputs, is of; it is overwritten.
    """

    def __init__(self, arrays: Mapping[str, Any], batch: Batch, layer: NDArray[np.float32]) -> None:
        self._arrays, self._batch = arrays, batch
        self._first = np.maximum(layer, 0, out=layer)
        self._second = np.maximum(self._first @ arrays["second"] + arrays["second_bias"], 0)
        self.values = self._second @ arrays["last"] + batch.move_numbers @ arrays["straight"]

    def backward(self, error: NDArray[np.float32]) -> tuple[Arrays, NDArray[np.float32], NDArray[np.float32]]:
        """Return derivatives, given those by the values: by these arrays, by the first layer of moves and of states."""
        batch, arrays = self._batch, self._arrays
        found: Arrays = {"last": self._second.T @ error, "straight": batch.move_numbers.T @ error}
        second = error[:, None] * arrays["last"] * (self._second > 0)
        found["second"], found["second_bias"] = self._first.T @ second, second.sum(0)
        first = (second @ arrays["second"].T) * (self._first > 0)
        found["of_move"] = batch.move_numbers.T @ first
        of_state = np.add.reduceat(first, np.cumsum(batch.counts) - batch.counts, axis=0)
        found["bias"] = of_state.sum(0)
        return found, first, of_state


def _centred(values: NDArray[np.float32], batch: Batch) -> NDArray[np.float32]:
    """Return differences from the mean of each decision."""
    starts = np.cumsum(batch.counts) - batch.counts
    means = np.add.reduceat(values, starts) / batch.counts
    return values - means[batch.owner].astype(np.float32)


class _Adam:
    """AdamW with its moments."""

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
    """Yield (table, decisions): every decision once, each batch of one table, in random order."""
    parts = []
    for number, count in enumerate(counts):
        mixed = random.permutation(count)
        parts += [(number, part) for part in np.array_split(mixed, max(1, round(len(mixed) / size)))]
    for place in random.permutation(len(parts)):
        yield parts[place]


def fit(
    arrays: Mapping[str, Any], tables: Sequence[Decisions], layers: Callable[[Arrays, Any, Any], Forward],
    how: Fitting, seed: int, progress: Callable[[int, int], None] | None = None,
) -> Arrays:  # fmt: skip
    """Return a net fitted to the decisions of some tables, beginning from ``arrays``.

    ``layers`` returns what a net's arrays make of a batch of a table: (arrays, table, batch) -> ``Forward``.
    """
    random = np.random.default_rng(seed)
    found: Arrays = {name: array.copy() for name, array in arrays.items()}
    adam = _Adam(found, how.decay)
    steps = max(1, round(how.rounds * sum(max(1, round(len(one.states) / how.size)) for one in tables)))
    while adam.steps < steps:
        for table, which in _batches([len(one.states) for one in tables], how.size, random):
            batch = tables[table].batch(which)
            forward = layers(found, tables[table], batch)
            error = _centred(forward.values, batch) - _centred(batch.worth, batch)
            slopes = forward.backward(_centred(error, batch) * np.float32(2 / len(error)))
            adam.step(slopes, how.rate * _warmth(adam.steps / steps))
            if progress is not None:
                progress(adam.steps, steps)
            if adam.steps == steps:
                break
    return found


def _warmth(done: float) -> float:
    """Return the part of the highest learning rate that holds when so much of the steps is done."""
    return min(1.0, 10 * done + 0.01) * 0.5 * (1 + math.cos(math.pi * max(0.0, done - 0.1) / 0.9))
