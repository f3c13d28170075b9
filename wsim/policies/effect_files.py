"""Effect files: Python files that a card file or patch names (``effects = ...``), read but never executed here.

Such a file is in the same folder as the file that names it, and imports its own modules from there.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wsim.errors import UserError, nearest
from wsim.policies.sources import digest_of_sources
from wsim.spec.source import entry_of

KEY = "effects"
_NAME = re.compile(r"[^\W\d]\w*\.py")
_MORE = 100  # upper bound for a function with *args


@dataclass(frozen=True)
class EffectFile:
    """A file of effect functions.

    Attributes
    ----------
    name: as written. digest: the digest of the file and the modules that it imports from its folder.
    arguments: (name, (fewest, most arguments)) of each top-level function.
    path: its path, which is ignored in comparisons.
    """

    name: str
    digest: str
    arguments: tuple[tuple[str, tuple[int, int]], ...]
    path: Path

    def __eq__(self, other: object) -> bool:
        return isinstance(other, EffectFile) and (self.name, self.digest) == (other.name, other.digest)

    def __hash__(self) -> int:
        return hash((self.name, self.digest))


def named_file(card_file: str | Path) -> Path | None:
    """Return the path of the effect file that a card file names; None if it names none or is invalid."""
    try:
        name = entry_of(card_file, KEY)
    except UserError:
        return None
    return Path(card_file).parent / name if isinstance(name, str) and _NAME.fullmatch(name) else None


def effect_file(name: Any, card_file: Path) -> EffectFile:
    """Return the effect file that a card file names.

    Raises UserError if it is not valid; the message does not mention the card file.
    """
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise UserError(
            f"{name!r} is not accepted; accepted: the name of a Python file in the same folder, such as mine.py"
        )
    path = card_file.parent / name
    if not path.is_file():
        near = nearest(name, [file.name for file in path.parent.glob("*.py")] if path.parent.is_dir() else [])
        raise UserError(f"the file {str(path)!r} does not exist{near}")
    try:
        tree, digest = ast.parse(path.read_bytes()), digest_of_sources(path)
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", None)
        raise UserError(f"{name} is not Python{f', line {line}' if line else ''}: {error.args[0]}") from None
    except OSError as error:
        raise UserError(f"cannot read {str(path)!r}: {error.strerror}") from None
    functions = {node.name: _argument_counts(node.args) for node in tree.body if isinstance(node, ast.FunctionDef)}
    return EffectFile(name, digest, tuple(functions.items()), path)


def _argument_counts(arguments: ast.arguments) -> tuple[int, int]:
    """Return the minimum and maximum number of positional arguments; arguments with defaults count as required."""
    least = len(arguments.posonlyargs) + len(arguments.args)
    return least, _MORE if arguments.vararg else least


def digest_of_named(card_file: str | Path) -> str:
    """Return the digest of the effect file that a card file names; "" if there is no readable file."""
    path = named_file(card_file)
    try:
        return digest_of_sources(path) if path else ""
    except OSError:
        return ""
