"""The price of isolation: games a second of a policy in a process of its own and in this one, by turns."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from benchmarks.test_policies import seconds, table_of
from wsim.policies.declare import isolated

GAMES, ROUNDS = 200, 3
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
LIKE = {"compiled, cheap": "compiled:rounds=400", "compiled, like net": "compiled:rounds=2500", "plain": "plain"}
"""A policy cheaper than `balanced` with its copies can be, one that plays as fast as `net`, and plain Python."""


@pytest.mark.parametrize("name", LIKE)
def test_the_price_of_isolation(benchmark: Any, tmp_path: Path, name: str) -> None:
    file = tmp_path / "busy.py"
    file.write_text(BUSY, encoding="utf-8")
    tables = {}
    for how in (False, True):
        with isolated(how):
            tables[how] = table_of(f"{file}:{LIKE[name]}")
    rounds = [{how: seconds(table, GAMES) for how, table in tables.items()} for _ in range(ROUNDS)]
    fastest = {how: min(one[how] for one in rounds) for how in tables}
    benchmark.pedantic(seconds, (tables[True], GAMES), rounds=1)
    benchmark.extra_info |= {
        "games_a_second": {"trusted": round(GAMES / fastest[False]), "isolated": round(GAMES / fastest[True])},
        "isolated_to_trusted": round(fastest[False] / fastest[True], 3),
    }
