"""Several runs as one table: player numbers, rule sets, variants side by side."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from wsim.errors import UserError
from wsim.stats.games import Source, parties, seats_of

__all__ = ["combine"]

_GAMES = 2**48  # game numbers of a run lie below


def combine(sources: Mapping[object, Source], column: str = "players") -> pl.LazyFrame:
    """Return the seats tables of several runs as one, told apart by a new column.

    Parameters
    ----------
    sources: a run or seats table for each value of the new column: ``{3: run_of_three, 4: run_of_four}``. The values
        are all numbers or all texts.
    column: its name.

    Games get new numbers, so that those of different runs stay apart, and the column ``win_points`` is added (win share
    times the number of players or teams), because the players may differ from row to row. A column that only some runs
    have is null in the others; names (wonder, policy, ...) become text. Put ``column`` among the ``by`` of a table.
    """
    if not sources:
        raise UserError("there is no run to combine")
    frames = []
    for number, (value, source) in enumerate(sources.items()):
        seats = seats_of(source)
        schema = seats.collect_schema()
        if column in schema:
            raise UserError(f"the run {value!r} has a column {column!r} of its own: choose another name")
        names = [name for name, kind in schema.items() if isinstance(kind, pl.Enum | pl.Categorical)]
        frames.append(
            seats.with_columns(
                pl.col("game") + pl.lit(number * _GAMES, pl.UInt64),
                pl.col(names).cast(pl.String),
                (pl.col("win_share") * parties(seats)).alias("win_points"),
                pl.lit(value).alias(column),
            )
        )
    return pl.concat(frames, how="diagonal_relaxed")
