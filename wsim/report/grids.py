"""Tables of a page: headings, cells, and intervals drawn within cells, all from the columns of a sheet."""

from __future__ import annotations

import json
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from wsim.display import interval_of, title, unit_of, written
from wsim.document import CATEGORY, NAME, Column, Row, Rows, Sheet
from wsim.report.theme import Palette

SEARCHED = 20
"""Number of rows from which a table has a search field."""
ON_NARROW = 2
"""Columns that a narrow screen shows in addition to the labels: the first ones by priority."""


@dataclass(frozen=True)
class Range:
    """An interval drawn in a cell; all numbers are percentages of the cell's width."""

    low: float
    high: float
    value: float
    reference: float
    clear: bool

    @property
    def style(self) -> str:
        """The places as parts of the width, for the style sheet that draws them."""
        places = {"from": self.low, "to": self.high, "here": self.value, "base": self.reference}
        return ";".join(f"--{name}:{place / 100:.4g}" for name, place in places.items())


@dataclass(frozen=True)
class Cell:
    """A cell: text, sort key, and optionally an interval, a coloured dot, a smaller second text, a link.

    ``face``: the name of the card that is shown when the cell is pointed at (``wsim.report.cards``). ``pick``: what is
    chosen by the box in front of it; empty: there is no box.
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
    """A heading of a column.

    Attributes
    ----------
    heading: its text. unit: the unit of its numbers. about: its description. numeric: whether it contains numbers.
        category: whether it contains one of a few words, which are coloured. minor: whether a narrow screen hides it.
        wide: whether intervals are drawn in it.
    link: the address of the page sorted by it, if the server sorts.
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
    """A table.

    Attributes
    ----------
    name: its id in the page. caption: its caption. columns, rows: its content.
    search: whether it can be searched. choices: columns (by index) with filters, and their values.
    sorted_by: the index of the column that sorts the rows, or None; ``descending``: the direction.
    slices: the rows for some of the seats, by the dimension (wonder) and its value (Gizah).
    csv: the address of its rows as a file, if the server writes one. picks: the id of the form that receives the rows
        that are ticked.
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


def plain(value: object) -> Cell:
    """Return a cell of text."""
    text = "" if value is None else str(value)
    return Cell(text, text)


class _Axis:
    """Scale the estimates of a column to the width of a cell."""

    def __init__(self, column: Column, rows: Rows) -> None:
        self._column, self._reference = column, column.reference or 0.0
        ends = [end for row in rows for end in column.interval(row) or ()]
        low, high = min([self._reference, *ends]), max([self._reference, *ends])
        margin = 0.03 * (high - low) or 1.0
        self._start, self._length = low - margin, high - low + 2 * margin

    def range(self, row: Row) -> Range | None:
        """Return the interval of a row; None if it has none."""
        value, ends = row.get(self._column.name), self._column.interval(row)  # a slice may lack the column
        if value is None or ends is None:
            return None
        low_at, high_at, at, reference = (self._at(number) for number in (*ends, value, self._reference))
        return Range(low_at, high_at, at, reference, not ends[0] <= self._reference <= ends[1])

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
    """Return a sheet as a table of a page.

    Parameters
    ----------
    name: its id. caption: default: the title of the sheet.
    palette: colours of names, which mark rows with these names.
    slices: the rows of the same table for some of the seats. wide: every column, not only the main ones.
    faces: names that are cards, which cells show when they are pointed at.
    """
    columns = sheet.columns if wide else sheet.shown
    kept = [column for column in sheet.first if column in {shown.name for shown in columns[sheet.labels :]}][:ON_NARROW]
    headings = [
        Heading(
            title(column.heading), column.kind.numeric, about=column.about, unit=unit_of(column), wide=column.drawn,
            category=column.kind is CATEGORY,
            minor=bool(kept) and index >= sheet.labels and column.name not in kept and not column.drawn,
        )
        for index, column in enumerate(columns)
    ]  # fmt: skip
    axes = {column.name: _Axis(column, sheet.rows) for column in columns if column.drawn}
    search = len(sheet.rows) > SEARCHED
    categories = [index for index, column in enumerate(columns) if column.kind is CATEGORY] if search else []

    def lines(rows: Rows) -> Lines:
        return [_line(columns, row, axes, palette, faces) for row in rows]

    return Grid(
        name, caption or sheet.title, headings, lines(sheet.rows), search=search,
        choices={index: _values(columns[index], sheet.rows) for index in categories},
        sorted_by=_sorted_by(columns, sheet.rows),
        slices={what: {level: lines(rows) for level, rows in parts.items()} for what, parts in (slices or {}).items()},
    )  # fmt: skip


def _sorted_by(columns: Sequence[Column], rows: Rows) -> int | None:
    """Return the index of the first drawn column if the rows are in its order."""
    index = next((index for index, column in enumerate(columns) if column.drawn), None)
    if index is None:
        return None
    values = [value for row in rows if (value := row.get(columns[index].name)) is not None]
    return index if values == sorted(values, reverse=True) else None


def _line(
    columns: Sequence[Column], row: Row, axes: Mapping[str, _Axis], palette: Palette | None, faces: Container[str]
) -> list[Cell]:
    cells = []
    for column in columns:
        value = row.get(column.name)
        key = value if isinstance(value, int | float) and not isinstance(value, bool) else written(column, value)
        drawn = axes[column.name].range(row) if column.name in axes else None
        small = interval_of(column, row)
        face = str(value) if column.kind is NAME and value in faces else ""
        cells.append(Cell(written(column, value), None if key == "" else key, drawn, small=small, face=face))
    if palette is not None and cells:
        colour = next((palette.own_of(cell.text) for cell in cells if palette.own_of(cell.text)), "")
        cells[0] = Cell(cells[0].text, cells[0].key, colour=colour, face=cells[0].face)
    return cells


def _values(column: Column, rows: Rows) -> list[str]:
    return [written(column, value) for value in sorted({row[column.name] for row in rows} - {None})]


def parts_json(grid: Grid) -> str:
    """Return the rows of the slices of a grid as JSON for a script element, from which page.js builds rows.

    A cell is [text, key, smaller text, colour, [low, high, value, reference, clear]], without trailing empty fields; a
    key equal to the text is null. Keys have nine digits.
    """
    rows = [
        [[_short(cell) for cell in row] for row in part] for parts in grid.slices.values() for part in parts.values()
    ]
    return json.dumps(rows, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")


def _short(cell: Cell) -> list[Any]:
    drawn = cell.range
    ends = drawn and [drawn.low, drawn.high, drawn.value, drawn.reference, int(drawn.clear)]
    key = float(f"{cell.key:.9g}") if isinstance(cell.key, float) else "" if cell.key is None else cell.key
    parts = [cell.text, None if key == cell.text else key, cell.small, cell.colour, ends]
    while len(parts) > 1 and not parts[-1] and parts[-1] != 0:
        parts.pop()
    return parts
