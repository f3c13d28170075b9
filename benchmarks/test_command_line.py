"""The start-up time of the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from benchmarks.conftest import Process

HELP_SECONDS = 0.150
SMALL_RUN_SECONDS = 1.5  # "about a second"


@pytest.mark.parametrize("words", ["--help", "run --help"])
def test_help(benchmark: Any, python: Process, words: str) -> None:
    benchmark.pedantic(python, ("-m", "wsim", *words.split()), rounds=10, warmup_rounds=2)
    assert benchmark.stats.stats.min <= HELP_SECONDS


def test_import(benchmark: Any, python: Process) -> None:
    benchmark.pedantic(python, ("-c", "import wsim"), rounds=10, warmup_rounds=2)


def test_a_warm_run_of_a_thousand_games(benchmark: Any, python: Process) -> None:
    words = ("-m", "wsim", "run", "--games", "1000", "--out")
    python(*words, "warm")  # compiles
    folders = (f"run{number}" for number in range(100))
    benchmark.pedantic(lambda: python(*words, next(folders)), rounds=5, warmup_rounds=1)
    assert benchmark.stats.stats.min <= SMALL_RUN_SECONDS
