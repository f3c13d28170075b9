"""Keys, numbers and lists that people write into positions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from wsim.errors import Mistakes, UserError, nearest


def number_in(what: str, value: Any, least: int, most: int) -> int:
    """Return a whole number; raise UserError for anything else, and outside the bounds."""
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise UserError(f"{what} is a whole number from {least} to {most}, not {value!r}")
    return value


def listed(what: str, value: Any, kind: Any) -> list[Any]:
    """Return a list of things of a kind (str, int, Mapping); raise UserError for anything else."""
    sound = isinstance(value, list) and all(isinstance(one, kind) and not isinstance(one, bool) for one in value)
    if not sound:
        wanted = {str: "names", int: "numbers"}.get(kind, "objects")
        raise UserError(f"{what} is a list of {wanted}, not {value!r}")
    return list(value)


def refuse_unknown(what: str, given: Iterable[str], known: Sequence[str], unnamed: Sequence[str] = ()) -> None:
    """Raise UserError for keys that are not among those that are known, nor among those that need no mention."""
    mistakes = Mistakes()
    for key in given:
        if key not in known and key not in unnamed:
            mistakes.add(f"{what} has no {key!r}: it has {', '.join(known)}{nearest(key, known)}")
    mistakes.raise_any()


def counts(what: str, given: Any, names: Sequence[str]) -> list[int]:
    """Return how many of each name an object counts; raise UserError for anything else."""
    if not isinstance(given, Mapping):
        raise UserError(f"{what} is an object of counts, not {given!r}")
    found, mistakes = [], Mistakes()
    for name in given:
        if name not in names:
            mistakes.add(f"{what} has no {name!r}: it counts {', '.join(names)}{nearest(str(name), names)}")
    for name in names:
        with mistakes.noted():
            found.append(number_in(f"{name} in {what}", given.get(name, 0), 0, 99))
    mistakes.raise_any()
    return found
