"""The grammar of line-ups: ``name[:key=value[:key=value]]``, comma-separated, one entry for all seats or one per seat.

A name is a registered policy (``balanced``), a function of a file (``./mine.py:bold``), a function of an installed
module (``package.module:function``) or an installed entry point. This module only parses; the game resolves names.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sized
from dataclasses import dataclass, field
from types import MappingProxyType

from wsim.errors import UserError, refuse_unprintable

Value = int | float | bool | str
"""The parsed value of a policy parameter."""

_WORDS: Mapping[str, bool] = MappingProxyType({"true": True, "false": False})
PEOPLE = "people"
"""The only policy of a run of imported games (``wsim import``), and the key of its rules that describes the people."""
_GRAMMAR = "write name, name:key=value, ./file.py:function or package.module:function"


@dataclass(frozen=True)
class Entry:
    """One policy of a line-up.

    Attributes
    ----------
    name: everything before the parameters, as written.
    parameters: the ``key=value`` pairs in the order written; numbers and true/false are converted.
    path: where the file that the entry names actually is, if not at the named path; ignored in comparisons.
    """

    name: str
    parameters: Mapping[str, Value] = field(default_factory=dict, hash=False)
    path: str | None = field(default=None, compare=False)

    @property
    def file(self) -> str | None:
        """The Python file of an entry such as ``./mine.py:bold``, else None."""
        head, separator, _ = self.name.rpartition(":")
        return head if separator and head.endswith(".py") else None

    @property
    def module(self) -> str | None:
        """The module of an entry such as ``package.module:function``, else None."""
        head, separator, _ = self.name.rpartition(":")
        return head if separator and not head.endswith(".py") else None

    @property
    def named_file(self) -> str | None:
        """The file that the entry names, as written: a Python file, or the value of its parameter ``file``."""
        weights = self.parameters.get("file")
        return self.file or (None if self.module is not None or weights is None else str(weights))

    @property
    def function(self) -> str:
        """The name of the function in a file or module; for a registered policy, the policy's name."""
        return self.name.rpartition(":")[2]

    def __str__(self) -> str:
        pairs = (
            f"{key}={str(value).lower() if isinstance(value, bool) else value}"
            for key, value in self.parameters.items()
        )
        return ":".join((self.name, *pairs))


def _read(text: str) -> Value:
    """Parse a parameter's value as Boolean, integer or float; return any other text unchanged."""
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


def _split(text: str) -> tuple[str, list[str]]:
    """Split an entry into its name and its ``key=value`` strings."""
    file, in_file, rest = text.partition(".py:")
    if in_file:
        function, *pairs = rest.split(":")
        return f"{file}.py:{function}", pairs
    parts = text.split(":")
    length = next((index for index, part in enumerate(parts) if "=" in part), len(parts))
    return ":".join(parts[:length]), parts[length:]


def finite(value: Value) -> bool:
    """Return whether a value is a number that is finite as a 64-bit float, unlike an integer with 400 digits."""
    try:
        return not isinstance(value, str) and math.isfinite(value)
    except OverflowError:
        return False


def parse_entry(text: str) -> Entry:
    """Parse one entry; raise UserError for text outside the grammar."""
    refuse_unprintable(text, "the policy", allowed="")
    name, pairs = _split(text.strip())
    if not name or name.startswith(":") or name.endswith((":", ".py")):
        raise UserError(f"{text.strip()!r} is not a policy: {_GRAMMAR}")
    parameters: dict[str, Value] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not (key and equals and value):
            raise UserError(f"{pair!r} in the policy {text.strip()!r} is not a parameter: {_GRAMMAR}")
        if key in parameters:
            raise UserError(f"the policy {text.strip()!r} sets {key!r} twice")
        parameters[key] = _read(value)
    return Entry(name, parameters)


def parse_lineup(lineup: str | Iterable[str]) -> tuple[Entry, ...]:
    """Parse a line-up, comma-separated or as a sequence of entries; raise UserError for text outside the grammar."""
    texts = lineup.split(",") if isinstance(lineup, str) else [part for text in lineup for part in text.split(",")]
    if not texts:
        raise UserError(f"the line-up is empty: {_GRAMMAR}")
    return tuple(parse_entry(text) for text in texts)


def check_length(lineup: Sized, players: int) -> None:
    """Raise UserError unless a line-up has one entry for all seats or one for each player."""
    if len(lineup) not in (1, players):
        raise UserError(f"{len(lineup)} policies for {players} players: give one for all seats or one per seat")
