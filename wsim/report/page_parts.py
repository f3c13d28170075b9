"""What the page is made of: figures and sections."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from wsim.report.charts import Drawing
from wsim.report.grids import Grid


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
    name: its id.
    heading: what stands over it.
    intro: a paragraph in front, perhaps empty.
    figures: charts.
    grids: tables that are part of the text.
    numbers: tables that are folded away: the charts' numbers.
    """

    name: str
    heading: str
    intro: str = ""
    figures: Sequence[Figure] = ()
    grids: Sequence[Grid] = ()
    numbers: Sequence[Grid] = ()
