"""Validation of keys, numbers and lists in hand-written positions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from wsim.errors import Mistakes, UserError, nearest


def parse_int_in_range(noun: str, value: Any, least: int, most: int) -> int:
    """Return a whole number; raise UserError if it is out of bounds or not a whole number."""
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise UserError(f"{noun} must be a whole number from {least} to {most}, not {value!r}")
    return value


def listed(noun: str, value: Any, kind: Any) -> list[Any]:
    """Return a list whose items all have one type (str, int or Mapping); raise UserError for anything else."""
    valid = isinstance(value, list) and all(isinstance(item, kind) and not isinstance(item, bool) for item in value)
    if not valid:
        wanted = {str: "names", int: "numbers"}.get(kind, "objects")
        raise UserError(f"{noun} must be a list of {wanted}, not {value!r}")
    return list(value)


def object_in(noun: str, value: Any) -> Mapping[str, Any]:
    """Return a JSON object whose values are numbers; raise UserError for anything else."""
    if not isinstance(value, Mapping):
        raise UserError(f"{noun} must be an object of numbers, not {value!r}")
    return value


def refuse_unknown(noun: str, given: Iterable[str], known: Sequence[str], unnamed: Sequence[str] = ()) -> None:
    """Raise UserError for keys that are neither in ``known`` nor in ``unnamed`` (accepted but not advertised)."""
    mistakes = Mistakes()
    for key in given:
        if key not in known and key not in unnamed:
            mistakes.add(f"{noun} has no {key!r}{nearest(key, known)}: it has {', '.join(known)}")
    mistakes.raise_any()


def counts(noun: str, given: Any, names: Sequence[str]) -> list[int]:
    """Return the counts in a JSON object, in the order of ``names``; raise UserError for anything else."""
    if not isinstance(given, Mapping):
        raise UserError(f"{noun} must be an object of counts, not {given!r}")
    numbers, mistakes = [], Mistakes()
    for name in given:
        if name not in names:
            mistakes.add(f"{noun} has no {name!r}{nearest(str(name), names)}: it has {', '.join(names)}")
    for name in names:
        with mistakes.noted():
            numbers.append(parse_int_in_range(f"{name} in {noun}", given.get(name, 0), 0, 99))
    mistakes.raise_any()
    return numbers
