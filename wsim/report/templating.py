"""The templates, style sheets and scripts of pages."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jinja2 import Environment, Template

    from wsim.report.grids import Grid


def template(name: str) -> Template:
    """Return a template of a page; inserted text is escaped."""
    return templates("wsim.report").get_template(name)


@cache
def templates(*homes: str) -> Environment:
    """Return the templates of some packages; the first package that has a template of a name provides it."""
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
    environment.filters["parts"] = _parts
    return environment


def _parts(grid: Grid) -> str:
    """Return the slices of a table for the script of a page."""
    from markupsafe import Markup

    from wsim.report.grids import parts_json  # imports most of the laboratory

    return Markup(parts_json(grid))


def text_of(*names: str, home: str = "wsim.report") -> str:
    """Return the concatenated text of files next to the templates of a package."""
    folder = files(home) / "templates"
    return "\n".join((folder / name).read_text(encoding="utf-8") for name in names)
