"""List the values in a catalogue by path, as written for ``--set``, and describe changes in words."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

_BARE = re.compile(r"[A-Za-z0-9_-]+")

NUMBERED = {"sides": "stage", "when": "clause", "choose": "choice"}
"""What the items of a list are called whose values have numbers in their paths, by the key that leads to it."""


def values_of(record: Any) -> dict[str, str]:
    """Return the changeable values in a catalogue, by path."""
    if isinstance(record, list):
        return {str(row["path"]): _text(row["value"]) for row in record if "path" in row}
    parts = {name: part for name, part in record.items() if isinstance(part, dict)}
    return {".".join(map(key_in_path, path)): _text(value) for path, value in _leaves(parts)}


def _leaves(part: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield the path and value of each leaf in a part of a catalogue; list items, such as stages, count from 1."""
    if isinstance(part, list) and any(isinstance(item, dict) for item in part):
        part = dict(enumerate(part, start=1))
    if not isinstance(part, dict):
        yield path, part
        return
    for name, value in part.items():
        yield from _leaves(value, (*path, str(name)))


def key_in_path(name: str) -> str:
    """Format a name as a component of a path, in quotes if necessary."""
    return name if _BARE.fullmatch(name) else json.dumps(name, ensure_ascii=False)


def _text(value: Any) -> str:
    return value if isinstance(value, str) and _BARE.fullmatch(value) else json.dumps(value, ensure_ascii=False)


def name_in_words(path: str) -> str:
    """Describe the path of a value in words.

    >>> name_in_words("cards.Palace.points"), name_in_words("settings.hand_size")
    ('Palace, points', 'settings hand size')
    >>> name_in_words("wonders.Rhodos.sides.B.1.points")
    'Rhodos, side B stage 1 points'
    """
    parts = [part.strip('"') for part in re.findall(r'"[^"]*"|[^.]+', path)]
    words, lists = " ".join(parts[2:] or parts), [part for part in parts if part in NUMBERED]
    words = re.sub(
        r"(?<!\S)\d+(?!\S)", lambda number: f"{NUMBERED[lists.pop(0)]} {number[0]}" if lists else number[0], words
    )
    text = re.sub(r"\b(when|choose) (?=clause|choice)", "", words).replace("sides ", "side ")
    return ", ".join(filter(None, (parts[1] if len(parts) > 2 else "", text))).replace("_", " ")


def change_in_words(line: str, printed: Mapping[str, str]) -> str:
    """Describe a changed value in words.

    >>> change_in_words("cards.Palace.points=5", {"cards.Palace.points": "8"})
    'Palace, points: 8 to 5'
    """
    path, _, value = (part.strip() for part in line.partition("="))
    name, before = name_in_words(path), printed.get(path)
    if before == value:
        return f"{name}: {value}, as printed"
    return f"{name}: {value}, which the printed rules do not have" if before is None else f"{name}: {before} to {value}"


def changes_in_words(before: Mapping[str, str], after: Mapping[str, str]) -> list[str]:
    """Describe every value that differs between two catalogues.

    >>> changes_in_words({"cards.Palace.points": "8"}, {"cards.Palace.points": "5", "cards.Palace.coins": "1"})
    ['Palace, points 8 to 5', 'Palace, coins 1 (new)']
    """
    words = []
    for path in dict.fromkeys([*before, *after]):
        old, new = (_plain(values.get(path)) for values in (before, after))
        if old != new:
            change = f"{old} to {new}" if old and new else f"{new} (new)" if new else "removed"
            words.append(f"{name_in_words(path)} {change}")
    return words


def _plain(value: str | None) -> str:
    """Remove the quotes around a value; None becomes an empty string."""
    return (value or "").strip('"')
