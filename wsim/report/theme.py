"""Colours and letters of the charts. Colours are CSS variables (templates/page.css), so that light, dark and print need
no second drawing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["SERIES", "colour_of", "colours_of", "config"]

INK, FAINT, GRID, ACCENT = "var(--ink)", "var(--ink-2)", "var(--grid)", "var(--accent)"
SERIES: Sequence[str] = tuple(f"var(--series-{number})" for number in range(1, 9))

_OWN: Mapping[str, str] = {
    name: f"var(--{name})"
    for name in (
        "military", "treasury", "wonder", "civilian", "science", "commerce", "guild", "cities",
        "brown", "gray", "blue", "yellow", "red", "green", "purple", "black",
    )
}  # fmt: skip
"""Names that everybody sees in a colour of their own."""


def colour_of(name: str, place: int) -> str:
    """Return the colour of a name: its own, or that of its place in the series."""
    return _OWN.get(name, SERIES[place % len(SERIES)])


def colours_of(names: Sequence[str]) -> list[str]:
    """Return the colours of some names side by side."""
    return [colour_of(name, place) for place, name in enumerate(names)]


def config() -> dict[str, Any]:
    """Return the Vega-Lite configuration of every chart."""
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
        "axisY": {"labelColor": INK},
        "legend": {**text, **legend, "labelColor": INK},
        "view": {"stroke": None},
        "text": {"color": INK, "fontSize": 12},
    }
