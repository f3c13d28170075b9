"""A table of a match under way: deals are played and added up, and looked at when it is time."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from wsim.experiments.match_question import MatchQuestion
from wsim.experiments.matches.sums import DealSums
from wsim.experiments.trial import IDENTICAL
from wsim.stats.distributions import normal_cdf
from wsim.stats.fewest import DIFFERING
from wsim.stats.intervals import Estimate, wilson
from wsim.stats.rankings import order_numbers

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from wsim.experiments.matches.kept import Keeper
    from wsim.experiments.matches.tables import Block, MatchTable
    from wsim.lab.cluster import InChunks
    from wsim.lab.progress import Progress
    from wsim.stats.sequential import Look

__all__ = ["Decided", "Figure", "Figures", "MatchTrial"]

SECONDS_A_CHUNK = 0.25  # short enough for the progress bar and Ctrl-C, long enough to forget what a chunk costs
LARGEST_CHUNK = 512


@dataclass(frozen=True)
class Decided:
    """What was said of a pair, and after how many deals."""

    verdict: str
    deals: int


@dataclass(frozen=True)
class Figure:
    """One kind of figure at a look, pair by pair or cell by cell: its values and the ends of its intervals.

    An end is infinite or NaN while it is unbounded.
    """

    value: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]

    def scaled(self, factor: float) -> Figure:
        """Return the same of ``factor`` times the quantity."""
        return Figure(self.value * factor, self.low * factor, self.high * factor)

    def within(self, half: float) -> NDArray[np.bool_]:
        """Return which are known to within so much."""
        found: NDArray[np.bool_] = self.high - self.low <= 2 * half
        return found


@dataclass(frozen=True)
class Figures:
    """All that a look knows: differences in win share and leads of pairs; win shares and points of cells."""

    edges: Figure
    leads: Figure
    wins: Figure
    points: Figure


class MatchTrial:
    """A table under way.

    Attributes
    ----------
    table: what is played. question: how it is decided.
    sums: of the deals so far. looks: the looks so far.
    decided: the pairs that are decided, by their numbers.
    orders: how the games finished: numbers of ``wsim.stats.rankings.order_numbers``, shape (deals, seatings).
    stopped: why playing ended: ``clear``, ``known``, ``budget``, or ``waiting`` until then.
    """

    def __init__(self, table: MatchTable, question: MatchQuestion, tests: int) -> None:
        self.table, self.question = table, question
        self.sums = DealSums(table.design)
        self.looks: list[Look] = []
        self.decided: dict[int, Decided] = {}
        self.stopped = "waiting"
        self.seconds = 0.0
        self._orders: list[NDArray[np.int64]] = []
        self._test = question.question.test(tests)

    @property
    def orders(self) -> NDArray[np.int64]:
        """How the games finished."""
        empty = np.zeros((0, len(self.table.design.seatings)), np.int64)
        return np.concatenate([empty, *self._orders])[: self.sums.deals]

    def play(
        self, chunks_of: InChunks, deal_seconds: float, keeper: Keeper | None = None, progress: Progress | None = None
    ) -> None:
        """Play until all is said or the budget is spent; Ctrl-C leaves the trial as it then is, with a last look.

        Parameters
        ----------
        chunks_of: plays, on threads or on a cluster (``wsim.lab.cluster.players``).
        deal_seconds: about how long a deal takes on one thread, for the size of chunks.
        keeper: has the deals that were played before, and keeps the others.
        progress: told of the deals.
        """
        start = time.perf_counter()
        chunk = max(1, min(LARGEST_CHUNK, int(SECONDS_A_CHUNK / max(deal_seconds, 1e-9))))
        looks, budget = self.question.question.looks(), self.question.budget
        try:
            for target in looks:
                for block in self._blocks(target, chunks_of, chunk, keeper):
                    self._add(block)
                    if progress is not None:
                        progress(f"deals ({self.table.name})", self.sums.deals, budget)
                self._look()
                if self._over():
                    return
            self.stopped = "budget"
        except KeyboardInterrupt:
            if self.sums.deals > self._test.deals:
                self._look()
            raise
        finally:
            self.seconds = time.perf_counter() - start
            if keeper is not None:
                keeper.flush()

    def _blocks(self, target: int, chunks_of: InChunks, chunk: int, keeper: Keeper | None) -> Iterator[Block]:
        """Yield the deals up to a look: those that are kept, then those that have to be played."""
        while keeper is not None and self.sums.deals < target:
            block = keeper.take(self.table, self.sums.deals, target)
            if block is None:
                break
            yield block
        first = self.sums.deals
        parts = [range(start, min(start + chunk, target)) for start in range(first, target, chunk)]
        with closing(chunks_of(self.table.play, parts)) as played:
            for block in played:
                if keeper is not None:
                    keeper.add(self.table, block)
                yield block

    def _add(self, block: Block) -> None:
        design = self.table.design
        codes = np.broadcast_to(np.array(design.seatings), block.ranks.shape)
        flat = (-1, design.sides)
        numbers = order_numbers(block.ranks.reshape(flat), codes.reshape(flat), design.policies)
        self._orders.append(numbers.reshape(len(block.games), -1))
        self.sums = self.sums.plus(block)  # last: Ctrl-C may come at any time, and deals are counted here

    def figures(self) -> Figures:
        """Return all that is known at the last look."""
        return self._figures(self.looks[-1])

    def _estimates(self) -> dict[str, Estimate]:
        sums = self.sums
        return {"edges": sums.edges(), "leads": sums.leads(), "wins": sums.wins(), "points": sums.points()}

    def _figures(self, look: Look) -> Figures:
        found, first = {}, 0
        for name, estimate in self._estimates().items():
            reach = look.reach[first : first + len(estimate.value)]
            first += len(estimate.value)
            found[name] = Figure(estimate.value, estimate.value - reach, estimate.value + reach)
        return self._spread(Figures(**found), look)

    def _spread(self, found: Figures, look: Look) -> Figures:
        """Give an interval to win shares that are 0 or 1 in every deal, a deal being one trial (Wilson)."""
        wins, edges, deals = found.wins, found.edges, self.sums.deals
        flat = (wins.low == wins.high) & np.isclose(wins.value, np.rint(wins.value), atol=1e-12)
        if not flat.any():
            return found
        level = 1 - 2 * float(normal_cdf(-look.boundary))
        ends = wilson(wins.value * deals, np.full(len(wins.value), deals), level)
        low, high = (np.where(flat, end, usual) for end, usual in zip(ends, (wins.low, wins.high), strict=True))
        design = self.table.design
        places = {cell: place for place, cell in enumerate(design.cells)}
        pairs = np.array([[places[cell] for cell in design.cells_of(pair)] for pair in design.pairs])
        one, other = pairs[:, 0], pairs[:, 1]
        both = flat[one] & flat[other] & (edges.low == edges.high)
        wide = (np.where(both, low[one] - high[other], edges.low), np.where(both, high[one] - low[other], edges.high))
        return replace(found, wins=Figure(wins.value, low, high), edges=Figure(edges.value, *wide))

    def _look(self) -> None:
        """Look at the deals so far: a verdict once given stays."""
        found = list(self._estimates().values())
        value, error = (np.concatenate([getattr(one, name) for one in found]) for name in ("value", "error"))
        every = Estimate(value, error, np.full(len(value), float(self.sums.deals)))
        pairs, deals = len(self.sums.differing), self.sums.deals
        known = np.ones(len(value), bool)
        known[:pairs] = self.sums.differing >= DIFFERING
        look = self._test.look(deals, every, known)
        self.looks.append(look)
        enough = min(IDENTICAL, self.question.budget)
        for pair in range(pairs):
            verdict: str = look.verdict(pair)
            if deals >= enough and not self.sums.differing[pair]:
                verdict = "identical"
            if verdict != "unclear":
                self.decided.setdefault(pair, Decided(verdict, deals))

    def _over(self) -> bool:
        """Say whether no more deals are needed, and remember why."""
        within = self.question.within
        if within is None:
            if len(self.decided) == len(self.sums.differing):
                self.stopped = "clear"
            return self.stopped != "waiting"
        found = self.figures()
        alike = [self.decided.get(pair, _NONE).verdict == "identical" for pair in range(len(found.edges.value))]
        if bool(found.wins.within(within).all() and (found.edges.within(within) | np.array(alike)).all()):
            self.stopped = "known"
        return self.stopped != "waiting"


_NONE = Decided("unclear", 0)
