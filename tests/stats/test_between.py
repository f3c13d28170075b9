"""The interval for a different good player: it covers omitted families, and its formula by hand."""

from __future__ import annotations

import json
from itertools import product
from typing import Any

import numpy as np
import pytest
import scipy.stats  # type: ignore[import-untyped]

from wsim.stats.between import player_half_widths
from wsim.wonders.game import GAME


def stored() -> list[dict[str, Any]]:
    """Return the built-in tables of player families for the first edition."""
    assert GAME.REST is not None
    known: list[dict[str, Any]] = json.loads(GAME.REST.read_text(encoding="utf-8"))["known"]
    return known


def left_out(known: dict[str, Any], table: str, out: int) -> list[bool]:
    """Return for each row whether the family ``out`` is inside the interval computed from the other three."""
    rows = np.array(list(known["figures"][table].values()))
    values, noise = rows[:, :-1].T, rows[:, -1]
    others = np.delete(values, out, axis=0)
    half = player_half_widths(others, noise)
    error = noise * (1 + 1 / len(others))  # of the family minus the mean of the others
    inside = np.abs(values[out] - others.mean(axis=0)) <= np.hypot(half, 1.96 * np.sqrt(error))
    return [bool(row) for row in inside]


@pytest.mark.parametrize("table", ["wonders", "cards", "worth of cards"])
def test_the_interval_of_other_families_covers_an_omitted_one(table: str) -> None:
    every = [known for known in stored() if table in known["figures"]]
    inside = [row for known, out in product(every, range(4)) for row in left_out(known, table, out)]
    assert len(inside) >= 4 * 60
    assert 0.90 <= np.mean(inside) <= 0.98


def test_omitted_families_are_covered_for_every_seat_count_and_family() -> None:
    for known in stored():
        every = [row for table, out in product(("wonders", "cards"), range(4)) for row in left_out(known, table, out)]
        assert np.mean(every) >= 0.90, known["conditions"]["players"]
    for out in range(4):
        every = [row for known in stored() for row in left_out(known, "cards", out) + left_out(known, "wonders", out)]
        assert np.mean(every) >= 0.90, out


def test_indistinguishable_rows_have_one_half_width() -> None:
    rng = np.random.default_rng(3)
    values, noise = rng.normal(0.25, 0.02, (4, 30)), np.full(30, 1e-5)
    half = player_half_widths(values, noise)
    pooled = values.var(axis=0, ddof=1).mean() - 1e-5
    assert half == pytest.approx(np.full(30, scipy.stats.t.ppf(0.975, 4) * np.sqrt(pooled * 1.25)))
    assert (player_half_widths(values, noise, 0.8) < half).all()


def test_clearly_different_rows_are_only_shrunk() -> None:
    rng = np.random.default_rng(4)
    scale = np.where(np.arange(60) < 30, 0.002, 0.05)
    half = player_half_widths(rng.normal(0, 1, (4, 60)) * scale, np.full(60, 1e-8))
    assert half[:30].max() < half[30:].mean()


def test_the_shrunk_variances_of_clearly_different_rows_by_hand() -> None:
    pattern = np.array([0.0, 2.0, 0.0, 2.0])[:, None]
    half = player_half_widths(pattern * np.where(np.arange(40) < 36, 0.01, 1.0), np.full(40, 1e-12))
    small, large = 0.0004 / 3, 4 / 3  # variances of four values that are 0.02 and 2 apart in pairs
    middle = 0.9 * small + 0.1 * large
    error = 2 * middle**2 / 3  # of a variance from four values
    spread = 0.09 * (large - small) ** 2 * 40 / 39 - error  # of forty variances, one of ten is large
    shrunk = np.repeat([middle + spread / (spread + error) * (square - middle) for square in (small, large)], [36, 4])
    assert half == pytest.approx(scipy.stats.t.ppf(0.975, 4) * np.sqrt(shrunk * 1.25), rel=1e-4)


def test_a_row_needs_a_figure_from_every_family() -> None:
    values = np.array([[0.2, 0.3, np.nan], [0.25, 0.31, 0.3]])
    half = player_half_widths(values, np.zeros(3))
    assert np.isfinite(half).tolist() == [True, True, False]
    assert np.isnan(player_half_widths(values[:1], np.zeros(3))).all()


def test_agreeing_families_do_not_give_a_zero_half_width() -> None:
    rng = np.random.default_rng(7)
    scale = np.where(np.arange(60) < 50, 0.02, 0.2)
    values = rng.normal(0, 1, (4, 60)) * scale
    values[:, 0] = 0.1
    half = player_half_widths(values, np.full(60, 1e-4))
    assert half.min() > 0.1 * np.median(half)
    for known in stored():
        for table in known["figures"].values():
            rows = np.array(list(table.values()))
            assert player_half_widths(rows[:, :-1].T, rows[:, -1]).min() > 0.005
