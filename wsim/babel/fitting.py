"""What ``wsim.learn.fitting`` needs of Tower of Babel: the layers of ``policies/net.py`` and their derivatives."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from wsim.babel.nets import SHAPES
from wsim.learn.fitting import Arrays, MovesOf, UpperLayers
from wsim.learn.fitting import fit as fitted
from wsim.learn.fitting import fresh_arrays as fresh

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from wsim.learn.learner import Fitting

__all__ = ["Decisions", "fit", "fresh_arrays", "values_of"]

_INPUTS = {"of_number": 40, "of_move": 20, "second": 64, "last": 32}  # that are not 0, about
_VALUE = 0  # of the numbers of a move: what ``weighted`` says


@dataclass(frozen=True, eq=False)
class Decisions:
    """Decisions of one table.

    Attributes
    ----------
    states, moves: records of ``learning``; the moves of a state follow those of the one before.
    """

    states: NDArray[Any]
    moves: NDArray[Any]

    @cached_property
    def _moves_of(self) -> MovesOf:
        return MovesOf(self.states["moves"])

    def batch(self, which: NDArray[np.int64]) -> Batch:
        """Return some decisions with their moves."""
        counts, owner, places = self._moves_of.of(which)
        moves = self.moves[places]
        return Batch(self.states["numbers"][which], owner, counts, moves["numbers"], moves["worth"])


@dataclass(frozen=True, eq=False)
class Batch:
    """Inputs of some decisions: of states (B), and of all their moves (N)."""

    numbers: NDArray[np.float32]
    owner: NDArray[np.int64]
    counts: NDArray[np.int64]
    move_numbers: NDArray[np.float32]
    worth: NDArray[np.float32]


def fresh_arrays(seed: int) -> Arrays:
    """Return a net that has learned nothing: it follows ``weighted``."""
    return fresh(SHAPES, _INPUTS, _VALUE, seed)


class _Forward:
    """The layers of a net for a batch, kept for the derivatives."""

    def __init__(self, arrays: Mapping[str, Any], batch: Batch) -> None:
        self._batch = batch
        layer = (arrays["bias"] + batch.numbers @ arrays["of_number"])[batch.owner]
        layer += batch.move_numbers @ arrays["of_move"]
        self._upper = UpperLayers(arrays, batch, layer)
        self.values = self._upper.values

    def backward(self, error: NDArray[np.float32]) -> Arrays:
        """Return the derivatives of a loss by the arrays, given those by the values."""
        found, _, of_state = self._upper.backward(error)
        found["of_number"] = self._batch.numbers.T @ of_state
        return found


def values_of(
    arrays: Mapping[str, Any], decisions: Decisions, which: NDArray[np.int64]
) -> tuple[NDArray[np.float32], Batch]:
    """Return the value of every move of some decisions, and the batch."""
    batch = decisions.batch(which)
    return _Forward(arrays, batch).values, batch


def fit(
    arrays: Mapping[str, Any], tables: Sequence[Decisions], how: Fitting, seed: int,
    progress: Callable[[int, int], None] | None = None,
) -> Arrays:  # fmt: skip
    """Return a net fitted to the decisions of some tables, beginning from ``arrays`` (``wsim.learn.fitting``)."""
    return fitted(arrays, tables, lambda now, _, batch: _Forward(now, batch), how, seed, progress)
