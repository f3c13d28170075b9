"""Write the page of a run as one self-contained HTML file, either completely or not at all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wsim.errors import UserError
from wsim.report.templating import template, text_of

if TYPE_CHECKING:
    from wsim.lab.progress import Progress
    from wsim.lab.store import Run
    from wsim.report.material import Material, PageExtras

NEEDED = ("altair", "vl_convert", "jinja2")


def check_extra(needed: Sequence[str] = NEEDED, feature: str = "wsim report", extra: str = "report") -> None:
    """Raise UserError if ``feature`` needs packages of an extra that are not installed."""
    if any(find_spec(name) is None for name in needed):
        raise UserError(f"{feature} needs the extra: pip install 'wsim[{extra}]'")


def write_report(run: Run, target: Path, besides: PageExtras | None = None, progress: Progress | None = None) -> Path:
    """Write the page of a run to an HTML file and return its path.

    Parameters
    ----------
    run: the run; the page states if it is unfinished.
    target: the HTML file, in an existing folder. An existing file is replaced at the end.
    besides: further content. progress: called with the name of the step, the steps done, and their total.

    Raises UserError for a run without games, a target that is not a file, or a missing extra; StoreError if writing
    fails.
    """
    check_extra()
    from wsim.files import write_text
    from wsim.report.material import PageExtras, collect

    check_target(target)
    material = collect(run, besides or PageExtras(), progress)
    if progress is not None:
        progress("page", 1, 1)
    write_text(target, render(material))
    return target


def check_target(target: Path) -> None:
    """Raise UserError if a file cannot be written, for reasons that the user can fix."""
    if target.is_dir():
        raise UserError(f"{str(target)!r} is a folder: name the file, such as {str(target / 'report.html')!r}")
    if not target.parent.is_dir():
        raise UserError(f"the folder {str(target.parent)!r} does not exist")


def render(material: Material) -> str:
    """Render the page as an HTML string."""
    from markupsafe import Markup

    from wsim.report.cards import Faces, names_in
    from wsim.report.conclusions import cautions, conclusions
    from wsim.report.page_record import page_record
    from wsim.report.sections import sections
    from wsim.report.theme import Palette

    plan, shown = material.run.plan, sections(material)
    faces = Faces.of_plan(plan)
    grids = [grid for section in shown for grid in (*section.grids, *section.numbers)]
    return template("page.html.j2").render(
        heading=material.game.TITLE,
        plan=plan,
        games=material.games,
        policies=list(dict.fromkeys(plan.policies)),
        statements=conclusions(material),
        cautions=cautions(material),
        sections=shown,
        drawings=faces.sprite + faces.hidden(names_in(*grids)),
        provenance=_provenance(material.run),
        assumptions=material.run.provenance.identity.get("rules", {}).get("assumptions", []),
        command=material.run.provenance.command,
        record=Markup(page_record(material)),
        style=Markup(Palette(material.game.COLOURS).style() + text_of("page.css", "cards.css")),
        script=Markup(text_of("theme.js", "page.js", "cards.js")),
    )


def _provenance(run: Run) -> list[tuple[str, str]]:
    """Return the provenance of the run's data as pairs of a name and a description."""
    provenance = run.provenance
    rules: Mapping[str, Any] = provenance.identity.get("rules", {})
    plan = [(f"plan: {key}", _as_text(value)) for key, value in provenance.plan.items() if value not in ([], None)]
    rule_rows = [
        (name.replace("_", " "), _as_text(rules[name]))
        for name in ("catalogue", "catalogue_digest", "engine")
        if name in rules
    ]
    switches = [("rules", _as_text(rules["switches"]))] if rules.get("switches") else []
    changes = [("changes to the catalogue", _as_text(rules["changes"]))] if rules.get("changes") else []
    software = [("software", ", ".join(f"{name} {version}" for name, version in provenance.software.items()))]
    return [
        ("run", run.path.name),
        ("digest of the data", provenance.digest),
        *plan,
        *rule_rows,
        *changes,
        *switches,
        *software,
    ]


def _as_text(value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{key}: {_as_text(item)}" for key, item in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(_as_text(item) for item in value) or "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value is None else str(value)
