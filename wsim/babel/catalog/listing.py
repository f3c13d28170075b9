"""What people and programs see of the catalogue of Tower of Babel: every value with the path that changes it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from wsim.babel.catalog.loading import load_catalogue
from wsim.babel.catalog.model import SECTION, Catalogue
from wsim.babel.words import LEVELS, MIN_SEATS, SEATS, TITLE
from wsim.document import Sheet
from wsim.errors import Mistakes, UserError, nearest
from wsim.spec.catalogues import CataloguePage, Catalogues, Rows, Source
from wsim.spec.source import read_toml

_HEAD = ("name", "ruleset", "confidence")  # what the section says of itself


def value_rows(catalogue: Catalogue) -> list[dict[str, Any]]:
    """Return one row for each value: its part of the catalogue, the path for ``--set``, the value, what is known of it.

    ``known`` says how far the value is sure, empty for one that the rules print; ``changed`` whether a patch or a
    change has replaced what the card file says.
    """
    notes = {
        entry: (LEVELS[level], note)
        for level in LEVELS
        for entry, note in catalogue.section["confidence"].get(level, {}).items()
    }
    rows = []
    for path, value in _leaves(catalogue.section):
        if path[0] in _HEAD:
            continue
        known, note = next((notes[one] for one in _prefixes(path) if one in notes), ("", ""))
        rows.append(
            {
                "part": path[0],
                "path": f"{SECTION}.{'.'.join(path)}",
                "value": value if isinstance(value, str) else json.dumps(value),
                "changed": value != _at(catalogue.base, path),
                "known": known,
                "note": note,
            }
        )
    return rows


def _leaves(values: Mapping[str, Any], before: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    for key, value in values.items():
        if isinstance(value, Mapping):
            yield from _leaves(value, (*before, key))
        else:
            yield (*before, key), value


def _prefixes(path: tuple[str, ...]) -> Iterator[str]:
    """Yield a path and what it lies in, the longest first."""
    for end in range(len(path), 0, -1):
        yield ".".join(path[:end])


def _at(values: Mapping[str, Any], path: tuple[str, ...]) -> Any:
    found: Any = values
    for key in path:
        found = found.get(key) if isinstance(found, Mapping) else None
    return found


PLAYERS = ", ".join(map(str, range(MIN_SEATS, SEATS + 1)))


class BabelCatalogues(Catalogues):
    """The catalogue of Tower of Babel, which has one rule set."""

    def page(self, source: Source, name: str | None) -> CataloguePage:
        """Return every value with its path, or those called ``name``."""
        catalogue = _loaded(source)
        rows = value_rows(catalogue)
        if name is not None:
            found = [row for row in rows if name.casefold() in (row["part"], row["path"], row["value"].casefold())]
            if not found:
                names = [str(row[key]) for key in ("part", "value", "path") for row in rows]
                raise UserError(f"nothing of {TITLE} is called {name!r}{nearest(name, names)}")
            rows = found
        parts: dict[str, Rows] = {}
        for row in rows:
            shown = {key: row[key] for key in ("path", "value", "changed", "known", "note")}
            parts.setdefault(row["part"], []).append(shown)
        tables = [Sheet(part.replace("_", " ").capitalize(), _slim(of_part)) for part, of_part in parts.items()]
        head = (
            f"{TITLE} ({catalogue.ruleset}) for {PLAYERS} players; {catalogue.source}, digest "
            f"{catalogue.digest}. Each value is changed by its path: --set PATH=VALUE"
        )
        return CataloguePage(head, tables, rows)

    def rulesets(self) -> Rows:
        """Return the one rule set."""
        return [{"ruleset": load_catalogue().ruleset, "title": TITLE, "players": PLAYERS}]

    def differences(self, source: Source, old: str, new: str) -> tuple[Rows, list[str]]:  # noqa: ARG002
        """Refuse: there is one rule set."""
        raise UserError(f"{TITLE} has one rule set, {_loaded(source).ruleset}: there is nothing to compare")

    def check(self, source: Source, path: str) -> Rows:
        """Check a card file or a patch: read it, and play games at every number of players."""
        from wsim.lab.catalogue_games import play_catalogue

        section = read_toml(path).get("babel", {})
        whole = isinstance(section, dict) and {"ruleset", "value_table", "discs"} <= set(section)
        read = Source(cards=path) if whole else replace(source, patches=(*source.patches, path))
        catalogue, mistakes = _loaded(read), Mistakes()
        games = play_catalogue("tower_of_babel", read, range(MIN_SEATS, SEATS + 1), mistakes)
        mistakes.raise_any()
        return [{"ruleset": catalogue.ruleset, "title": TITLE, "digest": catalogue.digest, "games": games}]

    def schema(self) -> Any:
        """Return the schema of a card file."""
        from wsim.babel.catalog.schema import card_file_schema

        return card_file_schema()


CATALOGUES = BabelCatalogues()


def _loaded(source: Source) -> Catalogue:
    """Load and check the catalogue; raise UserError for a rule set that the game has not."""
    catalogue = load_catalogue(source.cards, source.patches, source.changes)
    if source.ruleset not in (None, catalogue.ruleset):
        raise UserError(f"unknown rule set {source.ruleset!r}: {TITLE} has {catalogue.ruleset}")
    return catalogue


def _slim(rows: Rows) -> Rows:
    """Leave out the columns that say nothing."""
    shown = [key for key in rows[0] if any(row[key] for row in rows)]
    return [{key: row[key] for key in shown} for row in rows]
