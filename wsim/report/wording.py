"""Numbers and lists in sentences and cells."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from wsim.document import CATEGORY, NAME, POINTS, PROBABILITY, RATIO, SHARE, TURN, Column, Row

MINUS = "\N{MINUS SIGN}"
DASH = "\N{EN DASH}"
NOTHING = ""
SMALL = 0.001  # a p-value below is said to be below
_IRREGULAR = {"policy": "policies", "class": "classes"}


def number(value: float | None, decimals: int = 2) -> str:
    """Return a number with its decimals and thousands; nothing for None."""
    if value is None or not math.isfinite(value):
        return NOTHING
    text = f"{value:,.{decimals}f}"
    if float(text.replace(",", "")) == 0:
        text = text.removeprefix("-")  # -0.00
    return text.replace("-", MINUS)


def signed(value: float | None, decimals: int = 2) -> str:
    """Return a number with its sign."""
    text = number(value, decimals)
    return text if not text or text.startswith(MINUS) or float(text.replace(",", "")) == 0 else f"+{text}"


def percent(value: float | None, decimals: int = 1) -> str:
    """Return a share in per cent."""
    return NOTHING if value is None or not math.isfinite(value) else f"{number(100 * value, decimals)}%"


def chance(value: float | None) -> str:
    """Return a p- or q-value: never as 0, which it is not."""
    return f"<{SMALL:g}" if value is not None and value < SMALL else number(value, 3)


def number_range(low: float | None, high: float | None, decimals: int = 2, *, sign: bool = False) -> str:
    """Return an interval as ``1.58 to 1.69``; nothing if an end is unknown."""
    write = signed if sign else number
    ends = write(low, decimals), write(high, decimals)
    return f"{ends[0]} to {ends[1]}" if all(ends) else NOTHING


def count(value: int) -> str:
    """Return a whole number with thousands."""
    return f"{value:,}"


def plural(noun: str, how_many: int = 2) -> str:
    """Return a noun in the number that goes with ``how_many``."""
    return noun if how_many == 1 else _IRREGULAR.get(noun, f"{noun}s")


def joined(words: Sequence[str], last: str = "and") -> str:
    """Return words as ``a, b and c``."""
    return " ".join([", ".join(words[:-1]), last, words[-1]]) if len(words) > 1 else "".join(words)


def named(words: Sequence[str], most: int = 4, last: str = "and") -> str:
    """Return words as a list, cut after ``most``: ``a, b, c, d and 3 more``."""
    if len(words) <= most + 1:
        return joined(words, last)
    return joined([*words[:most], f"{len(words) - most} more"])


def title(text: str) -> str:
    """Return words as a heading: with a capital, unless they begin with a single letter (``n``, ``x fair share``)."""
    words = text.replace("_", " ").strip()
    return words if len(words.partition(" ")[0]) == 1 else words[:1].upper() + words[1:]


def unit_of(column: Column) -> str:
    """Return what the numbers of a column are counted in, as ``written`` writes them."""
    hundredths = column.kind is SHARE and (column.difference or column.spread)
    return "percentage points" if hundredths else column.unit


def written(column: Column, value: Any) -> str:
    """Return a value of a column in words and numbers."""
    if value is None or isinstance(value, bool) or not isinstance(value, int | float):
        return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
    if column.kind is PROBABILITY:
        return chance(value)
    if isinstance(value, int) and not column.difference:
        return str(value) if column.kind in (NAME, CATEGORY) else count(value)
    if column.kind is SHARE and column.spread:
        return f"±{number(100 * value, 1)}"
    if column.kind is SHARE and not column.difference:
        return percent(value)
    return (signed if column.difference else number)(*_in_units(column, value))


def interval_of(column: Column, row: Row) -> str:
    """Return the interval of a column in a row, as ``1.58 to 1.69``; nothing where it has none."""
    ends = column.interval(row)
    if ends is None:
        return NOTHING
    value = row[column.name]
    if column.kind is SHARE:
        return number_range(100 * ends[0], 100 * ends[1], 1, sign=column.difference)
    return number_range(*ends, _in_units(column, 0.0 if value is None else value)[1], sign=column.difference)


def cell_words(column: Column, row: Row) -> str:
    """Return an estimate with its interval: ``+1.2 (+0.8 to +1.6)``."""
    interval = interval_of(column, row)
    return written(column, row[column.name]) + (f" ({interval})" if interval else "")


def _in_units(column: Column, value: float) -> tuple[float, int]:
    """Return a number as it is counted, and its decimals."""
    if column.kind is SHARE:
        return 100 * value, 1
    if column.kind in (POINTS, RATIO, TURN):
        return value, 2
    return value, 3 if abs(value) < 1 else 2
