"""Rows of files that people write, read into frozen dataclasses by the types of their fields: all mistakes at once.

A row is a table of TOML or an object of JSON. Its keys are the fields of a dataclass; types are those of
``wsim.options.typed``, and ``Mapping[str, float]``. What concerns several fields is for whoever asks for the row.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields
from typing import Any, TypeVar

from wsim.errors import Mistakes, UserError, nearest
from wsim.options import typed

_Row = TypeVar("_Row")
LARGEST = 2**63
"""No number of a row lies beyond it, in either direction."""


def read_row(kind: type[_Row], table: Any, what: str, where: str, **made: Any) -> _Row:
    """Return a row of a file; raise UserError that lists every mistake in it.

    Parameters
    ----------
    kind: a dataclass. table: as parsed.
    what: what a row is called in messages, ``target``; empty for the file itself. where: how the file is called.
    made: fields that are no keys of the row.
    """
    name = what or "file"
    if not isinstance(table, Mapping):
        raise UserError(f"{where}: a {name} is a table of keys and values, not {table!r}")
    known = {one.name: one for one in fields(kind) if one.name not in made}  # type: ignore[arg-type] # a dataclass
    values, mistakes = dict(made), Mistakes()
    for key, value in table.items():
        with mistakes.noted():
            refuse_unknown(where, f"key of a {name}", key, list(known))
            values[key] = _value(f"{where}: {what}.{key}" if what else f"{where}: {key}", str(known[key].type), value)
    needed = [one.name for one in known.values() if one.default is MISSING and one.default_factory is MISSING]
    if lacking := [key for key in needed if key not in table]:
        mistakes.add(f"{where}: a {name} lacks {' and '.join(lacking)}")
    mistakes.raise_any()
    return kind(**values)


def read_rows(kind: type[_Row], rows: Any, what: str, where: str) -> tuple[_Row, ...]:
    """Return the rows ``[[what]]`` of a file; raise UserError that lists every mistake in all of them."""
    mistakes, found = Mistakes(), []
    for row in tables_in(rows, what, where):
        with mistakes.noted():
            found.append(read_row(kind, row, what, where))
    mistakes.raise_any()
    return tuple(found)


def tables_in(rows: Any, what: str, where: str) -> Sequence[Mapping[str, Any]]:
    """Return rows as they are written; raise UserError for anything but a list of tables."""
    if not isinstance(rows, list | tuple) or not all(isinstance(row, Mapping) for row in rows):
        raise UserError(f"{where}: {what} is written as rows, [[{what}]]")
    return rows


def refuse_unknown(where: str, what: str, key: object, known: Sequence[str]) -> None:
    """Raise UserError for a key that is not known."""
    if key not in known:
        raise UserError(f"{where}: unknown {what} {key!r}{nearest(str(key), known)}; accepted: {', '.join(known)}")


def _value(name: str, kind: str, value: Any) -> Any:
    """Return a value of the type that a field is declared with; raise UserError for another."""
    if kind == "Mapping[str, float]":
        if not isinstance(value, Mapping):
            raise UserError(f"{name} must be a table of numbers, not {value!r}")
        return {key: _number_in(name, one) for key, one in value.items()}
    if kind.startswith("tuple[str"):
        value = [one.strip() for one in value.split(",")] if isinstance(value, str) else value
        found = typed(name, kind, value)
        if not all(found):
            raise UserError(f"{name} must be a text or a list of texts, not {value!r}")
        return found
    found = typed(name, kind, value) if value is not None else typed(name, kind.removesuffix(" | None"), value)
    if isinstance(found, int | float) and not -LARGEST < found < LARGEST:  # nor what is not a number
        raise UserError(f"{name} must be a number, not {value!r}")
    return found


def _number_in(name: str, value: Any) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool) or not -LARGEST < value < LARGEST:
        raise UserError(f"{name} must be a table of numbers, not one with {value!r}")
    return value
