"""The overhead of the laboratory over the kernel: frames, Parquet, memory."""

from __future__ import annotations

import os
import resource
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from wsim.game import find_game
from wsim.lab.batch import MAX_CHUNK
from wsim.lab.plan import Plan
from wsim.processors import usable_cpus

if TYPE_CHECKING:
    from benchmarks.conftest import Process

GAMES = 1_000_000
TURNS = 4
MOST_TIMES_THE_KERNEL = 1.35
MOST_MEGABYTES = 500
LEAST_GAIN = 1.8  # of two threads


@dataclass(frozen=True)
class Taken:
    """A measured duration in wall and processor seconds."""

    clock: float
    processors: float


def kernel_time(plan: Plan, threads: int) -> Taken:
    """Measure the kernel alone, without the laboratory, on the games of a plan."""
    table = find_game(plan.game).prepare(plan)

    def play(first: int) -> None:
        games = min(MAX_CHUNK, plan.games - first)
        table.play(first, np.zeros(games * table.seats, table.row_dtype))

    play(0)  # compiles
    start, used = time.perf_counter(), time.process_time()
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(play, range(0, plan.games, MAX_CHUNK)))
    return Taken(time.perf_counter() - start, time.process_time() - used)


def children_time() -> float:
    """Return the processor seconds of all processes that this one has started and waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def quickest(several: Sequence[Taken]) -> Taken:
    """Return the minimum of each measured time, which is least disturbed by other processes."""
    return Taken(min(one.clock for one in several), min(one.processors for one in several))


@pytest.mark.skipif(os.name != "posix", reason="asks for the time of a process")
def test_a_run_of_a_million_games(benchmark: Any, python: Process) -> None:
    """The whole command, from its start to its tables, alternating with the kernel; the minimum of each counts."""
    command = ("-m", "wsim", "run", "--policies", "random", "--games")
    python(*command, "1000", "--out", "warm")  # compiles
    plan = Plan.make(games=GAMES, policies="random")
    kernels, runs = [], []

    def in_turns() -> None:
        for number in range(TURNS):
            kernels.append(kernel_time(plan, usable_cpus()))
            start, used = time.perf_counter(), children_time()
            python(*command, str(GAMES), "--out", f"run-{number}")
            runs.append(Taken(time.perf_counter() - start, children_time() - used))

    benchmark.pedantic(in_turns, rounds=1)
    kernel, run = quickest(kernels), quickest(runs)
    benchmark.extra_info |= {
        "kernel_seconds": round(kernel.clock, 2),
        "run_seconds": round(run.clock, 2),
        "times_the_kernel": round(run.clock / kernel.clock, 2),
        "times_its_processors": round(run.processors / kernel.processors, 2),
    }
    assert run.clock <= MOST_TIMES_THE_KERNEL * kernel.clock


def test_two_threads_against_one(benchmark: Any) -> None:
    if usable_cpus() < 2:
        pytest.skip("one processor")
    plan = Plan.make(games=GAMES // 4, policies="random")
    one = kernel_time(plan, 1).clock
    two = benchmark.pedantic(kernel_time, (plan, 2), rounds=1).clock
    benchmark.extra_info |= {"gain": round(one / two, 2)}
    assert one / two >= LEAST_GAIN


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
