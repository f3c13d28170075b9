"""The sections of answers, each drawn by the shape of its tables.

The page knows no question. An answer whose main table has effects of variants, differences of pairs, levels of a ladder
of players, distances between players, or targets before and after is drawn as such.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import polars as pl

from wsim.experiments.skill import ESTIMAND
from wsim.experiments.skill_levels import naming_columns, side_by_side
from wsim.lab.answer import Stored
from wsim.lab.repetition import sound
from wsim.report import charts, grids
from wsim.report.charts import Drawing
from wsim.report.page_parts import Figure, Section
from wsim.report.shapes import AnswerShape, shape_of_answer
from wsim.report.wording import count, number, percent, unit_of

MOST = 40
"""Rows of a chart of a ladder: of more, those of the largest and of the smallest changes."""
_BESIDE = (
    "Each player of a ladder has the table to itself, on the same deals: open marks are the weakest, filled ones the "
    "strongest."
)
_BALANCE = (
    "Open marks are the game as it is, filled ones the game with the patch, on deals that the search has not seen; "
    "bars are 95 % intervals, dashed lines what is accepted. All this holds for the players of each setting."
)


def sections(answers: Sequence[Stored]) -> Iterator[Section]:
    """Yield the sections of answers, one for each shape that there is."""
    shapes = [sound(partial(_shape_of, answer), _damaged([answer])) for answer in answers]
    for shape, section in _SECTIONS.items():
        mine = [answer for answer, own in zip(answers, shapes, strict=True) if own == shape]
        if mine:
            yield sound(partial(section, mine), _damaged(mine))


def _shape_of(answer: Stored) -> AnswerShape | None:
    """Return what an answer looks like; its table is read here, so that a damaged one is told in a sentence."""
    return shape_of_answer(answer.main)


def _damaged(answers: Sequence[Stored]) -> str:
    """Return what is said of answers that cannot be drawn."""
    return f"the answer in {' or '.join(repr(one.name) for one in answers)} is damaged"


# --- effects of variants --------------------------------------------------------------------------------------------


def _effects(answers: Sequence[Stored]) -> Section:
    """Return the section of what-ifs: a curve for a sweep, else the effects side by side."""
    figures, tables = [], []
    for place, answer in enumerate(answers):
        record, metric = answer.record, answer.record["question"]["metric"]
        drawing = _effects_drawing(answer.main, metric)
        if drawing is not None:
            plan = record["baseline"]["plan"]
            where = f"{count(record['deals'])} deals of {plan['ruleset']}, {plan['players']} players"
            said = " ".join(f"{one}." for one in record.get("remarks", ()))
            figures.append(
                Figure(drawing, f"{record['estimand']} {where}; the intervals hold together. {said}".strip())
            )
        names = ["variant", "baseline", "changed", "effect", "effect_low", "effect_high", "verdict", "variance_removed"]
        shown = answer.main.select(names)
        units = dict.fromkeys(("baseline", "changed", "effect"), _unit_of_metric(metric))
        tables.append(grids.plain_grid(f"whatif-{place}", f"What if: {metric} ({answer.name})", shown, units))
    intro = "Baseline and variant play the same deals and seats: for these policies, the change causes the difference."
    return Section("whatif", "What if", intro, figures, numbers=tables)


def _unit_of_metric(metric: str) -> str:
    """Return what a metric (``wsim.experiments.metrics``) counts in; nothing where it is a number of something."""
    head, _, rest = metric.partition(":")
    if head in ("score", "total"):
        return "points"
    return "share" if rest or head in ("win", "win_share") else unit_of(head)


def _effects_drawing(effects: pl.DataFrame, metric: str) -> Drawing | None:
    rows = effects.filter(pl.col("effect_low").is_not_null() & pl.col("effect_high").is_not_null())
    if rows.is_empty():
        return None
    numbers = rows["value"].cast(pl.String).cast(pl.Float64, strict=False)
    if len(rows) > 1 and numbers.null_count() == 0:
        heading = str(rows["variant"][0]).partition("=")[0]
        shown = rows.with_columns(numbers.alias("number")).sort("number")
        return charts.curve(shown, heading, metric, f"Effect of {heading} on {metric}, with intervals.")
    shown = rows.select(pl.col("variant").alias("label"), "effect", "effect_low", "effect_high")
    alternative = f"Effects on {metric}, with intervals."
    return charts.forest(shown, "effect", f"effect on {metric}", alternative, reference=0.0, difference=True)


# --- differences of pairs -------------------------------------------------------------------------------------------


def _pairs(answers: Sequence[Stored]) -> Section:
    """Return the section of matches."""
    numbers = [
        grids.plain_grid(f"match-{place}-{table}", f"Matches: {table}", answer.table(table))
        for place, answer in enumerate(answers)
        for table in ("pairs", "cells")
    ]
    intro = f"{answers[0].record['estimand']}."
    return Section("match", "Matches", intro, [_pairs_figure(answer) for answer in answers], numbers=numbers)


def _pairs_figure(answer: Stored) -> Figure:
    rows, record = answer.main, answer.record
    table = pl.concat_str("ruleset", pl.lit(" "), "players")
    pair = pl.concat_str("policy", pl.lit(" - "), "other")
    label = pair if rows.select(table.n_unique()).item() == 1 else pl.concat_str(pair, pl.lit(", "), table)
    known = rows.with_columns(label.alias("label")).drop_nulls(["difference_low", "difference_high"])
    said = "Difference in win share of the first policy and the other."
    drawing = charts.forest(known, "difference", "difference in win share", said, reference=0.0, difference=True)
    return Figure(drawing, f"{said} {record['deals']:,} deals, {record['games']:,} games; the intervals hold together.")


# --- levels of a ladder ---------------------------------------------------------------------------------------------


def _ladders(answers: Sequence[Stored]) -> Section:
    """Return the section of things by skill."""
    figures = [figure for answer in answers for figure in _ladder(answer)]
    numbers = [grid for place, answer in enumerate(answers) for grid in _ladder_grids(answer, f"skill-{place}")]
    return Section("skill", "By skill", _BESIDE, figures, numbers=numbers)


def _ladder(answer: Stored) -> Iterator[Figure]:
    """Yield the charts of a ladder: the figures at both ends of it, and the change between them."""
    record, levels, changes = answer.record, answer.table("figures"), answer.table("changes")
    rows, first = side_by_side(levels, changes), changes.row(0, named=True)
    weaker, stronger, what = first["weaker"], first["stronger"], record["question"]["what"]
    label = pl.concat_str(naming_columns(levels), separator=" ").alias("label")
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
    drawing = charts.before_after(both.with_columns(charts.texts_of(both, tip, "tip")), heading, said)
    yield Figure(drawing, " ".join([said, games, *(f"{one}." for one in (record["estimand"], *record["remarks"]))]))
    change = f"Change of each of the {what} from {weaker} to {stronger}."
    drawing = charts.forest(shown, "change", "change in win share", change, reference=0.0, difference=True)
    yield Figure(drawing, f"{change} {games} Each interval holds by itself.")


def _ladder_grids(answer: Stored, name: str) -> Iterator[grids.Grid]:
    """Yield the tables of a ladder: all rungs side by side with each of the changes."""
    figures, changes = answer.table("figures"), answer.table("changes")
    for place, (weaker, stronger) in enumerate(changes.select("weaker", "stronger").unique(maintain_order=True).rows()):
        caption = f"{answer.record['question']['what'].capitalize()} by skill; change from {weaker} to {stronger}"
        yield grids.plain_grid(f"{name}-{place}", caption, side_by_side(figures, changes, place))


# --- how far figures lie apart between players ----------------------------------------------------------------------


def _distances(answers: Sequence[Stored]) -> Section:
    """Return the section of figures between players: how far every pair is apart, and what moves most."""
    figures, tables = [], []
    for place, answer in enumerate(answers):
        pair = pl.concat_str("first", pl.lit(" - ") + pl.col("second"), ignore_nulls=True)
        rows = answer.main.with_columns(pl.concat_str("table", pl.lit(": "), pair).alias("label"))
        known = rows.drop_nulls(["rms_low", "rms_high"])
        said = "How far figures move from one player to another: root mean square over the rows of each table."
        if not known.is_empty():
            drawing = charts.forest(known, "rms", "change of a win share", said, reference=0.0, difference=True)
            remarks = " ".join(f"{one}." for one in answer.record["remarks"])
            figures.append(Figure(drawing, f"{said} {answer.record['games']:,} games of each. {remarks}"))
        caption = f"Figures between players ({answer.name})"
        tables.append(grids.plain_grid(f"rest-{place}-pairs", caption, rows.drop("label")))
        things = answer.table("things").sort("between", descending=True, nulls_last=True, maintain_order=True)
        tables.append(grids.plain_grid(f"rest-{place}-things", f"What moves between players ({answer.name})", things))
    return Section("rest", "Between players", f"{answers[0].record['estimand']}.", figures, numbers=tables)


# --- targets before and after ---------------------------------------------------------------------------------------


def _targets(answers: Sequence[Stored]) -> Section:
    """Return the section of patches: a figure for each metric and setting of each, its tables among the numbers."""
    figures: list[Figure] = []
    tables = []
    for place, one in enumerate(answers):
        targets = one.main
        for (metric, setting), rows in targets.group_by("metric", "setting", maintain_order=True):
            several = targets["setting"].n_unique() > 1
            figures.append(_targets_figure(one, str(metric), f", {setting}" if several else "", rows))
        figures[-1] = replace(figures[-1], caption=" ".join([figures[-1].caption, *_conflicts(one)]))
        for name, caption in (
            ("changes", "The patch"),
            ("trade", "Changes against deviation"),
            ("carried", "Elsewhere"),
            ("responses", "Each in its best style, others as in the setting"),
        ):
            if one.record.get(name):
                tables.append(grids.plain_grid(f"balance-{place}-{name}", f"{caption} ({one.name})", one.table(name)))
    return Section("balance", "Balance", _BALANCE, figures, numbers=tables)


def _targets_figure(answer: Stored, metric: str, where: str, rows: pl.DataFrame) -> Figure:
    """Draw the targets of one metric at one setting, which is named in ``where`` if there are several."""
    shown = rows.with_columns(pl.col("of").alias("label")).sort("before")
    shown = shown.with_columns(charts.texts_of(shown, _tip, "tip"))
    what = "Win share" if metric == "win" else metric
    count = len(answer.record["changes"])
    changed = f"{count} changed value{'' if count == 1 else 's'}"
    within = answer.record.get("proven_within")
    near = "" if within is None else f" (all targets: within {number(within)} times what is accepted)"
    said = "proven" if answer.record["proven"] else f"not proven{near}"
    caption = f"{what}{where} before and after {changed} ({answer.name}): {said}."
    drawing = charts.before_after(shown, what, f"{what} of each target before and after the patch, with intervals.")
    return Figure(drawing, caption)


def _conflicts(answer: Stored) -> list[str]:
    """Say which targets pull against each other, and which cheaper patches may do: below the last figure."""
    said = [f"{one[:1].upper()}{one[1:]}." for one in answer.record["conflicts"]]
    return [*said, *answer.record.get("not_excluded", [])]


def _tip(row: Mapping[str, Any]) -> str:
    """Tell a target in words; the page keeps two decimals of a number, which are too few for a share."""
    write = percent if row["metric"] == "win" else number
    after = "" if row["after"] is None else f", after {write(row['after'])}"
    return f"{row['label']}: before {write(row['before'])}{after}"


_SECTIONS: Mapping[AnswerShape, Callable[[Sequence[Stored]], Section]] = {
    "effects": _effects,
    "pairs": _pairs,
    "ladder": _ladders,
    "distances": _distances,
    "targets": _targets,
}
"""By shape, in the order of the page."""
