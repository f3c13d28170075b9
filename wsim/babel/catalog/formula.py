"""The names that formulas of Tower of Babel may use (A33), and a reader; ``wsim.spec.formula`` parses formulas."""

from __future__ import annotations

from typing import Any

from wsim.babel.facts import SEAT_FACTS, SEAT_NAMES
from wsim.babel.words import MIN_SEATS, SEATS, TABLE_NAMES, WONDERS
from wsim.spec.fields import Path, Problems, Reader, described, schema_of, whole
from wsim.spec.formula import FormulaError, Vocabulary, span

VOCABULARY = Vocabulary(
    SEAT_NAMES,
    TABLE_NAMES,
    {
        **{name: fact.span for fact in SEAT_FACTS for name in fact.asked_as},
        "completed": (0, WONDERS),
        "turn": (1, 1000),
        "players": (MIN_SEATS, SEATS),
    },
)


def points(low: int, high: int) -> Reader:
    """Return a reader for a whole number, or for a formula that stays within the same bounds."""
    number = whole(low, high)

    def read(problems: Problems, path: Path, value: Any) -> int | str | None:
        if not isinstance(value, str):
            whole_number: int | None = number(problems, path, value)
            return whole_number
        try:
            least, most = span(VOCABULARY.parse(value), VOCABULARY.widest)
        except FormulaError as error:
            problems.at(path, str(error))
            return None
        if least < low or most > high:
            problems.at(
                path,
                f"{value!r} can reach {least:,} to {most:,}; accepted: {low} to {high}, for example with max(0, ...)",
            )
            return None
        return VOCABULARY.normal(value)

    return described({"anyOf": [schema_of(number), {"type": "string", "minLength": 1}]})(read)


def with_number(value: Any, index: int, number: int) -> str:
    """Replace one of the numbers in a formula, and return the new formula."""
    return VOCABULARY.with_number(str(value), index, number)
