"""List the catalogue of Tower of Babel: every value with the path that changes it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from wsim.babel.catalog.faces import faces
from wsim.babel.catalog.loading import load_catalogue
from wsim.babel.catalog.model import SECTION, Catalogue, leaves, value_at
from wsim.babel.words import LEVELS, MIN_SEATS, SEATS, TITLE
from wsim.document import Sheet
from wsim.errors import Mistakes, UserError, nearest
from wsim.spec.catalogues import CataloguePage, Catalogues, Rows, Source
from wsim.spec.faces import Face
from wsim.spec.source import read_toml

_HEAD = ("name", "ruleset", "confidence")  # keys about the section itself


def value_rows(catalogue: Catalogue) -> list[dict[str, Any]]:
    """Return one row for each value: its section, its path for ``--set``, the value itself and how certain it is.

    ``known`` is empty for a printed value. ``changed``: whether it differs from the card file.
    """
    notes = {
        entry: (LEVELS[level], note)
        for level in LEVELS
        for entry, note in catalogue.section["confidence"].get(level, {}).items()
    }
    rows = []
    for entry, value in leaves(catalogue.section).items():
        keys = entry.split(".")
        if keys[0] in _HEAD:
            continue
        prefixes = (".".join(keys[:end]) for end in range(len(keys), 0, -1))  # the longest first
        known, note = next((notes[prefix] for prefix in prefixes if prefix in notes), ("", ""))
        rows.append(
            {
                "part": keys[0],
                "path": f"{SECTION}.{entry}",
                "value": value if isinstance(value, str) else json.dumps(value),
                "changed": value != value_at(catalogue.base, entry),
                "known": known,
                "note": note,
            }
        )
    return rows


PLAYERS = ", ".join(map(str, range(MIN_SEATS, SEATS + 1)))


class BabelCatalogues(Catalogues):
    """The catalogue of Tower of Babel, which has one rule set."""

    ICONS = Path(__file__).with_name("icons.svg")

    def page(self, source: Source, name: str | None) -> CataloguePage:
        catalogue = _loaded(source)
        rows = value_rows(catalogue)
        if name is not None:
            names = [str(row[key]) for key in ("part", "value", "path") for row in rows]
            rows = [row for row in rows if name.casefold() in (row["part"], row["path"], row["value"].casefold())]
            if not rows:
                raise UserError(f"{TITLE} has no {name!r}{nearest(name, names)}")
        parts: dict[str, Rows] = {}
        for row in rows:
            shown = {key: row[key] for key in ("path", "value", "changed", "known", "note")}
            parts.setdefault(row["part"], []).append(shown)
        tables = []
        for part, part_rows in parts.items():
            shown_keys = [key for key in part_rows[0] if any(row[key] for row in part_rows)]  # no empty columns
            slim = [{key: row[key] for key in shown_keys} for row in part_rows]
            tables.append(Sheet(part.replace("_", " ").capitalize(), slim))
        head = (
            f"{TITLE} ({catalogue.ruleset}) for {PLAYERS} players; {catalogue.source}, digest "
            f"{catalogue.digest}. To change a value: --set PATH=VALUE"
        )
        return CataloguePage(head, tables, rows)

    def rulesets(self) -> Rows:
        return [{"ruleset": load_catalogue().ruleset, "title": TITLE, "players": PLAYERS}]

    def differences(self, source: Source, old: str, new: str) -> tuple[Rows, list[str]]:  # noqa: ARG002
        """Raise UserError, because there is only one rule set."""
        raise UserError(f"{TITLE} has one rule set, {_loaded(source).ruleset}: there is nothing to compare")

    def faces(self, source: Source) -> Sequence[Face]:
        return faces(_loaded(source))

    def check(self, source: Source, path: str) -> Rows:
        from wsim.lab.catalogue_games import play_catalogue

        section = read_toml(path).get("babel", {})
        whole = isinstance(section, dict) and {"ruleset", "value_table", "discs"} <= set(section)
        read = Source(cards=path) if whole else replace(source, patches=(*source.patches, path))
        catalogue, mistakes = _loaded(read), Mistakes()
        games = play_catalogue("tower_of_babel", read, range(MIN_SEATS, SEATS + 1), mistakes)
        mistakes.raise_any()
        return [{"ruleset": catalogue.ruleset, "title": TITLE, "digest": catalogue.digest, "games": games}]

    def schema(self) -> Any:
        from wsim.babel.catalog.schema import card_file_schema

        return card_file_schema()


CATALOGUES = BabelCatalogues()


def _loaded(source: Source) -> Catalogue:
    """Load and check the catalogue; raise UserError for an unknown rule set."""
    catalogue = load_catalogue(source.cards, source.patches, source.changes)
    if source.ruleset not in (None, catalogue.ruleset):
        raise UserError(f"unknown rule set {source.ruleset!r}: {TITLE} has {catalogue.ruleset}")
    return catalogue
