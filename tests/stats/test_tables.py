"""Tables of wonders, policies and cards: against plain group-bys and regressions, and on runs whose truth is known."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import statsmodels.api as sm  # type: ignore[import-untyped]
from polars.testing import assert_frame_equal

from tests.stats import data
from tests.stats.data import CARDS, seats_table
from tests.tiers import first_quick
from wsim import stats
from wsim.errors import UserError
from wsim.stats import games
from wsim.stats.games import GameBatch, batches, extent

FEW = CARDS[:12]
WORTH = (3.0, 0.0, 0.0, -2.0)


@pytest.fixture(scope="module")
def seats() -> pl.DataFrame:
    return seats_table(3000, cards=FEW, card_points=WORTH, wonder_points=(2.0,), policy_points=(0, 0, 0, -3.0))


def row(table: stats.Table, **values: object) -> dict[str, object]:
    chosen = table.frame.filter(pl.col(name).cast(pl.String) == str(value) for name, value in values.items())
    assert chosen.height == 1
    return chosen.row(0, named=True)


def shuffled(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.sample(fraction=1, shuffle=True, seed=9)


# --- the tables say what a group-by says ----------------------------------------------------------------------------


def test_factor_table_agrees_with_group_by_and_regression(seats: pl.DataFrame) -> None:
    table = data.wonders(seats)
    naive = seats.group_by("wonder", "side").agg(
        pl.len().alias("n"), pl.col("win_share", "total", "points_guild").mean(), pl.col("total").std().alias("sd")
    )
    for one in naive.iter_rows(named=True):
        ours = row(table, wonder=one["wonder"], side=one["side"])
        assert ours["n"] == one["n"]
        assert ours["win_share"] == pytest.approx(one["win_share"])
        assert ours["fair_share_ratio"] == pytest.approx(4 * one["win_share"])
        assert ours["score"] == pytest.approx(one["total"])
        assert ours["score_sd"] == pytest.approx(one["sd"])
        assert ours["points_guild"] == pytest.approx(one["points_guild"])
    random = seats.filter(pl.col("policy") == "random")
    fit = sm.OLS(random["total"].to_numpy(), np.ones(random.height)).fit(
        cov_type="cluster", cov_kwds={"groups": random["game"].to_numpy(), "use_correction": False}
    )
    ours = row(stats.policies(seats), policy="random")
    games = random["game"].n_unique()
    half = 1.9605 * fit.bse[0] * math.sqrt(games / (games - 1))
    assert ours["score_low"] == pytest.approx(fit.params[0] - half, abs=1e-3)
    assert ours["score_high"] == pytest.approx(fit.params[0] + half, abs=1e-3)


def test_card_table_agrees_with_group_by_and_regression(seats: pl.DataFrame) -> None:
    table = data.cards(seats)
    for card in FEW[:4]:
        built = seats[f"built:{card}"].to_numpy()
        ours = row(table, card=card)
        owners, others = seats.filter(pl.Series(built)), seats.filter(~pl.Series(built))
        assert ours["n"] == owners.height
        assert ours["built_share"] == pytest.approx(owners.height / seats.height)
        assert ours["win_share"] == pytest.approx(owners["win_share"].mean())
        assert ours["win_share_not"] == pytest.approx(others["win_share"].mean())
        assert ours["score_not"] == pytest.approx(others["total"].mean())
        assert ours["points_science"] == pytest.approx(owners["points_science"].mean())
        for outcome, name in (("total", "score"), ("win_share", "win")):
            fit = sm.OLS(seats[outcome].to_numpy().astype(float), sm.add_constant(built.astype(float))).fit(
                cov_type="cluster", cov_kwds={"groups": seats["game"].to_numpy(), "use_correction": False}
            )
            assert ours[f"{name}_difference"] == pytest.approx(fit.params[1], rel=1e-6)
            games = owners["game"].n_unique()
            width = ours[f"{name}_difference_high"] - ours[f"{name}_difference_low"]  # type: ignore[operator]
            assert width == pytest.approx(2 * 1.961 * fit.bse[1] * math.sqrt(games / (games - 1)), rel=1e-3)


def test_only_planted_effects_are_found(seats: pl.DataFrame) -> None:
    table = data.cards(seats).frame
    found = set(table.filter(pl.col("score_q") < 0.01)["card"])
    assert found == {"Card 00", "Card 03"}
    best = row(data.cards(seats), card="Card 00")
    assert best["score_difference_low"] < 3 < best["score_difference_high"]  # type: ignore[operator]
    assert data.wonders(seats, by=["wonder"]).frame.filter(pl.col("q") < 0.01)["wonder"].to_list() == ["Alexandria"]
    assert stats.policies(seats).frame["policy"].to_list()[-1] == "random"


@pytest.mark.slow
def test_false_discoveries_stay_rare() -> None:
    any_found = 0
    for seed in range(100):
        table = data.cards(seats_table(150, cards=CARDS[:30], seed=seed)).frame
        any_found += table.filter(pl.col("win_q") < 0.1).height > 0
    assert any_found <= 21  # of 100 where 10 are expected: 21 or more have a chance of 1 in 1,000


@pytest.mark.slow
def test_the_interval_of_a_card_difference_covers_the_truth() -> None:
    covered = 0
    for seed in range(200):
        table = data.cards(seats_table(80, cards=FEW[:1], card_points=(3.0,), seed=seed, game_spread=6))
        one = table.frame.row(0, named=True)
        covered += one["score_difference_low"] <= 3 <= one["score_difference_high"]
    assert 178 <= covered <= 199  # 0.9998 of a binomial with 0.95


# --- any order, any filter, any batch ------------------------------------------------------------------------------


def test_fast_and_general_path_agree(seats: pl.DataFrame) -> None:
    """An extra row in the last game makes its batches ragged; the tables must equal those without the extra row."""
    whole = GameBatch.of(seats.select("game", "total", "seat"))
    assert whole.rows_a_game == 4
    general = GameBatch(whole.frame, whole.starts, None)
    values = np.stack([whole.column("total"), whole.column("total") ** 2])
    np.testing.assert_allclose(whole.sums(values), general.sums(values), rtol=1e-13)
    codes = seats["seat"].to_numpy().astype(np.int64)
    np.testing.assert_array_equal(whole.sums_by(codes, 4), general.sums_by(codes, 4))


@first_quick(1, "make", [data.wonders, stats.policies, data.cards, stats.matchups, stats.crowding])
def test_row_order_and_frame_type_do_not_matter(seats: pl.DataFrame, make: object, tmp_path: Path) -> None:
    assert callable(make)
    part = seats.head(4 * 500)
    expected = make(part).frame
    path = tmp_path / "seats.parquet"
    part.write_parquet(path, row_group_size=333)
    for other in (shuffled(part), shuffled(part).lazy(), pl.scan_parquet(path)):
        assert_frame_equal(make(other).frame, expected, rel_tol=1e-9)


def test_filtered_games_may_have_different_numbers_of_rows(seats: pl.DataFrame) -> None:
    part = seats.filter(pl.col("policy").is_in(["random", "science"]))
    ours = row(data.cards(part), card="Card 00")
    built = part["built:Card 00"].to_numpy()
    expected = data.clustered_difference(part["total"].to_numpy(), built, part["game"].to_numpy())
    assert ours["score_difference"] == pytest.approx(expected.value[0])
    assert ours["score_difference_low"] == pytest.approx(expected.low[0], rel=1e-9)


@pytest.mark.parametrize("rows", [1, 10, 4 * 7, 100_000])
def test_batches_consist_of_whole_games_of_any_size(seats: pl.DataFrame, rows: int) -> None:
    part = seats.select("game", "seat").head(4 * 50 - 2)
    found = list(batches(part.lazy(), ["seat"], rows=rows))
    assert_frame_equal(pl.concat([batch.frame for batch in found]), part)
    games = [number for batch in found for number in batch.frame["game"].unique()]
    assert len(games) == len(set(games)) == 50
    assert sum(batch.games for batch in found) == 50


def test_extent_counts_games_and_detects_disorder(seats: pl.DataFrame) -> None:
    lazy = seats.lazy()
    assert (extent(lazy).games, extent(lazy).rows, extent(lazy).in_order) == (3000, 12_000, True)
    assert extent(lazy.head(0)).games == 0
    assert not extent(lazy.reverse()).in_order


def test_a_seat_of_rank_0_is_not_a_player() -> None:
    duo = seats_table(200, 3, cards=FEW).with_columns(
        rank=pl.when(pl.col("seat") == 2).then(pl.lit(0, pl.UInt8)).otherwise("rank"),
        win_share=pl.when(pl.col("seat") == 2).then(0.0).otherwise("win_share"),
    )
    table = stats.factor(duo, "seat").frame
    assert table["seat"].sort().to_list() == [0, 1]
    assert (table["fair_share_ratio"] / table["win_share"]).to_list() == pytest.approx([2, 2])


def test_fair_share_ratios_of_teams_are_relative_to_teams() -> None:
    frame = seats_table(300, 4, cards=FEW)
    frame = frame.with_columns(team=pl.col("seat") // 2).with_columns(pl.col("win_share").sum().over("game", "team"))
    assert stats.factor(frame, "team").frame["fair_share_ratio"].mean() == pytest.approx(1)


# --- degenerate tables ----------------------------------------------------------------------------------------------


def test_no_rows_and_one_game_give_nulls_not_numbers(seats: pl.DataFrame) -> None:
    empty = seats.head(0)
    assert data.wonders(empty).frame.height == 0
    cards = data.cards(empty).frame
    assert cards["card"].sort().to_list() == list(FEW)
    assert cards["win_share"].null_count() == cards["score_low"].null_count() == len(FEW)
    one = data.cards(seats.head(4)).frame
    assert one["score_low"].null_count() == one["win_difference_low"].null_count() == len(FEW)
    assert not any(one[name].is_nan().any() for name, kind in one.schema.items() if kind.is_float())
    single = stats.policies(seats.head(4)).frame
    assert single["score_low"].null_count() == single.height


def test_a_card_that_was_never_built_is_listed_without_numbers(seats: pl.DataFrame) -> None:
    one = row(data.cards(seats.with_columns(pl.lit(False).alias("built:Card 05"))), card="Card 05")
    assert (one["n"], one["win_share"], one["score_difference"], one["win_q"]) == (0, None, None, None)
    assert one["score_not"] == pytest.approx(seats["total"].mean())


def test_mistakes_are_named(seats: pl.DataFrame) -> None:
    with pytest.raises(UserError, match=r"no column 'wondr'.*did you mean 'wonder'"):
        data.wonders(seats, by=["wondr"])
    with pytest.raises(UserError, match="at least one column"):
        stats.factor(seats, [])
    with pytest.raises(UserError, match="built:NAME"):
        data.cards(seats.select("game", "seat", "team", "win_share", "total"))
    with pytest.raises(UserError, match="between 0 and 1"):
        data.cards(seats, level=95)


# --- groups, descriptions, several runs -----------------------------------------------------------------------------


def test_cards_by_a_column_match_the_tables_of_its_levels(seats: pl.DataFrame) -> None:
    by_policy = data.cards(seats, by="policy").frame
    one = data.cards(seats.filter(pl.col("policy") == "science")).frame
    expected = one.drop("win_q", "score_q").sort("card")
    ours = by_policy.filter(pl.col("policy") == "science").drop("policy", "win_q", "score_q").sort("card")
    assert_frame_equal(ours, expected)
    assert by_policy["policy"].dtype == seats["policy"].dtype


def test_facts_about_a_card_are_in_its_row(seats: pl.DataFrame) -> None:
    frame = data.cards(seats, about={"Card 03": {"age": 3, "color": "blue"}}).frame
    assert frame.columns[:3] == ["card", "age", "color"]
    assert frame.filter(pl.col("age") == 3)["card"].to_list() == ["Card 03"]


def test_observational_tables_say_so(seats: pl.DataFrame) -> None:
    assert "Observational" in data.cards(seats).note
    assert "wsim whatif" in data.cards(seats).note


def test_a_table_read_in_ranges_is_the_same(seats: pl.DataFrame, monkeypatch: pytest.MonkeyPatch) -> None:
    backwards = seats.sort("game", descending=True, maintain_order=True)
    whole = [data.wonders(table).frame for table in (seats, backwards)]
    monkeypatch.setattr(games, "RANGE_ROWS", 1000)
    for table, expected in zip((seats, backwards), whole, strict=True):
        assert_frame_equal(data.wonders(table).frame, expected)
        assert extent(table.lazy()).rows == seats.height
