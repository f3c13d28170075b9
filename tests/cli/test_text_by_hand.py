"""Values, tables and documents as text, worked out character by character: cells, intervals, widths, notebooks."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import polars as pl
import pytest

from wsim.display import (
    MAX_ROWS,
    aligned,
    cell_words,
    csv_of,
    html_of,
    interval_of,
    json_of,
    number,
    number_range,
    percent,
    probability,
    signed,
    title,
    unit_of,
    written,
)
from wsim.document import (
    COUNT,
    NAME,
    NUMBER,
    POINTS,
    PROBABILITY,
    RATIO,
    SHARE,
    TEXT,
    Chart,
    Column,
    Document,
    Sheet,
    columns_of,
    default_column,
    estimated,
)
from wsim.errors import UserError
from wsim.options import decimal, names, short_number, whole
from wsim.position import Position
from wsim.text_tables import TextColumn, all_as_text, as_text, text_of

M = "\N{MINUS SIGN}"


# --- values


def test_numbers_have_signs_thousands_separators_and_a_true_minus() -> None:
    assert [number(value) for value in (None, math.nan, math.inf, 1234.5, -0.001, -2.0)] == [
        "", "", "", "1,234.50", "0.00", f"{M}2.00"
    ]  # fmt: skip
    assert [signed(value, 1) for value in (None, 0.04, -0.04, 0.06, -1.0)] == ["", "0.0", "0.0", "+0.1", f"{M}1.0"]
    assert [percent(value) for value in (None, math.inf, 0.125, -0.5)] == ["", "", "12.5%", f"{M}50.0%"]
    assert [probability(value) for value in (None, 0.0009, 0.001, 0.04)] == ["", "<0.001", "0.001", "0.040"]
    assert number_range(1.584, 1.69) == "1.58 to 1.69"
    assert number_range(-1.0, 2.0, 0, sign=True) == f"{M}1 to +2"
    assert (number_range(None, 2.0), number_range(1.0, None)) == ("", "")


def test_headings_are_capitalised_unless_they_start_with_a_single_letter() -> None:
    assert [title(text) for text in ("win_share", "n games", "x fair share", " q")] == [
        "Win share", "n games", "x fair share", "q"
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("column", "value", "text"),
    [
        (Column("x", SHARE), 0.256, "25.6%"), (Column("x", SHARE, difference=True), 0.056, "+5.6"),
        (Column("x", SHARE, spread=True), 0.056, "±5.6"), (Column("x", PROBABILITY), 0.0001, "<0.001"),
        (Column("x", COUNT), 12345, "12,345"), (Column("x", NAME), 12345, "12345"),
        (Column("x", POINTS), 4.256, "4.26"),
        (Column("x", POINTS, difference=True), 4, "+4.00"), (Column("x", RATIO), 1.5, "1.50"),
        (Column("x", NUMBER), 0.98765, "0.988"), (Column("x", NUMBER), 1.0, "1.00"), (Column("x", NUMBER), None, ""),
        (Column("x", TEXT), True, "true"), (Column("x", TEXT), ["a", None, False], "a, , false"),
    ],
)  # fmt: skip
def test_values_are_formatted_by_column(column: Column, value: Any, text: str) -> None:
    assert written(column, value) == text


def test_estimates_and_intervals_share_a_unit() -> None:
    row = {"x": 0.25, "x_low": 0.2, "x_high": 0.3}
    assert cell_words(estimated("x", SHARE), row) == "25.0% (20.0 to 30.0)"
    assert cell_words(estimated("x", SHARE, difference=True), row) == "+25.0 (+20.0 to +30.0)"
    assert cell_words(estimated("x", NUMBER), row) == "0.250 (0.200 to 0.300)"
    assert interval_of(estimated("x", NUMBER), {**row, "x": None}) == "0.200 to 0.300"
    assert interval_of(estimated("x", NUMBER), {**row, "x": 1.5}) == "0.20 to 0.30"
    assert interval_of(estimated("x", NUMBER), {**row, "x_low": None}) == ""
    assert cell_words(Column("x", NUMBER), row) == "0.250"
    units = [unit_of(Column("x", SHARE, unit="of wins", difference=difference)) for difference in (False, True)]
    assert units == ["of wins", "percentage points"]
    assert unit_of(Column("x", SHARE, spread=True)) == "percentage points"
    assert unit_of(Column("x", POINTS, difference=True)) == "points"


def test_a_text_column_has_equal_decimals_and_half_widths() -> None:
    """Three decimals below 10, two below 1000, else none; an interval is never ±0 where it is only small."""
    column = estimated("x", NUMBER)
    rows: list[dict[str, Any]] = [
        {"x": 9.5, "x_low": 9.0, "x_high": 10.0},
        {"x": -2.0, "x_low": -2.0004, "x_high": -1.9996},
        {"x": None},
    ]
    assert aligned(column, rows) == ("9.500 ±0.500", "-2.000 ±<0.001", "")
    assert aligned(column, [{"x": 10.0, "x_low": 8.0, "x_high": 12.0}]) == ("10.00 ±2.00",)
    assert aligned(Column("x", NUMBER), [{"x": 1000.4}, {"x": 7}, {"x": math.inf}, {"x": True}]) == (
        "1,000", "7", "inf", "true"
    )  # fmt: skip
    uneven = estimated("x", NUMBER, asymmetric=True)
    assert aligned(uneven, [{"x": 1.0, "x_low": 0.5, "x_high": 4.0}]) == ("1.000 [0.500, 4.000]",)
    assert aligned(Column("x", NUMBER, spread=True), [{"x": 0.25}, {"x": None}, {"x": 0.0001}]) == (
        "±0.250",
        "",
        "±<0.001",
    )
    assert aligned(Column("x", PROBABILITY), [{"x": 0.25}, {"x": None}]) == ("0.250", "")


def test_json_and_csv_convert_unsupported_values() -> None:
    assert json_of({1: [math.nan, 2.5, (True, None)], "a": {"b": range(2)}}) == {
        "1": [None, 2.5, [True, None]], "a": {"b": "range(0, 2)"}
    }  # fmt: skip
    assert csv_of(pl.DataFrame({"x": [1]}), {"a": "ü", "b": {"c": math.inf}}) == (
        '# {"a": "ü"}\n# {"b": {"c": null}}\nx\n1\n'
    )


def test_a_notebook_shows_headings_units_intervals_and_omissions() -> None:
    row = {"name": "a<b", "x": 0.25, "x_low": 0.2, "x_high": 0.3, "extra": 1}
    columns = (Column("name", NAME), estimated("x", SHARE, unit="of wins"), Column("extra", COUNT))
    sheet = Sheet("T", [row] * (MAX_ROWS + 2), columns, main=("name", "x"))
    document = Document(
        pl.DataFrame(), [sheet], head=["Head", "more"], notes=["note"], command="wsim x", missing="nothing"
    )
    made = html_of("Head", document)
    assert made.startswith("<div><h4>Head</h4><p>more</p><table><caption>T</caption>")
    assert '<th style="text-align: right">x<br><small>of wins</small></th>' in made
    assert '<td style="text-align: left">a&lt;b</td>' in made
    assert '<td style="text-align: right">25.0%<br><small>20.0 to 30.0</small></td></tr>' in made
    assert made.endswith("<p>2 more rows</p><p>1 more column</p><p>note</p><pre><code>wsim x</code></pre></div>")
    assert "nothing" not in made
    empty = html_of("T", Document(pl.DataFrame(), [Sheet("T", [])], missing="nothing"))
    assert empty == "<div><h4>T</h4><table><thead><tr></tr></thead><tbody></tbody></table><p>nothing</p></div>"


# --- declarations


def test_columns_are_declared_or_guessed_from_their_values() -> None:
    assert [default_column("x", values).kind for values in ([1, None], [1, 2.5], [True], ["a"], [None], [1, "a"])] == [
        COUNT, NUMBER, TEXT, TEXT, TEXT, TEXT
    ]  # fmt: skip
    found = columns_of(["x", "x_low", "n", "x_high"], [estimated("x", SHARE)], [{"n": 3}])
    assert [(column.name, column.kind) for column in found] == [("x", SHARE), ("n", COUNT)]
    assert (Column("a_b", NUMBER).heading, Column("a", POINTS).unit) == ("a b", "points")
    assert Column("a", NUMBER, difference=True).reference == 0.0
    assert Column("a", NUMBER).reference is None
    called = estimated("a", SHARE).called("b")
    assert (called.name, called.ends, called.heading) == ("b", ("b_low", "b_high"), "b")
    wrong: list[dict[str, Any]] = [
        {"kind": POINTS, "unit": "x"}, {"kind": COUNT, "unit": "x"}, {"kind": PROBABILITY, "unit": "x"},
        {"kind": NAME, "drawn": True}, {"kind": TEXT, "spread": True}, {"kind": NAME, "difference": True},
    ]  # fmt: skip
    for given in wrong:
        with pytest.raises(ValueError, match="the column 'a'"):
            Column("a", **given)


def test_a_mark_is_filled_where_the_interval_or_the_verdict_is_clear() -> None:
    chart, judged = (Chart("forest", ("x",), ("name",), "T", judged=judged) for judged in (False, True))
    ends = [(0.1, 0.3), (0.0, 0.3), (-0.2, -0.1), (-0.1, 0.0)]
    assert [chart.marks_clear({}, each, 0.0) for each in ends] == [True, False, True, False]
    assert (chart.marks_clear({}, None, 0.0), chart.marks_clear({}, None, None)) == (False, True)
    verdicts = ("higher", "lower", "unclear", None)
    assert [judged.marks_clear({"verdict": verdict}, (1, 2), 0.0) for verdict in verdicts] == [True, True, False, False]


# --- tables of a terminal


def column(name: str, *cells: str, right: bool = False) -> TextColumn:
    return TextColumn(name, tuple(name.split()), cells, right)


def test_columns_are_separated_by_two_spaces() -> None:
    table = as_text([column("who", "net", "b"), column("n", "5", "12", right=True)], None)
    assert table.lines == ("who   n", "───────", "net   5", "b    12")
    assert as_text([column("who", "net"), column("n", "5")], 6).lines == ("who  n", "──────", "net  5")
    wrapped = as_text([column("who", "a"), column("fair share", "1.0", right=True)], 10)
    assert wrapped.lines == ("      fair", "who  share", "──────────", "a      1.0")
    one_line = as_text([column("who", "a"), column("fair share", "1.0", right=True)], 15)
    assert one_line.lines == ("who  fair share", "───────────────", "a           1.0")


def test_the_least_important_columns_are_hidden_first() -> None:
    columns = [column(name, "12345") for name in ("aaaaa", "bbbbb", "ccccc", "ddddd")]
    assert as_text(columns, 19).hidden == ("ddddd",)
    assert as_text(columns, 18).hidden == ("ccccc", "ddddd")
    assert as_text(columns, 11).lines[:2] == ("aaaaa:", "  12345")
    assert as_text(columns, 19, ("ddddd", "unknown")).hidden == ("ccccc",)
    assert as_text(columns, 26).hidden == ()
    two = all_as_text(columns, 19, 1)
    assert [table.lines[0] for table in two] == ["aaaaa  bbbbb  ccccc", "aaaaa  ddddd"]
    assert len(all_as_text(columns, 26, 1)) == len(all_as_text(columns, None, 1)) == 1
    (lines,) = all_as_text(columns, 11, 1)
    assert lines.lines[:5] == ("aaaaa:", "  12345", "bbbbb:", "  12345", "ccccc:")
    assert as_text([], 10).lines == ()


def test_sentences_wrap_and_take_the_spare_width() -> None:
    sentence = "eleven words of which none is any longer than eleven letters"
    prose = column("why", sentence)
    assert (prose.prose, prose.widest, prose.least) == (True, 60, 24)
    assert not column("why", "x" * 40).prose
    assert not column("why", sentence, right=True).prose
    lines = as_text([column("who", "a"), prose, column("n", "5")], 40).lines
    assert lines[0] == "who  why" + " " * 31 + "n"
    assert lines[2:] == ("a    eleven words of which none is" + " " * 5 + "5", "     any longer than eleven letters")
    rows = as_text([column("who", "a", "b"), column("why", "c", "d"), column("n", "5", "6")], 6).lines
    assert rows == ("who: a", "why: c", "n: 5", "", "who: b", "why: d", "n: 6")
    document = Document(
        pl.DataFrame(),
        [Sheet("T", [{"n": 5}], (Column("n", COUNT),)), Sheet("U", [])],
        head=["H", "I"],
        notes=["", "end"],
    )
    assert text_of("H", document, 40).split("\n") == ["H", "I", "T", "n", "─", "5", "U", "(no rows)", "end"]
    assert text_of("T", document, 40).split("\n")[:4] == ["T", "H", "I", "n"]


# --- options, positions


def test_option_numbers_are_parsed() -> None:
    typed = {"2.5k": 2500, "1,000": 1000, "1_000": 1000, "1e6": 10**6, "-3M": -3 * 10**6, "0.5e1": 5, "+7": 7, "2.0": 2}
    assert {text: whole(text) for text in typed} == typed
    for text in ("2.55", "1.2345k", "k", "1e", "", "1" * 41):
        with pytest.raises(UserError):
            whole(text)
    assert whole("1" * 40) == int("1" * 40)
    assert [short_number(text) for text in ("123456789", "1234567890", "-5", "", "5.0")] == [
        123456789,
        None,
        -5,
        None,
        None,
    ]
    assert decimal("1e-3") == 0.001
    with pytest.raises(UserError, match="'x' is not a number"):
        decimal("x")
    assert names(" a, ,b ,") == ("a", "b")


class _Game(Position):
    """A game in which two seats take turns, and each move is determined by the number of the decision."""

    def __init__(self) -> None:
        self.taken: list[int] = []

    @property
    def to_move(self) -> int | None:
        return None if len(self.taken) == 3 else len(self.taken) % 2

    def take(self, move: int) -> None:
        self.taken.append(move)

    def chosen_by(self, simulator: Any, seed: int, number: int = 0) -> int:
        return 10 * seed + number % 1000

    def redrawn(self, seat: int, seed: int, number: int = 0) -> Any:
        game = self.clone()
        game.take(100 * seat + seed + number)
        return game

    def scores(self) -> Any:
        return [{"total": sum(self.taken), "win_share": self.taken[-1]}, {"total": self.taken[0], "win_share": 0}]


def test_playouts_number_their_decisions_and_redraw_for_a_seat() -> None:
    """Decisions 0, 1, 2 of seed 1 take 10, 11, 12; drawn again for seat 1, game 2 begins with 100 + 1 + 2."""
    _Game.__abstractmethods__ = frozenset()
    game: Any = _Game()  # type: ignore[abstract]
    plain = game.play_out(None, 2, None, 1)
    assert plain.shape == (2, 2, 2)
    assert plain[0].tolist() == [[33, 12], [10, 0]]
    seen = game.play_out(None, 1, 1, 1, first=2)
    assert seen[0, 1].tolist() == [103, 0]
    both = game.compare(None, [7, 8], 1, None, 1)
    assert both.shape == (1, 2, 2, 2)
    assert both[0, :, 1, 0].tolist() == [7, 8]
    assert game.taken == [], "the position itself stays"
    assert game.observation(0, 3).tolist() == [0, 0, 0]
    viewed: Any = SimpleNamespace(view=lambda _seat: {"hand": "card " * 20, "coins": 3})
    assert Position.text(viewed, 0) == ["hand: " + " ".join(["card"] * 15), "  " + " ".join(["card"] * 5), "coins: 3"]
