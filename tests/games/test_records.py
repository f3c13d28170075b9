"""Records: every field is documented; a position is a prefix of a game and small enough to be copied often."""

from __future__ import annotations

import re
import time
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

GAMES = ("wonders", "babel")
FIELD = re.compile(r'\s+\("\w+", .*\),')


def layout(game: str) -> Any:
    return import_module(f"wsim.{game}.kernels.layout")


@pytest.mark.parametrize("game", GAMES)
def test_every_record_field_is_documented(game: str) -> None:
    lines = Path(layout(game).__file__).read_text(encoding="utf-8").splitlines()
    fields = [line for line in lines if FIELD.match(line)]
    assert len(fields) > 100
    assert [line.strip() for line in fields if not re.search(r"  # \S", line)] == []


@pytest.mark.parametrize("game", GAMES)
def test_a_position_is_a_prefix_of_the_game_record(game: str) -> None:
    records = layout(game)
    state, whole = records.STATE, records.GAME
    assert whole.names[: len(state.names)] == state.names
    for name in state.names:
        assert whole.fields[name] == state.fields[name]


@pytest.mark.parametrize("game", GAMES)
def test_a_position_copies_faster_than_the_whole_game_record(game: str) -> None:
    """Scratch memory is many times larger than the game itself; a copy of the position omits it."""
    records = layout(game)
    source, target = (np.zeros(1, records.GAME).view(np.uint8) for _ in range(2))
    size = records.STATE.itemsize

    def seconds(length: int) -> float:
        start = time.perf_counter()
        for _ in range(200):
            target[:length] = source[:length]
        return time.perf_counter() - start

    assert size * 8 < records.GAME.itemsize
    assert min(seconds(size) for _ in range(5)) < min(seconds(records.GAME.itemsize) for _ in range(5))
