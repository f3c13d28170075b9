"""Tables of boards: their strength, overall and by neighbour, and how much of the variance of results they explain."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import polars as pl

from wsim import stats
from wsim.stats import shared
from wsim.stats.analysis import Analysis
from wsim.stats.columns import FAIR, PLAYER_HALF_WIDTH
from wsim.stats.factor_sums import FactorSums
from wsim.stats.games import Source, competitors, require, seats_of
from wsim.stats.shared import RAW
from wsim.stats.strata import POLICY, strata_of, title_of
from wsim.stats.summary import summary_of
from wsim.stats.tables import Table
from wsim.stats.variance import FACTORS

BOARD = ("wonder", "side")


def wonders(source: Source, by: str | Sequence[str] = BOARD, *, raw: bool = False, level: float = 0.95) -> Table:
    """Return win share, score and points by category for each board and side (by default).

    With several policies, the means are adjusted for policy, so that a board does not look strong because good players
    had it; ``raw`` skips the adjustment. ``with_neighbours`` adds the columns of the neighbours' boards. See
    ``wsim.stats.factor`` for the columns of the table.
    """
    groups = (by,) if isinstance(by, str) else tuple(by)
    seats = summary_of(source) or competitors(seats_of(source))
    title, within = title_of("Wonders", seats, groups, raw=raw), strata_of(seats, groups, raw=raw)
    return stats.factor(source, groups, within=within, level=level, title=title)


def strengths(source: Source, by: str | Sequence[str] = BOARD, *, level: float = 0.95) -> Table:
    """Return Plackett-Luce strengths of boards and sides (by default); see ``wsim.stats.strengths``."""
    return stats.strengths(source, by, level=level)


variance_shares: Callable[..., Table] = partial(stats.variance_shares, factors={"wonder": BOARD, **FACTORS})
"""Shares of an outcome's variance due to board, seat, policy and table; see ``wsim.stats.variance_shares``."""


def with_neighbours(source: Source, column: str = "wonder") -> pl.LazyFrame:
    """Return the seats table with ``column`` of the left and right neighbour (``wonder_left``, ``wonder_right``).

    The left neighbour sits in the next seat, the right one in the preceding seat (R1). The table must be a whole run in
    its original order; filter it afterwards.
    """
    seats = seats_of(source)
    require(seats, ["game", "seat", column])
    count = int(seats.select(pl.col("seat").max()).collect(engine="streaming").item() or 0) + 1
    value, seat = pl.col(column), pl.col("seat")
    left = pl.when(seat == count - 1).then(value.shift(count - 1)).otherwise(value.shift(-1))
    right = pl.when(seat == 0).then(value.shift(1 - count)).otherwise(value.shift(1))
    return seats.with_columns(left.alias(f"{column}_left"), right.alias(f"{column}_right"))


def seats_by(source: Source, by: Sequence[str]) -> Source:
    """Return the source, with columns for the neighbours' boards added if ``by`` names them."""
    return with_neighbours(source) if {"wonder_left", "wonder_right"} & set(by) else source


def _by_neighbours(make: Callable[..., Table]) -> Callable[..., Table]:
    """Wrap a table function so that ``by`` may also name the neighbours' boards."""

    def table(source: Source, by: Sequence[str], **options: object) -> Table:
        return make(seats_by(source, by), by=by, **options)

    return table


_COLUMNS = ("n", "win_share", PLAYER_HALF_WIDTH, FAIR, "q", "verdict", "score", "points_*")

WONDERS = Analysis(
    _by_neighbours(wonders),
    "win share, score and points of each board and side",
    by=BOARD,
    columns=_COLUMNS,
    first=shared.BEATS_CHANCE,
    options=RAW,
    shown="run",
    sums=FactorSums(BOARD, (POLICY,)),
    moves="win_share",
)
POLICIES = replace(shared.POLICIES, make=_by_neighbours(stats.policies))
STRENGTHS = replace(shared.STRENGTHS, make=_by_neighbours(strengths), by=BOARD)
VARIANCE = replace(shared.VARIANCE, make=variance_shares)
