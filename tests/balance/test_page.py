"""The page of a run shows the result of balancing and rejects files that are not such a record."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Command
from wsim.display import percent

pytest.importorskip("altair", reason="needs the extra report")


@pytest.fixture
def run(toy: None, wsim_command: Command) -> str:
    assert wsim_command("run", "--games", "20", "--out", "run", "--quiet").code == 0
    return "run"


def record(**changes: Any) -> dict[str, Any]:
    row = {"setting": "four", "of": "Rhodos B", "metric": "win", "low": 0.22, "high": 0.28, "before": 0.36}
    row |= {"before_low": 0.35, "before_high": 0.37, "after": 0.25, "after_low": 0.24, "after_high": 0.26}
    told = {"format": "wsim-balance/1", "goal": "goal.toml", "proven": True, "stopped": "proven", "games": 9}
    changed = {"path": "wonders.Rhodos.sides.B.1.points", "old": 3, "new": 1, "of": "Rhodos B", "effect": -0.07}
    return {**told, "changes": [changed], "targets": [row], "trade": [], "binding": [], "conflicts": [], **changes}


@pytest.mark.slow
def test_the_page_shows_before_and_after(run: str, wsim_command: Command) -> None:
    Path("patch.json").write_text(json.dumps(record(conflicts=["One pulls here"])), encoding="utf-8")
    answer = wsim_command("report", run, "--balance", "patch.json", "--quiet")
    assert answer.code == 0
    page = Path("run/report.html").read_text(encoding="utf-8")
    assert "Win share before and after 1 changed value: proven." in page
    assert "One pulls here." in page
    assert f"Rhodos B: before {percent(0.36)} (35.0 to 37.0), after {percent(0.25)} (24.0 to 26.0)" in page
    assert "wonders.Rhodos.sides.B.1.points" in page


@pytest.mark.slow
def test_each_setting_has_its_figure_and_the_page_shows_the_distance(run: str, wsim_command: Command) -> None:
    rows = [{**record()["targets"][0], "setting": name, "proven": False} for name in ("three", "seven")]
    best = {"setting": "three", "of": "Rhodos B", "style_before": "guilds", "best_before": 0.4, "error": 0.01}
    told = record(targets=rows, proven=False, proven_within=1.25, responses=[best])
    Path("patch.json").write_text(json.dumps(told), encoding="utf-8")
    assert wsim_command("report", run, "--balance", "patch.json", "--quiet").code == 0
    page = Path("run/report.html").read_text(encoding="utf-8")
    for name in ("three", "seven"):
        assert f"Win share, {name} before and after 1 changed value: not proven (all targets: within" in page
    assert "1.25 times the accepted range" in page
    assert "Each side in its best style" in page


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("no json", "patch.json' "),
        ("{}", "patch.json' "),
        (json.dumps({"format": "wsim-balance/1", "targets": []}), "is damaged: it has no goal"),
    ],
)
def test_files_that_are_not_balance_records_are_rejected(
    run: str, wsim_command: Command, content: str, said: str
) -> None:
    Path("patch.json").write_text(content, encoding="utf-8")
    answer = wsim_command("report", run, "--balance", "patch.json", "--quiet")
    assert (answer.code, answer.out) == (2, "")
    assert said in answer.err
    assert not Path("run/report.html").exists()
