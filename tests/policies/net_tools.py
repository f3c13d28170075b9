"""Shared helpers of the net tests of all games: decisions of their games, and nets in files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any


def decisions(simulator: Any, count: int, every: int) -> Iterator[Any]:
    """Yield positions with several legal moves at regular intervals, starting at a different offset in each game."""
    number = found = 0
    while found < count:
        position = simulator.begin(number)
        number += 1
        step = 0
        while position.to_move is not None and found < count:
            if len(position.coded) > 1 and step % every == number % every:
                yield position
                found += 1
            step += 1
            position.follow()


def written(learner: Any, folder: Path, about: Mapping[str, Any] | None = None, **changed: Any) -> str:
    """Write an untrained net with some arrays replaced to a file; return its path."""
    path, net = folder / "net.npz", learner.fresh(1)
    replace(net, arrays={**net.arrays, **changed}, about=about or {"seed": 1}).save(path)
    return str(path)
