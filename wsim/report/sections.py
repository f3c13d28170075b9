"""The sections of the page: what is drawn, what is tabled, and the words around it."""

from __future__ import annotations

import polars as pl

from wsim.report import charts, grids, panels
from wsim.report.grids import Cell, plain
from wsim.report.material import Material
from wsim.report.parts import Figure, Section
from wsim.report.shapes import labelled, noun_of, shape_of
from wsim.report.wording import number, number_range, percent, plural, points_name, title
from wsim.stats.tables import OBSERVATIONAL

__all__ = ["sections"]

DEALT = (
    "Win points are the share of wins times the number of players: 1.00 is the fair share at any table. Bars are 95 % "
    "intervals, clustered by game; filled marks are those whose interval does not hold 1.00."
)


def sections(material: Material) -> list[Section]:
    """Return the sections in the order of the page."""
    by_shape = {name: (shape_of(table), table) for name, table in material.tables.items()}
    found = [
        _levels(name, table) for name, (shape, table) in by_shape.items() if shape == "levels" and name != "policies"
    ]
    found += [_owners(name, table) for name, (shape, table) in by_shape.items() if shape == "owners"]
    found += [
        _policies(material, table)
        for name, (shape, table) in by_shape.items()
        if name == "policies" and shape == "levels"
    ]
    found += [_scores(material), _winners(material), _seats(material)]
    if material.whatifs:
        found.append(panels.whatifs(material.whatifs))
    if material.calibration is not None:
        found.append(panels.calibration(material.calibration))
    if material.comparison is not None:
        found.append(panels.comparison(material.comparison))
    for name, (shape, table) in by_shape.items():
        if shape is None:
            found.append(Section(name, title(name), grids=[grids.plain_grid(f"{name}-table", title(name), table)]))
    return found


def _points(table: pl.DataFrame) -> list[str]:
    """Return the columns of points that are not 0 throughout."""
    return [name for name in table.columns if name.startswith("points_") and len(table) and table[name].abs().max()]


def _levels(name: str, table: pl.DataFrame) -> Section:
    noun, rows = noun_of(name, table), labelled(table)
    return Section(
        name,
        title(name),
        DEALT,
        _level_figures(noun, rows, table),
        numbers=[grids.level_grid(f"{name}-table", noun, table)],
    )


def _level_figures(noun: str, rows: pl.DataFrame, table: pl.DataFrame) -> list[Figure]:
    known = rows.filter(pl.col("win_points_low").is_not_null()).sort("win_points", descending=True)
    found = []
    if len(known):
        alternative = (
            f"Win points of {plural(noun)} with 95 % intervals, from {known['label'][0]} to {known['label'][-1]}."
        )
        drawing = charts.forest(known, "win_points", "times the fair share of wins", alternative, reference=1.0)
        found.append(Figure(drawing, f"Wins by {noun}, with 95 % intervals; the dashed line is the fair share."))
    if points := _points(table):
        alternative = f"Mean points by category for each {noun}, stacked."
        found.append(
            Figure(charts.stacked(rows, points, alternative), f"Where the points of each {noun} come from: means.")
        )
    return found


def _owners(name: str, table: pl.DataFrame) -> Section:
    noun = noun_of(name, table)
    more = grids.further_grid(f"{name}-more", noun, table)
    shown = [grids.owner_grid(f"{name}-table", noun, table)]
    return Section(name, title(name), OBSERVATIONAL, grids=shown, numbers=[] if more is None else [more])


def _policies(material: Material, table: pl.DataFrame) -> Section:
    rows = labelled(table)
    figures = _level_figures("policy", rows, table)
    numbers = [grids.level_grid("policies-table", "policy", table)]
    if material.matchups is not None and len(material.matchups.frame):
        frame = material.matchups.frame
        named = frame.with_columns(
            pl.col("policy").cast(pl.String).alias("label"), pl.col("opponent_policy").cast(pl.String).alias("opponent")
        )
        drawing = charts.matchups(named, "How often each policy finishes ahead of each other one at the same table.")
        figures.append(
            Figure(
                drawing, "How often the row's policy finishes ahead of the column's at the same table; ties count half."
            )
        )
        numbers.append(grids.plain_grid("matchups-table", "Policies against each other", frame))
    intro = "" if len(rows) > 1 else f"All seats were played by {rows['label'][0]}." if len(rows) else ""
    return Section("policies", "Policies", intro or DEALT, figures, numbers=numbers)


def _scores(material: Material) -> Section:
    outcomes = material.outcomes
    drawing = charts.scores(material.scores, "Distribution of the scores of each policy.")
    figures = [Figure(drawing, "Scores of all seats, by policy.")]
    ranks = material.ranks
    if len(ranks) and (points := _points(ranks)):
        rows = ranks.with_columns(("rank " + pl.col("rank").cast(pl.String)).alias("label"))
        stacked = charts.stacked(rows, points, "Mean points by category for each rank, stacked.", sort="rank")
        figures.append(Figure(stacked, "Where the points come from, by final rank: means."))
    names = {
        "score": "Score of a seat", "winner": "Score of a winner", "last": "Lowest score of a game",
        "margin": "First ahead of second", "range": "First ahead of last", "shared": "Games with several winners",
    }  # fmt: skip
    cells = [_figure_cells(name, key == "shared", *outcomes.figure(key)) for key, name in names.items()]
    columns = [grids.Column("Mean of", numeric=False), grids.Column("Value"), grids.Column("95 % interval")]
    grid = grids.Grid("scores-table", "The games in figures", columns, cells)
    return Section("scores", "Scores", "", figures, grids=[grid])


def _figure_cells(name: str, share: bool, value: float | None, low: float | None, high: float | None) -> list[Cell]:
    """Return a figure of the games with its interval; a share in per cent."""
    times = 100 if share else 1
    ends = [None if one is None else times * one for one in (low, high)]
    return [
        plain(name),
        Cell(percent(value, 2) if share else number(value), value),
        plain(number_range(ends[0], ends[1])),
    ]


def _winners(material: Material) -> Section:
    measures = material.outcomes.measures.filter(
        (pl.col("measure") != "total") & ((pl.col("mean") != 0) | (pl.col("winners") != 0))
    )
    points = measures.filter(pl.col("measure").str.starts_with("points_") & pl.col("difference_low").is_not_null())
    figures = []
    if len(points):
        rows = points.sort("difference", descending=True)
        rows = rows.with_columns(charts.told(rows, lambda row: points_name(row["measure"]), "label"))
        alternative = "Mean points of winners less those of the others by category, with 95 % intervals."
        drawing = charts.forest(
            rows, "difference", "points more than the others", alternative, reference=0.0, difference=True
        )
        figures.append(Figure(drawing, "What winners have more of than the others, in points, with 95 % intervals."))
    columns = [
        grids.Column("Mean of", numeric=False),
        grids.Column("All"),
        grids.Column("Winners"),
        grids.Column("Others", minor=True),
        grids.Column("Difference", hint="winners less others, with its 95 % interval"),
    ]
    cells = []
    for row in measures.to_dicts():
        name = title(points_name(row["measure"])) + (", points" if row["measure"].startswith("points_") else "")
        interval = number_range(row["difference_low"], row["difference_high"], sign=True)
        means = [Cell(number(row[key]), row[key]) for key in ("mean", "winners", "others")]
        cells.append([Cell(name, name), *means, Cell(number(row["difference"]), row["difference"], small=interval)])
    grid = grids.Grid("winners-table", "Means of seats, winners and others", columns, cells)
    intro = (
        "Winners are those with the best score, so this tells where winning scores come from, not what causes a win."
    )
    return Section("winners", "What winners do", intro, figures, numbers=[grid])


def _seats(material: Material) -> Section:
    rows = material.seats.with_columns(("seat " + pl.col("seat").cast(pl.String)).alias("label"))
    known = rows.filter(pl.col("win_points_low").is_not_null())
    figures = []
    if len(known):
        drawing = charts.forest(
            known, "win_points", "times the fair share of wins", "Win points by seat.", reference=1.0
        )
        figures.append(Figure(drawing, "Wins by seat at the table, with 95 % intervals."))
    table = material.seats.with_columns(("seat " + pl.col("seat").cast(pl.String)).alias("seat"))
    return Section("seats", "Seats", "", figures, numbers=[grids.level_grid("seats-numbers", "seat", table)])
