"""The sections of answers of ``wsim match`` and ``wsim skill``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from wsim.experiments.skill import ESTIMAND
from wsim.experiments.skill_levels import names_of, side_by_side
from wsim.report import charts, grids
from wsim.report.answers import MATCH, SKILL
from wsim.report.parts import Figure, Section
from wsim.report.wording import number

__all__ = ["sections"]

MOST = 40
"""Rows of a chart: of more, those of the largest and of the smallest changes."""
_BESIDE = (
    "Each player of a ladder has the table to itself, on the same deals: open marks are the weakest, filled ones the "
    "strongest."
)


def sections(records: Sequence[Mapping[str, Any]]) -> Iterator[Section]:
    """Yield the sections, one for each kind that there is."""
    matches = [record for record in records if record["format"] == MATCH]
    if matches:
        numbers = [
            grids.plain_grid(f"match-{place}-{table}", f"Matches: {table}", _frame(record, table))
            for place, record in enumerate(matches)
            for table in ("pairs", "cells")
        ]
        intro = f"{matches[0]['estimand']}."
        yield Section("match", "Matches", intro, [_match(record) for record in matches], numbers=numbers)
    ladders = [record for record in records if record["format"] == SKILL]
    if ladders:
        figures = [figure for record in ladders for figure in _ladder(record)]
        numbers = [grid for place, record in enumerate(ladders) for grid in _rungs(record, f"skill-{place}")]
        yield Section("skill", "By skill", _BESIDE, figures, numbers=numbers)


def _frame(record: Mapping[str, Any], table: str) -> pl.DataFrame:
    return pl.DataFrame(record[table], infer_schema_length=None)


def _match(record: Mapping[str, Any]) -> Figure:
    rows = _frame(record, "pairs")
    table = pl.concat_str("ruleset", pl.lit(" "), "players")
    pair = pl.concat_str("policy", pl.lit(" - "), "other")
    label = pair if rows.select(table.n_unique()).item() == 1 else pl.concat_str(pair, pl.lit(", "), table)
    known = rows.with_columns(label.alias("label")).drop_nulls(["difference_low", "difference_high"])
    said = "Difference in win share of the first policy and the other."
    drawing = charts.forest(known, "difference", "difference in win share", said, reference=0.0, difference=True)
    return Figure(drawing, f"{said} {record['deals']:,} deals, {record['games']:,} games; the intervals hold together.")


def _ladder(record: Mapping[str, Any]) -> Iterator[Figure]:
    """Yield the charts of a ladder: the figures at both ends of it, and the change between them."""
    rows = side_by_side(_frame(record, "figures"), _frame(record, "changes"))
    first = _frame(record, "changes").row(0, named=True)
    weaker, stronger, what = first["weaker"], first["stronger"], record["question"]["what"]
    label = pl.concat_str(names_of(_frame(record, "figures")), separator=" ").alias("label")
    known = rows.with_columns(label).drop_nulls(["change_low"])
    if known.is_empty():
        return
    shown = pl.concat([known.head(MOST // 2), known.tail(MOST // 2)]) if len(known) > MOST else known
    left_out = f"; the {MOST} largest and smallest changes of {len(known)}" if len(known) > MOST else ""
    of_levels = record["estimand"] == ESTIMAND[True]  # a win share by itself, for every seat has one of them
    nothing, heading = (record["fair"], "win share") if of_levels else (0.0, "win share less that of the others")
    ends = [
        pl.col(f"{rung}{end}").alias(f"{when}{end}")
        for when, rung in (("before", weaker), ("after", stronger))
        for end in ("", "_low", "_high")
    ]
    both = shown.select("label", *ends, pl.lit(float(nothing)).alias("low"), pl.lit(None, pl.Float64).alias("high"))

    def tip(row: Mapping[str, Any]) -> str:
        return f"{row['label']}: {weaker} {number(row['before'], 3)}, {stronger} {number(row['after'], 3)}"

    said = f"{what.capitalize()} with {weaker} (open) and with {stronger} (filled) on all seats."
    games = f"{record['games']:,} games at each rung{left_out}."
    drawing = charts.before_after(both.with_columns(charts.told(both, tip, "tip")), heading, said)
    yield Figure(drawing, " ".join([said, games, *(f"{one}." for one in (record["estimand"], *record["remarks"]))]))
    change = f"Change of each of the {what} from {weaker} to {stronger}."
    drawing = charts.forest(shown, "change", "change in win share", change, reference=0.0, difference=True)
    yield Figure(drawing, f"{change} {games} Each interval holds by itself.")


def _rungs(record: Mapping[str, Any], name: str) -> Iterator[grids.Grid]:
    """Yield the tables of a ladder: all rungs side by side with each of the changes."""
    figures, changes = _frame(record, "figures"), _frame(record, "changes")
    for place, (weaker, stronger) in enumerate(changes.select("weaker", "stronger").unique(maintain_order=True).rows()):
        caption = f"{record['question']['what'].capitalize()} by skill; change from {weaker} to {stronger}"
        yield grids.plain_grid(f"{name}-{place}", caption, side_by_side(figures, changes, place))
