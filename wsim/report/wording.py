"""Numbers and lists in sentences and cells."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

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
    return NOTHING if value is None or not math.isfinite(value) else f"{number(100 * value, decimals)} %"


def chance(value: float | None) -> str:
    """Return a p- or q-value: never as 0, which it is not."""
    return f"<{SMALL:g}" if value is not None and value < SMALL else number(value, 3)


def number_range(low: float | None, high: float | None, decimals: int = 2, *, sign: bool = False) -> str:
    """Return an interval as ``1.58 to 1.69``; nothing if an end is unknown."""
    write = signed if sign else number
    ends = write(low, decimals), write(high, decimals)
    return f"{ends[0]} to {ends[1]}" if all(ends) else NOTHING


def effect_text(row: Mapping[str, Any]) -> str:
    """Return a row of a what-if's effects as ``cards.Palace.points=6: +0.12 (+0.08 to +0.16)``."""
    decimals = 2 if abs(row["effect"] or 0) >= 0.1 else 3
    interval = number_range(row["effect_low"], row["effect_high"], decimals, sign=True)
    return f"{row['variant']}: {signed(row['effect'], decimals)}" + (f" ({interval})" if interval else "")


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


def title(name: str) -> str:
    """Return a column's name as a heading: ``trade_paid`` is ``Trade paid``."""
    text = name.replace("_", " ").strip()
    return text[:1].upper() + text[1:]


def heading(name: str) -> str:
    """Return the heading of a column of any table: its name, unless that is a letter of statistics."""
    return _HEADINGS.get(name) or title(points_name(name))


def unit_of(column: str) -> str:
    """Return what the numbers of a column count in, by its name; nothing where that says it, or no unit is known."""
    if column.startswith(("points_", "score")) and column != "score_q":
        return "points"
    if column.startswith("win_") and not column.startswith("win_points") and column != "win_q":
        return "share of wins"
    return _UNITS.get(column, "")


_HEADINGS = {"n": "Seats", "p": "p-value", "q": "q-value"}
_UNITS = {
    "total": "points",
    "lift": "points",
    "shrunk": "points",
    "taken_difference": "share of wins",
    "ahead": "share of games",
    "strength": "1 = mean",
    "log_strength": "0 = mean",
    "average_turn": "turn",
    "last_seen": "turn",
    "first_pick": "share",
    "difference": "share of wins",
    "change": "share of wins",
}


def points_name(column: str) -> str:
    """Return what a column of points is called: ``points_disc_sets`` is ``disc sets``."""
    return column.removeprefix("points_").replace("_", " ")
