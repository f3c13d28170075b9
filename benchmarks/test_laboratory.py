"""What the laboratory adds to the kernel: frames, Parquet, memory."""

from __future__ import annotations

import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from wsim.game import find_game
from wsim.lab.batch import MAXIMUM_CHUNK
from wsim.lab.plan import Plan
from wsim.lab.run import record
from wsim.processors import usable_cpus

if TYPE_CHECKING:
    from benchmarks.conftest import Process

GAMES = 1_000_000
MOST_TIMES_THE_KERNEL = 1.3
MOST_MEGABYTES = 500


def kernel_seconds(plan: Plan, threads: int) -> float:
    """Return how long the kernel alone takes for the games of a plan."""
    table = find_game(plan.game).prepare(plan)

    def play(first: int) -> None:
        games = min(MAXIMUM_CHUNK, plan.games - first)
        table.play(first, np.zeros(games * table.seats, table.row_dtype))

    play(0)  # compiles
    start = time.perf_counter()
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(play, range(0, plan.games, MAXIMUM_CHUNK)))
    return time.perf_counter() - start


def test_a_run_of_a_million_games(benchmark: Any, tmp_path: Path) -> None:
    plan = Plan.make(games=GAMES, policies="random")
    kernel = kernel_seconds(plan, usable_cpus())
    benchmark.pedantic(record, (plan, tmp_path / "run"), rounds=1)
    run = benchmark.stats.stats.min
    benchmark.extra_info |= {"kernel_seconds": round(kernel, 2), "times_the_kernel": round(run / kernel, 2)}
    assert run <= MOST_TIMES_THE_KERNEL * kernel


def test_two_threads_against_one(benchmark: Any) -> None:
    if usable_cpus() < 2:
        pytest.skip("one processor")
    plan = Plan.make(games=GAMES // 4, policies="random")
    one = kernel_seconds(plan, 1)
    two = benchmark.pedantic(kernel_seconds, (plan, 2), rounds=1)
    benchmark.extra_info |= {"gain": round(one / two, 2)}
    assert one / two >= 1.8


@pytest.mark.skipif(sys.platform != "linux", reason="maxrss has other units elsewhere")
@pytest.mark.parametrize("games", [100_000, GAMES])
def test_memory_of_a_run(benchmark: Any, python: Process, games: int) -> None:
    code = (
        "import resource, sys; from wsim.cli.app import main\n"
        f"try: main(['run', '--games', '{games}', '--policies', 'random', '--out', 'run', '--json'])\n"
        "finally: print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024, file=sys.stderr)"
    )
    answer = benchmark.pedantic(python, ("-c", code), rounds=1)
    megabytes = int(answer.stderr.split()[-1])
    benchmark.extra_info |= {"megabytes": megabytes}
    assert megabytes <= MOST_MEGABYTES
