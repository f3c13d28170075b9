"""Read babel.toml, lay patches and changes over it, and check it as a whole."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from pathlib import Path
from types import MappingProxyType
from typing import Any

from wsim.babel.catalog.check import check_whole
from wsim.babel.catalog.formula import with_number
from wsim.babel.catalog.model import SECTION, Catalogue
from wsim.babel.catalog.reading import read_section
from wsim.errors import UserError, nearest
from wsim.paths import PACKAGE
from wsim.spec.fields import Problems
from wsim.spec.layers import Grammar, Layers, nested, parse_change, read_card_file
from wsim.spec.source import Entries, read_toml, shown

BABEL_TOML = PACKAGE / "babel" / "babel.toml"
GRAMMAR = Grammar(
    sections=(SECTION,),
    heads={SECTION: 2},
    example="babel.value_table.3=[13, 7, 3]",
    whole=((SECTION, "two_colour", "*"),),
    formulas=((SECTION, "effects"),),
    with_number=with_number,
)


def load_catalogue(
    cards: str | Path | None = None,
    patches: Sequence[str | Path] = (),
    changes: Sequence[str] = (),
    options: Mapping[str, bool] = MappingProxyType({}),
) -> Catalogue:
    """Read a card file, lay patch files and single changes over it, check the whole and return it.

    Parameters
    ----------
    cards: the card file; wsim's own babel.toml by default.
    patches: TOML files with a table ``[babel]``, laid over it in this order.
    changes: ``babel.<path>=<TOML value>``, laid over in this order.
    options: switches of ``[babel.rules]`` that a plan sets by name; they win.

    Raises UserError for whatever is wrong with any of them: its first line names file, entry and what is accepted,
    further mistakes follow on lines of their own.
    """
    path = BABEL_TOML if cards is None else Path(cards)
    problems = Problems(shown(path))
    document = _read(path)
    base = deepcopy(document[SECTION])
    layers = Layers(problems, GRAMMAR)
    for patch in map(Path, patches):
        layers.apply(document, _read(patch), shown(patch))
    for change in changes:
        layers.apply(document, nested(*parse_change(change, GRAMMAR)), f"--set {change}")
    for name, value in options.items():
        layers.apply(document, nested((SECTION, "rules", name), value), f"the option {name.removeprefix('use_')}")
    section = _checked(problems, document)
    return Catalogue(section, base, problems.source, (*(Path(patch).name for patch in patches), *changes))


def _read(path: Path) -> Entries:
    """Return a card file or patch; raise UserError for one that says nothing of this game."""
    document = read_toml(path)
    if not isinstance(document.get(SECTION), dict):
        guess = nearest(SECTION, document)
        place = f"[{SECTION}], where the parts of Tower of Babel are written"
        raise UserError(f"{shown(path)} holds no table {place}{guess}")
    return read_card_file(path, GRAMMAR)


def _checked(problems: Problems, document: Entries) -> Mapping[str, Any]:
    """Return the section, read and checked; raise UserError for all mistakes in it."""
    section: Mapping[str, Any] = read_section(problems, (SECTION,), document[SECTION]) or {}
    problems.raise_any()  # values depend on each other only where each of them could be read
    check_whole(problems, section)
    problems.raise_any()
    return section
