"""Tower of Babel: games per second by seats, policies and threads; picks, traces, compile and cache-load time."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from wsim.game import find_game
from wsim.lab.plan import Plan
from wsim.processors import usable_cpus

if TYPE_CHECKING:
    from benchmarks.conftest import Process

GAME = "tower_of_babel"
MIXED = ("builder", "supplier", "collector", "majority", "balanced")
PROMISED = 100_000  # four-player games of `random` a second on two threads
CHUNK = 8_000


def ready(players: int, policies: tuple[str, ...], **options: str) -> Any:
    """Prepare a table and compile its kernels."""
    table = find_game(GAME).prepare(Plan.make(game=GAME, players=players, policies=policies, **options))
    table.play(0, np.zeros(table.seats, table.row_dtype))
    return table


def games_a_second(benchmark: Any, table: Any, threads: int = 1) -> float:
    """Play chunks of games on a number of threads; return the best rate in games per second."""
    rows = [np.zeros(CHUNK * table.seats, table.row_dtype) for _ in range(threads)]

    def play() -> None:
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(lambda part: table.play(part * CHUNK, rows[part]), range(threads)))

    benchmark.pedantic(play, rounds=8, warmup_rounds=1)
    rate = threads * CHUNK / benchmark.stats.stats.min
    benchmark.extra_info["games_a_second"] = round(rate)
    return float(rate)


@pytest.mark.parametrize("players", [3, 4, 5])
def test_random_on_one_thread(benchmark: Any, players: int) -> None:
    games_a_second(benchmark, ready(players, ("random",)))


def test_random_on_two_threads(benchmark: Any) -> None:
    if usable_cpus() < 2:
        pytest.skip("one processor")
    assert games_a_second(benchmark, ready(4, ("random",)), threads=2) >= PROMISED


@pytest.mark.parametrize("two_colour", ["false", "true"])
@pytest.mark.parametrize("actions", ["false", "true"])
def test_random_with_and_without_variants(benchmark: Any, actions: str, two_colour: str) -> None:
    games_a_second(benchmark, ready(4, ("random",), action_cards=actions, two_colour_discs=two_colour))


@pytest.mark.parametrize("players", [3, 4, 5])
def test_weighted_on_one_thread(benchmark: Any, players: int) -> None:
    games_a_second(benchmark, ready(players, MIXED[:players]))


def test_picks(benchmark: Any) -> None:
    table = ready(4, ("random",))
    rows = np.zeros(1000 * table.seats, table.row_dtype)
    picks = np.zeros(1000 * table.picks_per_game, table.pick_dtype)
    written = benchmark(table.play, 0, rows, picks)
    benchmark.extra_info |= {"picks_a_game": written / 1000}


def test_trace(benchmark: Any) -> None:
    table = ready(4, MIXED[:4])
    benchmark(table.trace, 0)


LOAD = """
import time
start = time.perf_counter()
from wsim.lab.plan import Plan
from wsim.game import find_game
import numpy as np
table = find_game("tower_of_babel").prepare(Plan.make(game="tower_of_babel"))
table.play(0, np.zeros(table.seats, table.row_dtype))
print(time.perf_counter() - start)
"""


def test_compiling_and_loading(
    benchmark: Any, python: Process, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A first run on a fresh machine compiles in under 40 s; the next one loads the cache."""
    monkeypatch.setenv("WSIM_CACHE_DIR", str(tmp_path / "cache"))
    cold = float(python("-c", LOAD).stdout)
    warm = benchmark.pedantic(lambda: float(python("-c", LOAD).stdout), rounds=1)
    benchmark.extra_info |= {"compile_seconds": round(cold, 1), "load_seconds": round(warm, 2)}
    assert cold < 40
    assert warm < 5
