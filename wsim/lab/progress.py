"""How those who wait are told: the progress of games, shards and steps, and what is known when Ctrl-C comes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

Progress = Callable[[str, int, int], None]
"""Called on the caller's thread with what is being done (``games``), how much of it is done, and how much there is."""


class ProgressOfLooks(ABC):
    """A ``Progress`` that is shown each look of a sequential test, too."""

    @abstractmethod
    def __call__(self, what: str, done: int, total: int) -> None:
        """Take the progress."""

    @abstractmethod
    def looked(self, deals: int, effects: Sequence[tuple[float, float, float]]) -> None:
        """Take a look: after how many deals, and what decides: each effect with the ends of its interval."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C while games are played.

    Attributes
    ----------
    result: what the finished games say, of the type that the interrupted function returns (a ``Run``, a
        ``WhatIf``, a ``PickExperiment``); None if there is nothing to say yet.
    """

    def __init__(self, result: Any = None) -> None:
        super().__init__("interrupted")
        self.result = result
