"""A trial: play deals block by block, with interim looks, until all contrasts are decided or the budget is spent.

At each look a group-sequential test (``wsim.stats.sequential``) gives verdicts. A verdict is final and belongs to the
sums at that look.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Sequence
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

BLOCK = 2048  # number of deals added at a time: small enough for many variants, large enough for the kernels

IDENTICAL = 10_000
"""Number of deals after which playing stops if none of them differs in any metric."""


class Sums(Protocol):
    """Sums over deals and their effects, some of which are the deciding contrasts."""

    @property
    def deals(self) -> int:
        """The number of deals added."""
        ...

    @property
    def deciding(self) -> Sequence[int]:
        """The indices of the deciding contrasts among the effects."""
        ...

    def plus(self, played: Any, /) -> Any:
        """Return the sums extended by more deals. Does not modify this object."""
        ...

    def effects(self) -> Estimate:
        """Return all effects for which intervals are computed."""
        ...

    def has_interval(self) -> NDArray[np.bool_]:
        """Return a mask of the effects for which enough deals differ for an interval."""
        ...

    def identical(self, contrast: int, /) -> bool:
        """Return whether no deal differs in a contrast."""
        ...

    def is_self_selected(self, contrast: int, /) -> bool:
        """Return whether the change itself selects the seats of a contrast, which then gets no verdict."""
        ...


Known = TypeVar("Known", bound=Sums)
Sentence = Callable[[float, float, float], str]


@dataclass(frozen=True)
class Decision(Generic[Known]):
    """A decided contrast.

    Attributes
    ----------
    verdict: ``higher``, ``lower``, ``equivalent``, or ``identical`` (no deal differed).
    look: the deciding look. sums: the sums at that look.
    """

    verdict: str
    look: Look
    sums: Known


class Trial(Generic[Known]):
    """A trial in progress.

    Attributes
    ----------
    question: how the trial is decided.
    sums: the sums so far.
    looks: the looks so far, with the effects at each look.
    decided: the decisions so far, by contrast number.
    stopped: why playing stopped: ``clear``, ``known`` (to within the wanted precision), ``budget`` or ``interrupted``;
        ``waiting`` until then.
    seconds: the time that playing took.
    """

    def __init__(
        self, sums: Known, question: Comparison, tests: int | None = None, said: Sequence[Sentence] = ()
    ) -> None:
        """Start a trial without any deals.

        Parameters
        ----------
        tests: the number of contrasts that share alpha, if there are more than those in ``sums``.
        said: for each contrast, a function that puts its effect and interval in words.
        """
        self.sums, self.question = sums, question
        self.looks: list[Look] = []
        self.decided: dict[int, Decision[Known]] = {}
        self.stopped = "waiting"
        self.seconds = 0.0
        self._test = question.test(len(sums.deciding) if tests is None else tests)
        self._said = said

    def play(self, blocks: Generator[Any], progress: Progress | None = None, unit: str = "deals") -> None:
        """Add blocks until all contrasts are decided or the blocks end; Ctrl-C stops with a final look.

        ``blocks``: blocks of deals in the form that ``sums.plus`` takes; a block ends at each look of the question.
        """
        start, looks = time.perf_counter(), self.question.looks()
        try:
            with closing(blocks):
                for block in blocks:
                    self.add(block)
                    if progress is not None:
                        progress(unit, self.sums.deals, self.question.budget)
                    if self.sums.deals in looks:
                        self.look()
                        if isinstance(progress, ProgressOfLooks):
                            progress.looked(self.sums.deals, self._sentences())
                        if self.finished():
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
        """Add a block of deals in one step, because Ctrl-C may come at any time."""
        self.sums = self.sums.plus(block)

    def look(self) -> None:
        """Take an interim look: test the contrasts on the deals so far."""
        sums, enough = self.sums, min(IDENTICAL, self.question.budget)
        look = self._test.look(sums.deals, sums.effects(), sums.has_interval())
        self.looks.append(look)
        for contrast, index in enumerate(sums.deciding):
            verdict: str = look.verdict(index)
            if sums.deals >= enough and sums.identical(contrast):
                verdict = "identical"
            if verdict != "unclear" and not sums.is_self_selected(contrast):
                self.decided.setdefault(contrast, Decision(verdict, look, sums))

    def _deciding(self) -> list[tuple[float, float, float]]:
        """Return the effects that decide the trial, each with its interval, as of the last look."""
        look = self.looks[-1]
        return [(float(look.effects.value[at]), float(look.low[at]), float(look.high[at])) for at in self.sums.deciding]

    def _sentences(self) -> list[str]:
        """Describe the effects that decide the trial, as of the last look."""
        return [say(*effect) for say, effect in zip(self._said, self._deciding(), strict=False)]

    def finished(self) -> bool:
        """Return whether no more deals are needed, and set ``stopped``."""
        if self.question.within is not None:
            self.stopped = "known" if self.known(self.question.within) else self.stopped
        elif len(self.decided) == len(self.sums.deciding):
            self.stopped = "clear"
        return self.stopped in ("clear", "known")

    def known(self, half: float) -> bool:
        """Return whether all deciding intervals have at most this half width, or no deal differs."""
        return all(
            (high - low) / 2 <= half or self.is_identical(contrast)
            for contrast, (_, low, high) in enumerate(self._deciding())
        )

    def is_identical(self, contrast: int) -> bool:
        """Return whether a contrast was decided as ``identical``: no deal differed."""
        return contrast in self.decided and self.decided[contrast].verdict == "identical"


def blocks_of(looks: Sequence[int]) -> list[range]:
    """Divide the deals up to the last look into blocks of at most ``BLOCK``; a block ends at every look."""
    edges = sorted({*looks, *range(BLOCK, looks[-1], BLOCK)})
    return [range(first, last) for first, last in zip([0, *edges], edges, strict=False)]
