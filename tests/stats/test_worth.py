"""The worth of an item to the seat that wants it: the estimator, on wishes whose true values are known."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

from wsim.errors import UserError
from wsim.stats.intervals import Estimate
from wsim.stats.summary import Summary
from wsim.stats.worth import Wanted, Wishes, worth_sums, worth_table

THINGS = [("build", "Altar"), ("build", "Baths"), ("stage", "next stage")]
WANTED = Wanted(THINGS, (("age",), ("policy",), ("seat", "policy")))
SEATS = 4
POLICIES = ["careful", "bold"]


def made(
    seed: int, games: int, worth: tuple[float, ...] = (0.1, 0.0, -0.05), chance: float = 0.15
) -> tuple[Wishes, pl.DataFrame]:
    """Return synthetic wishes, five per seat for random items; a seat's chance to win depends on the items received."""
    rng = np.random.default_rng(seed)
    each = SEATS * 5
    game, seat = np.repeat(np.arange(games), each), np.tile(np.repeat(np.arange(SEATS), 5), games)
    thing, overruled = rng.integers(len(THINGS), size=games * each), rng.random(games * each) < chance
    gained = np.zeros((games, SEATS))
    np.add.at(gained, (game, seat), np.where(overruled, -1.0, 0.0) * np.array(worth)[thing])
    luck = 0.3 * rng.random((games, 1))  # what all seats of a game have in common
    share = (rng.random((games, SEATS)) < 0.35 + luck + gained).astype(float)
    total = np.rint(50 + 30 * luck + 20 * gained + rng.normal(0, 5, (games, SEATS))).astype(np.int64)
    seats = pl.DataFrame(
        {
            "game": np.repeat(np.arange(games), SEATS),
            "seat": np.tile(np.arange(SEATS, dtype=np.uint8), games),
            "policy": pl.Series([POLICIES[place % 2] for place in range(games * SEATS)], dtype=pl.Enum(POLICIES)),
            "total": total.ravel(),
            "win_share": share.ravel(),
        }
    )
    could = np.full((len(game), 1), 0b111, np.uint64)
    times = {"age": (rng.integers(3, size=len(game)), ["1", "2", "3"])}
    return Wishes(game, seat, np.stack([thing, np.full(len(thing), -1)], axis=1), overruled, could, times), seats


def sums_of(wishes: Wishes, seats: pl.DataFrame) -> Summary:
    return worth_sums(WANTED, [(wishes, seats)])


def rows(frame: pl.DataFrame) -> dict[str, dict[str, Any]]:
    return {row["name"]: row for row in frame.iter_rows(named=True)}


@pytest.mark.jit_off
def test_worth_is_the_difference_of_means_with_errors_clustered_by_game() -> None:
    wishes, seats = made(1, 400)
    found = rows(worth_table(sums_of(wishes, seats)).frame)
    outcome = seats["win_share"].to_numpy().reshape(-1, SEATS)[wishes.game, wishes.seat]
    score = seats["total"].to_numpy().reshape(-1, SEATS)[wishes.game, wishes.seat].astype(float)
    for number, (_, name) in enumerate(THINGS):
        own = wishes.things[:, 0] == number
        for column, y in (("worth", outcome), ("points", score)):
            followed, instead = own & ~wishes.overruled, own & wishes.overruled
            assert found[name][column] == pytest.approx(y[followed].mean() - y[instead].mean(), abs=1e-12)
            influence = np.where(
                followed, (y - y[followed].mean()) / followed.sum(), -(y - y[instead].mean()) / instead.sum()
            )
            each = np.bincount(wishes.game[own], influence[own])
            games = len(np.unique(wishes.game[instead]))
            error = np.sqrt((each**2).sum() * games / (games - 1))
            reach = (found[name][f"{column}_high"] - found[name][f"{column}_low"]) / 2
            assert reach / error == pytest.approx(1.96, abs=0.03)
        assert (found[name]["followed"], found[name]["overruled"]) == (followed.sum(), instead.sum())
        assert found[name]["wanted"] == pytest.approx(own.mean())
        assert found[name]["win_followed"] == pytest.approx(outcome[own & ~wishes.overruled].mean())
        assert found[name]["win_overruled"] == pytest.approx(outcome[own & wishes.overruled].mean())


def test_sums_of_parts_add_up_to_the_whole() -> None:
    wishes, seats = made(2, 60)
    whole, parts = sums_of(wishes, seats), Summary()
    for first, end in ((0, 7), (7, 8), (8, 60)):
        own = (wishes.game >= first) & (wishes.game < end)
        times = {"age": (wishes.times["age"][0][own], wishes.times["age"][1])}
        some = Wishes(
            wishes.game[own] - first,
            wishes.seat[own],
            wishes.things[own],
            wishes.overruled[own],
            wishes.could[own],
            times,
        )
        parts.add(sums_of(some, seats.filter(pl.col("game").is_between(first, end - 1))))
    assert parts.labels == whole.labels
    for name, values in whole.arrays.items():
        assert np.array_equal(parts.arrays[name], values), name


@pytest.mark.parametrize("by", ["age", "policy", "seat,policy"])
def test_a_split_matches_the_table_of_the_selected_wishes(by: str) -> None:
    wishes, seats = made(3, 500)
    split = worth_table(sums_of(wishes, seats), by.split(","), fewest=5).frame
    assert split.height > 3
    of = {
        "age": np.array(["1", "2", "3"])[wishes.times["age"][0]],
        "policy": np.array(POLICIES)[wishes.seat % 2],
        "seat": wishes.seat.astype(str),
    }
    for row in split.iter_rows(named=True):
        own = np.all([of[column] == row[column] for column in by.split(",")], axis=0)
        own &= wishes.things[:, 0] == [name for _, name in THINGS].index(row["name"])
        assert row["followed"] == (own & ~wishes.overruled).sum()
        assert row["overruled"] == (own & wishes.overruled).sum()


def test_rare_items_are_omitted() -> None:
    table = worth_table(sums_of(*made(4, 20)), fewest=30)
    assert table.frame.filter(pl.col("overruled") < 30).is_empty()
    assert "Left out: 3 things" in table.note


def test_a_split_that_is_not_summed_is_rejected() -> None:
    with pytest.raises(UserError, match="not summed by wonder; accepted: age, policy, seat,policy"):
        worth_table(sums_of(*made(5, 5)), "wonder")


@pytest.mark.slow
@pytest.mark.parametrize("games", [60, 600])
def test_intervals_cover_and_false_verdicts_stay_at_their_level(games: int) -> None:
    """5% of intervals exclude 0 without an effect, and 5% exclude a known true worth (2,400 intervals each)."""
    outside = np.zeros(2)
    repetitions = 800
    for place, worth in enumerate([(0.0, 0.0, 0.0), (0.06, 0.06, 0.06)]):
        for seed in range(repetitions):
            frame = worth_table(sums_of(*made(1000 + seed, games, worth)), fewest=30).frame
            assert frame.height == len(THINGS)
            low, high = frame["worth_low"].to_numpy(), frame["worth_high"].to_numpy()
            outside[place] += ((low > worth[0]) | (high < worth[0])).sum()
    assert (np.abs(outside / (3 * repetitions) - 0.05) < 0.015).all(), outside


def decided(games: int, seeds: range) -> int:
    """Return the number of effect-free answers that contain a verdict, on wins or on points."""
    frames = [worth_table(sums_of(*made(seed, games, (0.0, 0.0, 0.0))), ("seat", "policy")).frame for seed in seeds]
    found = 0
    for frame in frames:
        assert frame.height > 0
        found += (frame["q"] < 0.05).any() or (frame["points_q"] < 0.05).any()
    return found


@pytest.mark.slow
@pytest.mark.parametrize("games", [240, 150, 1000])
def test_false_verdicts_on_wins_also_stay_at_their_level(games: int) -> None:
    """Two tables an answer: up to 0.1 of answers; cells of 30 overruled wishes and more."""
    answers = 150
    assert decided(games, range(1000, 1000 + answers)) <= 0.1 * answers + 3 * (0.1 * 0.9 * answers) ** 0.5


def test_fewer_than_30_of_either_kind_have_no_verdict() -> None:
    frame = worth_table(sums_of(*made(11, 40, (0.5, 0.5, 0.5))), "age", fewest=2).frame
    few = frame.filter(pl.col("overruled") < 30)
    assert few.height > 3
    assert few["worth"].max() > 0.3  # type: ignore[operator]
    assert few["q"].is_null().all()
    assert few["verdict"].is_null().all()
    assert few["points_q"].is_null().all()


def test_win_share_differences_have_a_newcombe_interval() -> None:
    """Example (a) of Newcombe (1998, table II, method 10): 56/70 - 48/80; then twice the error of independence."""
    value, members = np.array([56 / 70 - 48 / 80]), (np.array([70.0]), np.array([80.0]))
    shares = np.array([56 / 70]), np.array([48 / 80])
    independent = np.sqrt(sum(share * (1 - share) / many for share, many in zip(shares, members, strict=True)))
    for factor in (1.0, 2.0):
        estimate = Estimate(value, factor * independent, np.array([150.0])).between_shares(
            *zip(shares, members, strict=True)
        )
        assert estimate.low[0] == pytest.approx(0.2 - factor * (0.2 - 0.0524), abs=1e-4)
        assert estimate.high[0] == pytest.approx(0.2 + factor * (0.3339 - 0.2), abs=1e-4)


@pytest.mark.parametrize("rate", [0.05, 0.15, 0.3])
def test_intervals_from_few_overruled_wishes_cover_the_truth(rate: float) -> None:
    """230 were followed and win with chance 0.3, 31 were overruled; ends from the error contain it 0.92 to 0.94."""
    rng, trials = np.random.default_rng(5), 4000
    members = np.full(trials, 230.0), np.full(trials, 31.0)
    shares = rng.binomial(230, 0.3, trials) / 230, rng.binomial(31, rate, trials) / 31
    error = np.sqrt(sum(share * (1 - share) / many for share, many in zip(shares, members, strict=True)))
    estimate = Estimate(shares[0] - shares[1], error, members[1]).between_shares(*zip(shares, members, strict=True))
    contained = float(((estimate.low <= 0.3 - rate) & (0.3 - rate <= estimate.high)).mean())
    assert 0.94 <= contained <= 0.965


def test_a_few_seats_that_all_lost_show_no_certain_effect() -> None:
    """Of 30 that are overruled none wins, of 300 that are followed one in ten: their plain error is far too small."""
    value, few = np.array([0.1]), np.array([30.0])
    plain = Estimate(value, np.array([0.0175]), np.array([30.0]))
    share = np.array([30 / 330])
    assert plain.p_value()[0] < 1e-5
    assert plain.p_of_groups(np.array([300.0]), few, share)[0] == pytest.approx(0.079, abs=0.003)
    assert np.isnan(plain.p_of_groups(np.array([300.0]), few - 1, share)[0])
