"""Intervals, checked against scipy and statsmodels and for their nominal coverage."""

from __future__ import annotations

import math
import time

import numpy as np
import pytest
import scipy.stats  # type: ignore[import-untyped]
import statsmodels.api as sm  # type: ignore[import-untyped]
from numpy.typing import NDArray
from statsmodels.stats.multitest import multipletests  # type: ignore[import-untyped]
from statsmodels.stats.proportion import proportion_confint  # type: ignore[import-untyped]

from tests.stats.data import clustered_difference, clustered_mean
from wsim.errors import UserError
from wsim.stats import Moments, benjamini_hochberg, wilson
from wsim.stats.distributions import normal_cdf, normal_quantile, t_quantile, two_sided_p
from wsim.stats.intervals import Estimate, Interval, nulls
from wsim.stats.parallel import in_order, inner_products

REPLICATIONS = 400


def coverage_bounds(replications: int, level: float = 0.95) -> tuple[float, float]:
    """Return the range that contains the number of covering intervals with probability 0.9999."""
    low, high = scipy.stats.binom.interval(0.9999, replications, level)
    return float(low), float(high)


def clustered_data(rng: np.random.Generator, games: int, seats: int = 4) -> tuple[NDArray[np.float64], ...]:
    """Return values, group and game of rows whose errors share a game effect; the group is worth 1."""
    game = np.repeat(np.arange(games), seats)
    group = rng.random(games * seats) < 0.3
    values = 10 + group + rng.normal(0, 2, games)[game] + rng.normal(0, 3, games * seats)
    return values, group.astype(float), game.astype(float)


@pytest.mark.parametrize("freedom", [1, 2, 3, 7, 30, 199, 200, 1000, 50_000, 10_000_000])
def test_t_agrees_with_scipy(freedom: float) -> None:
    for probability in (0.6, 0.975, 0.999, 0.00135):
        expected = scipy.stats.t.ppf(probability, freedom)
        assert t_quantile(probability, freedom) == pytest.approx(expected, rel=1e-8)
    at = np.array([0.0, 0.3, -1.5, 2.0, 4.0])
    assert two_sided_p(at, freedom) == pytest.approx(2 * scipy.stats.t.sf(np.abs(at), freedom), rel=1e-4)


def test_normal_agrees_with_scipy() -> None:
    at = np.array([-8.0, -1.0, 0.0, 0.5, 3.0])
    assert normal_cdf(at) == pytest.approx(scipy.stats.norm.cdf(at), rel=1e-12)
    assert two_sided_p(at) == pytest.approx(2 * scipy.stats.norm.sf(np.abs(at)), rel=1e-12)
    assert normal_quantile(0.975) == pytest.approx(1.959963985)


def test_less_than_one_degree_of_freedom_carries_no_information() -> None:
    assert np.isnan(t_quantile(0.975, [0, -1])).all()
    assert np.isnan(two_sided_p([1.0, math.nan], [0, 5])).all()
    assert two_sided_p(math.inf, 3) == 0


def test_wilson_agrees_with_statsmodels() -> None:
    successes, trials = np.array([0, 1, 5, 50, 99, 100]), np.full(6, 100)
    for level in (0.8, 0.95, 0.99):
        low, high = wilson(successes, trials, level)
        expected = proportion_confint(successes, trials, 1 - level, method="wilson")
        assert low == pytest.approx(expected[0], abs=1e-12)
        assert high == pytest.approx(expected[1], abs=1e-12)
    assert np.isnan(wilson(0, 0)).all()


def test_benjamini_hochberg_agrees_with_statsmodels_and_skips_missing_values() -> None:
    p = np.array([0.001, 0.2, 0.03, 0.03, 0.9, 0.0004, 1.0])
    assert benjamini_hochberg(p) == pytest.approx(multipletests(p, method="fdr_bh")[1])
    with_gaps = np.insert(p, [0, 3], np.nan)
    assert benjamini_hochberg(with_gaps)[~np.isnan(with_gaps)] == pytest.approx(benjamini_hochberg(p))
    assert np.isnan(benjamini_hochberg(with_gaps)[[0, 4]]).all()
    assert len(benjamini_hochberg([])) == 0


def test_difference_matches_cluster_robust_least_squares() -> None:
    values, group, game = clustered_data(np.random.default_rng(1), 300)
    ours = clustered_difference(values, group, game)
    options = {"groups": game, "use_correction": False}
    fit = sm.OLS(values, sm.add_constant(group)).fit(cov_type="cluster", cov_kwds=options)
    assert ours.value[0] == pytest.approx(fit.params[1])
    games = len(np.unique(game[group == 1]))  # the smaller of the two numbers of games
    assert ours.games[0] == games < 300
    assert ours.error[0] == pytest.approx(fit.bse[1] * math.sqrt(games / (games - 1)))


def test_mean_matches_cluster_robust_least_squares() -> None:
    values, _, game = clustered_data(np.random.default_rng(2), 200)
    kept = np.random.default_rng(3).random(len(values)) < 0.6  # games of different sizes
    ours = clustered_mean(values[kept], game[kept])
    options = {"groups": game[kept], "use_correction": False}
    fit = sm.OLS(values[kept], np.ones(kept.sum())).fit(cov_type="cluster", cov_kwds=options)
    games = len(np.unique(game[kept]))
    assert ours.value[0] == pytest.approx(fit.params[0])
    assert ours.error[0] == pytest.approx(fit.bse[0] * math.sqrt(games / (games - 1)))
    assert ours.games[0] == games


def test_intervals_have_their_nominal_coverage() -> None:
    rng = np.random.default_rng(4)
    means = differences = blind = 0
    for _ in range(REPLICATIONS):
        values, group, game = clustered_data(rng, 60)
        mean, difference = clustered_mean(values, game), clustered_difference(values, group, game)
        means += mean.low[0] <= 10.3 <= mean.high[0]
        differences += difference.low[0] <= 1 <= difference.high[0]
        row = np.arange(len(values))
        careless = clustered_mean(values, row)  # every row its own game
        blind += careless.low[0] <= 10.3 <= careless.high[0]
    low, high = coverage_bounds(REPLICATIONS)
    assert low <= means <= high
    assert low <= differences <= high
    assert blind < low  # the clustering matters in these data


def test_intervals_from_few_games_still_cover() -> None:
    rng = np.random.default_rng(5)
    covered = 0
    for _ in range(REPLICATIONS):
        values, _, game = clustered_data(rng, 5)
        mean = clustered_mean(values - 0.3, game)
        covered += mean.low[0] <= 10 <= mean.high[0]
    low, high = coverage_bounds(REPLICATIONS)
    assert low <= covered <= high


@pytest.mark.parametrize("games", [0, 1])
def test_no_interval_from_fewer_than_two_games(games: int) -> None:
    estimate = clustered_mean(np.ones(3 * games), np.zeros(3 * games))
    assert np.isnan(estimate.error).all()
    assert nulls(estimate.low).null_count() == nulls(estimate.high).null_count() == 1
    assert nulls(estimate.value).to_list() == ([None] if games == 0 else [1.0])
    assert np.isnan(estimate.p_value()).all()


def test_a_share_of_0_or_1_has_a_wilson_interval() -> None:
    moments = Moments(1, 2)
    moments.add(np.ones((1, 20)), np.zeros((1, 20)))
    share = moments.ratio(1, 0, share=True)
    assert share.value[0] == 0
    assert share.low[0] == pytest.approx(0, abs=1e-12)
    assert share.high[0] == pytest.approx(proportion_confint(0, 20, method="wilson")[1])
    quadruple = Interval(np.array([0.3]), np.array([0.2]), np.array([0.5])).scaled(4)
    assert [quadruple.value[0], quadruple.low[0], quadruple.high[0]] == pytest.approx([1.2, 0.8, 2.0])


def test_constant_values_have_no_rounding_error() -> None:
    estimate = clustered_mean(np.full(3000, 0.1), np.repeat(np.arange(1000), 3))
    assert estimate.error[0] == 0
    assert np.isnan(estimate.p_value()[0])


def test_combined_moments_match_the_concatenated_data() -> None:
    rng = np.random.default_rng(6)
    one, other = rng.random((2, 3, 50))
    parts, whole = Moments(3, 2), Moments(3, 1)
    parts.add(one, other)
    whole.add(2 * one - other)
    combined = parts.combined(np.array([[2.0, -1.0]]), whole.games)
    assert combined.totals == pytest.approx(whole.totals)
    assert combined.products == pytest.approx(whole.products)


@pytest.mark.parametrize("length", [0, 1, 1000, 70_001])
def test_blocked_inner_products_match_the_matrix_product(length: int) -> None:
    rng = np.random.default_rng(8)
    first, second = rng.random((7, length)), rng.random((3, length))
    np.testing.assert_allclose(inner_products(first, second), first @ second.T, rtol=1e-10)


def test_thread_results_arrive_in_order_and_errors_are_raised() -> None:
    def slow_first(number: int) -> int:
        time.sleep(0.02 if number == 0 else 0)
        return 10 // (5 - number)

    assert list(in_order(slow_first, range(5))) == [2, 2, 3, 5, 10]
    with pytest.raises(ZeroDivisionError):
        list(in_order(slow_first, range(9)))


@pytest.mark.parametrize("level", [0, 1, -0.5, 95])
def test_an_invalid_level_is_rejected(level: float) -> None:
    with pytest.raises(UserError, match="between 0 and 1"):
        Estimate(np.zeros(1), np.ones(1), np.full(1, 9.0), level)
    with pytest.raises(UserError, match="between 0 and 1"):
        wilson(1, 2, level)


def test_a_share_stays_between_0_and_1_with_its_interval() -> None:
    few = Estimate(np.array([-0.06, 0.2, 1.02, 0.5]), np.array([0.1, 0.15, 0.01, np.nan]), np.full(4, 1e9))
    shares = few.bounded()
    assert shares.value.tolist() == [0.0, 0.2, 1.0, 0.5]
    assert shares.low[:3] == pytest.approx([0.0, 0.0, 1.0])
    assert shares.high[:3] == pytest.approx([0.136, 0.494, 1.0], abs=1e-3)
    assert np.isnan([shares.low[3], shares.high[3]]).all()
