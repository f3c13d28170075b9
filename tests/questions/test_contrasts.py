"""Variant minus baseline when few deals differ: a rare large opposite difference is not ignored."""

from __future__ import annotations

import numpy as np
import pytest

from wsim.questions.contrasts import Contrasts
from wsim.stats.sequential import SequentialTest


@pytest.mark.slow
@pytest.mark.parametrize(("rare", "often"), [(9, 0.03), (19, 0.03), (39, 0.03), (39, 0.06), (39, 0.3), (19, 0.3)])
def test_rare_large_opposite_differences_do_not_raise_the_error_rate(rare: int, often: float) -> None:
    """The change adds a point in most deals that differ and takes ``rare`` in one of rare + 1: nothing on average.

    Of 150 whatifs of 2,000 deals, 5 % may call it higher or lower: more than 14 of them have a chance of 1 %.
    """
    random, wrong = np.random.default_rng(1), 0
    one, who = np.ones((1, 2000)), np.zeros((1, 2000))
    for _ in range(150):
        base = random.normal(50, 12, (1, 2000)).round()
        differs, against = random.random((2, 1, 2000))
        added = np.where(differs < often, np.where(against < 1 / (rare + 1), -rare, 1), 0)
        known = Contrasts(1, 1).plus([[base, one, who], [base + added, one, who]])
        look = SequentialTest(2000).look(2000, known.effects(), known.has_interval())
        wrong += look.verdict(0) in ("higher", "lower")
    assert wrong <= 14


def test_the_error_with_few_differing_deals_by_hand() -> None:
    """Of 400 deals 60 differ, by 1; deals are 30 from the mean at most, so the error is 2 * 30 / 400 at least."""
    base = np.array([[20.0, 80.0] * 200])
    added = np.array([[1.0] * 60 + [0.0] * 340])
    one, who = np.ones((1, 400)), np.zeros((1, 400))
    known = Contrasts(1, 1).plus([[base, one, who], [base + added, one, who]])
    far = 81.0 - 50.0  # of a deal of the variant
    assert known.effects().error[0] == pytest.approx(2 * far / 400)
    assert known.effects().value[0] == pytest.approx(0.15)
    alike = Contrasts(1, 1).plus([[base, one, who], [base, one, who]])
    assert alike.effects().error[0] == 0
    won = (base > 50).astype(float)
    bounded = Contrasts(1, 1).plus([[won, one, who], [np.maximum(won, added), one, who]])
    share = 30 / 400 * 370 / 400 / 399  # half of those that differ had won before; a win is no farther than 0.5
    assert bounded.effects().error[0] == pytest.approx(max(np.sqrt(share), 2 * 0.5 / 400))


def test_equal_deciding_metrics_are_not_identical() -> None:
    """Of two variants, by two metrics: the first differs in the second metric of one deal alone, the other in none."""
    base = np.array([[20.0, 80.0] * 50, [3.0, 4.0] * 50])
    ones, who = np.ones((2, 100)), np.zeros((2, 100))
    changed = base.copy()
    changed[1, 7] += 1
    known = Contrasts(2, 2).plus([[base, ones, who], [changed, ones, who], [base, ones, who]])
    assert [known.identical(variant) for variant in (0, 1)] == [False, True]
    assert list(known.deciding) == [0, 2]
    assert known.differing.tolist() == [0, 1, 0, 0]


def test_the_most_extreme_deal_may_be_in_any_block() -> None:
    """As in the previous test, but the deal farthest from the mean is in the first of two blocks."""
    base = np.array([[80.0] * 199 + [200.0] + [20.0] * 200])
    added = np.array([[0.0] * 100 + [1.0] * 60 + [0.0] * 240])
    one, who = np.ones((1, 200)), np.zeros((1, 200))
    blocks = [[[arm[:, part], one, who] for arm in (base, base + added)] for part in (slice(0, 200), slice(200, 400))]
    known = Contrasts(1, 1)
    for block in blocks:
        known = known.plus(block)
    assert known.effects().error[0] == pytest.approx(2 * (200.0 - base[0, :200].mean()) / 400)


def test_a_metric_of_few_seats_is_self_selected_if_different_seats_count() -> None:
    """Of 1,000 deals 5 have a seat that counts: one of five that changes is many, though it is one of a thousand."""
    base, count = np.zeros((1, 1000)), np.zeros((1, 1000))
    count[0, :5] = 1
    moved = count.copy()
    moved[0, 0] = 0
    who = np.zeros((1, 1000))
    assert Contrasts(1, 1).plus([[base, count, who], [base, moved, who]]).is_self_selected(0)
    assert not Contrasts(1, 1).plus([[base, count, who], [base, count, who]]).is_self_selected(0)
    weighted = Contrasts(1, 1, weighted=[True]).plus([[base, count, who], [base, moved, who]])
    assert not weighted.is_self_selected(0)  # turns, not seats, are counted
