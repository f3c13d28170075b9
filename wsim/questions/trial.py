"""A trial: deals are played block by block and looked at when it is time, until all is decided or the budget is spent.

After each look a group-sequential test (``wsim.stats.sequential``) says whether the answer is clear. A verdict once
given stays, with what was known then.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from wsim.lab.progress import ProgressOfLooks
from wsim.questions.comparison import Comparison

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from wsim.lab.progress import Progress
    from wsim.stats.intervals import Estimate
    from wsim.stats.sequential import Look

BLOCK = 2048  # deals whose sums are added in one go: small enough for many variants, large enough for the kernels

IDENTICAL = 10_000
"""Deals after which playing ends if none of them differs in anything that is compared."""


class Sums(Protocol):
    """What a trial knows: effects, some of which are the contrasts that decide."""

    @property
    def deals(self) -> int:
        """How many were added."""
        ...

    @property
    def deciding(self) -> Sequence[int]:
        """Where the contrasts stand among the effects."""
        ...

    def plus(self, played: Any, /) -> Any:
        """Return the same with more deals; these sums stay as they are."""
        ...

    def effects(self) -> Estimate:
        """Return all that gets an interval."""
        ...

    def enough(self) -> NDArray[np.bool_]:
        """Say of each effect whether enough deals speak for an interval."""
        ...

    def identical(self, contrast: int, /) -> bool:
        """Say whether no deal differs."""
        ...

    def conditional(self, contrast: int, /) -> bool:
        """Say whether a contrast is not what a change does, so that it gets no verdict."""
        ...


Known = TypeVar("Known", bound=Sums)


@dataclass(frozen=True)
class Decided(Generic[Known]):
    """A contrast that is decided.

    Attributes
    ----------
    verdict: ``higher``, ``lower``, ``equivalent``, or ``identical``: no deal differed.
    look: the look that decided. sums: what was known then.
    """

    verdict: str
    look: Look
    sums: Known


class Trial(Generic[Known]):
    """Contrasts under way.

    Attributes
    ----------
    question: how they are decided.
    sums: what is known.
    looks: the looks so far; their effects are those of ``sums`` at that time.
    decided: the contrasts that are decided, by their numbers.
    stopped: why playing ended: ``clear``, ``budget`` or ``interrupted``; ``waiting`` until then.
    seconds: how long playing took.
    """

    def __init__(self, sums: Known, question: Comparison, tests: int | None = None) -> None:
        """``tests``: how many contrasts share alpha, if there are others besides these."""
        self.sums, self.question = sums, question
        self.looks: list[Look] = []
        self.decided: dict[int, Decided[Known]] = {}
        self.stopped = "waiting"
        self.seconds = 0.0
        self._test = question.test(len(sums.deciding) if tests is None else tests)

    def play(self, blocks: Generator[Any], progress: Progress | None = None, doing: str = "deals") -> None:
        """Add blocks until all is decided or they end; Ctrl-C leaves the trial as it then is, with a last look.

        ``blocks``: of deals as ``sums.plus`` takes them; one ends wherever the question looks.
        """
        start, looks = time.perf_counter(), self.question.looks()
        try:
            with closing(blocks):
                for block in blocks:
                    self.add(block)
                    if progress is not None:
                        progress(doing, self.sums.deals, self.question.budget)
                    if self.sums.deals in looks:
                        self.look()
                        if isinstance(progress, ProgressOfLooks):
                            progress.looked(self.sums.deals, self._deciding())
                        if self.over():
                            return
            self.stopped = "budget"
        except KeyboardInterrupt:
            self.stopped = "interrupted"
            if self.sums.deals > self._test.deals:
                self.look()
            raise
        finally:
            self.seconds = time.perf_counter() - start

    def add(self, block: Any) -> None:
        """Add a block of deals, in one step: Ctrl-C may come at any time."""
        self.sums = self.sums.plus(block)

    def look(self) -> None:
        """Look at the deals so far."""
        sums, enough = self.sums, min(IDENTICAL, self.question.budget)
        look = self._test.look(sums.deals, sums.effects(), sums.enough())
        self.looks.append(look)
        for contrast, place in enumerate(sums.deciding):
            verdict: str = look.verdict(place)
            if sums.deals >= enough and sums.identical(contrast):
                verdict = "identical"
            if verdict != "unclear" and not sums.conditional(contrast):
                self.decided.setdefault(contrast, Decided(verdict, look, sums))

    def _deciding(self) -> list[tuple[float, float, float]]:
        """Return what decides, as it stood at the last look: each effect with the ends of its interval."""
        look = self.looks[-1]
        return [(float(look.effects.value[at]), float(look.low[at]), float(look.high[at])) for at in self.sums.deciding]

    def over(self) -> bool:
        """Say whether no more deals are needed, and remember why."""
        if len(self.decided) == len(self.sums.deciding):
            self.stopped = "clear"
        return self.stopped == "clear"


def blocks_of(looks: Sequence[int]) -> list[range]:
    """Return blocks of deals up to the last of some looks: none larger than ``BLOCK``, and one ends at every look."""
    edges = sorted({*looks, *range(BLOCK, looks[-1], BLOCK)})
    return [range(first, last) for first, last in zip([0, *edges], edges, strict=False)]
