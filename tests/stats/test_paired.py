"""Comparisons on common deals, and the sequential test: what they promise, counted."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest
import scipy.stats  # type: ignore[import-untyped]

from tests.stats.data import finish, seats_table
from wsim import stats
from wsim.errors import UserError
from wsim.stats.spending import Boundaries


def variant_of(baseline: pl.DataFrame, points: float, seed: int) -> pl.DataFrame:
    """Return the same deals with noise of their own, and ``points`` more for whoever built the first card."""
    noise = np.random.default_rng(seed).normal(0, 2, baseline.height)
    change = np.rint(points * baseline["built:Card 00"].to_numpy() + noise).astype(np.int64)
    totals = (baseline["total"].to_numpy() + change).reshape(-1, 4)
    return baseline.with_columns(**finish(totals))


@pytest.fixture(scope="module")
def runs() -> tuple[pl.DataFrame, pl.DataFrame]:
    baseline = seats_table(2000, cards=("Card 00",), game_spread=8)
    return baseline, variant_of(baseline, 3.0, 2)


def test_the_effect_is_that_of_a_paired_t_test(runs: tuple[pl.DataFrame, pl.DataFrame]) -> None:
    baseline, variant = runs
    row = stats.paired(baseline, variant, outcomes=["total"]).frame.row(0, named=True)
    before, after = (frame["total"].to_numpy().reshape(-1, 4).mean(axis=1) for frame in runs)
    test = scipy.stats.ttest_rel(after, before)
    interval = test.confidence_interval(0.95)
    assert row["effect"] == pytest.approx((after - before).mean())
    assert (row["effect_low"], row["effect_high"]) == pytest.approx((interval.low, interval.high))
    assert row["p"] == pytest.approx(test.pvalue, rel=1e-6)
    assert (row["deals"], row["n"]) == (2000, 8000)
    removed = 1 - (after - before).var() / (after.var() + before.var())
    assert row["variance_removed"] == pytest.approx(removed)
    assert removed > 0.9


def test_variance_removed_where_the_arms_vary_differently(runs: tuple[pl.DataFrame, pl.DataFrame]) -> None:
    baseline = runs[0]
    wide = baseline.with_columns(total=50 + 3 * (pl.col("total") - 50))
    before, after = (frame["total"].to_numpy().reshape(-1, 4).mean(axis=1) for frame in (baseline, wide))
    row = stats.paired(baseline, wide, outcomes=["total"]).frame.row(0, named=True)
    assert row["variance_removed"] == pytest.approx(1 - (after - before).var() / (after.var() + before.var()))
    assert row["variance_removed"] == pytest.approx(1 - 4 / 10)  # (3 - 1)**2 of 3**2 + 1


def test_some_seats_only(runs: tuple[pl.DataFrame, pl.DataFrame]) -> None:
    owners = stats.paired(*runs, where=pl.col("built:Card 00")).frame.filter(pl.col("outcome") == "total")
    one = owners.row(0, named=True)
    assert one["n"] == runs[0]["built:Card 00"].sum()
    assert abs(one["effect"] - 3) < 1.8 * (one["effect_high"] - one["effect_low"]) / 2  # 3.5 standard errors
    by_card = stats.paired(*runs, by="built:Card 00", outcomes=["total"]).frame
    assert by_card["built:Card 00"].to_list() == [False, True]
    assert by_card["effect"][1] == pytest.approx(one["effect"])
    assert abs(by_card["effect"][0]) < 1.8 * (by_card["effect_high"][0] - by_card["effect_low"][0]) / 2


def test_other_orders_and_missing_deals_are_joined(runs: tuple[pl.DataFrame, pl.DataFrame]) -> None:
    baseline, variant = runs
    fast = stats.paired(baseline, variant, by="wonder").frame
    joined = stats.paired(baseline.lazy(), variant.sample(fraction=1, shuffle=True, seed=1).lazy(), by="wonder").frame
    assert joined["effect_low"].to_numpy() == pytest.approx(fast["effect_low"].to_numpy())
    part = stats.paired(baseline, variant.filter(pl.col("game") >= 500), outcomes=["total"]).frame
    assert part["deals"].item() == 1500
    with pytest.raises(UserError, match="no deal in common"):
        stats.paired(baseline, variant.with_columns(pl.col("game") + 10_000))


def test_a_change_of_nothing_is_exactly_nothing(runs: tuple[pl.DataFrame, pl.DataFrame]) -> None:
    row = stats.paired(runs[0], runs[0], outcomes=["win_share"]).frame.row(0, named=True)
    assert (row["effect"], row["effect_low"], row["effect_high"], row["p"]) == (0, 0, 0, None)


def test_differences_per_deal_are_what_the_test_takes(runs: tuple[pl.DataFrame, pl.DataFrame]) -> None:
    whole = stats.deal_differences(*runs)
    before, after = (frame["total"].to_numpy().reshape(-1, 4).mean(axis=1) for frame in runs)
    assert whole.differences == pytest.approx(after - before)
    assert set(whole.seats) == {4}
    some = stats.deal_differences(*runs, where=pl.col("built:Card 00"))
    assert len(some.seats) == 2000
    assert some.seats.sum() == runs[0]["built:Card 00"].sum()
    assert (some.differences[some.seats == 0] == 0).all()
    decision = stats.SequentialTest(2000).update(some.differences, some.seats)
    expected = stats.paired(*runs, where=pl.col("built:Card 00"), outcomes=["total"]).frame["effect"].item()
    assert decision.effect == pytest.approx(expected)


# --- the sequential test --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spending", "expected"),
    [
        # Lan and DeMets, two-sided 0.05, five equal looks (Jennison and Turnbull 2000, tables of their FORTRAN program)
        ("obrien_fleming", [4.877, 3.357, 2.680, 2.290, 2.031]),
        ("pocock", [2.438, 2.427, 2.410, 2.397, 2.386]),
    ],
)
def test_boundaries_are_the_published_ones(spending: str, expected: list[float]) -> None:
    boundaries = Boundaries(0.05, spending)
    assert [boundaries.next(look / 5) for look in range(1, 6)] == pytest.approx(expected, abs=5e-4)
    assert boundaries.spent == pytest.approx(0.05)


def test_one_look_is_the_ordinary_test() -> None:
    assert Boundaries(0.05).next(1.0) == pytest.approx(1.959964, abs=1e-5)


def paths(replications: int, effect: float, looks: int, budget: int, **options: float | str) -> list[stats.Decision]:
    """Return the last decisions of tests on skewed differences."""
    rng = np.random.default_rng(11)
    ends = []
    for _ in range(replications):
        test = stats.SequentialTest(budget, **options)  # type: ignore[arg-type]
        for size in np.diff(np.linspace(0, budget, looks + 1).astype(int)):
            decision = test.update(effect + rng.exponential(2.0, size) - 2.0)
            if decision.stop:
                break
        ends.append(decision)
    return ends


@pytest.mark.parametrize("spending", ["obrien_fleming", "pocock"])
def test_no_effect_is_called_different_as_rarely_as_promised(spending: str) -> None:
    ends = paths(300, 0.0, 5, 2000, spending=spending, alpha=0.1)
    wrong = sum(end.verdict in ("higher", "lower") for end in ends)
    low, high = scipy.stats.binom.interval(0.9995, 300, 0.1)
    assert low <= wrong <= high
    assert all(end.verdict == "unclear" for end in ends if end.verdict not in ("higher", "lower"))
    inside = sum(end.low is not None and end.high is not None and end.low <= 0 <= end.high for end in ends)
    assert inside == 300 - wrong


def test_an_effect_is_found_early_and_lies_in_its_interval() -> None:
    ends = paths(150, 0.3, 10, 4000)  # 9.5 standard errors at the end
    assert all(end.verdict == "higher" for end in ends)
    assert np.mean([end.deals for end in ends]) < 2000
    covered = sum(end.low <= 0.3 <= end.high for end in ends if end.low is not None and end.high is not None)
    assert covered >= 138  # of 150: the interval of every look covers with at least 0.95


def test_equivalence_is_claimed_rarely_for_effects_at_the_margin() -> None:
    ends = paths(200, 0.2, 5, 4000, margin=0.2)
    assert sum(end.verdict == "equivalent" for end in ends) <= 13  # at most 5 expected
    none = paths(50, 0.0, 5, 4000, margin=0.2)
    assert sum(end.verdict == "equivalent" for end in none) >= 45
    assert np.mean([end.deals for end in none]) < 4000


def test_looks_of_any_size_and_a_budget_overrun() -> None:
    rng = np.random.default_rng(3)
    test = stats.SequentialTest(1000)
    sizes = [3, 500, 20, 400, 300]
    decisions = [test.update(rng.normal(0, 1, size)) for size in sizes]
    assert [decision.look for decision in decisions] == [1, 2, 3, 4, 5]
    assert [decision.deals for decision in decisions] == np.cumsum(sizes).tolist()
    assert decisions[0].low is None
    assert math.isinf(decisions[0].boundary)
    assert [decision.stop for decision in decisions] == [False] * 4 + [True]
    assert decisions[-1].verdict == "unclear"
    assert decisions[-1].spent == pytest.approx(0.05)
    with pytest.raises(UserError, match="has ended"):
        test.update([0.0])


def test_what_cannot_be_tested_is_refused() -> None:
    for wrong, text in (
        ({"budget": 0}, "at least 1 deal"),
        ({"budget": 10, "margin": 0}, "larger than 0"),
        ({"budget": 10, "alpha": 2}, "between 0 and 1"),
        ({"budget": 10, "spending": "pococ"}, "did you mean 'pocock'"),
    ):
        with pytest.raises(UserError, match=text):
            stats.SequentialTest(**wrong)
    for block in ([], [1.0, math.nan]):
        with pytest.raises(UserError, match="finite differences"):
            stats.SequentialTest(10).update(block)
    silent = stats.SequentialTest(100).update(np.zeros(50), np.zeros(50))
    assert (silent.effect, silent.low, silent.verdict, silent.stop) == (None, None, "unclear", False)
