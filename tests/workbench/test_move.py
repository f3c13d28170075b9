"""See it move: sliders change values, figures come from common deals, and a goal for the smallest fix is written."""

from __future__ import annotations

import html
import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import wsim
from tests.conftest import ROOT
from tests.workbench.client import Caller
from wsim.balance.goal import as_goal
from wsim.errors import UserError
from wsim.lab.plan import Plan
from wsim.questions.contrasts import Contrasts
from wsim.stats.distributions import normal_quantile
from wsim.stats.intervals import Estimate
from wsim.workbench.change_page import Changes
from wsim.workbench.live_games import BLOCKS, MAX_DEALS, LiveComparison
from wsim.workbench.move_page import movable, restoring_goal, sliders_of
from wsim.workbench.printed import printed_values

CHANGE = ("cards.Palace.points=4",)


@pytest.fixture
def caller(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Caller:
    monkeypatch.chdir(tmp_path)
    return Caller(tmp_path)


@pytest.fixture(scope="module")
def live() -> LiveComparison:
    return LiveComparison(Plan.make(policies="random", players=3), "Palace")


@pytest.mark.slow
def test_figures_match_a_whatif_on_the_same_deals(live: LiveComparison) -> None:
    while live.deals(CHANGE) < sum(BLOCKS[:3]):
        live.advance(CHANGE)
    rows = {row["name"]: row for row in live.rows(CHANGE)}
    answer = wsim.whatif(
        set=CHANGE[0], metric="worth:Palace", policies="random", players=3, budget=live.deals(CHANGE), within=1e-9
    )
    details = {row["metric"]: row for row in answer.details.to_dicts()}
    for name in ("worth:Palace", "score", "win:Gizah"):
        for own, other in (("printed", "baseline"), ("changed", "changed"), ("effect", "effect")):
            assert rows[name][own] == pytest.approx(details[name][other])
    assert rows["score"]["low"] < rows["score"]["effect"] < rows["score"]["high"]
    assert rows["built:Palace"]["label"] == "Seats that have Palace"
    assert rows["win:Gizah"]["label"] == "Wins of Gizah"
    assert rows["built:Palace"]["kind"] == "share"


@pytest.mark.slow
def test_played_deals_are_kept_and_intervals_shrink(live: LiveComparison) -> None:
    other = ("cards.Palace.points=6",)
    live.advance(other)
    while (first := next(row for row in live.rows(other) if row["name"] == "score"))["low"] is None:
        live.advance(other)
    before = live.deals(CHANGE)
    for _ in range(4):
        live.advance(other)
    later = next(row for row in live.rows(other) if row["name"] == "score")
    assert later["high"] - later["low"] < first["high"] - first["low"]
    assert live.deals(CHANGE) == before  # undo goes on where it was left
    live.prepare(other)[1].deals = MAX_DEALS
    assert not live.advance(other)


@pytest.mark.parametrize(("p_values", "clear"), [((0.03, 0.9), 0), ((0.0001, 0.9), 1)])
def test_a_difference_is_clear_only_if_it_allows_for_the_number_of_rows(
    live: LiveComparison, monkeypatch: pytest.MonkeyPatch, p_values: tuple[float, float], clear: int
) -> None:
    """The first p-value is that of one row, the second that of all others."""
    lines, rows = ("cards.Palace.points=7",), len(live.metrics)
    live.advance(lines)
    value = [normal_quantile(1 - p / 2) for p in (p_values[0], *[p_values[1]] * (rows - 1))]
    made = Estimate(np.array(value), np.ones(rows), np.full(rows, 1e9))
    monkeypatch.setattr(Contrasts, "has_interval", lambda _: np.ones(rows, bool))
    monkeypatch.setattr(Contrasts, "effects", lambda _: made)
    found = live.rows(lines)
    assert found[0]["low"] > 0  # by its own interval
    assert sum(row["clear"] for row in found) == clear


def test_a_mistake_in_the_change_is_reported_in_one_sentence(live: LiveComparison) -> None:
    with pytest.raises(UserError, match="Palce"):
        live.prepare(("cards.Palce.points=4",))


def test_a_game_without_worth_shows_the_other_figures() -> None:
    babel = LiveComparison(Plan.make(game="tower_of_babel", policies="random"), "nothing")
    assert "score" in [metric.name for metric in babel.metrics]
    assert not any(metric.wished for metric in babel.metrics)


def test_each_number_has_a_slider() -> None:
    printed = printed_values("seven_wonders", "1e")
    parts = movable(printed)
    assert "cards.Palace" in parts
    assert not any(part.startswith("settings") for part in parts)
    sliders = {
        slider.path: slider for slider in sliders_of(Changes("seven_wonders", "1e", CHANGE), "cards.Palace", printed)
    }
    points = sliders["cards.Palace.points"]
    assert (points.value, points.printed, points.low, points.high) == (4, 8, 0, 16)
    assert "cards.Palace.color" not in sliders
    more = Changes("seven_wonders", "1e", ("cards.Palace.coins=3",))
    assert sliders_of(more, "cards.Palace", printed)[-1].path != "cards.Palace.points"
    assert "cards.Palace.coins" in [slider.path for slider in sliders_of(more, "cards.Palace", printed)]


def test_the_page_shows_the_card_the_sliders_and_what_to_do_next(caller: Caller) -> None:
    text = html.unescape(caller.get("/move?at=Palace&change=cards.Palace.points%3D4").text)
    assert re.search(r'data-path="cards.Palace.points" data-printed="8"', text)
    assert text.count("<figcaption>") == 2  # printed and changed
    assert "/ask/whatif?game=seven_wonders" in text
    assert "change=cards.Palace.points%3D4" in re.findall(r'data-events="([^"]*)"', text)[0]
    assert caller.get("/move").text.count('<li><a href="/move?') > 60
    for query, sentence in (
        ("at=Palce", "the catalogue has no 'Palce'"),
        ("at=Palace&policies=balancd", "unknown policy 'balancd'"),
        ("at=Palace&policies=./mine.py:bold", "policies from files cannot play here"),
        ("at=Palace&players=many", "players must be a whole number"),
    ):
        reply = caller.get(f"/move?{query}")
        assert reply.status == 400
        assert sentence in html.unescape(reply.text)
    wrong = html.unescape(caller.get("/move?at=Palace&change=cards.Palace.points%3D-99999").text)
    assert 'role="alert"' in wrong


def test_the_goal_of_the_smallest_fix_can_be_read(caller: Caller, tmp_path: Path) -> None:
    fields = [
        ("at", "cards.Palace"),
        ("change", CHANGE[0]),
        ("metric", "built:Palace"),
        ("value", "0.228"),
        ("players", "3"),
    ]
    reply = caller.post("/move/goal", fields)
    assert (reply.status, reply.headers["location"]) == (303, "/ask/balance?goal=goal-1.toml")
    found = as_goal(str(tmp_path / "goal-1.toml"))
    assert found.settings[0].plan.set == CHANGE
    assert found.targets[0].value == 0.228
    assert caller.post("/move/goal", fields).headers["location"] == "/ask/balance?goal=goal-2.toml"
    with pytest.raises(UserError, match="wait until the first games"):
        restoring_goal(Changes("seven_wonders", "1e", CHANGE), "cards.Palace", {})


@pytest.mark.slow
def test_the_process_plays_the_shown_changes_and_ends() -> None:
    plan = {"policies": "random", "players": 3}
    said = [{"plan": plan, "item": "Palace"}, {"add": list(CHANGE)}, {"add": ["cards.Palce.points=1"]}]
    process = subprocess.Popen(
        [sys.executable, "-m", "wsim.workbench.live_games"], cwd=ROOT, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    with process:
        assert process.stdin is not None
        assert process.stdout is not None
        for line in said:
            process.stdin.write(json.dumps(line) + "\n")
        process.stdin.flush()
        records = [json.loads(process.stdout.readline()) for _ in range(4)]
        process.stdin.close()
        assert process.wait(60) == 0
    by_lines = {tuple(record["lines"]): record for record in records}
    assert by_lines[CHANGE]["deals"] > 0
    assert "Palce" in by_lines["cards.Palce.points=1",]["error"]
