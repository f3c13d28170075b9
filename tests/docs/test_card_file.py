"""The documented table of card file fields matches the schema, which comes from the readers."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from wsim.wonders.catalog.schema import card_file_schema

PAGE = Path(__file__).parents[2] / "docs" / "card-file.md"
BEGIN, END = "<!-- table: begin -->\n", "<!-- table: end -->\n"
SAME = 5  # as many fields with one schema are one row
Schema = Mapping[str, Any]


def as_declared(node: Schema, schema: Schema) -> Schema:
    """Return the values that a field accepts in a full card file, without removals and changes by number."""
    while "anyOf" in node or "$ref" in node:
        if "$ref" in node:
            node = schema["$defs"][node["$ref"].rpartition("/")[2]]
            continue
        kept = [part for part in node["anyOf"] if part != {"const": False} and "patternProperties" not in part]
        if len(kept) != 1:
            return {"anyOf": kept}
        node = kept[0]
    return node


def in_words(node: Schema, schema: Schema) -> str:
    """Describe in words the values that a field accepts."""
    node = as_declared(node, schema)
    if "anyOf" in node:
        if [part.get("type") for part in node["anyOf"][:2]] == ["integer", "string"]:
            return " or ".join(["a whole number", "a formula", *(in_words(part, schema) for part in node["anyOf"][2:])])
        return " or ".join(dict.fromkeys(in_words(part, schema) for part in node["anyOf"]))
    if "enum" in node:
        return ", ".join(f"`{str(word).lower() if isinstance(word, bool) else word}`" for word in node["enum"])
    match node.get("type"):
        case "integer":
            bounds = (node.get("minimum"), node.get("maximum"))
            return f"{bounds[0]} to {bounds[1]}" if None not in bounds else "a whole number"
        case "array":
            return f"a list of {node.get('minItems', 0)} to {node.get('maxItems', 'any number')}: " + (
                "tables" if "properties" in as_declared(node["items"], schema) else in_words(node["items"], schema)
            )
        case "object":
            return "a table"
        case "boolean":
            return "`true`, `false`"
    return "a text"


def rows(properties: Schema, schema: Schema, prefix: str) -> Iterator[tuple[str, str, str]]:
    """Yield (field, accepted values, purpose), each table followed by its fields."""
    groups: dict[str, list[str]] = {}
    for name, node in properties.items():
        if "description" not in node and "properties" not in as_declared(node, schema):
            groups.setdefault(in_words(node, schema), []).append(name)
    alike = {words: names for words, names in groups.items() if len(names) >= SAME}
    for name, node in properties.items():
        words = in_words(node, schema)
        if name in alike.get(words, ()):
            if name == alike[words][0]:
                yield f"`{prefix}.X`", words, "X: " + ", ".join(f"`{other}`" for other in alike[words])
            continue
        yield f"`{prefix}.{name}`", words, node.get("description", "")
        inner, place = as_declared(node, schema), f"{prefix}.{name}"
        for part in inner.get("anyOf", [inner]):
            table = as_declared(part, schema)
            if table.get("type") == "array":
                table, within = as_declared(table["items"], schema), f"{place}[]"
            else:
                within = place
            if "properties" in table:
                yield from rows(table["properties"], schema, within)


def inner(schema: Schema, *path: str) -> Schema:
    """Return the fields of the entries of a table whose keys are names, within a definition."""
    node = as_declared(schema["$defs"][path[0]]["properties"][path[1]], schema)["additionalProperties"]
    while "properties" not in node:
        kept = [part for part in node.get("anyOf", [node]) if {"items", "properties"} & part.keys()]
        node = as_declared(kept[0], schema)
        node = node.get("items", node)
    fields: Schema = node["properties"]
    return fields


def described_apart(node: Schema) -> Schema:
    """Return a field's definition without its description."""
    return {key: part for key, part in node.items() if key != "description"}


def like_cards(properties: Schema, cards: Schema, prefix: str) -> Iterator[tuple[str, str, str]]:
    """Yield one row for all fields that are the same as those of cards."""
    plain = {name: described_apart(node) for name, node in cards.items()}
    alike = [name for name, node in properties.items() if described_apart(node) == plain.get(name)]
    yield f"`{prefix}.X`", "as in `cards.NAME`", "X: " + ", ".join(f"`{name}`" for name in alike)


def all_rows() -> Iterator[tuple[str, str, str]]:
    """Yield the rows for all fields of card files."""
    schema = card_file_schema()
    defined, cards = schema["$defs"], schema["$defs"]["card"]["properties"]
    yield "`effects`", "a text", schema["properties"]["effects"]["description"]
    for kind in ("card", "counter"):
        yield from rows(defined[kind]["properties"], schema, f"{kind}s.NAME")
    yield "`table.NAME.when`", "as `cards.NAME.when`", defined["rule"]["properties"]["when"]["description"]
    yield from rows(defined["deck"]["properties"], schema, "decks.NAME")
    recruits = inner(schema, "deck", "cards")
    yield from rows({"cost": recruits["cost"]}, schema, "decks.NAME.cards.NAME")
    yield from like_cards(recruits, cards, "decks.NAME.cards.NAME")
    yield from rows(defined["wonder"]["properties"], schema, "wonders.NAME")
    yield from like_cards(inner(schema, "wonder", "sides"), cards, "wonders.NAME.sides.SIDE[]")
    rules = schema["properties"]["rulesets"]["additionalProperties"]["properties"]
    yield from rows(rules, schema, "rulesets.NAME")


def written() -> str:
    """Format the table as Markdown."""
    lines = ["| field | accepted | meaning |", "|---|---|---|"]
    return "\n".join([*lines, *("| " + " | ".join(cells) + " |" for cells in all_rows())]) + "\n"


def test_the_documented_table_matches_the_schema() -> None:
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    table, _, after = rest.partition(END)
    if os.environ.get("WSIM_RENEW_PAGES"):
        PAGE.write_text(before + BEGIN + written() + END + after, encoding="utf-8")
        return
    assert table == written(), "WSIM_RENEW_PAGES=1 pytest tests/docs/test_card_file.py writes the table"


def test_the_table_has_the_fields_of_clauses_and_options() -> None:
    text = written()
    for field in ("event", "card.from", "card.do", "choose[].card.from", "choose[].price", "may"):
        assert f"| `cards.NAME.when[].{field}` |" in text


def test_the_table_has_every_section_of_the_language() -> None:
    schema, text = card_file_schema(), written()
    for section in schema["properties"].keys() - {"layers"}:  # a layer has the same sections
        assert f"| `{section}" in text
    clauses = [schema["$defs"][kind]["properties"]["when"] for kind in ("card", "rule")]
    assert clauses[0]["anyOf"] == clauses[1]["anyOf"], "clauses of the table are those of cards"
    for field in ("age", "color", "cost"):
        assert f"| `cards.NAME.{field}` |" in text
        assert schema["$defs"]["card"]["properties"][field]["description"] in text
    for field in ("cost", "X"):
        assert f"| `decks.NAME.cards.NAME.{field}` |" in text
