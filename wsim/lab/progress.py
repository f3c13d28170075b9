"""Types for reporting the progress of long work and for returning a partial result on Ctrl-C."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

Progress = Callable[[str, int, int], None]
"""A callback, called on the caller's thread with the unit (such as ``games``), the number done and the total."""


class ProgressOfLooks(ABC):
    """A ``Progress`` callback that also receives each interim look of a sequential test."""

    @abstractmethod
    def __call__(self, what: str, done: int, total: int) -> None:
        """Report the number of units done, and the total."""

    @abstractmethod
    def looked(self, deals: int, said: Sequence[str]) -> None:
        """Report an interim look: the deals so far, and one sentence per deciding effect with its interval."""


class Interrupted(KeyboardInterrupt):
    """Raised when Ctrl-C interrupts games.

    Attributes
    ----------
    result: the result of the finished games, of the type that the interrupted function returns (a ``Run``, a
        ``WhatIfAnswer``, a ``PicksAnswer``); None if there is none yet.
    hint: how to continue, as part of a sentence; empty if the work cannot be continued.
    """

    def __init__(self, result: Any = None, hint: str = "") -> None:
        super().__init__("interrupted")
        self.result, self.hint = result, hint
