"""Draw charts as SVG with Altair and vl-convert, so that pages need no scripts to show them.

Every chart is drawn twice, for wide and for narrow screens; the style sheet shows the version that fits. Marks have
their numbers as ``aria-label``, which the page shows as a tooltip.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import Any

import altair as alt
import polars as pl
import vl_convert

from wsim.display import cell_words, number, percent, unit_of, written
from wsim.document import SHARE, Chart, Column, Rows, Sheet
from wsim.report.theme import ACCENT, FAINT, INK, SERIES, Palette, config

WIDE, NARROW = 980, 340
ROW_HEIGHT = 24
GROUPED_HEIGHT = 19
NAMED = 4
"""The number of estimates at each extreme of a scatter plot that are labelled."""
LINE_HEIGHT = 14  # line spacing in names with several lines
DEEPEST = 0.5
"""The largest opacity of a cell's colour, at which its number has a contrast of 4.5 : 1 in light and dark mode."""
CLEAR = 0.05
"""The q-value below which a row counts as clear."""
MOST_LINES = len(SERIES)  # score distributions that can be distinguished
MOST_BINS = 60
NARROW_LINE = 34
"""The number of letters of an axis title that fit below a narrow chart."""
LETTER = 7.2  # pixels per letter of a label, in the widest common font
_PARTS = re.compile(r"(?<=[:,;/ ])(?=[^:,;/ ])")  # characters after which a name may be broken
_NAMESPACE = re.compile(r' xmlns(:\w+)?="[^"]*"')  # not needed within HTML
_GEOMETRY = re.compile(r' (?:d|transform|points|viewBox|[xyr][12]?|c[xy]|width|height)="[^"]*"')
_TOO_EXACT = re.compile(r"(\.\d\d)\d+")  # positions and sizes, in pixels; numbers in names are not changed

Row = Mapping[str, Any]
Make = Callable[[bool], alt.TopLevelMixin]
"""A function that builds a chart for a wide (False) or a narrow screen (True)."""


@dataclass(frozen=True)
class Drawing:
    """A chart as two SVG elements, with a one-sentence description as alternative text."""

    wide: str
    narrow: str
    alternative: str


def _drawing(make: Make, alternative: str) -> Drawing:
    return Drawing(_svg(make(False), WIDE), _svg(make(True), NARROW), alternative)


def _svg(chart: Any, width: int) -> str:
    spec = chart.properties(width=width, autosize=alt.AutoSizeParams(type="fit-x", contains="padding")).to_dict()
    spec["config"] = config()
    svg: str = vl_convert.vegalite_to_svg(spec)
    return _GEOMETRY.sub(lambda match: _TOO_EXACT.sub(r"\1", match[0]), _NAMESPACE.sub("", svg))


def texts_of(rows: pl.DataFrame, write: Callable[[Row], str], name: str) -> pl.Series:
    """Return a column with a string for each row, formatted by ``write``."""
    return pl.Series(name, [write(row) for row in rows.iter_rows(named=True)], dtype=pl.String)


def _label_axis(names: Iterable[str], narrow: bool, across: Mapping[str, Any] | None = None) -> alt.Axis:
    """Build an axis with enough room for its labels in the font of any browser, not only in the font measured here.

    Long labels are broken after punctuation, so that names that end in different numbers look different. ``across``
    is the orientation of labels that are not next to rows.
    """
    broken = {name: _broken_into_lines(name, narrow or across is not None) for name in names}
    room = max((LETTER * len(line) for lines in broken.values() for line in lines), default=0.0)
    label = f"({json.dumps(broken)})[datum.label]"
    return alt.Axis(labelExpr=label, labelLimit=max(1, round(room)), **(across or {"minExtent": round(room)}))


def _broken_into_lines(name: str, narrow: bool) -> list[str]:
    """Break a name into lines that fit the available width where possible."""
    lines: list[str] = []
    for part in _PARTS.split(name):
        if lines and LETTER * len(lines[-1] + part) <= (125 if narrow else 260):
            lines[-1] += part
        else:
            lines.append(part)
    return lines


def _chart_height(names: pl.Series, narrow: bool) -> int:
    """Return the height in pixels of a chart with one row per name, where names may take several lines."""
    lines = max((len(_broken_into_lines(name, narrow)) for name in names), default=1)
    return (ROW_HEIGHT + LINE_HEIGHT * (lines - 1)) * len(names)


def _reference_line(**at: float) -> alt.Chart:
    """Build a chart layer with a dashed line at an x or y value."""
    line: alt.Chart = alt.Chart(pl.DataFrame([at])).mark_rule(strokeDash=[4, 3], color=INK)
    return line.encode(**{key: f"{key}:Q" for key in at})


def heading_of(chart: Chart, column: Column) -> str:
    """Return an axis title that includes the unit of the values."""
    heading, unit = chart.axis or column.heading, unit_of(column)
    return heading if not unit or unit in heading else f"{heading}, {unit}"


def _title(heading: str, narrow: bool) -> str | list[str]:
    """Break an axis title into lines if it does not fit a narrow chart."""
    return wrap(heading, NARROW_LINE) if narrow and len(heading) > NARROW_LINE else heading


def _value_axis(column: Column, ticks: int) -> alt.Axis:
    """Build an axis whose labels are formatted like the column: shares in percent, differences in percentage points."""
    if column.kind is not SHARE:
        return alt.Axis(tickCount=ticks)
    if column.difference or column.spread:
        sign = "(datum.value > 0 ? '+' : '') + " if column.difference else ""
        return alt.Axis(tickCount=ticks, labelExpr=f"{sign}format(100 * datum.value, ',.3~r')")
    return alt.Axis(tickCount=ticks, format=",.3~%")


def _state_scale(*colours: str) -> alt.Scale:
    return alt.Scale(domain=["clear", "open"], range=list(colours))


def draw(chart: Chart, sheet: Sheet, palette: Palette) -> Drawing | None:
    """Draw one of a sheet's charts; return None if there are no values to draw."""
    rows = [
        {**row, LABEL: chart.between.join(str(row[name]) for name in chart.labels if row.get(name) is not None)}
        for row in sheet.rows
        if all(row[name] == value for name, value in chart.only.items())
    ]
    by_name = {column.name: column for column in sheet.columns}
    columns = [by_name[name] for name in chart.values if name in by_name]
    wanted = columns[:1] if chart.shape in ("forest", "scatter", "curve", "band", "change") else []
    rows = [row for row in rows if all(column.interval(row) is not None for column in wanted)]
    if not rows or len(columns) < len(chart.values):
        return None
    ordered: Rows = _in_order(rows, chart.by, columns[0], palette) if chart.by else rows
    if len(ordered) > MOST:
        ordered = [*ordered[: MOST // 2], *ordered[-MOST // 2 :]]
    return _SHAPES[chart.shape](chart, columns, ordered, palette)


LABEL = "label"
MOST = 120
"""The maximum number of rows in a chart; if there are more, only the first and the last are drawn."""


def _in_order(rows: Rows, by: Sequence[str], column: Column, palette: Palette) -> list[Row]:
    """Sort rows by category, with coloured categories in palette order, then by value, largest first."""
    own = {name: place for place, name in enumerate(palette.own)}

    def key(row: Row) -> tuple[Any, ...]:
        categories = [row.get(name) for name in by]
        return (*((own.get(str(value), -1), str(value)) for value in categories), -(row[column.name] or 0.0))

    return sorted(rows, key=key)


def _colours_of(chart: Chart, rows: Rows, palette: Palette) -> tuple[list[str], str]:
    """Return the colour of each row (the accent colour by default) and the column that determines the colours."""
    name = next((name for name in chart.by if any(palette.own_of(str(row.get(name))) for row in rows)), "")
    return [palette.own_of(str(row.get(name))) or ACCENT for row in rows], name


def _forest(chart: Chart, columns: Sequence[Column], rows: Rows, palette: Palette) -> Drawing:
    """Draw a forest plot: one estimate with interval per row, filled if clear, and a line at the reference."""
    if chart.by:
        return _grouped_forest(chart, columns[0], rows, palette)
    column = columns[0]
    reference = chart.reference if chart.reference is not None else column.reference
    ends = [column.interval(row) or (None, None) for row in rows]
    shown = pl.DataFrame(
        {
            LABEL: [row[LABEL] for row in rows],
            "value": [row[column.name] for row in rows],
            "from": [low for low, _ in ends],
            "to": [high for _, high in ends],
            "tip": [f"{row[LABEL]}: {cell_words(column, row)}" for row in rows],
        }
    )
    clear = pl.Series([chart.marks_clear(row, column.interval(row), reference) for row in rows], dtype=pl.Boolean)
    shown = shown.with_columns(pl.when(clear).then(pl.lit("clear")).otherwise(pl.lit("open")).alias("state"))
    heading = heading_of(chart, column)

    def make(narrow: bool) -> alt.TopLevelMixin:
        y = alt.Y("label:N", sort=None, title=None, axis=_label_axis(shown[LABEL], narrow))
        axis = _value_axis(column, 4 if narrow else 8)
        scale = alt.Scale(zero=False, nice=False, domain=_axis_ends(shown, reference, column), clamp=True)
        base = alt.Chart(shown).encode(y=y, description="tip:N")
        colour = _state_scale(ACCENT, FAINT)
        bars = base.mark_rule(strokeWidth=3, strokeCap="round").encode(
            x=alt.X("from:Q", title=_title(heading, narrow), scale=scale, axis=axis),
            x2="to:Q",
            color=alt.Color("state:N", scale=colour, legend=None),
        )
        points = base.mark_point(size=75, strokeWidth=2, opacity=1).encode(
            x=alt.X("value:Q", title=_title(heading, narrow), scale=scale),
            stroke=alt.Stroke("state:N", scale=colour, legend=None),
            fill=alt.Fill("state:N", scale=_state_scale(ACCENT, "var(--paper)"), legend=None),
        )
        lines = [] if reference is None else [_reference_line(x=reference)]
        return alt.layer(*lines, bars, points).properties(height=_chart_height(shown[LABEL], narrow))

    return _drawing(make, f"{chart.title}.")


def _grouped_forest(chart: Chart, column: Column, rows: Rows, palette: Palette) -> Drawing:
    """Draw a forest plot coloured by one category and grouped under headings by another.

    Clear estimates are filled.
    """
    reference = chart.reference if chart.reference is not None else column.reference
    colours, coloured = _colours_of(chart, rows, palette)
    groups = [", ".join(f"{name} {row[name]}" for name in chart.by if name != coloured) for row in rows]
    tips = [f"{row[LABEL]}: {cell_words(column, row)}{_tooltip_facts(row, chart.by)}" for row in rows]
    shown = pl.DataFrame(
        {
            LABEL: [row[LABEL] for row in rows], "group": groups, "colour": colours, "tip": tips,
            "value": [row[column.name] for row in rows],
            "from": [(column.interval(row) or (None, None))[0] for row in rows],
            "to": [(column.interval(row) or (None, None))[1] for row in rows],
        }
    )  # fmt: skip
    clear = pl.Series([chart.marks_clear(row, column.interval(row), reference) for row in rows], dtype=pl.Boolean)
    shown = shown.with_columns(pl.when(clear).then(pl.col("colour")).otherwise(pl.lit("var(--paper)")).alias("fill"))
    heading, span = heading_of(chart, column), _axis_ends(shown, reference, column)
    order = list(dict.fromkeys(name for pair in zip(groups, shown[LABEL], strict=True) for name in pair if name))
    headings = {"test": f"indexof({json.dumps(sorted(set(groups)))}, datum.value) >= 0", "value": "bold"}

    def make(narrow: bool) -> alt.TopLevelMixin:
        scale = alt.Scale(zero=False, nice=False, domain=span, clamp=True)
        labels = _label_axis(order, narrow=False)  # there is no room for a second line
        labels.labelFontWeight = {"condition": headings, "value": "normal"}
        y = alt.Y("label:N", title=None, axis=labels, scale=alt.Scale(domain=order))
        base = alt.Chart(shown).encode(y=y, description="tip:N")
        colour = alt.Color("colour:N", scale=None)
        bars = base.mark_rule(strokeWidth=3, strokeCap="round", aria=False).encode(
            x=alt.X("from:Q", title=_title(heading, narrow), scale=scale, axis=_value_axis(column, 4 if narrow else 8)),
            x2="to:Q",
            color=colour,
        )
        points = base.mark_point(size=60, strokeWidth=2, opacity=1).encode(
            x=alt.X("value:Q", title=_title(heading, narrow), scale=scale),
            stroke=alt.Stroke("colour:N", scale=None),
            fill=alt.Fill("fill:N", scale=None),
        )
        lines = [] if reference is None else [_reference_line(x=reference)]
        return alt.layer(*lines, bars, points).properties(height=GROUPED_HEIGHT * len(order))

    return _drawing(make, f"{chart.title}.")


def _tooltip_facts(row: Row, by: Sequence[str]) -> str:
    """Format the categories of a row for its tooltip."""
    values = [(name, row[name]) for name in by if row.get(name) is not None]
    words = ", ".join(value if isinstance(value, str) else f"{name} {value}" for name, value in values)
    return f"; {words}" if words else ""


def _scatter(chart: Chart, columns: Sequence[Column], rows: Rows, palette: Palette) -> Drawing | None:
    """Draw a scatter plot of estimates with intervals against a second column; colours and shapes show categories.

    The most extreme estimates are labelled.
    """
    column, across = columns
    reference = chart.reference if chart.reference is not None else column.reference
    rows = [row for row in rows if row[across.name] is not None]
    if not rows:
        return None
    colours, coloured = _colours_of(chart, rows, palette)
    shapes = next((name for name in chart.by if name != coloured), "")
    named = {places: _extreme_indices(rows, column, across, places) for places in (NAMED, NAMED // 2)}
    tips = [
        f"{row[LABEL]}: {cell_words(column, row)} {column.heading}, "
        f"{cell_words(across, row)} {across.heading}{_tooltip_facts(row, chart.by)}"
        for row in rows
    ]
    shown = pl.DataFrame(
        {
            "x": [row[across.name] for row in rows], "value": [row[column.name] for row in rows],
            "from": [(column.interval(row) or (None, None))[0] for row in rows],
            "to": [(column.interval(row) or (None, None))[1] for row in rows],
            "colour": colours, "shape": [f"{shapes} {row[shapes]}" if shapes else "" for row in rows], "tip": tips,
            **{f"name {places}": [row[LABEL] if index in kept else "" for index, row in enumerate(rows)]
               for places, kept in named.items()},
        }
    )  # fmt: skip

    def make(narrow: bool) -> alt.TopLevelMixin:
        x = alt.X(
            "x:Q",
            title=", ".join(filter(None, (across.heading, unit_of(across)))),
            scale=alt.Scale(zero=False, padding=14),
            axis=_value_axis(across, 6),
        )
        scale = alt.Scale(zero=False, padding=10)
        base = alt.Chart(shown).encode(x=x, color=alt.Color("colour:N", scale=None), description="tip:N")
        bars = base.mark_rule(strokeWidth=1.5, opacity=0.45, aria=False).encode(
            y=alt.Y("from:Q", title=heading_of(chart, column), scale=scale, axis=_value_axis(column, 8)), y2="to:Q"
        )
        marks = (
            {
                "shape": alt.Shape(
                    "shape:N", legend=alt.Legend(columns=3 if narrow else 6, symbolFillColor=INK, symbolStrokeColor=INK)
                )
            }
            if shapes
            else {}
        )
        points = base.mark_point(filled=True, size=70, opacity=1).encode(y=alt.Y("value:Q", scale=scale), **marks)
        names = (
            alt.Chart(shown)
            .mark_text(align="left", dx=8, fontSize=11)
            .encode(x=x, y="value:Q", text=f"name {NAMED // 2 if narrow else NAMED}:N")
        )
        lines = [] if reference is None else [_reference_line(y=reference)]
        return alt.layer(*lines, bars, points, names).properties(height=320 if narrow else 400)

    return _drawing(make, f"{chart.title}.")


def _extreme_indices(rows: Rows, column: Column, across: Column, most: int) -> set[int]:
    """Return the indices of the largest and smallest estimates, skipping points whose labels would overlap."""
    values, over = [row[column.name] for row in rows], [row[across.name] for row in rows]
    high, wide = (max(values) - min(values)) or 1.0, (max(over) - min(over)) or 1.0
    ranked = sorted(range(len(rows)), key=lambda index: values[index])
    kept: list[int] = []
    for index in (*ranked[:most], *reversed(ranked[-most:])):
        near = (abs(values[index] - values[other]) / high < 0.06 and abs(over[index] - over[other]) / wide < 0.25
                for other in kept)  # fmt: skip
        if not any(near):
            kept.append(index)
    return set(kept)


def _axis_ends(rows: pl.DataFrame, reference: float | None, column: Column) -> list[float]:
    """Return the limits of an axis, slightly beyond all intervals; an axis of shares never extends below 0."""
    ends = [*rows["from"].drop_nulls().to_list(), *rows["to"].drop_nulls().to_list()]
    ends += [] if reference is None else [reference]
    margin = 0.04 * (max(ends) - min(ends)) or 0.1
    first = min(ends) - margin
    return [first if column.difference else max(0.0, first), max(ends) + margin]


def _stacked(chart: Chart, columns: Sequence[Column], rows: Rows, palette: Palette) -> Drawing:
    """Draw means as stacked bars, one bar per row, each followed by the total from the first column."""
    total, *parts = columns
    parts = [part for part in parts if any(row[part.name] for row in rows)]
    names = [part.heading for part in parts]
    if chart.reference is None:
        rows = sorted(rows, key=lambda row: -(row[total.name] or 0.0))
    ordered = pl.DataFrame(rows, infer_schema_length=None).select(
        LABEL, pl.col(total.name).alias("score"), *(pl.col(part.name).alias(part.heading) for part in parts)
    )
    long = ordered.select(LABEL, *names).unpivot(index=LABEL, variable_name="category", value_name="points")
    places = {name: index for index, name in enumerate(names)}
    long = long.with_columns(
        pl.col("category").replace_strict(places, return_dtype=pl.Int64).alias("place"),
        texts_of(long, lambda row: f"{row['label']}, {row['category']}: {number(row['points'])}", "tip"),
    )
    positive = pl.sum_horizontal(pl.col(names).clip(0))
    totals = ordered.select("label", positive.alias("end")).with_columns(
        texts_of(ordered, lambda row: number(row["score"], 1), "text")
    )
    room = 1.0 + max(len(text) for text in totals["text"]) / 40  # room for the numbers at the ends on a narrow screen

    def make(narrow: bool) -> alt.TopLevelMixin:
        y = alt.Y("label:N", sort=ordered["label"].to_list(), title=None, axis=_label_axis(ordered["label"], narrow))
        legend = alt.Legend(columns=3 if narrow else 8, labelLimit=160)
        longest = max(float(end) for end in totals["end"])
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
        return alt.layer(bars, text).properties(height=_chart_height(ordered["label"], narrow))

    return _drawing(make, f"{chart.title}, stacked.")


def scores(counts: pl.DataFrame, alternative: str) -> Drawing:
    """Draw the distribution of totals (``outcomes.score_counts``), one line per policy.

    If there are too many policies, one line shows the distribution over all seats.
    """
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
    """Bin scores, omitting 0.05% at each end; return each policy's share of seats per bin, and the bin width."""
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


def _matrix(chart: Chart, columns: Sequence[Column], rows: Rows, _: Palette) -> Drawing:
    """Draw a heat map of shares, row against column, coloured where the second column (a q-value) is clear."""
    share, chance = columns
    against = [chart.between.join(str(row[name]) for name in chart.over) for row in rows]
    frame = pl.DataFrame({
        LABEL: [row[LABEL] for row in rows], "opponent": against, "share": [row[share.name] for row in rows],
        "q": [row[chance.name] for row in rows],
        "short": [percent(row[share.name], 0) for row in rows],
        "long": [written(share, row[share.name]) for row in rows],
        "tip": [f"{row[LABEL]}, {second}: {cell_words(share, row)}" for row, second in zip(rows, against, strict=True)],
    }, infer_schema_length=None)  # fmt: skip
    means = frame.group_by(LABEL).agg(pl.col("share").mean()).sort("share", LABEL, descending=[True, False])
    names = means[LABEL].to_list()
    clear = pl.col("q").fill_null(1) < CLEAR
    strength = ((pl.col("share") - 0.5).abs() * 2).sqrt() * (DEEPEST - 0.15) + 0.15
    shown = frame.with_columns(
        pl.when(clear).then(strength).otherwise(0.1).alias("strength"),
        pl.when(~clear)
        .then(pl.lit("open"))
        .when(pl.col("share") >= 0.5)
        .then(pl.lit("ahead"))
        .otherwise(pl.lit("behind"))
        .alias("state"),
    )
    colours = alt.Scale(domain=["ahead", "behind", "open"], range=["var(--good)", "var(--bad)", FAINT])

    def make(narrow: bool) -> alt.TopLevelMixin:
        angle = -45 if narrow or len(names) > 6 else 0
        across = _label_axis(names, narrow, {"orient": "top", "labelAngle": angle})
        base = alt.Chart(shown).encode(
            x=alt.X("opponent:N", sort=names, title="ahead of", axis=across),
            y=alt.Y("label:N", sort=names, title=None, axis=_label_axis(names, narrow)),
        )
        cells = base.mark_rect(stroke="var(--paper)", strokeWidth=2).encode(
            color=alt.Color("state:N", scale=colours, legend=None),
            opacity=alt.Opacity("strength:Q", scale=alt.Scale(domain=[0, 1], range=[0, 1]), legend=None),
            description="tip:N",
        )
        short = narrow or len(names) > 8
        text = base.mark_text().encode(text="short:N" if short else "long:N")
        return alt.layer(cells, text).properties(height=36 * len(names))

    return _drawing(make, f"{chart.title}.")


def _curve(chart: Chart, columns: Sequence[Column], rows: Rows, _: Palette) -> Drawing:
    """Draw a curve of estimates with intervals against a number."""
    column, number_of = columns[0], chart.over[0]
    shown = pl.DataFrame(
        [
            {"number": float(row[number_of]), "value": row[column.name], **dict(zip(("from", "to"), ends, strict=True)),
             "tip": f"{row[LABEL]}: {cell_words(column, row)}"}
            for row in rows if (ends := column.interval(row)) is not None
        ]
    ).sort("number")  # fmt: skip
    title = heading_of(chart, column)

    def make(narrow: bool) -> alt.TopLevelMixin:
        axis = alt.Axis(values=shown["number"].to_list(), grid=False)
        across = alt.Scale(zero=False, padding=16, nice=False)
        base = alt.Chart(shown).encode(x=alt.X("number:Q", title=number_of, scale=across, axis=axis))
        scale = alt.Scale(zero=False)
        ends = base.encode(y=alt.Y("from:Q", title=title, scale=scale, axis=_value_axis(column, 6)), y2="to:Q")
        middle = base.encode(y=alt.Y("value:Q", title=title, scale=scale))
        return alt.layer(
            _reference_line(y=0.0),
            ends.mark_area(opacity=0.18, color=ACCENT),
            ends.mark_rule(strokeWidth=2, color=ACCENT),
            middle.mark_line(color=ACCENT, strokeWidth=2.5),
            middle.mark_point(filled=True, size=80, opacity=1, color=ACCENT).encode(description="tip:N"),
        ).properties(height=230 if narrow else 300)

    return _drawing(make, f"{chart.title}.")


def _change(chart: Chart, columns: Sequence[Column], rows: Rows, _: Palette) -> Drawing:
    """Draw estimates with intervals before (open) and after (filled) a change, one pair per row, with a target band."""
    shown = pl.DataFrame(
        [
            {LABEL: row[LABEL], "value": row[column.name], "state": state,
             **dict(zip(("from", "to"), column.interval(row) or (None, None), strict=True)),
             "tip": f"{row[LABEL]}: {', '.join(f'{one.heading} {cell_words(one, row)}' for one in columns)}"}
            for state, column in zip(("before", "after"), columns, strict=True) for row in rows
        ],
        infer_schema_length=None,
    ).drop_nulls("value")  # fmt: skip
    bounds = sorted({row[name] for row in rows for name in chart.band or () if row[name] is not None})
    bounds += [] if chart.reference is None else [chart.reference]
    heading = heading_of(chart, columns[0])
    labels = pl.Series([row[LABEL] for row in rows])

    def make(narrow: bool) -> alt.TopLevelMixin:
        y = alt.Y("label:N", sort=None, title=None, axis=_label_axis(labels, narrow))
        scale = alt.Scale(zero=False, padding=8)
        base = alt.Chart(shown).encode(y=y, description="tip:N")
        colour = alt.Scale(domain=["before", "after"], range=[FAINT, ACCENT])
        bars = base.mark_rule(strokeWidth=3, strokeCap="round").encode(
            x=alt.X(
                "from:Q", title=_title(heading, narrow), scale=scale, axis=_value_axis(columns[0], 4 if narrow else 8)
            ),
            x2="to:Q",
            color=alt.Color("state:N", scale=colour, legend=None),
        )
        points = base.mark_point(size=75, strokeWidth=2, opacity=1).encode(
            x=alt.X("value:Q", title=_title(heading, narrow), scale=scale),
            stroke=alt.Stroke("state:N", scale=colour, legend=None),
            fill=alt.Fill(
                "state:N", scale=alt.Scale(domain=["before", "after"], range=["var(--paper)", ACCENT]), legend=None
            ),
        )
        lines = [_reference_line(x=end) for end in bounds]
        return alt.layer(*lines, bars, points).properties(height=_chart_height(labels, narrow))

    return _drawing(make, f"{chart.title}.")


def _band(chart: Chart, columns: Sequence[Column], rows: Rows, _: Palette) -> Drawing:
    """Draw estimates over a band around 0, with colours given by the second column."""
    column, verdict = columns
    shown = pl.DataFrame(
        [
            {LABEL: row[LABEL], "value": row[column.name], "verdict": row[verdict.name],
             **dict(zip(("from", "to"), column.interval(row) or (None, None), strict=True)),
             "tip": f"{row[LABEL]}: {cell_words(column, row)} {column.unit}, {row[verdict.name]}"}
            for row in rows
        ],
        infer_schema_length=None,
    )  # fmt: skip
    band = pl.DataFrame({"from": [-chart.tolerance], "to": [chart.tolerance]})

    def make(narrow: bool) -> alt.TopLevelMixin:
        title = heading_of(chart, column)
        axis = _value_axis(column, 5 if narrow else 9)
        scale = alt.Scale(padding=10)
        base = alt.Chart(shown).encode(
            y=alt.Y("label:N", sort=None, title=None, axis=_label_axis(shown[LABEL], narrow)), description="tip:N"
        )
        colour = alt.Color(
            "verdict:N",
            scale=alt.Scale(domain=["within", "low", "high"], range=["var(--good)", "var(--low)", "var(--bad)"]),
            legend=alt.Legend(columns=3, symbolType="circle", symbolOpacity=1),
        )
        like = alt.Chart(band).mark_rect(opacity=0.14, color="var(--good)").encode(x="from:Q", x2="to:Q")
        bars = base.mark_rule(strokeWidth=3).encode(
            x=alt.X("from:Q", title=_title(title, narrow), scale=scale, axis=axis), x2="to:Q", color=colour
        )
        points = base.mark_point(filled=True, size=70, opacity=1).encode(
            x=alt.X("value:Q", title=_title(title, narrow), scale=scale), color=colour
        )
        return alt.layer(like, _reference_line(x=0.0), bars, points).properties(
            height=_chart_height(shown[LABEL], narrow)
        )

    return _drawing(make, f"{chart.title}.")


_SHAPES: Mapping[str, Callable[[Chart, Sequence[Column], Rows, Palette], Drawing | None]] = {
    "forest": _forest, "scatter": _scatter, "curve": _curve, "change": _change, "stacked": _stacked,
    "matrix": _matrix, "band": _band,
}  # fmt: skip
