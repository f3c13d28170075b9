"""The trial of one table of a match: deals are played and summed, with interim looks."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import closing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from wsim.questions.match.question import MatchQuestion
from wsim.questions.match.sums import FIGURES, MatchSums
from wsim.questions.trial import Sentence, Trial
from wsim.questions.words import Words
from wsim.stats.distributions import normal_cdf
from wsim.stats.intervals import Interval
from wsim.stats.rankings import order_numbers

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from wsim.lab.cluster import InChunks
    from wsim.questions.match.deal_files import DealFiles
    from wsim.questions.match.tables import Block, MatchTable
    from wsim.stats.sequential import Look

SECONDS_A_CHUNK = 0.25  # short enough for the progress bar and Ctrl-C, long compared with the overhead of a chunk
MAX_CHUNK = 512


@dataclass(frozen=True)
class Figures:
    """The figures at an interim look: differences in win share and leads by pair, win shares and points by cell."""

    edges: Interval
    leads: Interval
    wins: Interval
    points: Interval


class MatchTrial(Trial[MatchSums]):
    """The trial of one table.

    Attributes
    ----------
    table: the table. match: how it is played and decided.
    orders: the finishing orders, as numbers from ``wsim.stats.rankings.order_numbers``, shape (deals, seatings).
    """

    def __init__(self, table: MatchTable, match: MatchQuestion, tests: int) -> None:
        said = [_sentence(table, pair, 1 - match.alpha) for pair in table.design.pairs]
        super().__init__(MatchSums(table.design), match.question_at(table.name), tests, said)
        self.table, self.match = table, match
        self._orders: list[NDArray[np.int64]] = []

    @property
    def orders(self) -> NDArray[np.int64]:
        """The finishing orders, shape (deals, seatings)."""
        empty = np.zeros((0, len(self.table.design.seatings)), np.int64)
        return np.concatenate([empty, *self._orders])[: self.sums.deals]

    def blocks(self, chunks_of: InChunks, deal_seconds: float, files: DealFiles | None = None) -> Generator[Block]:
        """Yield the deals up to each look: first the stored ones, then newly played ones.

        Parameters
        ----------
        chunks_of: plays chunks on threads or a cluster (``wsim.lab.cluster.chunk_runner``).
        deal_seconds: approximate seconds per deal on one thread, which determine the chunk size.
        files: the stored deals; new ones are added.
        """
        chunk = max(1, min(MAX_CHUNK, int(SECONDS_A_CHUNK / max(deal_seconds, 1e-9))))
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
        """Add deals, and store the finishing orders of their games."""
        design = self.table.design
        codes = np.broadcast_to(np.array(design.seatings), block.ranks.shape)
        flat = (-1, design.sides)
        numbers = order_numbers(block.ranks.reshape(flat), codes.reshape(flat), design.policies)
        self._orders.append(numbers.reshape(len(block.games), -1))
        super().add(block)  # last, because Ctrl-C may come at any time and this call counts the deals

    def figures(self) -> Figures:
        """Return the figures at the last look, with their intervals."""
        look, figures, first = self.looks[-1], {}, 0
        design = self.table.design
        for name, count in zip(FIGURES, (len(design.pairs), len(design.pairs), *[len(design.cells)] * 2), strict=True):
            own = slice(first, first + count)
            figures[name] = Interval(look.effects.value[own], look.low[own], look.high[own])
            first += count
        return self._with_score_intervals(Figures(**figures), look)

    def _with_score_intervals(self, figures: Figures, look: Look) -> Figures:
        """Add intervals for win shares that are 0 or 1 in every deal, and for their differences."""
        edges, design = figures.edges, self.table.design
        wins, flat = figures.wins.with_wilson(look.deals, 1 - 2 * float(normal_cdf(-look.boundary)))
        indices = {cell: index for index, cell in enumerate(design.cells)}
        pairs = np.array([[indices[cell] for cell in design.cells_of(pair)] for pair in design.pairs])
        first, second = pairs[:, 0], pairs[:, 1]
        both = flat[first] & flat[second] & (edges.low == edges.high)
        low = np.where(both, wins.low[first] - wins.high[second], edges.low)
        high = np.where(both, wins.high[first] - wins.low[second], edges.high)
        return replace(figures, wins=wins, edges=Interval(edges.value, low, high))

    def known(self, half: float) -> bool:
        """Return whether all intervals (except for pairs with identical results) have at most this half width."""
        figures, identical = self.figures(), np.array([self.is_identical(pair) for pair in self.sums.deciding])
        return bool(figures.wins.within(half).all() and (figures.edges.within(half) | identical).all())


def _sentence(table: MatchTable, pair: tuple[int, int], level: float) -> Sentence:
    """Return a function that describes the difference between two policies in words."""
    first, second = (table.policies[policy] for policy in pair)
    noun = f"how much more often {first} wins than {second}"

    def said(value: float, low: float, high: float) -> str:
        ahead, behind = (first, second) if value >= 0 else (second, first)
        words = Words(noun, f"{ahead} wins", (f"more often than {behind}",) * 2, share=True)
        return words.so_far(value, low, high, level)

    return said
