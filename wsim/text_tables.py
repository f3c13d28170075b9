"""Tables as plain text that fits the screen, without breaking a number or a name.

If a table is too wide, the least important columns are left out (those that name the rows last), or all columns are
printed in several parts. If not even a few columns fit, each row is printed line by line. Only sentences wrap.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from shutil import get_terminal_size

from wsim.display import aligned, is_numeric
from wsim.document import Column, Document, Rows

GAP = 2  # spaces between columns
PROSE = 32  # longer text counts as a sentence, which may be broken between words
FEWEST = 3  # minimum number of columns of a table: a label and two figures, or two labels and one
NARROWEST = 24  # minimum width of a sentence, in characters


@dataclass(frozen=True)
class TextColumn:
    """A column as text.

    Attributes
    ----------
    name: its name in the table.
    heading: its words, which may be stacked.
    cells: one per row.
    right: whether it is right-aligned, as numbers are.
    """

    name: str
    heading: tuple[str, ...]
    cells: tuple[str, ...]
    right: bool

    @property
    def prose(self) -> bool:
        """Whether its cells are sentences."""
        return not self.right and any(len(cell) > PROSE and " " in cell for cell in self.cells)

    @property
    def widest(self) -> int:
        """Its width in characters without wrapping."""
        return max(map(len, (*self.heading, *self.cells)))

    @property
    def least(self) -> int:
        """Its minimum width in characters."""
        words = [len(word) for cell in self.cells for word in cell.split()] if self.prose else []
        return min(self.widest, max(NARROWEST, *map(len, self.heading), *words)) if self.prose else self.widest


@dataclass(frozen=True)
class TextTable:
    """A table laid out as lines of text, and the names of the columns that did not fit."""

    lines: tuple[str, ...]
    hidden: tuple[str, ...] = ()


def text_columns(columns: Sequence[Column], rows: Rows) -> list[TextColumn]:
    """Convert columns to text: estimates are followed by half widths, and numbers are right-aligned."""
    return [
        TextColumn(
            column.name,
            tuple(column.heading.split()),
            aligned(column, rows),
            is_numeric(row.get(column.name) for row in rows),
        )
        for column in columns
    ]


def as_text(columns: Sequence[TextColumn], width: int | None, first: Sequence[str] = ()) -> TextTable:
    """Lay out a table with the columns that fit.

    Parameters
    ----------
    width: in characters; None: unlimited.
    first: column names by decreasing importance; the other columns follow from the left. The first column of the table
        is always kept, because it names the rows. If not even the first few fit, rows are printed line by line.
    """
    if not columns or width is None:
        return TextTable(tuple(_side_by_side(columns, None)))
    names = [column.name for column in columns]
    important = list(dict.fromkeys([*names[:1], *(name for name in first if name in names)]))
    side_by_side: list[str] = []
    by_name = {column.name: column for column in columns}
    for name in dict.fromkeys([*important, *names]):
        if _least_width([by_name[chosen] for chosen in (*side_by_side, name)]) > width:
            break  # do not show a less important column instead
        side_by_side.append(name)
    shown = [column for column in columns if column.name in side_by_side]
    if len(shown) < min(max(len(important), 2), FEWEST, len(columns)):
        return TextTable(tuple(_line_by_line(columns, width)))
    return TextTable(tuple(_side_by_side(shown, width)), tuple(name for name in names if name not in side_by_side))


def all_as_text(columns: Sequence[TextColumn], width: int | None, labels: int) -> list[TextTable]:
    """Lay out all columns in as many tables as needed, repeating the first ``labels`` columns in each."""
    if width is None or _least_width(columns) <= width:
        return [as_text(columns, width)]
    front = list(columns[:labels])
    tables: list[list[TextColumn]] = [[]]
    for column in columns[labels:]:
        if tables[-1] and _least_width([*front, *tables[-1], column]) > width:
            tables.append([])
        tables[-1].append(column)
    if any(_least_width([*front, *table]) > width for table in tables):
        return [TextTable(tuple(_line_by_line(columns, width)))]
    return [TextTable(tuple(_side_by_side([*front, *table], width))) for table in tables]


def _least_width(columns: Sequence[TextColumn]) -> int:
    return sum(column.least for column in columns) + GAP * (len(columns) - 1)


def _side_by_side(columns: Sequence[TextColumn], width: int | None) -> list[str]:
    """Lay out columns next to each other and return the lines; columns with sentences share the spare width."""
    if not columns:
        return []
    if width is None:
        widths = [max(len(" ".join(column.heading)), *map(len, column.cells)) for column in columns]
        headings = [[" ".join(column.heading)] for column in columns]
    else:
        widths = [column.least for column in columns]
        spare = width - _least_width(columns)
        for index, column in enumerate(columns):
            more = min(spare, column.widest - widths[index])
            widths[index], spare = widths[index] + more, spare - more
        for index, column in enumerate(columns):  # headings on one line if they fit
            more = len(" ".join(column.heading)) - widths[index]
            if 0 < more <= spare and not column.prose:
                widths[index], spare = widths[index] + more, spare - more
        headings = [textwrap.wrap(" ".join(column.heading), size) for column, size in zip(columns, widths, strict=True)]
    deepest = max(map(len, headings))
    headings = [[""] * (deepest - len(heading)) + heading for heading in headings]
    lines = [_line(row, widths, columns) for row in zip(*headings, strict=True)]
    lines.append("─" * (sum(widths) + GAP * (len(widths) - 1)))
    for row in range(len(columns[0].cells)):
        cells = [_wrapped(column, row, size) for column, size in zip(columns, widths, strict=True)]
        tallest = max(map(len, cells))
        filled = [cell + [""] * (tallest - len(cell)) for cell in cells]
        lines += [_line(part, widths, columns) for part in zip(*filled, strict=True)]
    return lines


def _wrapped(column: TextColumn, row: int, width: int) -> list[str]:
    """Split a cell into lines; only sentences that exceed ``width`` take more than one line."""
    cell = column.cells[row]
    if len(cell) <= width or not column.prose:
        return [cell]
    return textwrap.wrap(cell, width, break_long_words=False, break_on_hyphens=False) or [""]


def _line(cells: Iterable[str], widths: Sequence[int], columns: Sequence[TextColumn]) -> str:
    placed = [
        f"{cell:>{width}}" if column.right else f"{cell:<{width}}"
        for cell, width, column in zip(cells, widths, columns, strict=True)
    ]
    return (" " * GAP).join(placed).rstrip()


def _line_by_line(columns: Sequence[TextColumn], width: int) -> list[str]:
    """Print each row as lines ``heading: cell``, split in two where they do not fit on one line."""
    lines: list[str] = []
    for row in range(len(columns[0].cells)):
        lines += [""] if row else []
        for column in columns:
            heading, cell = " ".join(column.heading) + ":", column.cells[row]
            if len(heading) + 1 + len(cell) <= width:
                lines.append(f"{heading} {cell}".rstrip())
            else:
                lines += [heading, *(f"  {line}" for line in _wrapped(column, row, max(width - 2, 1)))]
    return lines


def text_of(heading: str, document: Document, width: int | None = None) -> str:
    """Format a document for an interactive prompt: the main columns that fit on the screen, and the notes."""
    width = width or get_terminal_size((120, 24)).columns
    parts = [heading, *(text for text in document.head if text != heading)]
    for sheet in document.tables:
        parts += [] if sheet.title == heading else [sheet.title]
        parts += (
            as_text(text_columns(sheet.shown, sheet.rows), width, sheet.first).lines if sheet.rows else ["(no rows)"]
        )
    return "\n".join([*parts, *filter(None, document.notes)])
