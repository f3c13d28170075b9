"""Reports on long work: progress of games, shards and steps, and the partial result on Ctrl-C."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

Progress = Callable[[str, int, int], None]
"""Called on the caller's thread with the unit (``games``), the number done and the total."""


class ProgressOfLooks(ABC):
    """A ``Progress`` that is also called at each look of a sequential test."""

    @abstractmethod
    def __call__(self, what: str, done: int, total: int) -> None:
        """Report progress."""

    @abstractmethod
    def looked(self, deals: int, said: Sequence[str]) -> None:
        """Report a look: the number of deals so far, and a sentence about each deciding effect with its interval."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C while games are being played.

    Attributes
    ----------
    result: the result of the finished games, of the type that the interrupted function returns (a ``Run``, a
        ``WhatIfAnswer``, a ``PicksAnswer``); None if there is none yet.
    hint: how to continue, as part of a sentence; empty where nothing can be continued.
    """

    def __init__(self, result: Any = None, hint: str = "") -> None:
        super().__init__("interrupted")
        self.result, self.hint = result, hint
