"""The share of seats that have an item: an interval that is valid even if all or almost all games are alike."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray

from tests.stats.data import finish
from wsim import stats
from wsim.lab.run_tables import fair_share
from wsim.stats import wilson


def shares(owners: NDArray[np.int64], seats: int = 4) -> dict[str, float]:
    """Return the table row of an item, given the number of seats that have it in each game."""
    games = len(owners)
    has = np.arange(seats)[None, :] < owners[:, None]
    totals = np.random.default_rng(1).integers(30, 70, (games, seats))
    frame = pl.DataFrame({**finish(totals), "built:X": has.reshape(-1)})
    table = stats.owners(frame, "built:", noun="card", share="built_share").frame
    return table.row(0, named=True)


def test_identical_games_still_give_an_interval() -> None:
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


def test_an_ordinary_share_uses_the_variance_between_games() -> None:
    owners = np.random.default_rng(2).binomial(2, 0.5, 500)
    one, naive = shares(owners), owners / 4
    half = 1.9647 * naive.std(ddof=1) / np.sqrt(500)
    assert one["built_share_high"] - one["built_share"] == pytest.approx(half, rel=1e-3)


@pytest.mark.parametrize("several", [False, True], ids=["one-policy", "within-policies"])
def test_a_few_losing_owners_give_no_verdict(several: bool) -> None:
    """Of 120 things that do nothing, each had by 3 seats, many have won or lost alike: intervals cover 0."""
    rng = np.random.default_rng(5)
    games, things = 100, 120
    frame = pl.DataFrame(finish(rng.integers(30, 70, (games, 4))))
    has = np.zeros((things, games, 4), bool)
    for one in has:
        one[rng.choice(games, 3, replace=False), rng.integers(0, 4, 3)] = True
    frame = frame.with_columns(pl.Series(f"built:{number}", one.reshape(-1)) for number, one in enumerate(has))
    if several:
        frame = frame.with_columns(pl.Series("policy", ["a", "a", "b", "b"] * games))
    table = stats.owners(frame, "built:", noun="card", share="built_share").frame
    covered = (table["win_difference_low"] <= 0) & (table["win_difference_high"] >= 0)
    assert covered.sum() >= 106  # 0.999 of a binomial with 0.95; 0.57 of them without allowing for the unseen
    assert (table["win_q"].drop_nulls() > 0.05).all()


def test_a_policy_that_never_wins_is_below_the_fair_share_and_all_others() -> None:
    """A verdict is possible even if all games are alike: it is clear after 300 games, but not after 3."""
    for games, verdict in ((300, "lower"), (3, "unclear")):
        totals = np.random.default_rng(1).integers(30, 70, (games, 4)) - np.array([0, 0, 0, 60])
        frame = pl.DataFrame(finish(totals)).with_columns(policy=pl.Series(["a", "b", "c", "never"] * games))
        one = stats.policies(frame).frame.filter(pl.col("policy") == "never").row(0, named=True)
        assert (one["win_share"], one["verdict"]) == (0, verdict)
        assert one["win_share_high"] == pytest.approx(float(wilson(0, games)[1]))
        met = stats.matchups(frame).frame.filter(pl.col("policy") == "never")
        assert set(met["verdict"]) == {verdict}


def test_a_policy_that_plays_every_seat_has_no_win_share_interval() -> None:
    """By construction 1 / seats, which is no estimate; beside another policy, and of scores, there is one."""
    frame = pl.DataFrame(finish(np.random.default_rng(1).integers(30, 70, (50, 4))))
    alone = stats.policies(frame.with_columns(policy=pl.lit("a")))
    one = alone.frame.row(0, named=True)
    assert (one["win_share"], one["win_share_low"], one["fair_share_ratio_low"], one["verdict"]) == (
        0.25,
        None,
        None,
        None,
    )
    assert one["score_low"] < one["score"] < one["score_high"]
    assert "by construction" in alone.note
    assert fair_share(alone).endswith("0.250, by construction that of a policy that plays every seat")
    crowd = stats.crowding(frame.with_columns(policy=pl.lit("a")))
    assert crowd.frame.row(0, named=True)["win_share_low"] is None
    assert "by construction" in crowd.note
    two = stats.policies(frame.with_columns(policy=pl.Series(["a", "a", "a", "b"] * 50)))
    assert two.frame["win_share_low"].null_count() == 0
    assert "by construction" not in two.note + fair_share(two)
