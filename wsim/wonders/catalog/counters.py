"""Counters (R70): named numbers, each of a city, a card or the table, that clauses change and formulas read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from wsim.spec.fields import Problems, Reader, Schema, read_fields, table_schema, whole, word
from wsim.spec.formula import Spans
from wsim.wonders import words as w

_NAME = re.compile(r"[a-z][a-z0-9_]{0,19}")
_BOUND = whole(0, w.MAX_COUNTER)
FIELDS: Mapping[str, Reader] = {
    "of": word("owner", w.COUNTER_OF),
    "lasts": word("duration", w.COUNTER_LASTS),
    "start": _BOUND,
    "least": _BOUND,
    "most": _BOUND,
}
_ABOUT = {
    "of": "who has it: each city (default), each card or stage that uses it, or the table",
    "lasts": "when it returns to its start: each turn, each age, or never in a game (default)",
    "start": "its value at the start; default: its least value",
    "least": "its least value; default: 0",
    "most": "its greatest value",
}


@dataclass(frozen=True, slots=True)
class Counter:
    """A named number that clauses change within its bounds; fields are named as in the card file."""

    name: str
    most: int
    of: str = "city"
    lasts: str = "game"
    least: int = 0
    start: int = 0

    def table(self) -> dict[str, Any]:
        """Return the counter as written in a card file."""
        fields = {"of": self.of, "lasts": self.lasts, "start": self.start, "least": self.least}
        return {name: value for name, value in fields.items() if value not in ("city", "game", 0)} | {"most": self.most}

    def text(self) -> str:
        """Return the counter in English, such as "one for each city; 0 to 9, 0 at the start of each age"."""
        owner = {"city": "each city", "card": "each card and stage that uses it, in each city", "table": "the table"}
        start = {"turn": "each turn", "age": "each age", "game": "the game"}[self.lasts]
        return f"one for {owner[self.of]}; {self.least} to {self.most}, {self.start} at the start of {start}"


def bounds_of(counters: Iterable[Counter]) -> Spans:
    """Return the bounds of each counter, by its name in formulas."""
    return {f"{w.COUNTER}.{counter.name}": (counter.least, counter.most) for counter in counters}


def counters_schema() -> Schema:
    """Return the schema of a counter."""
    schema = table_schema(FIELDS)
    for name, about in _ABOUT.items():
        schema["properties"][name]["description"] = about
    return schema


def read_counters(problems: Problems, entries: Mapping[str, Any]) -> tuple[Counter, ...]:
    """Return the valid counters of a card file, sorted by name."""
    counters = (_read(problems, name, entry) for name, entry in sorted(entries.items()))
    return tuple(counter for counter in counters if counter)


def _read(problems: Problems, name: str, entry: Any) -> Counter | None:
    path = ("counters", name)
    reported = len(problems.sentences)
    if not _NAME.fullmatch(name):
        problems.at(path, "is not accepted as a name; accepted: at most 20 of a-z, 0-9 and _, the first one a letter")
    fields = read_fields(problems, path, entry, FIELDS)
    if isinstance(entry, dict) and entry.get("most", False) is False:
        message = f"most is missing, and every counter needs a bound; accepted: 1 to {w.MAX_COUNTER}"
        problems.at(path, message)
    if len(problems.sentences) > reported:
        return None
    counter = Counter(name=name, **{"start": fields.get("least", 0), **fields})
    if counter.least >= counter.most:
        message = f"{counter.most} is not more than least, which is {counter.least}"
        problems.at((*path, "most"), f"{message}; accepted: {counter.least + 1} to {w.MAX_COUNTER}")
    elif not counter.least <= counter.start <= counter.most:
        message = f"{counter.start} is not accepted; accepted: {counter.least} to {counter.most}, the bounds"
        problems.at((*path, "start"), message)
    return counter
