"""Means of the levels of a factor, adjusted for strata: the mean that each level would have with the overall mix of
strata.

Model: outcome = level + stratum + residual, by least squares. The adjusted mean of a level is the model's mean at the
mix of strata of all seats (Searle, Speed and Milliken 1980). If all levels have the same mix of strata, as chance and
rotation nearly ensure, it equals the plain mean. Errors are clustered by game and assume no particular distribution of
the residuals.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from wsim.stats.games import Floats
from wsim.stats.intervals import Estimate
from wsim.stats.levels import Levels

_ROWS = "_rows"


@dataclass(frozen=True)
class Additive:
    """A fitted additive model.

    Attributes
    ----------
    levels, strata: the two factors. names: the outcome columns.
    effects: the effects of the levels, then of the strata; shape (levels + strata, names).
    inverse: the inverse of the dummies' cross-product matrix, shape (levels + strata, levels + strata).
    mix: the share of each stratum in all seats. rows: the number of seats.
    sums: the sums of the outcome columns in each stratum, shape (strata, names).
    """

    levels: Levels
    strata: Levels
    names: tuple[str, ...]
    effects: Floats
    inverse: Floats
    mix: Floats
    rows: float
    sums: Floats

    @classmethod
    def fit(cls, cells: pl.DataFrame, levels: Levels, strata: Levels, names: Sequence[str]) -> Additive | None:
        """Fit the model; return None if levels and strata cannot be separated, for example when each policy has its own
        boards.

        ``cells``: one row per level and stratum, with the columns of both, the number of rows ``_rows``, and a sum for
        each of ``names``.
        """
        columns = [*levels.columns, *strata.columns]
        count, width = len(levels) + len(strata), len(levels)
        one, other = levels.codes(cells), width + strata.codes(cells)
        rows = cells[_ROWS].cast(pl.Float64).to_numpy()
        products, explained = np.zeros((count, count)), np.zeros((count, len(names)))
        for first, second in ((one, one), (one, other), (other, one), (other, other)):
            np.add.at(products, (first, second), rows)
        for codes in (one, other):
            np.add.at(explained, codes, cells.select(pl.exclude(*columns, _ROWS)).to_numpy())
        if np.linalg.matrix_rank(products, hermitian=True, rtol=1e-10) < count - 1:
            return None
        inverse = np.asarray(np.linalg.pinv(products, rcond=1e-10, hermitian=True), np.float64)
        total = float(rows.sum())
        mix = np.diag(products)[width:] / total
        return cls(levels, strata, tuple(names), inverse @ explained, inverse, mix, total, explained[width:])

    def means(self) -> Floats:
        """Return the adjusted means, shape (levels, names)."""
        return self._contrasts() @ self.effects

    def _contrasts(self) -> Floats:
        """Return the matrix that maps effects to adjusted means, shape (levels, levels + strata)."""
        count = len(self.levels)
        return np.hstack([np.eye(count), np.tile(self.mix, (count, 1))])

    @cached_property
    def _weights(self) -> Floats:
        """The matrix that maps sums of residuals to errors of the adjusted means, shape (levels, levels + strata)."""
        return self._contrasts() @ self.inverse

    def squares(self, cells: pl.DataFrame, products: Floats, name: str) -> Floats:
        """Return each level's squared error of the adjusted mean of a column, summed over games; shape (levels,).

        Parameters
        ----------
        cells: one row per cell, with the columns of levels and strata.
        products: the products, over pairs of cells, of row counts and of the column's sums, summed over games; shape
            (2, 2, cells, cells).
        """
        width = len(self.levels)
        level, stratum = self.levels.codes(cells), width + self.strata.codes(cells)
        effects, weights = self.effects[:, self.names.index(name)], self._weights
        of_sum = weights[:, level] + weights[:, stratum]
        usual = effects[level] + effects[stratum]
        of_rows = (effects[stratum] - effects[width:] @ self.mix) / self.rows - usual * of_sum
        form, size = np.hstack([of_rows, of_sum]), 2 * cells.height
        both = products.transpose(0, 2, 1, 3).reshape(size, size)
        return np.asarray((form @ both * form).sum(axis=1))

    def estimate(self, name: str, squares: Floats, games: Floats, level: float) -> Estimate:
        """Return the adjusted means of a column with standard errors; ``games``: the number of games per level."""
        with np.errstate(divide="ignore", invalid="ignore"):
            error = np.where(games >= 2, np.sqrt(squares * games / (games - 1)), np.nan)
        return Estimate(self.means()[:, self.names.index(name)], error, games, level)
