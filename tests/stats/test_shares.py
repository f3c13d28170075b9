"""The share of seats that have a thing: an interval that holds where all games are alike, or almost."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray

from tests.stats.data import finish
from wsim import stats
from wsim.stats import wilson


def shares(owners: NDArray[np.int64], seats: int = 4) -> dict[str, float]:
    """Return the row of a thing that so many seats of each game have."""
    games = len(owners)
    has = np.arange(seats)[None, :] < owners[:, None]
    totals = np.random.default_rng(1).integers(30, 70, (games, seats))
    frame = pl.DataFrame({**finish(totals), "built:X": has.reshape(-1)})
    table = stats.owners(frame, "built:", noun="card", share="built_share").frame
    return table.row(0, named=True)


def test_where_all_games_are_alike_the_interval_has_some_width() -> None:
    one = shares(np.ones(100, np.int64))
    low, high = (float(end) for end in wilson(100, 100))
    assert one["built_share"] == 0.25
    assert one["built_share_low"] == pytest.approx(0.25 - (1 - low) / 4)
    assert one["built_share_high"] == pytest.approx(0.25 + (1 - low) / 4)  # a second owner was not seen in 100 games
    assert high == 1
    never = shares(np.zeros(100, np.int64))
    assert (never["built_share"], never["built_share_low"]) == (0, 0)
    assert never["built_share_high"] == pytest.approx((1 - low) / 4)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("chance", "copies", "games"), [(0.99, 1, 100), (0.999, 1, 300), (0.97, 2, 60), (0.01, 1, 200)]
)
def test_the_interval_of_an_almost_certain_share_covers(chance: float, copies: int, games: int) -> None:
    """All games are alike in 37, 74, 3 and 13 % of these runs: their spread says nothing then."""
    rng = np.random.default_rng(3)
    truth = chance * copies / 4
    covered = 0
    for _ in range(200):
        one = shares(rng.binomial(copies, chance, games))
        covered += one["built_share_low"] <= truth <= one["built_share_high"]
    assert covered >= 180  # 0.999 of a binomial with 0.95


def test_an_ordinary_share_has_the_spread_between_games() -> None:
    owners = np.random.default_rng(2).binomial(2, 0.5, 500)
    one, naive = shares(owners), owners / 4
    half = 1.9647 * naive.std(ddof=1) / np.sqrt(500)
    assert one["built_share_high"] - one["built_share"] == pytest.approx(half, rel=1e-3)
