"""The numbers of a policy as one vector: its start, the step sizes, and the conversion back to a line-up entry.

A coordinate counts steps from the start: value = start + step * coordinate. A step is 0.3 plus a fifth of the value, so
that small and large weights move at similar rates; for whole numbers it is at least 1. Values are rounded to
thousandths before they are played, so the written values are exactly the played ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from wsim.errors import UserError
from wsim.policies.lineup import Entry, Value
from wsim.tuning.question import check_only

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from wsim.policies.numbers import Number

STEP, SHARE = 0.3, 0.2
DIGITS = 3


@dataclass(frozen=True)
class Space:
    """The numbers of an entry, and which of their values move.

    Attributes
    ----------
    entry: the initial entry. numbers: all numbers that may be set. moved: the indices of the values that the search
        moves.
    """

    entry: Entry
    numbers: tuple[Number, ...]
    moved: tuple[int, ...]

    @cached_property
    def start(self) -> NDArray[np.float64]:
        """The initial values, number by number, with the parts of each number in order."""
        return np.array([value for number in self.numbers for value in number.values])

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The label of each value: the name of its number, with the index of the part if there are several."""
        return tuple(
            number.name if len(number.values) == 1 else f"{number.name}[{part + 1}]"
            for number in self.numbers
            for part in range(len(number.values))
        )

    @cached_property
    def _owners(self) -> list[Number]:
        return [number for number in self.numbers for _ in number.values]

    @cached_property
    def _steps(self) -> NDArray[np.float64]:
        whole = np.array([number.whole for number in self._owners])
        steps: NDArray[np.float64] = np.where(whole, 1.0, STEP) + SHARE * np.abs(self.start)
        return steps

    @property
    def bounds(self) -> NDArray[np.float64]:
        """The bounds of each moved coordinate, shape (moved, 2); infinite if unbounded."""
        limits = np.array([(number.least, number.most) for number in self._owners], float)
        of_all = (limits - self.start[:, None]) / self._steps[:, None]
        chosen: NDArray[np.float64] = of_all[list(self.moved)]
        return chosen

    def values(self, coordinates: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return all values at a point of the search space, rounded as in files."""
        values = self.start.copy()
        indices = list(self.moved)
        values[indices] += self._steps[indices] * coordinates
        for index in indices:
            number = self._owners[index]
            values[index] = min(max(round(values[index], 0 if number.whole else DIGITS), number.least), number.most)
        return values

    def at(self, coordinates: NDArray[np.float64]) -> Entry:
        """Return the line-up entry that plays with the values at a point of the search space."""
        values = self.values(coordinates)
        parameters: dict[str, Value] = dict(self.entry.parameters)
        first = 0
        moving = set(self.moved)
        for number in self.numbers:
            indices = range(first, first + len(number.values))
            first = indices.stop
            if moving.intersection(indices):
                parameters[number.name] = _value_of(number, [float(values[index]) for index in indices])
        return Entry(self.entry.name, parameters, self.entry.path)

    def restricted(self, moved: Sequence[int]) -> Space:
        """Return the space in which only these values move."""
        return Space(self.entry, self.numbers, tuple(moved))


def _value_of(number: Number, values: Sequence[float]) -> Value:
    if number.whole:
        return int(values[0])
    return values[0] if len(values) == 1 else "/".join(map(repr, values))


def space_of(entry: Entry, numbers: Sequence[Number], only: Sequence[str]) -> Space:
    """Return the space of an entry's numbers, of which only ``only`` move; raise UserError if there are none."""
    if not numbers:
        raise UserError(f"{str(entry)!r} has no numbers to tune: weights, or numbers among its parameters, are needed")
    check_only(only, [number.name for number in numbers], str(entry))
    owners = [number for number in numbers for _ in number.values]
    moved = [index for index, number in enumerate(owners) if not only or number.name in only]
    return Space(entry, tuple(numbers), tuple(moved))
