"""Tables of the page: columns, cells, and intervals drawn within cells."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from wsim.display import BETWEEN_PLAYERS
from wsim.report.conclusions import CLEAR
from wsim.report.shapes import Slices, labelled, level_columns
from wsim.report.theme import Palette
from wsim.report.wording import (
    chance,
    count,
    heading,
    number,
    number_range,
    percent,
    points_name,
    signed,
    title,
    unit_of,
)

_OWNER_COLUMNS = ("points_", "win_", "score")
INTERVAL_ENDS = ("_low", "_high")
UNDECIDED = "not decided"  # too few games tell: no interval, no q-value
_WIN_POINTS = "win share times the number of players: 1.00 is average; with its 95 % interval"
_BETWEEN = "one standard deviation between good players, noise subtracted: no number of games takes it away (wsim rest)"
_LESS = "less that of seats (of the same policy) without it, with its 95 % interval"


@dataclass(frozen=True)
class Range:
    """An interval drawn in a cell; all numbers are per cent of the width of the cell."""

    low: float
    high: float
    value: float
    reference: float
    clear: bool


@dataclass(frozen=True)
class Cell:
    """A cell: its text, what it is sorted by, perhaps an interval, a dot of a colour, a smaller second text, a link."""

    text: str
    key: float | str | None
    range: Range | None = None
    colour: str = ""
    small: str = ""
    link: str = ""


Rows = Sequence[Sequence[Cell]]


@dataclass(frozen=True)
class Column:
    """A column: heading, whether it holds numbers, whether a narrow screen leaves it out, what it says, its unit.

    ``link``: the address of the page that is sorted by it, where the server sorts.
    """

    heading: str
    numeric: bool = True
    minor: bool = False
    hint: str = ""
    wide: bool = False
    unit: str = ""
    link: str = ""


@dataclass(frozen=True)
class Grid:
    """A table.

    Attributes
    ----------
    name: its id in the page.
    caption: what it shows.
    columns, rows: its content.
    search: whether it can be searched. choices: columns (by place) whose values can be chosen, with these values.
    sorted_by: the place of the column that the rows are sorted by, None for none; ``descending`` says how.
    slices: the rows of a part of the seats, by what the parts are told apart by (wonder) and by their names (Gizah).
    csv: the address of its rows as a file, where the server writes it.
    """

    name: str
    caption: str
    columns: Sequence[Column]
    rows: Rows
    search: bool = False
    choices: Mapping[int, Sequence[str]] = field(default_factory=dict)
    sorted_by: int | None = None
    descending: bool = True
    slices: Mapping[str, Mapping[str, Rows]] = field(default_factory=dict)
    csv: str = ""


def plain(value: object) -> Cell:
    """Return a cell of text."""
    text = "" if value is None else str(value)
    return Cell(text, text)


def _number(value: float | None, write: Callable[[float | None], str] = number, small: str = "") -> Cell:
    return Cell(write(value), value, small=small)


def _count(value: int) -> Cell:
    return Cell(count(value), value)


class _Axis:
    """Places estimates of a column side by side."""

    def __init__(self, frame: pl.DataFrame, name: str, reference: float) -> None:
        lows, highs = frame[f"{name}_low"].drop_nulls().to_list(), frame[f"{name}_high"].drop_nulls().to_list()
        low, high = min([reference, *lows]), max([reference, *highs])
        margin = 0.03 * (high - low) or 1.0
        self._start, self._length = low - margin, high - low + 2 * margin
        self._name, self._reference = name, reference

    def range(self, row: Mapping[str, Any]) -> Range | None:
        """Return the interval of a row; None if it has none."""
        value, low, high = row[self._name], row[f"{self._name}_low"], row[f"{self._name}_high"]
        if value is None or low is None or high is None:
            return None
        low_at, high_at, at, reference = (self._at(one) for one in (low, high, value, self._reference))
        return Range(low_at, high_at, at, reference, not low <= self._reference <= high)

    def _at(self, value: float) -> float:
        return float(round(100 * (value - self._start) / self._length, 2))


def _sliced(slices: Slices, rows_of: Callable[[pl.DataFrame], Rows]) -> dict[str, dict[str, Rows]]:
    return {what: {level: rows_of(frame) for level, frame in parts.items()} for what, parts in slices.items()}


def owner_grid(name: str, noun: str, table: pl.DataFrame, palette: Palette, slices: Slices | None = None) -> Grid:
    """Return the table of what seats have or have not (cards): win points with intervals, differences, a verdict.

    ``slices``: the same table of parts of the seats.
    """
    about = _about(table)
    share = table.columns[table.columns.index("n") + 1]

    def rows_of(frame: pl.DataFrame) -> Rows:
        rows = labelled(frame).sort("win_points", descending=True, nulls_last=True)
        axis, cells = _Axis(rows, "win_points", 1.0), []
        for row in rows.to_dicts():
            colour = next((palette.of(row[one], -1) for one in about if isinstance(row[one], str)), "")
            cells.append([Cell(row["label"], row["label"], colour=colour), *_owner_cells(row, table, share, axis)])
        return cells

    columns = [
        Column(title(noun), numeric=False),
        *(Column(title(one), numeric=_is_number(table[one]), minor=True) for one in about),
        Column("Seats", minor=True, hint="seats that have it"),
        Column(title(share), minor=True, hint="of all seats"),
        Column("Win points", hint=_WIN_POINTS, wide=True),
        Column("Wins against others", hint=f"win share of seats with it {_LESS}", unit="percentage points"),
        *_between_columns(table),
        Column("Score against others", minor=True, hint=f"mean score of seats with it {_LESS}", unit="points"),
        Column(
            "Goes with",
            numeric=False,
            minor=True,
            hint=f"if the q-value (Benjamini-Hochberg) is below {CLEAR}; not decided where too few games tell",
        ),
    ]
    had = table.filter(pl.col("n") > 0)
    choices = {1 + place: _values(had[one]) for place, one in enumerate(about)}
    choices[len(columns) - 1] = ["winning", "losing", "neither", UNDECIDED]
    caption = f"{title(noun)} by {noun}: how those did who have it at the end (observational)."
    return Grid(
        name, caption, columns, rows_of(table), search=True, choices=choices,
        sorted_by=columns.index(next(one for one in columns if one.wide)), slices=_sliced(slices or {}, rows_of),
    )  # fmt: skip


def _about(table: pl.DataFrame) -> list[str]:
    """Return the columns that say what a thing is."""
    return table.columns[1 : table.columns.index("n")]


def further_grid(name: str, noun: str, table: pl.DataFrame) -> Grid | None:
    """Return what else a table of owners knows: what became of a card that was offered; None if nothing."""
    last = max((place for place, one in enumerate(table.columns) if one.startswith(_OWNER_COLUMNS)), default=0)
    further = table.columns[last + 1 :]
    if not further:
        return None
    rows = labelled(table).select(pl.col("label").alias(noun), *further)
    return plain_grid(name, f"What became of each {noun} where it was offered", rows)


def _is_number(series: pl.Series) -> bool:
    return series.dtype.is_numeric()


def _values(series: pl.Series) -> list[str]:
    return [str(value) for value in series.drop_nulls().unique().sort().to_list()]


def _owner_cells(row: Mapping[str, Any], table: pl.DataFrame, share: str, axis: _Axis) -> Iterable[Cell]:
    for one in _about(table):
        yield Cell(str(row[one]), row[one]) if isinstance(row[one], int | float) else plain(row[one])
    yield _count(row["n"])
    yield _number(row[share], percent)
    interval = number_range(row["win_points_low"], row["win_points_high"])
    yield Cell(number(row["win_points"]), row["win_points"], axis.range(row), small=interval)
    difference, low, high = (_hundred(row[f"win_difference{end}"]) for end in ("", "_low", "_high"))
    yield _number(difference, lambda value: signed(value, 1), number_range(low, high, 1, sign=True))
    yield from _between_cells(row, table)
    score = number_range(row["score_difference_low"], row["score_difference_high"], 1, sign=True)
    yield _number(row["score_difference"], lambda value: signed(value, 1), score)
    yield Cell(_goes_with(row), row["win_difference"])


def _between_columns(table: pl.DataFrame) -> list[Column]:
    """Return the column of how far figures move between players; none where that is not known."""
    there = BETWEEN_PLAYERS in table.columns
    return [Column("Between players", hint=_BETWEEN, minor=True, unit="percentage points")] if there else []


def _between_cells(row: Mapping[str, Any], table: pl.DataFrame) -> list[Cell]:
    """Return the cell of that column; of a slice nothing may be known."""
    value = _hundred(row.get(BETWEEN_PLAYERS))
    text = "" if value is None else f"±{number(value, 1)}"
    return [Cell(text, value)] if BETWEEN_PLAYERS in table.columns else []


def _hundred(value: float | None) -> float | None:
    return None if value is None else 100 * value


def _goes_with(row: Mapping[str, Any]) -> str:
    if row["win_q"] is None:
        return UNDECIDED
    if row["win_q"] >= CLEAR:
        return "neither"
    return "winning" if row["win_difference"] > 0 else "losing"


def level_grid(name: str, noun: str, table: pl.DataFrame, slices: Slices | None = None) -> Grid:
    """Return the numbers behind the charts of levels (wonders, policies); ``slices``: of parts of the seats."""
    had = table.filter(pl.col("n") > 0)
    points = [one for one in table.columns if one.startswith("points_") and had[one].abs().max()]
    columns = [
        Column(title(noun), numeric=False),
        Column("Seats", minor=True),
        Column("Win share", minor=True, hint="with its 95 % interval"),
        *_between_columns(table),
        Column("Win points", hint=_WIN_POINTS, wide=True),
        Column("Score", hint="with its 95 % interval", unit="points"),
        *(Column(title(points_name(one)), minor=True, unit="points") for one in points),
    ]

    def rows_of(frame: pl.DataFrame) -> Rows:
        rows = labelled(frame)
        axis = _Axis(rows, "win_points", 1.0)
        return [_level_cells(row, table, points, axis) for row in rows.to_dicts()]

    return Grid(
        name, f"Every {' and '.join(level_columns(table))}.".replace("_", " "), columns, rows_of(table),
        sorted_by=next(place for place, one in enumerate(columns) if one.wide), slices=_sliced(slices or {}, rows_of),
    )  # fmt: skip


def _level_cells(row: Mapping[str, Any], table: pl.DataFrame, points: Sequence[str], axis: _Axis) -> list[Cell]:
    share = [_hundred(row[f"win_share{end}"]) for end in ("", "_low", "_high")]
    interval = number_range(row["win_points_low"], row["win_points_high"])
    return [
        plain(row["label"]),
        _count(row["n"]),
        _number(row["win_share"], percent, number_range(share[1], share[2], 1)),
        *_between_cells(row, table),
        Cell(number(row["win_points"]), row["win_points"], axis.range(row), small=interval),
        _number(row["score"], small=number_range(row["score_low"], row["score_high"])),
        *(_number(row.get(one), lambda value: number(value, 1)) for one in points),
    ]


def plain_grid(name: str, caption: str, table: pl.DataFrame, units: Mapping[str, str] | None = None) -> Grid:
    """Return any table, intervals behind their estimates; ``units`` of columns whose names do not tell theirs."""
    shown = plain_columns(table)
    kinds = {one: _is_number(table[one]) for one in shown}
    columns = [
        Column(heading(one), kinds[one], unit=(units or {}).get(one, unit_of(one) if kinds[one] else ""))
        for one in shown
    ]
    rows = [[_any(row, one) for one in shown] for row in table.to_dicts()]
    return Grid(name, caption, columns, rows)


def plain_columns(table: pl.DataFrame) -> list[str]:
    """Return the columns of a table that a grid of it has: ends of intervals stand with their estimates."""
    names = table.columns
    return [one for one in names if not (one.endswith(INTERVAL_ENDS) and one.rpartition("_")[0] in names)]


def _any(row: Mapping[str, Any], name: str) -> Cell:
    value = row[name]
    if isinstance(value, bool) or not isinstance(value, int | float):
        return plain(value)
    if isinstance(value, int):
        return _count(value)
    if name.rpartition("_")[2] in ("p", "q"):
        return _number(value, chance)
    decimals = 3 if abs(value) < 1 else 2
    small = number_range(row.get(f"{name}_low"), row.get(f"{name}_high"), decimals)
    return _number(value, lambda one: number(one, decimals), small)


def parts_json(grid: Grid) -> str:
    """Return the rows of the slices of a grid as JSON that may stand in a script element: what page.js makes rows of.

    A cell is [text, key, smaller text, colour, [low, width, value, reference, clear]], cut where nothing follows; a key
    that is the text is null. Keys count to nine digits.
    """
    rows = [
        [[_short(cell) for cell in row] for row in part] for parts in grid.slices.values() for part in parts.values()
    ]
    return json.dumps(rows, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")


def _short(cell: Cell) -> list[Any]:
    drawn = cell.range
    ends = drawn and [drawn.low, round(drawn.high - drawn.low, 2), drawn.value, drawn.reference, int(drawn.clear)]
    key = float(f"{cell.key:.9g}") if isinstance(cell.key, float) else "" if cell.key is None else cell.key
    parts = [cell.text, None if key == cell.text else key, cell.small, cell.colour, ends]
    while len(parts) > 1 and not parts[-1] and parts[-1] != 0:
        parts.pop()
    return parts
