"""Validate values in a card file and report every mistake with its file, entry, field and the accepted values."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Mapping
from typing import Any

from wsim.errors import Mistakes, nearest

Path = tuple[str, ...]
Reader = Callable[["Problems", Path, Any], Any]
"""A function that returns a value after validation, or reports a mistake to ``Problems`` and returns None."""

Schema = dict[str, Any]
"""A JSON Schema (draft 2020-12) of accepted values, for text editors; it may accept more values than the reader."""

REMOVED: Schema = {
    "type": "object",
    "properties": {"remove": {"const": True}},
    "required": ["remove"],
    "additionalProperties": False,
}
"""The schema of a patch entry that removes an existing entry."""
_SCHEMA = "__wsim_schema__"
_BARE = re.compile(r"[A-Za-z0-9_-]+")


def described(schema: Schema) -> Callable[[Reader], Reader]:
    """Return a decorator that attaches a JSON Schema of the accepted values to a reader."""

    def mark(reader: Reader) -> Reader:
        setattr(reader, _SCHEMA, schema)
        return reader

    return mark


def schema_of(reader: Reader) -> Schema:
    """Return the JSON Schema of the values that a reader accepts."""
    schema: Schema = getattr(reader, _SCHEMA)
    return schema


def table_schema(readers: Mapping[str, Reader], others: Reader | None = None) -> Schema:
    """Return the JSON Schema of a table with these fields, in which ``false`` removes any field that is not a flag.

    No field is required, because a patch contains only the changed fields.
    """
    properties: Schema = {}
    for name, reader in readers.items():
        schema = schema_of(reader)
        properties[name] = {**schema} if reader is flag else {"anyOf": [schema, {"const": False}]}
    further = schema_of(others) if others else False
    return {"type": "object", "properties": properties, "additionalProperties": further}


def dotted(path: Path) -> str:
    """Format a path with dots, as a user would write it: ``cards."Town Hall".cost.ore``."""
    return ".".join(
        part
        if _BARE.fullmatch(part)
        else f'"{"".join(letter if letter.isprintable() else json.dumps(letter)[1:-1] for letter in part)}"'
        for part in path
    )


class Problems(Mistakes):
    """The mistakes in card files, in the order in which they were detected.

    ``origins`` maps a path to the file, layer or change that wrote its value; ``source`` wrote all other values.
    ``counters`` has the bounds of each counter declared in the file (``counter.favour``), for the ranges of formulas.
    """

    def __init__(self, source: str) -> None:
        super().__init__()
        self.source = source
        self.origins: dict[Path, str] = {}
        self.counters: Mapping[str, tuple[int, int]] = {}

    def origin(self, path: Path) -> str:
        """Return the source that last wrote the value at ``path``, a part of this value, or an enclosing table."""
        if len(path) > 1:  # not for a whole section, because every layer writes to it
            for origin_path in reversed(self.origins):
                if origin_path[: len(path)] == path:
                    return self.origins[origin_path]
        for length in range(len(path), 0, -1):
            if path[:length] in self.origins:
                return self.origins[path[:length]]
        return self.source

    def wrote(self, path: Path, source: str) -> None:
        """Record that ``source`` wrote the value at ``path`` and everything below it."""
        for old in [p for p in self.origins if p[: len(path)] == path]:
            del self.origins[old]
        self.origins[path] = source

    def at(self, path: Path, sentence: str) -> None:
        """Report a mistake: ``<file>, <entry.field>: <sentence>``."""
        self.add(f"{self.origin(path)}, {dotted(path)}: {sentence}" if path else f"{self.source}: {sentence}")

    def unknown(self, path: Path, noun: str, value: object, accepted: Collection[str]) -> None:
        """Report an unknown name or value, and list the accepted ones."""
        listed = ", ".join(accepted) if len(accepted) <= 40 else f"one of {len(accepted)} names"
        self.at(path, f"unknown {noun} {value!r}{nearest(str(value), accepted)}; accepted: {listed or 'none'}")


def _kind(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, list):
        return f"the list {value!r}"
    return repr(value)


def whole(low: int, high: int) -> Reader:
    """Return a reader that accepts a whole number from ``low`` to ``high``."""

    def read(problems: Problems, path: Path, value: Any) -> int | None:
        if isinstance(value, int) and not isinstance(value, bool) and low <= value <= high:
            return value
        accepted = str(low) if low == high else f"a whole number from {low} to {high}"
        problems.at(path, f"{_kind(value)} is not accepted; accepted: {accepted}")
        return None

    return described({"type": "integer", "minimum": low, "maximum": high})(read)


def choice(*accepted: int) -> Reader:
    """Return a reader that accepts one of the listed numbers."""

    def read(problems: Problems, path: Path, value: Any) -> int | None:
        if isinstance(value, int) and not isinstance(value, bool) and value in accepted:
            return value
        problems.at(path, f"{_kind(value)} is not accepted; accepted: {', '.join(map(str, accepted))}")
        return None

    return described({"enum": list(accepted)})(read)


@described({"type": "boolean"})
def flag(problems: Problems, path: Path, value: Any) -> bool | None:
    """Accept true or false."""
    if isinstance(value, bool):
        return value
    problems.at(path, f"{_kind(value)} is not accepted; accepted: true, false")
    return None


@described({"type": "string", "minLength": 1})
def text(problems: Problems, path: Path, value: Any) -> str | None:
    """Accept any string on a single line."""
    if isinstance(value, str) and value.strip() and value.isprintable():
        return value
    problems.at(path, f"{_kind(value)} is not accepted; accepted: words in quotes, on one line")
    return None


@described({"type": "string", "pattern": "^[A-Za-z0-9_-]{1,40}$"})
def identifier(problems: Problems, path: Path, value: Any) -> str | None:
    """Accept a short name that needs no quotes on the command line."""
    if isinstance(value, str) and _BARE.fullmatch(value) and len(value) <= 40:
        return value
    problems.at(path, f"{_kind(value)} is not accepted; accepted: at most 40 letters, digits, - and _")
    return None


def word(noun: str, accepted: Collection[str]) -> Reader:
    """Return a reader that accepts one of a set of words; error messages call a word ``noun``."""

    def read(problems: Problems, path: Path, value: Any) -> str | None:
        if isinstance(value, str) and value in accepted:
            return value
        if isinstance(value, str):
            problems.unknown(path, noun, value, accepted)
        else:
            article = "an" if noun[0] in "aeiou" else "a"
            problems.at(path, f"{_kind(value)} is not {article} {noun}; accepted: {', '.join(accepted)}")
        return None

    return described({"enum": list(accepted)})(read)


def listing(item: Reader, *, least: int = 1, most: int = 12, distinct: bool = True) -> Reader:
    """Return a reader that accepts a list of ``least`` to ``most`` items; a single item counts as a list of one."""

    def read(problems: Problems, path: Path, value: Any) -> tuple[Any, ...] | None:
        if isinstance(value, dict):
            problems.at(path, "a table is not accepted; accepted: a list such as [...]")
            return None
        items = value if isinstance(value, list) else [value]
        if not least <= len(items) <= most:
            accepted = f"{least} to {most} items" if least < most else f"{least} items"
            hint = "; to take a card out of the game: remove = true" if not items and path[-1:] == ("copies",) else ""
            problems.at(path, f"a list of {len(items)} is not accepted; accepted: {accepted}{hint}")
            return None
        result = tuple(item(problems, path, v) for v in items)
        if None in result:
            return None
        if distinct and len(set(result)) < len(result):
            twice = next(v for v in result if result.count(v) > 1)
            problems.at(path, f"{twice!r} is listed twice")
            return None
        return result

    several = {"type": "array", "items": schema_of(item), "minItems": least, "maxItems": most, "uniqueItems": distinct}
    return described({"anyOf": [schema_of(item), several]})(read)


def numbers(count: int, low: int, high: int) -> Reader:
    """Return a reader that accepts a list of ``count`` whole numbers from ``low`` to ``high``."""
    number = whole(low, high)

    def read(problems: Problems, path: Path, value: Any) -> list[int] | None:
        tried = Problems("")  # so that one sentence covers the whole list
        if isinstance(value, list) and len(value) == count and None not in [number(tried, path, n) for n in value]:
            return list(value)
        accepted = f"a list of {count} whole numbers from {low} to {high}"
        problems.at(path, f"{_kind(value)} is not accepted; accepted: {accepted}")
        return None

    return described({"type": "array", "items": schema_of(number), "minItems": count, "maxItems": count})(read)


def words(noun: str, accepted: Collection[str], *, least: int = 1, most: int = 12, distinct: bool = True) -> Reader:
    """Return a reader that accepts a list of words from a set (``word``, ``listing``)."""
    return listing(word(noun, accepted), least=least, most=most, distinct=distinct)


def read_fields(
    problems: Problems, path: Path, entries: Any, readers: Mapping[str, Reader], noun: str = "field"
) -> dict[str, Any]:
    """Read the fields of a table and return the valid ones; report unknown and invalid fields.

    Unless it is a flag, a field whose value is ``false`` counts as absent: this is how a patch removes a field.
    """
    if not isinstance(entries, dict):
        known = ", ".join(list(readers)[:8]) + (", ..." if len(readers) > 8 else "")
        problems.at(path, f"{_kind(entries)} is not accepted; accepted: a table with {known}")
        return {}
    fields: dict[str, Any] = {}
    for key, value in entries.items():
        field_path = (*path, key)
        if key not in readers:
            problems.unknown(field_path, noun, key, readers)
        elif value is False and readers[key] is not flag:
            continue
        else:
            read = readers[key](problems, field_path, value)
            if read is not None:
                fields[key] = read
    return fields


def _report_missing(problems: Problems, path: Path, value: Mapping[str, Any], required: Mapping[str, Reader]) -> None:
    """Report required fields that are missing or were removed."""
    missing = [
        key for key, reader in required.items() if key not in value or (value[key] is False and reader is not flag)
    ]
    if missing:
        problems.at(path, f"{' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing")


def record(
    kind: Callable[..., Any], required: Mapping[str, Reader], optional: Mapping[str, Reader] | None = None
) -> Reader:
    """Return a reader that accepts a table with these fields and passes them to ``kind`` as keyword arguments."""
    readers = {**required, **(optional or {})}

    def read(problems: Problems, path: Path, value: Any) -> Any:
        fields = read_fields(problems, path, value, readers)
        if not isinstance(value, dict):
            return None
        _report_missing(problems, path, value, required)
        return kind(**fields) if all(key in fields for key in required) else None

    return described(table_schema(readers))(read)


def entries(named: Mapping[str, Reader], others: Reader | None = None, count: int | None = None) -> Reader:
    """Return a reader for a table with all ``named`` entries and, if ``others`` is given, ``count`` further ones.

    Without ``count``, any number of further entries is accepted. The reader returns the entries in the table's order.
    """

    def read(problems: Problems, path: Path, value: Any) -> dict[str, Any] | None:
        free = {key: others for key in value if key not in named} if others and isinstance(value, dict) else {}
        fields = read_fields(problems, path, value, {**named, **free}, "entry")
        if not isinstance(value, dict):
            return None
        _report_missing(problems, path, value, named)
        present = [key for key in free if value[key] is not False]
        if count not in (None, len(present)):
            problems.at(path, f"{len(present)} entries ({', '.join(present)}) are not accepted; accepted: {count}")
        return fields

    return described(table_schema(named, others))(read)
