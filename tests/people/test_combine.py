"""Combining: the mathematics against numerical integration and statsmodels, calibration by simulation, the command."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy.integrate import quad  # type: ignore[import-untyped]
from scipy.special import ndtr  # type: ignore[import-untyped]
from scipy.stats import norm, t  # type: ignore[import-untyped]
from statsmodels.stats.meta_analysis import combine_effects  # type: ignore[import-untyped]

import wsim
from tests.conftest import Command
from wsim.people.combine import estimate
from wsim.people.combine.estimate import combine

SCALE = 0.012  # of win shares, about the player SD of net
ROWS = 14
SPREAD = 0.4330  # of a win of one seat of four


@pytest.fixture(autouse=True)
def fast_normal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Replace wsim's normal distribution by scipy's faster one, with which it agrees (tests/stats)."""
    monkeypatch.setattr(estimate, "normal_cdf", lambda values: ndtr(values))


@pytest.mark.parametrize("offset", [False, True])
def test_the_grid_agrees_with_numerical_integration(offset: bool) -> None:
    rng = np.random.default_rng(3)
    simulated, simulated_error, errors = (
        rng.normal(0.25, 0.03, 6),
        np.full(6, 0.002),
        np.array([2, 3, 4, 5, 6, 3]) / 100,
    )
    people = simulated + rng.normal(0, 0.05, 6)

    def given(distance: float) -> tuple[float, float]:
        total = errors**2 + simulated_error**2 + distance**2
        weight = 1 / total
        shift = (weight @ (people - simulated)) / weight.sum() if offset else 0.0
        like = norm.pdf(people - simulated, shift, np.sqrt(total)).prod() * (weight.sum() ** -0.5 if offset else 1.0)
        kept = errors[0] ** 2 / total[0]
        mean = kept * (simulated[0] + shift) + (1 - kept) * people[0]
        return like * t.pdf(distance / (SCALE * estimate.ESTIMATE_SCALE), 4), mean

    whole = quad(lambda distance: given(distance)[0], 0, 1, points=[0.01, 0.05, 0.1], limit=200)[0]
    value = quad(lambda distance: np.prod(given(distance)), 0, 1, points=[0.01, 0.05, 0.1], limit=200)[0] / whole
    found = combine(simulated, simulated_error, people, errors, SCALE, offset=offset)
    assert found.value[0] == pytest.approx(value, abs=2e-4)


def test_the_distance_over_many_rows_matches_a_library() -> None:
    """With many rows the prior no longer matters: the distance is the random-effects variance of a meta-analysis."""
    rng = np.random.default_rng(4)
    errors = rng.uniform(0.01, 0.04, 400)
    simulated = rng.normal(0.25, 0.03, 400)
    people = simulated + rng.normal(0.02, 0.05, 400) + rng.normal(0, errors)
    library = combine_effects(people - simulated, errors**2, method_re="iterated")
    found = combine(simulated, np.zeros(400), people, errors, SCALE, offset=True)
    assert found.distance == pytest.approx(np.sqrt(library.tau2), rel=0.05)


def test_combined_estimates_have_the_right_limits() -> None:
    simulated, people, none = np.array([0.2, 0.3, 0.25]), np.array([0.3, 0.2, 0.25]), np.zeros(3)
    sure = combine(simulated, none, people, np.full(3, 1e-4), SCALE)
    assert np.allclose(sure.value, people, atol=1e-4)
    assert (sure.share > 0.99).all()
    nobody = combine(simulated, none, np.zeros(3), np.full(3, np.inf), SCALE)
    assert np.allclose(nobody.value, simulated)
    assert np.allclose(nobody.share, 0)
    assert ((nobody.low < simulated) & (simulated < nobody.high)).all()


def tables(games: int, distance: float, tables_drawn: int) -> Iterator[dict[str, float]]:
    """Yield combined results for random tables in which people differ from the simulation by ``distance`` scales."""
    rng = np.random.default_rng([games, int(distance * 10)])
    shape = (tables_drawn, ROWS)
    simulated, simulated_error = rng.normal(0.25, 0.03, shape), np.full(shape, 0.002)
    truth = simulated + np.hypot(distance * SCALE, 0.002) * rng.standard_normal(shape)
    error = SPREAD / np.sqrt(games * 4 / ROWS)
    halves = [truth + np.sqrt(2) * error * rng.standard_normal(shape) for _ in range(2)]
    people = (halves[0] + halves[1]) / 2
    found = combine(simulated, simulated_error, people, np.full(shape, error), SCALE)
    half = combine(simulated, simulated_error, halves[0], np.full(shape, np.sqrt(2) * error), SCALE)
    reach = 1.96 * np.hypot(half.sd, np.sqrt(2) * error)
    best = min(((simulated - truth) ** 2).mean(), ((people - truth) ** 2).mean())
    yield {
        "ratio": float(((found.value - truth) ** 2).mean() / best),
        "true": float(((found.low <= truth) & (truth <= found.high)).mean()),
        "held_back": float((np.abs(halves[1] - (half.low + half.high) / 2) <= reach).mean()),
    }


@pytest.mark.parametrize(
    ("games", "distance"),
    [pytest.param(games, distance, marks=[] if games == 200 and distance == 1 else [pytest.mark.slow])
     for games in (40, 200, 1000, 5000) for distance in (0.5, 1, 2, 4)],
)  # fmt: skip
def test_combining_is_calibrated_and_never_much_worse_than_the_better_side(games: int, distance: float) -> None:
    """This checks the table in docs/people.md on random tables; the bounds allow for 2.5 standard errors."""
    (found,) = tables(games, distance, 200)
    print(games, distance, {name: round(value, 3) for name, value in found.items()})
    assert found["ratio"] <= 1.05
    assert 0.93 - 0.01 <= found["held_back"] <= 0.97 + 0.008
    assert found["true"] >= 0.88


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Create a study, and a sheet of games by a different policy that stand in for people's games."""
    from wsim.lab.plan import Plan
    from wsim.lab.run import record
    from wsim.people.importing import import_files
    from wsim.people.question import ImportOptions

    folder = tmp_path_factory.mktemp("combine")
    record(Plan.make(games=2000, policies="balanced"), folder / "study")
    record(Plan.make(games=2000, policies="balanced", set=["wonders.Rhodos.sides.A.1.points=9"]), folder / "patched")
    for name, changes in (("people", []), ("patched-people", ["wonders.Rhodos.sides.A.1.points=9"])):
        sheet = wsim.simulate(policies="rulebased", games=300, seed=5, set=changes)
        cards = [column for column in sheet.columns if column.startswith("built:")]
        built = [
            "; ".join(card.removeprefix("built:") for card in cards if row[card])
            for row in sheet.select(cards).iter_rows(named=True)
        ]
        columns = ["game", "wonder", "side", "total", "win_share"]
        recorded = sheet.select(columns).rename({"win_share": "share"})
        recorded.with_columns(built=pl.Series(built)).write_csv(folder / f"{name}.csv")
        plan = Plan.make(set=changes)
        import_files(ImportOptions(files=(str(folder / f"{name}.csv"),), out=str(folder / name)), plan)
    return folder


@pytest.mark.slow
def test_the_command_and_the_function_agree(
    runs: Path, wsim_command: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(runs)
    shown = wsim_command("people", "combine", "study", "people", "--json")
    assert (shown.code, shown.err) == (0, "")
    rows = json.loads(shown.out)["rows"]
    assert len(rows) == 14
    for row in rows:
        inside = (
            min(row["simulated"], row["people"]) - 1e-6
            <= row["combined"]
            <= max(row["simulated"], row["people"]) + 1e-6
        )
        assert inside
        assert row["combined_low"] < row["combined"] < row["combined_high"]
    score = wsim.combine("study", "people", metric="score", by=("wonder",))
    assert score.rows.height == 7
    level = score.rows["combined"].to_numpy().mean() - wsim.load_run("people").to_polars()["total"].to_numpy().mean()
    assert abs(level) < 3
    assert score.again().identical


@pytest.mark.slow
def test_cards_recorded_by_people_are_combined(
    runs: Path, wsim_command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(runs)
    shown = wsim_command("people", "combine", "study", "people", "--by", "card")
    assert (shown.code, shown.err) == (0, "")
    assert "seats that built each card minus that of the other seats" in shown.out
    assert "Observational" in shown.out
    for metric in ("win", "score"):
        answer = wsim.combine("study", "people", by=("card",), metric=metric)
        assert (answer.noun, answer.reference, answer.again().identical) == ("card", 0, True)
        theirs = {row["card"]: row for row in wsim.load_run("people").cards().frame.iter_rows(named=True)}
        spreads = []
        for row in answer.rows.iter_rows(named=True):
            own = theirs[row["card"]]
            assert row["n"] == own["n"]
            if own["n"]:
                assert row["people"] == pytest.approx(own[f"{metric}_difference"], abs=2e-6)
            if own["n"] > 200:
                clustered = own[f"{metric}_difference_high"] - own[f"{metric}_difference_low"]
                spreads.append((row["people_high"] - row["people_low"]) / clustered)
        assert np.median(spreads) == pytest.approx(1, abs=0.12)


@pytest.mark.slow
def test_gaps_in_built_cards_do_not_mean_no_cards(runs: Path, tmp_path: Path) -> None:
    from wsim.lab.plan import Plan
    from wsim.people.importing import import_files
    from wsim.people.question import ImportOptions

    sheet = pl.read_csv(runs / "people.csv").head(40)
    gaps = sheet.with_columns(built=pl.when(pl.col("game") != sheet["game"][0]).then("built"))
    gaps.write_csv(tmp_path / "gaps.csv")
    import_files(ImportOptions(files=(str(tmp_path / "gaps.csv"),), out=str(tmp_path / "gaps")), Plan.make())
    with pytest.raises(wsim.UserError, match="people did not record which cards they built"):
        wsim.combine(str(runs / "study"), str(tmp_path / "gaps"), by=("card",))


@pytest.mark.slow
def test_a_patch_difference_is_combined(runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(runs)
    answer = wsim.combine("patched", "patched-people", metric="score", before="study", before_people="people")
    assert answer.difference
    rows = {f"{row['wonder']} {row['side']}": row for row in answer.rows.iter_rows(named=True)}
    assert rows["Rhodos A"]["combined"] == max(row["combined"] for row in rows.values())
    assert rows["Rhodos A"]["verdict"] == "higher"


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("study", "study"), "was played by policies: people's games come from wsim import"),
        (("people", "people"), "the study must be a simulated run"),
        (("study", "nothing"), "does not exist"),
        (("study", "people", "--metric", "wins"), "metric must be win or score, not 'wins' (did you mean 'win'?)"),
        (("study", "people", "--distance", "0"), "distance must be larger than 0"),
        (("study", "people", "--by", "wunder"), "the table has no column 'wunder'"),
        (("study", "people", "--by", "card,side"), "cards are combined separately: --by card, not card,side"),
        (("study", "people", "--before", "study"), "needs both --before and --before-people"),
    ],
)
def test_invalid_questions_are_rejected(
    runs: Path, wsim_command: Command, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], why: str
) -> None:
    monkeypatch.chdir(runs)
    refused = wsim_command("people", "combine", *words)
    assert (refused.code, why in refused.err) == (2, True), refused.err
