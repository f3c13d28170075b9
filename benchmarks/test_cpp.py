"""The 7 Wonders engine compared with a C++ program of the same rules, written for this comparison.

``first_edition.cpp`` plays the first edition with ``random`` at every seat and lists all legal moves at every decision.
Both programs must agree on what they play: mean points of every category, mean points of every side of a board, the
winner's points, the number of decisions and of legal moves. Then their speeds are compared in alternating rounds.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from benchmarks.cpp_engine import CATEGORIES, ROW, CppEngine, compiler
from wsim.game import find_game
from wsim.lab.plan import Plan

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

PLAYERS = (3, 4, 7)
GAMES = 20_000  # of each program, to compare what they play
STANDARD_ERRORS = 4.0
CHUNK, ROUNDS = 2000, 60
FRAMED = 10  # chunks in the frame that is timed
# The aim of 1.3 is missed (docs/performance.md); this is what a change must not fall below on a loaded machine.
LEAST_RATIO = 0.5


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Mapping[int, CppEngine]:
    """The compiled programs by number of players."""
    using = compiler()
    if using is None:
        pytest.skip("there is no C++ compiler: neither CXX nor g++, clang++ or c++")
    folder = tmp_path_factory.mktemp("cpp")
    return {players: CppEngine(players, folder, using) for players in PLAYERS}


def table_of(players: int) -> Any:
    """Return wsim's table of the first edition with ``random`` at every seat."""
    plan = Plan.make(ruleset="1e", players=players, policies="random")
    return find_game(plan.game).prepare(plan)


def figures(rows: Any, players: int, decisions: NDArray[Any], moves: NDArray[Any]) -> dict[str, NDArray[np.float64]]:
    """Return independent values of each figure: one for each game, or for each city with a side."""
    games = len(rows) // players
    totals = rows["total"].reshape(games, players).astype(float)
    values = {
        name: rows["points"][:, at].reshape(games, players).mean(axis=1) for at, name in enumerate(CATEGORIES)
    } | {"total": totals.mean(axis=1), "winner": totals.max(axis=1), "decisions": decisions, "moves": moves}
    sides = {f"side {side}": rows["total"][rows["side"] == side] for side in np.unique(rows["side"])}
    return {name: np.asarray(one, float) for name, one in (values | sides).items()}


@pytest.mark.parametrize("players", PLAYERS)
def test_both_play_the_same_game(programs: Mapping[int, CppEngine], players: int) -> None:
    """All means agree within four standard errors."""
    rows, counted = programs[players].counted(GAMES, seed=5)
    there = figures(rows, players, counted[:, 0], counted[:, 1])
    table = table_of(players)
    rows = np.zeros(GAMES * players, table.row_dtype)
    picks = np.zeros(GAMES * table.picks_per_game, table.pick_dtype)
    picks = picks[: table.play(0, rows, picks)]
    number = picks["game"].astype(int)
    here = figures(rows, players, np.bincount(number), np.bincount(number, picks["event"]["legal"]))
    assert here.keys() == there.keys()
    for name, own in here.items():
        other = there[name]
        error = np.sqrt(own.var() / len(own) + other.var() / len(other))
        assert abs(own.mean() - other.mean()) <= STANDARD_ERRORS * error, (name, own.mean(), other.mean(), error)


@pytest.mark.parametrize("players", PLAYERS)
def test_speed_against_cpp(benchmark: Any, programs: Mapping[int, CppEngine], players: int) -> None:
    """Games per second relative to the C++ program, processor time of one thread; with frames, those are built too."""
    table, program = table_of(players), programs[players]
    rows, other_rows = np.zeros(CHUNK * players, table.row_dtype), np.zeros(CHUNK * players, ROW)
    many = np.tile(rows, FRAMED)

    def seconds() -> tuple[float, float]:
        start = time.thread_time()
        table.play(0, rows)
        played = time.thread_time()
        program.fill(other_rows, seed=7)
        return played - start, time.thread_time() - played

    def frame_seconds() -> float:
        start = time.process_time()
        table.base_frame(many)
        return (time.process_time() - start) / FRAMED

    seconds()
    taken = np.array([seconds() for _ in range(ROUNDS)])
    framing = min(frame_seconds() for _ in range(5))
    benchmark.pedantic(table.play, (0, rows), rounds=3)
    kernel, cpp = taken.min(axis=0)
    benchmark.extra_info |= {
        "games_a_second": round(CHUNK / kernel),
        "games_a_second_in_cpp": round(CHUNK / cpp),
        "against_cpp": round(cpp / kernel, 3),
        "against_cpp_median": round(float(np.median(taken[:, 1] / taken[:, 0])), 3),
        "against_cpp_with_frames": round(cpp / (kernel + framing), 3),
    }
    assert cpp / kernel >= LEAST_RATIO
