"""The sections that hold a run beside something else: human results, another run."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from wsim.report import charts, grids
from wsim.report.grids import Cell, plain
from wsim.report.material import Comparison
from wsim.report.page_parts import Figure, Section
from wsim.report.wording import count, number, number_range, title
from wsim.stats.tables import Table

_GROUPS = {"all": "All seats", "winner": "Winners", "last": "Last places", "game": "Games"}


def humans(name: str, table: Table) -> Section:
    """Return the section of a table that holds a run beside the results of human players (shape ``humans``)."""
    frame = table.frame
    tolerance = float(frame["tolerance"][0])
    figures = []
    for group, heading in _GROUPS.items():
        rows = _calibration_rows(frame.filter(pl.col("group") == group))
        if len(rows) and group in ("all", "winner"):
            drawing = charts.calibration(
                rows, tolerance, f"{heading}: simulated less human means, in human standard deviations."
            )
            figures.append(Figure(drawing, f"{heading}: the shaded band counts as like human players."))
    columns = [
        grids.Column("Of", numeric=False),
        grids.Column("Figure", numeric=False),
        grids.Column("Simulated", hint="with its 95 % interval"),
        grids.Column("Human", hint="mean, and the standard deviation of a seat or game"),
        grids.Column("Difference", minor=True, hint="with its 95 % interval"),
        grids.Column("Verdict", numeric=False),
    ]
    cells = [
        [
            plain(_GROUPS[row["group"]]),
            plain(title(row["figure"])),
            Cell(
                number(row["simulated"]),
                row["simulated"],
                small=number_range(row["simulated_low"], row["simulated_high"]),
            ),
            Cell(number(row["human"]), row["human"], small=f"sd {number(row['human_sd'])}"),
            Cell(
                number(row["difference"]),
                row["difference"],
                small=number_range(row["difference_low"], row["difference_high"], sign=True),
            ),
            plain(row["verdict"] or ""),
        ]
        for row in frame.to_dicts()
    ]
    grid = grids.Grid(
        f"{name}-table",
        "Every figure beside the human one: points, or how many of what is named",
        columns,
        cells,
        search=True,
    )
    return Section(name, "Beside human players", table.note, figures, numbers=[grid])


def _calibration_rows(frame: pl.DataFrame) -> pl.DataFrame:
    known = frame.filter(pl.col("verdict").is_not_null() & pl.col("difference_low").is_not_null())
    return known.select(
        charts.texts_of(known, lambda row: title(row["figure"]).lower(), "label"),
        "difference_sd",
        (pl.col("difference_low") / pl.col("human_sd")).alias("difference_sd_low"),
        (pl.col("difference_high") / pl.col("human_sd")).alias("difference_sd_high"),
        "verdict",
        charts.texts_of(
            known,
            lambda row: (
                f"{title(row['figure'])}: {number(row['simulated'])} simulated, {number(row['human'])} human "
                f"(sd {number(row['human_sd'])}): {row['verdict']}"
            ),
            "tip",
        ),
    )


def comparison(other: Comparison) -> Section:
    """Return the section of the differences to another run."""
    there = other.run.plan
    return Section(
        "comparison",
        "Beside the other run",
        f"Differences: this run less {other.run.path.name} ({there.ruleset}, {there.players} players, "
        f"{count(other.run.games)} games, {', '.join(dict.fromkeys(there.policies))}). "
        "The runs are taken as independent; each interval holds by itself: of twenty equal rows, about one is filled.",
        list(_comparison_figures(other)),
        numbers=[
            grids.plain_grid(
                f"comparison-{name}", title(name), frame.select(pl.exclude("^.*_(low|high)_(here|there)$"))
            )
            for name, frame in other.tables.items()
        ],
    )


def _comparison_figures(comparison: Comparison) -> Iterator[Figure]:
    for name, frame in comparison.tables.items():
        label = frame.columns[: frame.columns.index("win_points_here")]
        rows = frame.with_columns(pl.concat_str(label, separator=" ").alias("label"))
        known = rows.filter(pl.col("win_points_difference_low").is_not_null()).sort(
            "win_points_difference", descending=True
        )
        if len(known):
            alternative = f"Differences in win points of {name} between the runs, with 95 % intervals."
            drawing = charts.forest(
                known,
                "win_points_difference",
                "win points, this run less the other",
                alternative,
                reference=0.0,
                difference=True,
            )
            yield Figure(drawing, f"{title(name)}: win points here less there, with 95 % intervals.")
