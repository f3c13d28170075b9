"""Data classes for the parts of a page: figures and sections."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from wsim.document import Sheet
from wsim.report.charts import Drawing, draw
from wsim.report.grids import Grid
from wsim.report.theme import Palette


@dataclass(frozen=True)
class Figure:
    """A chart with its caption."""

    drawing: Drawing
    caption: str


@dataclass(frozen=True)
class Section:
    """A section of a page.

    Attributes
    ----------
    name: the id. heading: the heading. intro: an introductory paragraph, possibly empty. figures: charts.
    grids: visible tables. numbers: collapsed tables with the numbers behind the charts.
    commands: the shell commands that reproduce the section, if known.
    """

    name: str
    heading: str
    intro: str = ""
    figures: Sequence[Figure] = ()
    grids: Sequence[Grid] = ()
    numbers: Sequence[Grid] = ()
    commands: Sequence[str] = ()


def drawn_of(sheet: Sheet, palette: Palette, most: int | None = None) -> list[Figure]:
    """Draw the charts of a sheet, skipping empty ones; ``most``: the maximum number of charts."""
    both = ((chart, draw(chart, sheet, palette)) for chart in sheet.charts)
    figures = (
        Figure(drawing, " ".join(filter(None, (f"{chart.title}.", chart.caption))))
        for chart, drawing in both
        if drawing
    )
    return list(islice(figures, most))
