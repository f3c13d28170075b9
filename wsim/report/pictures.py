"""Write charts as separate SVG and PNG files, with fixed print colours instead of CSS variables."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from wsim.report.charts import Drawing
from wsim.report.templating import text_of
from wsim.report.theme import Palette

_VARIABLE = re.compile(r"var\((--[\w-]+)\)")
_SET = re.compile(r"(--[\w-]+):\s*([^;]+);")
_ON_PAPER = re.compile(r"light-dark\(((?:[^(),]|\([^()]*\))+),.*\)")
_SCALE = 2  # PNG pixels per page pixel


def as_svg(drawing: Drawing, own: Mapping[str, str]) -> str:
    """Convert a chart to the content of an SVG file; ``own``: the colours of the game (``wsim.game.Game.COLOURS``)."""
    colours = _colours(Palette(own).style())
    svg = _VARIABLE.sub(lambda match: colours.get(match[1], "#000"), drawing.wide)
    return svg.replace("<svg", '<svg xmlns="http://www.w3.org/2000/svg"', 1)


def as_png(drawing: Drawing, own: Mapping[str, str]) -> bytes:
    """Convert a chart to the content of a PNG file; ``own`` as in ``as_svg``."""
    import vl_convert

    return bytes(vl_convert.svg_to_png(as_svg(drawing, own), scale=_SCALE))


@cache
def _colours(own: str) -> dict[str, str]:
    """Return the colours to use in print, by CSS variable."""
    colours = dict(_SET.findall(text_of("page.css").partition("}")[0] + own))
    return {name: _ON_PAPER.sub(r"\1", value).strip() for name, value in colours.items()}
