"""Read card files for Tower of Babel and lay patches and single changes over them. Works on parsed TOML, unchecked."""

from __future__ import annotations

import re
import tomllib
from copy import deepcopy
from pathlib import Path
from typing import Any

from wsim.errors import UserError, nearest
from wsim.paths import default_cards_path

__all__ = ["SECTION", "lay", "parse_change", "read_section", "shown"]

SECTION = "babel"
_BARE_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_' -]*")


def shown(path: Path) -> str:
    """Return how a card file is called in messages: wsim's own one by its name alone."""
    try:
        return "cards.toml" if path.resolve() == default_cards_path().resolve() else str(path)
    except UserError:  # no cards.toml of its own: whatever the user gave
        return str(path)


def read_section(path: Path) -> dict[str, Any]:
    """Return the table ``[babel]`` of a TOML file; raise UserError if it cannot be read or holds none."""
    name = shown(path)
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise UserError(f"cannot read the card file {name}: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise UserError(f"{name} is not a text file in UTF-8") from None
    except ValueError as error:
        raise UserError(f"{name} is not valid TOML: {error}") from None
    section = content.get(SECTION)
    if not isinstance(section, dict):
        guess = nearest(SECTION, content)
        raise UserError(f"{name} holds no table [{SECTION}], where the parts of Tower of Babel are written{guess}")
    return section


def lay(target: dict[str, Any], patch: dict[str, Any], whole: bool = False) -> None:
    """Lay ``patch`` over ``target`` in place: tables merge, except two-colour discs (``whole``)."""
    for key, value in patch.items():
        if isinstance(value, dict) and isinstance(target.get(key), dict) and not whole:
            lay(target[key], value, whole=key == "two_colour")
        else:
            target[key] = deepcopy(value)


def parse_change(change: str) -> dict[str, Any]:
    """Return the patch of ``[babel]`` that a change such as ``babel.value_table.3=[13, 7, 3]`` stands for.

    A change is a line of TOML; a bare word on the right is a string. Raise UserError for anything else.
    """
    path, equals, value = (part.strip() for part in change.partition("="))
    example = "such as babel.value_table.3=[13, 7, 3]"
    if not (path and equals and value):
        raise UserError(f"the change {change!r} is not of the form path=value, {example}")
    right = f'"{value}"' if _BARE_WORD.fullmatch(value) and value not in ("true", "false", "inf", "nan") else value
    try:
        content = tomllib.loads(f"{path} = {right}")
    except ValueError:
        raise UserError(f"the change {change!r} is not of the form path=value with a TOML value, {example}") from None
    head = next(iter(content))
    if head != SECTION:
        guess = nearest(head, [SECTION])
        raise UserError(f"the change {change!r} begins with {head!r}; accepted: {SECTION}{guess}, {example}")
    if len(content) > 1 or not isinstance(content[SECTION], dict):
        raise UserError(f"the change {change!r} names no single entry of [{SECTION}], {example}")
    patch: dict[str, Any] = content[SECTION]
    return patch
