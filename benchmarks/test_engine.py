"""The 7 Wonders engine: games per second in every rule set, its kernels, the payment solver, compiling and loading.

The promised figures are for ``random`` at every seat, one thread, all legal moves listed at every decision. C++ engines
of the same rules play 48,000 (plain) and 76,000 (tuned) four-seat games a second on one core; 98,000 with three seats
and 43,000 with seven (tuned).
"""

from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tests.wonders.engine_tools import TABLES, engine_table, played
from tests.wonders.payment_kernels import SHAPES, draw_many
from wsim.wonders.kernels.layout import PUBLIC, SOLVER

if TYPE_CHECKING:
    from benchmarks.conftest import Process

LEAST_GAMES_A_SECOND = {("1e", 4): 60_000}
COLD_SECONDS = 40.0
SIZES = [(ruleset, players) for ruleset, players in TABLES if players in (2, 3, 4, 7)]
CHUNK = 4000
TRIBUTES = Path(__file__).parents[1] / "analysis" / "expansion" / "tributes.toml"


@pytest.mark.parametrize(("ruleset", "players"), SIZES)
def test_games_a_second(benchmark: Any, ruleset: str, players: int) -> None:
    """One thread, every seat ``random``."""
    table = engine_table(ruleset, players)
    played(table, 200)  # warms up
    benchmark.pedantic(played, (table, CHUNK), rounds=5)
    speed = CHUNK / benchmark.stats.stats.min
    rows = played(table, 200)
    decisions = int(table.rules.age_turns.sum()) * len(rows) / 200
    benchmark.extra_info |= {"games_a_second": round(speed), "turns_a_second": round(speed * decisions)}
    assert speed >= LEAST_GAMES_A_SECOND.get((ruleset, players), 0)


def speed_against(table: Any, other: Any, rounds: int) -> float:
    """Return the speed of one table relative to a different one, as the ratio of their best rounds.

    Rounds alternate, so noise hits both.
    """
    seconds: dict[Any, list[float]] = {other: [], table: []}
    for _ in range(rounds):
        for one in seconds:
            start = time.perf_counter()
            played(one, CHUNK)
            seconds[one].append(time.perf_counter() - start)
    return min(seconds[other]) / min(seconds[table])


@pytest.mark.parametrize("players", [3, 4, 7])
def test_cards_by_formula(benchmark: Any, players: int) -> None:
    """Ten formula cards cost at most a tenth of the speed."""
    plain, formulas = engine_table("1e", players), engine_table("1e", players, patch=(str(TRIBUTES),))
    ratio = speed_against(formulas, plain, rounds=8)
    benchmark.pedantic(played, (formulas, CHUNK), rounds=2)
    benchmark.extra_info |= {"against_printed_cards": round(ratio, 3)}
    assert ratio >= 0.9


HOUSE = (
    "settings.sale_coins='1 + min(5, sold)'",
    "settings.science='compass**2 + gear**2 + tablet**2 + 10 * sets(compass, gear, tablet)'",
    "settings.tie_breaks=['stages', 'coins']",
)


@pytest.mark.parametrize("players", [3, 7])
def test_house_rules_by_formula(benchmark: Any, players: int) -> None:
    """Sales, science and ties by formula cost at most a tenth of the speed."""
    plain, house = engine_table("1e", players), engine_table("1e", players, set=HOUSE)
    ratio = speed_against(house, plain, rounds=8)
    benchmark.pedantic(played, (house, CHUNK), rounds=2)
    benchmark.extra_info |= {"against_printed_rules": round(ratio, 3)}
    assert ratio >= 0.9


@pytest.mark.parametrize("ruleset", ["2e", "2e-cities"])
def test_speed_against_the_first_edition(benchmark: Any, ruleset: str) -> None:
    """2e within a tenth of 1e; Cities at least 0.6 of its decisions per second."""
    first, second = engine_table("1e", 4), engine_table(ruleset, 4)
    turns = int(second.rules.turns) / int(first.rules.turns)
    ratio = speed_against(second, first, rounds=6) * turns
    benchmark.pedantic(played, (second, CHUNK), rounds=2)
    benchmark.extra_info |= {"decisions_against_1e": round(ratio, 2)}
    assert ratio >= {"2e": 0.9, "2e-cities": 0.6}[ruleset]


@pytest.mark.parametrize(("ruleset", "players"), [("1e", 7), ("2e-cities", 4)])
def test_two_threads_against_one(benchmark: Any, ruleset: str, players: int) -> None:
    """The kernel alone; the laboratory's benchmark does the same for the default game."""
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("one processor")
    table = engine_table(ruleset, players)
    firsts = range(0, 32 * CHUNK, CHUNK)

    def play(threads: int) -> float:
        start = time.perf_counter()
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(lambda first: played(table, CHUNK, first), firsts))
        return time.perf_counter() - start

    play(2)
    one = min(play(1) for _ in range(4))
    two = benchmark.pedantic(play, (2,), rounds=6) and min(benchmark.stats.stats.data)
    benchmark.extra_info |= {"gain": round(one / two, 2)}
    assert one / two >= 1.8


def test_recording_picks(benchmark: Any) -> None:
    """Every decision logged and copied out."""
    table = engine_table("1e", 4)
    rows = np.zeros(CHUNK * table.seats, table.row_dtype)
    picks = np.zeros(CHUNK * table.picks_per_game, table.pick_dtype)
    table.play(0, rows, picks)
    benchmark.pedantic(table.play, (0, rows, picks), rounds=3)
    benchmark.extra_info |= {"games_a_second": round(CHUNK / benchmark.stats.stats.min)}


@pytest.mark.parametrize("shape", SHAPES)
def test_payments_a_second(benchmark: Any, shape: str) -> None:
    """The solver on random cities and costs; the time for drawing them is measured and subtracted."""
    public = np.zeros(1, PUBLIC).view(np.recarray)[0]
    solver = np.zeros(1, SOLVER).view(np.recarray)[0]
    number = 200_000 if shape != "large" else 20_000

    def solve(repeats: int) -> float:
        start = time.perf_counter()
        with np.errstate(over="ignore"):
            draw_many(public, solver, np.array([7], np.uint64), SHAPES.index(shape), number, repeats)
        return time.perf_counter() - start

    solve(1)
    drawing = min(solve(0) for _ in range(3))
    benchmark.pedantic(solve, (10,), rounds=3)
    each = (benchmark.stats.stats.min - drawing) / (10 * number)
    benchmark.extra_info |= {"nanoseconds_a_payment": round(each * 1e9, 1)}


IMPORT_ENGINE = (
    "import time; t = time.perf_counter(); import wsim.wonders.kernels.engine; print(time.perf_counter() - t)"
)


def test_compile_time_with_a_cold_cache(benchmark: Any, python: Process, tmp_path: Path) -> None:
    """The compile time of a first run on a fresh machine."""
    cold = f"import os; os.environ['WSIM_CACHE_DIR'] = {str(tmp_path / 'cold')!r}; {IMPORT_ENGINE}"
    answer = benchmark.pedantic(python, ("-c", cold), rounds=1)
    benchmark.extra_info |= {"compile_seconds": round(float(answer.stdout), 1)}
    assert float(answer.stdout) <= COLD_SECONDS


def test_load_time_with_a_warm_cache(benchmark: Any, python: Process) -> None:
    """The load time of every later run: numba and the kernels from disk."""
    python("-c", IMPORT_ENGINE)
    seconds: list[float] = []
    benchmark.pedantic(lambda: seconds.append(float(python("-c", IMPORT_ENGINE).stdout)), rounds=5)
    benchmark.extra_info |= {"load_seconds": round(min(seconds), 2)}


@pytest.mark.parametrize("module", ["wsim.wonders.catalog.loading", "wsim.wonders.game"])
def test_import_time(benchmark: Any, python: Process, module: str) -> None:
    """These modules must not import numba."""
    code = f"import {module}, sys; print('numba' in sys.modules)"
    assert python("-c", code).stdout.strip() == "False"
    benchmark.pedantic(python, ("-c", code), rounds=5, warmup_rounds=1)
