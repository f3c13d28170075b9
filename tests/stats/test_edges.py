"""Edge cases: thresholds, ties, the last game of a block, equal interval ends, games with other seats."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
import scipy.stats  # type: ignore[import-untyped]

from tests.stats.data import finish, seats_table
from wsim import stats
from wsim.errors import UserError
from wsim.stats import games, variance
from wsim.stats.additive import Additive
from wsim.stats.columns import FAIR, PLAYER_HALF_WIDTH, WIN_DIFFERENCE
from wsim.stats.fewest import ENOUGH
from wsim.stats.games import GameBatch, _split_off_games
from wsim.stats.intervals import Estimate, Interval, verdicts
from wsim.stats.levels import Levels
from wsim.stats.moments import Moments
from wsim.stats.pairs import _with_block_numbers
from wsim.stats.precision import games_to_decide
from wsim.stats.rankings import order_numbers, orders_of
from wsim.stats.sequential import Look, SequentialTest
from wsim.stats.strata import almost_all_as_expected
from wsim.stats.summary import Piece
from wsim.stats.tables import Table
from wsim.stats.worth import without


def test_wins_are_predictable_if_few_strata_deviate() -> None:
    """Two policies: one wins most of its seats, the other few; what is not as usual: losses of one, wins of the other.

    The larger of the two counts; columns of outcomes are judged separately.
    """

    def usual(rows: tuple[float, float], wins: tuple[float, float]) -> bool:
        return bool(almost_all_as_expected(np.array(rows), np.array(wins)))

    assert ENOUGH == 30
    assert usual((100, 100), (71, 29))
    assert not usual((100, 100), (71, 30)), "30 wins of the weak one"
    assert not usual((100, 100), (70, 29)), "30 losses of the strong one"
    assert usual((9, 9), (9, 8)) is True, "the weak one wins most as well: nothing is unusual but one loss"
    assert not usual((20, 20), (10, 10)), "half of the seats of either: nobody is usual"
    assert not usual((100, 100), (1, 1)), "of equal players every win tells"
    assert usual((4, 8), (3, 1)), "1 of 4 wins is unusual: less than half"
    assert not usual((3, 8), (2, 2)), "2 of 4: half"
    both = almost_all_as_expected(np.array([[100.0, 9], [100, 9]]), np.array([[71.0, 1], [29, 1]]))
    assert both.tolist() == [True, False]


def test_verdicts_at_exact_interval_ends() -> None:
    words = verdicts([0.0, 1.0, -1.0, np.nan, 1.0, 1.0], [0.01, 0.0499, 0.0499, 0.01, 0.0501, np.nan])
    assert words.to_list() == ["lower", "higher", "lower", None, "unclear", None]
    assert verdicts([1.5, 0.5], [0.09, 0.09], null=1.0, level=0.9).to_list() == ["higher", "lower"]
    interval = Interval(np.array([2.0, 2.0]), np.array([1.0, 1.0]), np.array([3.0, 3.1]))
    assert interval.within(1.0).tolist() == [True, False]
    assert interval.scaled(-2).at(1, "x") == pytest.approx({"x": -4.0, "x_low": -2.0, "x_high": -6.2})
    flat, mask = Interval(np.array([0.0, 0.5]), np.array([0.0, 0.4]), np.array([0.0, 0.6])).with_wilson(10, 0.95)
    assert mask.tolist() == [True, False]
    assert flat.high.tolist() == pytest.approx([0.27753, 0.6], abs=1e-4)
    half, mask = Interval(np.array([0.5]), np.array([0.5]), np.array([0.5])).with_wilson(10, 0.95)
    assert (half.low[0], mask.tolist()) == (0.5, [False]), "all at 1/2 is no share of all or nothing"


def look(low: float, high: float, margin: float | None) -> str:
    effects = Estimate(np.array([(low + high) / 2]), np.ones(1), np.full(1, 9.0))
    return Look(9, 1, 2.0, 0.01, effects, np.array([(high - low) / 2]), margin).verdict(0)


def test_a_look_is_clear_only_if_its_interval_excludes_the_limit() -> None:
    assert [look(0.0, 1.0, None), look(0.25, 1.0, None), look(-1.0, 0.0, None), look(-1.0, -0.25, None)] == [
        *("unclear", "higher", "unclear", "lower")
    ]
    assert [look(-0.5, 0.25, 0.5), look(-0.25, 0.5, 0.5), look(-0.25, 0.25, 0.5), look(-0.25, 0.25, None)] == [
        *("unclear", "unclear", "equivalent", "unclear")
    ]
    assert look(0.25, 0.3, 0.5) == "higher"
    assert SequentialTest(1).budget == 1
    with pytest.raises(UserError, match="at least 1 deal, not 0"):
        SequentialTest(0)


def test_the_games_until_a_verdict_by_hand() -> None:
    """Twice as wide as the difference: 4 times the games, 3 times more; at least a twentieth more in any case."""
    value, half = np.array([1.0, -1.0, 1.0, 0.2]), np.array([2.0, 2.0, 0.9, 0.6])
    assert games_to_decide(value, half, 100).tolist() == pytest.approx([300, 300, 5, 800])
    margin = games_to_decide(value, half, 100, margin=0.5)
    assert margin.tolist() == pytest.approx([300, 300, 5, 300]), "within 0.3 of the margin: (0.6 / 0.3)^2 is sooner"
    stricter = scipy.stats.norm.ppf(1 - 0.1 / 8) / scipy.stats.norm.ppf(0.95)
    four = games_to_decide(value[:1], half[:1], 100, level=0.9, tests=4)
    assert four.tolist() == pytest.approx([100 * (4 * stricter**2 - 1)])


def test_the_p_value_of_a_group_difference_by_hand() -> None:
    estimate = Estimate(np.array([0.2, 0.2, 0.2]), np.array([0.1, 0.01, 0.1]), np.array([500.0, 500, 40]))
    first, second = np.array([30.0, 60, 29]), np.array([100.0, 60, 900])
    p = estimate.p_of_groups(first, second)
    expected = [2 * scipy.stats.t.sf(2, 29), 2 * scipy.stats.t.sf(20, 59)]
    assert p[:2].tolist() == pytest.approx(expected)
    assert np.isnan(p[2]), "fewer than 30 in the smaller group"
    null = np.sqrt(0.1 * 0.9 * (1 / 60 + 1 / 60))
    of_shares = estimate.p_of_groups(first, second, np.full(3, 0.1))
    assert of_shares[:2].tolist() == pytest.approx([expected[0], 2 * scipy.stats.t.sf(0.2 / null, 59)])


def test_the_jackknife_by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shares of 0.2, 0.4 and 0.6 without one of three blocks each: 2/3 of the sum of squares is the squared error."""
    parts = {0: [0.4, 1.6], 1: [0.4, 0.6], 2: [3.0, 2.0]}
    monkeypatch.setattr(variance, "_total", lambda _sums, without=-1: without)
    monkeypatch.setattr(variance, "_decomposed", lambda without, _widths: np.array(parts[without]))
    found = variance._jackknife(np.array([0.5, 0.5]), [None] * 3, {}, 0.9)  # type: ignore[list-item]
    assert found.error.tolist() == pytest.approx([np.sqrt(2 / 3 * (0.2**2 + 0 + 0.2**2))] * 2)
    assert (found.games.tolist(), found.level) == ([3, 3], 0.9)
    parts.update({0: [0.0, 1.0], 1: [0.0, 1.0], 2: [0.0, 1.0]})
    assert np.isnan(variance._jackknife(np.zeros(2), [None] * 3, {}, 0.9).error).all()  # type: ignore[list-item]
    assert np.isnan(variance._jackknife(np.zeros(2), [None], {}, 0.9).error).all()  # type: ignore[list-item]


def test_an_adjusted_mean_needs_two_games_for_an_error() -> None:
    levels = Levels(("a",), pl.DataFrame({"a": ["x", "y", "z"]}))
    model = Additive(levels, levels, ("score",), np.zeros((6, 1)), np.zeros((6, 6)), np.zeros(3), 1.0, np.zeros((3, 1)))
    found = model.estimate("score", np.array([4.0, 4.0, 4.0]), np.array([1.0, 2.0, 5.0]), 0.95)
    assert found.error.tolist() == pytest.approx([np.nan, np.sqrt(8), np.sqrt(5)], nan_ok=True)


def test_scaling_an_estimate_scales_its_interval() -> None:
    plain = Estimate(np.array([2.0]), np.array([0.5]), np.full(1, 9.0))
    assert (plain.scaled(-2).value[0], plain.scaled(-2).error[0]) == (-4.0, 1.0)
    ended = Estimate(np.array([2.0, 1.0]), np.zeros(2), np.full(2, 9.0), ends=np.array([[1.0, np.nan], [5.0, np.nan]]))
    scaled = ended.scaled(3)
    assert (scaled.low.tolist(), scaled.high.tolist()) == ([3.0, 3.0], [15.0, 3.0])


def test_moments_of_one_group_split_into_pairs_with_the_denominator() -> None:
    moments = Moments(1, 3)
    moments.add(np.array([[2.0, 3.0]]), np.array([[5.0, 0.0]]), np.array([[7.0, 1.0]]))
    halves = moments.split(1)
    assert halves.totals.tolist() == [[5, 5], [5, 8]]
    assert halves.games.tolist() == [[1, 2], [1, 2]]
    assert halves.products.tolist() == [[[25, 10], [10, 13]], [[25, 35], [35, 50]]]


def test_seven_games_are_numbered_in_three_blocks() -> None:
    batches = [GameBatch.of(pl.DataFrame({"game": games})) for games in ([0, 0, 1, 1], [2, 3, 4], [8, 9])]
    blocks = [block.tolist() for _, block in _with_block_numbers(batches, 3, 7)]
    assert blocks == [[0, 0], [0, 1, 1], [2, 2]]


def test_batches_end_at_whole_games() -> None:
    frame = pl.DataFrame({"game": [0, 0, 1, 1, 1, 2, 3, 3]})
    for rows, whole, rest in ((5, [[0, 0, 1, 1, 1]], [2, 3, 3]), (4, [[0, 0], [1, 1, 1, 2]], [3, 3]),
                              (2, [[0, 0], [1, 1, 1], [2]], [3, 3]), (8, [], [0, 0, 1, 1, 1, 2, 3, 3])):  # fmt: skip
        made, left = _split_off_games(frame, rows)
        assert [part["game"].to_list() for part in made] == whole
        assert left["game"].to_list() == rest
    one = pl.DataFrame({"game": [7] * 5})
    assert _split_off_games(one, 2)[1].height == 5, "the only game is never cut"


def test_a_long_table_is_read_range_by_range_of_its_games(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forty rows of eight games, ten rows at a time: two games a range."""
    monkeypatch.setattr(games, "RANGE_ROWS", 10)
    frame = pl.DataFrame({"game": [game for game in range(3, 11) for _ in range(5)]}).lazy()
    pieces = [piece["game"].unique().sort().to_list() for piece in games._pieces(frame, 1000) if piece.height]
    assert pieces == [[3, 4], [5, 6], [7, 8], [9, 10]]
    monkeypatch.setattr(games, "RANGE_ROWS", 40)
    assert len([piece for piece in games._pieces(frame, 1000) if piece.height]) == 1


def test_finishing_orders_can_be_encoded_and_decoded() -> None:
    rank = np.array([[2, 1, 3], [1, 1, 3], [1, 2, -1], [2, 1, 2]])
    codes = np.array([[0, 1, 2], [2, 0, 1], [2, 2, -1], [1, 0, 1]])
    numbers = order_numbers(rank, codes, 3)
    made = orders_of(numbers, np.arange(1, 5), 3, 3)
    assert made.items.tolist() == [[1, 0, 2], [0, 2, 1], [2, 2, -1], [0, 1, 1]]
    assert made.tied.tolist() == [[False] * 3, [False, True, False], [False] * 3, [False, False, True]]
    assert made.counts.tolist() == [1, 2, 3, 4]
    assert len(set(numbers.tolist())) == 4
    other = order_numbers(rank[:, ::-1], codes[:, ::-1], 3)
    assert other.tolist() == numbers.tolist(), "seats in another order finished in the same one"
    at_most = np.zeros((1, 7), np.int64)
    order_numbers(at_most, at_most, 254)  # (255 x 2) to the power of 7 is below 2 to the power of 63
    with pytest.raises(UserError, match="255 levels are too many to rank at a table of 7"):
        order_numbers(at_most, at_most, 255)


def test_a_table_says_how_many_games_it_needs_but_not_for_other_players() -> None:
    """A ratio of 1.5 (a share of 0.5) is 0.5 above the fair one, of which other players may account for 0.1 x 3 = 0.3:
    0.4 is left, as of 0.3, 0.4 and 0.5. The interval is 0.75 wide to either side: (0.75 / 0.4)^2 = 3.52 times as many.
    """
    frame = pl.DataFrame({"policy": ["a"], FAIR: [1.5], f"{FAIR}_low": [0.75], f"{FAIR}_high": [2.25],
                          "win_share": [0.5], "verdict": ["unclear"], PLAYER_HALF_WIDTH: [0.1]})  # fmt: skip
    table = Table(frame, "Policies", labels=("policy",))
    words = "about {} more games would settle it, if the difference is as large as it seems."
    assert table.telling(100) == "Unclear: " + words.format("260")
    alone = Table(frame.drop(PLAYER_HALF_WIDTH), "Policies", labels=("policy",))
    assert alone.telling(100) == "Unclear: " + words.format("130"), "(0.75 / 0.5)^2 = 2.25 times"
    assert Table(frame.drop("verdict"), "Policies").telling(100) == ""
    assert WIN_DIFFERENCE.difference


def test_only_columns_with_both_ends_can_be_plotted() -> None:
    frame = pl.DataFrame({"policy": ["a"], "x": [1.0], "x_low": [0.5], "y": [1.0], "y_low": [0.5], "y_high": [2.0]})
    table = Table(frame, "Policies", labels=("policy",))
    with pytest.raises(UserError, match=r"no interval to plot of 'x'.*there are y$"):
        table.plot("x")


def test_win_shares_are_counted_in_whole_units() -> None:
    frame = pl.DataFrame(finish(np.array([[9, 9, 3], [1, 2, 2]])))
    piece = Piece.of(frame.with_columns(pl.when(pl.col("seat") == 9).then(0).otherwise(pl.col("rank")).alias("rank")))
    assert (piece.seats, piece.parts) == (3, 6)
    assert piece.values[:, 0].tolist() == [3, 3, 0, 0, 3, 3]
    assert piece.values[:, 1].tolist() == [9, 9, 3, 1, 2, 2]
    assert piece.bounds.tolist() == [0, 3, 6]
    deserted = frame.with_columns(rank=pl.when(pl.col("seat") == 2).then(0).otherwise(pl.col("rank")))
    assert Piece.of(deserted).seats == 2


def test_dropping_kinds_keeps_the_widest_row_of_long_kinds() -> None:
    kinds: dict[str, Any] = {"what": ["a"] * 3 + ["b"] * 4 + ["c"], "followed": [1, 2, 3, 5, 9, 7, 9, 1]}
    table = Table(pl.DataFrame({**kinds, "name": list("stuvwxyz")}), "Worth")
    assert without(table, ["c"]).frame["name"].to_list() == ["s", "t", "u", "w", "y"]


def test_a_matchup_counts_a_game_once_and_ties_half() -> None:
    """Game 1: a 9, b 7, b 9: a is ahead of one b and ties with the other. Game 2: a 1, b 5, a 5."""
    frame = pl.DataFrame(finish(np.array([[9, 7, 9], [1, 5, 5]]))).with_columns(policy=pl.Series(list("abbaba")))
    row = stats.matchups(frame).frame.row(by_predicate=(pl.col("policy") == "a"), named=True)
    assert (row["games"], row["opponent_policy"]) == (2, "b")
    assert row["score_difference"] == pytest.approx(((2 + 0) / 2 + (-4 + 0) / 2) / 2)
    assert row["ahead"] == pytest.approx(((1 + 0.5) / 2 + (0 + 0.5) / 2) / 2)
    assert row["win_difference"] == pytest.approx(((0.5 + 0) / 2 + (-0.5 + 0) / 2) / 2)
    unranked = stats.matchups(frame.drop("rank")).frame
    assert unranked["ahead"].to_list() == pytest.approx([0.5, 0.5])
    many = seats_table(65, 3).with_columns(policy=pl.col("game").cast(pl.String))
    with pytest.raises(UserError, match="at most 64 levels, not 65"):
        stats.matchups(many)
    assert stats.matchups(many.filter(pl.col("game") < 64)).frame.is_empty()
