"""The one kind of error a user can cause: it carries a sentence, never a traceback."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from unicodedata import category

MOST_SHOWN = 20  # mistakes after the first
_ALSO = "also: "


class UserError(ValueError):
    """Input that wsim refuses; its text is one sentence that names the value and what is accepted."""


class Mistakes:
    """Collects what is wrong with an input, so that a user is told all of it at once.

    Attributes
    ----------
    sentences: in the order in which they were found, each once.
    """

    def __init__(self) -> None:
        self.sentences: list[str] = []

    def add(self, sentence: str) -> None:
        """Note a mistake."""
        if sentence not in self.sentences:
            self.sentences.append(sentence)

    @contextmanager
    def noted(self) -> Iterator[None]:
        """Note the mistakes of a UserError, and go on behind the block that raised it."""
        try:
            yield
        except UserError as error:
            for sentence in str(error).split(f"\n{_ALSO}"):
                self.add(sentence)

    def raise_any(self) -> None:
        """Raise UserError if there was any mistake: the first in the first line, the others below it."""
        if self.sentences:
            first, *others = self.sentences
            more = [f"{_ALSO}{sentence}" for sentence in others[:MOST_SHOWN]]
            if len(others) > MOST_SHOWN:
                more.append(f"... and {len(others) - MOST_SHOWN} more")
            raise UserError("\n".join([first, *more]))


def nearest(value: str, accepted: Iterable[str]) -> str:
    """Return `` (did you mean 'x'?)`` for the accepted value nearest to ``value``, or nothing."""
    from difflib import get_close_matches

    by_lower = {str(name).lower(): str(name) for name in accepted}
    match = get_close_matches(str(value).lower(), list(by_lower), n=1)
    return f" (did you mean {by_lower[match[0]]!r}?)" if match else ""


def refuse_unprintable(text: str, what: str, allowed: str = "\n\t") -> None:
    """Raise UserError for a text with control characters other than ``allowed``, or with bytes that are not UTF-8."""
    for letter in text:
        kind = category(letter)
        if kind == "Cs":
            raise UserError(f"{what} {text!r} is not text in UTF-8")
        if kind == "Cc" and letter not in allowed:
            raise UserError(f"{what} {text!r} holds the control character {letter!r}")


_KINDS = {str: "a text", int: "a whole number", float: "a number"}


def refuse_other_types(kind: type, **values: object) -> None:
    """Raise UserError for a value that is not of a kind (str, int, float); None is the caller's default, and passes."""
    for name, value in values.items():
        right = isinstance(value, int | float if kind is float else kind) and not isinstance(value, bool)
        if value is not None and not right:
            raise UserError(f"{name} must be {_KINDS[kind]}, not {value!r}")
