"""How far figures lie apart between players, with the noise of sampling taken out.

At a table of each policy alone, on common deals, every thing has a figure. The mean square of the
differences of two policies over all things is the square of how far they are apart plus the noise of the differences,
which is known and subtracted: mean(d^2 - e^2). What things have in common (the win shares of a game add up to 1, who
builds one card builds others) widens its interval, so the covariance of all differences is needed: deals are dealt out
to ``CELLS`` cells, and each cell is left out in turn (the grouped jackknife).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from wsim.questions.deals import PARTS, Features
from wsim.questions.selfplay.sums import Items
from wsim.stats.distributions import normal_quantile
from wsim.stats.fewest import ENOUGH
from wsim.stats.games import Floats
from wsim.stats.intervals import Estimate

if TYPE_CHECKING:
    import polars as pl


CELLS = 200
"""Into which deals are dealt out, by their numbers: enough that their covariance is known."""
EACH = 4
"""Features of a table: seats that have a thing, their wins, all seats, all wins."""


@dataclass(frozen=True)
class ItemTables:
    """Reads the features of several tables off games, one after the other."""

    tables: tuple[Items, ...]

    def __call__(self, frame: pl.DataFrame, games: range) -> Features:
        """Return the features of games."""
        return [feature for one in self.tables for feature in one(frame, games)]


@dataclass(frozen=True)
class Distance:
    """A root mean square of true differences, with an interval.

    Attributes
    ----------
    things: over so many; of none nothing is known (NaN).
    """

    value: float
    low: float
    high: float
    things: int


def distance(apart: Floats, left_out: Floats, level: float = 0.95) -> Distance:
    """Return how far apart two players are, or several pairs of them.

    Parameters
    ----------
    apart: the differences of the things that are known.
    left_out: how they change where each cell is left out, shape (cells, things), so that the sum of its products over
        cells is the covariance of the differences.

    Of k things with covariance S and true differences t, mean(d^2 - e^2) estimates m = t't / k with the variance
    4 t'St / k^2 + 2 tr SS / k^2. The first part grows with m: t'St / t't is taken from the differences as they are. The
    ends are the m that lie as many errors, at m itself, from the estimate. tr SS of a covariance that is known from
    some cells only is too large by a known part.
    """
    things, free = len(apart), len(left_out) - 1
    if not things:
        return Distance(np.nan, np.nan, np.nan, 0)
    noise, whole = float((left_out**2).sum()), float(apart @ apart)
    square = (whole - noise) / things
    products = left_out @ left_out.T
    squares = (float((products**2).sum()) - noise**2 / free) * free**2 / ((free + 2) * (free - 1))
    along = float(((left_out @ apart) ** 2).sum()) / whole if whole else 0.0
    reach = float(normal_quantile((1 + level) / 2)) ** 2
    middle = square + 2 * reach * along / things
    half = np.sqrt(max(middle**2 - square**2 + 2 * reach * squares / things**2, 0.0))
    value, low, high = (float(np.sqrt(max(one, 0.0))) for one in (square, middle - half, middle + half))
    return Distance(value, low, high, things)


class RobustnessSums:
    """Sums over games of some policies, each at a table of its own, cell by cell.

    Attributes
    ----------
    tables: what is measured. policies: how many. games: how many were added, from game 0 on.
    """

    def __init__(self, tables: Sequence[Items], policies: int) -> None:
        self.tables, self.policies, self.games = tuple(tables), policies, 0
        self._cells = [np.zeros((CELLS, policies, EACH, len(one))) for one in tables]
        self._speak = [np.zeros((2, policies, len(one))) for one in tables]  # games with a thing, games without

    def plus(self, played: Sequence[Features]) -> RobustnessSums:
        """Return the sums with the next games; these stay as they are."""
        found = RobustnessSums(self.tables, self.policies)
        count = played[0][0].shape[-1]
        found.games = self.games + count
        found._cells = [cells.copy() for cells in self._cells]
        found._speak = [speak.copy() for speak in self._speak]
        for policy, features in enumerate(played):
            for table in range(len(self.tables)):
                own, wins, seats, all_wins = features[EACH * table : EACH * (table + 1)]
                found._speak[table][:, policy] += np.count_nonzero(own, axis=1), np.count_nonzero(own < seats, axis=1)
                for first in range(0, count, CELLS):
                    part = slice(first, min(first + CELLS, count))
                    at = np.arange(self.games + part.start, self.games + part.stop) % CELLS
                    for place, one in enumerate((own, wins, seats, all_wins)):
                        found._cells[table][at, policy, place] += one[..., part].T.reshape(len(at), -1)
        return found

    def fair(self) -> float:
        """Return the win share of a seat."""
        _, _, seats, wins = self._cells[0][:, 0, :, 0].sum(axis=0)
        return float(wins / seats / PARTS)

    def there(self, table: int) -> Floats:
        """Return how often seats had each thing, shape (policies, things)."""
        return np.asarray(self._cells[table].sum(axis=0)[:, 0])

    def figures(self, table: int) -> Floats:
        """Return what each thing is worth by policy, NaN where too few games speak; shape (policies, things)."""
        known = (self._speak[table].min(axis=0) if not self.tables[table].grouped else self._speak[table][0]) >= ENOUGH
        return np.where(known, self._values(table, self._cells[table].sum(axis=0)), np.nan)

    def left_out(self, table: int) -> Floats:
        """Return how figures change where each cell is left out, scaled: the sum of squares is an error's square.

        Shape (cells, policies, things); cells without a game are left out.
        """
        cells = self._cells[table]
        cells = cells[cells[:, 0, 2].sum(axis=1) > 0]
        values = self._values(table, cells.sum(axis=0) - cells)
        count = len(cells)
        return np.asarray(np.nan_to_num(values - values.mean(axis=0)) * np.sqrt((count - 1) / count))

    def estimate(self, table: int, policy: int, level: float) -> Estimate:
        """Return the figures of a policy with their errors."""
        left_out = self.left_out(table)[:, policy]
        error, cells = np.sqrt((left_out**2).sum(axis=0)), np.full(left_out.shape[1], float(len(left_out)))
        return Estimate(self.figures(table)[policy], error, cells, level)

    def _values(self, table: int, sums: Floats) -> Floats:
        """Return figures of sums (..., policies, features, things): a win share, or one less that of the others."""
        own, wins, seats, all_wins = (sums[..., place, :] for place in range(EACH))
        with np.errstate(divide="ignore", invalid="ignore"):
            value = wins / own
            if not self.tables[table].grouped:
                value = value - (all_wins - wins) / (seats - own)
        return np.asarray(value / PARTS)
