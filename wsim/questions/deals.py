"""Arms on common deals: every arm plays the same games of the same seed, is read alike, and is added up deal by deal.

The deal of a game depends on the seed and its number only (wsim/rng.py), so the luck of the cards and of the seating is
the same in every arm and cancels in a contrast, arm less arm. What is read off each game are a few numbers, its
*features*; what is kept of them are sums over deals (``wsim.stats.moments``): memory does not grow with the games.

All that plays to compare stands on this: what-if (variants and a baseline), matches (line-ups), skill and
rest (players, each alone), balance (values of a game), tuning (candidates), and judging (an arm or two).
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from wsim.errors import UserError
from wsim.lab.batch import rows_and_picks
from wsim.lab.execution import Execution

if TYPE_CHECKING:
    import polars as pl

    from wsim.game import Simulator
    from wsim.lab.cluster import InChunks
    from wsim.lab.plan import Plan
    from wsim.lab.tasks import Ready

MOST_SIDES = 7
"""Players or teams of a game, at most."""
PARTS = 420
"""In these parts a victory that up to ``MOST_SIDES`` share, and a mean over them, is a whole number."""

Features: TypeAlias = Sequence[NDArray[Any]]
"""Numbers of games, each an array of shape (..., games), as ``wsim.stats.moments.Moments.add`` takes them."""
Reading: TypeAlias = "Callable[[pl.DataFrame, range], Features]"
"""What is read off games: a function of their seats table, whole games in order, and of their numbers."""


@dataclass(frozen=True)
class Arm:
    """One way to play.

    Attributes
    ----------
    name: what it is called.
    simulators: one; or one for each seat in ``seats``, in which that seat is treated apart (may not trade, say).
    seats: the seats whose rows come from these simulators; None with a single simulator, whose every row counts.
    """

    name: str
    simulators: tuple[Simulator, ...]
    seats: tuple[int, ...] | None = None

    def rows(self, games: range) -> NDArray[Any]:
        """Play games and return their rows; with ``seats``, the row of each from the simulator that treats it apart."""
        whole, _ = rows_and_picks(self.simulators[0], games, picks=False)
        if self.seats is not None:
            shape = (len(games), -1)
            for simulator, seat in zip(self.simulators[1:], self.seats[1:], strict=True):
                apart, _ = rows_and_picks(simulator, games, picks=False)
                whole.reshape(shape)[:, seat] = apart.reshape(shape)[:, seat]
        return whole

    def frame(self, games: range) -> pl.DataFrame:
        """Play games and return their seats table."""
        return self.simulators[0].seats_frame(self.rows(games))


@dataclass(frozen=True)
class Arms:
    """Arms, and what is read off their games.

    Attributes
    ----------
    arms: those that play; a baseline comes first. read: what is read off the games of each.
    """

    arms: tuple[Arm, ...]
    read: Reading

    def play(self, games: range) -> list[Features]:
        """Play games in every arm and return the features of each."""
        return [self.read(arm.frame(games), games) for arm in self.arms]


def in_blocks(
    play: Callable[[range], Sequence[Features]], blocks: Sequence[range], chunks_of: InChunks
) -> Generator[list[Features]]:
    """Play blocks of games and yield the features of every arm, block by block, in order.

    The blocks decide how sums are added up: neither threads, workers nor chunks can be seen in the result.
    """
    with closing(chunks_of(play, blocks)) as chunks:
        for games in blocks:
            waiting: list[Sequence[Features]] = []
            while sum(arms[0][0].shape[-1] for arms in waiting) < len(games):
                waiting.append(next(chunks))
            yield [_joined(parts) for parts in zip(*waiting, strict=True)]


@dataclass(frozen=True)
class _ArmByArm:
    """Plays games of arms that are numbered one arm after the other: arm 0 has the first ``games``, and so on."""

    every: tuple[tuple[Arm, Reading], ...]
    games: range

    def __call__(self, part: range) -> Features:
        """Return the features of games of one arm."""
        arm, read = self.every[part.start // len(self.games)]
        first = self.games.start + part.start % len(self.games)
        own = range(first, first + len(part))
        return read(arm.frame(own), own)


def arm_by_arm(
    sets: Sequence[Arms], ready: Sequence[Ready], games: range, execution: Execution
) -> list[list[Features]]:
    """Play the same games in all arms and return the features of each, set by set; ``ready``: all their simulators.

    It goes through arm after arm, so that many arms of few games leave no thread without work; nothing is known before
    all are played.
    """
    every = tuple((arm, arms.read) for arms in sets for arm in arms.arms)
    count = len(games)
    row = [range(first, first + count) for first in range(0, count * len(every), count)]
    with (
        execution.chunk_runner(ready) as chunks_of,
        closing(chunks_of(_ArmByArm(every, games), row)) as chunks,
    ):
        played = _joined(list(chunks))
    by_arm = iter([[one[..., part.start : part.stop] for one in played] for part in row])
    return [[next(by_arm) for _ in arms.arms] for arms in sets]


def _joined(parts: Sequence[Features]) -> Features:
    """Put the features of games behind each other."""
    if len(parts) == 1:
        return parts[0]
    return [np.concatenate(one, axis=-1) for one in zip(*parts, strict=True)]


def sample(simulator: Simulator) -> pl.DataFrame:
    """Return a seats table without rows: which columns there are, and which names may stand in them."""
    return simulator.seats_frame(np.zeros(0, simulator.row_dtype))


def wins_of(frame: pl.DataFrame, games: int) -> NDArray[np.int64]:
    """Return the part of each seat in the victory, in ``PARTS``, shape (games, seats)."""
    shares = frame["win_share"].to_numpy().astype(np.float64)
    whole: NDArray[np.int64] = np.rint(shares * PARTS).astype(np.int64).reshape(games, -1)
    return whole


def different_policies(plan: Plan, policies: Iterable[str | Callable[..., int]], twice: str) -> tuple[str, ...]:
    """Return policies as each is written; UserError for one that is there twice, in the words of ``twice``."""
    found = [one for policy in policies for one in plan.replace(players=1, policies=[policy]).policies]
    for place, name in enumerate(found):
        if name in found[:place]:
            raise UserError(twice.format(name))
    return tuple(found)
