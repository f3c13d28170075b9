"""Propose patches: the cheapest changes that bring every cell within its bounds, by local search.

Effects are assumed to be additive around the measured patch. The best single change or pair of changes is applied until
none helps. This stays near the current patch and works as well as an exact solver, whose solutions jump around.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wsim.balance.cells import Cell
from wsim.balance.knobs import Knob, Option, Patch, patch_of, values_in
from wsim.balance.sampling import Effects, Level

PENALTY = 12.0  # cost of missing the accepted interval by its whole width; a change costs about 1
MAX_MOVES = 200
SLACK = 0.2  # fraction of the accepted interval that is reserved for errors of the model
MIN_AIM = 0.35
SCALES = (0.7, 0.85, 1.0)  # true effects are about these fractions of effects measured with fixed decisions
MAYBE = 2.5  # a patch up to this many standard errors out of bounds may still be within them
_SURE = 1.645  # minimum distance of a level from its bound in a proof, in standard errors
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Aims:
    """The aims of a search: bounds tightened to allow for errors.

    Attributes
    ----------
    low, high: the target range of each cell. reach: half the width of each cell's accepted range.
    """

    low: Floats
    high: Floats
    reach: Floats

    @classmethod
    def of(cls, cells: Sequence[Cell], error: Floats, slack: float = SLACK) -> Aims:
        """Compute the aims for cells that are measured with the given errors."""
        reach = np.array([cell.reach for cell in cells])
        inwards = np.minimum(_SURE * error + slack * reach, (1 - MIN_AIM) * reach)
        low, high = (np.array([getattr(cell, end) for cell in cells]) for end in ("low", "high"))
        return cls(low + inwards, high - inwards, reach)

    def excess(self, value: Floats) -> Floats:
        """Return the total distance of values beyond the aims; cells are the last axis."""
        beyond = np.maximum(np.maximum(value - self.high, self.low - value), 0) / self.reach
        return np.asarray(beyond.sum(axis=-1), float)


class _State:
    """The chosen option of each knob, and the resulting cell values."""

    def __init__(self, knobs: Sequence[Knob], options: Sequence[Option], patch: Patch, value: Floats) -> None:
        index_of = {(option.knob, option.value): number for number, option in enumerate(options)}
        self.at = np.array([index_of[knob, now] for knob, now in enumerate(values_in(knobs, patch))])
        self.now = value.copy()
        self.of_knob = np.array([option.knob for option in options])
        self.cost = np.array([knobs[option.knob].cost(option.value) for option in options])


def repaired(
    knobs: Sequence[Knob], options: Sequence[Option], patch: Patch, level: Level, effects: Effects, aims: Aims
) -> tuple[Patch, Floats]:
    """Find the cheapest patch near ``patch`` that meets the aims, if any, and its predicted cell values.

    Parameters
    ----------
    level, effects: the level and effects measured at ``patch``.
    """
    state = _State(knobs, options, patch, level.value)
    for _ in range(MAX_MOVES):
        before = state.at[state.of_knob]
        change = effects.value - effects.value[before]
        price = state.cost - state.cost[before]
        single = PENALTY * aims.excess(state.now + change) + price
        best, chosen = PENALTY * float(aims.excess(state.now)) - 1e-6, list[int]()
        if single.min() < best:
            best, chosen = float(single.min()), [int(single.argmin())]
        for first in np.flatnonzero(before != np.arange(len(before))):
            pair = PENALTY * aims.excess(state.now + change[first] + change) + price + price[first]
            pair[state.of_knob == state.of_knob[first]] = np.inf
            if pair.min() < best - 1e-9:
                best, chosen = float(pair.min()), [int(first), int(pair.argmin())]
        if not chosen:
            break
        for option in chosen:
            knob = state.of_knob[option]
            state.now = state.now + effects.value[option] - effects.value[state.at[knob]]
            state.at[knob] = option
    return patch_of(knobs, [options[option].value for option in state.at]), state.now


def proposals(
    knobs: Sequence[Knob],
    options: Sequence[Option],
    patch: Patch,
    level: Level,
    effects: Effects,
    cells: Sequence[Cell],
    seed: int,
) -> Iterator[Patch]:
    """Yield patches near ``patch`` endlessly, each optimal for levels and effects drawn from the estimates."""
    random = np.random.default_rng(seed)
    shape = effects.value.shape
    while True:
        scale = random.normal(1, 0.15, (shape[0], 1))  # the part of an effect that re-scoring does not capture
        drawn = Effects(
            effects.value * scale + effects.error * effects.replayed * random.standard_normal(shape),
            effects.error,
            effects.replayed,
        )
        value = level.value + level.error * random.standard_normal(shape[1])
        aims = Aims.of(cells, level.error, random.uniform(0.1, 0.6))
        yield repaired(knobs, options, patch, Level(value, level.error, level.games), drawn, aims)[0]


def small_patches(
    knobs: Sequence[Knob],
    options: Sequence[Option],
    level: Level,
    effects: Effects,
    cells: Sequence[Cell],
    dearer: float,
) -> Iterator[Patch]:
    """Yield the patches of one or two values that may bring every cell within its bounds, the cheapest first.

    Parameters
    ----------
    level, effects: the level and effects measured without a patch. dearer: an upper limit (exclusive) on the cost of
        the patches.
    """
    low, high, reach = (np.array([getattr(cell, end) for cell in cells]) for end in ("low", "high", "reach"))
    cost = np.array([knobs[option.knob].cost(option.value) for option in options])
    knob = np.array([option.knob for option in options])
    changed = np.flatnonzero((cost > 0) & (cost < dearer))
    affordable: list[tuple[float, float, tuple[int, ...]]] = []
    for first in map(int, changed):
        fits = (changed > first) & (knob[changed] != knob[first]) & (cost[changed] + cost[first] < dearer)
        for alone, indices in ((True, np.array([first])), (False, changed[fits])):
            value, error = effects.value[indices], effects.error[indices]
            price = cost[indices] + (0.0 if alone else cost[first])
            if not alone:
                value, error = value + effects.value[first], np.hypot(error, effects.error[first])
            slack = MAYBE * np.hypot(level.error, error)
            beyond = [np.maximum(level.value + by * value - high, low - level.value - by * value) for by in SCALES]
            worst = ((np.min(beyond, axis=0) - slack) / reach).max(axis=1)
            for column in map(int, np.flatnonzero(worst <= 0)):
                patch = (first,) if alone else (first, int(indices[column]))
                affordable.append((float(price[column]), float(worst[column]), patch))
    for _, _, chosen in sorted(affordable):
        values = [entry.base for entry in knobs]
        for number in chosen:
            values[options[number].knob] = options[number].value
        yield patch_of(knobs, values)
