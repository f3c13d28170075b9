"""Read TOML files: card files, patches, plans, weights. Errors raise UserError with the file name and line."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from os import PathLike
from pathlib import Path
from typing import Any

from wsim.errors import UserError
from wsim.files import bytes_within
from wsim.paths import is_in_wsim

Entries = dict[str, Any]
"""A parsed TOML table: names and values, which may be tables themselves."""

MAX_BYTES = 4 << 20
"""The largest accepted size of a hand-written file."""
_TWICE = re.compile(r"cannot (declare|overwrite|mutate)|duplicate", re.IGNORECASE)
_PLACE = re.compile(r"\s*\(at (?:line (\d+), column \d+|end of document)\)")
_DECLARED = re.compile(r"\((.*)\) twice")


def shown(path: Path) -> str:
    """Return a file name for messages: the bare name of a built-in file, or the path of a user's file as given."""
    return path.name if is_in_wsim(path) else str(path)


def read_toml(path: str | PathLike[str], noun: str = "card file") -> Entries:
    """Parse a TOML file into a fresh dictionary; ``noun`` is the expected kind of file, for messages.

    Raises UserError if the file cannot be read or parsed.
    """
    entries: Entries = _read(path, noun, copied)
    return entries


def entry_of(path: str | PathLike[str], key: str, noun: str = "card file") -> Any:
    """Return one top-level entry of a TOML file, None if it is missing; unlike ``read_toml``, copies nothing else."""
    return _read(path, noun, lambda entries: copied(entries.get(key)))


def _read(path: str | PathLike[str], noun: str, taken: Callable[[Entries], Any]) -> Any:
    """Parse a TOML file, and return what is ``taken`` from the shared dictionary, which must not be changed."""
    file = Path(path)
    text, name = text_of(file, noun), shown(file)
    try:
        return taken(_parsed(text))
    except RecursionError:
        raise UserError(f"{name} is nested too deeply to be a {noun}") from None
    except ValueError as error:
        raise UserError(_phrase(name, text.splitlines(), str(error))) from None


def text_of(path: Path, noun: str = "card file") -> str:
    """Read the text of a file; raise UserError if it cannot be read or decoded."""
    try:
        return bytes_within(path, MAX_BYTES).decode("utf-8-sig").replace("\r\n", "\n")
    except OSError as error:
        raise UserError(f"cannot read the {noun} {shown(path)!r}: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise UserError(f"{shown(path)} is not a text file in UTF-8") from None
    except ValueError as error:
        raise UserError(f"cannot read the {noun} {shown(path)!r}: {error}") from None


def copied(value: Any) -> Any:
    """Copy a TOML value deeply, ten times faster than ``deepcopy``."""
    kind = type(value)  # tomllib creates plain dicts and lists, no subclasses
    if kind is dict:
        return {name: copied(item) for name, item in value.items()}
    if kind is list:
        return list(map(copied, value))
    return value


@lru_cache(maxsize=16)
def _parsed(text: str) -> Entries:
    """Parse TOML; results are cached, so reading cards.toml or a copy of it again costs almost nothing."""
    import tomllib  # imported late: not needed for a command's help

    return tomllib.loads(text + "\n")  # with a final newline, tomllib reports the line instead of "the end"


def _phrase(name: str, lines: list[str], error: str) -> str:
    """Describe a TOML error in words, with its line and, for a repeated key, the name of the key."""
    location = _PLACE.search(error)
    text = _PLACE.sub("", error)
    number = int(location[1]) if location and location[1] else 0
    where = f"{name}, line {number}" if number else f"{name}, at its end"
    line = lines[number - 1].strip() if 0 < number <= len(lines) else ""
    if _TWICE.search(text):
        return f"{where}: {_used_twice(text, line)} is used twice; every name and field is written once"
    line = line if len(line) <= 60 else line[:57] + "..."
    return f"{where}: not valid TOML ({text[:1].lower()}{text[1:]}){f' in: {line}' if line else ''}"


def _used_twice(message: str, line: str) -> str:
    """Return the name of the repeated key that a TOML error reports."""
    declared = _DECLARED.search(message)
    if declared:  # a table: tomllib reports the whole path as a tuple
        return "the name " + ".".join(a or b for a, b in re.findall(r"'([^']*)'|\"([^\"]*)\"", declared[1]))
    inline = re.search(r"'(.*)'$", message)
    key = inline[1] if inline else line.split("=")[0].strip().strip("\"'")
    return f"the name {key}" if key else "a name"
