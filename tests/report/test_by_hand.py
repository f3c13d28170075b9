"""Unit tests of pages: labels, percentages and curves of a game, sentences, bins, and table cells."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import polars as pl
import pytest

from wsim.document import NAME, POINTS, Chart, Column, Sheet, estimated
from wsim.report.charts import MOST_BINS, _binned
from wsim.report.conclusions import joined, labelled, named, plural, with_players
from wsim.report.game_page import (
    SHORT,
    _chance_curves,
    _chapters,
    _curve,
    _curves,
    _end_label,
    _labels,
    _percents,
    _separate_labels,
    _Side,
    _sides,
    _swing_in_words,
)
from wsim.report.grids import Cell, Range, _Axis, _sorted_by, grid
from wsim.report.grids import _compact_cell as short_cell
from wsim.report.page import _as_text
from wsim.report.theme import SERIES
from wsim.stats.columns import FAIR, FAIR_SHARE_RATIO, PLAYER_HALF_WIDTH
from wsim.stats.tables import Table


def story(*names: str, sides: tuple[int, ...] = (), people: bool = False) -> Any:
    seats = [
        SimpleNamespace(name=name, side=side) for name, side in zip(names, sides or range(len(names)), strict=True)
    ]
    return SimpleNamespace(seats=seats, named=people, scenes=[])


def sides(*seats: list[int]) -> list[_Side]:
    return [_Side("", "", each) for each in seats]


def test_percentages_add_up_to_100_over_the_sides() -> None:
    """What is cut off most is rounded up; partners have the same share; who plays for no side has none."""
    assert _percents([1 / 3] * 3, sides([0], [1], [2])) == [34, 33, 33]
    assert _percents([0.291, 0.629, 0.08], sides([0], [1], [2])) == [29, 63, 8]
    assert _percents([0.255, 0.745, 0.255, 0.745, 0.9], sides([0, 2], [1, 3])) == [26, 74, 26, 74, 0]
    assert _percents([0.2, 0.9, 0.3, 0.6], sides([0, 2], [1, 3])) == [25, 75, 25, 75], "the mean of the partners"


def test_seats_are_numbered_unless_they_have_names() -> None:
    assert _labels(story("Rhodos", "Bot 1", "Bot 1")) == ["0 Rhodos", "Bot 1", "2 Bot 1"]
    assert _labels(story("Ann", "Bob", people=True)) == ["Ann", "Bob"]
    long = "A" * SHORT
    table = story(long, f"{long} Z", people=True)
    assert _end_label(table, [0]) == long
    assert _end_label(table, [1]) == "A" * (SHORT - 3) + "\N{HORIZONTAL ELLIPSIS}Z"
    assert (_end_label(table, [0, 1]), _end_label(story("a", "b"), [1])) == ("0+1", "1")
    teams: Any = SimpleNamespace(story=story("a", "b", "c", "d", sides=(0, 1, 0, -1)))
    assert [(side.name, side.short, side.seats, side.seat) for side in _sides(teams)] == [
        ("0 a + 2 c", "0+2", [0, 2], 0), ("1 b", "1", [1], 1)
    ]  # fmt: skip


def test_a_curve_is_drawn_in_svg_coordinates_with_its_band() -> None:
    made = _curve(_Side("x", "y", [1, 3]), [0.0, 0.5, 1.0], [(0.0, 0.1), (0.4, 0.6), (1.0, 1.0)])
    assert made == {
        "name": "x", "short": "y", "colour": SERIES[1], "line": "0.00,100.00 50.00,50.00 100.00,0.00",
        "band": "0.00,100.00 50.00,60.00 100.00,0.00 100.00,0.00 50.00,40.00 0.00,90.00", "end": 0.0,
    }  # fmt: skip
    assert _curve(_Side("", "", [0]), [0.25], ())["line"] == "0.00,75.00"
    assert _curve(_Side("", "", [len(SERIES)]), [0.25], ())["colour"] == SERIES[0]


def test_curve_end_labels_do_not_overlap_and_stay_on_the_page() -> None:
    """From the top on each is 7 below the one before, at least; then from the bottom up none is below 100."""
    lines: list[dict[str, Any]] = [{"end": end} for end in (100.0, 12.0, 99.0, 10.0)]
    _separate_labels(lines)
    assert [line["at"] for line in lines] == [100.0, 17.0, 93.0, 10.0]


def test_point_axes_have_round_ticks() -> None:
    """From -3 to 12: every 5, at (h + 3) / 15 of the height; a game without points goes to 10."""

    def curves(*totals: tuple[int, ...]) -> Any:
        told = story("a", "b")
        told.scenes = [
            SimpleNamespace(cities=[SimpleNamespace(points=(total, 0)) for total in scene]) for scene in totals
        ]
        replay: Any = SimpleNamespace(story=told, chances=SimpleNamespace(share=[]))
        (chart,) = _curves(replay, [])
        return chart

    chart = curves((0, 0), (12, -3))
    assert [(round(at, 2), text) for at, text in chart["ticks"]] == [(80.0, "0"), (46.67, "5"), (13.33, "10")]
    assert [line["line"] for line in chart["lines"]] == ["0.00,80.00 100.00,0.00", "0.00,80.00 100.00,100.00"]
    assert [line["at"] for line in chart["lines"]] == [0.0, 100.0]
    assert [text for _, text in curves((0, 0), (0, 4))["ticks"]] == ["0", "5", "10"]
    assert [text for _, text in curves((0, 0), (0, 61))["ticks"]] == ["0", "15", "30", "45", "60"]


def test_team_mates_share_one_chance_curve() -> None:
    assert _chance_curves(SimpleNamespace(share=[]), []) == []  # type: ignore[arg-type]
    told: Any = SimpleNamespace(
        share=[[0.5, 0.3, 0.7]], low=[[0.4, 0.2, 0.6]], high=[[0.6, 0.4, 0.8]], outside=[[0.1, 0.9, 0.3]]
    )
    chances, outside = _chance_curves(told, sides([0, 2], [1]))
    assert [line["line"] for line in chances["lines"]] == ["0.00,40.00", "0.00,70.00"]
    assert [line["band"] for line in chances["lines"]] == ["0.00,50.00 0.00,30.00", "0.00,80.00 0.00,60.00"]
    assert [(line["line"], line["band"]) for line in outside["lines"]] == [("0.00,80.00", ""), ("0.00,10.00", "")]
    assert [line["at"] for line in chances["lines"]] == [40.0, 70.0]
    assert (chances["name"], outside["name"]) == ("chances", "outside")
    assert chances["ticks"][0] == (100.0, "0%")
    assert chances["ticks"][-1] == (0.0, "100%")
    assert [100 - at for at, _ in outside["ticks"]] == [0, 25, 50, 75, 100]


def test_chapters_start_after_the_previous_scene_and_are_named_if_they_fit() -> None:
    told: Any = SimpleNamespace(scenes=[SimpleNamespace(chapter=name) for name in "AABCC"])
    assert [(part["name"], part["at"], part["named"]) for part in _chapters(told)] == [
        ("A", 0.0, True), ("B", 25.0, True), ("C", 50.0, True)
    ]  # fmt: skip
    assert [part["named"] for part in _chapters(told, 30.0)] == [True, False, True]
    assert [part["named"] for part in _chapters(told, 51.0)] == [True, False, False]


def test_a_turning_point_describes_the_move_of_its_side() -> None:
    events = [SimpleNamespace(seat=seat, words=seat) for seat in (None, 0, 1, 2, 3)]
    told = story("a", "b", "c", "d")
    told.scenes = [None, SimpleNamespace(events=events, turn_of=3, label="Age I, turn 2; 12 cards")]
    swing: Any = SimpleNamespace(seat=0, step=1, before=0.251, after=0.5)
    made = _swing_in_words(SimpleNamespace(story=told), [_Side("x", "", [1]), _Side("team", "", [0, 2])], swing)  # type: ignore[arg-type]
    assert [event.seat for event in made["did"]] == [None, 0, 2, 3], "its own, those of nobody and of whose turn it is"
    assert {key: made[key] for key in ("step", "label", "name", "before", "after", "colour")} == {
        "step": 1, "label": "Age I, turn 2", "name": "team", "before": "25%", "after": "50%", "colour": SERIES[0],
    }  # fmt: skip


# --- sentences and tables


def test_lists_are_joined_in_sentences() -> None:
    assert [joined(list("abc"[:count])) for count in range(4)] == ["", "a", "a and b", "a, b and c"]
    assert joined(["a", "b"], "or") == "a or b"
    assert named(list("abcde")) == "a, b, c, d and e"
    assert named(list("abcdef")) == "a, b, c, d and 2 more"
    assert named(list("abcd"), 2, "or") == "a, b and 2 more"
    assert named(list("abc"), 2, "or") == "a, b or c"
    assert (plural("card"), plural("policy"), plural("policy", 1), plural("card", 0)) == (
        "cards", "policies", "policy", "cards"
    )  # fmt: skip


def test_unowned_items_are_omitted_and_intervals_allow_for_other_players() -> None:
    """Half an interval of .15 and .05 of wins at a fair share of a quarter, four to one: root of .15² + .2² is .25."""
    frame = pl.DataFrame({
        "wonder": ["a", "b"], "side": ["A", "B"], "n": [9, 0], FAIR: [1.2, 1.0], f"{FAIR}_low": [1.05, 0.0],
        f"{FAIR}_high": [1.35, 2.0], "win_share": [0.3, 0.25], PLAYER_HALF_WIDTH: [0.05, None],
    })  # fmt: skip
    columns = (Column("wonder", NAME), Column("side", NAME), FAIR_SHARE_RATIO)
    (row,) = labelled(Table(frame, "T", columns=columns, labels=("wonder", "side")), FAIR).rows(named=True)
    assert (row["label"], row[f"{FAIR} from"], row[f"{FAIR} to"]) == ("a A", 1.05, 1.35)
    (wide,) = with_players(pl.DataFrame([row])).rows(named=True)
    assert (wide[f"{FAIR} from"], wide[f"{FAIR} to"]) == (pytest.approx(0.95), pytest.approx(1.45))
    other = pl.DataFrame([{"x from": 0.0, "x to": 0.24, PLAYER_HALF_WIDTH: 0.05, FAIR: 1.0, "win_share": 0.2}])
    (plain,) = with_players(other, "x").rows(named=True)
    assert (plain["x from"], plain["x to"]) == (pytest.approx(0.12 - 0.13), pytest.approx(0.25))


def test_scores_are_binned_by_whole_points_without_extremes() -> None:
    counts = pl.DataFrame({"policy": ["a", "a", "b"], "total": [10, 11, 12], "n": [1, 3, 2]})
    binned, width = _binned(counts)
    assert width == 1
    assert binned.select("policy", "total", "share").rows() == [
        ("a", 10, 0.25), ("a", 11, 0.75), ("a", 12, 0), ("b", 10, 0), ("b", 11, 0), ("b", 12, 1)
    ]  # fmt: skip
    assert binned["tip"][0].startswith("a, 10 points: 25")
    wide = pl.DataFrame({"policy": ["a"] * 4, "total": [-90, 3, 3 + MOST_BINS, 900], "n": [1, 7499, 2499, 1]})
    binned, width = _binned(wide)
    assert width == 2
    assert binned["total"][0] == 2.5, "2 and 3 together"
    assert binned["total"][-1] == pytest.approx((3 + MOST_BINS) // 2 * 2 + 0.5)
    assert binned["share"][0] == pytest.approx(0.7499)
    assert binned["tip"][0].startswith("a, 2.5 points: 7")


def test_an_interval_is_drawn_to_the_scale_of_its_column() -> None:
    """From -2 to 3 and .15 on either side: 0 is at 2.15 of 5.3."""
    column = estimated("x", POINTS)
    rows = [{"x": 2.0, "x_low": 1.0, "x_high": 3.0}, {"x": -1.0, "x_low": -2.0, "x_high": 0.0}]
    axis = _Axis(column, rows)
    assert axis.range(rows[0]) == Range(59.43, 97.17, 78.3, 40.57, True)
    assert axis.range(rows[1]) == Range(2.83, 40.57, 21.7, 40.57, False)
    assert axis.range({"x": None, "x_low": 1.0, "x_high": 3.0}) is None
    same = _Axis(column, [{"x": 0.0, "x_low": 0.0, "x_high": 0.0}])
    assert same.range({"x": 0.0, "x_low": 0.0, "x_high": 0.0}) == Range(50.0, 50.0, 50.0, 50.0, False)


def test_a_mark_in_a_table_is_filled_as_in_the_chart_of_its_column() -> None:
    """By the verdict, if the chart is judged; a column without a chart by its interval."""
    column = estimated("worth", POINTS, drawn=True)
    rows = [
        {"card": "A", "worth": 2.0, "worth_low": 1.0, "worth_high": 3.0, "verdict": "unclear"},
        {"card": "B", "worth": 2.0, "worth_low": 1.0, "worth_high": 3.0, "verdict": "higher"},
    ]
    for judged, filled in ((True, [False, True]), (False, [True, True])):
        chart = Chart("forest", ("worth",), ("card",), "Worth", judged=judged)
        shown = grid("cards", Sheet("Cards", rows, (column,), charts=(chart,))).rows
        assert [next(cell.range.clear for cell in row if cell.range) for row in shown] == filled


def test_slice_cells_are_as_short_as_possible() -> None:
    assert short_cell(Cell("3", 3.0, Range(10.0, 30.5, 20.0, 5.0, True), small="s", colour="c")) == [
        "3", 3.0, "s", "c", [10.0, 30.5, 20.0, 5.0, 1]
    ]  # fmt: skip
    assert short_cell(Cell("a", "a")) == ["a"]
    assert short_cell(Cell("0", 0)) == ["0", 0]
    assert short_cell(Cell("none", None)) == ["none"]
    assert short_cell(Cell("1/3", 1 / 3)) == ["1/3", 0.333333333]


def test_a_sorted_table_says_by_which_column() -> None:
    columns = [Column("name", NAME), estimated("x", POINTS, drawn=True), estimated("y", POINTS, drawn=True)]
    falling: list[dict[str, Any]] = [{"x": 3, "y": 1}, {"x": None, "y": 5}, {"x": 1, "y": 2}]
    assert _sorted_by(columns, falling) == 1
    assert _sorted_by(columns, falling[::-1]) is None
    assert _sorted_by(columns[:1], falling) is None


def test_plan_values_are_described_in_words() -> None:
    values: list[tuple[object, str]] = [
        ({"a": [1, 2], "b": None}, "a: 1, 2, b: none"), ((), "none"), (True, "yes"), (False, "no"), (0, "0"),
    ]  # fmt: skip
    for value, words in values:
        assert _as_text(value) == words
