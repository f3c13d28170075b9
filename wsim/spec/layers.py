"""Apply patch files and single changes (``--set path=value``) to the parsed TOML of a card file, before validation."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path as FilePath
from typing import Any

from wsim.errors import Mistakes, UserError, nearest
from wsim.paths import PACKAGE
from wsim.spec.fields import Path, Problems, dotted
from wsim.spec.source import Entries, read_toml, shown

_NUMBER_IN = re.compile(r".+:[1-9]\d?")  # the key that refers to a number in a formula
_BARE_VALUE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_' -]*")


@dataclass(frozen=True)
class Grammar:
    """The structure of a game's card files, as needed for applying patches.

    In the paths of ``whole`` and ``numbered``, ``*`` matches any name.

    Attributes
    ----------
    sections: the tables that a file may contain.
    heads: the accepted first names in the path of a change, with the minimum length of such a path.
    example: an example of a change, for messages.
    removable: sections whose entries can be removed with ``remove = true``.
    whole: tables that are replaced as a whole; all other tables merge.
    numbered: lists whose items a patch changes by number, from 1, with the noun for an item; the next number after the
        last adds an item.
    formulas: tables of ``numbered`` below which strings are formulas: ``coins:2`` is the second number in ``coins``.
    keys: further top-level keys that a file may contain, which the game reads itself.
    with_number: called with a formula (or a list of formulas), the position of a number and its new value; returns the
        changed formula, or raises ValueError.
    """

    sections: tuple[str, ...]
    heads: Mapping[str, int]
    example: str
    removable: tuple[str, ...] = ()
    whole: tuple[Path, ...] = ()
    numbered: Mapping[Path, str] = field(default_factory=dict)
    formulas: tuple[Path, ...] = ()
    keys: tuple[str, ...] = ()
    with_number: Callable[[Any, int, int], Any] | None = None


def _match(path: Path, patterns: Iterable[Path]) -> Path | None:
    for pattern in patterns:
        if len(path) == len(pattern) and all(want in ("*", name) for name, want in zip(path, pattern, strict=True)):
            return pattern
    return None


def read_card_file(path: FilePath, grammar: Grammar, mistakes: Mistakes | None = None) -> Entries:
    """Read the sections of a card file or patch; raise UserError for unknown sections.

    With ``mistakes``, unknown sections are noted there and left out instead.
    """
    document = read_toml(path)
    problems = Problems(shown(path))
    for section, entries in document.items():
        if section in grammar.keys:
            continue
        if section not in grammar.sections:
            home = PACKAGE / section / f"{section}.toml"
            if home.is_file():
                file = home.relative_to(PACKAGE.parent).as_posix()
                where = f"its values are in {file}, and changes to them go into a separate file"
                problems.at(
                    (section,),
                    f"[{section}] belongs to a different game: {where}; accepted: {', '.join(grammar.sections)}",
                )
            else:
                problems.unknown((section,), "section", section, grammar.sections)
        elif not isinstance(entries, dict):
            problems.at((section,), f"must be a table: [{section}]")
    with mistakes.noted() if mistakes is not None else nullcontext():
        problems.raise_any()
    return {name: table for name, table in document.items() if name in grammar.sections and isinstance(table, dict)}


def _by_number(value: Any) -> bool:
    """Return whether a value in a patch is a table whose keys are item numbers of a list."""
    return isinstance(value, dict) and (not value or any(key.isdigit() for key in value))


class Layers:
    """Applies patches to the entries of a card file; ``problems`` records the source of each value."""

    def __init__(self, problems: Problems, grammar: Grammar) -> None:
        self._problems = problems
        self._grammar = grammar

    def apply(self, target: Entries, patch: Entries, source: str, path: Path = ()) -> None:
        """Apply ``patch``, written by ``source``, to the entries at ``path`` in place.

        Tables are merged, numbered lists are changed item by item, entries may be removed, and all other values are
        replaced.
        """
        for key, value in patch.items():
            entry_path = (*path, key)
            old = target.get(key)
            if _NUMBER_IN.fullmatch(key) and self._is_formula(path, target.get(key.rpartition(":")[0])):
                self._apply_number(target, key, value, entry_path, source)
                continue
            if (
                len(entry_path) == 2
                and path[0] in self._grammar.removable
                and isinstance(value, dict)
                and "remove" in value
            ):
                self._remove(target, value, entry_path, source)
            elif _by_number(value) and not isinstance(old, dict) and _match(entry_path, self._grammar.numbered):
                target[key] = old if isinstance(old, list) else []
                self._apply_items(target[key], value, source, entry_path)
                if not target[key] and old is None:
                    del target[key]  # the failed addition has been reported already
            elif isinstance(value, dict) and isinstance(old, dict) and not _match(entry_path, self._grammar.whole):
                self.apply(old, value, source, entry_path)
            else:
                target[key] = deepcopy(value)
                self._problems.wrote(entry_path, source)

    def _is_formula(self, path: Path, value: Any) -> bool:
        above = any(_match(path[: len(pattern)], [pattern]) for pattern in self._grammar.formulas)
        return above and isinstance(value, str | int | list) and not isinstance(value, bool)

    def _apply_number(self, target: Entries, key: str, value: Any, path: Path, source: str) -> None:
        name, _, position = key.rpartition(":")
        change = self._grammar.with_number
        assert change is not None
        if not isinstance(value, int) or isinstance(value, bool):
            self._problems.wrote(path, source)
            self._problems.at(path, f"{value!r} is not accepted; accepted: a whole number")
            return
        try:
            target[name] = change(target[name], int(position), value)
        except ValueError as error:
            self._problems.wrote(path, source)
            self._problems.at(path, str(error))
        else:
            self._problems.wrote((*path[:-1], name), source)

    def _remove(self, known: Entries, entry: Entries, path: Path, source: str) -> None:
        name = path[-1]
        self._problems.wrote((*path, "remove"), source)
        if entry["remove"] is not True or len(entry) > 1:
            self._problems.at((*path, "remove"), "`remove = true` must be the only key")
        elif name not in known:
            self._problems.at(path, f"there is no entry with this name to remove{nearest(name, known)}")
        else:
            del known[name]

    def _apply_items(self, items: list[Any], patch: Entries, source: str, path: Path) -> None:
        what = self._grammar.numbered[_match(path, self._grammar.numbered) or path]
        removed = []
        for key, value in patch.items():
            item_path = (*path, key)
            number = int(key) if re.fullmatch(r"[1-9]", key) else 0
            if not 1 <= number <= len(items) + 1:
                self._problems.wrote(item_path, source)
                last = len(items)
                accepted = f"1 to {last} to change a {what}, {last + 1} to add one" if last else "1 to add the first"
                self._problems.at(item_path, f"no such {what}; accepted: {accepted}")
                continue
            if number == len(items) + 1:
                items.append({})
            if isinstance(value, dict) and value.get("remove") is True:
                removed.append(number)
            elif isinstance(value, dict) and isinstance(items[number - 1], dict):
                self.apply(items[number - 1], value, source, item_path)
            else:
                items[number - 1] = deepcopy(value)
                self._problems.wrote(item_path, source)
        for number in sorted(removed, reverse=True):
            del items[number - 1]


# --- single changes --------------------------------------------------------------------------------------------------


def path_of(change: str) -> Path:
    """Split the path of a change into names: ``cards.Town Hall.cost.ore=1`` gives cards, Town Hall, cost, ore.

    Names may be unquoted, including those with spaces.
    """
    left, _, _ = change.partition("=")  # names contain no "="
    return tuple(
        (part[1:-1] if len(part) >= 2 and part[0] == part[-1] and part[0] in "\"'" else part)
        for part in _split(left, ".")
    )


def parse_change(change: str, grammar: Grammar) -> tuple[Path, Any]:
    """Parse a ``--set`` argument such as ``cards.Palace.points=6`` into path and value; raise UserError if invalid.

    The value is written in TOML syntax, or as a bare word that stands for a string.
    """
    path, (_, equals, right) = path_of(change), change.partition("=")
    example = f"such as {grammar.example}"
    if not equals or not all(path) or not right.strip():
        raise UserError(f"--set {change!r} is not a change; accepted: path=value, {example}")
    head = path[0]
    if head not in grammar.heads:
        accepted = f"{', '.join(grammar.heads)}, {example}"
        raise UserError(f"--set {change!r}: unknown {head!r}{nearest(head, grammar.heads)}; accepted: {accepted}")
    value = _value(change, right.strip(), example)
    least = grammar.heads[head] - (1 if isinstance(value, dict) else 0)  # a table contains the field name itself
    if len(path) < least:
        raise UserError(f"--set {change!r} names no field of {dotted(path)}; accepted: path=value, {example}")
    return path, value


def nested(path: Sequence[str], value: Any) -> Entries:
    """Build a patch that sets the value at a path."""
    patch: Entries = {path[-1]: value}
    for name in reversed(path[:-1]):
        patch = {name: patch}
    return patch


def _value(change: str, text: str, example: str) -> Any:
    """Parse the value of a ``--set`` argument as TOML; a bare word becomes a string."""
    parsed = _parsed(text)
    if parsed is None:
        if _BARE_VALUE.fullmatch(text):
            return text
        accepted = f"a number, a word, true, false, [...] or {{ ... }}, {example}"
        raise UserError(f"--set {change!r}: {text!r} is not a value; accepted: {accepted}")
    if list(parsed) != ["value"]:
        raise UserError(f"--set {change!r} contains more than one value; give --set once for each")
    return parsed["value"]


def value_in_patch(text: str) -> str:
    """Format the value of a change as in a patch file, where a bare word becomes a quoted string."""
    return json.dumps(text, ensure_ascii=False) if _parsed(text) is None else text


def _parsed(text: str) -> Entries | None:
    """Parse ``value = text`` as TOML; return None if it is invalid."""
    import tomllib

    try:
        return tomllib.loads(f"value = {text}")
    except ValueError:
        return None


def _split(text: str, mark: str) -> list[str]:
    """Split text at ``mark`` outside quotes; a quote counts only at the start of a part (not in Smuggler's Cache)."""
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
