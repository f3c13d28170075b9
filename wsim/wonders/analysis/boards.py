"""Tables of boards: how strong they are, beside whom, and how much they decide."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import polars as pl

from wsim import stats
from wsim.stats import shared
from wsim.stats.analysis import Analysis
from wsim.stats.columns import FAIR, PLAYER_SD
from wsim.stats.factor_sums import FactorSums
from wsim.stats.games import Source, competitors, require, seats_of
from wsim.stats.shared import RAW
from wsim.stats.strata import POLICY, strata_of, title_of
from wsim.stats.summary import summary_of
from wsim.stats.tables import Table
from wsim.stats.variance import FACTORS

BOARD = ("wonder", "side")


def wonders(source: Source, by: str | Sequence[str] = BOARD, *, raw: bool = False, level: float = 0.95) -> Table:
    """Return win share, score and categories by board and side, or by other columns; see ``wsim.stats.factor``.

    With several policies the means are adjusted for them, so that a board does not look strong because good players
    had it; ``raw`` leaves them as they are. ``with_neighbours`` adds the columns of the neighbours' boards.
    """
    groups = (by,) if isinstance(by, str) else tuple(by)
    seats = summary_of(source) or competitors(seats_of(source))
    title, within = title_of("Wonders", seats, groups, raw=raw), strata_of(seats, groups, raw=raw)
    return stats.factor(source, groups, within=within, level=level, title=title)


def strengths(source: Source, by: str | Sequence[str] = BOARD, *, level: float = 0.95) -> Table:
    """Return Plackett-Luce strengths of boards and sides, or of other columns; see ``wsim.stats.strengths``."""
    return stats.strengths(source, by, level=level)


variance_shares: Callable[..., Table] = partial(stats.variance_shares, factors={"wonder": BOARD, **FACTORS})
"""The shares of board, seat, policy and table in the variance of an outcome; see ``wsim.stats.variance_shares``."""


def with_neighbours(source: Source, column: str = "wonder") -> pl.LazyFrame:
    """Return the seats table with two more columns: ``column`` of the left and of the right neighbour.

    They are called ``wonder_left`` and ``wonder_right``. The left neighbour sits in the next seat, the right one in the
    seat before (R1). The table must be a whole run in order, as written; filter it afterwards.
    """
    seats = seats_of(source)
    require(seats, ["game", "seat", column])
    count = int(seats.select(pl.col("seat").max()).collect(engine="streaming").item() or 0) + 1
    value, seat = pl.col(column), pl.col("seat")
    left = pl.when(seat == count - 1).then(value.shift(count - 1)).otherwise(value.shift(-1))
    right = pl.when(seat == 0).then(value.shift(1 - count)).otherwise(value.shift(1))
    return seats.with_columns(left.alias(f"{column}_left"), right.alias(f"{column}_right"))


def seats_by(source: Source, by: Sequence[str]) -> Source:
    """Return a run or a seats table as it is, or with the neighbours' boards where a split by them is asked for."""
    return with_neighbours(source) if {"wonder_left", "wonder_right"} & set(by) else source


def _beside(make: Callable[..., Table]) -> Callable[..., Table]:
    """Let a table be split by the neighbours' boards, too."""

    def made(source: Source, by: Sequence[str], **options: object) -> Table:
        return make(seats_by(source, by), by=by, **options)

    return made


_COLUMNS = ("n", "win_share", PLAYER_SD, FAIR, "q", "verdict", "score", "points_*")

WONDERS = Analysis(
    _beside(wonders),
    "win share, score and points of each board and side",
    by=BOARD,
    columns=_COLUMNS,
    first=shared.BEATS_CHANCE,
    options=RAW,
    shown="run",
    sums=FactorSums(BOARD, (POLICY,)),
    moves="win_share",
)
POLICIES = replace(shared.POLICIES, make=_beside(stats.policies))
STRENGTHS = replace(shared.STRENGTHS, make=_beside(strengths), by=BOARD)
VARIANCE = replace(shared.VARIANCE, make=variance_shares)
