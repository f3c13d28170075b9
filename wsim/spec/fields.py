"""Read the values of a card file one by one, collecting every mistake with file, entry, field and what is accepted."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from typing import Any

from wsim.errors import Mistakes, nearest

Path = tuple[str, ...]
Reader = Callable[["Problems", Path, Any], Any]
"""Checks one value: returns it in its final form, or reports to ``Problems`` and returns None."""

Schema = dict[str, Any]
"""What a reader accepts, as JSON Schema (draft 2020-12), for editors: at least that, and as much as it can say."""

REMOVED: Schema = {
    "type": "object",
    "properties": {"remove": {"const": True}},
    "required": ["remove"],
    "additionalProperties": False,
}
"""What a patch writes for an entry that it takes away."""
_SCHEMA = "__wsim_schema__"
_BARE = re.compile(r"[A-Za-z0-9_-]+")


def described(schema: Schema) -> Callable[[Reader], Reader]:
    """Say what a reader accepts, beside the reader itself."""

    def mark(reader: Reader) -> Reader:
        setattr(reader, _SCHEMA, schema)
        return reader

    return mark


def schema_of(reader: Reader) -> Schema:
    """Return what a reader accepts as JSON Schema; every reader of a card file says it."""
    found: Schema = getattr(reader, _SCHEMA)
    return found


def table_schema(readers: Mapping[str, Reader], others: Reader | None = None) -> Schema:
    """Return the schema of a table with these fields; one that is no flag may be ``false``, which takes it away.

    None of them is required, because a patch names only what differs.
    """
    properties: Schema = {}
    for name, reader in readers.items():
        one = schema_of(reader)
        properties[name] = one if reader is flag else {"anyOf": [one, {"const": False}]}
    rest = schema_of(others) if others else False
    return {"type": "object", "properties": properties, "additionalProperties": rest}


def dotted(path: Path) -> str:
    """Return a path as a user would write it: ``cards."Town Hall".cost.ore``."""
    return ".".join(part if _BARE.fullmatch(part) else f'"{part}"' for part in path)


class Problems(Mistakes):
    """Every mistake found in the card files, in the order in which it was found.

    ``origins`` says which file, layer or change wrote a path; what it does not list comes from ``source``.
    """

    def __init__(self, source: str) -> None:
        super().__init__()
        self.source = source
        self.origins: dict[Path, str] = {}

    def origin(self, path: Path) -> str:
        """Return what wrote the value at ``path``: what last wrote a part of it, or what wrote the whole around it."""
        if len(path) > 1:  # not for a whole section, which every layer writes in
            for origin_path in reversed(self.origins):
                if origin_path[: len(path)] == path:
                    return self.origins[origin_path]
        for length in range(len(path), 0, -1):
            if path[:length] in self.origins:
                return self.origins[path[:length]]
        return self.source

    def wrote(self, path: Path, source: str) -> None:
        """Remember that ``source`` wrote the value at ``path`` and everything below it."""
        for old in [p for p in self.origins if p[: len(path)] == path]:
            del self.origins[old]
        self.origins[path] = source

    def at(self, path: Path, sentence: str) -> None:
        """Report a mistake: ``<file>, <entry.field>: <sentence>``."""
        self.add(f"{self.origin(path)}, {dotted(path)}: {sentence}" if path else f"{self.source}: {sentence}")

    def unknown(self, path: Path, what: str, value: object, accepted: Collection[str]) -> None:
        """Report a value that is not one of the accepted ones."""
        listed = ", ".join(accepted) if len(accepted) <= 40 else f"one of {len(accepted)} names"
        self.at(path, f"unknown {what} {value!r}{nearest(str(value), accepted)}; accepted: {listed or 'none'}")


def _kind(value: object) -> str:
    """Say what a TOML value is."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, list):
        return f"the list {value!r}"
    return repr(value)


def whole(low: int, high: int) -> Reader:
    """Accept a whole number from ``low`` to ``high``."""

    def read(problems: Problems, path: Path, value: Any) -> int | None:
        if isinstance(value, int) and not isinstance(value, bool) and low <= value <= high:
            return value
        accepted = str(low) if low == high else f"a whole number from {low} to {high}"
        problems.at(path, f"{_kind(value)} is not accepted; accepted: {accepted}")
        return None

    return described({"type": "integer", "minimum": low, "maximum": high})(read)


def choice(*accepted: int) -> Reader:
    """Accept one of a few numbers."""

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
    """Accept any words."""
    if isinstance(value, str) and value.strip() and value.isprintable():
        return value
    problems.at(path, f"{_kind(value)} is not accepted; accepted: words in quotes, on one line")
    return None


@described({"type": "string", "pattern": "^[A-Za-z0-9_-]{1,40}$"})
def identifier(problems: Problems, path: Path, value: Any) -> str | None:
    """Accept a short name that can be written in a command without quotes."""
    if isinstance(value, str) and _BARE.fullmatch(value) and len(value) <= 40:
        return value
    problems.at(path, f"{_kind(value)} is not accepted; accepted: at most 40 letters, digits, - and _")
    return None


def word(what: str, accepted: Collection[str]) -> Reader:
    """Accept one of a set of words; ``what`` names them in messages."""

    def read(problems: Problems, path: Path, value: Any) -> str | None:
        if isinstance(value, str) and value in accepted:
            return value
        if isinstance(value, str):
            problems.unknown(path, what, value, accepted)
        else:
            article = "an" if what[0] in "aeiou" else "a"
            problems.at(path, f"{_kind(value)} is not {article} {what}; accepted: {', '.join(accepted)}")
        return None

    return described({"enum": list(accepted)})(read)


def listing(item: Reader, *, least: int = 1, most: int = 12, distinct: bool = True) -> Reader:
    """Accept a list of ``least`` to ``most`` items; one item may stand for the list of itself."""

    def read(problems: Problems, path: Path, value: Any) -> tuple[Any, ...] | None:
        if isinstance(value, dict):
            problems.at(path, "a table is not accepted; accepted: a list such as [...]")
            return None
        items = value if isinstance(value, list) else [value]
        if not least <= len(items) <= most:
            accepted = f"{least} to {most} items" if least < most else f"{least} items"
            problems.at(path, f"a list of {len(items)} is not accepted; accepted: {accepted}")
            return None
        found = tuple(item(problems, path, v) for v in items)
        if None in found:
            return None
        if distinct and len(set(found)) < len(found):
            twice = next(v for v in found if found.count(v) > 1)
            problems.at(path, f"{twice!r} is listed twice")
            return None
        return found

    several = {"type": "array", "items": schema_of(item), "minItems": least, "maxItems": most, "uniqueItems": distinct}
    return described({"anyOf": [schema_of(item), several]})(read)


def numbers(count: int, low: int, high: int) -> Reader:
    """Accept a list of ``count`` whole numbers from ``low`` to ``high``."""
    one = whole(low, high)

    def read(problems: Problems, path: Path, value: Any) -> list[int] | None:
        tried = Problems("")  # one sentence for the whole list
        if isinstance(value, list) and len(value) == count and None not in [one(tried, path, n) for n in value]:
            return list(value)
        accepted = f"a list of {count} whole numbers from {low} to {high}"
        problems.at(path, f"{_kind(value)} is not accepted; accepted: {accepted}")
        return None

    return described({"type": "array", "items": schema_of(one), "minItems": count, "maxItems": count})(read)


def words(what: str, accepted: Collection[str], *, least: int = 1, most: int = 12, distinct: bool = True) -> Reader:
    """Accept a list of words from a set."""
    return listing(word(what, accepted), least=least, most=most, distinct=distinct)


def read_fields(
    problems: Problems, path: Path, entries: Any, readers: Mapping[str, Reader], what: str = "field"
) -> dict[str, Any]:
    """Read the fields of a table that are there and right; report unknown and wrong ones.

    A field that is ``false`` where no true/false is meant has been taken away by a patch and counts as absent.
    """
    if not isinstance(entries, dict):
        fields = ", ".join(list(readers)[:8]) + (", ..." if len(readers) > 8 else "")
        problems.at(path, f"{_kind(entries)} is not accepted; accepted: a table with {fields}")
        return {}
    found: dict[str, Any] = {}
    for key, value in entries.items():
        here = (*path, key)
        if key not in readers:
            problems.unknown(here, what, key, readers)
        elif value is False and readers[key] is not flag:
            continue
        else:
            read = readers[key](problems, here, value)
            if read is not None:
                found[key] = read
    return found


def _report_missing(problems: Problems, path: Path, value: Mapping[str, Any], required: Mapping[str, Reader]) -> None:
    """Report required fields that are not there, or have been taken away."""
    missing = [
        key for key, reader in required.items() if key not in value or (value[key] is False and reader is not flag)
    ]
    if missing:
        problems.at(path, f"{' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing")


def record(
    kind: Callable[..., Any], required: Mapping[str, Reader], optional: Mapping[str, Reader] | None = None
) -> Reader:
    """Accept a table with these fields and make a ``kind`` of it."""
    readers = {**required, **(optional or {})}

    def read(problems: Problems, path: Path, value: Any) -> Any:
        found = read_fields(problems, path, value, readers)
        if not isinstance(value, dict):
            return None
        _report_missing(problems, path, value, required)
        return kind(**found) if all(key in found for key in required) else None

    return described(table_schema(readers))(read)


def entries(named: Mapping[str, Reader], others: Reader | None = None, count: int | None = None) -> Reader:
    """Accept a table with all the ``named`` entries and, if ``others`` reads them, free ones: ``count``, or any number.

    Returns the entries in the order of the table.
    """

    def read(problems: Problems, path: Path, value: Any) -> dict[str, Any] | None:
        free = {key: others for key in value if key not in named} if others and isinstance(value, dict) else {}
        found = read_fields(problems, path, value, {**named, **free}, "entry")
        if not isinstance(value, dict):
            return None
        _report_missing(problems, path, value, named)
        there = [key for key in free if value[key] is not False]
        if count not in (None, len(there)):
            problems.at(path, f"{len(there)} entries ({', '.join(there)}) are not accepted; accepted: {count}")
        return found

    return described(table_schema(named, others))(read)
