"""What people and programs see of the catalogue of Tower of Babel: every value with the path that changes it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from wsim.babel.catalog.model import SECTION, Catalogue
from wsim.babel.words import LEVELS

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
