"""The published figures of human play, and comparisons of runs with them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from tests.conftest import Command
from tests.stats.data import COUNTS, finish, seats_table
from wsim import stats
from wsim.errors import UserError
from wsim.wonders import analysis
from wsim.wonders.analysis.calibration import FIGURES, GAME_FIGURES, GROUPS


def one(table: stats.Table, group: str, figure: str) -> dict[str, Any]:
    return table.frame.filter((pl.col("group") == group) & (pl.col("figure") == figure)).row(0, named=True)


def test_every_human_figure_is_compared_at_every_number_of_players() -> None:
    human = analysis.human_figures()
    for players in range(3, 8):
        table = analysis.calibrate(seats_table(20, players, cards=())).frame
        assert table.height == human.filter(pl.col("players") == players).height == 3 * len(FIGURES) + len(GAME_FIGURES)
        assert table["human"].null_count() == table["human_sd"].null_count() == table["human_error"].null_count() == 0
        assert table["players"].unique().to_list() == [players]


def test_human_figures_match_the_published_means() -> None:
    human = analysis.human_figures().filter((pl.col("group") == "all") & (pl.col("stat") == "vp"))
    assert human["mean"].round(1).to_list() == [53.9, 52.8, 52.7, 53.0, 52.4]
    assert human["sd"].round(1).to_list() == [7.4, 7.9, 7.9, 8.0, 8.4]
    assert analysis.human_figures().filter(pl.col("players") == 4)["games"].max() == 3027


def test_calibration_figures_of_three_games_by_hand() -> None:
    totals = np.array([[60, 50, 40], [55, 55, 30], [44, 44, 44]])
    seats = pl.DataFrame(finish(totals)).with_columns(
        *(pl.lit(2, pl.Int16).alias(name) for name in COUNTS),
        *(pl.lit(1, pl.Int16).alias(f"points_{name}") for name in ("military", "treasury", "wonder", "civilian")),
        *(pl.lit(1, pl.Int16).alias(f"points_{name}") for name in ("science", "commerce", "guild")),
        # the second game's tie is broken by coins, the third's is not
        rank=pl.Series([1, 2, 3, 1, 2, 3, 1, 1, 1], dtype=pl.UInt8),
    )
    table = analysis.calibrate(seats)
    assert one(table, "all", "score")["simulated"] == pytest.approx(totals.mean())
    assert one(table, "winner", "score")["simulated"] == pytest.approx(np.mean([60, 55, 44, 44, 44]))
    assert one(table, "last", "score")["simulated"] == pytest.approx(np.mean([40, 30, 44, 44, 44]))
    assert one(table, "game", "margin_first_second")["simulated"] == pytest.approx(10 / 3)
    assert one(table, "game", "range_first_last")["simulated"] == pytest.approx((20 + 25 + 0) / 3)
    assert one(table, "game", "score_tie_for_first")["simulated"] == pytest.approx(2 / 3)
    assert one(table, "game", "shared_first")["simulated"] == pytest.approx(1 / 3)
    assert one(table, "all", "defeat_points")["simulated"] == -2
    assert one(table, "all", "coins_spent")["simulated"] == 4
    assert one(table, "all", "score")["simulated_sd"] == pytest.approx(totals.std(ddof=1))


def human_like(games: int, shift: float) -> pl.DataFrame:
    """Return four-player games with human-like scores and science, shifted by a number of human standard deviations."""
    rng = np.random.default_rng(1)
    human = analysis.human_figures().filter((pl.col("players") == 4) & (pl.col("group") == "all"))
    figures = {row["stat"]: row for row in human.iter_rows(named=True)}
    science, score = figures["sci_vp"], figures["vp"]
    totals = np.rint(rng.normal(score["mean"], score["sd"], (games, 4))).astype(np.int64)
    points = np.rint(rng.normal(science["mean"] + shift * science["sd"], science["sd"], 4 * games)).astype(np.int16)
    return seats_table(games, cards=()).with_columns(points_science=pl.Series(points), **finish(totals))


@pytest.mark.parametrize(("shift", "verdict"), [(0.0, "within"), (0.2, "within"), (0.4, "high"), (-0.4, "low")])
def test_verdicts_follow_from_interval_and_tolerance(shift: float, verdict: str) -> None:
    table = analysis.calibrate(human_like(3000, shift))
    science = one(table, "all", "science")
    assert science["verdict"] == verdict
    assert science["difference_sd"] == pytest.approx(shift, abs=0.06)
    assert science["difference_low"] < science["difference"] < science["difference_high"]
    assert one(table, "all", "score")["verdict"] == "within"
    assert "0.25 human standard deviations" in table.note


def test_the_tolerance_decides() -> None:
    seats = human_like(1000, 0.4)
    assert one(analysis.calibrate(seats, tolerance=0.6), "all", "science")["verdict"] == "within"
    with pytest.raises(UserError, match="larger than 0"):
        analysis.calibrate(seats, tolerance=0)


def test_order_of_rows_does_not_matter() -> None:
    seats = seats_table(200, 5, cards=())
    table, again = (
        analysis.calibrate(frame).frame for frame in (seats, seats.sample(fraction=1, shuffle=True, seed=2))
    )
    for name in ("simulated", "simulated_low", "simulated_sd"):
        assert again[name].to_numpy() == pytest.approx(table[name].to_numpy())
    assert set(table["group"]) == {*GROUPS, "game"}


def test_runs_without_human_counterparts_are_rejected() -> None:
    with pytest.raises(UserError, match="3 to 7 players, not for 2"):
        analysis.calibrate(seats_table(10, 2, cards=()))
    with pytest.raises(UserError, match="no column 'points_guild'"):
        analysis.calibrate(seats_table(10, 3, cards=()).drop("points_guild"))


def test_figures_fixed_by_the_rules_are_not_informative() -> None:
    table = analysis.calibrate(human_like(50, 0.0)).frame
    silent = table.filter(~pl.col("informative"))
    assert silent.select("group", "figure").rows() == [
        ("all", "military"), ("all", "victory_points"), ("all", "defeat_points"),
    ]  # fmt: skip
    with pytest.raises(UserError, match="no human results for team games"):
        analysis.calibrate(seats_table(20, 6, cards=()).with_columns(team=pl.col("seat") % 3))


@pytest.mark.slow
@pytest.mark.parametrize(("words", "sentence"), [
    ("--ruleset 2e --players 3", "the human results are from the first edition"),
    ("--ruleset 1e-duo --players 2", "the human results are from the first edition"),
])  # fmt: skip
def test_only_settings_that_humans_played_are_compared(
    wsim_command: Command, tmp_path: Path, words: str, sentence: str
) -> None:
    run = str(tmp_path / "run")
    assert (
        wsim_command("run", "--games", "20", "--out", run, "--policies", "random", "--quiet", *words.split()).code == 0
    )
    answer = wsim_command("calibrate", run)
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith(f"wsim: {sentence}")


@pytest.mark.slow
def test_a_changed_card_is_named_next_to_the_verdicts(wsim_command: Command, tmp_path: Path) -> None:
    run = str(tmp_path / "run")
    played = wsim_command(
        *("run", "--games", "20", "--out", run, "--policies", "random", "--quiet", "--set", "cards.Altar.points=9")
    )
    assert "Observational: " in played.out
    note = wsim_command("calibrate", run).out.splitlines()[-1]
    assert note.startswith("This run uses different cards or rules from the human games. Verdict: ")
