"""The charts, drawn by Altair and vl-convert to SVG: no script in the page draws anything.

Every chart is drawn twice, for a wide and a narrow screen; the style sheet shows the one that fits. Marks carry their
numbers as ``aria-label``, which the page shows as a tip.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt
import polars as pl
import vl_convert

from wsim.report.conclusions import CLEAR
from wsim.report.theme import ACCENT, FAINT, INK, SERIES, Palette, config
from wsim.report.wording import effect_text, number, number_range, percent, points_name, signed

WIDE, NARROW = 980, 340
ROW_HEIGHT = 24
LINE_HEIGHT = 14  # of a second line of a name
DEEPEST = 0.5
"""Opacity of a cell's colour at most: the number on it keeps a contrast of 4.5 : 1, on paper and at night."""
MOST_LINES = len(SERIES)  # score distributions that can be told apart
MOST_BINS = 60
LETTER = 7.2  # pixels that a letter of a label takes at most on average, in the widest of the usual fonts
_PARTS = re.compile(r"(?<=[:,;/ ])(?=[^:,;/ ])")  # where a name may be broken
_NAMESPACE = re.compile(r' xmlns(:\w+)?="[^"]*"')  # not needed within HTML
_GEOMETRY = re.compile(r' (?:d|transform|points|viewBox|[xyr][12]?|c[xy]|width|height)="[^"]*"')
_TOO_EXACT = re.compile(r"(\.\d\d)\d+")  # of places and sizes, in pixels; numbers in names stay as they are

Row = Mapping[str, Any]
Make = Callable[[bool], alt.TopLevelMixin]
"""Makes a chart for a wide (False) or a narrow screen (True)."""


@dataclass(frozen=True)
class Drawing:
    """A chart as two SVG elements, and what it shows in a sentence for those who cannot see it."""

    wide: str
    narrow: str
    alternative: str


def _drawing(make: Make, alternative: str) -> Drawing:
    return Drawing(_svg(make(False), WIDE), _svg(make(True), NARROW), alternative)


def _svg(chart: Any, width: int) -> str:
    spec = chart.properties(width=width, autosize=alt.AutoSizeParams(type="fit-x", contains="padding")).to_dict()
    spec["config"] = config()
    svg: str = vl_convert.vegalite_to_svg(spec)
    return _GEOMETRY.sub(lambda found: _TOO_EXACT.sub(r"\1", found[0]), _NAMESPACE.sub("", svg))


def texts_of(rows: pl.DataFrame, write: Callable[[Row], str], name: str) -> pl.Series:
    """Return a column of what is written for each row."""
    return pl.Series(name, [write(row) for row in rows.iter_rows(named=True)], dtype=pl.String)


def _labels(names: Iterable[str], narrow: bool, across: Mapping[str, Any] | None = None) -> alt.Axis:
    """Return an axis with room for its labels in any browser's font, not only in the one measured here.

    What has no room in one line is broken behind marks, so that names that end in other numbers look different.
    ``across``: how labels stand that are not beside rows.
    """
    broken = {name: _broken(name, narrow or across is not None) for name in names}
    room = max((LETTER * len(line) for lines in broken.values() for line in lines), default=0.0)
    label = f"({json.dumps(broken)})[datum.label]"
    return alt.Axis(labelExpr=label, labelLimit=max(1, round(room)), **(across or {"minExtent": round(room)}))


def _broken(name: str, narrow: bool) -> list[str]:
    """Return a name in lines for a chart, none longer than its room unless nothing within it may be broken."""
    lines: list[str] = []
    for part in _PARTS.split(name):
        if lines and LETTER * len(lines[-1] + part) <= (125 if narrow else 260):
            lines[-1] += part
        else:
            lines.append(part)
    return lines


def _height(names: pl.Series, narrow: bool) -> int:
    """Return the height of a chart with a row for each name, which may take several lines."""
    lines = max((len(_broken(name, narrow)) for name in names), default=1)
    return (ROW_HEIGHT + LINE_HEIGHT * (lines - 1)) * len(names)


def _line(**at: float) -> alt.Chart:
    """Return a dashed line at a value of x or y."""
    line: alt.Chart = alt.Chart(pl.DataFrame([at])).mark_rule(strokeDash=[4, 3], color=INK)
    return line.encode(**{key: f"{key}:Q" for key in at})


def _state_scale(*colours: str) -> alt.Scale:
    return alt.Scale(domain=["clear", "open"], range=list(colours))


def forest(
    rows: pl.DataFrame, value: str, heading: str, alternative: str, *, reference: float, difference: bool = False
) -> Drawing:
    """Draw estimates with their intervals, one row each, and a line at ``reference``.

    ``rows`` has label, ``value`` and its _low and _high; clear ones (interval without the reference) are filled.
    ``difference``: numbers are written with their sign.
    """
    write = signed if difference else number
    low, high = f"{value}_low", f"{value}_high"
    clear = (pl.col(low) > reference) | (pl.col(high) < reference)
    shown = rows.select("label", value, low, high).with_columns(
        pl.when(clear).then(pl.lit("clear")).otherwise(pl.lit("open")).alias("state"),
        texts_of(
            rows,
            lambda row: f"{row['label']}: {write(row[value])} ({number_range(row[low], row[high], sign=difference)})",
            "tip",
        ),
    )

    def make(narrow: bool) -> alt.TopLevelMixin:
        y = alt.Y("label:N", sort=None, title=None, axis=_labels(shown["label"], narrow))
        axis = alt.Axis(tickCount=5 if narrow else 8)
        scale = alt.Scale(zero=False, nice=False, domain=_span(shown, low, high, reference, difference), clamp=True)
        base = alt.Chart(shown).encode(y=y, description="tip:N")
        colour = _state_scale(ACCENT, FAINT)
        bars = base.mark_rule(strokeWidth=3, strokeCap="round").encode(
            x=alt.X(f"{low}:Q", title=heading, scale=scale, axis=axis),
            x2=f"{high}:Q",
            color=alt.Color("state:N", scale=colour, legend=None),
        )
        points = base.mark_point(size=75, strokeWidth=2, opacity=1).encode(
            x=alt.X(f"{value}:Q", title=heading, scale=scale),
            stroke=alt.Stroke("state:N", scale=colour, legend=None),
            fill=alt.Fill("state:N", scale=_state_scale(ACCENT, "var(--paper)"), legend=None),
        )
        return alt.layer(_line(x=reference), bars, points).properties(height=_height(shown["label"], narrow))

    return _drawing(make, alternative)


def _span(rows: pl.DataFrame, low: str, high: str, reference: float, difference: bool) -> list[float]:
    """Return the ends of an axis: a little beyond all intervals; no share lies below 0, so no axis of one does."""
    ends = [reference, *rows[low].drop_nulls().to_list(), *rows[high].drop_nulls().to_list()]
    margin = 0.04 * (max(ends) - min(ends)) or 0.1
    first = min(ends) - margin
    return [first if difference else max(0.0, first), max(ends) + margin]


def stacked(
    rows: pl.DataFrame, points: Sequence[str], alternative: str, palette: Palette, *, sort: str = "score"
) -> Drawing:
    """Draw mean points by category as stacked bars, one row each, with the mean total (``score``) behind."""
    names = [points_name(column) for column in points]
    ordered = rows.sort(sort, descending=sort == "score")
    long = (
        ordered.select("label", *points)
        .rename(dict(zip(points, names, strict=True)))
        .unpivot(index="label", variable_name="category", value_name="points")
    )
    places = {name: place for place, name in enumerate(names)}
    long = long.with_columns(
        pl.col("category").replace_strict(places, return_dtype=pl.Int64).alias("place"),
        texts_of(long, lambda row: f"{row['label']}, {row['category']}: {number(row['points'])}", "tip"),
    )
    positive = pl.sum_horizontal(pl.col(points).clip(0))
    totals = ordered.select("label", positive.alias("end")).with_columns(
        texts_of(ordered, lambda row: number(row["score"], 1), "text")
    )
    room = 1.0 + max(len(text) for text in totals["text"]) / 40  # for the numbers at the ends, on a narrow screen

    def make(narrow: bool) -> alt.TopLevelMixin:
        y = alt.Y("label:N", sort=ordered["label"].to_list(), title=None, axis=_labels(ordered["label"], narrow))
        legend = alt.Legend(columns=3 if narrow else 8, labelLimit=160)
        longest = max(float(one) for one in totals["end"])
        scale = alt.Scale(domainMax=longest * (room if narrow else 1.04), nice=False)
        bars = (
            alt.Chart(long)
            .mark_bar(height=ROW_HEIGHT - 7)
            .encode(
                x=alt.X("points:Q", title="points", axis=alt.Axis(tickCount=5), scale=scale),
                y=y,
                color=alt.Color(
                    "category:N", sort=names, scale=alt.Scale(domain=names, range=palette.of_all(names)), legend=legend
                ),
                order="place:Q",
                description="tip:N",
            )
        )
        text = alt.Chart(totals).mark_text(align="left", dx=5).encode(x="end:Q", y=y, text="text:N")
        return alt.layer(bars, text).properties(height=_height(ordered["label"], narrow))

    return _drawing(make, alternative)


def scores(counts: pl.DataFrame, alternative: str) -> Drawing:
    """Draw the distribution of totals (``outcomes.score_counts``), a line for each policy; one line if too many."""
    if counts["policy"].n_unique() > MOST_LINES:
        counts = counts.group_by("total").agg(pl.col("n").sum()).with_columns(pl.lit("all seats").alias("policy"))
    binned, width = _binned(counts)
    names = binned["policy"].unique().sort().to_list()
    unit = "point" if width == 1 else f"{width} points"

    def make(narrow: bool) -> alt.TopLevelMixin:
        longest = max(len(name) for name in names)
        columns = max(1, min(2 if narrow else 4, int((NARROW if narrow else WIDE) / (LETTER * longest + 30))))
        legend = alt.Legend(columns=columns, labelLimit=0, symbolType="stroke", symbolStrokeWidth=3, symbolOpacity=1)
        colour = alt.Color("policy:N", scale=alt.Scale(domain=names, range=list(SERIES[: len(names)])), legend=legend)
        across = alt.Axis(grid=False, tickCount=6 if narrow else 12)
        base = alt.Chart(binned).encode(
            x=alt.X("total:Q", title="score, points", scale=alt.Scale(nice=False, zero=False), axis=across),
            y=alt.Y("share:Q", title=f"share of seats per {unit}", axis=alt.Axis(format=".0%", tickCount=4)),
        )
        if len(names) == 1:
            lines = base.mark_area(
                interpolate="monotone", color=SERIES[0], fillOpacity=0.25, line={"color": SERIES[0], "strokeWidth": 2.5}
            )
        else:
            lines = base.mark_line(strokeWidth=2.5, interpolate="monotone").encode(color=colour)
        dots = base.mark_point(size=90, opacity=0, filled=True).encode(detail="policy:N", description="tip:N")
        return alt.layer(lines, dots).properties(height=230 if narrow else 300)

    return _drawing(make, alternative)


def _binned(counts: pl.DataFrame) -> tuple[pl.DataFrame, int]:
    """Return shares of each policy's seats in bins of whole points, without the last 0.05 %, and the bins' width."""
    every = counts.group_by("total").agg(pl.col("n").sum()).sort("total")
    below = pl.col("n").cum_sum() / pl.col("n").sum()
    shown = every.filter((below >= 0.0005) & (below.shift(1, fill_value=0) <= 0.9995))["total"]
    first, last = int(shown[0]), int(shown[-1])
    width = (last - first) // MOST_BINS + 1
    start = first - first % width
    bins = pl.DataFrame({"bin": list(range((last - start) // width + 1))})
    wholes = counts.group_by("policy").agg(pl.col("n").sum().alias("all"))
    numbered = counts.with_columns(((pl.col("total") - start) // width).alias("bin"))
    inside = numbered.group_by("policy", "bin").agg(pl.col("n").sum())
    binned = (
        wholes.join(bins, how="cross")
        .join(inside, on=["policy", "bin"], how="left")
        .with_columns(
            (pl.col("n").fill_null(0) / pl.col("all")).alias("share"),
            (start + pl.col("bin") * width + (width - 1) / 2).alias("total"),
        )
        .sort("policy", "bin")
    )
    decimals = 0 if width % 2 else 1
    tip = texts_of(
        binned,
        lambda row: f"{row['policy']}, {number(row['total'], decimals)} points: {percent(row['share'], 2)}",
        "tip",
    )
    return binned.with_columns(tip), width


def matchups(rows: pl.DataFrame, alternative: str) -> Drawing:
    """Draw who finishes ahead of whom; ``rows`` has label, opponent, ahead with its interval, and q."""
    means = rows.group_by("label").agg(pl.col("ahead").mean()).sort("ahead", "label", descending=[True, False])
    names = means["label"].to_list()
    clear = pl.col("q").fill_null(1) < CLEAR
    strength = ((pl.col("ahead") - 0.5).abs() * 2).sqrt() * (DEEPEST - 0.15) + 0.15
    shown = rows.with_columns(
        pl.when(clear).then(strength).otherwise(0.1).alias("strength"),
        pl.when(~clear)
        .then(pl.lit("open"))
        .when(pl.col("ahead") >= 0.5)
        .then(pl.lit("ahead"))
        .otherwise(pl.lit("behind"))
        .alias("state"),
        texts_of(rows, lambda row: percent(row["ahead"], 0), "short"),
        texts_of(rows, lambda row: percent(row["ahead"], 1), "long"),
        texts_of(
            rows,
            lambda row: (
                f"{row['label']} ahead of {row['opponent']}: {percent(row['ahead'])} "
                f"({number_range(100 * row['ahead_low'], 100 * row['ahead_high'], 1)} %)"
            ),
            "tip",
        ),
    )
    colours = alt.Scale(domain=["ahead", "behind", "open"], range=["var(--good)", "var(--bad)", FAINT])

    def make(narrow: bool) -> alt.TopLevelMixin:
        angle = -45 if narrow or len(names) > 6 else 0
        across = _labels(names, narrow, {"orient": "top", "labelAngle": angle})
        base = alt.Chart(shown).encode(
            x=alt.X("opponent:N", sort=names, title="ahead of", axis=across),
            y=alt.Y("label:N", sort=names, title=None, axis=_labels(names, narrow)),
        )
        cells = base.mark_rect(stroke="var(--paper)", strokeWidth=2).encode(
            color=alt.Color("state:N", scale=colours, legend=None),
            opacity=alt.Opacity("strength:Q", scale=alt.Scale(domain=[0, 1], range=[0, 1]), legend=None),
            description="tip:N",
        )
        short = narrow or len(names) > 8
        text = base.mark_text().encode(text="short:N" if short else "long:N")
        return alt.layer(cells, text).properties(height=36 * len(names))

    return _drawing(make, alternative)


def curve(rows: pl.DataFrame, heading: str, measure: str, alternative: str) -> Drawing:
    """Draw the effect of a swept value with its interval.

    ``rows`` has number, effect with _low and _high, and variant.
    """
    shown = rows.with_columns(
        texts_of(
            rows,
            effect_text,
            "tip",
        )
    )

    def make(narrow: bool) -> alt.TopLevelMixin:
        axis = alt.Axis(values=shown["number"].to_list(), grid=False)
        title = f"effect on {measure}"
        base = alt.Chart(shown).encode(
            x=alt.X("number:Q", title=heading, scale=alt.Scale(zero=False, padding=16, nice=False), axis=axis)
        )
        scale = alt.Scale(zero=False)
        ends = base.encode(y=alt.Y("effect_low:Q", title=title, scale=scale), y2="effect_high:Q")
        middle = base.encode(y=alt.Y("effect:Q", title=title, scale=scale))
        return alt.layer(
            _line(y=0.0),
            ends.mark_area(opacity=0.18, color=ACCENT),
            ends.mark_rule(strokeWidth=2, color=ACCENT),
            middle.mark_line(color=ACCENT, strokeWidth=2.5),
            middle.mark_point(filled=True, size=80, opacity=1, color=ACCENT).encode(description="tip:N"),
        ).properties(height=230 if narrow else 300)

    return _drawing(make, alternative)


def before_after(rows: pl.DataFrame, heading: str, alternative: str) -> Drawing:
    """Draw estimates before (open) and after (filled) with intervals, one row each, over the band that is accepted.

    ``rows`` has label, before and after with _low and _high, low and high (accepted, null: without an end), and tip.
    """
    states = [
        rows.select(
            "label",
            "tip",
            pl.col(when).alias("value"),
            pl.col(f"{when}_low").alias("from"),
            pl.col(f"{when}_high").alias("to"),
            pl.lit(when).alias("state"),
        )
        for when in ("before", "after")
    ]
    shown = pl.concat(states).drop_nulls("value")
    bounds = [one for name in ("low", "high") for one in rows[name].drop_nulls().unique().to_list()]

    def make(narrow: bool) -> alt.TopLevelMixin:
        y = alt.Y("label:N", sort=None, title=None, axis=_labels(rows["label"], narrow))
        scale = alt.Scale(zero=False, padding=8)
        base = alt.Chart(shown).encode(y=y, description="tip:N")
        colour = alt.Scale(domain=["before", "after"], range=[FAINT, ACCENT])
        bars = base.mark_rule(strokeWidth=3, strokeCap="round").encode(
            x=alt.X("from:Q", title=heading, scale=scale, axis=alt.Axis(tickCount=5 if narrow else 8)),
            x2="to:Q",
            color=alt.Color("state:N", scale=colour, legend=None),
        )
        points = base.mark_point(size=75, strokeWidth=2, opacity=1).encode(
            x=alt.X("value:Q", title=heading, scale=scale),
            stroke=alt.Stroke("state:N", scale=colour, legend=None),
            fill=alt.Fill(
                "state:N", scale=alt.Scale(domain=["before", "after"], range=["var(--paper)", ACCENT]), legend=None
            ),
        )
        lines = [_line(x=one) for one in bounds]
        return alt.layer(*lines, bars, points).properties(height=_height(rows["label"], narrow))

    return _drawing(make, alternative)


def calibration(rows: pl.DataFrame, tolerance: float, alternative: str) -> Drawing:
    """Draw how far simulated means lie from human ones, in human standard deviations, over the band of likeness.

    ``rows`` has label, difference_sd with _low and _high, verdict and tip.
    """
    band = pl.DataFrame({"from": [-tolerance], "to": [tolerance]})

    def make(narrow: bool) -> alt.TopLevelMixin:
        heading = "simulated less human mean, in human standard deviations"
        title = ["simulated less human mean,", "in human standard deviations"] if narrow else heading
        axis = alt.Axis(tickCount=5 if narrow else 9)
        scale = alt.Scale(padding=10)
        base = alt.Chart(rows).encode(
            y=alt.Y("label:N", sort=None, title=None, axis=_labels(rows["label"], narrow)), description="tip:N"
        )
        colour = alt.Color(
            "verdict:N",
            scale=alt.Scale(domain=["within", "low", "high"], range=["var(--good)", "var(--low)", "var(--bad)"]),
            legend=alt.Legend(columns=3, symbolType="circle", symbolOpacity=1),
        )
        like = alt.Chart(band).mark_rect(opacity=0.14, color="var(--good)").encode(x="from:Q", x2="to:Q")
        bars = base.mark_rule(strokeWidth=3).encode(
            x=alt.X("difference_sd_low:Q", title=title, scale=scale, axis=axis), x2="difference_sd_high:Q", color=colour
        )
        points = base.mark_point(filled=True, size=70, opacity=1).encode(
            x=alt.X("difference_sd:Q", title=title, scale=scale), color=colour
        )
        return alt.layer(like, _line(x=0.0), bars, points).properties(height=_height(rows["label"], narrow))

    return _drawing(make, alternative)
