"""Precision: when playing stops, and how many more games would be needed."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import polars as pl
import pytest

from wsim.stats.precision import MAX_GROWTH, games_to_decide, reached, rounded, stages, undecided_note, widest_in


def played(games: int, within: float | None, spread: float) -> list[range]:
    """Return the stages of a run whose half width is ``spread`` divided by the square root of the games."""
    done: list[range] = []

    def half() -> float:
        return spread / math.sqrt(done[-1].stop)

    done.extend(stages(games, within, half))
    return done


def test_games_are_added_until_the_interval_is_narrow_enough() -> None:
    done = played(1000, 0.01, 1.0)
    assert done[0] == range(1000)
    assert all(one.stop == other.start for one, other in pairwise(done))
    assert 10_000 <= done[-1].stop <= 10_000 * 1.03
    assert all(other.stop <= 4 * one.stop for one, other in pairwise(done))


def test_no_games_are_added_without_a_target_or_with_enough_games() -> None:
    assert played(1000, None, 1.0) == [range(1000)]
    assert played(20_000, 0.01, 1.0) == [range(20_000)]


def test_growth_stops_at_a_limit_and_reports_the_games_needed() -> None:
    done = played(100, 1e-6, 1.0)
    assert done[-1].stop == 100 * MAX_GROWTH
    assert reached(10_000, 1e-6, 0.01, "wonders") == (
        "The widest interval of wonders is ±0.01: about 1,000,000,000,000 games would be needed for ±1e-06."
    )
    assert reached(10, 0.1, math.inf, "it").startswith("No interval of it is known yet")
    assert reached(10, 0.1, 0.1, "it") == "Every interval of it is within ±0.1."
    assert reached(10, None, 0.1, "it") == ""


def test_games_needed_are_until_the_interval_excludes_zero() -> None:
    more = games_to_decide(np.array([0.01, 0.02, 0.0]), np.array([0.02, 0.01, 0.01]), 1000)
    assert more.tolist() == [3000.0, 50.0, math.inf]  # one that is clear by its own interval: at least a twentieth
    equal = games_to_decide(np.array([0.0, 0.09]), np.array([0.2, 0.2]), 1000, margin=0.1)
    assert equal == pytest.approx([3000.0, 1000 * ((0.2 / 0.09) ** 2 - 1)])
    many = games_to_decide(np.array([0.01]), np.array([0.02]), 1000, tests=20)
    assert many == pytest.approx([1000 * ((3.0233 / 1.95996 * 2) ** 2 - 1)], rel=1e-3)  # z of .05 / 20, two-sided


def rows(*figures: tuple[str, float | None, float, str | None]) -> pl.DataFrame:
    names = {"name": [name for name, *_ in figures], "effect": [value for _, value, *_ in figures]}
    ends = {
        f"effect_{end}": [None if value is None else value + sign * half for _, value, half, _ in figures]
        for end, sign in (("low", -1), ("high", 1))
    }
    return pl.DataFrame({**names, **ends, "verdict": [verdict for *_, verdict in figures]})


def test_the_nearest_unclear_rows_are_named() -> None:
    frame = rows(("far", 0.001, 0.02, "unclear"), ("near", 0.01, 0.02, "unclear"), ("clear", 0.1, 0.02, "higher"))
    assert undecided_note(frame, ["name"], "effect", 1000) == (
        "Unclear: 2 of 3 rows. The nearest need this many more games, if their differences are as large as they seem: "
        "3,000 for near, 400,000 for far."
    )
    assert undecided_note(frame[2:], ["name"], "effect", 1000) == ""
    assert undecided_note(frame[1:2], ["name"], "effect", 1000, unit="deals") == (
        "Unclear: about 3,000 more deals would settle it, if the difference is as large as it seems."
    )
    nothing = rows(("zero", 0.0, 0.1, "unclear"), ("unknown", None, 0.0, None))
    assert undecided_note(nothing, ["name"], "effect", 10) == "Unclear; no affordable number of games would settle it."


def test_game_counts_are_rounded_and_the_widest_interval_counts() -> None:
    assert [rounded(number) for number in (1234.0, 7.2, 0.0, math.inf)] == [1300, 8, 0, 0]
    frame = pl.DataFrame(
        {"n": [1, 2], "win_share": [0.1, 0.2], "win_share_low": [0.05, None], "win_share_high": [0.15, None]}
    )
    assert widest_in(frame) == pytest.approx(0.05)
    assert math.isnan(widest_in(frame.select("n")))
