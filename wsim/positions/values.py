"""Estimate the values of a position's legal moves by playouts common to all moves.

Every playout first resamples everything hidden from the seat. It then makes each move in turn and continues from the
same cards with the same random numbers, so luck common to all moves cancels in their differences.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from wsim.stats.intervals import Estimate

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from wsim.game import Position, Simulator
    from wsim.lab.progress import Progress

BY_NET, WORLDS = 0, 24
"""The number of playouts that requests the value net, and the number of times that the net's positions are resampled
to reflect a seat's knowledge."""
FAR = 1 << 43
"""Playouts use the random streams of games from this number on, which runs do not reach."""
PLAYOUT_SEED = (1 << 63) - 1
"""Mask of the bits of a seed that playouts and resampling use, because the seed argument of their kernels is signed."""
ROUND = 64  # playouts between two checks of the clock and of Ctrl-C
SCORE, SHARE = 0, 1  # indices of an outcome


class Values:
    """Running sums over the playouts of some moves in a position.

    Parameters
    ----------
    position: a position in which a seat decides.
    simulator: the simulator whose line-up plays the playouts.
    moves: indices into the legal moves.
    seed: the seed of resampling and playouts.
    hidden: whether to resample everything hidden from the seat; otherwise hands stay as they are.
    first: the number of the first playout, which selects the random numbers.
    """

    def __init__(
        self, position: Position, simulator: Simulator, moves: Sequence[int], seed: int, *, hidden: bool = True,
        first: int = 0,
    ) -> None:  # fmt: skip
        assert position.to_move is not None
        self.position, self.simulator, self.moves, self.seed = position, simulator, list(moves), seed
        self.seat = position.to_move
        self.hidden, self.first, self.playouts = hidden, first, 0
        count = len(self.moves)
        self._sums: NDArray[np.float64] = np.zeros((count, simulator.seats, 2))
        self._products: NDArray[np.float64] = np.zeros((2, count, count))

    def play(self, playouts: int) -> None:
        """Add this many playouts of every move to the sums."""
        watcher = self.seat if self.hidden else None
        outcomes = self._outcomes(playouts, watcher, FAR + self.first + self.playouts)
        self._sums += outcomes.sum(axis=0)
        for what in (SCORE, SHARE):
            private = outcomes[:, :, self.seat, what]
            self._products[what] += private.T @ private
        self.playouts += playouts

    def _outcomes(self, playouts: int, watcher: int | None, first: int) -> NDArray[np.float64]:
        """Return (score, win share) of every seat after each move, shape (playouts, moves, seats, 2)."""
        return self.position.compare(self.simulator, self.moves, playouts, watcher, self.seed, first)

    def play_on(self, playouts: int | None, seconds: float | None = None, progress: Progress | None = None) -> None:
        """Play until there are this many playouts of every move, or for this many seconds (machine-dependent)."""
        start = time.monotonic()
        while playouts is None or self.playouts < playouts:
            gone = time.monotonic() - start
            if seconds is not None and self.playouts and gone >= seconds:
                return
            self.play(ROUND if playouts is None else min(ROUND, playouts - self.playouts))
            if progress is not None and playouts is not None:
                progress("playouts", self.playouts, playouts)
            elif progress is not None and seconds is not None:
                progress("seconds", min(round(time.monotonic() - start), round(seconds)), round(seconds))

    @property
    def means(self) -> NDArray[np.float64]:
        """The means, shape (moves, seats, 2): score and win share."""
        return self._sums / self.playouts

    def estimate(self, outcome: int) -> Estimate:
        """Return the seat's own score or share after each move."""
        estimate = self._means(outcome)
        return estimate.with_wilson() if outcome == SHARE else estimate

    def _means(self, outcome: int) -> Estimate:
        """Return the means of the playouts, with intervals from their spread."""
        return self._interval(self.means[:, self.seat, outcome], np.diagonal(self._products[outcome]))

    def losses(self, best: int) -> Estimate:
        """Return the paired difference in share between the move with index ``best`` and each move.

        If the difference was the same in all n playouts, there is no spread to estimate an error from. Then a different
        outcome has a probability of at most 3/n (the rule of three, 95%), and its difference is between -1 and 1.
        """
        share, products = self.means[:, self.seat, SHARE], self._products[SHARE]
        squares = products[best, best] + np.diagonal(products) - 2 * products[best]
        estimate = self._interval(share[best] - share, squares)
        unseen = min(1.0, 3.0 / self.playouts)
        ends = np.stack(
            [estimate.value - unseen * (1.0 + estimate.value), estimate.value + unseen * (1.0 - estimate.value)]
        )
        flat = (estimate.error == 0) & (np.arange(len(share)) != best)
        return replace(estimate, ends=np.where(flat, ends, np.nan))

    def _interval(self, mean: NDArray[np.float64], squares: NDArray[np.float64]) -> Estimate:
        """Return the means of independent playouts as an estimate, with errors derived from the sums of squares."""
        n = self.playouts
        spread = np.maximum(squares - n * mean * mean, 0.0)
        spread[spread < 1e-9 * np.maximum(squares, 1.0)] = 0.0  # rounding error of a zero spread
        error = np.sqrt(spread / max(n - 1, 1) / n) if n > 1 else np.full(mean.shape, np.nan)
        return Estimate(mean, error, np.full(mean.shape, float(n)))

    def order(self) -> list[int]:
        """Return the indices of the moves, best first: by win share, then by score."""
        share, score = (np.nan_to_num(self.means[:, self.seat, outcome]).round(12) for outcome in (SHARE, SCORE))
        return sorted(range(len(self.moves)), key=lambda index: (-share[index], -score[index], index))

    def rows(self) -> list[dict[str, Any]]:
        """Return the moves, best first (the columns are documented in ``wsim.Game.values``)."""
        order, legal = self.order(), self.position.moves()
        share, score = self.estimate(SHARE), self.estimate(SCORE)
        loss = self.losses(order[0])
        rows = []
        for index in order:
            row: dict[str, Any] = {"index": self.moves[index], "move": dict(legal[self.moves[index]])}
            row |= _with_ends(share, index, "win_share", "")
            row |= _with_ends(score, index, "score", "score_")
            row |= _with_ends(loss, index, "loss", "loss_")
            row["win_shares"] = [round(float(value), 6) for value in self.means[index, :, SHARE]]
            row["scores"] = [round(float(value), 6) for value in self.means[index, :, SCORE]]
            row["games"] = self.playouts
            rows.append(row)
        return rows


class ValuesByNet(Values):
    """Move values estimated by the value net: its chances some stages after the move replace playouts to the end.

    Intervals cover only the resampling of hidden information, not the errors of the net. Scores are unknown (NaN).
    """

    def _outcomes(self, playouts: int, watcher: int | None, first: int) -> NDArray[np.float64]:
        follower = self.simulator.follower  # type: ignore[attr-defined]
        chances = follower.compare(self.position, self.moves, playouts, watcher, self.seed, first)
        outcomes = np.full((playouts, len(self.moves), self.simulator.seats, 2), np.nan)
        outcomes[..., SHARE] = 0.0
        outcomes[:, :, : chances.shape[2], SHARE] = chances
        return outcomes

    def play_on(self, playouts: int | None, seconds: float | None = None, progress: Progress | None = None) -> None:
        """Add resampled positions: ``WORLDS`` of them if ``playouts`` is ``BY_NET``, otherwise as in ``Values``."""
        super().play_on(WORLDS if playouts == BY_NET else playouts, seconds, progress)

    def estimate(self, outcome: int) -> Estimate:
        """Return the seat's chance after each move, without a Wilson interval, because chances are not counts."""
        return self._means(outcome)

    def losses(self, best: int) -> Estimate:
        """Return the losses as ``Values`` does, but with a zero-width interval if all resampled positions agree."""
        return replace(super().losses(best), ends=None)

    def rows(self) -> list[dict[str, Any]]:
        """Return the moves, best first, with ``games`` set to 0."""
        return [{**row, "games": BY_NET} for row in super().rows()]


def has_value_net(simulator: Simulator) -> bool:
    """Return whether there is a value net for the simulator's table."""
    return getattr(simulator, "value_net", None) is not None


def _with_ends(estimate: Estimate, index: int, name: str, prefix: str) -> dict[str, float | None]:
    """Return a value and the ends of its interval by key; None for an undefined number."""
    ends = ((name, estimate.value), (f"{prefix}low", estimate.low), (f"{prefix}high", estimate.high))
    return {key: None if np.isnan(values[index]) else round(float(values[index]), 6) for key, values in ends}
