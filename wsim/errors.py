"""The one kind of error a user can cause: it carries a sentence, never a traceback."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

__all__ = ["UserError", "nearest"]


class UserError(ValueError):
    """Input that wsim refuses; its text is one sentence that names the value and what is accepted."""


def nearest(value: str, accepted: Iterable[str]) -> str:
    """Return `` (did you mean 'x'?)`` for the accepted value nearest to ``value``, or nothing."""
    by_lower = {str(name).lower(): str(name) for name in accepted}
    match = get_close_matches(str(value).lower(), list(by_lower), n=1)
    return f" (did you mean {by_lower[match[0]]!r}?)" if match else ""
