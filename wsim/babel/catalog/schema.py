"""Generate the JSON Schema of the Tower of Babel card file from the readers, for use in text editors."""

from __future__ import annotations

from wsim.babel.catalog.model import SECTION
from wsim.babel.catalog.reading import read_section
from wsim.spec.fields import Schema, schema_of


def card_file_schema() -> Schema:
    """Return the schema of babel.toml; patches also match it, because they contain only changed entries."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A card file or patch of Tower of Babel for wsim",
        "type": "object",
        "properties": {SECTION: schema_of(read_section)},
        "required": [SECTION],
        "additionalProperties": True,
    }
