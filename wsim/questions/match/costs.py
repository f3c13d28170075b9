"""The cost per decision of each policy: CPU time of a few games in self-play, including the engine."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from wsim.lab.batch import rows_and_picks

if TYPE_CHECKING:
    from wsim.game import Simulator
    from wsim.questions.match.tables import MatchTable

MIN_SECONDS = 0.05  # of CPU time per measurement; slow players need only one game
MAX_SECONDS = 1.0  # of wall time per measurement
MAX_GAMES = 4096
FIRST = 1 << 30
"""The first deal used for timing: no match gets this far, so no policy sees a deal of the match before it begins."""


@dataclass(frozen=True)
class Cost:
    """The measured time of some self-play games of a policy.

    Attributes
    ----------
    games, decisions: the numbers of games and decisions; 0 decisions if the game does not count them.
    seconds: CPU time of all threads. waited: wall time.
    """

    games: int
    decisions: int
    seconds: float
    waited: float


def costs_of(table: MatchTable) -> list[Cost]:
    """Measure the cost of each policy at a table, excluding its first game, which may compile code."""
    return [_cost(simulator) for simulator in table.alone]


def _cost(simulator: Simulator) -> Cost:
    cost, games = _play(simulator, 1), 1
    if cost.waited < MAX_SECONDS:
        cost = _play(simulator, 1)
    while cost.waited < MAX_SECONDS / 2 and cost.seconds < MIN_SECONDS and games < MAX_GAMES:
        growth = min(MIN_SECONDS / max(cost.seconds, 1e-6), MAX_SECONDS / max(cost.waited, 1e-6), 16.0)
        games = min(MAX_GAMES, games * max(2, int(growth)))
        cost = _play(simulator, games)
    return cost


def _play(simulator: Simulator, games: int) -> Cost:
    start, wall = time.process_time(), time.perf_counter()
    _, picks = rows_and_picks(simulator, range(FIRST, FIRST + games), picks=True)
    decisions = 0 if picks is None else len(picks)
    return Cost(games, decisions, time.process_time() - start, time.perf_counter() - wall)
