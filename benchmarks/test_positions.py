"""The size of positions, and the time of copies, steps, resamplings and playouts compared with whole games."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from wsim.game import find_game
from wsim.kernels.commands import LOOK
from wsim.lab.plan import Plan

TABLES = {
    "seven_wonders": {"ruleset": "1e", "players": 4},
    "seven_wonders, seven": {"ruleset": "2e-cities", "players": 7},
    "tower_of_babel": {"game": "tower_of_babel", "players": 4},
}


def microseconds(work: Callable[[], Any], times: int) -> float:
    """Return the minimum microseconds per call over several rounds."""
    found = []
    for _ in range(7):
        start = time.perf_counter()
        for _ in range(times):
            work()
        found.append((time.perf_counter() - start) / times * 1e6)
    return min(found)


@pytest.mark.parametrize("table", TABLES)
def test_positions(table: str, benchmark: Any) -> None:
    """Times of a copy of the state, resuming the machine, a redrawing, a playout and a whole game."""
    simulator: Any = find_game(str(TABLES[table].get("game", "seven_wonders"))).prepare(
        Plan.make(policies="balanced", **TABLES[table])
    )
    position = simulator.begin(0)
    for _ in range(30):
        position.follow()
    words, room = position.words, position.words.copy()
    rows = np.zeros(400 * simulator.seats, simulator.row_dtype)
    info = benchmark.extra_info
    info["bytes"] = words.nbytes
    info["copy_us"] = microseconds(lambda: np.copyto(room, words), 20_000)
    info["look_us"] = microseconds(lambda: position.machine.run(words, LOOK), 300)
    info["redraw_us"] = microseconds(lambda: position.redrawn(0, 1), 200)
    info["playout_us"] = microseconds(lambda: position.play_out(simulator, 400, 0, 1), 1) / 400
    info["game_us"] = microseconds(lambda: simulator.play(0, rows), 1) / 400
    benchmark(lambda: position.clone())
    assert info["bytes"] < 9_000
