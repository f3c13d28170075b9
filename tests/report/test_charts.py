"""Charts as drawings: rounded coordinates, names, axes, marks and labels."""

from __future__ import annotations

import itertools
import json
import re
from typing import Any

import polars as pl
import pytest

import wsim
from wsim.document import CATEGORY, NUMBER, PROBABILITY, SHARE, Chart, Column, Sheet, estimated, names
from wsim.game import GAMES
from wsim.lab.answer import Stored
from wsim.report import charts
from wsim.report.answers import sections
from wsim.report.charts import scores
from wsim.report.theme import Palette
from wsim.workbench.findings import small_picture


@pytest.mark.slow
def test_coordinates_are_rounded_and_names_are_not() -> None:
    """Two policies that differ in the third digit of a parameter are drawn with different names."""
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


@pytest.mark.slow
def test_long_names_wrap_instead_of_being_cut() -> None:
    """On any screen, row names, column names and legend names are shown in full, wrapped if necessary."""
    policies = ["search:playouts=64,player=random:explore=0.1234", "search:playouts=64,player=random:explore=0.1288"]
    ends = {"ahead": 0.5, "ahead_low": 0.4, "ahead_high": 0.6, "q": 1.0}
    rows = [{"policy": one, "other": other, **ends} for one, other in (policies, policies[::-1])]
    declared = (*names(("policy", "other")), estimated("ahead", SHARE, reference=0.5), Column("q", PROBABILITY))
    sheet = Sheet("T", rows, declared)
    forest = Chart("forest", ("ahead",), ("policy",), "Who is ahead")
    matrix = Chart("matrix", ("ahead", "q"), ("policy",), "Who is ahead", over=("other",))
    counts = pl.DataFrame({"policy": policies * 2, "total": [40, 40, 41, 41], "n": [5, 6, 7, 8]})
    drawings = [charts.draw(chart, sheet, Palette({})) for chart in (forest, matrix)]
    for drawing in (*drawings, scores(counts, "how scores are spread")):
        assert drawing is not None
        for svg in (drawing.wide, drawing.narrow):
            assert "…" not in svg
            assert "explore=0.1234" in re.sub(r' aria-label="[^"]*"', "", svg)


@pytest.mark.slow
def test_axes_of_shares_are_labelled_like_their_tables() -> None:
    """Shares in percent, their differences in percentage points with a sign, as sentences and tables say them."""

    def labels(difference: bool) -> str:
        column = estimated("built", SHARE, reference=0.0, difference=difference)
        rows = [{"card": "Palace", "built": 0.1, "built_low": -0.1 if difference else 0.05, "built_high": 0.3}]
        sheet = Sheet("T", rows, (*names(("card",)), column))
        drawing = charts.draw(Chart("forest", ("built",), ("card",), "How often"), sheet, Palette({}))
        assert drawing is not None
        return re.sub(r' aria-label="[^"]*"', "", drawing.wide)

    share, difference = labels(False), labels(True)
    assert ">10%<" in share
    assert ">+20<" in difference
    assert ">\u221210<" in difference
    assert "built, percentage points" in difference
    assert ">0.1<" not in share + difference


@pytest.mark.slow
def test_weaker_players_have_open_marks_and_stronger_ones_filled_marks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(GAMES, "luck", "tests.games.luck_game:GAME")
    ladder = ("p", "p:charm=3", "p:charm=40")
    keys: Any = {"game": "luck", "luck": "hash", "what": "charms", "games": 500, "threads": 1}
    answer = wsim.skill(**keys, ladder=ladder)
    stored = Stored(type(answer), None, json.loads(json.dumps(answer.record())))
    sheet = stored.document().tables[0]
    ends, change = sheet.charts
    assert (ends.shape, ends.values, change.values) == ("change", ("p", "p:charm=40"), ("change",))
    figures = dict(answer.figures.select("rung", "figure").rows())
    (row,), columns = sheet.rows, {column.name: column for column in sheet.columns}
    for rung in ends.values:
        low, high = columns[rung].interval(row) or (1.0, 0.0)
        assert low < row[rung] == figures[rung] < high
    assert (columns["p"].interval(row) or (0, 1))[1] < (columns["p:charm=40"].interval(row) or (0, 1))[0]
    (section,) = sections([stored], Palette({}))
    assert len(section.figures) == 2
    assert f"p {100 * figures['p']:.1f}%" in section.figures[0].drawing.wide


@pytest.mark.slow
def test_a_difference_from_human_players_is_drawn_over_the_similarity_band() -> None:
    chart = Chart("band", ("difference_sd", "verdict"), ("figure",), "Beside humans", tolerance=0.25)
    declared = (*names(("figure",)), estimated("difference_sd", NUMBER, difference=True), Column("verdict", CATEGORY))
    row = {"figure": "score", "difference_sd": 0.5, "difference_sd_low": 0.25, "difference_sd_high": 0.75}
    unknown = {**row, "figure": "coins", "difference_sd_low": None, "verdict": None}
    drawing = charts.draw(chart, Sheet("T", [{**row, "verdict": "high"}, unknown], declared), Palette({}))
    assert drawing is not None
    assert "score: +0.500 (+0.250 to +0.750)" in drawing.wide
    assert "coins" not in drawing.wide


CARDS = [
    {"card": name, "color": color, "age": age, "wanted": wanted, "worth": worth, "worth_low": worth - 0.02,
     "worth_high": worth + 0.02}
    for name, color, age, wanted, worth in (
        ("Palace", "blue", 3, 0.5, 0.01), ("Altar", "blue", 1, 0.2, 0.10), ("Barracks", "red", 1, 0.4, -0.05),
        ("Stockade", "red", 1, 0.6, 0.03),
    )
]  # fmt: skip
OF_CARDS = (
    *names(("card",)), Column("color", CATEGORY), Column("age", CATEGORY), Column("wanted", SHARE, unit="of turns"),
    estimated("worth", SHARE, unit="of wins", difference=True),
)  # fmt: skip
PALETTE = Palette({"red": "#f00", "blue": "#00f"})


def of_cards(shape: Any, values: tuple[str, ...], rows: list[dict[str, Any]] = CARDS) -> charts.Drawing | None:
    chart = Chart(shape, values, ("card",), "Worth", by=("age", "color"))
    return charts.draw(chart, Sheet("Cards", rows, OF_CARDS), PALETTE)


def tips(svg: str) -> list[str]:
    return re.findall(r'aria-label="([^"]*)" role="graphics-symbol" aria-roledescription="point"', svg)


@pytest.mark.slow
def test_a_scatter_shows_categories_by_colour_and_shape() -> None:
    drawing = of_cards("scatter", ("worth", "wanted"))
    assert drawing is not None
    for svg in (drawing.wide, drawing.narrow):
        assert len(tips(svg)) == len(CARDS)
        assert "Altar: +10.0 (+8.0 to +12.0) worth, 20.0% wanted; age 1, blue" in tips(svg)
        assert svg.count("var(--own-red)") == 2 * svg.count("var(--own-blue)") / 2 > 0
        assert "age 1</text>" in svg  # a legend of the shapes
        assert "age 3</text>" in svg
        assert "Barracks</text>" in svg  # the extreme ones are named


def test_a_scatter_without_estimates_is_not_drawn() -> None:
    assert of_cards("scatter", ("worth", "wanted"), [{**CARDS[0], "wanted": None}]) is None
    assert of_cards("scatter", ("worth", "wanted"), [{**CARDS[0], "worth_low": None}]) is None


@pytest.mark.slow
def test_a_forest_plot_by_category_keeps_their_order_with_headings() -> None:
    drawing = of_cards("forest", ("worth",))
    assert drawing is not None
    texts = re.findall(r">([^<>]+)</text>", drawing.wide)
    shown = [text for text in texts if text in {"age 1", "age 3", *(str(row["card"]) for row in CARDS)}]
    assert shown == ["age 1", "Stockade", "Barracks", "Altar", "age 3", "Palace"]  # red before blue, by worth within
    fills = dict(re.findall(r'aria-label="(\w+):[^"]*"[^>]*fill="([^"]*)"', drawing.wide))
    assert fills["Altar"] == "var(--own-blue)"
    assert fills["Palace"] == "var(--paper)"  # its interval contains 0


@pytest.mark.slow
def test_marks_follow_the_verdict_rather_than_the_interval() -> None:
    """Altar's interval excludes 0, but its verdict is unclear because the effect may differ for other good players."""
    rows = [{**row, "verdict": "unclear" if row["card"] == "Altar" else "higher"} for row in CARDS]
    for by in ((), ("age", "color")):
        chart = Chart("forest", ("worth",), ("card",), "Worth", by=by, judged=True)
        drawing = charts.draw(chart, Sheet("Cards", rows, OF_CARDS), PALETTE)
        assert drawing is not None
        fills = dict(re.findall(r'aria-label="(\w+):[^"]*"[^>]*fill="([^"]*)"', drawing.wide))
        assert fills["Altar"] == "var(--paper)"
        assert fills["Palace"] != "var(--paper)"
        small = small_picture(chart, Sheet("Cards", rows, OF_CARDS))
        assert small.count('class="clear"') == len(CARDS) - 1


@pytest.mark.slow
def test_axis_numbers_of_a_narrow_chart_do_not_overlap() -> None:
    """This also holds in a browser with wider letters than those measured here."""
    rows = [{"card": "Palace", "worth": 0.1, "worth_low": -0.05, "worth_high": 0.25}]
    sheet = Sheet("T", rows, (*names(("card",)), estimated("worth", NUMBER, difference=True)))
    drawing = charts.draw(Chart("forest", ("worth",), ("card",), "Worth"), sheet, Palette({}))
    assert drawing is not None
    labels = re.findall(r'translate\(([\d.]+),15\)"[^>]* opacity="1">([^<]+)', drawing.narrow)
    assert len(labels) >= 3
    half = charts.LETTER / 2
    ends = [(float(x) - half * len(text), float(x) + half * len(text)) for x, text in labels]
    assert all(left[1] < right[0] for left, right in itertools.pairwise(ends))
