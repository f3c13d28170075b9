"""Find and parse card files. Whatever is wrong with a file is a UserError that names it and the line."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

from wsim.errors import UserError
from wsim.paths import default_cards_path

__all__ = ["default_cards_path", "read_toml", "shown"]

_TWICE = re.compile(r"cannot (declare|overwrite|mutate)|duplicate", re.IGNORECASE)
_PLACE = re.compile(r"\s*\(at (?:line (\d+), column \d+|end of document)\)")
_DECLARED = re.compile(r"\((.*)\) twice")


def shown(path: Path) -> str:
    """Return how a card file is called in messages: wsim's own one by its name alone, a user's one as it was given."""
    return "cards.toml" if path == default_cards_path() else str(path)


def read_toml(path: Path) -> dict[str, Any]:
    """Parse a TOML file; raise UserError with file and line if it cannot be read."""
    name = shown(path)
    try:
        text = path.read_text(encoding="utf-8-sig") + "\n"  # with a last newline tomllib names the line, not "the end"
        return tomllib.loads(text)
    except OSError as error:
        raise UserError(f"cannot read the card file {name}: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise UserError(f"{name} is not a text file in UTF-8") from None
    except RecursionError:
        raise UserError(f"{name} is nested too deeply to be a card file") from None
    except ValueError as error:
        raise UserError(_phrase(name, text.splitlines(), str(error))) from None


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
