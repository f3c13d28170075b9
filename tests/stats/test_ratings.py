"""Plackett-Luce strengths: against statsmodels' Cox model, and on orders drawn from known strengths."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray
from statsmodels.duration.hazard_regression import PHReg  # type: ignore[import-untyped]

from tests.stats.data import finish, seats_table
from wsim import stats
from wsim.errors import UserError
from wsim.stats.levels import Levels
from wsim.stats.rankings import rankings
from wsim.stats.ratings import PlackettLuce

LOGS = np.array([0.6, 0.2, 0.0, -0.3, -0.5])


def table_of(items: NDArray[np.int64], totals: NDArray[np.int64]) -> pl.DataFrame:
    """Return a seats table of boards and scores, both of shape (games, seats)."""
    names = pl.Series([f"board {number}" for number in items.reshape(-1)])
    return pl.DataFrame(finish(totals)).with_columns(wonder=names)


def drawn(games: int, seed: int, seats: int = 3) -> pl.DataFrame:
    """Return games whose order of finish follows the Plackett-Luce model (Gumbel noise on log-strengths)."""
    rng = np.random.default_rng(seed)
    items = np.argsort(rng.random((games, len(LOGS))), axis=1)[:, :seats]
    return table_of(items, np.rint(1000 * (LOGS[items] + rng.gumbel(size=items.shape))).astype(np.int64))


def fit(frame: pl.DataFrame) -> PlackettLuce:
    levels = Levels.of(frame.lazy(), "wonder")
    return PlackettLuce.fit(rankings(frame.lazy(), levels), levels.labels)


@pytest.mark.slow
@pytest.mark.parametrize("spread", [3, 1000])  # 3: most games have ties
def test_agrees_with_the_stratified_cox_model(spread: int) -> None:
    rng = np.random.default_rng(1)
    items = np.argsort(rng.random((150, 5)), axis=1)[:, :4]
    frame = table_of(items, np.rint(spread * (LOGS[items] + rng.gumbel(size=items.shape))).astype(np.int64))
    ours = fit(frame)
    dummies = (items.reshape(-1)[:, None] == np.arange(1, 5)).astype(float)
    model = PHReg(frame["rank"].to_numpy().astype(float), dummies, strata=frame["game"].to_numpy(), ties="efron")
    theirs = model.fit()
    assert ours.log_strengths[1:] - ours.log_strengths[0] == pytest.approx(theirs.params, abs=1e-6)
    assert np.linalg.inv(ours.information[1:, 1:]) == pytest.approx(theirs.cov_params(), abs=1e-6)


@pytest.mark.slow
def test_strengths_are_recovered_and_their_intervals_cover() -> None:
    truth = np.exp(LOGS - LOGS.mean())
    covered = 0
    for seed in range(80):
        table = stats.strengths(drawn(150, seed), "wonder").frame.sort("wonder")
        low, high = table["strength_low"].to_numpy(), table["strength_high"].to_numpy()
        covered += int(((low <= truth) & (truth <= high)).sum())
    assert 365 <= covered <= 394  # of 400: five intervals a table are dependent, so twice the binomial spread
    large = stats.strengths(drawn(20_000, 1), "wonder").frame.sort("wonder")
    assert large["strength"].to_numpy() == pytest.approx(truth, rel=0.03)
    assert large["log_strength"].sum() == pytest.approx(0)


def test_intervals_are_valid_even_if_the_model_is_wrong() -> None:
    """Normal scores with a game effect violate the Plackett-Luce model; equal boards must still come out as equal."""
    table = stats.strengths(seats_table(2000, cards=(), seed=3), "wonder").frame
    assert table.filter(pl.col("q") < 0.01).is_empty()
    planted = stats.strengths(seats_table(2000, cards=(), seed=3, wonder_points=(3.0,)), "wonder").frame
    assert planted["wonder"][0] == "Alexandria"
    assert planted["q"][0] < 1e-6
    assert planted["win_share"][0] > 0.28


def test_row_order_and_missing_seats_do_not_matter() -> None:
    frame = drawn(300, 7)
    expected = stats.strengths(frame, "wonder").frame
    again = stats.strengths(frame.sample(fraction=1, shuffle=True, seed=1), "wonder").frame
    assert again["strength"].to_numpy() == pytest.approx(expected["strength"].to_numpy(), rel=1e-9)
    ragged = frame.filter((pl.col("game") % 3 > 0) | (pl.col("seat") > 0))  # some games of two
    orders = rankings(ragged.lazy(), Levels.of(ragged.lazy(), "wonder"))
    assert orders.counts.sum() == 300
    assert ((orders.items >= 0).sum(axis=1) @ orders.counts) == ragged.height
    assert np.isfinite(fit(ragged).log_strengths).all()


def test_the_same_level_in_several_seats() -> None:
    """Policies repeat at a table: a seat of the stronger one is ahead of one of the weaker in two of three pairs."""
    rng = np.random.default_rng(5)
    items = rng.integers(0, 2, (6000, 4))
    totals = np.rint(1000 * (np.log(2) * items + rng.gumbel(size=items.shape))).astype(np.int64)
    table = stats.strengths(table_of(items, totals), "wonder").frame
    assert table["strength"][0] / table["strength"][1] == pytest.approx(2, rel=0.06)


def test_uninformative_games_are_rejected() -> None:
    items = np.array([[0, 1], [1, 0], [0, 1]])
    with pytest.raises(UserError, match="'board 1' never finished ahead of 'board 0'"):
        stats.strengths(table_of(items, np.array([[9, 1], [1, 9], [9, 1]])), "wonder")
    apart = table_of(np.array([[0, 1], [1, 0], [2, 3], [3, 2]]), np.array([[9, 1]] * 4))
    with pytest.raises(UserError, match="do not determine strengths"):
        stats.strengths(apart, "wonder")
    tie = table_of(np.array([[0, 1]]), np.array([[5, 5]]))  # a tie tells that they are equal
    assert fit(tie).log_strengths == pytest.approx([0, 0])


def test_too_many_levels_are_rejected() -> None:
    frame = table_of(np.arange(7000).reshape(1000, 7), np.tile(np.arange(7), (1000, 1)))
    with pytest.raises(UserError, match="too many to rank"):
        stats.strengths(frame, "wonder")


def test_the_win_share_is_the_observed_share() -> None:
    """The first board wins or comes last, the second is never last: it is stronger, and yet the first wins as often."""
    rng = np.random.default_rng(2)
    bold = rng.random(4000) < 0.5
    totals = np.stack([np.where(bold, 9, 1), np.full(4000, 5), np.full(4000, 4), np.full(4000, 3)], axis=1)
    mixed = rng.random(4000) < 0.1
    totals[mixed] = rng.permuted(totals[mixed], axis=1)
    table = stats.strengths(table_of(np.tile(np.arange(4), (4000, 1)), totals), "wonder")
    rows = {row["wonder"]: row for row in table.frame.to_dicts()}
    frame = table_of(np.tile(np.arange(4), (4000, 1)), totals)
    for name, row in rows.items():
        won = frame.filter(pl.col("wonder") == name)["win_share"].mean()
        assert row["win_share"] == pytest.approx(won)
        assert row["win_share_low"] < won < row["win_share_high"]
    assert rows["board 1"]["strength"] > rows["board 0"]["strength"]
    assert rows["board 0"]["win_share"] == pytest.approx(rows["board 1"]["win_share"], abs=0.05)
    assert "not chances of winning" in table.note


def test_the_sandwich_of_a_few_games_by_hand() -> None:
    """Two boards: one log-strength d, whose score is 1 - p or -p and information p (1 - p) in each game."""
    won = np.array([1, 1, 1, 0, 1, 0, 1])
    model = fit(table_of(np.tile([0, 1], (7, 1)), np.stack([won, 1 - won], axis=1)))
    share = won.mean()
    assert model.log_strengths[0] - model.log_strengths[1] == pytest.approx(np.log(share / (1 - share)))
    meat, bread = ((won - share) ** 2).sum(), 7 * share * (1 - share)
    spread = np.array([1.0, -1.0]) @ model.covariance() @ np.array([1.0, -1.0])
    assert spread == pytest.approx(meat / bread**2 * 7 / 6)
