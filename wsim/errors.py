"""The error for invalid user input, which is shown as a sentence, never as a traceback."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

MAX_SHOWN = 20  # mistakes listed after the first
_ALSO = "also: "


class UserError(ValueError):
    """Invalid input; the message is one sentence with the rejected value and the accepted ones."""


class Mistakes:
    """Collects the mistakes in an input, so that a user sees all of them at once.

    Attributes
    ----------
    sentences: the mistakes in order of discovery, without duplicates.
    """

    def __init__(self) -> None:
        self.sentences: list[str] = []

    def add(self, sentence: str) -> None:
        """Add a mistake."""
        if sentence not in self.sentences:
            self.sentences.append(sentence)

    @contextmanager
    def noted(self) -> Iterator[None]:
        """Add the mistakes of a UserError raised in the block, and continue after it."""
        try:
            yield
        except UserError as error:
            for sentence in str(error).split(f"\n{_ALSO}"):
                self.add(sentence)

    def raise_any(self) -> None:
        """Raise a UserError that lists the mistakes, one per line; do nothing if there are none."""
        if self.sentences:
            first, *others = self.sentences
            more = [f"{_ALSO}{sentence}" for sentence in others[:MAX_SHOWN]]
            if len(others) > MAX_SHOWN:
                more.append(f"... and {len(others) - MAX_SHOWN} more")
            raise UserError("\n".join([first, *more]))


def nearest(value: str, accepted: Iterable[str]) -> str:
    """Suggest the accepted value closest to ``value``: `` (did you mean 'x'?)``, or an empty string."""
    from difflib import get_close_matches

    by_lower = {str(name).lower(): str(name) for name in accepted}
    match = get_close_matches(str(value).lower(), list(by_lower), n=1)
    return f" (did you mean {by_lower[match[0]]!r}?)" if match else ""


def refuse_unprintable(text: str, noun: str, allowed: str = "\n\t") -> None:
    """Raise UserError for text with control characters other than ``allowed``, or with invalid UTF-8."""
    if text.isprintable():
        return
    from unicodedata import category  # a separate library, which `wsim --help` need not load

    for letter in text:
        kind = category(letter)
        if kind == "Cs":
            raise UserError(f"{noun} {text!r} is not valid UTF-8")
        if kind == "Cc" and letter not in allowed:
            raise UserError(f"{noun} {text!r} contains the control character {letter!r}")


def printable(text: str) -> str:
    """Escape the control characters in a string, such as ESC as ``\\u001b``.

    Messages quote text from files, which must not set a title, clear the screen or forge a line.
    """
    return re.sub(_OBEYED, lambda match: f"\\u{ord(match[0]):04x}", text)


_OBEYED = r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]"
"""Control characters except tab and newline, line separators, and characters that change the writing direction."""
_KINDS = {str: "a string", int: "a whole number", float: "a number"}


def refuse_other_types(kind: type, **values: object) -> None:
    """Raise UserError for a value that is not of a type (str, int, float); None is accepted."""
    for name, value in values.items():
        right = isinstance(value, int | float if kind is float else kind) and not isinstance(value, bool)
        if value is not None and not right:
            raise UserError(f"{name} must be {_KINDS[kind]}, not {value!r}")
