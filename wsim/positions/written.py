"""Numbers and lists of positions that people write."""

from __future__ import annotations

from typing import Any

from wsim.errors import UserError

__all__ = ["listed", "number_in"]


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
