"""Check that the rows of a shard are valid for its games, regardless of who wrote them.

A digest shows that a file is unchanged; this module shows that its contents are valid.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wsim.lab.ledger import Shard

if TYPE_CHECKING:
    import polars as pl

MAX_SEATS = 255
_MAX_EXACT = 2.0**53  # beyond it, a float cannot represent every integer: sums of scores would be inexact
_MAX_SUM = 1e60  # far beyond the sum of squared scores of any run, and products with it still fit into a float


def contents_fault(path: Path, shard: Shard) -> str | None:
    """Describe what is wrong with the rows of a shard, such as ``has no column 'total'``; None if they are valid."""
    import polars as pl

    try:
        schema = pl.scan_parquet(path, glob=False).collect_schema()
        if shard.table == "sums":
            return _wrong_sums(pl.read_parquet(path, glob=False), shard)
        if shard.table == "worth":
            return _wrong_worth(pl.read_parquet(path, glob=False))
        if (why := next(_wrong_columns(schema, shard.table), None)) is not None:
            return why
        rows = pl.read_parquet(path, glob=False, columns=_columns_to_check(schema, shard.table))
    except (OSError, ValueError, pl.exceptions.PolarsError) as error:
        return f"cannot be read: {' '.join(str(error).split())[:200]}"
    return next(_wrong_rows(rows, shard), None)


def _wrong_columns(schema: Mapping[str, Any], table: str) -> Iterator[str]:
    """Describe each column of a seats or picks table that is missing or has the wrong type."""
    import polars as pl

    needed = ["game", "seat"]
    kinds = dict.fromkeys((*needed, "rank", "team"), "whole numbers")
    if table == "seats":
        needed += ["policy", "total", "win_share"]
        kinds |= {"policy": "names", "total": "numbers", "win_share": "numbers"}
    for name in needed:
        if name not in schema:
            yield f"has no column {name!r}"
    for name, kind in schema.items():
        inner = kind.inner if table == "picks" and isinstance(kind, pl.List | pl.Array) else kind
        plain = inner.is_numeric() or isinstance(inner, pl.Boolean | pl.String | pl.Enum | pl.Categorical | pl.Null)
        wanted = kinds.get(name, "numbers" if table == "seats" and (":" in name or name.startswith("points_")) else "")
        fits = {
            "": plain,
            "numbers": kind.is_numeric() or isinstance(kind, pl.Boolean),
            "whole numbers": kind.is_integer(),
            "names": isinstance(kind, pl.Enum),
        }[wanted]
        if not fits or isinstance(inner, pl.Decimal):
            yield f"has a column {name[:100]!r} of type {str(kind)[:100]} instead of {wanted or 'numbers or names'}"


def _columns_to_check(schema: Mapping[str, Any], table: str) -> list[str]:
    """Return the names of the columns whose values are checked: enum columns, and columns that analyses use."""
    import polars as pl

    if table == "picks":
        return ["game", "seat"]
    counted = ("game", "seat", "rank", "win_share", "total", "team")
    return [name for name, kind in schema.items() if name in counted or isinstance(kind, pl.Enum)]


def _wrong_rows(rows: pl.DataFrame, shard: Shard) -> Iterator[str]:
    """Describe each error in the rows of a shard, such as missing games or seats and impossible values."""
    import polars as pl

    numbers = f"from {shard.first:,} to {shard.first + shard.games - 1:,}"
    for name in rows.columns:
        if rows[name].null_count():
            yield f"has rows without {name}"
    game = rows["game"]
    if len(game) == 0 or not game.is_sorted():
        yield f"does not contain the games {numbers} in order"
        return
    if (game[0], game[-1], game.n_unique()) != (shard.first, shard.first + shard.games - 1, shard.games):
        yield f"does not contain exactly the games {numbers}"
        return
    if shard.table == "picks":
        if rows["seat"].max() > MAX_SEATS or rows["seat"].min() < 0:  # type: ignore[operator]
            yield "has invalid seat numbers"
        return
    seats = len(rows) // shard.games
    if seats * shard.games != len(rows) or seats > MAX_SEATS or game.value_counts()["count"].n_unique() != 1:
        yield "has games with different numbers of rows"
        return
    expected = pl.int_range(pl.len()) % seats
    if not rows.select((pl.col("seat").cast(pl.Int64) == expected).all()).item():
        yield "does not contain the seats of each game in order"
    if not rows.select(pl.col("win_share").is_between(0, 1.001).all()).item():
        yield "has win shares that are not between 0 and 1"
    if not rows.select((pl.col("total").cast(pl.Float64).abs() < _MAX_EXACT).all()).item():
        yield "has impossible scores"
    if "rank" in rows.columns:
        won = rows.filter(pl.col("rank") == 1)["game"].n_unique()
        if won != shard.games or rows["rank"].max() > seats or rows["rank"].min() < 0:  # type: ignore[operator]
            yield "has impossible ranks"


def _wrong_worth(frame: pl.DataFrame) -> str | None:
    """Describe the error in a table of wish sums, None if it is valid; raise ValueError if it is a different table."""
    import numpy as np

    from wsim.stats.summary import Summary
    from wsim.stats.worth import shapes

    summary = Summary.of_frame(frame)
    if not summary.games:
        return None
    try:
        for name, shape in shapes(summary.labels).items():
            if name not in summary.arrays or summary.arrays[name].shape != shape:
                return f"has no sums {name!r} of the required shape"
    except (KeyError, TypeError, ValueError) as error:
        return f"has sums without their labels ({error})"
    if not all((np.abs(values) < _MAX_SUM).all() for values in summary.arrays.values()):
        return "has sums that are not numbers or are too large"
    return None


def _wrong_sums(frame: pl.DataFrame, shard: Shard) -> str | None:
    """Describe the error in a table of sums, None if it is valid; raise ValueError if it is a different table."""
    import numpy as np

    from wsim.stats.summary import Summary

    summary = Summary.of_frame(frame)
    try:
        if not all(1 <= int(*summary.labels[name]) < _MAX_EXACT for name in ("seats", "sides", "parts")):
            return "has sums of impossible games"
        shapes = _shapes_of_sums(summary.labels)
    except (KeyError, TypeError) as error:
        return f"has sums without their labels ({error})"
    for name, shape in shapes.items():
        if name not in summary.arrays or summary.arrays[name].shape != shape:
            return f"has no sums {name!r} of the required shape"
    if not all((np.abs(values) < _MAX_SUM).all() for values in summary.arrays.values()):
        return "has sums that are not numbers or are too large"
    if any(len(set(names)) < len(names) for names in summary.labels.values()):
        return "has duplicate labels"
    if not _same_seats({name: summary.arrays[name] for name in shapes}):
        return "has sums over different seats in different tables"
    if summary.games != shard.games:
        return f"has sums over {summary.games:,} games instead of {shard.games:,}"
    return None


def _shapes_of_sums(labels: Mapping[str, Sequence[str]]) -> dict[str, tuple[int, ...]]:
    """Return the expected shape of each array in a summary with these labels, by array name."""
    from wsim.stats.factor_sums import LEVELS, FactorSums
    from wsim.stats.owner_tallies import OWNERS, OwnerTallies

    shapes: dict[str, tuple[int, ...]] = {"games": (1,)}
    for name, values in labels.items():
        if name.startswith("categories "):
            shapes[f"seats by {name.partition(' ')[2]}"] = (1 + len(values),)
        for start, recipe in ((LEVELS, FactorSums), (OWNERS, OwnerTallies)):
            if name.startswith(start):
                shapes |= {f"{name}/{array}": shape for array, shape in recipe.shapes(name, labels).items()}
    return shapes


def _same_seats(arrays: Mapping[str, Any]) -> bool:
    """Return whether all tables of a summary agree on the number of seats and no count is negative."""
    from wsim.stats.owner_tallies import EACH

    seats = set()
    for name, values in arrays.items():
        if name.endswith("/own_totals") and (values[..., ::EACH] < 0).any():
            return False
        if name.startswith("seats by "):
            seats.add(values.sum())
        elif name.endswith("/cells"):
            seats.add(values[0].sum())
        elif name.endswith("/all_totals"):
            seats.add(values[::EACH].sum())
    return len(seats) <= 1
