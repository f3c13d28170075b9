"""The sequential test: its error rates by simulation."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pytest
import scipy.stats  # type: ignore[import-untyped]

from wsim import stats
from wsim.errors import UserError
from wsim.stats.intervals import Estimate
from wsim.stats.sequential import Look
from wsim.stats.spending import Boundaries


@dataclass
class OneEffect:
    """A sequential test of one effect that receives differences block by block and stops when the effect is clear."""

    test: stats.SequentialTest

    def __post_init__(self) -> None:
        self._sums = stats.Moments(1, 2)

    def look(self, differences: np.ndarray, seats: np.ndarray | None = None) -> Look:
        size = np.ones(len(differences)) if seats is None else seats
        self._sums = self._sums.plus(size[None, :], (size * differences)[None, :])
        return self.test.look(self.test.deals + len(differences), self._sums.ratio(1, 0))


@pytest.mark.parametrize(
    ("spending", "expected"),
    [
        # Lan and DeMets, two-sided 0.05, five equal looks (Jennison and Turnbull 2000, tables of their FORTRAN program)
        ("obrien_fleming", [4.877, 3.357, 2.680, 2.290, 2.031]),
        ("pocock", [2.438, 2.427, 2.410, 2.397, 2.386]),
    ],
)
def test_boundaries_match_published_values(spending: str, expected: list[float]) -> None:
    boundaries = Boundaries(0.05, spending)
    assert [boundaries.next(look / 5) for look in range(1, 6)] == pytest.approx(expected, abs=5e-4)
    assert boundaries.spent == pytest.approx(0.05)


def test_one_look_equals_the_ordinary_test() -> None:
    assert Boundaries(0.05).next(1.0) == pytest.approx(1.959964, abs=1e-5)


@pytest.mark.parametrize("spending", ["obrien_fleming", "pocock"])
def test_a_question_repeated_with_a_larger_budget_spends_only_the_reserved_alpha(spending: str) -> None:
    boundaries = Boundaries(0.05, spending, reserve=0.1)
    first = [boundaries.next(share) for share in (0.5, 1.0)]
    assert boundaries.spent == pytest.approx(0.045)
    later = [boundaries.next(share) for share in (2.0, 4.0, 64.0)]
    assert boundaries.spent == pytest.approx(0.05 * (1 - 0.1 / 64))
    assert max(later) < 5
    assert first[-1] < min(later)


@pytest.mark.parametrize("spending", ["obrien_fleming", "pocock"])
def test_repeatedly_doubling_the_budget_keeps_the_error_rate_at_alpha(spending: str) -> None:
    """With a separate test for each budget, the audit found error rates of .067 to .168."""
    boundaries, shares = Boundaries(0.05, spending, reserve=0.1), [0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0]
    edges = np.array([boundaries.next(share) for share in shares])
    steps = np.sqrt(np.diff([0.0, *shares]))
    walks = np.cumsum(np.random.default_rng(7).standard_normal((40_000, len(shares))) * steps, axis=1)
    crossed = (np.abs(walks / np.sqrt(shares)) > edges).any(axis=1).mean()
    assert crossed == pytest.approx(0.05 * (1 - 0.1 / 16), abs=0.0032)  # three standard errors


def paths(replications: int, effect: float, looks: int, budget: int, **options: float | str) -> list[Look]:
    """Return the final interim analyses of tests on skewed differences."""
    rng = np.random.default_rng(11)
    ends = []
    for _ in range(replications):
        test = OneEffect(stats.SequentialTest(budget, **options))  # type: ignore[arg-type]
        for size in np.diff(np.linspace(0, budget, looks + 1).astype(int)):
            look = test.look(effect + rng.exponential(2.0, size) - 2.0)
            if look.verdict(0) != "unclear":
                break
        ends.append(look)
    return ends


@pytest.mark.slow
@pytest.mark.parametrize("spending", ["obrien_fleming", "pocock"])
def test_a_null_effect_is_called_clear_at_most_at_rate_alpha(spending: str) -> None:
    ends = paths(300, 0.0, 5, 2000, spending=spending, alpha=0.1)
    wrong = sum(end.verdict(0) in ("higher", "lower") for end in ends)
    low, high = scipy.stats.binom.interval(0.9995, 300, 0.1)
    assert low <= wrong <= high
    assert all(end.verdict(0) == "unclear" for end in ends if end.verdict(0) not in ("higher", "lower"))
    inside = sum(bool(end.low[0] <= 0 <= end.high[0]) for end in ends)
    assert inside == 300 - wrong


def test_an_effect_is_found_early_and_lies_in_its_interval() -> None:
    ends = paths(150, 0.3, 10, 4000)  # 9.5 standard errors at the end
    assert all(end.verdict(0) == "higher" for end in ends)
    assert np.mean([end.deals for end in ends]) < 2000
    covered = sum(bool(end.low[0] <= 0.3 <= end.high[0]) for end in ends)
    assert covered >= 138  # of 150: the interval of every look covers with at least 0.95


def test_effects_at_the_margin_are_rarely_called_equivalent() -> None:
    ends = paths(200, 0.2, 5, 4000, margin=0.2)
    assert sum(end.verdict(0) == "equivalent" for end in ends) <= 13  # at most 5 expected
    none = paths(50, 0.0, 5, 4000, margin=0.2)
    assert sum(end.verdict(0) == "equivalent" for end in none) >= 45
    assert np.mean([end.deals for end in none]) < 4000


def test_looks_may_have_any_size_and_exceed_the_budget() -> None:
    rng = np.random.default_rng(3)
    test = OneEffect(stats.SequentialTest(1000))
    sizes = [3, 500, 20, 400, 300]
    looks = [test.look(rng.normal(0, 1, size)) for size in sizes]
    assert [look.number for look in looks] == [1, 2, 3, 4, 5]
    assert [look.deals for look in looks] == np.cumsum(sizes).tolist()
    assert math.isinf(looks[0].reach[0])
    assert math.isinf(looks[0].boundary)
    assert [look.verdict(0) for look in looks] == ["unclear"] * 5
    assert looks[-1].spent == pytest.approx(0.05)


def test_invalid_test_settings_are_rejected() -> None:
    for wrong, text in (
        ({"budget": 0}, "at least 1 deal"),
        ({"budget": 10, "margin": 0}, "larger than 0"),
        ({"budget": 10, "alpha": 2}, "between 0 and 1"),
        ({"budget": 10, "spending": "pococ"}, "did you mean 'pocock'"),
    ):
        with pytest.raises(UserError, match=text):
            stats.SequentialTest(**wrong)
    silent = OneEffect(stats.SequentialTest(100)).look(np.zeros(50), np.zeros(50))
    assert np.isnan(silent.effects.value[0])
    assert math.isinf(silent.reach[0])
    assert silent.verdict(0) == "unclear"


def test_an_interval_from_few_deals_uses_students_t() -> None:
    """One look at 20 deals: 2.093 errors by Student's t with 19 degrees of freedom, not 1.960; no look at 19."""
    for deals, reach in ((20, scipy.stats.t.ppf(0.975, 19)), (19, math.inf)):
        effects = Estimate(np.zeros(1), np.ones(1), np.full(1, float(deals)))
        assert stats.SequentialTest(budget=deals).look(deals, effects).reach == pytest.approx([reach], rel=1e-6)


def test_without_a_reserve_no_look_goes_beyond_the_budget() -> None:
    boundaries = Boundaries(0.05)
    boundaries.next(0.5)
    for share in (0.5, 1.25):
        with pytest.raises(UserError, match=r"must grow from 0\.5 to at most 1, not to"):
            boundaries.next(share)
    boundaries.next(1.0)
    assert boundaries.spent == pytest.approx(0.05, abs=1e-6)
