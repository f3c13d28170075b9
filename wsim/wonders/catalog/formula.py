"""The names that formulas of 7 Wonders may use (R52); ``wsim.spec.formula`` parses them."""

from __future__ import annotations

from wsim.spec.formula import Spans, Vocabulary
from wsim.wonders.facts import CITY_FACTS, CITY_NAMES, NAME_NUMBER
from wsim.wonders.words import CARD_MARKS, CARD_NUMBERS, FORMULA_CITIES, MAX_PRICE, SEATS, TURNS, UNITS

WIDEST: Spans = {
    **{name: fact.span for fact in CITY_FACTS for name in fact.asked_as},
    "age": (1, 3),
    "turn": (1, TURNS),
    "players": (2, SEATS),
    "purchase": (1, UNITS * MAX_PRICE),
}
"""The range of each name; a game in which a formula reads a value outside it is stopped."""
_FACTS: Spans = {**dict.fromkeys(CARD_NUMBERS, (0, 99 + UNITS)), **dict.fromkeys(CARD_MARKS, (0, 1))}

VOCABULARY = Vocabulary(
    CITY_NAMES, tuple(NAME_NUMBER)[len(CITY_NAMES) :], WIDEST, FORMULA_CITIES, cards=True, facts=_FACTS, files=True
)
parse, code = VOCABULARY.parse, VOCABULARY.code
normal, written, with_number = VOCABULARY.normal, VOCABULARY.written, VOCABULARY.with_number

assert VOCABULARY.number == NAME_NUMBER
