"""Sums and products of per-game sums: everything that ratio estimators clustered by game need, in one pass over a run.

A mean over the rows of a group is the ratio of two sums over games, ``sum(y) / sum(n)``. To first order its error is a
sum over games of ``(y_game - ratio * n_game) / sum(n)``: a linear form in per-game sums, which are called features
here. The error of a difference of such ratios, including their covariance, is also such a form. With the matrix P of
products of features summed over games, its variance is ``a' P a``; P is additive and does not depend on the estimates,
so a run is read only once. With the finite-sample correction G / (G - 1) this is the cluster-robust variance of
ordinary least squares on dummies.
"""

from __future__ import annotations

import numpy as np

from wsim.stats.games import Floats
from wsim.stats.intervals import Estimate

_ROUNDING = 1e-13  # a variance below this fraction of its terms is rounding error of 0


class Moments:
    """Accumulates the features of games for several groups.

    Attributes
    ----------
    totals: shape (groups, features), the sum of each feature over games.
    products: shape (groups, features, features).
    games: the number of games in which the feature is not 0, shape (groups, features).
    """

    def __init__(self, groups: int, features: int) -> None:
        self.totals = np.zeros((groups, features))
        self.products = np.zeros((groups, features, features))
        self.games = np.zeros((groups, features))

    def add(self, *features: Floats) -> None:
        """Add games: one array per feature, of shape (groups, games), or (games,) if all groups share it."""
        for i, row in enumerate(features):
            self.totals[:, i] += row.sum(axis=-1)
            self.games[:, i] += np.count_nonzero(row, axis=-1)
            for j, column in enumerate(features[: i + 1]):
                product = _products(row, column)
                self.products[:, i, j] += product
                if i != j:
                    self.products[:, j, i] += product

    def plus(self, *features: Floats) -> Moments:
        """Return the moments extended by more games (see ``add``). Does not modify this object."""
        result = self._copied()
        result.add(*features)
        return result

    def plus_matrix(self, features: Floats) -> Moments:
        """Return a single group's moments extended by more games, given as a matrix of shape (games, features)."""
        result = self._copied()
        result.totals[0] += features.sum(axis=0)
        result.products[0] += features.T @ features
        result.games[0] += np.count_nonzero(features, axis=0)
        return result

    def _copied(self) -> Moments:
        result = Moments(*self.totals.shape)
        result.merge(self)
        return result

    def split(self, denominator: int) -> Moments:
        """Split the moments of a single group into groups of two features: the denominator and one of the others."""
        others = [feature for feature in range(self.totals.shape[1]) if feature != denominator]
        result = Moments(len(others), 2)
        for group, column in enumerate(others):
            pair = np.array([denominator, column])
            result.totals[group] = self.totals[0, pair]
            result.products[group] = self.products[0][np.ix_(pair, pair)]
            result.games[group] = self.games[0, pair]
        return result

    def merge(self, other: Moments) -> None:
        """Add the games of ``other``, which has the same groups and features."""
        self.totals += other.totals
        self.products += other.products
        self.games += other.games

    def combined(self, matrix: Floats, games: Floats) -> Moments:
        """Return the moments of linear combinations of the features.

        Parameters
        ----------
        matrix: shape (new features, features).
        games: the number of games in which each new feature is not 0, shape (groups, new features).
        """
        result = Moments(len(self.totals), len(matrix))
        result.totals = self.totals @ matrix.T
        result.products = matrix @ self.products @ matrix.T
        result.games = games
        return result

    def means(self, forms: Floats, level: float = 0.95, *, scale: float = 1.0) -> Estimate:
        """Return the means over games of linear forms in a single group's features, divided by ``scale``.

        The first feature must be 1 in every game. ``forms``: shape (means, features).
        """
        matrix = np.zeros((1 + len(forms), self.totals.shape[1]))
        matrix[0, 0], matrix[1:] = scale, forms
        return self.combined(matrix, np.full((1, len(matrix)), self.totals[0, 0])).split(0).ratio(1, 0, level)

    def ratio(self, numerator: int, denominator: int, level: float = 0.95, *, share: bool = False) -> Estimate:
        """Return ``sum(numerator) / sum(denominator)`` for each group, clustered by game.

        Parameters
        ----------
        numerator, denominator: indices of features.
        share: the ratio is a share between 0 and 1; if all games agree on 0 or 1, it gets a Wilson interval.
        """
        value, form = self._ratio(numerator, denominator)
        games = self.games[:, denominator]
        estimate = Estimate(value, self._error(form, games), games, level)
        return estimate.with_wilson() if share else estimate

    def difference(self, first: tuple[int, int], second: tuple[int, int], level: float = 0.95) -> Estimate:
        """Return the ratio ``first`` minus the ratio ``second`` for each group, allowing for their covariance within
        games.

        Both are (numerator, denominator). The degrees of freedom are those of the ratio with fewer games.
        """
        return self.contrast((1, *first), (-1, *second), level=level)

    def contrast(self, *terms: tuple[int, int, int], level: float = 0.95) -> Estimate:
        """Return the sum of signed ratios for each group; a term is (sign, numerator, denominator)."""
        signs = [sign for sign, _, _ in terms]
        values, forms = zip(*(self._ratio(numerator, denominator) for _, numerator, denominator in terms), strict=True)
        value = sum(sign * value for sign, value in zip(signs, values, strict=True))
        form = sum(sign * form for sign, form in zip(signs, forms, strict=True))
        games = self.games[:, [denominator for _, _, denominator in terms]].min(axis=1)
        return Estimate(np.asarray(value), self._error(np.asarray(form), games), games, level)

    def linear(self, value: Floats, form: Floats, games: Floats, level: float = 0.95) -> Estimate:
        """Return estimates whose error is a linear form in a game's features; ``form`` has the shape (groups,
        features).

        ``games``: the number of games behind each estimate; with fewer than two the error is unknown.
        """
        return Estimate(value, self._error(form, games), games, level)

    def _ratio(self, numerator: int, denominator: int) -> tuple[Floats, Floats]:
        """Return the ratio and the linear form of its error, shapes (groups,) and (groups, features)."""
        with np.errstate(divide="ignore", invalid="ignore"):
            weight = 1 / self.totals[:, denominator]
            value = np.where(np.isfinite(weight), self.totals[:, numerator] * weight, np.nan)
        form = np.zeros_like(self.totals)
        form[:, numerator] += weight
        form[:, denominator] -= value * weight
        return value, form

    def _error(self, form: Floats, games: Floats) -> Floats:
        """Return the standard error of a linear form; NaN with fewer than two games."""
        variance = np.einsum("kf,kfh,kh->k", form, self.products, form)
        size = np.einsum("kf,kfh,kh->k", np.abs(form), np.abs(self.products), np.abs(form))
        variance[variance < _ROUNDING * size] = 0.0
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(games >= 2, np.sqrt(variance * games / (games - 1)), np.nan)


def _products(first: Floats, second: Floats) -> Floats:
    """Return the products of two features summed over games, for each group."""
    if first.ndim == second.ndim:
        return np.asarray(np.einsum("kg,kg->k", first, second) if first.ndim == 2 else first @ second)
    wide, narrow = (first, second) if first.ndim == 2 else (second, first)
    return np.asarray(np.einsum("kg,g->k", wide, narrow))
