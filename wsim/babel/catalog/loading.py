"""Load babel.toml, apply patches and changes, and check the result."""

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
    """Return the catalogue of a card file with patches and changes.

    Parameters
    ----------
    cards: the card file; wsim's own babel.toml by default.
    patches: TOML files with a table ``[babel]``, applied in this order.
    changes: ``babel.<path>=<TOML value>``, applied next, in this order.
    options: switches of ``[babel.rules]`` that a plan sets by name, applied last.

    Raises UserError with all mistakes, one per line: file, entry and accepted values.
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
    section: Mapping[str, Any] = read_section(problems, (SECTION,), document[SECTION]) or {}
    problems.raise_any()  # values are compared with each other only if all could be read
    check_whole(problems, section)
    problems.raise_any()
    return Catalogue(section, base, problems.source, (*(Path(patch).name for patch in patches), *changes))


def _read(path: Path) -> Entries:
    """Return a card file or patch; raise UserError if it has no table ``[babel]``."""
    document = read_toml(path)
    if not isinstance(document.get(SECTION), dict):
        guess = nearest(SECTION, document)
        raise UserError(f"{shown(path)} has no table [{SECTION}] with the parts of Tower of Babel{guess}")
    return read_card_file(path, GRAMMAR)
