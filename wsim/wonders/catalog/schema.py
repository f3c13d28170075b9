"""Build the JSON Schema of 7 Wonders card files from the readers, for use in text editors."""

from __future__ import annotations

from typing import Any

from wsim.spec.fields import REMOVED, Schema, table_schema
from wsim.wonders.catalog.counters import counters_schema
from wsim.wonders.catalog.decks import deck_schema
from wsim.wonders.catalog.effects import EFFECTS
from wsim.wonders.catalog.reading import CARD_FIELDS, TABLE_FIELDS, WONDER_FIELDS
from wsim.wonders.catalog.ruleset import FIELDS
from wsim.wonders.words import SWITCHES

_ABOUT = {
    "age": "the age in whose deck it is",
    "color": "its colour",
    "cost": "what it costs: coins for the bank, and units of resources",
    "copies": "for each copy, the minimum number of players with which it is in play; or such a list for each age",
    "free_with": "cards that make this one free (chains)",
    "when": "clauses: effects given by formulas, and the events that trigger them (docs/formulas.md)",
    "uncertain": "what is uncertain about this card",
}


def card_file_schema() -> Schema:
    """Return the schema of a card file or of a patch, which contains only what differs.

    Conditions on several values (a new card needs a colour, a deck enough cards) are left to ``wsim catalog --check``.
    """
    card = table_schema(CARD_FIELDS)
    for name, description in _ABOUT.items():
        card["properties"][name]["description"] = description
    for name in EFFECTS:
        card["properties"][name].setdefault("description", f"the effect {name.replace('_', ' ')}")
    wonder, rule = table_schema(WONDER_FIELDS), table_schema(TABLE_FIELDS)
    rule["properties"]["when"]["description"] = "clauses that every city has from the start of the game"
    rules = table_schema(FIELDS)
    switches = rules["properties"]["switches"]["anyOf"][0]["properties"]
    for name, switch in SWITCHES.items():
        switches[name] = {**switches[name], "description": switch.meaning}
    content = {
        "cards": _named("card"), "wonders": _named("wonder"), "counters": _named("counter"), "table": _named("rule"),
        "decks": _named("deck"),
    }  # fmt: skip
    layer = {"type": "object", "properties": content, "additionalProperties": False}
    sections: dict[str, Any] = {
        "effects": {
            "type": "string",
            "pattern": r"^[A-Za-z_]\w*\.py$",
            "description": "a file of Python functions next to this one, which formulas call (docs/effects.md)",
        },
        **content,
        "layers": {"type": "object", "additionalProperties": layer},
        "rulesets": {"type": "object", "additionalProperties": rules},
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A card file or patch of 7 Wonders for wsim",
        "type": "object",
        "properties": sections,
        "additionalProperties": False,
        "$defs": {
            "card": card,
            "wonder": wonder,
            "counter": counters_schema(),
            "rule": rule,
            "deck": deck_schema(),
            "removed": REMOVED,
        },
    }


def _named(kind: str) -> Schema:
    entry = {"anyOf": [{"$ref": f"#/$defs/{kind}"}, {"$ref": "#/$defs/removed"}]}
    return {"type": "object", "additionalProperties": entry}
