"""The records of a catalogue of Tower of Babel: discs, unprinted values, and the catalogue itself; without I/O."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from wsim.babel.words import KINDS, LEVELS

SECTION = "babel"
_NEEDED = {
    "two_colour": "use_two_colour_discs",
    "rules.set_table_cap": "use_two_colour_discs",
    "action_cards": "use_action_cards",
}
"""Entries that matter only if a switch is on."""


@dataclass(frozen=True)
class Disc:
    """A disc: the kinds that it shows, each with the number of cards that it needs, in the order of ``KINDS``."""

    needs: tuple[tuple[str, int], ...]

    def __str__(self) -> str:
        return " + ".join(f"{kind} {number}" for kind, number in self.needs)


@dataclass(frozen=True)
class Assumption:
    """A value in use that does not appear in any available rules text.

    Attributes
    ----------
    entry: its path below ``[babel]``. value: the value in use. level: assumed, inferred or one_source.
    note: what is known about it. changed: whether this run changed the value of the card file.
    """

    entry: str
    value: Any
    level: str
    note: str
    changed: bool

    def __str__(self) -> str:
        changed = ", changed for this run" if self.changed else ""
        return f"{LEVELS[self.level]}{changed}: {SECTION}.{self.entry} = {json.dumps(self.value)} ({self.note})"


@dataclass(frozen=True)
class Catalogue:
    """The checked section ``[babel]``: plain values by the names of babel.toml.

    Attributes
    ----------
    section: the whole section, with patches and changes. base: the section of the card file alone.
    source: the card file. changes: the patch files and the single changes, as given.
    """

    section: Mapping[str, Any]
    base: Mapping[str, Any]
    source: str
    changes: tuple[str, ...]

    @property
    def ruleset(self) -> str:
        """The name of the rule set."""
        return str(self.section["ruleset"])

    @property
    def rules(self) -> Mapping[str, Any]:
        """The switches of the rules."""
        rules: Mapping[str, Any] = self.section["rules"]
        return rules

    @property
    def wonders(self) -> tuple[str, ...]:
        """The names of the eight wonders."""
        return tuple(self.section["wonders"].values())

    @property
    def discs(self) -> tuple[Disc, ...]:
        """The 24 discs of a game: kinds in the order of ``KINDS``, numbers ascending, two-colour discs last."""
        if not self.rules["use_two_colour_discs"]:
            return tuple(Disc(((kind, number),)) for kind in KINDS for number in sorted(self.section["discs"][kind]))
        boxed = self.section["two_colour"]["boxed"]
        discs: list[Disc] = []
        for kind in KINDS:
            numbers = sorted(self.section["discs"][kind])
            numbers.remove(boxed)
            discs += [Disc(((kind, number),)) for number in numbers]
        return (*discs, *self.two_colour_discs)

    @property
    def two_colour_discs(self) -> tuple[Disc, ...]:
        """The four discs of the two-colour variant."""
        entries = (value for key, value in self.section["two_colour"].items() if key != "boxed")
        return tuple(Disc(tuple((kind, entry[kind]) for kind in KINDS if kind in entry)) for entry in entries)

    @property
    def digest(self) -> str:
        """A digest of everything that can change play: catalogues with equal digests play equal games."""
        content = {key: value for key, value in self.section.items() if key != "confidence"}
        text = json.dumps(content, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def changed(self) -> tuple[tuple[str, Any], ...]:
        """Return the entries below ``[babel]`` that differ from the card file, with their values."""
        current, base = leaves(self.section), leaves(self.base)
        names = [entry for entry in {**current, **base} if not entry.startswith("confidence.")]
        return tuple((entry, current.get(entry)) for entry in names if current.get(entry) != base.get(entry))

    def value(self, entry: str) -> Any:
        """Return the value at a dotted path below ``[babel]``."""
        return value_at(self.section, entry)

    def assumptions(self) -> tuple[Assumption, ...]:
        """Return the values in use that are not verified, assumed values first."""
        return tuple(
            Assumption(entry, self.value(entry), level, note, self.value(entry) != value_at(self.base, entry))
            for level in LEVELS
            for entry, note in self.section["confidence"].get(level, {}).items()
            if self._in_force(entry)
        )

    def _in_force(self, entry: str) -> bool:
        """Return whether an entry has any effect under the switches of this catalogue."""
        needed = next((switch for start, switch in _NEEDED.items() if entry.startswith(start)), None)
        return needed is None or bool(self.rules[needed])


def leaves(section: Mapping[str, Any], above: str = "") -> dict[str, Any]:
    """Flatten a table and its subtables to a dict keyed by dotted path; lists count as values."""
    values: dict[str, Any] = {}
    for key, value in section.items():
        if isinstance(value, Mapping):
            values |= leaves(value, f"{above}{key}.")
        else:
            values[f"{above}{key}"] = list(value) if isinstance(value, tuple) else value
    return values


def value_at(section: Mapping[str, Any], entry: str) -> Any:
    """Return the value at a dotted path, or None if the path does not exist."""
    value: Any = section
    for key in entry.split("."):
        value = value.get(key) if isinstance(value, Mapping) else None
    return value
