"""A comparison under way: play block by block, look when it is time, end when every variant is decided."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from wsim.experiments.paired import Comparison, Pairing, play_paired
from wsim.experiments.question import Question
from wsim.lab.progress import Progress
from wsim.stats.sequential import Look

if TYPE_CHECKING:
    from wsim.lab.cluster import InChunks

__all__ = ["BLOCK", "FEWEST", "IDENTICAL", "Decided", "Trial"]

BLOCK = 2048  # deals whose sums are added in one go: small enough for many variants, large enough for the kernels

FEWEST = 50
"""Deals that must differ, about equally, before there is an interval: a few say nothing of the rare large ones."""

IDENTICAL = 10_000
"""Deals after which playing ends if none of them differs in anything that is compared."""

MOVED = 0.02
"""Share of deals in which other seats count: with more, a metric is about seats that the change itself has chosen."""


@dataclass(frozen=True)
class Decided:
    """A variant that is decided.

    Attributes
    ----------
    verdict: ``higher``, ``lower``, ``equivalent``, or ``identical``: no deal differed.
    look: the look that decided.
    known: what was known then.
    """

    verdict: str
    look: Look
    known: Comparison


class Trial:
    """A comparison under way. The first metric of the pairing is the one that decides.

    Attributes
    ----------
    pairing: what is compared. question: how it is decided.
    known: what is known of every variant and metric, variant by variant.
    looks: the looks so far; their effects are those of ``known`` at that time.
    decided: the variants that are decided, by their numbers.
    stopped: why playing ended: ``clear``, ``budget`` or ``interrupted``.
    seconds: how long playing took.
    """

    def __init__(self, pairing: Pairing, question: Question) -> None:
        self.pairing, self.question = pairing, question
        self.variants = len(pairing.arms) - 1
        self.known = Comparison(self.variants, len(pairing.metrics))
        self.looks: list[Look] = []
        self.decided: dict[int, Decided] = {}
        self.stopped = "budget"
        self.seconds = 0.0
        self._test = question.test(self.variants)

    def play(self, chunks_of: InChunks, progress: Progress | None = None) -> None:
        """Play until all is decided or the budget is spent; Ctrl-C leaves the trial as it then is, with a last look.

        ``chunks_of`` plays: on threads or on a cluster (``wsim.lab.cluster.players``).
        """
        start = time.perf_counter()
        try:
            self._play(chunks_of, progress)
        except KeyboardInterrupt:
            self.stopped = "interrupted"
            if self.known.games > self._test.deals:
                self._look()
            raise
        finally:
            self.seconds = time.perf_counter() - start

    def _play(self, chunks_of: InChunks, progress: Progress | None) -> None:
        """Play block by block; return when every variant is decided, or when the budget is spent."""
        looks, budget = self.question.looks(), self.question.budget
        edges = sorted({*looks, *range(BLOCK, budget, BLOCK)})
        blocks = [range(first, last) for first, last in zip([0, *edges], edges, strict=False)]
        for games, sums in play_paired(self.pairing, blocks, chunks_of):
            updated = self.known.plus(sums)
            self.known = updated  # in one step: Ctrl-C may come at any time
            if progress is not None:
                progress("deals", games.stop, budget)
            if games.stop in looks:
                self._look()
                if len(self.decided) == self.variants:
                    self.stopped = "clear"
                    return

    def _look(self) -> None:
        """Look at the deals so far: a verdict once given stays."""
        deals, enough = self.known.games, min(IDENTICAL, self.question.budget)
        look = self._test.look(deals, self.known.effect(), self.known.telling() >= FEWEST)
        self.looks.append(look)
        for variant in range(self.variants):
            verdict: str = look.verdict(self.place(variant))
            if deals >= enough and not self.differing(variant).any():
                verdict = "identical"
            if verdict != "unclear" and not self.conditional(variant):
                self.decided.setdefault(variant, Decided(verdict, look, self.known))

    def differing(self, variant: int) -> NDArray[np.int64]:
        """Return how many deals differ in each metric of a variant."""
        first = self.place(variant)
        return self.known.differing[first : first + len(self.pairing.metrics)]

    def conditional(self, variant: int) -> bool:
        """Say whether the metric is about seats that the variant has chosen: not the same ones count in both arms.

        Then its difference is not what the change does to a seat, and no verdict is given.
        """
        place = self.place(variant)
        return bool(self.known.moved[place] > MOVED * self.known.counted[place])

    def place(self, variant: int) -> int:
        """Return where the deciding metric of a variant stands among the effects."""
        return variant * len(self.pairing.metrics)
