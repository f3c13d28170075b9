"""Read TOML: card files, patches, plans, weights. Whatever is wrong with a file is a UserError with file and line."""

from __future__ import annotations

import re
from functools import lru_cache
from os import PathLike
from pathlib import Path
from typing import Any

from wsim.errors import UserError
from wsim.files import bytes_within
from wsim.paths import is_own

Entries = dict[str, Any]
"""A table of TOML as parsed: names and values, which may be tables again."""

MOST_BYTES = 4 << 20
"""Of a file that a person writes."""
_TWICE = re.compile(r"cannot (declare|overwrite|mutate)|duplicate", re.IGNORECASE)
_PLACE = re.compile(r"\s*\(at (?:line (\d+), column \d+|end of document)\)")
_DECLARED = re.compile(r"\((.*)\) twice")


def shown(path: Path) -> str:
    """Return how a file is called in messages: wsim's own one by its name alone, a user's one as it was given."""
    return path.name if is_own(path) else str(path)


def read_toml(path: str | PathLike[str], what: str = "card file") -> Entries:
    """Return the content of a TOML file, the caller's to change; ``what`` says in messages what the file is to be.

    Raises UserError if it cannot be read or parsed.
    """
    file = Path(path)
    text, name = text_of(file, what), shown(file)
    try:
        found: Entries = copied(_parsed(text))
    except RecursionError:
        raise UserError(f"{name} is nested too deeply to be a {what}") from None
    except ValueError as error:
        raise UserError(_phrase(name, text.splitlines(), str(error))) from None
    return found


def text_of(path: Path, what: str = "card file") -> str:
    """Return the text of a file; raise UserError if it cannot be read."""
    try:
        return bytes_within(path, MOST_BYTES).decode("utf-8-sig").replace("\r\n", "\n")
    except OSError as error:
        raise UserError(f"cannot read the {what} {shown(path)!r}: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise UserError(f"{shown(path)} is not a text file in UTF-8") from None
    except ValueError as error:
        raise UserError(f"cannot read the {what} {shown(path)!r}: {error}") from None


def copied(value: Any) -> Any:
    """Return a copy of what TOML can hold, in a tenth of the time of ``deepcopy``."""
    kind = type(value)  # tomllib makes dicts and lists themselves, none of their subclasses
    if kind is dict:
        return {name: copied(item) for name, item in value.items()}
    if kind is list:
        return list(map(copied, value))
    return value


@lru_cache(maxsize=16)
def _parsed(text: str) -> Entries:
    """Parse TOML once: to read cards.toml again, or a copy of it, costs nothing beside parsing it."""
    import tomllib  # here and in `files`: what a command's help does not need

    return tomllib.loads(text + "\n")  # with a last newline tomllib names the line, not "the end"


def _phrase(name: str, lines: list[str], error: str) -> str:
    """Say a TOML error in words: the line, and for a repeated key which name is used twice."""
    place = _PLACE.search(error)
    what = _PLACE.sub("", error)
    number = int(place[1]) if place and place[1] else 0
    where = f"{name}, line {number}" if number else f"{name}, at its end"
    line = lines[number - 1].strip() if 0 < number <= len(lines) else ""
    if _TWICE.search(what):
        return f"{where}: {_used_twice(what, line)} is used twice; every name and field is written once"
    line = line if len(line) <= 60 else line[:57] + "..."
    return f"{where}: not valid TOML ({what[:1].lower()}{what[1:]}){f' in: {line}' if line else ''}"


def _used_twice(what: str, line: str) -> str:
    """Return the name that a TOML error about a repeated key is about."""
    declared = _DECLARED.search(what)
    if declared:  # a table: tomllib gives the whole path as a tuple
        return "the name " + ".".join(a or b for a, b in re.findall(r"'([^']*)'|\"([^\"]*)\"", declared[1]))
    inline = re.search(r"'(.*)'$", what)
    key = inline[1] if inline else line.split("=")[0].strip().strip("\"'")
    return f"the name {key}" if key else "a name"
