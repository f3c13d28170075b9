"""The charts, drawn by Altair and vl-convert to SVG: no script in the page draws anything.

Every chart is drawn twice, for a wide and a narrow screen; the style sheet shows the one that fits. Marks carry their
numbers as ``aria-label``, which the page shows as a tip.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt
import polars as pl
import vl_convert

from wsim.report.theme import ACCENT, FAINT, INK, SERIES, colours_of, config
from wsim.report.wording import number, number_range, percent, points_name, signed

__all__ = ["Drawing", "calibration", "curve", "forest", "matchups", "scores", "stacked"]

WIDE, NARROW = 860, 340
ROW_HEIGHT = 24
MOST_LINES = len(SERIES)  # score distributions that can be told apart
_NAMESPACE = re.compile(r' xmlns(:\w+)?="[^"]*"')  # not needed within HTML
_TOO_EXACT = re.compile(r"(\.\d\d)\d+")


@dataclass(frozen=True)
class Drawing:
    """A chart as two SVG elements, and what it shows in a sentence for those who cannot see it."""

    wide: str
    narrow: str
    alternative: str


Make = Callable[[bool], alt.TopLevelMixin]


def _drawing(make: Make, alternative: str) -> Drawing:
    return Drawing(_svg(make(False), WIDE), _svg(make(True), NARROW), alternative)


def _svg(chart: Any, width: int) -> str:
    spec = chart.properties(width=width, autosize=alt.AutoSizeParams(type="fit-x", contains="padding")).to_dict()
    spec["config"] = config()
    svg: str = vl_convert.vegalite_to_svg(spec)
    return _TOO_EXACT.sub(r"\1", _NAMESPACE.sub("", svg))


def _rows(count: int, extra: int = 0) -> int:
    return count * ROW_HEIGHT + extra


def forest(
    rows: pl.DataFrame, value: str, heading: str, alternative: str, *, reference: float, difference: bool = False
) -> Drawing:
    """Draw estimates with their intervals, one row each, and a line at ``reference``.

    ``rows`` has label, ``value`` and its _low and _high; clear ones (interval without the reference) are filled.
    """
    write = signed if difference else number
    low, high = f"{value}_low", f"{value}_high"
    clear = (pl.col(low) > reference) | (pl.col(high) < reference)
    shown = rows.select("label", value, low, high).with_columns(
        pl.when(clear).then(pl.lit("clear")).otherwise(pl.lit("open")).alias("state"),
        pl.struct(pl.all())
        .map_elements(
            lambda row: f"{row['label']}: {write(row[value])} ({number_range(row[low], row[high], sign=difference)})",
            return_dtype=pl.String,
        )
        .alias("tip"),
    )

    def make(narrow: bool) -> alt.TopLevelMixin:
        labels = alt.Axis(labelLimit=130 if narrow else 260)
        base = alt.Chart(shown).encode(y=alt.Y("label:N", sort=None, title=None, axis=labels), description="tip:N")
        scale = alt.Scale(zero=False, nice=True, padding=10)
        x = alt.X(f"{value}:Q", title=heading, scale=scale, axis=alt.Axis(tickCount=5 if narrow else 8))
        colour = alt.Color("state:N", scale=alt.Scale(domain=["clear", "open"], range=[ACCENT, FAINT]), legend=None)
        fill = alt.Fill("state:N", scale=alt.Scale(domain=["clear", "open"], range=[ACCENT, "var(--paper)"]), legend=None)
        line = alt.Chart().mark_rule(strokeDash=[4, 3], color=INK).encode(x=alt.datum(reference))
        bars = base.mark_rule(strokeWidth=3, strokeCap="round").encode(x=alt.X(f"{low}:Q", scale=scale, title=heading), x2=f"{high}:Q", color=colour)
        points = base.mark_point(size=70, strokeWidth=2).encode(x=x, stroke=colour, fill=fill)
        return alt.layer(line, bars, points).properties(height=_rows(len(shown)))

    return _drawing(make, alternative)


def stacked(rows: pl.DataFrame, points: Sequence[str], alternative: str, *, sort: str = "score") -> Drawing:
    """Draw mean points by category as stacked bars, one row each, with the mean total (``score``) behind."""
    names = [points_name(column) for column in points]
    ordered = rows.sort(sort, descending=sort == "score")
    long = (
        ordered.select("label", *points)
        .rename(dict(zip(points, names, strict=True)))
        .unpivot(index="label", variable_name="category", value_name="points")
        .with_columns(
            pl.col("category").replace_strict(names, list(range(len(names))), return_dtype=pl.Int64).alias("place"),
            (pl.col("label") + ", " + pl.col("category") + ": " + pl.col("points").round(2).cast(pl.String)).alias("tip"),
        )
    )
    totals = ordered.select("label", "score", pl.max_horizontal("score", pl.sum_horizontal(pl.col(points).clip(0))).alias("end"),
                            pl.col("score").map_elements(lambda value: number(value, 1), return_dtype=pl.String).alias("text"))
    order = ordered["label"].to_list()

    def make(narrow: bool) -> alt.TopLevelMixin:
        y = alt.Y("label:N", sort=order, title=None, axis=alt.Axis(labelLimit=130 if narrow else 260))
        legend = alt.Legend(columns=3 if narrow else 8, labelLimit=160)
        bars = alt.Chart(long).mark_bar(height=ROW_HEIGHT - 7).encode(
            x=alt.X("points:Q", title="points", axis=alt.Axis(tickCount=5)),
            y=y,
            color=alt.Color("category:N", sort=names, scale=alt.Scale(domain=names, range=colours_of(names)), legend=legend),
            order="place:Q",
            description="tip:N",
        )  # fmt: skip
        text = alt.Chart(totals).mark_text(align="left", dx=5).encode(x="end:Q", y=y, text="text:N")
        return alt.layer(bars, text).properties(height=_rows(len(ordered)))

    return _drawing(make, alternative)


def scores(counts: pl.DataFrame, alternative: str) -> Drawing:
    """Draw the distribution of totals as lines, one for each policy; one for all where there are too many."""
    if counts["policy"].n_unique() > MOST_LINES:
        counts = counts.group_by("total").agg(pl.col("n").sum()).with_columns(pl.lit("all seats").alias("policy"))
    binned, width = _binned(counts)
    names = binned["policy"].unique(maintain_order=True).sort().to_list()

    def make(narrow: bool) -> alt.TopLevelMixin:
        legend = alt.Legend(columns=2 if narrow else 4, symbolType="stroke", symbolStrokeWidth=3) if len(names) > 1 else None
        base = alt.Chart(binned).encode(
            x=alt.X("total:Q", title="score", scale=alt.Scale(nice=False, zero=False), axis=alt.Axis(grid=False, tickCount=6 if narrow else 12)),
            y=alt.Y("share:Q", title=f"share of seats per {'point' if width == 1 else f'{width} points'}", axis=alt.Axis(format=".1%", tickCount=4)),
            color=alt.Color("policy:N", scale=alt.Scale(domain=names, range=list(SERIES[: len(names)])), legend=legend),
        )  # fmt: skip
        lines = base.mark_line(strokeWidth=2.5, interpolate="monotone", clip=True)
        area = base.mark_area(opacity=0.08, interpolate="monotone", clip=True).encode(y=alt.Y("share:Q", stack=None))
        dots = base.mark_point(size=90, opacity=0, filled=True).encode(description="tip:N")
        return alt.layer(area, lines, dots).properties(height=230 if narrow else 280)

    return _drawing(make, alternative)


def _binned(counts: pl.DataFrame) -> tuple[pl.DataFrame, int]:
    """Return the shares of seats of each policy in bins of whole points, at most some 60, without the last 0.05 %."""
    every = counts.group_by("total").agg(pl.col("n").sum()).sort("total")
    cumulated = every.with_columns((pl.col("n").cum_sum() / pl.col("n").sum()).alias("below"))
    shown = cumulated.filter((pl.col("below") >= 0.0005) & (pl.col("below").shift(1, fill_value=0) <= 0.9995))["total"]
    first, last = int(shown[0]), int(shown[-1])
    width = (last - first) // 60 + 1
    start = first - first % width
    wholes = counts.group_by("policy").agg(pl.col("n").sum().alias("all"))
    bins = pl.DataFrame({"bin": list(range((last - start) // width + 1))})
    grid = wholes.join(bins, how="cross")
    inside = counts.with_columns(((pl.col("total") - start) // width).alias("bin")).group_by("policy", "bin").agg(pl.col("n").sum())
    binned = grid.join(inside, on=["policy", "bin"], how="left").with_columns(
        (pl.col("n").fill_null(0) / pl.col("all")).alias("share"),
        (start + pl.col("bin") * width + (width - 1) / 2).alias("total"),
    )
    tip = pl.struct("policy", "total", "share").map_elements(
        lambda row: f"{row['policy']}, {number(row['total'], 0 if width % 2 else 1)} points: {percent(row['share'], 2)}",
        return_dtype=pl.String,
    )
    return binned.with_columns(tip.alias("tip")).sort("policy", "bin"), width


def matchups(rows: pl.DataFrame, alternative: str) -> Drawing:
    """Draw who finishes ahead of whom; ``rows`` has label, opponent, ahead with its interval, and q."""
    names = rows.group_by("label").agg(pl.col("ahead").mean()).sort("ahead", descending=True)["label"].to_list()
    shown = rows.with_columns(
        pl.col("ahead").map_elements(lambda value: percent(value, 0), return_dtype=pl.String).alias("text"),
        ((pl.col("ahead") - 0.5).abs() / 0.5).clip(0, 1).sqrt().alias("strength"),
        pl.when(pl.col("ahead") >= 0.5).then(pl.lit("ahead")).otherwise(pl.lit("behind")).alias("state"),
        pl.struct(pl.all())
        .map_elements(
            lambda row: f"{row['label']} ahead of {row['opponent']}: {percent(row['ahead'])} "
            f"({number_range(100 * row['ahead_low'], 100 * row['ahead_high'], 1)} %)",
            return_dtype=pl.String,
        )
        .alias("tip"),
    )

    def make(narrow: bool) -> alt.TopLevelMixin:
        base = alt.Chart(shown).encode(
            x=alt.X("opponent:N", sort=names, title="ahead of", axis=alt.Axis(orient="top", labelAngle=-45 if narrow else 0, labelLimit=120)),
            y=alt.Y("label:N", sort=names, title=None, axis=alt.Axis(labelLimit=110 if narrow else 220)),
        )  # fmt: skip
        colour = alt.Color("state:N", scale=alt.Scale(domain=["ahead", "behind"], range=["var(--good)", "var(--bad)"]), legend=None)
        opacity = alt.Opacity("strength:Q", scale=alt.Scale(domain=[0, 1], range=[0.06, 0.9]), legend=None)
        cells = base.mark_rect().encode(color=colour, opacity=opacity, description="tip:N")
        return alt.layer(cells, base.mark_text().encode(text="text:N")).properties(height=_rows(len(names), 16 * len(names)))

    return _drawing(make, alternative)


def curve(rows: pl.DataFrame, heading: str, measure: str, alternative: str) -> Drawing:
    """Draw the effect of a swept value with its interval; ``rows`` has number, effect, low, high and variant."""
    shown = rows.with_columns(
        pl.struct(pl.all())
        .map_elements(
            lambda row: f"{row['variant']}: {signed(row['effect'])} ({number_range(row['low'], row['high'], sign=True)})",
            return_dtype=pl.String,
        )
        .alias("tip")
    )

    def make(narrow: bool) -> alt.TopLevelMixin:
        axis = alt.Axis(values=shown["number"].to_list(), grid=False)
        base = alt.Chart(shown).encode(x=alt.X("number:Q", title=heading, scale=alt.Scale(zero=False, padding=16), axis=axis))
        zero = alt.Chart().mark_rule(strokeDash=[4, 3], color=INK).encode(y=alt.datum(0))
        y = alt.Y("effect:Q", title=f"effect on {measure}", scale=alt.Scale(zero=False))
        band = base.mark_area(opacity=0.2, color=ACCENT).encode(y=alt.Y("low:Q", title=f"effect on {measure}"), y2="high:Q")
        bars = base.mark_rule(strokeWidth=2, color=ACCENT).encode(y="low:Q", y2="high:Q")
        line = base.mark_line(color=ACCENT, strokeWidth=2.5).encode(y=y)
        points = base.mark_point(filled=True, size=80, opacity=1, color=ACCENT).encode(y=y, description="tip:N")
        return alt.layer(zero, band, bars, line, points).properties(height=230 if narrow else 280)

    return _drawing(make, alternative)


def calibration(rows: pl.DataFrame, tolerance: float, alternative: str) -> Drawing:
    """Draw how far simulated means lie from human ones, in human standard deviations, over the band that counts as like.

    ``rows`` has label, difference_sd with _low and _high, verdict and tip.
    """

    def make(narrow: bool) -> alt.TopLevelMixin:
        labels = alt.Axis(labelLimit=130 if narrow else 260)
        heading = "simulated less human mean, in human standard deviations"
        title = ["simulated less human mean,", "in human standard deviations"] if narrow else heading
        x = alt.X("difference_sd:Q", title=title, scale=alt.Scale(padding=10), axis=alt.Axis(tickCount=5 if narrow else 9))
        base = alt.Chart(rows).encode(y=alt.Y("label:N", sort=None, title=None, axis=labels), description="tip:N")
        colour = alt.Color(
            "verdict:N",
            scale=alt.Scale(domain=["within", "low", "high"], range=["var(--good)", "var(--low)", "var(--bad)"]),
            legend=alt.Legend(columns=3, symbolType="circle"),
        )
        band = alt.Chart().mark_rect(opacity=0.14, color="var(--good)").encode(x=alt.datum(-tolerance), x2=alt.datum(tolerance))
        zero = alt.Chart().mark_rule(strokeDash=[4, 3], color=INK).encode(x=alt.datum(0))
        bars = base.mark_rule(strokeWidth=3).encode(x=alt.X("difference_sd_low:Q", title=title), x2="difference_sd_high:Q", color=colour)
        points = base.mark_point(filled=True, size=70, opacity=1).encode(x=x, color=colour)
        return alt.layer(band, zero, bars, points).properties(height=_rows(len(rows)))

    return _drawing(make, alternative)
