"""What a shard holds: the rows that its games must have, whoever wrote them.

Digests say that a file is the one that was written; this says that it can be read as what it is said to be.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wsim.lab.ledger import Shard

if TYPE_CHECKING:
    import polars as pl

MOST_SEATS = 255
_LARGEST = 2.0**53  # beyond it, a float does not hold every whole number: sums of scores would not be exact
_SUMMED = 1e60  # far beyond the squares of scores of all games that can be played, and what they are multiplied by fits


def wrong_contents(path: Path, shard: Shard) -> str | None:
    """Return what is wrong with the rows of a shard, as in ``holds other games``; None if nothing is."""
    import polars as pl

    try:
        schema = pl.scan_parquet(path, glob=False).collect_schema()
        if shard.table == "sums":
            return _wrong_sums(pl.read_parquet(path, glob=False), shard)
        if (why := next(_wrong_columns(schema, shard.table), None)) is not None:
            return why
        rows = pl.read_parquet(path, glob=False, columns=_read(schema, shard.table))
    except (OSError, ValueError, pl.exceptions.PolarsError) as error:
        return f"cannot be read: {' '.join(str(error).split())[:200]}"
    return next(_wrong_rows(rows, shard), None)


def _wrong_columns(schema: Mapping[str, Any], table: str) -> Iterator[str]:
    """Yield what is wrong with the columns of seats or picks: one is missing, or is of another kind."""
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
            yield f"has a column {name[:100]!r} of {str(kind)[:100]}, not of {wanted or 'numbers or names'}"


def _read(schema: Mapping[str, Any], table: str) -> list[str]:
    """Return the columns whose rows are looked at: those that tables count with, and names."""
    import polars as pl

    if table == "picks":
        return ["game", "seat"]
    counted = ("game", "seat", "rank", "win_share", "total", "team")
    return [name for name, kind in schema.items() if name in counted or isinstance(kind, pl.Enum)]


def _wrong_rows(rows: pl.DataFrame, shard: Shard) -> Iterator[str]:
    """Yield what is wrong with rows: a game is missing or has other seats, a number cannot be."""
    import polars as pl

    numbers = f"from {shard.first:,} to {shard.first + shard.games - 1:,}"
    for name in rows.columns:
        if rows[name].null_count():
            yield f"has rows without {name}"
    game = rows["game"]
    if len(game) == 0 or not game.is_sorted():
        yield f"does not hold the games {numbers} in order"
        return
    if (game[0], game[-1], game.n_unique()) != (shard.first, shard.first + shard.games - 1, shard.games):
        yield f"does not hold every game {numbers}, and no other"
        return
    if shard.table == "picks":
        if rows["seat"].max() > MOST_SEATS or rows["seat"].min() < 0:  # type: ignore[operator]
            yield "has seats that no game has"
        return
    seats = len(rows) // shard.games
    if seats * shard.games != len(rows) or seats > MOST_SEATS or game.value_counts()["count"].n_unique() != 1:
        yield "has games with more rows than others"
        return
    beside = pl.int_range(pl.len()) % seats
    if not rows.select((pl.col("seat").cast(pl.Int64) == beside).all()).item():
        yield "does not hold the seats of a game in order"
    if not rows.select(pl.col("win_share").is_between(0, 1.001).all()).item():
        yield "has shares of a win that are not between 0 and 1"
    if not rows.select((pl.col("total").cast(pl.Float64).abs() < _LARGEST).all()).item():
        yield "has scores that no game has"
    if "rank" in rows.columns:
        won = rows.filter(pl.col("rank") == 1)["game"].n_unique()
        if won != shard.games or rows["rank"].max() > seats or rows["rank"].min() < 0:  # type: ignore[operator]
            yield "has ranks that no game has"


def _wrong_sums(frame: pl.DataFrame, shard: Shard) -> str | None:
    """Return what is wrong with a table of sums; raise ValueError where it is none."""
    import numpy as np

    from wsim.stats.factor_sums import LEVELS, FactorSums
    from wsim.stats.owner_tallies import EACH, OWNERS, OwnerTallies
    from wsim.stats.summary import Summary

    found = Summary.of_frame(frame)
    shapes: dict[str, tuple[int, ...]] = {"games": (1,)}
    try:
        if not all(1 <= int(*found.labels[name]) < _LARGEST for name in ("seats", "sides", "parts")):
            return "has sums of games that nobody plays"
        for name in found.labels:
            if name.startswith("categories "):
                shapes[f"seats by {name.partition(' ')[2]}"] = (1 + len(found.labels[name]),)
            for start, recipe in ((LEVELS, FactorSums), (OWNERS, OwnerTallies)):
                if name.startswith(start):
                    of_recipe = recipe.shapes(name, found.labels)
                    shapes |= {f"{name}/{one}": shape for one, shape in of_recipe.items()}
    except (KeyError, TypeError) as error:
        return f"has sums without what names them ({error})"
    for name, shape in shapes.items():
        if name not in found.arrays or found.arrays[name].shape != shape:
            return f"has no sums {name!r} of the shape that they must have"
    if not all((np.abs(values) < _SUMMED).all() for values in found.arrays.values()):
        return "has sums that are no numbers, or too large"
    if any(len(set(names)) < len(names) for names in found.labels.values()):
        return "has sums of several things of one name"
    rows = {name: found.arrays[name].sum() for name in shapes if name.startswith("seats by ")}
    rows |= {name: found.arrays[name][0].sum() for name in shapes if name.endswith("/cells")}
    rows |= {name: found.arrays[name][::EACH].sum() for name in shapes if name.endswith("/all_totals")}
    counts = [found.arrays[name][..., ::EACH] for name in shapes if name.endswith("/own_totals")]
    if len(set(rows.values())) > 1 or any((values < 0).any() for values in counts):
        return "has sums of other seats in some tables than in others"
    if found.games != shard.games:
        return f"has sums of {found.games:,} games, not of {shard.games:,}"
    return None
