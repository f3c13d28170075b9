"""Combine the tables of several runs into one: different player numbers, rule sets or variants side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import polars as pl

from wsim.display import title
from wsim.document import CATEGORY, NAME, Chart, Column, estimated
from wsim.document import names as named
from wsim.stats.columns import FAIR
from wsim.stats.tables import Table


def stack(tables: Mapping[object, Table], column: str, keys: Sequence[str] = ()) -> Table:
    """Stack the tables of several runs into one that groups rows by item, in the order of the runs.

    Parameters
    ----------
    tables: the same analysis of each run, by the label of the run.
    column: the name of the column with these labels; it follows the columns that name a row.
    keys: the columns that name a row (default: the leading columns that are not numeric).

    The rows keep the order of the first table; rows that only later tables have follow. Estimates, q-values and
    verdicts are those of each run, taken separately.
    """
    first = next(iter(tables.values()))
    names = list(keys) or _leading_names(first.frame)
    parts = []
    for number, (value, table) in enumerate(tables.items()):
        kinds = table.frame.schema.items()
        texts = [name for name, kind in kinds if isinstance(kind, pl.Enum | pl.Categorical)]
        position = pl.int_range(pl.len(), dtype=pl.Int64)
        rows = table.frame.with_columns(
            pl.col(texts).cast(pl.String), position.alias(_PLACE), pl.lit(number).alias(_RUN)
        )
        parts.append(rows if column in table.frame.columns else rows.with_columns(pl.lit(value).alias(column)))
    frame = pl.concat(parts, how="diagonal_relaxed")
    # run by run, so that the first row of each name comes from the first run that has it
    order = [pl.col(_RUN).first().over(names), pl.col(_PLACE).first().over(names), pl.col(_RUN), pl.col(_PLACE)]
    front = dict.fromkeys([*names, column])
    frame = frame.sort(order).select(*front, pl.exclude(*front, _PLACE, _RUN))
    labels = (*first.labels, column)
    columns = (*first.columns, Column(column, NAME))
    return replace(first, frame=frame, note=f"{first.note} {_EACH}".strip(), columns=columns, labels=labels)


def side_by_side(tables: Mapping[object, Table]) -> Table | None:
    """Put one figure of several runs side by side, row by row, with the differences from the first run.

    Parameters
    ----------
    tables: the same analysis of each run, by the label of the run; at least two.

    Returns None for tables that have no such figure, or that share no rows. The runs are assumed independent, so
    squared errors add up.

    Columns: the labels; the figure of each run (``NAME_0``, ``NAME_1``, ...) and the difference of each further run
    from the first (``NAME_difference_1``, ...), all with _low and _high. The figure is the worth if every run has it,
    otherwise the difference between owners and others, or the ratio to the fair share.
    """
    first, *others = tables.values()
    figure = next((name for name in _FIGURES if all(name in table.frame.columns for table in tables.values())), "")
    if not figure or any(table.labels != first.labels for table in others):
        return None
    column = first.column(figure)
    frame, columns = _joined(tables, column)
    differences = []
    for number, run in enumerate(list(tables)[1:], start=1):
        made = estimated(
            f"{figure}_difference_{number}", column.kind, unit=column.unit, heading=f"{run} minus {next(iter(tables))}",
            difference=True, drawn=True,
        )  # fmt: skip
        run_names, base_names = ([f"{figure}_{run}{end}" for end in ("", "_low", "_high")] for run in (number, 0))
        named_ends = zip((made.name, *(made.ends or ())), _difference(run_names, base_names), strict=True)
        frame = frame.with_columns(value.alias(name) for name, value in named_ends)
        differences.append(made)
    largest = pl.col(differences[0].name)
    frame = frame.filter(largest.is_not_null()).sort(largest.abs(), descending=True)
    if frame.is_empty():
        return None
    charts = tuple(
        Chart("forest", (made.name,), first.labels, f"{title(column.heading)}: {made.heading}, with intervals")
        for made in differences
    )
    heading = f"{first.title}: {column.heading}, side by side"
    columns = [*columns, *differences]
    return Table(frame, heading, _INDEPENDENT, tuple(columns), form=first.form, labels=first.labels, charts=charts)


def _joined(tables: Mapping[object, Table], column: Column) -> tuple[pl.DataFrame, list[Column]]:
    """Join one figure of every run to the first table's rows, in separate columns; also return their declarations."""
    first = next(iter(tables.values()))
    labels = list(first.labels)
    keys = [pl.col(name).cast(pl.String) for name in labels]
    facts = [each.name for each in first.columns if each.kind is CATEGORY and each.name in first.frame.columns]
    facts = [name for name in facts if name not in (*labels, "verdict")]
    frame = first.frame.select(*keys, *facts)
    columns = [*named(labels), *map(first.column, facts)]
    for number, (run, table) in enumerate(tables.items()):
        called = column.called(f"{column.name}_{number}", f"{column.heading}, {run}")
        ends = zip((column.name, *(column.ends or ())), (called.name, *(called.ends or ())), strict=True)
        values = table.frame.select(*keys, *(pl.col(old).alias(new) for old, new in ends))
        frame = frame.join(values, on=labels, how="left" if number else "inner", maintain_order="left")
        columns.append(replace(called, drawn=False))
    return frame, columns


def _difference(first: Sequence[str], second: Sequence[str]) -> tuple[pl.Expr, pl.Expr, pl.Expr]:
    """Return expressions for the difference between two independent figures and the ends of its interval.

    Both arguments name columns: the figure, its low and its high end.
    """
    value = pl.col(first[0]) - pl.col(second[0])
    halves = [(pl.col(high) - pl.col(low)) / 2 for _, low, high in (first, second)]
    half = (halves[0] ** 2 + halves[1] ** 2).sqrt()
    return value, value - half, value + half


def minus(minuend: Table, reference: Table) -> Table | None:
    """Return the differences between two tables of the same form, row by row; None if they share no rows.

    The runs are assumed independent, so squared errors add up.

    Columns: the labels, two figures from each run (``_here``, ``_there``), and their differences with _low and _high.
    The figures are worth and points if both runs have them, otherwise fair_share_ratio and score.
    """
    if minuend.labels != reference.labels:
        return None
    of_worth = "worth" in minuend.frame.columns and "worth" in reference.frame.columns
    figures = ("worth", "points") if of_worth else (FAIR, "score")
    measures = [minuend.column(name) for name in figures]
    label = [pl.col(name).cast(pl.String) for name in minuend.labels]
    wanted = [part for column in measures for part in (column.name, *(column.ends or ()))]
    known = pl.col("worth").is_not_null() if of_worth else pl.col("n") > 0
    left, right = (
        table.frame.filter(known).select(*label, *(pl.col(name).name.suffix(run) for name in wanted))
        for table, run in ((minuend, "_here"), (reference, "_there"))
    )
    both = left.join(right, on=list(minuend.labels), maintain_order="left")
    if both.is_empty():
        return None
    columns: list[Column] = named(minuend.labels)
    for column in measures:
        name, (low, high) = column.name, column.ends or ("", "")
        left_names, right_names = ([part + run for part in (name, low, high)] for run in ("_here", "_there"))
        difference = estimated(
            f"{name}_difference", column.kind, heading=f"{column.heading}, difference", difference=True
        )
        named_ends = zip((difference.name, *(difference.ends or ())), _difference(left_names, right_names), strict=True)
        both = both.with_columns(value.alias(called) for called, value in named_ends)
        both = both.drop(low + "_here", high + "_here", low + "_there", high + "_there")
        columns += [Column(f"{name}_{run}", column.kind, heading=f"{column.heading}, {words}") for run, words in _RUNS]
        columns.append(difference)
    both = both.sort(f"{figures[0]}_difference", descending=True, nulls_last=True)
    heading = f"{minuend.title}: {measures[0].heading}, this run minus the other"
    chart = Chart("forest", (f"{figures[0]}_difference",), minuend.labels, f"{heading}, with intervals")
    return Table(both, heading, columns=tuple(columns), labels=minuend.labels, charts=(chart,))


_RUNS = (("here", "this run"), ("there", "the other"))
_FIGURES = ("worth", "win_difference", FAIR)
_INDEPENDENT = (
    "The runs are treated as independent; each interval of a difference is valid on its own, so about one in twenty "
    "rows without a true difference has an interval that excludes 0."
)
_PLACE, _RUN = "_place", "_run"
_EACH = "Estimates, q-values and verdicts are those of each run, taken separately."


def _leading_names(frame: pl.DataFrame) -> list[str]:
    """Return the columns that precede the first numeric column; the first column if there are none."""
    names: list[str] = []
    for name, kind in frame.schema.items():
        if kind.is_numeric():
            break
        names.append(name)
    return names or frame.columns[:1]
