"""Synthetic runs with known true effects, in the format of the 7 Wonders seats table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray

from wsim import stats

Maker = Callable[..., stats.Table]
wonders: Maker = partial(stats.factor, by=("wonder", "side"), title="Wonders")
cards: Maker = partial(stats.owners, prefix="built:", noun="card", share="built_share", raw=True)
card_pairs: Maker = partial(stats.owner_pairs, prefix="built:", noun="card", raw=True)
card_chains: Maker = partial(stats.owner_chains, prefix="built:", noun="card", raw=True)

WONDERS = ("Alexandria", "Babylon", "Ephesos", "Giza", "Halikarnassos", "Olympia", "Rhodos")
SIDES = ("A", "B")
POLICIES = ("balanced", "civilian", "military", "random", "science")
CATEGORIES = ("military", "treasury", "wonder", "civilian", "science", "commerce", "guild", "cities")
CARDS = tuple(f"Card {number:02}" for number in range(75))
COUNTS = (
    *("coins", "shields", "stages", "victory_points", "defeats", "debts", "coins_lost", "trade_paid"),
    *("trade_received", "bank_paid", "built_paid", "built_chain", "built_free", "built_discard", "sold"),
    *("brown", "gray", "blue", "yellow", "red", "green", "purple", "black", "compass", "gear", "tablet", "wild"),
)


def ranks(totals: NDArray[np.int64]) -> NDArray[np.uint8]:
    """Return competition ranks (1, 1, 3, ...) of scores, shape (games, seats)."""
    return np.asarray(1 + (totals[:, None, :] > totals[:, :, None]).sum(axis=2), np.uint8)


def finish(totals: NDArray[np.int64], first: int = 0) -> dict[str, NDArray[np.generic]]:
    """Return the columns game, seat, team, rank, win_share and total of scores, shape (games, seats)."""
    games, seats = totals.shape
    rank = ranks(totals)
    share = (rank == 1) / (rank == 1).sum(axis=1, keepdims=True)
    seat = np.tile(np.arange(seats, dtype=np.uint8), games)
    return {
        "game": np.repeat(np.arange(first, first + games, dtype=np.uint64), seats),
        "seat": seat,
        "team": seat,
        "rank": rank.reshape(-1),
        "win_share": share.astype(np.float32).reshape(-1),
        "total": totals.astype(np.int16).reshape(-1),
    }


def seats_table(
    games: int,
    seats: int = 4,
    *,
    seed: int = 1,
    first: int = 0,
    cards: Sequence[str] = CARDS,
    card_points: Sequence[float] = (),
    wonder_points: Sequence[float] = (),
    policy_points: Sequence[float] = (),
    game_spread: float = 3.0,
) -> pl.DataFrame:
    """Return a seats table in which cards, wonders and policies are worth the points given (0 for those not given).

    A seat builds each card with chance 0.2, independent of all else; scores share a normal effect of the game with
    standard deviation ``game_spread`` and have one of 7 of their own.
    """
    rng = np.random.default_rng([seed, first])
    rows = games * seats
    built = rng.random((rows, len(cards))) < 0.2
    wonder = np.argsort(rng.random((games, len(WONDERS))), axis=1)[:, :seats].reshape(-1)
    policy = rng.integers(0, len(POLICIES), rows)
    worth = 50 + built[:, : len(card_points)] @ np.array(card_points, float) if card_points else np.full(rows, 50.0)
    worth += np.array([*wonder_points, *[0.0] * (len(WONDERS) - len(wonder_points))])[wonder]
    worth += np.array([*policy_points, *[0.0] * (len(POLICIES) - len(policy_points))])[policy]
    worth += rng.normal(0, 7, rows) + np.repeat(rng.normal(0, game_spread, games), seats)
    columns = finish(np.rint(worth).astype(np.int64).reshape(games, seats), first)
    frame = pl.DataFrame(
        {
            **columns,
            "wonder": _labels(wonder, WONDERS),
            "side": _labels(rng.integers(0, 2, rows), SIDES),
            "policy": _labels(policy, POLICIES),
            **{f"points_{name}": rng.integers(0, 12, rows).astype(np.int16) for name in CATEGORIES},
            **{name: rng.integers(0, 9, rows).astype(np.int16) for name in COUNTS},
            **{f"built:{name}": built[:, number].copy() for number, name in enumerate(cards)},
        }
    )
    front = ["game", "seat", "team", "wonder", "side", "policy", "rank", "win_share", "total"]
    return frame.select(*front, pl.exclude(front))


def _labels(codes: NDArray[np.int64], names: Sequence[str]) -> pl.Series:
    return pl.Series(names, dtype=pl.Enum(names)).gather(codes.astype(np.uint32))


def clustered_mean(values: ArrayLike, clusters: ArrayLike) -> stats.Estimate:
    """Return the mean of the values (one per row) with an interval clustered by ``clusters``, as a single entry."""
    array = np.asarray(values, float)
    moments = stats.Moments(1, 2)
    moments.add(*_per_cluster(clusters, np.ones(len(array)), array))
    return moments.ratio(1, 0)


def clustered_difference(values: ArrayLike, group: ArrayLike, clusters: ArrayLike) -> stats.Estimate:
    """Return the mean of the rows in a group minus the mean of the other rows, clustered by ``clusters``."""
    array, chosen = np.asarray(values, float), np.asarray(group, bool).astype(float)
    moments = stats.Moments(1, 4)
    moments.add(*_per_cluster(clusters, chosen, array * chosen, 1 - chosen, array * (1 - chosen)))
    return moments.difference((1, 0), (3, 2))


def paired(
    baseline: pl.DataFrame, variant: pl.DataFrame, outcome: str, where: pl.Expr | None = None
) -> dict[str, float]:
    """Return the effects of a variant on common deals, with the same seats in the same order in both arms.

    ``where``: which seats of the baseline count.
    """
    counts = baseline.select(pl.lit(True) if where is None else where).to_series()
    mask = np.broadcast_to(counts.to_numpy(), baseline.height)
    before, after = (frame[outcome].to_numpy().astype(float) * mask for frame in (baseline, variant))
    moments = stats.Moments(1, 3)
    moments.add(*_per_cluster(baseline["game"], mask.astype(float), before, after))
    effect, one, other = moments.difference((2, 0), (1, 0)), moments.ratio(1, 0), moments.ratio(2, 0)
    ends = {"effect": effect.value, "effect_low": effect.low, "effect_high": effect.high, "baseline": one.value}
    removed = 1 - effect.error**2 / (one.error**2 + other.error**2)
    found = {**ends, "n": moments.totals[:, 0], "variance_removed": removed}
    return {name: float(values[0]) for name, values in found.items()}


def _per_cluster(clusters: ArrayLike, *values: NDArray[np.float64]) -> list[NDArray[np.float64]]:
    _, codes = np.unique(np.asarray(clusters), return_inverse=True)
    return [np.bincount(codes, one).astype(np.float64)[None, :] for one in values]
