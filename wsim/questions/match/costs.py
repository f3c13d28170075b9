"""What a decision of each policy costs: processor time of a few games at a table of its own, engine included."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from wsim.lab.batch import rows_and_picks

if TYPE_CHECKING:
    from wsim.game import Simulator
    from wsim.questions.match.tables import MatchTable

ENOUGH = 0.05  # seconds of processor time that are measured: the clock is finer, and slow players take one game
LONGEST = 1.0  # seconds on the wall that a measurement takes at most, whatever is waited for
MOST_GAMES = 4096


@dataclass(frozen=True)
class Cost:
    """What some games of a policy took.

    Attributes
    ----------
    games, decisions: how many were measured; no decisions where the game counts none.
    seconds: of processor time, of all threads. waited: by the clock on the wall.
    """

    games: int
    decisions: int
    seconds: float
    waited: float


def costs_of(table: MatchTable) -> list[Cost]:
    """Return the cost of each policy of a table; its first game compiles what is to be compiled and does not count."""
    return [_cost(simulator) for simulator in table.alone]


def _cost(simulator: Simulator) -> Cost:
    cost, games = _play(simulator, 1), 1
    if cost.waited < LONGEST:
        cost = _play(simulator, 1)
    while cost.waited < LONGEST / 2 and cost.seconds < ENOUGH and games < MOST_GAMES:
        growth = min(ENOUGH / max(cost.seconds, 1e-6), LONGEST / max(cost.waited, 1e-6), 16.0)
        games = min(MOST_GAMES, games * max(2, int(growth)))
        cost = _play(simulator, games)
    return cost


def _play(simulator: Simulator, games: int) -> Cost:
    start, wall = time.process_time(), time.perf_counter()
    _, picks = rows_and_picks(simulator, range(games), picks=True)
    decisions = 0 if picks is None else len(picks)
    return Cost(games, decisions, time.process_time() - start, time.perf_counter() - wall)
