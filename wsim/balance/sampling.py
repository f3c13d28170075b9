"""What is measured of a patch: its level, and the effects of every option next to it; how games are played for that."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from wsim.balance.cells import Cell
from wsim.balance.knobs import Option
from wsim.balance.measurements import Arrays, Memory, seed_of
from wsim.lab.batch import in_chunks
from wsim.lab.progress import Progress

CHUNK = 2048  # games; fixed, so that sums are added up in one order whatever the threads
Floats: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True)
class Level:
    """What a patch measures.

    Attributes
    ----------
    value, error: of each cell. games: that were played.
    """

    value: Floats
    error: Floats
    games: int


@dataclass(frozen=True)
class Effects:
    """What each option does to each cell, next to the patch that was measured; shape (options, cells).

    Attributes
    ----------
    replayed: whether games were played for the option, or its points given to those that were there.
    """

    value: Floats
    error: Floats
    replayed: NDArray[np.bool_]


def no_effects(options: Sequence[Option], cells: Sequence[Cell]) -> Effects:
    """Return no effects, to be filled in."""
    value, error = np.zeros((2, len(options), len(cells)))
    return Effects(value, error, np.zeros(len(options), bool))


class Sampler:
    """Plays games and adds up what they say: on which threads, from which seeds, told to whom, remembered where."""

    def __init__(
        self, memory: Memory, root: tuple[object, ...], threads: int | None, progress: Progress | None
    ) -> None:
        self.memory, self._root, self.threads, self.progress = memory, root, threads, progress

    def seed(self, *purpose: object) -> int:
        """Return the seed of a purpose; no two purposes share one."""
        return seed_of(*self._root, *purpose)

    def added(self, make: Callable[[range], Arrays], games: range, what: str) -> Arrays:
        """Return the sum of what chunks of games make, added in their order."""
        result: Arrays = {}
        done = 0
        for found in in_chunks(make, [games], threads=self.threads, chunk=CHUNK):
            for name, values in found.items():
                result[name] = result[name] + values if name in result else values
            done += min(CHUNK, len(games) - done)
            if self.progress is not None:
                self.progress(what, done, len(games))
        return result
