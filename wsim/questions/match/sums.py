"""Sums over the deals of a match: wins and points of the cells per deal, and their means clustered by deal.

A deal is played in every seating, and its games share the same cards, so they are not independent: each deal counts
once, with the sums of each cell over its games. Wins and points are whole numbers, so sums are exact and do not depend
on threads or blocks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from wsim.questions.deals import WIN_UNITS
from wsim.questions.match.design import Design
from wsim.questions.match.tables import Block
from wsim.stats.fewest import DIFFERING
from wsim.stats.intervals import Estimate
from wsim.stats.moments import Moments

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from wsim.stats.games import Floats

FIGURES = ("edges", "leads", "wins", "points")
"""The figures of a table: pairs' differences in win share and leads, and cells' win shares and points."""


@dataclass(frozen=True)
class _Kind:
    """A range of features of the same kind: first index, count, and the divisor for a deal's whole numbers."""

    first: int
    count: int
    scale: int


class MatchSums:
    """Sums over the deals of a table.

    Its effects are the figures of ``FIGURES``, one kind after the other; the differences in win share decide.

    Attributes
    ----------
    design: the seatings.
    deals: the number of deals added.
    differing: the number of deals in which the two policies of a pair won different amounts, shape (pairs,).
    """

    def __init__(self, design: Design) -> None:
        self.design = design
        self.deals = 0
        self.differing = np.zeros(len(design.pairs), np.int64)
        cells, pairs = len(design.cells), len(design.pairs)
        sides, tables = int(design.reads[0].sum()), int(design.leads[0].any(axis=1).sum())
        self._wins = _Kind(1, cells, sides * WIN_UNITS)
        self._points = _Kind(1 + cells, cells, sides * (design.sides - 1))
        self._leads = _Kind(1 + 2 * cells, pairs, tables * WIN_UNITS)
        self._moments = Moments(1, 1 + 2 * cells + pairs)

    def plus(self, block: Block) -> MatchSums:
        """Return the sums extended by more deals. Does not modify this object."""
        result = MatchSums(self.design)
        result.deals = self.deals + len(block.games)
        features = self._features(block)
        result._moments = self._moments.plus_matrix(features)
        edges = features[:, 1 : self._points.first] @ self.design.edges().T
        result.differing = self.differing + np.count_nonzero(edges, axis=0)
        return result

    def _features(self, block: Block) -> Floats:
        """Return the features of each deal, shape (deals, features): 1, wins and points by cell, and leads by pair."""

        def summed(values: NDArray[np.int64], weights: NDArray[Any]) -> Floats:
            flat = values.reshape(len(block.games), -1).astype(np.float64)
            return np.asarray(flat @ weights.reshape(len(weights), -1).T.astype(np.float64))

        ahead = self.design.sides * block.totals - block.totals.sum(axis=2, keepdims=True)
        wins, points = (summed(part, self.design.reads) for part in (block.wins, ahead))
        return np.concatenate(
            [np.ones((len(block.games), 1)), wins, points, summed(block.totals, self.design.leads)], axis=1
        )

    def wins(self) -> Estimate:
        """Estimate the win share per side of each cell."""
        return self._means(self._wins, np.eye(len(self.design.cells)))

    def edges(self) -> Estimate:
        """Estimate the difference in win share of each pair."""
        return self._means(self._wins, self.design.edges())

    def points(self) -> Estimate:
        """Estimate each cell's points per side minus the mean of the other sides at the table."""
        return self._means(self._points, np.eye(len(self.design.cells)))

    def leads(self) -> Estimate:
        """Estimate the points by which the first policy of each pair leads the second, at tables with both."""
        return self._means(self._leads, np.eye(len(self.design.pairs)))

    def _means(self, kind: _Kind, contrasts: Floats) -> Estimate:
        """Estimate the means over deals of contrasts between features of one kind."""
        forms = np.zeros((len(contrasts), self._moments.totals.shape[1]))
        forms[:, kind.first : kind.first + kind.count] = contrasts
        return self._moments.means(forms, scale=kind.scale)

    # --- the interface of a trial -----------------------------------------------------------------------------------

    @property
    def deciding(self) -> Sequence[int]:
        """The indices of the differences in win share, which are the first effects."""
        return range(len(self.differing))

    def effects(self) -> Estimate:
        """Concatenate all figures into one estimate, in the order of ``FIGURES``."""
        figures: list[Estimate] = [getattr(self, kind)() for kind in FIGURES]
        value, error = (np.concatenate([getattr(figure, name) for figure in figures]) for name in ("value", "error"))
        return Estimate(value, error, np.full(len(value), float(self.deals)))

    def has_interval(self) -> NDArray[np.bool_]:
        """Return a mask of the figures with an interval; only differences can lack one, if too few deals differ."""
        every = 2 * (len(self.design.pairs) + len(self.design.cells))
        result = np.ones(every, bool)
        result[: len(self.differing)] = self.differing >= DIFFERING
        return result

    def identical(self, pair: int) -> bool:
        """Return whether all deals have equal results for the two policies of a pair."""
        return not self.differing[pair]

    def is_self_selected(self, _pair: int) -> bool:
        """Return False: each policy plays all seats of every deal."""
        return False
