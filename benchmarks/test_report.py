"""The time and memory needed for the tables and the page of a large run."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from wsim.game import analyses_of, find_game
from wsim.lab.plan import Plan
from wsim.lab.run import record
from wsim.lab.store import Run
from wsim.report import write_report

if TYPE_CHECKING:
    from benchmarks.conftest import Process

GAMES = 1_000_000
MOST_TABLE_SECONDS = 15
MOST_PAGE_SECONDS = 30
MOST_MEGABYTES = 2000
MAX_BYTES = 3_000_000


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Play a run with four policies; any policies will do here, so these are the fastest."""
    plan = Plan.make(games=GAMES, policies="random,first,random:explore=0.5,first:explore=0.5", rotate=True)
    return record(plan, tmp_path_factory.mktemp("run") / "run")


def test_tables_of_a_million_games(benchmark: Any, run: Run) -> None:
    def tables() -> None:
        for analysis in analyses_of(find_game(run.plan.game)).values():
            if analysis.shown != "asked":
                analysis.table(run)

    benchmark.pedantic(tables, rounds=1)
    assert benchmark.stats.stats.min <= MOST_TABLE_SECONDS


def test_the_page_of_a_million_games(benchmark: Any, run: Run) -> None:
    page = benchmark.pedantic(write_report, (run, run.path / "page.html"), rounds=1)
    benchmark.extra_info |= {"bytes": page.stat().st_size}
    assert benchmark.stats.stats.min <= MOST_PAGE_SECONDS
    assert page.stat().st_size <= MAX_BYTES


@pytest.mark.skipif(sys.platform != "linux", reason="maxrss has other units elsewhere")
def test_memory_of_the_page(benchmark: Any, python: Process, run: Run, tmp_path: Path) -> None:
    code = (
        "import resource, sys; from wsim.cli.app import main\n"
        f"try: main(['report', {str(run.path)!r}, '-o', {str(tmp_path / 'page.html')!r}])\n"
        "finally: print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024, file=sys.stderr)"
    )
    answer = benchmark.pedantic(python, ("-c", code), rounds=1)
    megabytes = int(answer.stderr.split()[-1])
    benchmark.extra_info |= {"megabytes": megabytes}
    assert megabytes <= MOST_MEGABYTES
