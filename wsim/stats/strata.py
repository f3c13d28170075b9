"""Comparison within strata, which are the policies of a run if there are several.

Policies differ in strength and in what they choose. A card that a weak policy likes would therefore look weak, although
it may be worth the same to everybody (Simpson's paradox). So the choices of a seat are compared only with seats of the
same policy, unless raw figures are requested.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from wsim.stats.fewest import ENOUGH
from wsim.stats.games import Floats
from wsim.stats.levels import Levels
from wsim.stats.summary import Summary

POLICY = "policy"

WITHIN = (
    "Compared within policies: each seat only with seats of the same policy, each policy weighted by its information; "
    "means are those that would result if every policy had it equally often. Raw figures: --raw."
)
RAW = (
    "Raw: several policies are pooled, so anything that a weak policy likes looks weak. Without --raw, seats are "
    "compared only with seats of the same policy."
)

MISSING_INTERVAL = (
    f" If fewer than {ENOUGH} wins differ from the expected winner, win shares have no interval, because almost no "
    "game carries information about them."
)


def almost_all_as_expected(rows: Floats, wins: Floats) -> NDArray[np.bool_]:
    """Return whether almost all results within strata are as expected, so that their spread carries no information.

    If a policy nearly always wins, all but a few games have the same result, whatever was built in them. Parameters:
    the number of seats in each stratum and their wins, shape (strata, ...). Few wins among equal players are a
    different case, in which every win is informative.
    """
    often = 2 * wins > rows
    otherwise = np.maximum(np.where(often, 0.0, wins).sum(axis=0), np.where(often, rows - wins, 0.0).sum(axis=0))
    return np.asarray((otherwise < ENOUGH) & (2 * otherwise < wins.sum(axis=0)))


def missing_interval_note(frame: pl.DataFrame, wins: str, scores: str) -> str:
    """Return a remark for the note if a win share has no interval although the score has one, otherwise nothing."""
    return (
        MISSING_INTERVAL if frame.select((pl.col(wins).is_null() & pl.col(scores).is_not_null()).any()).item() else ""
    )


def strata_of(seats: pl.LazyFrame | Summary, by: Sequence[str] = (), *, raw: bool = False) -> tuple[str, ...]:
    """Return the columns that define the strata: the policy, or none if ``raw`` or already split by policy."""
    if raw or POLICY in by or not _has_several_policies(seats):
        return ()
    return (POLICY,)


def _has_several_policies(seats: pl.LazyFrame | Summary) -> bool:
    """Return whether a table, or its sums, has seats of several policies."""
    if isinstance(seats, Summary):
        return seats.several(POLICY)
    if POLICY not in seats.collect_schema():
        return False
    return int(seats.select(pl.col(POLICY).n_unique()).collect(engine="streaming").item()) > 1


def note_of(seats: pl.LazyFrame | Summary, by: Sequence[str], *, raw: bool) -> str:
    """Return a sentence on whether a table pools policies or compares within them; empty for one policy."""
    if POLICY in by or not _has_several_policies(seats):
        return ""
    return f" {RAW}" if raw else f" {WITHIN}"


def title_of(title: str, seats: pl.LazyFrame | Summary, by: Sequence[str], *, raw: bool) -> str:
    """Return the title of a table, marked as raw if it pools several policies."""
    return f"{title}, raw" if raw and POLICY not in by and _has_several_policies(seats) else title


def groups_of(seats: pl.LazyFrame, by: Sequence[str]) -> Iterator[tuple[dict[str, pl.Series], pl.LazyFrame]]:
    """Yield each level of the columns ``by`` (one-row series) with its seats; without columns, yield all seats once."""
    if not by:
        yield {}, seats
        return
    for row in Levels.of(seats, by).frame.iter_slices(1):
        same = [pl.col(name).eq_missing(pl.lit(row[name].item(), dtype=row.schema[name])) for name in by]
        yield row.to_dict(), seats.filter(same)
