"""Select and sort the rows of a table: ``win_share>=0.3``, ``policy!=random``, ``card=Altar,Baths``."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from wsim.document import Column
from wsim.errors import UserError, nearest
from wsim.stats.columns import OLD_NAMES

if TYPE_CHECKING:
    import polars as pl

GRAMMAR = "COLUMN=VALUE, COLUMN=VALUE,VALUE or != instead of =; for numbers also <, <=, > and >="
_CONDITION = re.compile(r"\s*(?P<column>[^=!<>]+?)\s*(?P<sign>!=|<=|>=|=|<|>)\s*(?P<value>.*?)\s*", re.DOTALL)


def column_named(
    table: pl.DataFrame, heading: str, splits: Mapping[str, str] | None = None, columns: Sequence[Column] = ()
) -> str:
    """Resolve a heading, given as a column name or as printed (``win share``, ``military``), to a column name.

    ``splits``: columns that options would add, mapped to the option. ``columns``: the declared columns.
    """
    heading = heading.replace("colour", "color")  # as column names spell it
    name = heading.strip().replace(" ", "_")
    by_heading = {column.heading: column.name for column in reversed(columns)}
    old = OLD_NAMES.get(name)
    for candidate in (heading.strip(), name, f"points_{name}", by_heading.get(heading.strip()), old):
        if candidate in table.columns:
            return str(candidate)
    known = ", ".join(table.columns)
    remedy = (splits or {}).get(heading.strip())
    if remedy:
        raise UserError(f"the table has no column {heading!r}, which {remedy} adds: it has {known}")
    raise UserError(f"the table has no column {heading!r}{nearest(heading, table.columns)}: it has {known}")


def filtered(
    table: pl.DataFrame,
    conditions: Sequence[str],
    splits: Mapping[str, str] | None = None,
    columns: Sequence[Column] = (),
) -> tuple[pl.DataFrame, str]:
    """Return the rows that satisfy all conditions, and a remark for each name without rows.

    Raises UserError for an invalid condition, an unknown column, or a comparison of numbers with text.
    """
    remark = ""
    for condition in conditions:
        match = _CONDITION.fullmatch(condition)
        if match is None or not match["value"]:
            raise UserError(f"a filter is {GRAMMAR}, not {condition!r}")
        name = column_named(table, match["column"], splits, columns)
        rows = table.filter(_condition(table, name, match["sign"], match["value"]))
        if rows.is_empty() and not table.is_empty() and match["sign"] == "=" and not table.schema[name].is_numeric():
            known = table[name].drop_nulls().cast(str).unique().sort().to_list()
            remark = f"no row has the {name.replace('_', ' ')} {match['value']!r}{nearest(match['value'], known)}"
        table = rows
    return table, remark


def _condition(table: pl.DataFrame, name: str, sign: str, text: str) -> pl.Expr:
    """Compare a column with a value given as text: numbers numerically, names case-insensitively."""
    import polars as pl

    values = [part.strip() for part in text.split(",")]
    column = pl.col(name)
    if table.schema[name].is_numeric():
        numbers = [_parsed_number(name, value) for value in values]
        if sign in ("=", "!="):
            among = column.cast(pl.Float64).is_in(numbers)
            return among if sign == "=" else ~among
        if len(numbers) > 1:
            raise UserError(f"{sign} compares with one number, not with {text!r}")
        return {"<": column.lt, "<=": column.le, ">": column.gt, ">=": column.ge}[sign](numbers[0])
    if sign not in ("=", "!="):
        raise UserError(f"the column {name!r} contains names, which can be compared with = or !=, not with {sign}")
    accepted = [value.lower() for value in (text, *values)]  # a name may itself contain a comma
    among = column.cast(pl.String).str.to_lowercase().is_in(accepted)
    return among if sign == "=" else ~among


def _parsed_number(name: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise UserError(f"the column {name!r} contains numbers, not {text!r}") from None


def viewed(
    table: pl.DataFrame, sort: str | None, top: int | None, conditions: Sequence[str],
    splits: Mapping[str, str] | None = None, columns: Sequence[Column] = (),
) -> tuple[pl.DataFrame, str]:  # fmt: skip
    """Filter, sort and cut a table for display; also return a remark for each name without rows."""
    if top is not None and top < 1:
        raise UserError(f"top must be at least 1, not {top}")
    table, remark = filtered(table, conditions, splits, columns)
    if sort is not None:
        name = column_named(table, sort.removeprefix("-"), splits, columns)
        table = table.sort(name, descending=sort[:1] != "-", nulls_last=True, maintain_order=True)
    return (table if top is None else table.head(top)), remark
