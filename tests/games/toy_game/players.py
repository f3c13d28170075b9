"""The policies of the toy game: each sees the hand of its own seat and a random word, and returns an index into it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["REGISTRY", "Policy"]

Function: TypeAlias = "Callable[[NDArray[Any], NDArray[np.uint64]], NDArray[np.int64]]"


@dataclass(frozen=True)
class Policy:
    """A policy: ``choose`` takes hands, shape (seats, stones), and a word a seat; returns an index a seat."""

    choose: Function
    kind: str
    idea: str
    random: bool = False


def _bold(hands: NDArray[Any], words: NDArray[np.uint64]) -> NDArray[np.int64]:
    return np.asarray(hands.argmax(axis=1), np.int64)


def _random(hands: NDArray[Any], words: NDArray[np.uint64]) -> NDArray[np.int64]:
    return (words % np.uint64(hands.shape[1])).astype(np.int64)


def _shy(hands: NDArray[Any], words: NDArray[np.uint64]) -> NDArray[np.int64]:
    return np.asarray(hands.argmin(axis=1), np.int64)


REGISTRY: Mapping[str, Policy] = {
    "bold": Policy(_bold, "fixed", "more is more"),
    "random": Policy(_random, "baseline", "no idea", random=True),
    "shy": Policy(_shy, "fixed", "less is more"),
}
