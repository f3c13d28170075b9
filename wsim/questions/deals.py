"""Arms on common deals: every arm plays the same games with the same seed, and results are summed deal by deal.

The deal of a game depends only on the seed and its number (wsim/rng.py), so the luck of cards and seating is the same
in every arm and cancels in a contrast between arms. Each game is reduced to a few *features*, which are summed over
deals (``wsim.stats.moments``), so memory use does not grow with the number of games.

All comparisons use this module: what-if (variants and a baseline), matches (line-ups), skill and robustness (players in
self-play), balance (values of a game), tuning (candidates), and the evaluation of nets.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from wsim.errors import UserError
from wsim.lab.execution import Execution
from wsim.lab.wishes import rows_and_wishes
from wsim.questions.pooled import orders_of

if TYPE_CHECKING:
    import polars as pl

    from wsim.game import Simulator
    from wsim.lab.cluster import InChunks
    from wsim.lab.plan import Plan
    from wsim.lab.tasks import Ready

MOST_SIDES = 7
"""Largest number of players or teams in a game."""
WIN_UNITS = 420
"""Number of units in a victory, so that shares among up to ``MOST_SIDES`` sides, and means over sides, are whole
numbers.
"""

Features: TypeAlias = Sequence[NDArray[Any]]
"""Features of games, each an array of shape (..., games), in the form that ``wsim.stats.moments.Moments.add`` takes."""
Reading: TypeAlias = "Callable[[pl.DataFrame, range], Features]"
"""A function of a seats table (whole games in order) and its game numbers; returns the features of the games."""


@dataclass(frozen=True)
class Arm:
    """An arm of a comparison: one way to play the common games.

    Attributes
    ----------
    name: the name of the arm.
    simulators: a single one; or one for each seat in ``seats``, which treats that seat differently (forbids trade, for
        example).
    seats: the seats whose rows come from these simulators; None if a single simulator provides all rows.
    items: the items for which each seat's wishes are counted, in games whose policies are overruled (``wish_columns``).
    seatings: whether every deal is played in every seating of the line-up (``orders_of``), one after the other.
    """

    name: str
    simulators: tuple[Simulator, ...]
    seats: tuple[int, ...] | None = None
    items: tuple[str, ...] = ()
    seatings: bool = False

    @property
    def games_of_deal(self) -> int:
        """The number of games that the arm plays per deal."""
        return len(self.simulators) * (self.simulators[0].plan.players if self.seatings else 1)

    def rows(self, games: range) -> NDArray[Any]:
        """Play games and return their rows; with ``seats``, each seat's row comes from its own simulator."""
        return self._played(games)[0]

    def frame(self, games: range) -> pl.DataFrame:
        """Play games and return their seats table, with the ``wish_columns`` of the items."""
        import polars as pl

        rows, wishes = self._played(games)
        both, could = wishes[..., :2].sum(axis=2), wishes[..., 2]
        share = np.divide(both, could, out=np.zeros_like(both), where=could > 0)
        counts = np.concatenate([wishes, share[..., None]], axis=2).reshape(len(rows), -1).T
        columns = [pl.Series(name, count) for name, count in zip(wish_columns(self.items), counts, strict=True)]
        return self.simulators[0].seats_frame(rows).with_columns(columns)

    def _played(self, games: range) -> tuple[NDArray[Any], NDArray[np.float64]]:
        """Play games and return their rows and each row's counts of wishes for the items (``rows_and_wishes``)."""
        if self.seatings:
            rows = _in_every_seating(self.simulators[0], games)
            return rows, np.zeros((len(rows), 0, 3))
        whole = rows_and_wishes(self.simulators[0], games, self.items)
        if self.seats is not None:
            for simulator, seat in zip(self.simulators[1:], self.seats[1:], strict=True):
                for all_seats, apart in zip(whole, rows_and_wishes(simulator, games, self.items), strict=True):
                    all_seats[seat :: simulator.seats] = apart[seat :: simulator.seats]
        return whole


def _in_every_seating(simulator: Simulator, deals: range) -> NDArray[Any]:
    """Play deals in every seating of the line-up and return the rows; games of the same deal are adjacent."""
    orders, seats = orders_of(simulator.plan.players), simulator.seats
    rows = np.zeros((len(orders), len(deals), seats), simulator.row_dtype)
    for order, of_order in zip(orders, rows, strict=True):
        simulator.play_seated(deals.start, of_order.reshape(-1), np.tile(order, (len(deals), 1)))
        of_order["policy"][:, : len(order)] = order  # rows are written with the seats of the plan
    return np.ascontiguousarray(rows.transpose(1, 0, 2)).reshape(-1)


def wish_columns(items: Iterable[str]) -> list[str]:
    """Return the names of the columns that count a seat's wishes, for each item.

    They are: followed wishes, overruled wishes, turns on which the item was available, and the share of these turns
    that wanted it.
    """
    return [f"{name}:{item}" for item in items for name in ("followed", "overruled", "could", "wanted")]


@dataclass(frozen=True)
class Arms:
    """Several arms, with the function that extracts features from their games.

    Attributes
    ----------
    arms: the arms, the baseline first. read: returns the features of games.
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

    Sums are added block by block, so the result does not depend on threads, workers or chunks.
    """
    with closing(chunks_of(play, blocks)) as chunks:
        for games in blocks:
            waiting: list[Sequence[Features]] = []
            while sum(arms[0][0].shape[-1] for arms in waiting) < len(games):
                waiting.append(next(chunks))
            yield [_joined(parts) for parts in zip(*waiting, strict=True)]


@dataclass(frozen=True)
class _ArmByArm:
    """Plays games numbered consecutively across arms: arm 0 has the first ``len(games)`` numbers, and so on."""

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
    """Play the same games in all arms, and return each arm's features, by set; ``ready``: all simulators.

    The games of all arms form one sequence, so that all threads have work even with many arms and few games.
    """
    every = tuple((arm, arms.read) for arms in sets for arm in arms.arms)
    count = len(games)
    row = [range(first, first + count) for first in range(0, count * len(every), count)]
    with (
        execution.chunk_runner(ready) as chunks_of,
        closing(chunks_of(_ArmByArm(every, games), row)) as chunks,
    ):
        played = _joined(list(chunks))
    by_arm = iter([[features[..., part.start : part.stop] for features in played] for part in row])
    return [[next(by_arm) for _ in arms.arms] for arms in sets]


def _joined(parts: Sequence[Features]) -> Features:
    """Concatenate features along the axis of games."""
    if len(parts) == 1:
        return parts[0]
    return [np.concatenate(part, axis=-1) for part in zip(*parts, strict=True)]


def sample(simulator: Simulator) -> pl.DataFrame:
    """Return a seats table without rows, for its columns and their possible names."""
    return simulator.seats_frame(np.zeros(0, simulator.row_dtype))


def sides_of(simulator: Simulator) -> tuple[tuple[int, ...], ...]:
    """Play a game to find the seats of each side, without seats that do not compete."""
    frame = Arm("", (simulator,)).frame(range(1))
    column = "team" if "team" in frame.columns else "seat"
    sides: dict[int, list[int]] = {}
    for row in frame.to_dicts():
        if row.get("rank", 1) > 0:
            sides.setdefault(row[column], []).append(row["seat"])
    return tuple(map(tuple, sides.values()))


def wins_of(frame: pl.DataFrame, games: int) -> NDArray[np.int64]:
    """Return each seat's share of the victory, in units of 1 / ``WIN_UNITS``, shape (games, seats)."""
    shares = frame["win_share"].to_numpy().astype(np.float64)
    whole: NDArray[np.int64] = np.rint(shares * WIN_UNITS).astype(np.int64).reshape(games, -1)
    return whole


def different_policies(plan: Plan, policies: Iterable[str | Callable[..., int]], twice: str) -> tuple[str, ...]:
    """Spell policies canonically; raise UserError with the message ``twice`` for a duplicate."""
    names = [name for policy in policies for name in plan.replace(players=1, policies=[policy]).policies]
    for index, name in enumerate(names):
        if name in names[:index]:
            raise UserError(twice.format(name))
    return tuple(names)
