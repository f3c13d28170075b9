"""The section of a page about patches that balance: targets before and after, the changes, and where else they hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import polars as pl

from wsim.report import charts, grids
from wsim.report.material import BalanceRecord
from wsim.report.parts import Figure, Section
from wsim.report.wording import number, percent

__all__ = ["section"]

_INTRO = (
    "Open marks are the game as it is, filled ones the game with the patch, on deals that the search has not seen; "
    "bars are 95 % intervals, dashed lines what is accepted. All this holds for the players of each setting."
)


def section(records: Sequence[BalanceRecord]) -> Section:
    """Return the section: a figure for each metric and setting of each record, its tables among the numbers."""
    figures: list[Figure] = []
    tables = []
    for place, one in enumerate(records):
        targets = pl.DataFrame(one.record["targets"], infer_schema_length=None)
        for (metric, setting), rows in targets.group_by("metric", "setting", maintain_order=True):
            several = targets["setting"].n_unique() > 1
            figures.append(_figure(one, str(metric), f", {setting}" if several else "", rows))
        figures[-1] = replace(figures[-1], caption=" ".join([figures[-1].caption, *_conflicts(one)]))
        for name, caption in (
            ("changes", "The patch"),
            ("trade", "Changes against deviation"),
            ("carried", "Elsewhere"),
            ("responses", "Each in its best style, others as in the setting"),
        ):
            if one.record.get(name):
                table = pl.DataFrame(one.record[name], infer_schema_length=None)
                tables.append(grids.plain_grid(f"balance-{place}-{name}", f"{caption} ({one.name})", table))
    return Section("balance", "Balance", _INTRO, figures, numbers=tables)


def _figure(answer: BalanceRecord, metric: str, where: str, rows: pl.DataFrame) -> Figure:
    """Draw the targets of one metric at one setting, which is named in ``where`` if there are several."""
    shown = rows.with_columns(pl.col("of").alias("label")).sort("before")
    shown = shown.with_columns(charts.told(shown, _tip, "tip"))
    what = "Win share" if metric == "win" else metric
    count = len(answer.record["changes"])
    changed = f"{count} changed value{'' if count == 1 else 's'}"
    within = answer.record.get("proven_within")
    near = "" if within is None else f" (all targets: within {number(within)} times what is accepted)"
    said = "proven" if answer.record["proven"] else f"not proven{near}"
    caption = f"{what}{where} before and after {changed} ({answer.name}): {said}."
    drawing = charts.before_after(shown, what, f"{what} of each target before and after the patch, with intervals.")
    return Figure(drawing, caption)


def _conflicts(answer: BalanceRecord) -> list[str]:
    """Say which targets pull against each other, in one sentence each: under the last figure of an answer."""
    return [f"{one[:1].upper()}{one[1:]}." for one in answer.record["conflicts"]]


def _tip(row: Mapping[str, Any]) -> str:
    """Tell a target in words; the page keeps two decimals of a number, which are too few for a share."""
    write = percent if row["metric"] == "win" else number
    after = "" if row["after"] is None else f", after {write(row['after'])}"
    return f"{row['label']}: before {write(row['before'])}{after}"
