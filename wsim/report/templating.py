"""Load the templates, style sheets and scripts for pages."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jinja2 import Environment, Template

    from wsim.report.grids import Grid


def template(name: str) -> Template:
    """Load a page template, which escapes inserted text."""
    return templates("wsim.report").get_template(name)


@cache
def templates(*homes: str) -> Environment:
    """Build a template environment for several packages; if names are equal, the first package takes precedence."""
    import jinja2
    from markupsafe import Markup

    environment = jinja2.Environment(
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        undefined=jinja2.StrictUndefined,
        loader=jinja2.ChoiceLoader([jinja2.PackageLoader(home) for home in homes]),
        auto_reload=False,
    )
    environment.filters["svg"] = Markup
    environment.filters["parts"] = _slices_json
    return environment


def _slices_json(grid: Grid) -> str:
    """Serialise the slices of a table as data for the script of a page."""
    from markupsafe import Markup

    from wsim.report.grids import parts_json  # imports much of wsim.lab

    return Markup(parts_json(grid))


def text_of(*names: str, home: str = "wsim.report") -> str:
    """Read files in the template folder of a package and concatenate their text."""
    folder = files(home) / "templates"
    return "\n".join((folder / name).read_text(encoding="utf-8") for name in names)
