"""Charts as drawings: what is cut off their numbers, and what is not."""

from __future__ import annotations

import json
import re
from typing import Any

import polars as pl
import pytest

import wsim
from wsim.game import GAMES
from wsim.lab.answer import Stored
from wsim.report import charts
from wsim.report.answers import sections
from wsim.report.charts import scores
from wsim.report.panels import _calibration_rows


def test_places_are_short_and_names_are_whole() -> None:
    """Two policies that differ in the third digit of a parameter are drawn with names that differ, too."""
    names = ["random:explore=0.1234", "random:explore=0.1288"]
    rows = [(name, total, 5 + total) for name in names for total in range(40, 50)]
    counts = pl.DataFrame(rows, schema={"policy": pl.String, "total": pl.Int64, "n": pl.Int64}, orient="row")
    drawing = scores(counts, "how scores are spread")
    for svg in (drawing.wide, drawing.narrow):
        for name in names:
            assert name in svg
        paths = re.findall(r' d="([^"]*)"', svg)
        assert paths
        assert not re.search(r"\.\d{3}", " ".join(paths))


def test_long_names_are_broken_and_not_cut() -> None:
    """Beside rows, above columns and in a legend, on any screen, a name stands whole, in lines if it must."""
    names = ["search:playouts=64,player=random:explore=0.1234", "search:playouts=64,player=random:explore=0.1288"]
    ends = {"ahead": 0.5, "ahead_low": 0.4, "ahead_high": 0.6, "q": 1.0}
    rows = pl.DataFrame([{"label": one, "opponent": other, **ends} for one, other in (names, names[::-1])])
    counts = pl.DataFrame({"policy": names * 2, "total": [40, 40, 41, 41], "n": [5, 6, 7, 8]})
    for drawing in (
        charts.forest(rows, "ahead", "ahead", "who is ahead", reference=0.5),
        charts.matchups(rows, "who is ahead"), scores(counts, "how scores are spread"),
    ):  # fmt: skip
        for svg in (drawing.wide, drawing.narrow):
            assert "…" not in svg
            assert "explore=0.1234" in re.sub(r' aria-label="[^"]*"', "", svg)


def test_open_marks_are_the_weaker_player_and_filled_ones_the_stronger(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[pl.DataFrame] = []
    monkeypatch.setattr(charts, "before_after", lambda rows, *_: drawn.append(rows))
    monkeypatch.setattr(charts, "forest", lambda *_, **__: None)
    monkeypatch.setitem(GAMES, "luck", "tests.games.luck_game:GAME")
    ladder = ("p", "p:charm=3", "p:charm=40")
    keys: Any = {"game": "luck", "luck": "hash", "what": "charms", "games": 500, "threads": 1}
    answer = wsim.skill(**keys, ladder=ladder)
    list(sections([Stored(type(answer), None, json.loads(json.dumps(answer.record())))]))
    figures = dict(answer.figures.select("rung", "figure").rows())
    (rows,) = drawn
    assert rows["before"].to_list() == [figures["p"]]
    assert rows["after"].to_list() == [figures["p:charm=40"]]
    assert rows["before_high"][0] < rows["after_low"][0]
    for when in ("before", "after"):
        assert rows[f"{when}_low"][0] < rows[when][0] < rows[f"{when}_high"][0]


def test_a_difference_to_human_players_is_drawn_in_their_standard_deviations() -> None:
    """4 points more, 2 to 6, where seats of human players vary by 8: a half, from a quarter to three quarters."""
    row = {"figure": "score", "simulated": 56.0, "human": 52.0, "human_sd": 8.0, "verdict": "higher"}
    ends = {"difference": 4.0, "difference_low": 2.0, "difference_high": 6.0, "difference_sd": 0.5}
    shown = _calibration_rows(pl.DataFrame([row | ends, row | ends | {"verdict": None}]))
    assert shown.select("^difference.*$").rows() == [(0.5, 0.25, 0.75)]
