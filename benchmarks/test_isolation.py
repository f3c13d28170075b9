"""The price of isolation: games per second with user code in separate processes and in this process."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.test_policies import table_of
from wsim.lab.plan import Plan
from wsim.policies.declare import isolated
from wsim.policies.effect_calls import isolated_processes
from wsim.wonders.game import GAME

ROUNDS = 3
CENSUS = Path(__file__).parents[1] / "analysis" / "expansion" / "census.toml"
BUSY = """
import wsim


@wsim.policy(parameters={"rounds": 0})
def compiled(public, own, choice, rules):
    total = 0
    for step in range(int(own.parameters[0])):
        total += (step * step) % 7
    return total % choice.count


def plain(public, own, choice, rules):
    return int(choice.count) - 1
"""
LIKE = {
    "compiled, cheapest": ("compiled:rounds=0", 4000, 0.25),
    "compiled, like net": ("compiled:rounds=2500", 4000, 0.7),
    "plain": ("plain", 300, 0.25),
}
"""Policies: the cheapest that a user can write, one as fast as `net`, and one in plain Python; each with the number of
games and the minimum fraction of the trusted rate."""


def spent(table: Any) -> float:
    """Return the processor seconds used so far by this process and the processes of the table's policies."""
    return processor_time([policy.process_id for policy in table.apart.policies] if table.apart else [])


def processor_time(processes: Sequence[int]) -> float:
    """Return the processor seconds used so far by this process and some other processes."""
    total = time.process_time()
    for number in processes:
        words = Path(f"/proc/{number}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()
        total += (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")
    return total


def seconds(table: Any, games: int) -> tuple[float, float]:
    """Play games on one thread; return the elapsed and the processor time."""
    rows = np.zeros(games * table.seats, table.row_dtype)
    before, start = spent(table), time.perf_counter()
    table.play(0, rows)
    return time.perf_counter() - start, spent(table) - before


@pytest.mark.skipif(sys.platform != "linux", reason="/proc")
@pytest.mark.parametrize("name", LIKE)
def test_the_price_of_isolation(benchmark: Any, tmp_path: Path, name: str) -> None:
    """If all processors are busy, rates depend on processor time, so the promise refers to processor time."""
    entry, games, least = LIKE[name]
    file = tmp_path / "busy.py"
    file.write_text(BUSY, encoding="utf-8")
    tables = {}
    for how in (False, True):
        with isolated(how):
            tables[how] = table_of(f"{file}:{entry}")
        seconds(tables[how], games // 10)
    rounds = [{how: seconds(table, games) for how, table in tables.items()} for _ in range(ROUNDS)]
    fastest, cheapest = ({how: min(one[how][part] for one in rounds) for how in tables} for part in (0, 1))
    benchmark.pedantic(seconds, (tables[True], games), rounds=1)
    share = cheapest[False] / cheapest[True]
    benchmark.extra_info |= {
        "games_a_second": {"trusted": round(games / fastest[False]), "isolated": round(games / fastest[True])},
        "isolated_to_trusted": round(fastest[False] / fastest[True], 3),
        "by_processor_time": round(share, 3),
    }
    assert share >= least


@pytest.mark.skipif(sys.platform != "linux", reason="/proc")
def test_the_price_of_isolated_effects(benchmark: Any) -> None:
    """Each call waits for another process; the promise refers to processor time."""
    plan = Plan.make(patch=[str(CENSUS)], policies="balanced")

    def cost(how: bool, games: int) -> float:
        with isolated(how):
            table = GAME.prepare(plan)  # each time: a call has one slot, whoever answers it
        rows = np.zeros(games * table.seats, table.row_dtype)
        processes = [process.number for process in isolated_processes()] if how else []
        before = processor_time(processes)
        table.play(0, rows)
        return (processor_time(processes) - before) / games

    cheapest = {how: min(cost(how, games) for _ in range(ROUNDS)) for how, games in ((False, 4000), (True, 500))}
    benchmark.pedantic(cost, (True, 500), rounds=1)
    share = cheapest[False] / cheapest[True]
    benchmark.extra_info["by_processor_time"] = round(share, 3)
    assert share >= 0.03
