"""Read rows of hand-written files into frozen dataclasses, with type checks, and report all mistakes at once.

A row is a TOML table or a JSON object whose keys are the fields of a dataclass. Field types are those of
``wsim.options.typed`` and ``Mapping[str, float]``. The caller checks conditions that involve several fields.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields
from typing import Any, TypeVar

from wsim.errors import Mistakes, UserError, nearest
from wsim.options import typed

_Row = TypeVar("_Row")
MAX_NUMBER = 2**63
"""The largest accepted absolute value of a number in a row."""


def read_row(kind: type[_Row], table: Any, noun: str, where: str, **made: Any) -> _Row:
    """Parse a row of a file into a dataclass; raise UserError that lists every mistake in the row.

    Parameters
    ----------
    kind: the dataclass of the row. table: the parsed table.
    noun: the noun for a row in messages, such as ``target``; empty for the file itself. where: the name of the file.
    made: the values of fields that are not keys of the row.
    """
    name = noun or "file"
    if not isinstance(table, Mapping):
        raise UserError(f"{where}: a {name} must be a table of keys and values, not {table!r}")
    known = {field.name: field for field in fields(kind) if field.name not in made}  # type: ignore[arg-type] # a dataclass
    values, mistakes = dict(made), Mistakes()
    for key, value in table.items():
        with mistakes.noted():
            refuse_unknown(where, f"key of a {name}", key, list(known))
            values[key] = _value(f"{where}: {noun}.{key}" if noun else f"{where}: {key}", str(known[key].type), value)
    required = [name for name, field in known.items() if field.default is MISSING and field.default_factory is MISSING]
    if lacking := [key for key in required if key not in table]:
        mistakes.add(f"{where}: a {name} lacks {' and '.join(lacking)}")
    mistakes.raise_any()
    return kind(**values)


def read_rows(kind: type[_Row], rows: Any, noun: str, where: str) -> tuple[_Row, ...]:
    """Parse the rows of a table array in a file; raise UserError that lists every mistake in all rows."""
    mistakes, parsed = Mistakes(), []
    for row in tables_in(rows, noun, where):
        with mistakes.noted():
            parsed.append(read_row(kind, row, noun, where))
    mistakes.raise_any()
    return tuple(parsed)


def tables_in(rows: Any, noun: str, where: str) -> Sequence[Mapping[str, Any]]:
    """Check that rows are a list of tables, and return them unchanged; raise UserError otherwise."""
    if not isinstance(rows, list | tuple) or not all(isinstance(row, Mapping) for row in rows):
        raise UserError(f"{where}: {noun} must be written as rows, [[{noun}]]")
    return rows


def refuse_unknown(where: str, noun: str, key: object, known: Sequence[str]) -> None:
    """Raise UserError if a key is unknown, and suggest the nearest known one."""
    if key not in known:
        raise UserError(f"{where}: unknown {noun} {key!r}{nearest(str(key), known)}; accepted: {', '.join(known)}")


def _value(name: str, kind: str, value: Any) -> Any:
    """Convert a value to the declared type of its field; raise UserError if it has a different type."""
    if kind == "Mapping[str, float]":
        if not isinstance(value, Mapping):
            raise UserError(f"{name} must be a table of numbers, not {value!r}")
        return {key: _number_in(name, item) for key, item in value.items()}
    if kind.startswith("tuple[str"):
        value = [text.strip() for text in value.split(",")] if isinstance(value, str) else value
        result = typed(name, kind, value)
        if not all(result):
            raise UserError(f"{name} must be a string or a list of strings, not {value!r}")
        return result
    result = typed(name, kind, value) if value is not None else typed(name, kind.removesuffix(" | None"), value)
    if isinstance(result, int | float) and not -MAX_NUMBER < result < MAX_NUMBER:  # also rejects NaN
        raise UserError(f"{name} must be a number, not {value!r}")
    return result


def _number_in(name: str, value: Any) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool) or not -MAX_NUMBER < value < MAX_NUMBER:
        raise UserError(f"{name} must be a table of numbers, not one with {value!r}")
    return value
