"""A table of a match under way: deals are played and added up, and looked at when it is time."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import closing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from wsim.questions.match.question import MatchQuestion
from wsim.questions.match.sums import FIGURES, MatchSums
from wsim.questions.trial import Trial
from wsim.stats.distributions import normal_cdf
from wsim.stats.intervals import Interval
from wsim.stats.rankings import order_numbers

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from wsim.lab.cluster import InChunks
    from wsim.questions.match.deal_files import DealFiles
    from wsim.questions.match.tables import Block, MatchTable
    from wsim.stats.sequential import Look

SECONDS_A_CHUNK = 0.25  # short enough for the progress bar and Ctrl-C, long enough to forget what a chunk costs
LARGEST_CHUNK = 512


@dataclass(frozen=True)
class Figures:
    """All that a look knows: differences in win share and leads of pairs; win shares and points of cells."""

    edges: Interval
    leads: Interval
    wins: Interval
    points: Interval


class MatchTrial(Trial[MatchSums]):
    """A table under way.

    Attributes
    ----------
    table: what is played. match: how it is played and decided.
    orders: how the games finished: numbers of ``wsim.stats.rankings.order_numbers``, shape (deals, seatings).
    stopped: also ``known``: everything to within what was wanted.
    """

    def __init__(self, table: MatchTable, match: MatchQuestion, tests: int) -> None:
        super().__init__(MatchSums(table.design), match.question, tests)
        self.table, self.match = table, match
        self._orders: list[NDArray[np.int64]] = []

    @property
    def orders(self) -> NDArray[np.int64]:
        """How the games finished."""
        empty = np.zeros((0, len(self.table.design.seatings)), np.int64)
        return np.concatenate([empty, *self._orders])[: self.sums.deals]

    def blocks(self, chunks_of: InChunks, deal_seconds: float, files: DealFiles | None = None) -> Generator[Block]:
        """Yield the deals, look by look: those that were played before, then those that have to be played.

        Parameters
        ----------
        chunks_of: plays, on threads or on a cluster (``wsim.lab.cluster.chunk_runner``).
        deal_seconds: about how long a deal takes on one thread, for the size of chunks.
        files: has the deals that were played before, and keeps the others.
        """
        chunk = max(1, min(LARGEST_CHUNK, int(SECONDS_A_CHUNK / max(deal_seconds, 1e-9))))
        first = 0
        try:
            for target in self.question.looks():
                while files is not None and first < target:
                    block = files.take(self.table, first, target)
                    if block is None:
                        break
                    first = block.games.stop
                    yield block
                parts = [range(start, min(start + chunk, target)) for start in range(first, target, chunk)]
                first = target
                with closing(chunks_of(self.table.play, parts)) as played:
                    for block in played:
                        if files is not None:
                            files.add(self.table, block)
                        yield block
        finally:
            if files is not None:
                files.flush()

    def add(self, block: Block) -> None:
        """Add deals, and note how their games finished."""
        design = self.table.design
        codes = np.broadcast_to(np.array(design.seatings), block.ranks.shape)
        flat = (-1, design.sides)
        numbers = order_numbers(block.ranks.reshape(flat), codes.reshape(flat), design.policies)
        self._orders.append(numbers.reshape(len(block.games), -1))
        super().add(block)  # last: Ctrl-C may come at any time, and deals are counted here

    def figures(self) -> Figures:
        """Return all that is known at the last look."""
        look, found, first = self.looks[-1], {}, 0
        design = self.table.design
        for name, count in zip(FIGURES, (len(design.pairs), len(design.pairs), *[len(design.cells)] * 2), strict=True):
            own = slice(first, first + count)
            found[name] = Interval(look.effects.value[own], look.low[own], look.high[own])
            first += count
        return self._spread(Figures(**found), look)

    def _spread(self, found: Figures, look: Look) -> Figures:
        """Give an interval to win shares that are 0 or 1 in every deal, and to their differences."""
        edges, design = found.edges, self.table.design
        wins, flat = found.wins.with_wilson(look.deals, 1 - 2 * float(normal_cdf(-look.boundary)))
        places = {cell: place for place, cell in enumerate(design.cells)}
        pairs = np.array([[places[cell] for cell in design.cells_of(pair)] for pair in design.pairs])
        one, other = pairs[:, 0], pairs[:, 1]
        both = flat[one] & flat[other] & (edges.low == edges.high)
        low = np.where(both, wins.low[one] - wins.high[other], edges.low)
        high = np.where(both, wins.high[one] - wins.low[other], edges.high)
        return replace(found, wins=wins, edges=Interval(edges.value, low, high))

    def over(self) -> bool:
        """Say whether no more deals are needed, and remember why."""
        within = self.match.precision
        if within is None:
            return super().over()
        found = self.figures()
        alike = [pair in self.decided and self.decided[pair].verdict == "identical" for pair in self.sums.deciding]
        if bool(found.wins.within(within).all() and (found.edges.within(within) | np.array(alike)).all()):
            self.stopped = "known"
        return self.stopped == "known"
