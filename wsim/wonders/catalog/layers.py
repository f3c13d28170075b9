"""Layers, patches and single changes: how one card file is laid over another, on parsed TOML and before any check."""

from __future__ import annotations

import re
import tomllib
from copy import deepcopy
from typing import Any

from wsim.catalog.fields import Path, Problems, dotted
from wsim.errors import UserError, nearest

__all__ = ["apply_entries", "lay", "parse_change"]

Table = dict[str, Any]
SECTIONS = ("cards", "wonders")
HEADS = ("cards", "wonders", "rulesets", "settings", "switches")
_BARE_VALUE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_' -]*")


def lay(target: Table, patch: Table, path: Path, source: str, problems: Problems) -> None:
    """Lay ``patch`` over ``target`` in place: tables merge, stage lists are patched by number, all else is replaced."""
    for key, value in patch.items():
        here = (*path, key)
        old = target.get(key)
        if isinstance(value, dict) and _is_side(here) and not isinstance(old, dict):
            stages = old if isinstance(old, list) else []
            target[key] = stages
            _lay_stages(stages, value, here, source, problems)
        elif isinstance(value, dict) and isinstance(old, dict):
            lay(old, value, here, source, problems)
        else:
            target[key] = deepcopy(value)
            problems.wrote(here, source)


def _is_side(path: Path) -> bool:
    """Whether a path is the stage list of a side: wonders.<name>.sides.<side>."""
    return len(path) == 4 and path[0] == "wonders" and path[2] == "sides"


def _lay_stages(stages: list[Any], patch: Table, path: Path, source: str, problems: Problems) -> None:
    """Patch single stages of a side, numbered from 1; one past the last adds a stage."""
    removed = []
    for key, value in patch.items():
        here = (*path, key)
        number = int(key) if re.fullmatch(r"[1-9]", key) else 0
        if not 1 <= number <= len(stages) + 1:
            problems.wrote(here, source)
            last = len(stages)
            problems.add(here, f"no such stage; accepted: 1 to {last} to change a stage, {last + 1} to add one")
            continue
        if number == len(stages) + 1:
            stages.append({})
        if isinstance(value, dict) and value.get("remove") is True:
            removed.append(number)
        elif isinstance(value, dict) and isinstance(stages[number - 1], dict):
            lay(stages[number - 1], value, here, source, problems)
        else:
            stages[number - 1] = deepcopy(value)
            problems.wrote(here, source)
    for number in sorted(removed, reverse=True):
        del stages[number - 1]


def apply_entries(content: Table, patch: Table, source: str, problems: Problems) -> None:
    """Lay the cards and wonders of a layer, patch or change over ``content``, and take out what it removes."""
    for section in SECTIONS:
        entries = patch.get(section, {})
        if not isinstance(entries, dict):
            problems.wrote((section,), source)
            problems.add((section,), f"must be a table of {section} by name")
            continue
        known = content.setdefault(section, {})
        for name, entry in entries.items():
            _apply_entry(known, entry, (section, name), source, problems)


def _apply_entry(known: Table, entry: Any, path: Path, source: str, problems: Problems) -> None:
    """Lay one entry over the known ones, or remove it."""
    name = path[-1]
    if isinstance(entry, dict) and "remove" in entry:
        problems.wrote((*path, "remove"), source)
        if entry["remove"] is not True or len(entry) > 1:
            problems.add((*path, "remove"), "`remove = true` stands alone")
        elif name not in known:
            problems.add(path, f"there is nothing of this name to remove{nearest(name, known)}")
        else:
            del known[name]
        return
    lay(known, {name: entry}, path[:-1], source, problems)


def parse_change(change: str, ruleset: str) -> Table:
    """Turn a ``--set`` text such as ``cards.Palace.points=6`` into a patch; raise UserError if it is not one.

    Names may stand unquoted, spaces included; a bare word is a string; ``switches.`` and ``settings.`` mean those of
    ``ruleset``; ``wonders.Gizah.A.2`` is short for ``wonders.Gizah.sides.A.2``.
    """
    left, equals, right = change.partition("=")  # names hold no "="
    path = [_unquoted(part) for part in _split(left, ".")]
    example = "such as cards.Palace.points=6"
    if not equals or not all(path) or not right.strip():
        raise UserError(f"--set {change!r} is not a change; accepted: path=value, {example}")
    head = path[0]
    if head not in HEADS:
        raise UserError(f"--set {change!r}: unknown {head!r}{nearest(head, HEADS)}; accepted: {', '.join(HEADS)}")
    value = _value(change, right.strip())
    whole_entry = len(path) == 2 and (head in ("settings", "switches") or isinstance(value, dict))
    if len(path) < 3 and not whole_entry:
        raise UserError(f"--set {change!r} names no field of {dotted(tuple(path))}; accepted: path=value, {example}")
    if head in ("settings", "switches"):
        path = ["rulesets", ruleset, *path]
    elif head == "wonders" and len(path) > 2 and path[2] not in ("resource", "sides", "remove"):
        path.insert(2, "sides")
    patch: Table = {path[-1]: value}
    for part in reversed(path[:-1]):
        patch = {part: patch}
    return patch


def _value(change: str, text: str) -> Any:
    """Parse the value of a change as TOML, a bare word as a string."""
    try:
        parsed = tomllib.loads(f"value = {text}")
    except ValueError:
        if _BARE_VALUE.fullmatch(text):
            return text
        accepted = "a number, a word, true, false, [...] or { ... }"
        raise UserError(f"--set {change!r}: {text!r} is not a value; accepted: {accepted}") from None
    if list(parsed) != ["value"]:
        raise UserError(f"--set {change!r} holds more than one value; give --set once for each")
    return parsed["value"]


def _split(text: str, mark: str) -> list[str]:
    """Split at ``mark`` outside quotes; a quote counts only where a part begins (Smuggler's Cache has none)."""
    parts, quote = [""], ""
    for letter in text:
        if quote:
            quote = "" if letter == quote else quote
        elif letter == mark:
            parts.append("")
            continue
        elif letter in "\"'" and not parts[-1].strip():
            quote = letter
        parts[-1] += letter
    return [part.strip() for part in parts]


def _unquoted(part: str) -> str:
    """Take one pair of quotes off a name."""
    return part[1:-1] if len(part) >= 2 and part[0] == part[-1] and part[0] in "\"'" else part
