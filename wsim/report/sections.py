"""Build the sections of a page: tables with their charts, answers, and outcomes of games."""

from __future__ import annotations

from collections.abc import Container, Mapping

import polars as pl

from wsim.display import title
from wsim.document import Rows
from wsim.report import answers, charts
from wsim.report.cards import Faces
from wsim.report.grids import grid
from wsim.report.material import Comparison, Material
from wsim.report.page_parts import Figure, Section, drawn_of
from wsim.report.slices import Slices
from wsim.report.theme import Palette
from wsim.stats.tables import Table

MOST_ROWS = 200
"""The maximum number of rows shown for a table that contains neither levels nor owners."""
_ORDER = ("levels", "owners", "matchups", "", "humans")


def sections(material: Material) -> list[Section]:
    """Build the sections in page order: tables by form, with dealt factors before policies, then outcomes."""
    palette = Palette(material.game.COLOURS)
    tables = sorted(material.tables.items(), key=lambda item: (_ORDER.index(item[1].form), is_of_policies(item[1])))
    faces = Faces.of_plan(material.run.plan)
    drawn = {name: table_section(name, table, palette, material.slices.get(name), faces) for name, table in tables}
    ordered = [drawn[name] for name, table in tables if table.form in _ORDER[:3]]
    ordered += [
        _scores_section(material, palette),
        _winners_section(material, palette),
        _seats_section(material, palette),
    ]
    ordered += [*answers.sections(material.answers, palette)]
    ordered += [drawn[name] for name, table in tables if table.form == "humans"]
    if material.comparison is not None:
        ordered.append(_comparison_section(material.comparison, palette))
    return [*ordered, *(drawn[name] for name, table in tables if not table.form)]


def is_of_policies(table: Table) -> bool:
    """Return whether the rows of a table are policies, which are assigned to seats rather than dealt."""
    return table.labels[:1] == ("policy",)


def table_section(
    name: str, table: Table, palette: Palette, parts: Slices | None = None, faces: Container[str] = ()
) -> Section:
    """Build the section for a table: charts, the main columns, and a collapsed table with all columns.

    ``parts``: the slices of the table. ``faces``: the names that are cards.
    """
    frame = owned(table.frame)
    cut = not table.form and len(frame) > MOST_ROWS
    heading = f"{table.title}: the first {MOST_ROWS} of {len(frame):,} rows" if cut else table.title
    sheet = table.sheet(frame.head(MOST_ROWS) if cut else frame, heading)
    slices: dict[str, Mapping[str, Rows]] = {
        what: {level: owned(rows).to_dicts() for level, rows in levels.items()}
        for what, levels in (parts or {}).items()
    }
    main = grid(f"{name}-table", sheet, palette=palette, slices=slices, faces=faces)
    every = (
        []
        if len(sheet.shown) == len(sheet.columns)
        else [grid(f"{name}-every", sheet, f"{sheet.title}: every column", wide=True)]
    )
    figures = drawn_of(sheet, palette)
    if figures and table.form == "owners":  # long lists of items can be searched and filtered
        return Section(name, title(name), table.note, figures, grids=[main], numbers=every)
    if figures:
        return Section(name, title(name), table.note, figures, numbers=[main, *every])
    return Section(name, title(name), table.note, grids=[main], numbers=every)


def owned(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the rows for items that at least one seat had."""
    return frame.filter(pl.col("n") > 0) if "n" in frame.columns else frame


def _scores_section(material: Material, palette: Palette) -> Section:
    drawing = charts.scores(material.scores, "Distribution of the scores of each policy.")
    figures = [Figure(drawing, "Scores of all seats, by policy."), *drawn_of(material.ranks.sheet(), palette)]
    return Section("scores", "Scores", "", figures, grids=[grid("scores-table", material.outcomes.summary.sheet())])


def _winners_section(material: Material, palette: Palette) -> Section:
    sheet = material.outcomes.measures.sheet()
    return Section(
        "winners", "Winners", material.outcomes.measures.note, drawn_of(sheet, palette),
        numbers=[grid("winners-table", sheet)],
    )  # fmt: skip


def _seats_section(material: Material, palette: Palette) -> Section:
    sheet = material.seats.sheet()
    return Section("seats", "Seats", "", drawn_of(sheet, palette), numbers=[grid("seats-numbers", sheet)])


def _comparison_section(other: Comparison, palette: Palette) -> Section:
    """Build the section that shows the differences from a second run."""
    plan, figures, grids = other.run.plan, [], []
    for name, table in other.tables.items():
        sheet = table.sheet()
        figures += drawn_of(sheet, palette)
        grids.append(grid(f"comparison-{name}", sheet))
    return Section(
        "comparison",
        "Compared with the second run",
        f"Differences: this run minus {other.run.path.name} ({plan.ruleset}, {plan.players} players, "
        f"{other.run.games:,} games, {', '.join(dict.fromkeys(plan.policies))}). The runs are taken as "
        "independent; each interval is valid on its own, so about one in twenty rows without a true difference is "
        "filled.",
        figures,
        numbers=grids,
    )
