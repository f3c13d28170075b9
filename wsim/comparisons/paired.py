"""Arms of a comparison on common deals: every arm plays the same games of the same seed, seat by seat.

The deal of a game depends on the seed and its number only (wsim/rng.py), so the luck of the cards and of the seating is
the same in every arm and cancels in the difference. What is kept of a game are two sums for each arm and metric
(``wsim.comparisons.metrics``): memory does not grow with the games.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from wsim.comparisons.metrics import Metric, sums_of
from wsim.lab.batch import play
from wsim.stats.moments import Moments

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    from wsim.game import Simulator
    from wsim.stats.intervals import Estimate

__all__ = ["Arm", "Comparison", "PairedTable", "play_paired"]

_ROUNDING = 1e-13
BASE_SUM, BASE_COUNT, SUM, COUNT = range(4)  # features of a game, see wsim.stats.moments


@dataclass(frozen=True)
class Arm:
    """One side of a comparison.

    Attributes
    ----------
    name: what it is called.
    simulators: one; or one for each seat in ``seats``, in which that seat is treated apart (may not trade, say).
    seats: the seats whose rows come from these simulators; None with a single simulator, whose every row counts.
    """

    name: str
    simulators: tuple[Simulator, ...]
    seats: tuple[int, ...] | None = None

    def rows(self, first: int, games: int) -> NDArray[Any]:
        """Play games and return their rows; with ``seats``, the row of each from the simulator that treats it apart."""
        whole = self._play(self.simulators[0], first, games)
        if self.seats is not None:
            for simulator, seat in zip(self.simulators[1:], self.seats[1:], strict=True):
                whole[:, seat] = self._play(simulator, first, games)[:, seat]
        return whole.reshape(-1)

    @staticmethod
    def _play(simulator: Simulator, first: int, games: int) -> NDArray[Any]:
        rows = np.zeros(games * simulator.seats, simulator.row_dtype)
        simulator.play(first, rows)
        return rows.reshape(games, simulator.seats)


class PairedTable:
    """Several arms as one table for ``wsim.lab.batch.play``: a game has one row, the sums of every arm and metric."""

    seats = 1
    pick_dtype = np.dtype([("none", "u1")])
    picks_per_game = 0

    def __init__(self, arms: Sequence[Arm], metrics: Sequence[Metric], concerned: NDArray[np.bool_]) -> None:
        """Compare ``arms``, the first of which is the baseline; ``concerned`` says which seats count."""
        self.arms = tuple(arms)
        self.metrics = tuple(metrics)
        self._concerned = concerned
        self.row_dtype = np.dtype([("sums", "f8", (len(arms), len(metrics), 2))])

    def play(self, first: int, rows: NDArray[Any], picks: NDArray[Any] | None = None) -> int:  # noqa: ARG002
        """Play the games from ``first`` in every arm and fill the rows, one per game; record no picks."""
        for place, arm in enumerate(self.arms):
            simulator = arm.simulators[0]
            frame = simulator.seats_frame(arm.rows(first, len(rows)))
            rows["sums"][:, place] = sums_of(frame, simulator.seats, self.metrics, self._concerned)
        return 0

    def seats_frame(self, rows: NDArray[Any]) -> pl.DataFrame:
        """Return the sums, one column each."""
        import polars as pl

        return pl.from_numpy(rows["sums"].reshape(len(rows), -1))

    def sums(self, frames: Sequence[pl.DataFrame]) -> NDArray[np.float64]:
        """Return the sums of games from such frames, shape (games, arms, metrics, 2)."""
        flat = np.concatenate([frame.to_numpy() for frame in frames])
        return flat.reshape(len(flat), len(self.arms), len(self.metrics), 2)


class Comparison:
    """What is known of every variant and metric after some games: the first arm against each of the others.

    Attributes
    ----------
    variants, metrics: how many.
    games: how many deals were played in every arm.
    """

    def __init__(self, variants: int, metrics: int) -> None:
        self.variants = variants
        self.metrics = metrics
        self.games = 0
        self._moments = Moments(variants * metrics, 4)

    def plus(self, sums: NDArray[np.float64]) -> Comparison:
        """Return what is known with more games, shape (games, arms, metrics, 2); this comparison stays as it is."""
        by_feature = sums.transpose(3, 1, 2, 0)  # numerator and denominator, arm, metric, game
        groups = (self.variants * self.metrics, len(sums))
        base = [np.tile(part[0], (self.variants, 1)) for part in by_feature]
        changed = [part[1:].reshape(groups) for part in by_feature]
        result = Comparison(self.variants, self.metrics)
        result._moments.merge(self._moments)
        result._moments.add(*base, *changed)
        result.games = self.games + len(sums)
        return result

    def base(self) -> Estimate:
        """Return the metrics of the baseline, variant by variant."""
        return self._moments.ratio(BASE_SUM, BASE_COUNT)

    def changed(self) -> Estimate:
        """Return the metrics of the variants."""
        return self._moments.ratio(SUM, COUNT)

    def effect(self, level: float = 0.95) -> Estimate:
        """Return variant less baseline on common deals, with the covariance of the two in its error."""
        raw = self._moments.difference((SUM, COUNT), (BASE_SUM, BASE_COUNT), level)
        # where both arms agree in every game, rounding leaves an error of some 1e-9 of that of one arm
        separate = self.base().error ** 2 + self.changed().error ** 2
        error = np.where(raw.error**2 < _ROUNDING * separate, 0.0, raw.error)
        return replace(raw, error=error)

    def counts(self) -> NDArray[np.float64]:
        """Return the denominators: rows or games that count in the baseline and in the variant, shape (groups, 2)."""
        return self._moments.totals[:, [BASE_COUNT, COUNT]]

    def variance_removed(self) -> NDArray[np.float64]:
        """Return the share of the variance that pairing removed; NaN where nothing varies.

        That is 1 less the variance on common deals over the variance on separate deals.
        """
        separate = self.base().error ** 2 + self.changed().error ** 2
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(separate > 0, 1 - self.effect().error ** 2 / separate, np.nan)


def play_paired(
    table: PairedTable, blocks: Sequence[range], threads: int | None
) -> Generator[tuple[range, NDArray[np.float64]]]:
    """Play blocks of games in every arm and yield each with its sums, shape (games, arms, metrics, 2), in order.

    The blocks decide how sums are added up: neither threads nor chunks can be seen in the result.
    """
    chunks = play(cast("Simulator", table), blocks, threads=threads)  # play asks no more of a table than this one has
    with closing(chunks):
        waiting = []
        place = 0
        for chunk in chunks:
            waiting.append(chunk.seats)
            if chunk.games.stop == blocks[place].stop:
                yield blocks[place], table.sums(waiting)
                waiting, place = [], place + 1
