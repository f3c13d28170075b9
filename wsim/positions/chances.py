"""Estimate a seat's win probability throughout a game, given its knowledge, by the value net or by playouts.

Playouts resample everything hidden from the seat. Without resampling, every playout would repeat the game itself if
policies are deterministic and no cards are left to be dealt (the last age of 7 Wonders).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from wsim.errors import UserError
from wsim.game import find_game
from wsim.positions.players import playout_line_up
from wsim.positions.values import BY_NET, FAR, has_value_net
from wsim.stats.intervals import wilson

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from wsim.game import Position, Simulator
    from wsim.lab.plan import Plan
    from wsim.lab.progress import Progress
    from wsim.positions.value_net import Follower

MIN_PLAYOUTS, MAX_PLAYOUTS = 2, 1_000_000
CLEAR = 1.96


@dataclass(frozen=True)
class Chances:
    """Win shares, shape (positions, seats): the mean of the playouts and its 95% Wilson interval.

    Each seat's ``share`` is estimated from that seat's knowledge, so the shares of a position need not add up to 1. The
    shares ``outside`` do add up: they are the estimates of an observer who sees all hands, but neither future cards nor
    the policies' random choices. At the end of a game, shares equal the result and intervals have no width.
    """

    share: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    outside: NDArray[np.float64]
    playouts: int


@dataclass(frozen=True)
class Swing:
    """A step between two positions that changed a seat's win probability, with the shares before and after."""

    step: int
    seat: int
    before: float
    after: float


def check_playouts(playouts: int) -> None:
    """Raise UserError for an invalid number of playouts."""
    if playouts != BY_NET and not MIN_PLAYOUTS <= playouts <= MAX_PLAYOUTS:
        raise UserError(f"playouts must be from {MIN_PLAYOUTS} to {MAX_PLAYOUTS:,}, not {playouts}")


def playouts_of(simulator: Simulator, playouts: int) -> int:
    """Return the default number of playouts for chances: ``BY_NET`` if there is a value net, otherwise ``playouts``."""
    return BY_NET if has_value_net(simulator) else playouts


def line_up_of(plan: Plan, number: int) -> Simulator:
    """Return a simulator of the plan whose line-up plays out positions of the game with this number."""
    return find_game(plan.game).prepare(plan.replace(policies=playout_line_up(plan, number), rotate=False))


def chances(
    positions: Sequence[Position],
    simulator: Simulator,
    playouts: int,
    seed: int,
    seats: Sequence[int],
    progress: Progress | None = None,
) -> Chances:
    """Estimate the win share of each given seat in every position, resampling everything hidden from that seat.

    The simulator's line-up plays the playouts. The position itself is also played out, for an observer who sees all
    hands. All positions use the same random streams, so differences between them are more precise than their intervals.
    If ``playouts`` is ``BY_NET``, the value net of the game estimates the chances without playouts or intervals.
    Raises UserError for an invalid number of playouts, or if a value net is needed and there is none.
    """
    check_playouts(playouts)
    share = np.zeros((len(positions), simulator.seats))
    low, high, outside = share.copy(), share.copy(), share.copy()
    by_net = _follower(simulator) if playouts == BY_NET else None
    for index, position in enumerate(positions):
        if progress is not None:
            progress("win chances", index, len(positions))
        if position.to_move is None:
            won = [score["win_share"] for score in position.scores()]
            share[index] = low[index] = high[index] = outside[index] = won
            continue
        if by_net is not None:
            outside[index, : simulator.plan.players] = by_net.chances(position)
            for seat in seats:
                share[index, seat] = by_net.chances(position, seat, seed, FAR)[seat]
            low[index] = high[index] = share[index]
            continue
        for seat in seats:
            share[index, seat] = position.play_out(simulator, playouts, seat, seed, FAR)[:, seat, 1].mean()
        outside[index] = position.play_out(simulator, playouts, None, seed, FAR)[:, :, 1].mean(axis=0)
        low[index], high[index] = wilson(share[index] * playouts, np.full(simulator.seats, playouts))
    return Chances(share, low, high, outside, playouts)


def no_chances(seats: int) -> Chances:
    """Return empty chances, for zero positions."""
    none = np.zeros((0, seats))
    return Chances(none, none, none, none, BY_NET)


def known_chances(
    positions: Sequence[Position], simulator: Simulator, playouts: int, seed: int, seat: int | None
) -> Chances:
    """Return every player's win share as estimated by one seat, or by an observer who sees all hands (``seat`` None).

    Unlike the result of ``chances``, the shares of a position add up to 1. Raises UserError as ``chances`` does.
    """
    check_playouts(playouts)
    share = np.zeros((len(positions), simulator.seats))
    low, high = share.copy(), share.copy()
    by_net = _follower(simulator) if playouts == BY_NET else None
    for index, position in enumerate(positions):
        if position.to_move is None:
            share[index] = low[index] = high[index] = [score["win_share"] for score in position.scores()]
        elif by_net is not None:
            share[index, : simulator.plan.players] = by_net.chances(position, seat, seed, FAR)
            low[index] = high[index] = share[index]
        else:
            share[index] = position.play_out(simulator, playouts, seat, seed, FAR)[:, :, 1].mean(axis=0)
            low[index], high[index] = wilson(share[index] * playouts, np.full(simulator.seats, playouts))
    return Chances(share, low, high, share, playouts)


def _follower(simulator: Any) -> Follower:
    """Return the simulator's follower, which computes chances by a value net; raise UserError if there is no net."""
    if not has_value_net(simulator):
        raise UserError(f"there is no value net for this table of {simulator.plan.game}: give --playouts 2 or more")
    follower: Follower = simulator.follower
    return follower


def swings(estimates: Chances, seats: Sequence[int], most: int = 5, least: float = 0.05) -> list[Swing]:
    """Return the largest changes in win probability, at most one per step, for the given seats, largest first.

    A step counts if it changed a probability by at least ``least`` and by more than the noise of the playouts (95%;
    conservative, because the common random streams are ignored).
    """
    noise = estimates.share * (1 - estimates.share) / (estimates.playouts or np.inf)
    swung = []
    for step in range(1, len(estimates.share)):
        change = estimates.share[step] - estimates.share[step - 1]
        seat = max(seats, key=lambda candidate: abs(change[candidate]))
        error = np.sqrt(noise[step, seat] + noise[step - 1, seat])
        if abs(change[seat]) >= max(least, CLEAR * error):
            swung.append(Swing(step, seat, float(estimates.share[step - 1, seat]), float(estimates.share[step, seat])))
    return sorted(swung, key=lambda swing: -abs(swing.after - swing.before))[:most]
