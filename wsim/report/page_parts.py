"""The parts of the page: figures and sections."""

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
    """A part of the page.

    Attributes
    ----------
    name: its id. heading: its heading. intro: a leading paragraph, perhaps empty. figures: charts.
    grids: visible tables. numbers: collapsed tables with the numbers of the charts.
    commands: the shell commands that make it, if known.
    """

    name: str
    heading: str
    intro: str = ""
    figures: Sequence[Figure] = ()
    grids: Sequence[Grid] = ()
    numbers: Sequence[Grid] = ()
    commands: Sequence[str] = ()


def drawn_of(sheet: Sheet, palette: Palette, most: int | None = None) -> list[Figure]:
    """Return the charts of a sheet that have something to draw; ``most``: only the first ones, so many."""
    both = ((chart, draw(chart, sheet, palette)) for chart in sheet.charts)
    figures = (
        Figure(drawing, " ".join(filter(None, (f"{chart.title}.", chart.caption))))
        for chart, drawing in both
        if drawing
    )
    return list(islice(figures, most))
