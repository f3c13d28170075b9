"""The values of a catalogue by path, written as for ``--set``."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def values_of(record: Any) -> dict[str, str]:
    """Return the changeable values of a catalogue by path."""
    if isinstance(record, list):
        return {str(row["path"]): _text(row["value"]) for row in record if "path" in row}
    parts = {name: part for name, part in record.items() if isinstance(part, dict)}
    return {".".join(map(key_in_path, path)): _text(value) for path, value in _leaves(parts)}


def _leaves(part: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield the values within a part of a catalogue; items of a list, such as stages, are counted from 1."""
    if isinstance(part, list) and any(isinstance(item, dict) for item in part):
        part = dict(enumerate(part, start=1))
    if not isinstance(part, dict):
        yield path, part
        return
    for name, value in part.items():
        yield from _leaves(value, (*path, str(name)))


def key_in_path(name: str) -> str:
    """Return a name as a part of a path, in quotes if it needs them."""
    return name if _BARE.fullmatch(name) else json.dumps(name, ensure_ascii=False)


def _text(value: Any) -> str:
    return value if isinstance(value, str) and _BARE.fullmatch(value) else json.dumps(value, ensure_ascii=False)
