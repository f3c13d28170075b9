"""Planning: chances against simulation, printable schedules, and whether a patch is worth playtesting."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import wsim
from tests.conftest import Command
from wsim.lab.plan import Plan
from wsim.lab.run import record
from wsim.people.evidence import Evidence
from wsim.people.importing import import_files
from wsim.people.planning.answer import clear_chance, posterior_variance, schedule_of
from wsim.people.question import ImportOptions


def rows(count: int, wonders: int) -> Evidence:
    names = pl.DataFrame({"wonder": [f"w{row % wonders}" for row in range(count)], "side": ["A"] * count})
    zero = np.zeros(count)
    return Evidence(
        names, np.full(count, 0.25), zero, zero, np.full(count, np.inf), zero.astype(int),
        np.full(count, 0.1875), 0.25, 0.01, "", 1.0, 0,
    )  # fmt: skip


def test_the_chance_of_a_clear_result_matches_simulated_evenings() -> None:
    rng = np.random.default_rng(1)
    middle, variance, seats = 0.31, 0.04**2, 300.0
    both = rows(1, 1)
    truth = rng.normal(middle, np.sqrt(variance), 200_000)
    seen = truth + rng.normal(0, np.sqrt(0.1875 / seats), len(truth))
    after = posterior_variance(np.array([variance]), both.seat_variance, np.array([seats]))[0]
    estimate = after * (middle / variance + seen * seats / 0.1875)
    clear = (np.abs(estimate - 0.25) > 1.959964 * np.sqrt(after)).mean()
    chance = clear_chance(np.array([middle]), np.array([variance]), both, np.array([seats]), 0.95)[0]
    assert chance == pytest.approx(clear, abs=0.005)


def test_a_schedule_prefers_the_least_known_boards_without_repeating_a_wonder() -> None:
    both = rows(14, 7)
    variance = np.linspace(0.001, 0.01, 14)
    plan, seats = schedule_of(both, variance, 4, 6)
    for game in plan:
        assert len({both.names["wonder"][row] for row in game}) == 4
    assert seats.sum() == 24
    assert seats[13] == seats.max()
    assert seats[0] == 0


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("planning")
    record(Plan.make(games=2000, policies="balanced"), folder / "study")
    record(Plan.make(games=2000, policies="balanced", set=["wonders.Rhodos.sides.A.1.points=40"]), folder / "patched")
    record(Plan.make(games=2000, policies="balanced", set=["cards.Altar.points=3"]), folder / "little")
    sheet = wsim.simulate(policies="rulebased", games=60, seed=5)
    sheet.select("game", "wonder", "side", "total").write_csv(folder / "games.csv")
    import_files(ImportOptions(files=(str(folder / "games.csv"),), out=str(folder / "people")), Plan.make())
    return folder


@pytest.mark.slow
def test_planning_works_with_and_without_recorded_games(
    runs: Path, monkeypatch: pytest.MonkeyPatch, wsim_command: Command
) -> None:
    monkeypatch.chdir(runs)
    plan = wsim.plan_games("study", "people", games=2, evenings=3, metric="score")
    assert plan.schedule.height == 6
    assert plan.schedule["evening"].to_list() == [1, 1, 2, 2, 3, 3]
    unclear = plan.rows.filter(pl.col("verdict") == "unclear")
    assert (unclear["games"].drop_nulls() > 0).all()
    assert (plan.rows.filter(pl.col("verdict") != "unclear")["games"] == 0).all()
    assert plan.again().identical
    before = wsim.plan_games("study", metric="score")
    widths = [answer.rows["half_width"].to_numpy().mean() for answer in (before, plan)]
    assert widths[0] > widths[1]
    assert wsim_command("people", "plan", "study").out.startswith("Boards to put on the table")


@pytest.mark.slow
def test_a_schedule_can_be_printed(
    runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wsim_command: Command
) -> None:
    monkeypatch.chdir(runs)
    page = tmp_path / "evenings.html"
    shown = wsim_command("people", "plan", "study", "people", "--print", str(page), "--json")
    assert (shown.code, shown.err) == (0, "")
    text = page.read_text("utf-8")
    assert text.count("<section>") == 7  # the schedule, and a score sheet for each game
    assert "evening 2, game 3" in text
    schedule = json.loads(shown.out)["schedule"]
    first = schedule[0]["boards"].split(", ")
    cells = "".join(f"<td>{board}</td>" for board in first)
    assert f"<tr><td>1</td><td>1</td>{cells}<td>" in text
    assert f"<th>wonder</th>{''.join(f'<td>{board.split()[0]}</td>' for board in first)}" in text
    answer = wsim.plan_games("study", "people", printed=str(tmp_path / "python.html"))
    assert (tmp_path / "python.html").read_text("utf-8") == text
    assert answer.asked["groups"][0]["printed"] is None
    assert answer.again().identical
    for name, why in (("evenings.html", "already exists"), ("evenings.pdf", "must be an .html file")):
        refused = wsim_command("people", "plan", "study", "--print", str(tmp_path / name))
        assert (refused.code, why in refused.err) == (2, True), refused.err


@pytest.mark.slow
def test_a_plan_says_whether_a_patch_is_worth_playtesting(runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(runs)
    large = wsim.plan_games("study", patched="patched")
    assert "Playtesting can show the patch" in large.worth_testing
    assert large.watch["games"].is_sorted()
    assert "wonder" in large.watch["metric"][0] or "Rhodos" in large.watch["metric"][0]
    small = wsim.plan_games("study", patched="little")
    assert "will not show the patch" in small.worth_testing or "changes no figure clearly" in small.worth_testing


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("study", "--chance", "1"), "chance must be at least 0.5 and less than 1"),
        (("study", "--games", "0"), "games must be at least 1"),
        (("study", "--by", "side"), "needs as many different wonders"),
        (("people",), "the study must be a simulated run"),
        (("study", "--patched", "nothing"), "does not exist"),
    ],
)
def test_invalid_questions_are_rejected(
    runs: Path, monkeypatch: pytest.MonkeyPatch, wsim_command: Command, words: tuple[str, ...], why: str
) -> None:
    monkeypatch.chdir(runs)
    refused = wsim_command("people", "plan", *words)
    assert (refused.code, why in refused.err) == (2, True), refused.err
