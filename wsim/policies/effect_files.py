"""Files of functions that a card file or patch names (``effects = ...``): found and read, never executed here.

Such a file lies beside the one that names it; what it needs of its own, it imports from there.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wsim.errors import UserError, nearest
from wsim.policies.sources import digest_of_sources
from wsim.spec.source import read_toml

KEY = "effects"
_NAME = re.compile(r"[^\W\d]\w*\.py")
_MORE = 100  # parameters of a function that takes any number of them


@dataclass(frozen=True)
class EffectFile:
    """A file of functions.

    Attributes
    ----------
    name: as it is written. digest: of it and what it imports from its folder.
    arguments: of each function at its top, by name: how many it takes at least and at most.
    place: where it lies; two that differ in nothing else are equal.
    """

    name: str
    digest: str
    arguments: tuple[tuple[str, tuple[int, int]], ...]
    place: Path

    def __eq__(self, other: object) -> bool:
        return isinstance(other, EffectFile) and (self.name, self.digest) == (other.name, other.digest)

    def __hash__(self) -> int:
        return hash((self.name, self.digest))


def named_file(card_file: str | Path) -> Path | None:
    """Return where the file lies that a card file names; None if it names none, or is wrong in any way."""
    try:
        name = read_toml(card_file).get(KEY)
    except UserError:
        return None
    return Path(card_file).parent / name if isinstance(name, str) and _NAME.fullmatch(name) else None


def effect_file(name: Any, card_file: Path) -> EffectFile:
    """Return the file that a card file names; raise UserError, a sentence without the card file, for what is none."""
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise UserError(f"{name!r} is not accepted; accepted: the name of a file of Python beside this one, mine.py")
    place = card_file.parent / name
    if not place.is_file():
        near = nearest(name, [one.name for one in place.parent.glob("*.py")] if place.parent.is_dir() else [])
        raise UserError(f"the file {str(place)!r} does not exist{near}")
    try:
        tree, digest = ast.parse(place.read_bytes()), digest_of_sources(place)
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", None)
        raise UserError(f"{name} is not Python{f', line {line}' if line else ''}: {error.args[0]}") from None
    except OSError as error:
        raise UserError(f"cannot read {str(place)!r}: {error.strerror}") from None
    functions = {one.name: _counts(one.args) for one in tree.body if isinstance(one, ast.FunctionDef)}
    return EffectFile(name, digest, tuple(functions.items()), place)


def _counts(arguments: ast.arguments) -> tuple[int, int]:
    """Return how many arguments a function takes by place; one with a default is handed over like any other."""
    least = len(arguments.posonlyargs) + len(arguments.args)
    return least, _MORE if arguments.vararg else least


def digest_of_named(card_file: str | Path) -> str:
    """Return the digest of the file that a card file names; "" where there is none, or none that can be read."""
    place = named_file(card_file)
    try:
        return digest_of_sources(place) if place else ""
    except OSError:
        return ""
