"""The seats and picks tables: columns, types, meaning."""

from __future__ import annotations

import numpy as np
import polars as pl

from tests.babel.tools import played, table
from wsim import stats
from wsim.babel import analysis
from wsim.babel.frames import PICK_COLUMNS, SEAT_COLUMNS
from wsim.babel.words import DECISIONS

LINE_UP = ("builder", "supplier", "random", "random")


def test_seats_frame() -> None:
    of = table(policies=LINE_UP, options={"two_colour_discs": "on"}, rotate=True)
    rows = played(of, 50)
    frame = of.seats_frame(rows)
    plain = [name for name in frame.columns if ":" not in name]
    assert plain == [name for name in SEAT_COLUMNS if not name.endswith(":")]
    flags = [name for name in frame.columns if ":" in name]
    assert len(flags) == 20 + 8 + 7  # with two-colour discs: 4 numbers of each kind and 4 others, wonders, rows
    assert {"disc:camel 2 + stonemason 3", "won:Tower of Babel", "won_row:7"} <= set(flags)
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
    labels = frame.select(pl.sum_horizontal("^disc:.*$")).to_series()
    assert (labels <= discs).all()
    assert ((labels > 0) == (discs > 0)).all()
    for prefix in ("won:", "won_row:"):
        assert frame.select(pl.sum_horizontal(f"^{prefix}.*$")).to_series().to_list() == frame["wonders_won"].to_list()
    games = frame.group_by("game", maintain_order=True).agg(
        pl.col("builds").n_unique().alias("kinds"),
        pl.col("builds").first(),
        pl.col("builds_led").sum(),
        pl.col("starter").sum(),
    )
    assert games["kinds"].to_list() == [1] * 80
    assert games["builds"].to_list() == games["builds_led"].to_list()
    assert games["starter"].to_list() == [1] * 80
    assert (frame["wonders_won"] <= frame["wonders_completed"]).all()


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


def test_tables_of_a_run() -> None:
    of = table(
        policies=("builder", "supplier", "collector", "majority"), options={"two_colour_discs": "on"}, rotate=True
    )
    frame = of.seats_frame(played(of, 500))
    tables = {
        "policies": stats.policies(frame),
        "wonders": analysis.wonders(frame),
        "rows": analysis.value_rows(frame),
        "discs": analysis.discs(frame),
        "cards": analysis.action_cards(frame),
    }
    heights = {name: made.frame.height for name, made in tables.items()}
    assert heights == {"policies": 4, "wonders": 8, "rows": 7, "discs": 20, "cards": 7}
    for made in tables.values():
        assert made.title
        known = made.frame.filter(pl.col("n") > 50)
        assert ((known["win_share_low"] <= known["win_share"]) & (known["win_share"] <= known["win_share_high"])).all()
    won = dict(tables["wonders"].frame.select("wonder", "n").iter_rows())
    assert won["Tower of Babel"] == frame["won:Tower of Babel"].sum()
    drawn = dict(tables["cards"].frame.select("card", "n").iter_rows())
    assert drawn["joker"] == (frame["drawn_joker"] > 0).sum()
    owned = tables["discs"].frame.filter(disc="ship 4").row(0, named=True)
    assert owned["n"] == frame["disc:ship 4"].sum()
    sources = [
        f"points_{name}" for name in ("wonders", "unfinished_wonders", "refused_offers", "disc_sets", "action_cards")
    ]
    assert set(sources) <= set(tables["policies"].frame.columns)
