"""The seats and picks tables: columns, types, meaning."""

from __future__ import annotations

import numpy as np
import polars as pl

from tests.babel_tools import played, table
from wsim.babel.layout import DECISIONS
from wsim.babel.rows import PICK_COLUMNS, SEAT_COLUMNS

LINE_UP = ("builder", "supplier", "random", "random")


def test_seats_frame() -> None:
    of = table(policies=LINE_UP, options={"two_colour_discs": "on"}, rotate=True)
    rows = played(of, 50)
    frame = of.seats_frame(rows)
    assert frame.columns == list(SEAT_COLUMNS)
    assert frame.height == 200
    assert frame["game"].to_list() == [game for game in range(50) for _ in range(4)]
    types = {"game": pl.UInt64, "seat": pl.UInt8, "win_share": pl.Float32, "rank": pl.UInt8, "total": pl.Int16}
    assert {name: frame.schema[name] for name in types} == types
    assert frame["policy"].dtype == pl.Enum(["builder", "supplier", "random"])  # equal entries are one policy
    assert frame.filter(pl.col("game") == 0)["policy"].to_list() == list(LINE_UP)
    assert frame.filter(pl.col("game") == 1)["policy"].to_list() == [*LINE_UP[1:], LINE_UP[0]]
    assert frame.null_count().sum_horizontal().item() == 0


def test_seats_frame_counts() -> None:
    of = table(options={"two_colour_discs": "on"})
    frame = of.seats_frame(played(of, 80))
    discs = frame.select(pl.sum_horizontal("^discs_(camel|crane|ship|stonemason|two_colour)$")).to_series()
    assert (discs.to_numpy() == np.bitwise_count(frame["discs_owned"].to_numpy())).all()
    games = frame.group_by("game", maintain_order=True).agg(
        pl.col("builds").n_unique().alias("kinds"),
        pl.col("builds").first(),
        pl.col("builds_led").sum(),
        pl.col("starter").sum(),
    )
    assert games["kinds"].to_list() == [1] * 80
    assert games["builds"].to_list() == games["builds_led"].to_list()
    assert games["starter"].to_list() == [1] * 80
    assert frame["completed_count"].max() is not None
    assert (frame["wonders_won_count"] <= frame["completed_count"]).all()


def test_picks_frame() -> None:
    of = table(policies=LINE_UP, rotate=True)
    rows = np.zeros(200, of.row_dtype)
    picks = np.zeros(50 * of.picks_per_game, of.pick_dtype)
    frame = of.picks_frame(picks[: of.play(0, rows, picks)])
    assert frame.columns == list(PICK_COLUMNS)
    assert set(frame["decision"].unique()) == set(DECISIONS) - {"bluff"}
    turns = frame.filter(decision="turn")
    assert (turns["wonder"].is_not_null() == turns["accepted"]).all()
    assert (turns["disc"].is_not_null() == turns["accepted"]).all()
    offers = frame.filter(decision="offer")
    assert offers.select(pl.col("disc", "cards", "trade").is_null().any()).row(0) == (False, False, False)
    assert offers.filter("trade")["cards"].min() == 1  # A5
    assert frame.filter(pl.col("decision") != "offer")["trade"].null_count() == frame.height - offers.height
    joined = frame.join(of.seats_frame(rows).select("game", "seat", "policy"), on=["game", "seat"], how="left")
    assert (joined["policy"] == joined["policy_right"]).all()


def test_an_empty_picks_frame_has_the_same_columns() -> None:
    of = table()
    assert of.picks_frame(np.zeros(0, of.pick_dtype)).columns == list(PICK_COLUMNS)
