"""Differences of figures between players, with sampling noise removed.

Every item has a figure for each policy in self-play on common deals (``selfplay/sums.py``). The mean squared difference
between two policies over all items is the squared true difference plus the noise, which is known and subtracted:
mean(d^2 - e^2). Dependence between items (win shares of a game add up to 1; a seat that builds one card builds others)
widens the interval, so the covariance of all differences is needed: deals are distributed over ``CELLS`` cells, and
each cell is left out in turn (the grouped jackknife).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from wsim.questions.deals import WIN_UNITS, Features
from wsim.questions.selfplay.sums import Items
from wsim.stats.distributions import normal_quantile
from wsim.stats.fewest import ENOUGH
from wsim.stats.games import Floats
from wsim.stats.intervals import Estimate

if TYPE_CHECKING:
    import polars as pl


CELLS = 200
"""Number of groups of deals, enough to estimate the covariance."""
EACH = 4
"""Number of features per table: seats that have an item, their wins, all seats, all wins."""


@dataclass(frozen=True)
class ItemTables:
    """Reads the features of several tables from games, one after the other."""

    tables: tuple[Items, ...]

    def __call__(self, frame: pl.DataFrame, games: range) -> Features:
        """Return the features of games."""
        return [feature for table in self.tables for feature in table(frame, games)]


@dataclass(frozen=True)
class Distance:
    """A root mean square of true differences, with an interval.

    Attributes
    ----------
    things: the number of items; without items, the value is NaN.
    """

    value: float
    low: float
    high: float
    things: int


def distance(apart: Floats, left_out: Floats, level: float = 0.95) -> Distance:
    """Estimate the root mean square difference between two players, or over several pairs.

    Parameters
    ----------
    apart: the known differences, one per item.
    left_out: the changes of these differences when each cell is left out, shape (cells, items), scaled so that the sum
        of products over cells is their covariance.

    With k items, covariance S and true differences t, mean(d^2 - e^2) estimates m = t't / k with variance 4 t'St / k^2
    + 2 tr SS / k^2. The first term grows with m; t'St / t't is computed from the observed differences. The ends of the
    interval are the values of m whose own error just reaches the estimate. With a finite number of cells, tr SS is too
    large by a known amount, which is removed.
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
    value, low, high = (float(np.sqrt(max(end, 0.0))) for end in (square, middle - half, middle + half))
    return Distance(value, low, high, things)


class RobustnessSums:
    """Sums over games of policies in self-play, by cell.

    Attributes
    ----------
    tables: the items of each table. policies: the number of policies. games: the number of games added, from game 0.
    """

    def __init__(self, tables: Sequence[Items], policies: int) -> None:
        self.tables, self.policies, self.games = tuple(tables), policies, 0
        self._cells = [np.zeros((CELLS, policies, EACH, len(table))) for table in tables]
        self._present = [np.zeros((2, policies, len(table))) for table in tables]  # games with an item, games without

    def plus(self, played: Sequence[Features]) -> RobustnessSums:
        """Return the sums extended by the next games. Does not modify this object."""
        result = RobustnessSums(self.tables, self.policies)
        count = played[0][0].shape[-1]
        result.games = self.games + count
        result._cells = [cells.copy() for cells in self._cells]
        result._present = [present.copy() for present in self._present]
        for policy, features in enumerate(played):
            for table in range(len(self.tables)):
                own, wins, seats, all_wins = features[EACH * table : EACH * (table + 1)]
                result._present[table][:, policy] += (
                    np.count_nonzero(own, axis=1),
                    np.count_nonzero(own < seats, axis=1),
                )
                for first in range(0, count, CELLS):
                    part = slice(first, min(first + CELLS, count))
                    at = np.arange(self.games + part.start, self.games + part.stop) % CELLS
                    for index, feature in enumerate((own, wins, seats, all_wins)):
                        result._cells[table][at, policy, index] += feature[..., part].T.reshape(len(at), -1)
        return result

    def fair(self) -> float:
        """Return a seat's fair share of wins."""
        _, _, seats, wins = self._cells[0][:, 0, :, 0].sum(axis=0)
        return float(wins / seats / WIN_UNITS)

    def counts(self, table: int) -> Floats:
        """Return the number of seats with each item, shape (policies, items)."""
        return np.asarray(self._cells[table].sum(axis=0)[:, 0])

    def figures(self, table: int) -> Floats:
        """Return the figures by policy and item, shape (policies, items); NaN with too few games."""
        present = self._present[table]
        known = (present[0] if self.tables[table].grouped else present.min(axis=0)) >= ENOUGH
        return np.where(known, self._values(table, self._cells[table].sum(axis=0)), np.nan)

    def left_out(self, table: int) -> Floats:
        """Return the jackknife deviations of the figures, scaled so that their sum of squares is the squared error.

        Each deviation is the change of a figure when a cell of deals is left out. The shape is (cells, policies,
        items), without empty cells.
        """
        cells = self._cells[table]
        cells = cells[cells[:, 0, 2].sum(axis=1) > 0]
        values = self._values(table, cells.sum(axis=0) - cells)
        count = len(cells)
        return np.asarray(np.nan_to_num(values - values.mean(axis=0)) * np.sqrt((count - 1) / count))

    def estimate(self, table: int, policy: int, level: float) -> Estimate:
        """Return the figures of a policy with standard errors."""
        left_out = self.left_out(table)[:, policy]
        error, cells = np.sqrt((left_out**2).sum(axis=0)), np.full(left_out.shape[1], float(len(left_out)))
        return Estimate(self.figures(table)[policy], error, cells, level)

    def _values(self, table: int, sums: Floats) -> Floats:
        """Compute win shares, or differences in win share, from sums of shape (..., policies, features, items)."""
        own, wins, seats, all_wins = (sums[..., feature, :] for feature in range(EACH))
        with np.errstate(divide="ignore", invalid="ignore"):
            value = wins / own
            if not self.tables[table].grouped:
                value = value - (all_wins - wins) / (seats - own)
        return np.asarray(value / WIN_UNITS)
