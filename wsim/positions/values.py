"""What the legal moves of a position are worth, by playouts that all of them share: the one place of that estimate.

Every playout draws anew, once, what the seat cannot know; then it makes each of the moves in turn and plays on from the
same cards with the same random numbers. Luck that falls on all moves alike cancels in their differences.
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

FAR = 1 << 43
"""Playouts draw from the streams of games that no run reaches first: from this number on."""
ROUND = 64  # playouts between two looks at the clock and at Ctrl-C
SCORE, SHARE = 0, 1  # of an outcome


class Values:
    """Playouts of some moves of a position, added up as they come.

    Parameters
    ----------
    position: a seat decides here.
    simulator: its line-up plays on.
    moves: indices into the legal moves.
    seed: of redrawings and playouts.
    hidden: whether what the seat cannot know is drawn anew; otherwise hands stay as they are.
    first: the number of the first playout; other numbers are other draws.
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
        """Play more playouts of every move."""
        watcher = self.seat if self.hidden else None
        first = FAR + self.first + self.playouts
        outcomes = self.position.compare(self.simulator, self.moves, playouts, watcher, self.seed, first)
        self._sums += outcomes.sum(axis=0)
        for what in (SCORE, SHARE):
            own = outcomes[:, :, self.seat, what]
            self._products[what] += own.T @ own
        self.playouts += playouts

    def play_on(self, playouts: int | None, seconds: float | None = None, progress: Progress | None = None) -> None:
        """Play so many playouts of every move, or for so many seconds (then how many depends on the machine)."""
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
        """The means, shape (moves, seats, 2): score and share of the victory."""
        return self._sums / self.playouts

    def estimate(self, what: int) -> Estimate:
        """Return the seat's own score or share after each move."""
        products = self._products[what]
        return self._interval(self.means[:, self.seat, what], np.diagonal(products))

    def losses(self, best: int) -> Estimate:
        """Return by how much the share after each move is below that after the move at place ``best``, paired.

        Where the difference was the same in all n playouts, no spread says how sure that is. Then a playout of another
        kind has a chance of at most 3/n (the rule of three, 95 %), and its difference lies between -1 and 1.
        """
        share, products = self.means[:, self.seat, SHARE], self._products[SHARE]
        squares = products[best, best] + np.diagonal(products) - 2 * products[best]
        found = self._interval(share[best] - share, squares)
        unseen = min(1.0, 3.0 / self.playouts)
        ends = np.stack([found.value - unseen * (1.0 + found.value), found.value + unseen * (1.0 - found.value)])
        flat = (found.error == 0) & (np.arange(len(share)) != best)
        return replace(found, ends=np.where(flat, ends, np.nan))

    def _interval(self, mean: NDArray[np.float64], squares: NDArray[np.float64]) -> Estimate:
        """Return the estimate of means of independent playouts, of which the sums of squares are given."""
        n = self.playouts
        spread = np.maximum(squares - n * mean * mean, 0.0)
        spread[spread < 1e-9 * np.maximum(squares, 1.0)] = 0.0  # what rounding leaves of no spread at all
        error = np.sqrt(spread / max(n - 1, 1) / n) if n > 1 else np.full(mean.shape, np.nan)
        return Estimate(mean, error, np.full(mean.shape, float(n)))

    def order(self) -> list[int]:
        """Return the places of the moves, the best first: by share of the victory, then by score."""
        share, score = (self.means[:, self.seat, what].round(12) for what in (SHARE, SCORE))
        return sorted(range(len(self.moves)), key=lambda place: (-share[place], -score[place], place))

    def rows(self) -> list[dict[str, Any]]:
        """Return the moves, the best first (``wsim.Game.values`` says what is in a row)."""
        order, legal = self.order(), self.position.moves()
        share, score = self.estimate(SHARE).with_wilson(), self.estimate(SCORE)
        loss = self.losses(order[0])
        found = []
        for place in order:
            row: dict[str, Any] = {"index": self.moves[place], "move": dict(legal[self.moves[place]])}
            row |= _with_ends(share, place, "win_share", "")
            row |= _with_ends(score, place, "score", "score_")
            row |= _with_ends(loss, place, "loss", "loss_")
            row["win_shares"] = [round(float(one), 6) for one in self.means[place, :, SHARE]]
            row["scores"] = [round(float(one), 6) for one in self.means[place, :, SCORE]]
            row["games"] = self.playouts
            found.append(row)
        return found


def _with_ends(estimate: Estimate, place: int, name: str, prefix: str) -> dict[str, float | None]:
    """Return a value and the ends of its interval; None where nothing can be said."""
    ends = ((name, estimate.value), (f"{prefix}low", estimate.low), (f"{prefix}high", estimate.high))
    return {key: None if np.isnan(values[place]) else round(float(values[place]), 6) for key, values in ends}
