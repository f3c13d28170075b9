"""Metrics: their meaning and notation, and agreement of their sums with the table."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from tests.games.medal_game import GAME
from wsim.errors import UserError
from wsim.lab.plan import Plan
from wsim.questions.metrics import Metric, group_metrics, owned_metrics, sums_of
from wsim.questions.metrics import parse_metric as parse

GAMES = 300
OWNED = {"built:": "card"}


def parse_metric(name: str, seats: pl.DataFrame) -> Metric:
    return parse(name, seats, OWNED)


@pytest.fixture
def seats(medal: None) -> pl.DataFrame:
    table = GAME.prepare(Plan.make(game="medal"))
    rows = np.zeros(GAMES * 4, table.row_dtype)
    table.play(0, rows)
    return table.seats_frame(rows)


OWNERS = pl.col("built:Medal")
TRUTHS = {
    "score": pl.col("total").mean(),
    "win": pl.col("win_share").mean(),
    "score:Garden": pl.col("total").filter(pl.col("wonder") == "Garden").mean(),
    "win:shy": pl.col("win_share").filter(pl.col("policy") == "shy").mean(),
    "win:SHY": pl.col("win_share").filter(pl.col("policy") == "shy").mean(),
    "owner:Medal": pl.col("win_share").filter(OWNERS).mean(),
    "winner:medal": pl.col("win_share").filter(OWNERS).sum() / GAMES,
    "built:Medal": OWNERS.mean(),
    "total:Temple": pl.col("total").filter(pl.col("wonder") == "Temple").mean(),
}


@pytest.mark.parametrize("name", TRUTHS)
def test_a_metric_is_the_ratio_of_its_sums(seats: pl.DataFrame, name: str) -> None:
    sums = sums_of(seats, 4, [parse_metric(name, seats)], np.ones(4, bool)).sum(axis=0)[0]
    assert sums[0] / sums[1] == pytest.approx(seats.select(TRUTHS[name].cast(pl.Float64)).item(), rel=1e-6)


def test_a_metric_counts_only_its_seats(seats: pl.DataFrame) -> None:
    sums = sums_of(seats, 4, [parse_metric("score", seats)], np.array([False, False, True, False])).sum(axis=0)[0]
    assert sums[1] == GAMES
    assert sums[0] / sums[1] == pytest.approx(seats.filter(seat=2)["total"].mean())


def test_the_free_city_is_not_counted(seats: pl.DataFrame) -> None:
    ranked = seats.with_columns(rank=pl.when(pl.col("seat") == 3).then(0).otherwise(1))
    sums = sums_of(ranked, 4, [parse_metric("score", ranked)], np.ones(4, bool)).sum(axis=0)[0]
    assert sums[1] == 3 * GAMES


def test_group_and_card_metrics(seats: pl.DataFrame) -> None:
    names = [metric.name for metric in group_metrics(("win",), seats)]
    assert names == ["win:Colossus", "win:Garden", "win:Temple", "win:bold", "win:shy"]
    assert [metric.name for metric in owned_metrics(["Medal", "Nothing"], seats, OWNED)] == [
        "built:Medal", "owner:Medal", "winner:Medal",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("scores", "unknown metric 'scores'; accepted: score, win, owner:CARD, winner:CARD"),
        ("owner:Meddal", "unknown card 'Meddal' (did you mean 'Medal'?)"),
        (
            "score:Gardn",
            "no wonder or policy is called 'Gardn' (did you mean 'Garden'?); accepted: Colossus, ",
        ),
        ("wonder", "unknown metric 'wonder'; accepted: score, win, owner:CARD, winner:CARD"),
        ("game", "unknown metric 'game'"),
        ("", "unknown metric ''"),
    ],
)
def test_unknown_metrics_are_reported(seats: pl.DataFrame, name: str, sentence: str) -> None:
    with pytest.raises(UserError) as refused:
        parse_metric(name, seats)
    assert str(refused.value).startswith(sentence)


def test_a_table_without_cards_says_so(seats: pl.DataFrame) -> None:
    with pytest.raises(UserError, match="the seats table of this game has no columns of cards"):
        parse_metric("owner:Medal", seats.drop("built:Medal"))


def test_estimands_are_described_in_words(seats: pl.DataFrame) -> None:
    said = {name: parse_metric(name, seats).estimand() for name in ("score", "win:shy", "owner:medal", "winner:Medal")}
    assert said == {
        "score": "mean score of all seats",
        "win:shy": "mean win share of the seats with policy shy",
        "owner:medal": "win share of the seats that own Medal at the end",
        "winner:Medal": "share of games won by an owner of Medal",
    }


def test_different_seats_are_distinguished_if_equally_many_count(seats: pl.DataFrame) -> None:
    """Seat 1 instead of seat 0: one owner in either table, and another one; a metric per game concerns nobody."""
    one = seats.with_columns(pl.col("seat").eq(0).alias("built:Medal"))
    other = seats.with_columns(pl.col("seat").eq(1).alias("built:Medal"))
    metrics = [parse_metric("owner:Medal", seats), parse_metric("winner:Medal", seats)]
    here, there = (sums_of(frame, 4, metrics, np.ones(4, bool)) for frame in (one, other))
    assert (here[:, 0, 1] == there[:, 0, 1]).all()
    assert here[:, 0, 2].tolist() == [1.0] * GAMES
    assert there[:, 0, 2].tolist() == [2.0] * GAMES
    assert (here[:, 1, 1:] == [1.0, 0.0]).all()
