"""Tables that carry their meaning, and documents made of them: what every renderer reads.

A ``Column`` says what its values are: kind, heading, unit, interval, how they compare. The code that computes a column
declares it, once; the terminal, the pages and notebooks print what it says. A ``Sheet`` is rows with their columns, a
``Document`` sentences, sheets and charts. Light: this module imports neither numpy nor Polars.
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
"""The endings of the names of columns with the ends of an interval; only code that makes columns needs them."""


@dataclass(frozen=True)
class Kind:
    """The kind of the values of a column.

    Attributes
    ----------
    name: for messages. unit: what numbers are counted in; kinds without one may be given it by their columns.
    numeric: whether they are numbers. ascending: whether the smallest matter most, as of q-values.
    """

    name: str
    unit: str = ""
    numeric: bool = True
    ascending: bool = False


NAME = Kind("name", numeric=False)
"""What a row is about, or one of many names: ``Rhodos``, ``balanced``."""
CATEGORY = Kind("category", numeric=False)
"""One of a few values: a verdict, a colour, an age."""
TEXT = Kind("text", numeric=False)
COUNT = Kind("count")
NUMBER = Kind("number")
SHARE = Kind("share")
"""From 0 to 1, or a difference of two such; the unit says of what."""
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
    name: in the frame, in JSON and in files.
    kind: what its values are.
    heading: the words above it (default: those of its name).
    unit: what its numbers are counted in, where the kind does not say: of a share, ``of wins``.
    about: what it says, in a phrase.
    ends: the columns with the ends of its interval.
    reference: the value that means nothing: 0 of a difference, 1 of a ratio to the fair share; None if there is none.
    difference: whether it is a difference, which is written with its sign.
    spread: whether it is a standard deviation, which is written behind ±.
    drawn: whether pages draw its interval within the cell.
    asymmetric: whether its interval reaches further to one side, so that both ends are given.
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
            raise ValueError(f"the column {self.name!r} {has}, because it is of the kind {self.kind.name}")
        if not self.kind.numeric and (self.ends or self.difference or self.spread or self.drawn):
            raise ValueError(f"the column {self.name!r} contains no numbers ({self.kind.name})")
        if not self.heading:
            object.__setattr__(self, "heading", self.name.replace("_", " "))
        if not self.unit:
            object.__setattr__(self, "unit", self.kind.unit)
        if self.difference and self.reference is None:
            object.__setattr__(self, "reference", 0.0)

    def called(self, name: str, heading: str = "") -> Column:
        """Return a copy of the column with a different name, its ends renamed accordingly."""
        ends = None if self.ends is None else (name + LOW, name + HIGH)
        return replace(self, name=name, heading=heading, ends=ends)

    def interval(self, row: Row) -> tuple[float, float] | None:
        """Return the ends of its interval in a row; None where it has none."""
        if self.ends is None:
            return None
        low, high = row.get(self.ends[0]), row.get(self.ends[1])
        return None if low is None or high is None else (low, high)


def estimated(name: str, kind: Kind, **more: Any) -> Column:
    """Return a column with an interval: its ends are in the columns ``NAME_low`` and ``NAME_high``."""
    return Column(name, kind, ends=(name + LOW, name + HIGH), **more)


def names(columns: Iterable[str]) -> list[Column]:
    """Return columns of names."""
    return [Column(name, NAME) for name in columns]


def default_column(name: str, values: Iterable[Any]) -> Column:
    """Return the default declaration of an undeclared column: only whether it contains numbers."""
    known = [value for value in values if value is not None]
    if not known or any(isinstance(value, bool) or not isinstance(value, int | float) for value in known):
        return Column(name, TEXT)
    return Column(name, COUNT if all(isinstance(value, int) for value in known) else NUMBER)


DECIDED = ("higher", "lower")
"""The verdicts that a figure is away from its reference."""


@dataclass(frozen=True)
class Chart:
    """Estimates as a chart, by the columns of the sheet that it draws.

    Attributes
    ----------
    shape: ``forest``: an interval for each row; ``scatter``: an interval for each row over a second column;
        ``curve``: over the numbers of ``over``; ``change``: two columns, before and after; ``stacked``: columns on top
        of each other; ``matrix``: rows against ``over``; ``band``: an interval for each row next to a band of
        ``tolerance``.
    values: the columns that are drawn. labels: those that name a row, with ``between`` between them.
    title: what it shows, in a sentence: its caption, and what those hear who cannot see it.
    axis: the words along it (default: the heading of what is drawn).
    caption: more about it, in sentences.
    over: see ``shape``. by: categories that sort the rows and give them colours and, in a ``scatter``, marks.
    band: for a ``change``, the columns with the ends of the accepted range.
    reference: where a line is drawn (default: that of the column).
    tolerance: see ``shape``. only: conditions that rows must meet to be drawn, by column.
    printed: whether the terminal draws it, too.
    judged: whether marks are filled by the verdicts of the rows, which may allow for more than sampling; otherwise by
        their intervals.
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
        """Return whether the mark of a row is filled; ``ends``: of its interval. Without a reference, all are."""
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
    rows: all of it.
    declared: its columns, as they were declared, in any order; others are printed according to their values.
    main: names of its main columns, which are shown unless all are asked for; none: all.
    first: names of columns in the order in which they are kept where there is not room for all.
    labels: how many columns name a row: they are in each part of a table that is too wide.
    more: what shows the columns that are left out.
    charts: what is drawn of it. folded: whether pages fold it away, as the numbers behind charts are.
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
        """Its columns in their order; the ends of an interval belong to the column with its estimate."""
        return columns_of(list(self.rows[0]) if self.rows else [], self.declared, self.rows)

    @property
    def shown(self) -> list[Column]:
        """Its main columns, in their order."""
        return [column for column in self.columns if not self.main or column.name in self.main]


def columns_of(present: Sequence[str], declared: Iterable[Column], rows: Rows = ()) -> list[Column]:
    """Return the columns of a table in its order, without the ends of intervals of other columns."""
    known = {column.name: column for column in declared}
    hidden = {end for name in present if name in known for end in known[name].ends or ()}
    return [
        known.get(name) or default_column(name, (row.get(name) for row in rows))
        for name in present
        if name not in hidden
    ]


@dataclass(frozen=True)
class Conclusion:
    """The conclusion of an answer: a short sentence, its figures, and whether they are clear."""

    headline: str
    detail: str
    clear: bool


@dataclass(frozen=True)
class Document:
    """A table or an answer for people: sentences in front, tables with their charts, sentences behind.

    Attributes
    ----------
    rows: its main table, as it is written to a file. tables: what is shown.
    named: what the main table is called in the record, if it is part of it.
    head, notes: the sentences in front and behind.
    missing: what is said instead of a main table without rows.
    hint: how more of it is shown; it is not part of the answer.
    conclusion: the answer in one sentence, if it has one.
    command: the shell command that makes it; empty: none does.
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
