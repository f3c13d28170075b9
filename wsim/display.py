"""How tables and answers are shown to people: the same rows and sentences for a terminal and for a notebook."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl

Rows = Sequence[Mapping[str, Any]]

BETWEEN_PLAYERS = "between_players"
"""A column of tables: one standard deviation between good players, of the figure in front of it."""
_HEADINGS = {"win_points": "times fair share"}


@dataclass(frozen=True)
class Shown:
    """A table to print.

    Attributes
    ----------
    title: the line above it.
    rows: all of it.
    main: names of its main columns, which are shown unless all are asked for; none: all.
    first: names of columns in the order in which they are kept where there is not room for all.
    labels: how many columns name a row: they stand in each part of a table that is too wide.
    more: what shows the columns that are left out.
    """

    title: str
    rows: Rows
    main: tuple[str, ...] = ()
    first: tuple[str, ...] = ()
    labels: int = 1
    more: str = "--wide"


@dataclass(frozen=True)
class Chart:
    """Effects as a chart of lines: a title, and for each row its label, value, low and high, None where unknown."""

    title: str
    rows: Sequence[tuple[str, float | None, float | None, float | None]]


@dataclass(frozen=True)
class Display:
    """An answer as it is printed: sentences in front, tables, a chart, sentences behind.

    Attributes
    ----------
    rows: its main table, as it is written to a file. named: what that is called in the record, if it stands there so.
    missing: what it says in place of a main table without rows.
    hint: how more of it is shown; it is no part of the answer.
    """

    rows: pl.DataFrame
    tables: Sequence[Shown]
    named: str = ""
    notes: Sequence[str] = ()
    head: Sequence[str] = ()
    missing: str = ""
    chart: Chart | None = None
    hint: str = ""


def html_of(title: str, frame: pl.DataFrame, notes: Iterable[str] = ()) -> str:
    """Return HTML for a notebook; everything but Polars' own table is escaped."""
    said = "".join(f"<p>{escape(note)}</p>" for note in notes if note)
    return f"<div><h4>{escape(title)}</h4>{frame._repr_html_()}{said}</div>"


def text_of(title: str, frame: pl.DataFrame, notes: Iterable[str] = ()) -> str:
    """Return the same as plain text, for a prompt."""
    return "\n".join([title, str(frame), *filter(None, notes)])


def heading_of(name: str) -> str:
    """Return the words above a column."""
    return _HEADINGS.get(name, name.removeprefix("points_").replace("_", " "))


def json_of(value: Any) -> Any:
    """Return a value as JSON knows it: no NaN, no infinity; dates and the like as text."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {str(key): json_of(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [json_of(one) for one in value]
    return value if value is None or isinstance(value, bool | int | str) else str(value)


def csv_of(frame: pl.DataFrame, record: Mapping[str, Any]) -> str:
    """Return rows as CSV behind lines ``# {...}``, one JSON object for each entry of what made them."""
    head = "".join(f"# {json.dumps({key: one}, ensure_ascii=False)}\n" for key, one in json_of(dict(record)).items())
    return head + frame.write_csv()
