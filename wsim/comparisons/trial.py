"""A comparison under way: play block by block, look when it is time, end when every variant is decided."""

from __future__ import annotations

import time

from wsim.comparisons.paired import Comparison, Pairing, play_paired
from wsim.comparisons.question import Question
from wsim.lab.progress import Progress
from wsim.stats.sequential import Look, Verdict

__all__ = ["BLOCK", "Trial"]

BLOCK = 2048  # deals whose sums are added in one go: small enough for many variants, large enough for the kernels


class Trial:
    """A comparison under way. The first metric of the pairing is the one that decides.

    Attributes
    ----------
    pairing: what is compared. question: how it is decided.
    known: what is known of every variant and metric, variant by variant.
    looks: the looks so far; their effects are those of ``known`` at that time.
    verdicts: of each variant that is decided, by its number: the verdict and after how many deals.
    stopped: why playing ended: ``clear``, ``budget`` or ``interrupted``.
    seconds: how long playing took.
    """

    def __init__(self, pairing: Pairing, question: Question) -> None:
        self.pairing, self.question = pairing, question
        self.variants = len(pairing.arms) - 1
        self.known = Comparison(self.variants, len(pairing.metrics))
        self.looks: list[Look] = []
        self.verdicts: dict[int, tuple[Verdict, int]] = {}
        self.stopped = "budget"
        self.seconds = 0.0
        self._test = question.test(self.variants)

    def play(self, threads: int, progress: Progress | None = None) -> None:
        """Play until all is decided or the budget is spent; Ctrl-C leaves the trial as it then is, with a last look."""
        start = time.perf_counter()
        try:
            self._play(threads, progress)
        except KeyboardInterrupt:
            self.stopped = "interrupted"
            if self.known.games > self._test.deals:
                self._look()
            raise
        finally:
            self.seconds = time.perf_counter() - start

    def _play(self, threads: int, progress: Progress | None) -> None:
        """Play block by block; return when every variant is decided, or when the budget is spent."""
        looks, budget = self.question.looks(), self.question.budget
        edges = sorted({*looks, *range(BLOCK, budget, BLOCK)})
        blocks = [range(first, last) for first, last in zip([0, *edges], edges, strict=False)]
        for games, sums in play_paired(self.pairing, blocks, threads):
            updated = self.known.plus(sums)
            self.known = updated  # in one step: Ctrl-C may come at any time
            if progress is not None:
                progress("deals", games.stop, budget)
            if games.stop in looks:
                self._look()
                if len(self.verdicts) == self.variants:
                    self.stopped = "clear"
                    return

    def _look(self) -> None:
        """Look at the deals so far: a verdict once given stays."""
        deals = self.known.games
        look = self._test.look(deals, self.known.effect())
        self.looks.append(look)
        for variant in range(self.variants):
            verdict = look.verdict(self.place(variant))
            if verdict != "unclear":
                self.verdicts.setdefault(variant, (verdict, deals))

    def place(self, variant: int) -> int:
        """Return where the deciding metric of a variant stands among the effects."""
        return variant * len(self.pairing.metrics)
