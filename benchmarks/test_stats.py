"""The time and memory needed for all tables of a run of a million games, in a separate process."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.stats.data import seats_table

if TYPE_CHECKING:
    from benchmarks.conftest import Process

GAMES = 1_000_000
SHARDS = 16
MOST_SECONDS = 15
MOST_MEGABYTES = 2048

TABLES = """
import json, resource, sys, time
import polars as pl
from wsim import stats
from wsim.wonders import analysis

seats = pl.scan_parquet("seats/*.parquet")
tables = {
    "wonders": analysis.wonders,
    "policies": stats.policies,
    "cards": analysis.cards,
    "matchups": stats.matchups,
    "crowding": stats.crowding,
    "variance_shares": analysis.variance_shares,
    "strengths": analysis.strengths,
    "policy_strengths": lambda seats: stats.strengths(seats, "policy"),
    "card_pairs": analysis.card_pairs,
    "card_chains": lambda seats: analysis.card_chains(seats, [["Card 00", "Card 01"], ["Card 02", "Card 03"]]),
    "calibrate": analysis.calibrate,
}
seconds = {}
for name, make in tables.items():
    start = time.perf_counter()
    assert make(seats).frame.height > 0
    seconds[name] = round(time.perf_counter() - start, 2)
megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
print(json.dumps({"seconds": seconds, "megabytes": megabytes}))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="maxrss has other units elsewhere")
def test_all_tables_of_a_million_games(benchmark: Any, python: Process, tmp_path: Path) -> None:
    folder = tmp_path / "seats"
    folder.mkdir()
    size = GAMES // SHARDS
    for shard in range(SHARDS):
        frame = seats_table(size, first=shard * size, card_points=(3.0,), wonder_points=(2.0,))
        frame.write_parquet(folder / f"part-{shard * size:014d}.parquet", compression="zstd", row_group_size=250_000)
    answer = benchmark.pedantic(python, ("-c", TABLES), rounds=1)
    found = json.loads(answer.stdout)
    benchmark.extra_info |= found
    assert found["megabytes"] <= MOST_MEGABYTES
    assert sum(found["seconds"].values()) <= MOST_SECONDS
