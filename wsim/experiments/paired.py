"""Arms of a comparison on common deals: every arm plays the same games of the same seed, seat by seat.

The deal of a game depends on the seed and its number only (wsim/rng.py), so the luck of the cards and of the seating is
the same in every arm and cancels in the difference. What is kept of a game are two sums for each arm and metric
and which seats they are of (``wsim.experiments.metrics``): memory does not grow with the games.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from wsim.experiments.metrics import Metric, sums_of
from wsim.stats.games import Floats
from wsim.stats.moments import Moments

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from wsim.game import Simulator
    from wsim.lab.cluster import InChunks
    from wsim.stats.intervals import Estimate

__all__ = ["Arm", "Comparison", "Pairing", "play_paired"]

_ROUNDING = 1e-13
BASE_SUM, BASE_COUNT, SUM, COUNT = range(4)  # features of a game, see wsim.stats.moments


@dataclass(frozen=True)
class Arm:
    """One way to play that a comparison compares.

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
        """Play games with one simulator and return their rows, shape (games, seats)."""
        rows = np.zeros(games * simulator.seats, simulator.row_dtype)
        simulator.play(first, rows)
        return rows.reshape(games, simulator.seats)


@dataclass(frozen=True)
class Pairing:
    """What is compared on common deals.

    Attributes
    ----------
    arms: the baseline, then the variants.
    metrics: what is compared of them.
    concerned: for each seat, whether it counts.
    """

    arms: tuple[Arm, ...]
    metrics: tuple[Metric, ...]
    concerned: NDArray[np.bool_]

    def sums(self, games: range) -> NDArray[np.float64]:
        """Play games in every arm and return their sums, shape (arms, metrics, 3, games)."""
        result = np.empty((len(self.arms), len(self.metrics), 3, len(games)))
        for place, arm in enumerate(self.arms):
            simulator = arm.simulators[0]
            frame = simulator.seats_frame(arm.rows(games.start, len(games)))
            result[place] = sums_of(frame, simulator.seats, self.metrics, self.concerned).transpose(1, 2, 0)
        return result


class Comparison:
    """What is known of every variant and metric after some games: the first arm against each of the others.

    Attributes
    ----------
    variants, metrics: how many.
    games: how many deals were played in every arm.
    differing: deals that are not alike in both arms, shape (variants * metrics,).
    moved: deals in which other seats count in the variant; counted: deals in which some do in the baseline.
    """

    def __init__(self, variants: int, metrics: int) -> None:
        self.variants = variants
        self.metrics = metrics
        self.games = 0
        self.differing, self.moved, self.counted = np.zeros((3, variants * metrics), np.int64)
        self._moments = Moments(variants * metrics, 4)
        self._powers = np.zeros((2, variants * metrics))

    def plus(self, sums: NDArray[np.float64]) -> Comparison:
        """Return what is known with more games, shape (arms, metrics, 3, games); this comparison stays as it is."""
        by_feature = sums.transpose(2, 0, 1, 3)  # numerator, denominator and who counts; arm, metric, game
        games = sums.shape[-1]
        groups = (self.variants * self.metrics, games)
        base = [np.tile(part[0], (self.variants, 1)) for part in by_feature]
        changed = [part[1:].reshape(groups) for part in by_feature]
        result = Comparison(self.variants, self.metrics)
        result._moments.merge(self._moments)
        result._moments.add(*base[:2], *changed[:2])
        result.games = self.games + games
        result._add_differences(self, base, changed)
        return result

    def _add_differences(self, before: Comparison, base: Sequence[Floats], changed: Sequence[Floats]) -> None:
        """Count the deals that differ, and sum the squares and fourth powers of what they add to the difference."""
        base_sum, base_count, base_who = base
        changed_sum, changed_count, changed_who = changed
        usual = np.nan_to_num(self.base().value)[:, None]
        fewer = changed_count != base_count
        added = (changed_sum - base_sum) - usual * (changed_count - base_count)
        added[(changed_sum == base_sum) & ~fewer] = 0.0
        self.differing = before.differing + np.count_nonzero((changed_sum != base_sum) | fewer, axis=1)
        self.moved = before.moved + np.count_nonzero(fewer | (changed_who != base_who), axis=1)
        self.counted = before.counted + np.count_nonzero(base_count, axis=1)
        self._powers = before._powers + np.stack([(added**2).sum(axis=1), (added**4).sum(axis=1)])

    def telling(self) -> NDArray[np.float64]:
        """Return how many deals that differ alike would say as much of the variance as those that do differ.

        That is ``sum(d**2)**2 / sum(d**4)``: their number if all are as large, few if some outweigh all others.
        """
        squares, fourths = self._powers
        return np.divide(squares**2, fourths, out=np.zeros(len(squares)), where=fourths > 0)

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
    pairing: Pairing, blocks: Sequence[range], chunks_of: InChunks
) -> Generator[tuple[range, NDArray[np.float64]]]:
    """Play blocks of games in every arm and yield each with its sums, shape (arms, metrics, 3, games), in order.

    The blocks decide how sums are added up: neither threads, workers nor chunks can be seen in the result.
    """
    with closing(chunks_of(pairing.sums, blocks)) as chunks:
        for games in blocks:
            waiting: list[NDArray[np.float64]] = []
            while sum(part.shape[-1] for part in waiting) < len(games):
                waiting.append(next(chunks))
            yield games, np.concatenate(waiting, axis=-1)
