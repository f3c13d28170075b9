"""Build the tables of a page from sheets, with headings, cells, and intervals drawn within cells."""

from __future__ import annotations

import json
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from wsim.display import interval_of, title, unit_of, written
from wsim.document import CATEGORY, NAME, Chart, Column, Row, Rows, Sheet
from wsim.report.theme import Palette

SEARCHED = 20
"""The minimum number of rows of a table that has a search field."""
ON_NARROW = 2
"""The number of columns, by priority, that a narrow screen shows in addition to the labels."""


@dataclass(frozen=True)
class Range:
    """An interval drawn within a cell; all positions are percentages of the cell's width."""

    low: float
    high: float
    value: float
    reference: float
    clear: bool

    @property
    def style(self) -> str:
        """The positions as CSS variables (fractions of the width), from which the style sheet draws the interval."""
        places = {"from": self.low, "to": self.high, "here": self.value, "base": self.reference}
        return ";".join(f"--{name}:{place / 100:.4g}" for name, place in places.items())


@dataclass(frozen=True)
class Cell:
    """A cell: text, sort key, and optionally an interval, a coloured dot, a second text in small print, a link.

    ``face``: the name of the card that is shown on hover (``wsim.report.cards``). ``pick``: the value of the checkbox
    in front of the text; empty: no checkbox.
    """

    text: str
    key: float | str | None
    range: Range | None = None
    colour: str = ""
    small: str = ""
    link: str = ""
    face: str = ""
    pick: str = ""


Lines = Sequence[Sequence[Cell]]


@dataclass(frozen=True)
class Heading:
    """The heading of a column.

    Attributes
    ----------
    heading: the text. unit: the unit of the numbers. about: the description. numeric: whether the column contains
        numbers. category: whether it contains one of a few words, which are coloured. minor: whether a narrow screen
        hides it. wide: whether intervals are drawn in it.
    link: the address of the page sorted by this column, if the server sorts.
    """

    heading: str
    numeric: bool = True
    minor: bool = False
    about: str = ""
    wide: bool = False
    unit: str = ""
    link: str = ""
    category: bool = False


@dataclass(frozen=True)
class Grid:
    """A table of a page, ready for the template.

    Attributes
    ----------
    name: the id in the page. caption: the caption. columns, rows: the content.
    search: whether the table can be searched. choices: columns (by index) with filters, and their values.
    sorted_by: the index of the column that the rows are sorted by, or None; ``descending``: the direction.
    slices: the rows for a subset of the seats, by dimension (wonder) and value (Gizah).
    csv: the address of the rows as a file, if the server provides one. picks: the id of the form that receives the
        rows with ticked checkboxes.
    """

    name: str
    caption: str
    columns: Sequence[Heading]
    rows: Lines
    search: bool = False
    choices: Mapping[int, Sequence[str]] = field(default_factory=dict)
    sorted_by: int | None = None
    descending: bool = True
    slices: Mapping[str, Mapping[str, Lines]] = field(default_factory=dict)
    csv: str = ""
    picks: str = ""


def heading_of(name: str) -> str:
    """Return the heading of a column on a page, in the spelling of prose: ``Colour`` for ``color``."""
    return title(name.replace("color", "colour"))


def plain(value: object) -> Cell:
    """Return a cell that contains only text."""
    text = "" if value is None else str(value)
    return Cell(text, text)


class _Axis:
    """Scales the estimates of a column to the width of a cell; marks are filled as in the chart of the column."""

    def __init__(self, column: Column, rows: Rows, chart: Chart | None = None) -> None:
        self._column, self._reference, self._chart = column, column.reference or 0.0, chart
        ends = [end for row in rows for end in column.interval(row) or ()]
        low, high = min([self._reference, *ends]), max([self._reference, *ends])
        margin = 0.03 * (high - low) or 1.0
        self._start, self._length = low - margin, high - low + 2 * margin

    def range(self, row: Row) -> Range | None:
        """Return the interval of a row; None if the row has no interval."""
        value, ends = row.get(self._column.name), self._column.interval(row)  # a slice may lack the column
        if value is None or ends is None:
            return None
        low_at, high_at, at, reference = (self._at(number) for number in (*ends, value, self._reference))
        inside = ends[0] <= self._reference <= ends[1]
        clear = self._chart.marks_clear(row, ends, self._reference) if self._chart is not None else not inside
        return Range(low_at, high_at, at, reference, clear)

    def _at(self, value: float) -> float:
        return float(round(100 * (value - self._start) / self._length, 2))


def grid(
    name: str,
    sheet: Sheet,
    caption: str = "",
    *,
    palette: Palette | None = None,
    slices: Mapping[str, Mapping[str, Rows]] | None = None,
    wide: bool = False,
    faces: Container[str] = (),
) -> Grid:
    """Convert a sheet to a table for a page.

    Parameters
    ----------
    name: the id. caption: the caption (default: the title of the sheet).
    palette: colours of names, which mark the rows with these names.
    slices: the rows of the same table for subsets of the seats. wide: whether to show all columns.
    faces: the names that are cards, which cells show on hover.
    """
    columns = sheet.columns if wide else sheet.shown
    charts = {name: chart for chart in reversed(sheet.charts) for name in chart.values}
    axes = {column.name: _Axis(column, sheet.rows, charts.get(column.name)) for column in columns if column.drawn}
    search = len(sheet.rows) > SEARCHED
    categories = [index for index, column in enumerate(columns) if column.kind is CATEGORY] if search else []

    def lines(rows: Rows) -> Lines:
        return [_cells_of_row(columns, row, axes, palette, faces) for row in rows]

    return Grid(
        name, caption or sheet.title, _headings(sheet, columns), lines(sheet.rows), search=search,
        choices={index: _filter_values(columns[index], sheet.rows) for index in categories},
        sorted_by=_sorted_by(columns, sheet.rows),
        slices={what: {level: lines(rows) for level, rows in parts.items()} for what, parts in (slices or {}).items()},
    )  # fmt: skip


def _headings(sheet: Sheet, columns: Sequence[Column]) -> list[Heading]:
    """Return the headings of the columns; narrow screens hide all numbers but the first few of ``sheet.first``."""
    numbers = {column.name for column in columns[sheet.labels :]}
    kept = [name for name in sheet.first if name in numbers][:ON_NARROW]
    return [
        Heading(
            heading_of(column.heading), column.kind.numeric, about=column.about, unit=unit_of(column),
            wide=column.drawn, category=column.kind is CATEGORY,
            minor=bool(kept) and column.name in numbers and column.name not in kept and not column.drawn,
        )
        for column in columns
    ]  # fmt: skip


def _sorted_by(columns: Sequence[Column], rows: Rows) -> int | None:
    """Return the index of the first column with drawn intervals if the rows are sorted by it; else None."""
    index = next((index for index, column in enumerate(columns) if column.drawn), None)
    if index is None:
        return None
    values = [value for row in rows if (value := row.get(columns[index].name)) is not None]
    return index if values == sorted(values, reverse=True) else None


def _cells_of_row(
    columns: Sequence[Column], row: Row, axes: Mapping[str, _Axis], palette: Palette | None, faces: Container[str]
) -> list[Cell]:
    cells = []
    for column in columns:
        value = row.get(column.name)
        key = value if isinstance(value, int | float) and not isinstance(value, bool) else _text(column, value)
        drawn = axes[column.name].range(row) if column.name in axes else None
        small = interval_of(column, row)
        face = str(value) if column.kind is NAME and value in faces else ""
        cells.append(Cell(_text(column, value), None if key == "" else key, drawn, small=small, face=face))
    if palette is not None and cells:
        colour = next((palette.own_of(cell.text) for cell in cells if palette.own_of(cell.text)), "")
        cells[0] = Cell(cells[0].text, cells[0].key, colour=colour, face=cells[0].face)
    return cells


def _text(column: Column, value: Any) -> str:
    return ("no", "yes")[value] if isinstance(value, bool) else written(column, value)


def _filter_values(column: Column, rows: Rows) -> list[str]:
    return [_text(column, value) for value in sorted({row[column.name] for row in rows} - {None})]


def parts_json(grid: Grid) -> str:
    """Serialise the rows in a grid's slices as JSON for a script element, from which page.js builds table rows.

    A cell is [text, key, small text, colour, [low, high, value, reference, clear]], without trailing empty fields; a
    key that equals the text is null. Keys have nine digits.
    """
    rows = [
        [[_compact_cell(cell) for cell in row] for row in part]
        for parts in grid.slices.values()
        for part in parts.values()
    ]
    return json.dumps(rows, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")


def _compact_cell(cell: Cell) -> list[Any]:
    drawn = cell.range
    ends = drawn and [drawn.low, drawn.high, drawn.value, drawn.reference, int(drawn.clear)]
    key = float(f"{cell.key:.9g}") if isinstance(cell.key, float) else "" if cell.key is None else cell.key
    parts = [cell.text, None if key == cell.text else key, cell.small, cell.colour, ends]
    while len(parts) > 1 and not parts[-1] and parts[-1] != 0:
        parts.pop()
    return parts
