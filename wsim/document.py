"""Tables that describe their own columns, and documents built from them: the input of every renderer.

A ``Column`` describes its values: kind, heading, unit, interval, and the reference that they are compared with. The
code that computes a column declares it once; the terminal, the pages and notebooks all use that declaration. A
``Sheet`` consists of rows and their columns, a ``Document`` of sentences, sheets and charts. To be cheap to import,
this module uses neither numpy nor Polars.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    import polars as pl

Row = Mapping[str, Any]
Rows = Sequence[Row]
LOW, HIGH = "_low", "_high"
"""Suffixes of the columns that contain the ends of an interval; only code that creates columns needs them."""


@dataclass(frozen=True)
class Kind:
    """A kind of column values, such as names, counts or shares.

    Attributes
    ----------
    name: used in messages. unit: the unit of the numbers; if the kind has none, a column may set one.
    numeric: whether the values are numbers. ascending: whether the smallest values matter most, as with q-values.
    """

    name: str
    unit: str = ""
    numeric: bool = True
    ascending: bool = False


NAME = Kind("name", numeric=False)
"""The subject of a row, or one of many names: ``Rhodos``, ``balanced``."""
CATEGORY = Kind("category", numeric=False)
"""One of a few values: a verdict, a colour, an age."""
TEXT = Kind("text", numeric=False)
COUNT = Kind("count")
NUMBER = Kind("number")
SHARE = Kind("share")
"""A value from 0 to 1, or a difference between two such values; the unit says what it is a share of."""
RATIO = Kind("ratio")
POINTS = Kind("points", "points")
PROBABILITY = Kind("probability", ascending=True)
"""A p- or q-value."""
SECONDS = Kind("seconds", "s", ascending=True)
MICROSECONDS = Kind("microseconds", "µs", ascending=True)
TURN = Kind("turn", "turn")


@dataclass(frozen=True)
class Column:
    """A column of a table: its name, kind, unit, interval and headings.

    Attributes
    ----------
    name: its name in frames, JSON and files.
    kind: the kind of its values.
    heading: its displayed heading (default: its name with spaces).
    unit: the unit of its numbers if the kind does not imply one, such as ``of wins`` for a share.
    about: a short description.
    ends: the columns that contain the ends of its interval.
    reference: the value that means no effect: 0 for a difference, 1 for a ratio to the fair share; None if there is
        none.
    difference: whether it is a difference, which is displayed with its sign.
    spread: whether it is a standard deviation or half width, which is displayed after ±.
    drawn: whether pages draw its interval in the cell.
    asymmetric: whether its interval is asymmetric, so that both ends are displayed.
    """

    name: str
    kind: Kind
    heading: str = ""
    unit: str = ""
    about: str = ""
    ends: tuple[str, str] | None = None
    reference: float | None = None
    difference: bool = False
    spread: bool = False
    drawn: bool = False
    asymmetric: bool = False

    def __post_init__(self) -> None:
        if self.unit and (self.kind.unit or not self.kind.numeric or self.kind in (COUNT, PROBABILITY)):
            has = f"counts in {self.kind.unit}" if self.kind.unit else "has no unit"
            raise ValueError(f"the column {self.name!r} {has}, because its kind is {self.kind.name}")
        if not self.kind.numeric and (self.ends or self.difference or self.spread or self.drawn):
            raise ValueError(f"the column {self.name!r} contains no numbers ({self.kind.name})")
        if not self.heading:
            object.__setattr__(self, "heading", self.name.replace("_", " "))
        if not self.unit:
            object.__setattr__(self, "unit", self.kind.unit)
        if self.difference and self.reference is None:
            object.__setattr__(self, "reference", 0.0)

    def called(self, name: str, heading: str = "") -> Column:
        """Return a copy of the column under a different name, with its interval columns renamed accordingly."""
        ends = None if self.ends is None else (name + LOW, name + HIGH)
        return replace(self, name=name, heading=heading, ends=ends)

    def interval(self, row: Row) -> tuple[float, float] | None:
        """Return the ends of the column's interval in a row; None if there is none."""
        if self.ends is None:
            return None
        low, high = row.get(self.ends[0]), row.get(self.ends[1])
        return None if low is None or high is None else (low, high)


def estimated(name: str, kind: Kind, **more: Any) -> Column:
    """Declare a column with an interval, whose ends are in the columns ``NAME_low`` and ``NAME_high``."""
    return Column(name, kind, ends=(name + LOW, name + HIGH), **more)


def names(columns: Iterable[str]) -> list[Column]:
    """Declare columns that contain names."""
    return [Column(name, NAME) for name in columns]


def default_column(name: str, values: Iterable[Any]) -> Column:
    """Infer the declaration of a column from its values: text, counts or other numbers."""
    known = [value for value in values if value is not None]
    if not known or any(isinstance(value, bool) or not isinstance(value, int | float) for value in known):
        return Column(name, TEXT)
    return Column(name, COUNT if all(isinstance(value, int) for value in known) else NUMBER)


DECIDED = ("higher", "lower")
"""Verdicts that a figure differs from its reference."""


@dataclass(frozen=True)
class Chart:
    """A chart of estimates, described by columns of its sheet.

    Attributes
    ----------
    shape: ``forest``: an interval for each row; ``scatter``: an interval for each row, against a second column;
        ``curve``: values against the numbers of ``over``; ``change``: two columns, before and after; ``stacked``:
        stacked columns; ``matrix``: rows against ``over``; ``band``: an interval for each row next to a band of
        ``tolerance``.
    values: the drawn columns. labels: the columns that name a row, joined by ``between``.
    title: what it shows, in one sentence, as its heading and for screen readers.
    axis: the axis label (default: the heading of the drawn column).
    caption: further explanation, in sentences.
    over: see ``shape``. by: categories that determine the order and colours of the rows and, in a ``scatter``, their
        marks.
    band: for a ``change``, the columns with the ends of the accepted range.
    reference: the value at which a line is drawn (default: the reference of the column).
    tolerance: see ``shape``. only: conditions, by column, that a row must meet to be drawn.
    printed: whether the terminal also draws it.
    judged: whether the verdicts of the rows decide which marks are filled, because they may allow for more than
        sampling error; otherwise the intervals decide.
    """

    shape: Literal["forest", "scatter", "curve", "change", "stacked", "matrix", "band"]
    values: tuple[str, ...]
    labels: tuple[str, ...]
    title: str
    between: str = " "
    axis: str = ""
    caption: str = ""
    over: tuple[str, ...] = ()
    by: tuple[str, ...] = ()
    band: tuple[str, str] | None = None
    reference: float | None = None
    tolerance: float = 0.0
    only: Mapping[str, object] = field(default_factory=dict)
    printed: bool = False
    judged: bool = False

    def marks_clear(self, row: Row, ends: tuple[float, float] | None, reference: float | None) -> bool:
        """Return whether a row's mark is filled, given its interval ``ends``; without a reference, all marks are."""
        if reference is None:
            return True
        if self.judged:
            return row.get("verdict") in DECIDED
        return ends is not None and not ends[0] <= reference <= ends[1]


@dataclass(frozen=True)
class Sheet:
    """A table to print: its rows, and a declaration of each column.

    Attributes
    ----------
    title: the line above it.
    rows: all rows.
    declared: its declared columns, in any order; undeclared columns are displayed according to their values.
    main: names of the main columns, which are shown unless all columns are requested; empty: all columns.
    first: column names by decreasing importance, for when not all columns fit.
    labels: how many columns name a row; they are repeated in each part of a table that is too wide.
    more: how to show the hidden columns.
    charts: its charts. folded: whether pages collapse it, as they do with the figures behind charts.
    """

    title: str
    rows: Rows
    declared: Sequence[Column] = ()
    main: tuple[str, ...] = ()
    first: tuple[str, ...] = ()
    labels: int = 1
    more: str = "--wide"
    charts: Sequence[Chart] = ()
    folded: bool = False

    @property
    def columns(self) -> list[Column]:
        """All columns in order; the ends of an interval belong to the column of its estimate."""
        return columns_of(list(self.rows[0]) if self.rows else [], self.declared, self.rows)

    @property
    def shown(self) -> list[Column]:
        """The main columns, in order."""
        return [column for column in self.columns if not self.main or column.name in self.main]


def columns_of(present: Sequence[str], declared: Iterable[Column], rows: Rows = ()) -> list[Column]:
    """Return the columns of a table in order, without columns that only store interval ends."""
    known = {column.name: column for column in declared}
    hidden = {end for name in present if name in known for end in known[name].ends or ()}
    return [
        known.get(name) or default_column(name, (row.get(name) for row in rows))
        for name in present
        if name not in hidden
    ]


@dataclass(frozen=True)
class Conclusion:
    """The conclusion of an answer: a short sentence, its figures, and whether the result is clear."""

    headline: str
    detail: str
    clear: bool


@dataclass(frozen=True)
class Document:
    """A table or an answer for display: opening sentences, tables with their charts, and notes.

    Attributes
    ----------
    rows: its main table, as written to a file. tables: the displayed tables.
    named: the key of the main table in the record, if the record contains it.
    head, notes: the sentences before and after the tables.
    missing: the sentence shown instead of a main table without rows.
    hint: how to show more of it; not part of the answer.
    conclusion: the answer in one sentence, if it has one.
    command: the shell command that produces it; empty if there is none.
    """

    rows: pl.DataFrame
    tables: Sequence[Sheet]
    named: str = ""
    notes: Sequence[str] = ()
    head: Sequence[str] = ()
    missing: str = ""
    hint: str = ""
    conclusion: Conclusion | None = None
    command: str = ""
