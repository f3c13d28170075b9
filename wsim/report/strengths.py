"""The sections of answers of ``wsim match`` and ``wsim skill`` that lie in a run's folder."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import polars as pl

from wsim.comparisons.matches.answer import FORMAT as MATCH
from wsim.comparisons.skill_answer import FORMAT as SKILL
from wsim.errors import UserError
from wsim.report import charts, grids
from wsim.report.parts import Figure, Section

__all__ = ["read_strengths", "sections"]

MOST = 40
"""Rows of a chart: of more, those of the largest and of the smallest changes."""


def read_strengths(folder: Path) -> list[dict[str, Any]]:
    """Return the answers of matches and of skill in a run's folder; UserError for a damaged one."""
    found = []
    for path in sorted([*folder.glob("match-*.json"), *folder.glob("skill-*.json")]):
        try:
            record = json.loads(path.read_text(encoding="utf-8"))
            known = record["format"] in (MATCH, SKILL) and all(record[name] for name in _TABLES[record["format"]])
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise UserError(f"the answer in {str(path)!r} is damaged: {error!r}") from error
        if not known:
            raise UserError(f"the answer in {str(path)!r} is damaged: it has no rows")
        found.append(record)
    return found


_TABLES: Mapping[str, tuple[str, ...]] = {MATCH: ("pairs", "cells"), SKILL: ("figures", "changes")}


def sections(records: list[dict[str, Any]]) -> Iterator[Section]:
    """Yield the sections, one for each kind that there is."""
    for name, heading, kind, draw in (
        ("match", "Matches", MATCH, _match),
        ("skill", "By skill", SKILL, _skill),
    ):
        mine = [record for record in records if record["format"] == kind]
        if mine:
            grid = [
                grids.plain_grid(f"{name}-{place}-{table}", f"{heading}: {table}", _frame(record, table))
                for place, record in enumerate(mine)
                for table in _TABLES[kind]
            ]
            yield Section(name, heading, f"{mine[0]['estimand']}.", [draw(record) for record in mine], numbers=grid)


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


def _skill(record: Mapping[str, Any]) -> Figure:
    rows = _frame(record, "changes")
    weaker, stronger = rows["weaker"][0], rows["stronger"][0]
    names = rows.columns[: rows.columns.index("weaker")]
    whole = rows.filter((pl.col("weaker") == weaker) & (pl.col("stronger") == stronger))
    known = whole.with_columns(pl.concat_str(names, separator=" ").alias("label")).drop_nulls(["change_low"])
    ordered = known.sort("change", descending=True)
    shown = pl.concat([ordered.head(MOST // 2), ordered.tail(MOST // 2)]) if len(ordered) > MOST else ordered
    said = f"Change of each of the {record['question']['what']} from {weaker} to {stronger}."
    drawing = charts.forest(shown, "change", "change in win share", said, reference=0.0, difference=True)
    return Figure(drawing, f"{said} {record['games']:,} games at each rung; each interval holds by itself.")
