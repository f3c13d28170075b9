"""The one kind of error a user can cause: it carries a sentence, never a traceback."""

from __future__ import annotations

from collections.abc import Iterable
from unicodedata import category

__all__ = ["UserError", "nearest", "refuse_other_types", "refuse_unprintable"]


class UserError(ValueError):
    """Input that wsim refuses; its text is one sentence that names the value and what is accepted."""


def nearest(value: str, accepted: Iterable[str]) -> str:
    """Return `` (did you mean 'x'?)`` for the accepted value nearest to ``value``, or nothing."""
    from difflib import get_close_matches

    by_lower = {str(name).lower(): str(name) for name in accepted}
    match = get_close_matches(str(value).lower(), list(by_lower), n=1)
    return f" (did you mean {by_lower[match[0]]!r}?)" if match else ""


def refuse_unprintable(text: str, what: str, kept: str = "\n\t") -> None:
    """Raise UserError for a text with control characters other than ``kept``, or with bytes that are not UTF-8."""
    for letter in text:
        kind = category(letter)
        if kind == "Cs":
            raise UserError(f"{what} {text!r} is not text in UTF-8")
        if kind == "Cc" and letter not in kept:
            raise UserError(f"{what} {text!r} holds the control character {letter!r}")


_KINDS = {str: "a text", int: "a whole number", float: "a number"}


def refuse_other_types(kind: type, **values: object) -> None:
    """Raise UserError for a value that is not of a kind (str, int, float); None is the caller's default, and passes."""
    for name, value in values.items():
        right = isinstance(value, int | float if kind is float else kind) and not isinstance(value, bool)
        if value is not None and not right:
            raise UserError(f"{name} must be {_KINDS[kind]}, not {value!r}")
