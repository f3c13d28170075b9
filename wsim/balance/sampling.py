"""Measurements of a patch (its level and the effects of every option), and the sampler that plays games for them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from wsim.balance.cells import Cell
from wsim.balance.knobs import Option, Patch
from wsim.balance.measurements import Arrays, Memory, seed_of
from wsim.lab.execution import Execution
from wsim.limits import GameLimitError

if TYPE_CHECKING:
    from wsim.game import Simulator
    from wsim.lab.plan import Plan

_FAR = 1e9
CHUNK = 2048  # games; fixed, so that sums are added in the same order with any number of threads
Floats: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True)
class Level:
    """The measurement of a patch.

    Attributes
    ----------
    value, error: value and standard error of each cell. games: number of games played.
    """

    value: Floats
    error: Floats
    games: int


@dataclass(frozen=True)
class Effects:
    """The effect of adding each option to the measured patch, on each cell; all arrays have the shape (options, cells).

    Attributes
    ----------
    replayed: whether games were replayed for the effect; otherwise games were re-scored.
    """

    value: Floats
    error: Floats
    replayed: NDArray[np.bool_]


def no_effects(options: Sequence[Option], cells: Sequence[Cell]) -> Effects:
    """Return zero effects of all options on all cells, to be filled in."""
    value, error = np.zeros((2, len(options), len(cells)))
    return Effects(value, error, np.zeros(value.shape, bool))


def unplayable_level(cells: Sequence[Cell], games: int) -> Level:
    """Return a placeholder level for a patch that cannot be played: every cell is far beyond a bound."""
    value = [cell.low - _FAR if math.isinf(cell.high) else cell.high + _FAR for cell in cells]
    return Level(np.array(value), np.zeros(len(cells)), games)


class Sampler:
    """Plays games and adds up their sums; provides seeds, threads, and the memory of measurements.

    Attributes
    ----------
    refused: patches with which a game broke a limit, and the reasons; a search never chooses them.
    """

    def __init__(self, memory: Memory, root: tuple[object, ...], execution: Execution) -> None:
        self.memory, self._root, self.execution = memory, root, execution
        self.refused: dict[Patch, str] = {}

    def refuse(self, patch: Patch, error: GameLimitError) -> None:
        """Record a patch whose games break a limit (``wsim.limits``); raise the error if there is no patch."""
        if not patch:
            raise error
        self.refused[patch] = str(error)

    def seed(self, *purpose: object) -> int:
        """Return the seed of a purpose; no two purposes share a seed."""
        return seed_of(*self._root, *purpose)

    def added(
        self, make: Callable[[range], Arrays], ready: Sequence[tuple[Plan, Simulator]], games: range, activity: str
    ) -> Arrays:
        """Play chunks of games and add up their results in order; ``ready``: the simulators to use."""
        result: Arrays = {}
        done = 0
        with self.execution.chunk_runner(ready) as chunks_of, closing(chunks_of(make, [games], CHUNK)) as chunks:
            for sums in chunks:
                for name, values in sums.items():
                    result[name] = result[name] + values if name in result else values
                done += min(CHUNK, len(games) - done)
                self.execution.report(activity, done, len(games))
        return result
