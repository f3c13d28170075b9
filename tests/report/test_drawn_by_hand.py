"""What charts contain, before they become pictures: rows, marks, axes, order, colours and heights, by hand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl
import pytest

from wsim.document import CATEGORY, NAME, NUMBER, POINTS, PROBABILITY, SHARE, Chart, Column, Sheet, estimated
from wsim.report import charts
from wsim.report.charts import (
    GROUPED_HEIGHT,
    LINE_HEIGHT,
    MOST,
    NARROW,
    ROW_HEIGHT,
    WIDE,
    Drawing,
    _axis_ends,
    _broken_into_lines,
    _chart_height,
    _extreme_indices,
    _in_order,
    _title,
    _tooltip_facts,
    heading_of,
    scores,
)
from wsim.report.theme import ACCENT, FAINT, SERIES, Palette

Spec = Mapping[str, Any]
PAPER = "var(--paper)"


@pytest.fixture
def specs(monkeypatch: pytest.MonkeyPatch) -> list[Spec]:
    """Return the list to which each drawing adds its specification for a wide and for a narrow screen."""
    made: list[Spec] = []

    def svg(chart: Any, width: int) -> str:
        made.append(chart.to_dict())
        return str(width)

    monkeypatch.setattr(charts, "_svg", svg)
    return made


def rows_in(spec: Spec, column: str) -> list[Spec]:
    """Return the rows of the data set of a specification that has a column."""
    (found,) = [rows for rows in spec["datasets"].values() if rows and column in rows[0]]
    return list(found)


def layers(spec: Spec, mark: str) -> list[Spec]:
    return [layer for layer in spec["layer"] if layer["mark"]["type"] == mark]


def lines_at(spec: Spec, along: str = "x") -> list[float]:
    """Return where the dashed lines are."""
    marks = [layer for layer in layers(spec, "rule") if "strokeDash" in layer["mark"]]
    return [spec["datasets"][layer["data"]["name"]][0][along] for layer in marks]


def scale_of(spec: Spec, mark: str, channel: str, number: int = 0) -> Any:
    return layers(spec, mark)[number]["encoding"][channel]["scale"]


SHARES = estimated("ahead", SHARE, reference=0.5)
ROWS = [
    {"name": "a", "ahead": 0.7, "ahead_low": 0.6, "ahead_high": 0.8, "verdict": "unclear"},
    {"name": "b", "ahead": 0.5, "ahead_low": 0.5, "ahead_high": 0.6, "verdict": "higher"},
    {"name": "c", "ahead": 0.2, "ahead_low": 0.1, "ahead_high": 0.3, "verdict": "lower"},
    {"name": "d", "ahead": 0.2, "ahead_low": None, "ahead_high": None, "verdict": "lower"},
]  # fmt: skip


def sheet(*columns: Column, rows: Any = ROWS) -> Sheet:
    return Sheet("T", rows, (Column("name", NAME), *columns))


def test_a_forest_has_a_filled_mark_for_each_clear_row(specs: list[Spec]) -> None:
    """An interval that touches the reference is not clear; a row without an interval is not drawn."""
    chart = Chart("forest", ("ahead",), ("name",), "Who is ahead")
    drawing = charts.draw(chart, sheet(SHARES), Palette({}))
    assert drawing == Drawing(str(WIDE), str(NARROW), "Who is ahead.")
    wide, narrow = specs
    rows = rows_in(wide, "tip")
    assert [(row["label"], row["value"], row["from"], row["to"], row["state"]) for row in rows] == [
        ("a", 0.7, 0.6, 0.8, "clear"), ("b", 0.5, 0.5, 0.6, "open"), ("c", 0.2, 0.1, 0.3, "clear")
    ]  # fmt: skip
    assert rows[0]["tip"] == "a: 70.0% (60.0 to 80.0)"
    assert lines_at(wide) == lines_at(narrow) == [0.5]
    assert (wide["height"], narrow["height"]) == (3 * ROW_HEIGHT, 3 * ROW_HEIGHT)
    bars = layers(wide, "rule")[1]
    assert (bars["encoding"]["x"]["field"], bars["encoding"]["x2"]["field"]) == ("from", "to")
    assert bars["encoding"]["x"]["axis"]["tickCount"] == 8
    assert layers(narrow, "rule")[1]["encoding"]["x"]["axis"]["tickCount"] == 4
    assert bars["encoding"]["x"]["scale"]["domain"] == [pytest.approx(0.1 - 0.028), pytest.approx(0.8 + 0.028)]
    assert bars["encoding"]["x"]["scale"] == {
        "clamp": True, "domain": bars["encoding"]["x"]["scale"]["domain"], "nice": False, "zero": False
    }  # fmt: skip
    for mark, channel, colours in (("rule", "color", [ACCENT, FAINT]), ("point", "stroke", [ACCENT, FAINT]),
                                   ("point", "fill", [ACCENT, PAPER])):  # fmt: skip
        scale = scale_of(wide, mark, channel, 1 if mark == "rule" else 0)
        assert scale == {"domain": ["clear", "open"], "range": colours}


@pytest.mark.slow
def test_a_judged_forest_is_filled_by_its_verdicts_and_may_have_its_own_reference(specs: list[Spec]) -> None:
    chart = Chart("forest", ("ahead",), ("name",), "T", judged=True, reference=0.25, only={"name": "b"})
    assert charts.draw(chart, sheet(SHARES), Palette({})) is not None
    assert [row["state"] for row in rows_in(specs[0], "tip")] == ["clear"]
    assert lines_at(specs[0]) == [0.25]
    specs.clear()
    free = Chart("forest", ("ahead",), ("name",), "T")
    assert charts.draw(free, sheet(estimated("ahead", SHARE)), Palette({})) is not None
    assert lines_at(specs[0]) == []
    assert {row["state"] for row in rows_in(specs[0], "tip")} == {"clear"}


def test_what_cannot_be_drawn_is_left_out() -> None:
    nobody = [{**ROWS[3]}]
    chart = Chart("forest", ("ahead",), ("name",), "T")
    assert charts.draw(chart, sheet(SHARES, rows=nobody), Palette({})) is None
    assert charts.draw(Chart("stacked", ("ahead", "x"), ("name",), "T"), sheet(SHARES), Palette({})) is None


@pytest.mark.slow
def test_a_long_forest_keeps_the_first_and_the_last_rows(specs: list[Spec]) -> None:
    many = [{"name": f"{number}", "ahead": 0.5, "ahead_low": 0.4, "ahead_high": 0.6} for number in range(MOST + 1)]
    chart = Chart("forest", ("ahead",), ("name",), "T")
    charts.draw(chart, sheet(SHARES, rows=many), Palette({}))
    names = [int(row["label"]) for row in rows_in(specs[0], "tip")]
    assert names == [*range(MOST // 2), *range(MOST // 2 + 1, MOST + 1)]
    specs.clear()
    charts.draw(chart, sheet(SHARES, rows=many[:MOST]), Palette({}))
    assert len(rows_in(specs[0], "tip")) == MOST


GROUPED = [
    {"name": name, "color": color, "age": age, "ahead": value, "ahead_low": value - 0.1, "ahead_high": value + 0.1}
    for name, color, age, value in (
        ("Altar", "blue", 1, 0.5), ("Mine", "brown", 1, 0.65), ("Arena", "blue", 2, 0.7), ("Bath", "blue", 1, 0.75)
    )
]  # fmt: skip
GAME_COLOURS = Palette({"brown": "#8b5e3c", "blue": "#3f74b8"})


def test_a_forest_by_category_is_ordered_and_coloured_by_it(specs: list[Spec]) -> None:
    """By age, then by colour in the order of the palette, then the largest first; headings take a line of their own."""
    chart = Chart("forest", ("ahead",), ("name",), "T", by=("age", "color"))
    charts.draw(chart, sheet(SHARES, rows=GROUPED), GAME_COLOURS)
    rows = rows_in(specs[0], "tip")
    assert [row["label"] for row in rows] == ["Mine", "Bath", "Altar", "Arena"]
    assert [row["group"] for row in rows] == ["age 1", "age 1", "age 1", "age 2"]
    assert [row["colour"] for row in rows] == ["var(--own-brown)", *["var(--own-blue)"] * 3]
    assert [row["fill"] for row in rows] == ["var(--own-brown)", "var(--own-blue)", PAPER, "var(--own-blue)"]
    assert rows[2]["tip"] == "Altar: 50.0% (40.0 to 60.0); age 1, blue"
    point = layers(specs[0], "point")[0]["encoding"]
    assert point["y"]["scale"]["domain"] == ["age 1", "Mine", "Bath", "Altar", "age 2", "Arena"]
    assert specs[0]["height"] == GROUPED_HEIGHT * 6
    assert '["age 1", "age 2"]' in point["y"]["axis"]["labelFontWeight"]["condition"]["test"]
    assert (point["stroke"]["field"], point["fill"]["field"]) == ("colour", "fill")
    assert lines_at(specs[0]) == [0.5]
    ends = [pytest.approx(0.4 - 0.018), pytest.approx(0.85 + 0.018)]
    for layer in (layers(specs[0], "rule")[1], layers(specs[0], "point")[0]):
        assert layer["encoding"]["x"]["scale"]["domain"] == ends


def test_categories_without_colours_come_before_and_in_alphabetical_order() -> None:
    rows = [{"kind": kind, "x": value} for kind, value in (("z", 1), ("blue", None), ("a", 2), ("brown", 3), ("a", 5))]
    found = _in_order(rows, ("kind",), Column("x", NUMBER), GAME_COLOURS)
    assert [(row["kind"], row["x"]) for row in found] == [
        ("a", 5), ("a", 2), ("z", 1), ("brown", 3), ("blue", None)
    ]  # fmt: skip
    assert _tooltip_facts({"age": 2, "color": "blue", "none": None}, ("age", "color", "none", "x")) == "; age 2, blue"
    assert _tooltip_facts({}, ("age",)) == ""


def test_a_scatter_names_the_extremes_that_do_not_overlap() -> None:
    """Largest and smallest of each end; a point too near to one that is named, in both directions, has no name."""
    column, across = Column("y", NUMBER), Column("x", NUMBER)

    def extremes(points: list[tuple[float, float]], most: int = 1) -> set[int]:
        return _extreme_indices([{"x": x, "y": y} for x, y in points], column, across, most)

    assert extremes([(0, 0), (1, 5), (2, 10)]) == {0, 2}
    assert extremes([(0, 0), (1, 5), (2, 10)], 2) == {0, 1, 2}
    assert extremes([(0, 0), (10, 100), (0, 5), (10, 95)], 2) == {0, 1}, "near in both directions"
    assert extremes([(0, 0), (10, 100), (3, 5), (7, 95)], 2) == {0, 1, 2, 3}, "far apart along the axis"
    assert extremes([(0, 0), (10, 100), (0, 7), (10, 93)], 2) == {0, 1, 2, 3}, "far apart in height"
    assert extremes([(1, 1), (1, 1)]) == {0}, "equal points have one name"


@pytest.mark.slow
def test_a_scatter_has_colours_shapes_and_names(specs: list[Spec]) -> None:
    worth = ((5.0, 4.0, 6.0), (1.0, 0.0, 2.0), (-5.0, -6.0, -4.0), (None, None, None))
    rows = [{**row, **dict(zip(("worth", "worth_low", "worth_high"), values, strict=True))}
            for row, values in zip(GROUPED, worth, strict=True)]  # fmt: skip
    columns = (SHARES, estimated("worth", POINTS))
    chart = Chart("scatter", ("ahead", "worth"), ("name",), "T", by=("color", "age"), axis="how often")
    charts.draw(chart, sheet(*columns, rows=rows), GAME_COLOURS)
    shown = rows_in(specs[0], "tip")
    assert len(shown) == 3, "a row without worth is not drawn"
    by_name = {row["name 4"]: row for row in shown}
    assert set(by_name) == {"Altar", "Mine", "Arena"}
    assert by_name["Mine"]["colour"] == "var(--own-brown)"
    assert by_name["Arena"]["shape"] == "age 2"
    assert by_name["Altar"]["tip"] == "Altar: 50.0% (40.0 to 60.0) ahead, 5.00 (4.00 to 6.00) worth; blue, age 1"
    assert (by_name["Altar"]["x"], by_name["Altar"]["value"], by_name["Altar"]["from"], by_name["Altar"]["to"]) == (
        5, 0.5, 0.4, 0.6
    )  # fmt: skip
    assert lines_at(specs[0], "y") == [0.5]
    assert (specs[0]["height"], specs[1]["height"]) == (400, 320)
    assert layers(specs[0], "rule")[1]["encoding"]["y"]["title"] == "how often"
    assert [layers(spec, "text")[0]["encoding"]["text"]["field"] for spec in specs] == ["name 4", "name 2"]
    assert [layers(spec, "point")[0]["encoding"]["shape"]["legend"]["columns"] for spec in specs] == [6, 3]
    specs.clear()
    plain = Chart("scatter", ("ahead", "worth"), ("name",), "T", reference=0.25)
    charts.draw(plain, sheet(*columns, rows=rows), GAME_COLOURS)
    assert "shape" not in layers(specs[0], "point")[0]["encoding"]
    assert {row["colour"] for row in rows_in(specs[0], "tip")} == {ACCENT}
    assert lines_at(specs[0], "y") == [0.25]
    none = [{**row, "worth": None} for row in rows]
    assert charts.draw(plain, sheet(*columns, rows=none), GAME_COLOURS) is None


def test_stacked_bars_are_sorted_by_their_totals(specs: list[Spec]) -> None:
    """Parts that nobody has are left out; the number of the total stands at the end of what is positive."""
    rows = [{"name": "a", "total": 10.0, "blue": 4.0, "red": -1.0, "none": 0.0},
            {"name": "b", "total": 12.34, "blue": 10.0, "red": 3.0, "none": None}]  # fmt: skip
    columns = (Column("total", POINTS), Column("blue", POINTS), Column("red", POINTS), Column("none", POINTS))
    chart = Chart("stacked", ("total", "blue", "red", "none"), ("name",), "Points")
    drawing = charts.draw(chart, sheet(*columns, rows=rows), GAME_COLOURS)
    assert drawing is not None
    assert drawing.alternative == "Points, stacked."
    wide, narrow = specs
    assert [(row["label"], row["category"], row["points"], row["place"]) for row in rows_in(wide, "category")] == [
        ("b", "blue", 10.0, 0), ("a", "blue", 4.0, 0), ("b", "red", 3.0, 1), ("a", "red", -1.0, 1)
    ]  # fmt: skip
    assert rows_in(wide, "category")[0]["tip"] == "b, blue: 10.00"
    assert [(row["label"], row["end"], row["text"]) for row in rows_in(wide, "end")] == [
        ("b", 13.0, "12.3"), ("a", 4.0, "10.0")
    ]  # fmt: skip
    bars = layers(wide, "bar")[0]["encoding"]
    assert bars["color"]["scale"] == {"domain": ["blue", "red"], "range": ["var(--own-blue)", SERIES[1]]}
    assert bars["x"]["scale"]["domainMax"] == pytest.approx(13 * 1.04)
    assert layers(narrow, "bar")[0]["encoding"]["x"]["scale"]["domainMax"] == pytest.approx(13 * 1.1)
    assert bars["y"]["sort"] == ["b", "a"]
    assert wide["height"] == 2 * ROW_HEIGHT
    specs.clear()
    fixed = Chart("stacked", ("total", "blue", "red", "none"), ("name",), "Points", reference=0.0)
    charts.draw(fixed, sheet(*columns, rows=rows), GAME_COLOURS)
    assert layers(specs[0], "bar")[0]["encoding"]["y"]["sort"] == ["a", "b"], "rows with a reference keep their order"


def test_a_matrix_colours_clear_shares(specs: list[Spec]) -> None:
    rows = [
        {"name": "a", "other": "b", "ahead": 0.75, "q": 0.01}, {"name": "b", "other": "a", "ahead": 0.25, "q": 0.049},
        {"name": "c", "other": "a", "ahead": 0.5, "q": 0.0}, {"name": "c", "other": "b", "ahead": 0.9, "q": 0.05},
        {"name": "a", "other": "c", "ahead": 0.6, "q": None},
    ]  # fmt: skip
    columns = (Column("other", NAME), SHARES, Column("q", PROBABILITY))
    chart = Chart("matrix", ("ahead", "q"), ("name",), "T", over=("other",))
    charts.draw(chart, sheet(*columns, rows=rows), Palette({}))
    shown = {(row["label"], row["opponent"]): row for row in rows_in(specs[0], "state")}
    assert {pair: row["state"] for pair, row in shown.items()} == {
        ("a", "b"): "ahead", ("b", "a"): "behind", ("c", "a"): "ahead", ("c", "b"): "open", ("a", "c"): "open"
    }  # fmt: skip
    strong = 0.15 + 0.35 * 0.5**0.5
    assert [shown[pair]["strength"] for pair in (("a", "b"), ("b", "a"), ("c", "a"), ("c", "b"))] == pytest.approx(
        [strong, strong, 0.15, 0.1]
    )
    assert [shown["a", "b"][name] for name in ("short", "long", "tip")] == ["75%", "75.0%", "a, b: 75.0%"]
    text = layers(specs[0], "text")[0]["encoding"]
    assert (text["x"]["sort"], text["text"]["field"]) == (["c", "a", "b"], "long"), "the largest mean first"
    assert layers(specs[1], "text")[0]["encoding"]["text"]["field"] == "short"
    assert specs[0]["height"] == 36 * 3
    assert [spec["layer"][0]["encoding"]["x"]["axis"]["labelAngle"] for spec in specs] == [0, -45]
    assert scale_of(specs[0], "rect", "opacity") == {"domain": [0, 1], "range": [0, 1]}


def test_a_curve_runs_along_its_numbers(specs: list[Spec]) -> None:
    column = estimated("gain", POINTS, difference=True)
    rows = [{"name": "x", "games": games, "gain": gain, "gain_low": gain - 1, "gain_high": gain + 2}
            for games, gain in ((30, 3.0), (10, 1.0))]  # fmt: skip
    chart = Chart("curve", ("gain",), ("name",), "T", over=("games",))
    charts.draw(chart, sheet(Column("games", NUMBER), column, rows=rows), Palette({}))
    shown = rows_in(specs[0], "tip")
    assert [(row["number"], row["value"], row["from"], row["to"]) for row in shown] == [(10, 1, 0, 3), (30, 3, 2, 5)]
    assert lines_at(specs[0], "y") == [0.0]
    (line,) = layers(specs[0], "line")
    assert (line["encoding"]["x"]["axis"]["values"], line["encoding"]["x"]["title"]) == ([10, 30], "games")
    assert (specs[0]["height"], specs[1]["height"]) == (300, 230)


def test_a_change_has_an_open_mark_before_and_a_filled_one_after(specs: list[Spec]) -> None:
    before, after = estimated("old", SHARE), estimated("new", SHARE)
    rows = [
            {"name": "a", "old": 0.4, "old_low": 0.3, "old_high": 0.5, "new": 0.5, "new_low": 0.45, "new_high": 0.55,
             "least": 0.48, "most": 0.52},
            {"name": "b", "old": 0.2, "old_low": 0.1, "old_high": 0.3, "new": None, "least": 0.48, "most": None},
    ]  # fmt: skip
    chart = Chart("change", ("old", "new"), ("name",), "T", band=("least", "most"), reference=0.25)
    charts.draw(chart, sheet(before, after, rows=rows), Palette({}))
    shown = rows_in(specs[0], "tip")
    assert [(row["label"], row["state"], row["value"], row["from"], row["to"]) for row in shown] == [
        ("a", "before", 0.4, 0.3, 0.5), ("b", "before", 0.2, 0.1, 0.3), ("a", "after", 0.5, 0.45, 0.55)
    ]  # fmt: skip
    assert shown[0]["tip"] == "a: old 40.0% (30.0 to 50.0), new 50.0% (45.0 to 55.0)"
    assert lines_at(specs[0]) == [0.48, 0.52, 0.25]
    assert scale_of(specs[0], "point", "fill") == {"domain": ["before", "after"], "range": [PAPER, ACCENT]}
    assert scale_of(specs[0], "point", "stroke")["range"] == [FAINT, ACCENT]
    assert specs[0]["height"] == 2 * ROW_HEIGHT


def test_differences_are_drawn_over_a_band_around_zero(specs: list[Spec]) -> None:
    column = estimated("off", NUMBER, unit="sd", difference=True)
    rows = [{"name": "a", "off": 0.5, "off_low": 0.2, "off_high": 0.8, "verdict": "high"}]
    chart = Chart("band", ("off", "verdict"), ("name",), "T", tolerance=0.25)
    charts.draw(chart, sheet(column, Column("verdict", CATEGORY), rows=rows), Palette({}))
    (row,) = rows_in(specs[0], "tip")
    assert (row["value"], row["from"], row["to"], row["verdict"]) == (0.5, 0.2, 0.8, "high")
    assert row["tip"].endswith(" sd, high")
    (band,) = layers(specs[0], "rect")
    assert specs[0]["datasets"][band["data"]["name"]] == [{"from": -0.25, "to": 0.25}]
    assert lines_at(specs[0]) == [0.0]
    assert layers(specs[0], "point")[0]["encoding"]["color"]["scale"]["domain"] == ["within", "low", "high"]


@pytest.mark.slow
def test_scores_are_lines_for_few_policies_and_an_area_for_one(specs: list[Spec]) -> None:
    def counts(policies: int) -> pl.DataFrame:
        rows = [(f"p{policy}", total, 1 + total - 40) for policy in range(policies) for total in (40, 41)]
        return pl.DataFrame(rows, schema={"policy": pl.String, "total": pl.Int64, "n": pl.Int64}, orient="row")

    assert scores(counts(2), "how").alternative == "how"
    assert [row["share"] for row in rows_in(specs[0], "tip")] == pytest.approx([1 / 3, 2 / 3] * 2)
    (line,) = layers(specs[0], "line")
    assert line["encoding"]["color"]["scale"] == {"domain": ["p0", "p1"], "range": list(SERIES[:2])}
    assert line["encoding"]["y"]["title"] == "share of seats per point"
    assert [spec["layer"][0]["encoding"]["color"]["legend"]["columns"] for spec in specs] == [4, 2]
    assert (specs[0]["height"], specs[1]["height"]) == (300, 230)
    specs.clear()
    scores(counts(1), "how")
    assert len(layers(specs[0], "area")) == 1
    specs.clear()
    scores(counts(len(SERIES)), "how")
    assert len(layers(specs[0], "line")) == 1
    specs.clear()
    scores(counts(len(SERIES) + 1), "how")
    assert {row["policy"] for row in rows_in(specs[0], "tip")} == {"all seats"}
    assert [row["share"] for row in rows_in(specs[0], "tip")] == pytest.approx([1 / 3, 2 / 3])


def test_names_are_broken_after_punctuation() -> None:
    """A letter takes 7.2 pixels: 36 letters fit 260 of them, 17 fit 125."""
    assert _broken_into_lines("a" * 80, narrow=False) == ["a" * 80]
    name = f"{'a' * 17}:{'b' * 18}"
    assert _broken_into_lines(name, narrow=False) == [name]
    assert _broken_into_lines(f"{name}c", narrow=False) == [f"{'a' * 17}:", f"{'b' * 18}c"]
    assert _broken_into_lines("search:playouts=64,x=1", narrow=True) == ["search:", "playouts=64,x=1"]
    heights = [_chart_height(pl.Series(names), narrow=True) for names in (["a", "b"], ["search:playouts=64,x=1"], [])]
    assert heights == [2 * ROW_HEIGHT, ROW_HEIGHT + LINE_HEIGHT, 0]


def test_titles_of_axes() -> None:
    chart = Chart("forest", ("x",), (), "T")
    assert heading_of(chart, Column("x", SHARE, unit="of wins")) == "x, of wins"
    assert heading_of(chart, Column("x", SHARE, unit="of wins", heading="share of wins")) == "share of wins"
    assert heading_of(Chart("forest", ("x",), (), "T", axis="worth"), Column("x", SHARE, difference=True)) == (
        "worth, percentage points"
    )
    assert _title("a" * 34, narrow=True) == "a" * 34
    assert _title(f"{'a' * 17} {'b' * 17}", narrow=True) == ["a" * 17, "b" * 17]
    assert _title("a " * 30, narrow=False) == "a " * 30


def test_axes_reach_a_little_beyond_all_intervals() -> None:
    rows = pl.DataFrame({"from": [0.1, None], "to": [0.6, None]}, schema={"from": pl.Float64, "to": pl.Float64})
    assert _axis_ends(rows, None, SHARES) == pytest.approx([0.08, 0.62])
    assert _axis_ends(rows, 1.1, SHARES) == pytest.approx([0.06, 1.14])
    assert _axis_ends(rows, 0.0, SHARES) == pytest.approx([0.0, 0.624]), "a share is not below 0"
    difference = estimated("x", SHARE, difference=True)
    assert _axis_ends(rows, 0.0, difference) == pytest.approx([-0.024, 0.624])
    assert _axis_ends(rows.head(0), 0.5, SHARES) == pytest.approx([0.4, 0.6])
