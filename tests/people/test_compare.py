"""People compared with policies: clustered errors against a library, comparisons and calibration of runs of people."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import statsmodels.api as sm  # type: ignore[import-untyped]

import wsim
from tests.conftest import Command
from wsim.lab.plan import Plan
from wsim.lab.run import record
from wsim.people.importing import import_files
from wsim.people.question import ImportOptions
from wsim.questions.compare.answer import _weights
from wsim.stats.clusters import clustered, clusterings_of
from wsim.stats.distributions import two_sided_p
from wsim.stats.intervals import benjamini_hochberg


def test_one_way_and_two_way_clustering_match_a_library() -> None:
    rng = np.random.default_rng(1)
    game, player = np.repeat(np.arange(60), 4), rng.integers(0, 15, 240)
    value = rng.normal(size=240) + rng.normal(size=60)[game] + 2 * rng.normal(size=15)[player]
    model = sm.OLS(value, np.ones(240))
    one = clustered(value[None], np.ones((1, 240)), [game])
    fit = model.fit(cov_type="cluster", cov_kwds={"groups": game, "use_correction": False})
    assert one.error[0] == pytest.approx(fit.bse[0] * np.sqrt(60 / 59))
    both = clustered(value[None], np.ones((1, 240)), [game, player])
    by_player = clustered(value[None], np.ones((1, 240)), [player])
    fit = model.fit(cov_type="cluster", cov_kwds={"groups": np.stack([game, player], 1), "use_correction": False})
    single = (((value - value.mean()) / 240) ** 2).sum()
    assert both.error[0] ** 2 == pytest.approx(one.error[0] ** 2 + by_player.error[0] ** 2 - single)
    assert both.error[0] == pytest.approx(fit.bse[0], rel=0.05)  # it has no correction for few clusters
    assert both.games[0] == 15


@pytest.mark.slow
def test_intervals_from_few_players_have_their_nominal_coverage() -> None:
    """Without clusters, the interval of 30 games of 8 friends would contain the truth in 73 of 100 groups."""
    rng = np.random.default_rng(2)
    inside = 0
    for _ in range(400):
        player = np.concatenate([rng.choice(8, 4, replace=False) for _ in range(30)])
        value = 50 + 6 * rng.normal(size=8)[player] + 7 * rng.normal(size=120)
        estimate = clustered(value[None], np.ones((1, 120)), [np.repeat(np.arange(30), 4), player])
        inside += bool(estimate.low[0] <= 50 <= estimate.high[0])
    assert 0.91 <= inside / 400 <= 0.98


def test_houses_replace_players_as_clusters() -> None:
    frame = pl.DataFrame(
        {"game": range(12), "player": ["P1"] * 12, "group": [f"G{number % 6}" for number in range(12)]}
    )
    enums = frame.with_columns(
        pl.col(name).cast(pl.Enum(frame[name].unique(maintain_order=True))) for name in ("player", "group")
    )
    assert clusterings_of(enums)[1] == "group"
    assert clusterings_of(enums.head(4))[1] == "game"


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("compare")
    record(Plan.make(games=3000, policies="balanced"), folder / "study")
    played = wsim.simulate(policies="balanced", games=400, seed=9)
    wanted = [
        "game",
        "wonder",
        "side",
        "total",
        "coins",
        *[name for name in played.columns if name.startswith("points_")],
    ]
    sheet = played.select(*wanted, player="game")
    sheet = sheet.with_columns(player=pl.Series([f"p{row % 41}" for row in range(sheet.height)]))
    sheet.write_csv(folder / "games.csv")
    import_files(ImportOptions(files=(str(folder / "games.csv"),), out=str(folder / "people")), Plan.make())
    return folder


@pytest.mark.slow
def test_people_who_play_like_the_policy_show_no_difference(
    runs: Path, monkeypatch: pytest.MonkeyPatch, wsim_command: Command
) -> None:
    monkeypatch.chdir(runs)
    shown = wsim_command("compare", "study", "people", "--json")
    assert (shown.code, shown.err) == (0, "")
    answer = json.loads(shown.out)
    assert "weighted to the same boards" in answer["how"]
    rows = {row["metric"]: row for row in answer["metrics"]}
    assert "points_science" in rows
    assert rows["score"]["n_second"] == 1600
    assert min(row["q"] for row in rows.values() if row["q"] is not None) > 0.01
    assert not answer["paired"]


def test_simulated_seats_are_weighted_to_the_boards_of_people() -> None:
    simulated = pl.DataFrame({"wonder": ["a", "a", "b", "c"]})
    people = pl.DataFrame({"wonder": ["a", "b", "b", "b"]})
    assert _weights(simulated, people, ["wonder"]).tolist() == [0.5, 0.5, 3, 0]


@pytest.mark.slow
def test_a_policy_is_calibrated_against_people(
    runs: Path, monkeypatch: pytest.MonkeyPatch, wsim_command: Command
) -> None:
    monkeypatch.chdir(runs)
    shown = wsim_command("calibrate", "study", "--against", "people", "--json")
    assert (shown.code, shown.err) == (0, "")
    rows = {(row["group"], row["figure"]): row for row in json.loads(shown.out)["rows"]}
    assert ("all", "shields") not in rows  # nobody recorded them
    own = wsim.load_run("people").to_polars()
    assert rows["all", "score"]["human"] == pytest.approx(own["total"].to_numpy().mean())
    best = own.sort("total", descending=True).group_by("game", maintain_order=True).agg(pl.col("total").head(2))
    margin = np.mean([totals[0] - totals[1] for totals in best["total"].to_list()])
    assert rows["game", "margin_first_second"]["human"] == pytest.approx(margin)
    assert min(row["q"] for row in rows.values() if row["q"] is not None) > 0.01  # the same policy
    assert "q" not in json.loads(wsim_command("calibrate", "study", "--json").out)["rows"][0]
    for words, why in (
        (("study", "--against", "study"), "people's games come from wsim import"),
        (("study", "--against", "nowhere"), "does not exist"),
    ):
        refused = wsim_command("calibrate", *words)
        assert (refused.code, why in refused.err) == (2, True), refused.err


@pytest.fixture(scope="module")
def several(runs: Path) -> Path:
    """People's games with seats and cards, for three and four players in one folder."""
    tables = []
    for players in (3, 4):
        played = wsim.simulate(players=players, policies="balanced", games=150, seed=4)
        cards = [name for name in played.columns if name.startswith("built:")]
        built = ["; ".join(c.removeprefix("built:") for c in cards if row[c]) for row in played.iter_rows(named=True)]
        sheet = played.select(pl.format("{}p-{}", pl.lit(players), "game").alias("game"), "seat", "total", "wonder")
        tables.append(sheet.with_columns(built=pl.Series(built)))
    pl.concat(tables).write_csv(runs / "several.csv")
    import_files(ImportOptions(files=(str(runs / "several.csv"),), out=str(runs / "several")), Plan.make())
    return runs


@pytest.mark.slow
def test_a_folder_with_several_numbers_of_players_is_accepted(
    several: Path, monkeypatch: pytest.MonkeyPatch, wsim_command: Command
) -> None:
    monkeypatch.chdir(several)
    answer = json.loads(wsim_command("compare", "study", "several", "--json").out)
    assert answer["runs"][1] == "several/1e-4p"
    rows = {row["metric"]: row for row in answer["metrics"]}
    assert {"score:seat 0", "win:seat 3", "built:Palace", "score:Gizah"} <= rows.keys()
    assert rows["score:seat 2"]["n_second"] == 150
    own = wsim.load_run("several/1e-4p").to_polars()
    assert rows["score:seat 2"]["second"] == pytest.approx(own.filter(pl.col("seat") == 2)["total"].to_numpy().mean())
    assert rows["built:Palace"]["second"] == pytest.approx(own["built:Palace"].to_numpy().mean())
    known = [row for row in rows.values() if row["q"] is not None]
    z = np.array([3.92 * row["difference"] / (row["difference_high"] - row["difference_low"]) for row in known])
    assert (z**2).mean() == pytest.approx(1, abs=0.35)  # the same policy on both sides
    assert np.array([row["q"] for row in known]) == pytest.approx(benjamini_hochberg(two_sided_p(z)), abs=0.02)
    assert rows["built:Excavation"]["second"] == 0.25  # built in each of the few games, which is no certainty
    assert wsim_command("compare", "several", "study", "--json", "--metric", "score:seat 1").code == 0
    assert wsim_command("calibrate", "study", "--against", "several").code == 0
    record(Plan.make(players=5, games=20, policies="random"), several / "five")
    for words, why in (
        (("compare", "five", "several"), "has no games of 1e with 5 players: it has 1e-3p, 1e-4p"),
        (("compare", "several", "several"), "both contain several runs: name one, such as several/1e-3p"),
        (("calibrate", "five", "--against", "several"), "has no games of 1e with 5 players: it has 1e-3p, 1e-4p"),
        (("compare", "study", "people", "--metric", "score:seat 1"), "no wonder or side is called 'seat 1'"),
    ):
        refused = wsim_command(*words)
        assert (refused.code, why in refused.err) == (2, True), refused.err
