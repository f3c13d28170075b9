"""The colours and fonts used in charts.

Colours are CSS variables (templates/page.css, and the game's own), so that light mode, dark mode and print share one
drawing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

INK, FAINT, GRID, ACCENT = "var(--ink)", "var(--ink-2)", "var(--grid)", "var(--accent)"
SERIES: Sequence[str] = tuple(f"var(--series-{number})" for number in range(1, 9))


@dataclass(frozen=True)
class Palette:
    """Assigns colours to names.

    Attributes
    ----------
    own: the CSS colours of names that have a fixed colour (``wsim.game.Game.COLOURS``).
    """

    own: Mapping[str, str]

    def of(self, name: str, index: int) -> str:
        """Return the fixed colour of a name or, if it has none, the series colour with this index."""
        return f"var({_variable(name)})" if name in self.own else SERIES[index % len(SERIES)]

    def own_of(self, name: str) -> str:
        """Return the fixed colour of a name; empty if it has none."""
        return self.of(name, 0) if name in self.own else ""

    def of_all(self, names: Sequence[str]) -> list[str]:
        """Return the colours of several names that are shown together."""
        return [self.of(name, index) for index, name in enumerate(names)]

    def style(self) -> str:
        """Return the CSS rule that defines the fixed colours."""
        colours = "".join(f"  {_variable(name)}: {colour};\n" for name, colour in self.own.items())
        return f":root {{\n{colours}}}\n" if colours else ""


def _variable(name: str) -> str:
    return f"--own-{re.sub('[^a-z0-9]+', '-', name.lower())}"


def config() -> dict[str, Any]:
    """Return the Vega-Lite configuration that all charts share."""
    text = {
        "labelColor": FAINT,
        "titleColor": FAINT,
        "labelFontSize": 12,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
    }
    axis = {"gridColor": GRID, "domain": False, "ticks": False, "labelPadding": 6, "titlePadding": 10}
    legend = {"title": None, "orient": "top", "columnPadding": 22, "symbolType": "square", "symbolSize": 110}
    return {
        "background": "transparent",
        "font": "sans-serif",
        "axis": {**text, **axis},
        "axisX": {"labelSeparation": 14},  # a browser's font may be wider than the one measured here
        "axisY": {"labelColor": INK},
        "legend": {**text, **legend, "labelColor": INK},
        "view": {"stroke": None},
        "text": {"color": INK, "fontSize": 12},
    }
