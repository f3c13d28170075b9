"""Strata within which like is compared with like: the policies of a run, where there are several.

Policies differ in strength and in what they choose. What a weak policy likes then looks weak, although it may be worth
the same to everybody (Simpson's paradox). So what a seat chose is compared among seats of the same policy, unless the
raw figures are asked for.
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
    "Compared within policies: a seat only with seats of the same policy, in proportion to what each policy tells; "
    "means are those that would be seen if every policy had it equally often. The raw figures: --raw."
)
RAW = (
    "Raw: several policies are pooled, so that what a weak policy likes looks weak. Without --raw, seats are compared "
    "with seats of the same policy only."
)

USUAL = (
    f" Where fewer than {ENOUGH} wins went otherwise than is usual for the policies, their shares have no interval: "
    "almost no game tells of them."
)


def all_usual(rows: Floats, wins: Floats) -> NDArray[np.bool_]:
    """Say whether almost all wins within strata are the usual ones, so that their spread says nothing.

    A policy that wins nearly always leaves all but a few games the same, whatever was built in them. Parameters are the
    seats of each stratum and their wins, shape (strata, ...); the answer has the shape of the rest. Few wins at a table
    of equals are no such case: there every win tells.
    """
    often = 2 * wins > rows
    otherwise = np.maximum(np.where(often, 0.0, wins).sum(axis=0), np.where(often, rows - wins, 0.0).sum(axis=0))
    return np.asarray((otherwise < ENOUGH) & (2 * otherwise < wins.sum(axis=0)))


def usual_note(frame: pl.DataFrame, wins: str, scores: str) -> str:
    """Return what a note ends with where an end of win shares is unknown that is known of scores."""
    return USUAL if frame.select((pl.col(wins).is_null() & pl.col(scores).is_not_null()).any()).item() else ""


def strata_of(seats: pl.LazyFrame | Summary, by: Sequence[str] = (), *, raw: bool = False) -> tuple[str, ...]:
    """Return the columns within whose levels choices are compared: the policy; none if raw, or split by it already."""
    if raw or POLICY in by or not _several(seats):
        return ()
    return (POLICY,)


def _several(seats: pl.LazyFrame | Summary) -> bool:
    """Say whether a table, or the sums of one, has seats of several policies."""
    if isinstance(seats, Summary):
        return seats.several(POLICY)
    if POLICY not in seats.collect_schema():
        return False
    return int(seats.select(pl.col(POLICY).n_unique()).collect(engine="streaming").item()) > 1


def note_of(seats: pl.LazyFrame | Summary, by: Sequence[str], *, raw: bool) -> str:
    """Return what a note ends with about the policies that a table compares within, or pools; empty for one policy."""
    if POLICY in by or not _several(seats):
        return ""
    return f" {RAW}" if raw else f" {WITHIN}"


def title_of(title: str, seats: pl.LazyFrame | Summary, by: Sequence[str], *, raw: bool) -> str:
    """Return the title of a table, which says if it pools several policies."""
    return f"{title}, raw" if raw and POLICY not in by and _several(seats) else title


def groups_of(seats: pl.LazyFrame, by: Sequence[str]) -> Iterator[tuple[dict[str, pl.Series], pl.LazyFrame]]:
    """Yield the levels of some columns, each as columns of one row, with their seats; without columns all seats."""
    if not by:
        yield {}, seats
        return
    for row in Levels.of(seats, by).frame.iter_slices(1):
        same = [pl.col(name).eq_missing(pl.lit(row[name].item(), dtype=row.schema[name])) for name in by]
        yield row.to_dict(), seats.filter(same)
