"""The tables of several runs as one: player numbers, rule sets, variants side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from wsim.stats.tables import Table


def stack(tables: Mapping[object, Table], column: str, keys: Sequence[str] = ()) -> Table:
    """Return the tables of several runs as one: the rows of one thing under each other, run by run.

    Parameters
    ----------
    tables: the same analysis of each run, by the value that tells the run apart.
    column: the name of the column with that value; it stands after those that name a row.
    keys: the columns that name a row (default: the first ones that are not numbers).

    The rows keep the order of the first table; what only later ones have follows. Estimates, q-values and verdicts are
    those of each run by itself.
    """
    first = next(iter(tables.values()))
    names = list(keys) or _leading_names(first.frame)
    parts = []
    for number, (value, table) in enumerate(tables.items()):
        kinds = table.frame.schema.items()
        texts = [name for name, kind in kinds if isinstance(kind, pl.Enum | pl.Categorical)]
        place = pl.int_range(pl.len(), dtype=pl.Int64)
        rows = table.frame.with_columns(pl.col(texts).cast(pl.String), place.alias(_PLACE), pl.lit(number).alias(_RUN))
        parts.append(rows if column in table.frame.columns else rows.with_columns(pl.lit(value).alias(column)))
    frame = pl.concat(parts, how="diagonal_relaxed")
    # run by run, so that the first row of a name is that of the first run that has it
    order = [pl.col(_RUN).first().over(names), pl.col(_PLACE).first().over(names), pl.col(_RUN), pl.col(_PLACE)]
    front = dict.fromkeys([*names, column])
    frame = frame.sort(order).select(*front, pl.exclude(*front, _PLACE, _RUN))
    return Table(frame, first.title, f"{first.note} {_EACH}".strip())


_PLACE, _RUN = "_place", "_run"
_EACH = "Estimates, q-values and verdicts are those of each run by itself."


def _leading_names(frame: pl.DataFrame) -> list[str]:
    """Return the columns before the first number; the first column if there are none."""
    found: list[str] = []
    for name, kind in frame.schema.items():
        if kind.is_numeric():
            break
        found.append(name)
    return found or frame.columns[:1]
