"""What a seat could hope for along a game: its share of the victories when the positions it knows are played out.

Positions are not played out as they are: where policies draw nothing and no cards are left to be dealt, as in the last
age of 7 Wonders, that would be the game itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from wsim.errors import UserError
from wsim.game import find_game
from wsim.positions.players import who_plays_on
from wsim.positions.values import FAR
from wsim.stats.intervals import wilson

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from wsim.game import Position, Simulator
    from wsim.lab.plan import Plan
    from wsim.lab.progress import Progress

LEAST, MOST = 2, 1_000_000
CLEAR = 1.96


@dataclass(frozen=True)
class Chances:
    """Shares of the victories, shape (positions, seats): the mean of the playouts and its 95 % interval (Wilson's).

    Each seat's ``share`` is as that seat can know it, so the shares of a position need not add up to 1. ``outside`` is
    what somebody knows who sees all hands, but neither cards to come nor what policies will draw: there they do. That
    of a game that is over is what it was; its interval has no width.
    """

    share: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    outside: NDArray[np.float64]
    playouts: int


@dataclass(frozen=True)
class Swing:
    """A step from one position to the next that changed the chance of a seat: from which share to which."""

    step: int
    seat: int
    before: float
    after: float


def check_playouts(playouts: int) -> None:
    """Raise UserError for a number of playouts that is not accepted."""
    if not LEAST <= playouts <= MOST:
        raise UserError(f"{playouts} playouts cannot be made: the number is from {LEAST} to {MOST:,}")


def line_up_of(plan: Plan, number: int) -> Simulator:
    """Return the plan made ready with those who play on after the positions of one of its games."""
    return find_game(plan.game).prepare(plan.replace(policies=who_plays_on(plan, number), rotate=False))


def chances(
    positions: Sequence[Position],
    simulator: Simulator,
    playouts: int,
    seed: int,
    seats: Sequence[int],
    progress: Progress | None = None,
) -> Chances:
    """Play every position out with the simulator's line-up, for each of these seats: what it cannot know is drawn anew.

    Once more as it stands, for somebody who sees all hands. All positions draw from the same random streams, so that
    their differences are sharper than their intervals.
    Raises UserError for a number of playouts that is not accepted.
    """
    check_playouts(playouts)
    share = np.zeros((len(positions), simulator.seats))
    low, high, outside = share.copy(), share.copy(), share.copy()
    for place, position in enumerate(positions):
        if progress is not None:
            progress("win chances", place, len(positions))
        if position.to_move is None:
            won = [score["win_share"] for score in position.scores()]
            share[place] = low[place] = high[place] = outside[place] = won
            continue
        for seat in seats:
            share[place, seat] = position.play_out(simulator, playouts, seat, seed, FAR)[:, seat, 1].mean()
        outside[place] = position.play_out(simulator, playouts, None, seed, FAR)[:, :, 1].mean(axis=0)
        low[place], high[place] = wilson(share[place] * playouts, np.full(simulator.seats, playouts))
    return Chances(share, low, high, outside, playouts)


def swings(found: Chances, seats: Sequence[int], most: int = 5, least: float = 0.05) -> list[Swing]:
    """Return the steps that changed the chance of one of these seats most, the greatest first; one for each step.

    A step counts if it changed a chance by ``least`` and by more than the playouts' noise (95 %, without counting on
    the common streams, which make it smaller).
    """
    noise = found.share * (1 - found.share) / found.playouts
    swung = []
    for step in range(1, len(found.share)):
        change = found.share[step] - found.share[step - 1]
        seat = max(seats, key=lambda one: abs(change[one]))
        error = np.sqrt(noise[step, seat] + noise[step - 1, seat])
        if abs(change[seat]) >= max(least, CLEAR * error):
            swung.append(Swing(step, seat, float(found.share[step - 1, seat]), float(found.share[step, seat])))
    return sorted(swung, key=lambda one: -abs(one.after - one.before))[:most]
