"""What things are worth in weak and in good hands: the same figure at each rung of a ladder of players, and its change.

At a rung one policy has the table to itself. A thing that seats have or have not (a card built) is measured by the win
share of those who have it less that of those who have not; a level that each seat has one of (a board) by its win
share. All rungs play the same deals, so the errors of a change hold what two rungs have in common: sums over games,
``wsim.stats.moments``. Wins are whole numbers, so that sums do not depend on the cut into chunks.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wsim.stats.games import Floats
from wsim.stats.intervals import Estimate
from wsim.stats.moments import Moments

__all__ = ["PARTS", "LadderSums", "RungGames"]

PARTS = 420
"""A victory is shared by at most seven: in these parts every share is a whole number."""
FEW = 30  # games with and without a thing: with fewer, the spread between games is too poorly known
_EACH = 4  # features of a rung: seats that have it, their wins, all seats, all wins
_OWN, _OWN_WINS, _ALL, _ALL_WINS = range(_EACH)


@dataclass(frozen=True)
class RungGames:
    """Some games of a rung.

    Attributes
    ----------
    own: how many seats have each thing, shape (things, games). wins: their wins in ``PARTS``; same shape.
    seats, won: of all seats, shape (games,).
    """

    own: NDArray[np.int32]
    wins: NDArray[np.int32]
    seats: NDArray[np.int32]
    won: NDArray[np.int32]

    @classmethod
    def of(cls, has: NDArray[np.bool_], plays: NDArray[np.bool_], wins: NDArray[np.int32]) -> RungGames:
        """Add up seats.

        Parameters
        ----------
        has: which seat has what, shape (things, games, seats).
        plays: whether anybody plays for a seat. wins: of each, in ``PARTS``; shape (games, seats).
        """
        mine = has & plays
        won = np.where(plays, wins, 0)
        counts = mine.sum(axis=2, dtype=np.int32), (mine * won).sum(axis=2, dtype=np.int32)
        return cls(*counts, plays.sum(axis=1, dtype=np.int32), won.sum(axis=1, dtype=np.int32))


class LadderSums:
    """Sums over games of all rungs.

    Attributes
    ----------
    things, rungs: how many. levels: whether every seat has one of the things.
    games: how many were added.
    """

    def __init__(self, things: int, rungs: int, *, levels: bool) -> None:
        self.things, self.rungs, self.levels = things, rungs, levels
        self.games = 0
        self._moments = Moments(things, _EACH * rungs)
        self._without = np.zeros((things, rungs))  # games in which some seat has it not

    def plus(self, games: list[RungGames]) -> LadderSums:
        """Return the sums with the same games of every rung, more of them; these stay as they are."""
        result = LadderSums(self.things, self.rungs, levels=self.levels)
        result.games = self.games + len(games[0].seats)
        result._moments.merge(self._moments)
        every = [part.astype(np.float64) for one in games for part in (one.own, one.wins, one.seats, one.won)]
        result._moments.add(*every)
        without = [np.count_nonzero(one.own < one.seats, axis=1) for one in games]
        result._without = self._without + np.stack(without, axis=1)
        return result

    def counts(self) -> Floats:
        """Return how many seats had each thing at each rung, shape (things, rungs)."""
        return self._totals()[:, :, _OWN]

    def shares(self) -> Floats:
        """Return which share of all seats that was; same shape."""
        totals = self._totals()
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(totals[:, :, _OWN] / totals[:, :, _ALL])

    def fair(self) -> float:
        """Return the win share of a seat."""
        totals = self._totals()[0, 0]
        return float(totals[_ALL_WINS] / totals[_ALL] / PARTS)

    def figure(self, rung: int, level: float = 0.95) -> Estimate:
        """Return what each thing is worth at a rung."""
        value, form, games = self._figure(rung)
        return self._moments.linear(value, form, games, level)

    def change(self, weaker: int, stronger: int, level: float = 0.95) -> Estimate:
        """Return what each thing is worth at the stronger rung less what it is at the weaker one."""
        one, one_form, one_games = self._figure(stronger)
        other, other_form, other_games = self._figure(weaker)
        return self._moments.linear(one - other, one_form - other_form, np.minimum(one_games, other_games), level)

    def _totals(self) -> Floats:
        return self._moments.totals.reshape(self.things, self.rungs, _EACH)

    def _figure(self, rung: int) -> tuple[Floats, Floats, Floats]:
        """Return the figure, the linear form of its error, and how many games speak; too few: unknown."""
        own, own_wins, every, every_wins = self._totals()[:, rung].T
        form = np.zeros((self.things, _EACH * self.rungs))
        mine = form[:, _EACH * rung : _EACH * (rung + 1)]
        games = self._moments.games[:, _EACH * rung + _OWN]
        with np.errstate(divide="ignore", invalid="ignore"):
            value = own_wins / own
            mine[:, _OWN_WINS], mine[:, _OWN] = 1 / own, -value / own
            if not self.levels:
                others = every - own
                without = (every_wins - own_wins) / others
                mine[:, _OWN_WINS] += 1 / others
                mine[:, _ALL_WINS] -= 1 / others
                mine[:, _OWN] -= without / others
                mine[:, _ALL] += without / others
                value = value - without
                games = np.minimum(games, self._without[:, rung])
        known = (games >= FEW) & np.isfinite(value) & np.isfinite(mine).all(axis=1)
        mine[~known] = 0.0
        return np.where(known, value / PARTS, np.nan), form / PARTS, np.where(known, games, 0.0)
