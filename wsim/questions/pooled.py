"""Pooled figures of all games: smooth functions of sums over games, such as an effective number of ways to win.

Such a figure is not a mean over games. Each game contributes a few features. The figure is a function of their sums,
and its error follows from the derivatives (the delta method), which keeps the covariance of arms on common deals.

    ways_to_win     the exponential of the entropy of the categories in which winners are furthest ahead of the others
    skill, seat,    shares of the variance of the result, from deals that are played in every seating of a mixed table:
    deal,           who plays, where, what a seat is dealt no matter who plays it, and deals that suit a policy
    skill_by_deal
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from wsim.errors import UserError
from wsim.policies.chances import CHARACTER
from wsim.stats.columns import POINTS_OF
from wsim.stats.games import Floats

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    from wsim.lab.plan import Plan

_STEP = 1e-100  # complex step, which is exact because it subtracts no nearly equal numbers


@dataclass(frozen=True)
class PooledFigure:
    """A pooled figure of all games.

    Attributes
    ----------
    name: its name. about: a short description. share: whether it is between 0 and 1.
    seatings: whether every deal must be played in every seating.
    read: called with a seats table, the number of deals and the number of seats; returns the features of the deals,
        shape (features, deals). Every deal has the same number of games, which are consecutive.
    value: returns the figure from the sums of the features.
    """

    name: str
    about: str
    share: bool
    seatings: bool
    read: Callable[[pl.DataFrame, int, int], Floats]
    value: Callable[[Any], Any]

    def with_slope(self, sums: Floats) -> tuple[float, Floats]:
        """Return the figure and its derivatives with respect to the sums."""
        return float(self.value(sums)), slopes(self.value, sums)


def slopes(function: Callable[[Any], Any], at: Floats) -> Floats:
    """Return the derivatives of an analytic function with respect to each argument; NaN where they do not exist."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.stack([np.imag(function(at + 1j * _STEP * row)) / _STEP for row in np.eye(len(at))], axis=-1)


# --- ways to win


def categories_of(frame: pl.DataFrame) -> list[str]:
    """Return the names of the columns with points by category."""
    return [name for name in frame.columns if name.startswith(POINTS_OF)]


def ways_of(frame: pl.DataFrame, games: int, players: int) -> Floats:
    """Return, for each game, the category in which its winner is furthest ahead of the mean of the other seats.

    The shape is (categories, games); each game sums to 1, shared among several winners. ``players``: the number of
    competing seats, which come first in each game.
    """
    names = categories_of(frame)
    if not names:
        return np.zeros((0, games))
    shares = _by_game(frame["win_share"], games)[:, :players]
    points = np.stack([_by_game(frame[name], games)[:, :players] for name in names], axis=2)
    ahead = (points - points.mean(axis=1, keepdims=True)) * players / (players - 1)
    best = np.eye(len(names))[ahead.argmax(axis=2)]
    won = shares / shares.sum(axis=1, keepdims=True)
    return np.asarray((best * won[:, :, None]).sum(axis=1).T)


def _by_game(column: pl.Series, games: int) -> Floats:
    values: Floats = np.asarray(column.to_numpy(), np.float64)
    return values.reshape(games, -1)


def diversity(sums: Any) -> Any:
    """Return the effective number of categories, the exponential of the entropy of their shares."""
    share = sums / sums.sum()
    return np.exp(-sum(part * np.log(part) for part in share if np.real(part) > 0))


def _ways(frame: pl.DataFrame, deals: int, seats: int) -> Floats:
    games = frame.height // seats
    return np.asarray(ways_of(frame, games, _competing(frame, seats)).reshape(-1, deals, games // deals).sum(axis=2))


def _competing(frame: pl.DataFrame, seats: int) -> int:
    """Return the number of competing seats in a game; seats with rank 0 do not compete."""
    return int((frame["rank"][:seats] > 0).sum()) if "rank" in frame.columns else seats


# --- what explains the result

SOURCES = ("skill", "seat", "deal", "skill_by_deal", "rest")


def orders_of(players: int) -> NDArray[np.int64]:
    """Return the seatings of a line-up, shape (seatings, seats); every policy has a different seat in each."""
    return np.stack([np.roll(np.arange(players), -turn) for turn in range(players)])


def components_of(frame: pl.DataFrame, deals: int, seats: int) -> Floats:
    """Compute the features that ``explained`` needs from deals played in every seating; shape (features, deals)."""
    players = _competing(frame, seats)
    share = _by_game(frame["win_share"], deals * players)[:, :players].reshape(deals, players, players) - 1 / players
    entry = np.stack([share[:, turn, np.argsort(order)] for turn, order in enumerate(orders_of(players))], axis=1)
    seat, policy = share.mean(axis=1), entry.mean(axis=1)
    square, of_seats, of_policies = ((part**2).mean(axis=tuple(range(1, part.ndim))) for part in (share, seat, policy))
    rest = players**2 * (square - of_seats - of_policies) / ((players - 1) * (players - 2))
    head = np.stack([np.ones(deals), square, of_seats, of_policies, rest])
    return np.concatenate([head, seat.T, (seat**2).T, policy.T, (policy**2).T])


def explained(sums: Any) -> Any:
    """Decompose the variance of a seat's result into shares by source (``SOURCES``), from sums of ``components_of``.

    Every deal is a Latin square of seats and policies, an analysis of variance without replication. The variance of the
    means is subtracted from the main effects, and the noise from the interaction.
    """
    deals = sums[0]
    variance, by_seat, by_policy, noise = sums[1:5] / deals
    players = (len(sums) - 5) // 4
    seat, seat_squares, policy, policy_squares = (sums[5:] / deals).reshape(4, players)
    main_seat = (seat**2 - (seat_squares - seat**2) / (deals - 1)).mean()
    skill = (policy**2 - (policy_squares - policy**2) / (deals - 1)).mean()
    chance = (players - 1) * noise / players**2
    deal, both = by_seat - chance - main_seat, by_policy - chance - skill
    return np.array([skill, main_seat, deal, both, variance - skill - main_seat - deal - both]) / variance


# --- the figures

WAYS = "ways_to_win"
WAYS_ABOUT = "effective number of categories in which winners are furthest ahead of the others: exp(entropy)"
SKILL_NOTE = (
    "What skill explains needs a mixed table: name two or more policies, such as --policies net,balanced,rulebased"
)
_EXPLAINED = {
    "skill": "share of the variance of the result that skill explains (who plays)",
    "seat": "share of the variance of the result that the seat explains",
    "deal": "share of the variance of the result that the deal explains (what a seat is dealt, no matter who plays it)",
    "skill_by_deal": "share of the variance of the result explained by deals that suit a policy",
}


def _of_source(index: int) -> Callable[[Any], Any]:
    return lambda sums: explained(sums)[index]


POOLED_FIGURES: Mapping[str, PooledFigure] = {
    pooled.name: pooled
    for pooled in (
        PooledFigure(WAYS, WAYS_ABOUT, False, False, _ways, diversity),
        *(
            PooledFigure(name, about, True, True, components_of, _of_source(SOURCES.index(name)))
            for name, about in _EXPLAINED.items()
        ),
    )
}
"""The pooled figures, by name."""


def plan_of(plan: Plan, pooled: PooledFigure) -> Plan:
    """Return the plan whose games provide a pooled figure; raise UserError if the table cannot provide it."""
    if not pooled.seatings:
        return plan
    if plan.players < 3:
        raise UserError(f"{pooled.name} needs at least 3 players: with fewer, seat and policy cannot be separated")
    if len(set(plan.policies)) < 2:
        raise UserError(SKILL_NOTE)
    return in_seatings(plan)


def in_seatings(plan: Plan) -> Plan:
    """Return a plan that can be played in every seating of each deal (``wsim.questions.deals.Arm``)."""
    plain = {CHARACTER: None} if CHARACTER in plan.options else {}
    return plan.replace(rotate=False, **plain)
