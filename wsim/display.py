"""Format values, tables and documents as text, JSON, CSV and HTML, with units and intervals.

All renderers get their cells from this module: pages and notebooks use a value and its interval as text (``written``,
``interval_of``), the terminal a column of aligned numbers (``aligned``). It imports neither numpy nor Polars.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from html import escape
from typing import TYPE_CHECKING, Any

from wsim.document import CATEGORY, NAME, POINTS, PROBABILITY, RATIO, SHARE, TURN, Column, Document, Row, Rows, Sheet

if TYPE_CHECKING:
    import polars as pl

MINUS = "\N{MINUS SIGN}"
SMALL = 0.001
"""A smaller p- or q-value is written as ``<0.001``, never as 0."""
MAX_ROWS = 100
"""Maximum number of rows of a table in a notebook."""

# --- numbers ----------------------------------------------------------------------------------------------------------


def number(value: float | None, decimals: int = 2) -> str:
    """Format a number with thousands separators; return an empty string for None, NaN and infinity."""
    if value is None or not math.isfinite(value):
        return ""
    text = f"{value:,.{decimals}f}"
    if float(text.replace(",", "")) == 0:
        text = text.removeprefix("-")  # -0.00
    return text.replace("-", MINUS)


def signed(value: float | None, decimals: int = 2) -> str:
    """Format a number with an explicit sign."""
    text = number(value, decimals)
    return text if not text or text.startswith(MINUS) or float(text.replace(",", "")) == 0 else f"+{text}"


def percent(value: float | None, decimals: int = 1) -> str:
    """Format a share as a percentage."""
    return "" if value is None or not math.isfinite(value) else f"{number(100 * value, decimals)}%"


def probability(value: float | None) -> str:
    """Format a p- or q-value."""
    return f"<{SMALL:g}" if value is not None and value < SMALL else number(value, 3)


def number_range(low: float | None, high: float | None, decimals: int = 2, *, sign: bool = False) -> str:
    """Format an interval as ``1.58 to 1.69``; return an empty string if an end is unknown."""
    write = signed if sign else number
    ends = write(low, decimals), write(high, decimals)
    return f"{ends[0]} to {ends[1]}" if all(ends) else ""


# --- cells of pages and notebooks -------------------------------------------------------------------------------------


def title(text: str) -> str:
    """Capitalise a heading, unless its first word is a single letter (``n``, ``x fair share``)."""
    words = text.replace("_", " ").strip()
    return words if len(words.partition(" ")[0]) == 1 else words[:1].upper() + words[1:]


def unit_of(column: Column) -> str:
    """Return the unit in which ``written`` formats the numbers of a column."""
    hundredths = column.kind is SHARE and (column.difference or column.spread)
    return "percentage points" if hundredths else column.unit


def written(column: Column, value: Any) -> str:
    """Format a value of a column as text."""
    if value is None or isinstance(value, bool) or not isinstance(value, int | float):
        return _plain(value)
    if column.kind is PROBABILITY:
        return probability(value)
    if isinstance(value, int) and not column.difference:
        return str(value) if column.kind in (NAME, CATEGORY) else f"{value:,}"
    if column.kind is SHARE and column.spread:
        return f"±{number(100 * value, 1)}"
    if column.kind is SHARE and not column.difference:
        return percent(value)
    return (signed if column.difference else number)(*_in_units(column, value))


def interval_of(column: Column, row: Row) -> str:
    """Format the interval of a column in a row as ``1.58 to 1.69``; return an empty string if there is none."""
    ends = column.interval(row)
    if ends is None:
        return ""
    value = row[column.name]
    if column.kind is SHARE:
        return number_range(100 * ends[0], 100 * ends[1], 1, sign=column.difference)
    return number_range(*ends, _in_units(column, 0.0 if value is None else value)[1], sign=column.difference)


def cell_words(column: Column, row: Row) -> str:
    """Format an estimate with its interval: ``+1.2 (+0.8 to +1.6)``."""
    interval = interval_of(column, row)
    return written(column, row[column.name]) + (f" ({interval})" if interval else "")


def _in_units(column: Column, value: float) -> tuple[float, int]:
    """Convert a number to its display unit; return the converted number and its decimal places."""
    if column.kind is SHARE:
        return 100 * value, 1
    if column.kind in (POINTS, RATIO, TURN):
        return value, 2
    return value, 3 if abs(value) < 1 else 2


def _plain(value: Any) -> str:
    """Format a non-numeric value as text."""
    if isinstance(value, list | tuple):
        return ", ".join(map(_plain, value))
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


# --- columns of aligned text ------------------------------------------------------------------------------------------


def aligned(column: Column, rows: Rows) -> tuple[str, ...]:
    """Format a column for plain text, with equal decimals and each interval's half width after ±."""
    values = [row.get(column.name) for row in rows]
    decimals = _decimals([value for value in values if isinstance(value, float)])
    if column.kind is PROBABILITY:
        return tuple(
            probability(value).replace(MINUS, "-") if _is_number(value) else _cell(value, decimals) for value in values
        )
    if column.spread:
        return tuple("" if value is None else f"±{_half(value, 3)}" for value in values)
    return tuple(
        _cell(value, decimals) + ("" if ends is None else _reach(column, *ends, decimals))
        for value, ends in zip(values, map(column.interval, rows), strict=True)
    )


def is_numeric(values: Iterable[Any]) -> bool:
    """Return whether all values are numbers or missing; if so, plain text right-aligns the column."""
    return all(value is None or _is_number(value) for value in values)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _cell(value: Any, decimals: int) -> str:
    if isinstance(value, float):
        return f"{value:,.{decimals}f}"
    return f"{value:,}" if _is_number(value) else _plain(value)


def _reach(column: Column, low: float, high: float, decimals: int) -> str:
    """Format an interval for display after its estimate: its half width, or both ends if it is asymmetric."""
    if column.asymmetric:
        return f" [{low:,.{decimals}f}, {high:,.{decimals}f}]"
    return f" ±{_half((high - low) / 2, decimals)}"


def _half(half: float, decimals: int) -> str:
    """Format the half width of an interval; a small one is never shown as 0."""
    least = 10.0**-decimals
    return f"<{least:.{decimals}f}" if 0 < half < least / 2 else f"{half:.{decimals}f}"


def _decimals(numbers: Iterable[float]) -> int:
    """Return the number of decimals for a column: fewer if its numbers are large."""
    largest = max((abs(number) for number in numbers if math.isfinite(number)), default=0.0)
    return 3 if largest < 10 else 2 if largest < 1000 else 0


# --- JSON, CSV, HTML --------------------------------------------------------------------------------------------------


def json_of(value: Any) -> Any:
    """Convert a value for JSON: NaN and infinity become null, dates and similar values become strings."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {str(key): json_of(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [json_of(item) for item in value]
    return value if value is None or isinstance(value, bool | int | str) else str(value)


def csv_of(frame: pl.DataFrame, record: Mapping[str, Any]) -> str:
    """Format rows as CSV, preceded by one comment line ``# {...}`` per entry of the record."""
    import json  # imported late: every command imports this module

    items = json_of(dict(record)).items()
    head = "".join(f"# {json.dumps({key: item}, ensure_ascii=False)}\n" for key, item in items)
    return head + frame.write_csv()


def html_of(heading: str, document: Document) -> str:
    """Render a document as HTML for a notebook, with all text escaped."""
    parts = [f"<h4>{escape(heading)}</h4>", *_paragraphs(text for text in document.head if text != heading)]
    parts += [_html_table(sheet, "" if sheet.title == heading else sheet.title) for sheet in document.tables]
    if document.missing and not any(sheet.rows for sheet in document.tables):
        parts += _paragraphs([document.missing])
    parts += _paragraphs(document.notes)
    if document.command:
        parts.append(f"<pre><code>{escape(document.command)}</code></pre>")
    return f"<div>{''.join(parts)}</div>"


def _paragraphs(sentences: Iterable[str]) -> list[str]:
    return [f"<p>{escape(text)}</p>" for text in sentences if text]


def _html_table(sheet: Sheet, caption: str) -> str:
    """Render the main columns of a table as HTML, with units in the headings and intervals next to the values."""
    columns = sheet.shown

    def cell(column: Column, row: Row) -> str:
        interval = interval_of(column, row)
        small = f"<br><small>{escape(interval)}</small>" if interval else ""
        return f"{_td(column, 'td')}{escape(written(column, row.get(column.name)))}{small}</td>"

    heads = [
        f"{_td(column, 'th')}{escape(title(column.heading))}"
        f"{f'<br><small>{escape(unit_of(column))}</small>' if unit_of(column) else ''}</th>"
        for column in columns
    ]
    lines = ["".join(cell(column, row) for column in columns) for row in sheet.rows[:MAX_ROWS]]
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    left = [
        f"{count:,} more {noun}{'' if count == 1 else 's'}"
        for count, noun in ((len(sheet.rows) - len(lines), "row"), (len(sheet.columns) - len(columns), "column"))
        if count
    ]
    return (
        f"<table>{f'<caption>{escape(caption)}</caption>' if caption else ''}"
        f"<thead><tr>{''.join(heads)}</tr></thead><tbody>{body}</tbody></table>" + "".join(_paragraphs(left))
    )


def _td(column: Column, tag: str) -> str:
    return f'<{tag} style="text-align: {"right" if column.kind.numeric else "left"}">'
