"""The sections of the page: what is drawn, what is tabled, and the words around it."""

from __future__ import annotations

import polars as pl

from wsim.report import answers, charts, grids, panels
from wsim.report.grids import Cell, plain
from wsim.report.material import Material
from wsim.report.page_parts import Figure, Section
from wsim.report.shapes import Slices, by_policy, labelled, noun_of, shape_of
from wsim.report.theme import Palette
from wsim.report.wording import number, number_range, percent, plural, points_name, title
from wsim.stats.tables import Table

MOST_ROWS = 200
"""Of a table without a shape that the page draws."""
DEALT = (
    "Win points are the share of wins times the number of players: 1.00 is the fair share at any table. Bars are 95 % "
    "intervals, clustered by game; filled marks are those whose interval does not hold 1.00."
)


def sections(material: Material) -> list[Section]:
    """Return the sections in the order of the page: tables by their shapes, policies last, then what games are like."""
    palette = Palette(material.game.COLOURS)
    dealt, owned, seated, met, humans, others = [], [], [], [], [], []
    for name, table in material.tables.items():
        section = table_section(name, table, palette, material.slices.get(name))
        match shape_of(table.frame):
            case "levels" if by_policy(table.frame):
                seated.append(section)
            case "levels":
                dealt.append(section)
            case "owners":
                owned.append(section)
            case "matchups":
                met.append(section)
            case "humans":
                humans.append(section)
            case _:
                others.append(section)
    found = [*dealt, *owned, *seated, *met, _scores(material, palette), _winners(material), _seats(material)]
    found += [*answers.sections(material.answers), *humans]
    if material.comparison is not None:
        found.append(panels.comparison(material.comparison))
    return [*found, *others]


def table_section(name: str, table: Table, palette: Palette, parts: Slices | None = None) -> Section:
    """Return the section of a table, drawn by its shape; ``parts``: its slices."""
    match shape_of(table.frame):
        case "levels":
            return _levels(name, table.frame, palette, parts)
        case "owners":
            return _owners(name, table, palette, parts)
        case "matchups":
            return _matchups(name, table)
        case "humans":
            return panels.humans(name, table)
        case _:
            return _plain(name, table)


def _points(table: pl.DataFrame) -> list[str]:
    """Return the columns of points that are not 0 throughout."""
    return [name for name in table.columns if name.startswith("points_") and len(table) and table[name].abs().max()]


def _levels(name: str, table: pl.DataFrame, palette: Palette, parts: Slices | None) -> Section:
    noun, rows = noun_of(name, table), labelled(table)
    alone = len(rows) == 1 and by_policy(table)
    return Section(
        name,
        title(name),
        f"All seats were played by {rows['label'][0]}." if alone else DEALT,
        _level_figures(noun, rows, table, palette),
        numbers=[grids.level_grid(f"{name}-table", noun, table, parts)],
    )


def _level_figures(noun: str, rows: pl.DataFrame, table: pl.DataFrame, palette: Palette) -> list[Figure]:
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
        drawing = charts.stacked(rows, points, alternative, palette)
        found.append(Figure(drawing, f"Where the points of each {noun} come from: means."))
    return found


def _owners(name: str, table: Table, palette: Palette, parts: Slices | None) -> Section:
    noun = noun_of(name, table.frame)
    more = grids.further_grid(f"{name}-more", noun, table.frame)
    shown = [grids.owner_grid(f"{name}-table", noun, table.frame, palette, parts)]
    return Section(name, title(name), table.note, grids=shown, numbers=[] if more is None else [more])


def _matchups(name: str, table: Table) -> Section:
    frame = table.frame
    levels = frame.columns[: frame.columns.index("games") // 2]
    nouns = " and ".join(levels)
    named = frame.with_columns(
        pl.concat_str([pl.col(one).cast(pl.String) for one in levels], separator=" ").alias("label"),
        pl.concat_str([pl.col(f"opponent_{one}").cast(pl.String) for one in levels], separator=" ").alias("opponent"),
    )
    drawing = charts.matchups(named, f"How often each {nouns} finishes ahead of each other one at the same table.")
    caption = f"How often the row's {nouns} finishes ahead of the column's at the same table; ties count half."
    grid = grids.plain_grid(f"{name}-table", f"{title(plural(nouns))} against each other", frame)
    return Section(name, title(name), table.note, [Figure(drawing, caption)], numbers=[grid])


def _plain(name: str, table: Table) -> Section:
    """Return a table that has no shape of its own: its rows, the first of many."""
    frame = table.frame
    cut = f": the first {MOST_ROWS} of {len(frame):,}" if len(frame) > MOST_ROWS else ""
    grid = grids.plain_grid(f"{name}-table", f"{table.title}{cut}", frame.head(MOST_ROWS))
    return Section(name, title(name), table.note, grids=[grid])


def _scores(material: Material, palette: Palette) -> Section:
    outcomes = material.outcomes
    drawing = charts.scores(material.scores, "Distribution of the scores of each policy.")
    figures = [Figure(drawing, "Scores of all seats, by policy.")]
    ranks = material.ranks
    if len(ranks) and (points := _points(ranks)):
        rows = ranks.with_columns(("rank " + pl.col("rank").cast(pl.String)).alias("label"))
        alternative = "Mean points by category for each rank, stacked."
        stacked = charts.stacked(rows, points, alternative, palette, sort="rank")
        figures.append(Figure(stacked, "Where the points come from, by final rank: means."))
    names = {
        "score": "Score of a seat, points", "winner": "Score of a winner, points",
        "last": "Lowest score of a game, points", "margin": "First ahead of second, points",
        "range": "First ahead of last, points", "shared": "Games with several winners",
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
        rows = rows.with_columns(charts.texts_of(rows, lambda row: points_name(row["measure"]), "label"))
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
