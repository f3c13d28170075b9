"""The cost and precision of measuring worth in ``wsim run``, in alternating runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

import wsim
from benchmarks.test_laboratory import children_time

if TYPE_CHECKING:
    from pathlib import Path

    from benchmarks.conftest import Process

GAMES, TURNS = "25000", 3
MOST_TIMES = 1.5  # 1.28 was measured on a very busy machine
MOST_HALF_WIDTH = 0.025
QUARTER = (0.23, 0.27)


def test_worth_by_default_has_its_price_and_its_width(python: Process, tmp_path: Path) -> None:
    """Processor seconds of the whole command (minimum of several runs); half widths of cards built by a quarter of
    seats.
    """
    command = ("-m", "wsim", "run", "--quiet", "--games")
    python(*command, "500", "--out", "warm")  # compiles
    seconds: dict[str, list[float]] = {"with": [], "without": []}
    for turn in range(TURNS):
        for name, words in (("without", ("--worth", "0")), ("with", ())):
            used = children_time()
            python(*command, GAMES, *words, "--out", f"{name}-{turn}")
            seconds[name].append(children_time() - used)
    ratio = min(seconds["with"]) / min(seconds["without"])
    cards = wsim.load_run(tmp_path / "with-0").cards().frame.filter(pl.col("built_share").is_between(*QUARTER))
    half = cards.select((pl.col("worth_high") - pl.col("worth_low")).median() / 2).item()
    print(f"\nwith worth {ratio:.2f} times the processor time; half width {half:.4f} ({cards.height} cards)")
    assert half <= MOST_HALF_WIDTH
    assert ratio <= MOST_TIMES
