"""Play random catalogues close to the engine's limits: ``python -m benchmarks.edge_catalogues``.

Catalogues are drawn as in ``tests/wonders/extremes.py``: changes far from any printed card, increased until games begin
to break limits. Many games of each catalogue are played and their rows checked: points add up, and numbers that cannot
be negative are not. A few games are also played by the reference engine, which has no limits: traces and rows are
equal, and if a guard stopped a game, the number really exceeds the limit. Set ``NUMBA_BOUNDSCHECK=1`` to check every
index.

    --first N    first seed (0); --minutes M  stop after so long (10)
    --games N    of each catalogue (2000); --twin N  of them also by the reference engine (4)
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass, replace

import numpy as np

from tests.wonders.drawn_catalogues import draw_case
from tests.wonders.engine_tools import RANDOM, TASTES, engine_table
from tests.wonders.extremes import Case, compare_case
from tests.wonders.test_clauses import drawn_case
from wsim.limits import GameLimitError


@dataclass
class Counts:
    """Counts of catalogues, games, games that a guard stopped, and games compared with the reference engine."""

    catalogues: int = 0
    games: int = 0
    stopped: int = 0
    compared: int = 0


def play(case: Case, games: int, counts: Counts) -> None:
    """Play games of a catalogue one by one and check their rows."""
    table = engine_table(
        case.ruleset, case.players, ((RANDOM, *TASTES)[case.seed % 4],), seed=case.seed, set=case.changes
    )
    rows = np.zeros(table.seats, table.row_dtype)
    for number in range(games):
        counts.games += 1
        try:
            table.play(number, rows)
        except GameLimitError:
            counts.stopped += 1
            continue
        assert (rows["points"].astype(int).sum(axis=1) == rows["total"]).all(), (case, number)
        assert (rows["coins"] >= 0).all(), (case, number)
        assert round(float(rows["win_share"].sum()), 5) in (1, 2), (case, number)  # a team wins together


def main() -> None:
    """Draw catalogues, play and compare them until the time is up, and print the counts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--games", type=int, default=2000)
    parser.add_argument("--twin", type=int, default=4)
    options = parser.parse_args()
    counts, until, seed = Counts(), time.monotonic() + 60 * options.minutes, options.first
    while time.monotonic() < until:
        case = draw_case(seed) if seed % 2 else drawn_case(seed)
        play(replace(case, seed=seed), options.games, counts)
        compare_case(case, games=options.twin)
        counts.catalogues, counts.compared, seed = counts.catalogues + 1, counts.compared + 2 * options.twin, seed + 1
        print(f"seeds {options.first} to {seed - 1}: {counts}", flush=True)


if __name__ == "__main__":
    main()
