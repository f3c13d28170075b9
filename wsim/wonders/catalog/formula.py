"""The names that formulas of 7 Wonders may use (R52); ``wsim.spec.formula`` parses them."""

from __future__ import annotations

from wsim.spec.formula import Spans, Vocabulary
from wsim.wonders.facts import CITY_FACTS, CITY_NAMES, NAME_NUMBER
from wsim.wonders.words import (
    BUILT_HOW,
    BUILT_WHEN,
    CARD_MARKS,
    CARD_NAME,
    CARD_NUMBERS,
    CARDS,
    FORMULA_CITIES,
    KNOWN_OF_CARD,
    LAST_BUILT,
    MAX_AMOUNT,
    MAX_COUNTER,
    MAX_PRICE,
    SEATS,
    TURNS,
    UNITS,
)

WIDEST: Spans = {
    **{name: fact.span for fact in CITY_FACTS for name in fact.asked_as},
    "age": (1, 3),
    "turn": (1, TURNS),
    "players": (2, SEATS),
    "purchase": (1, UNITS * MAX_PRICE),
    "amount": (0, MAX_AMOUNT),
}
"""The range of each name; a game in which a formula reads a value outside it is stopped."""
_NUMBERS: Spans = {**dict.fromkeys(CARD_NUMBERS, (0, 99 + UNITS)), "points": (-99, 99)}

VOCABULARY = Vocabulary(
    CITY_NAMES,
    tuple(NAME_NUMBER)[len(CITY_NAMES) :],
    WIDEST,
    FORMULA_CITIES,
    cards=True,
    facts={**_NUMBERS, **dict.fromkeys(CARD_MARKS, (0, 1))},
    files=True,
    counters=(0, MAX_COUNTER),
    title=CARD_NAME,
    of_event={**dict.fromkeys(BUILT_HOW, (0, 1)), BUILT_WHEN: (0, CARDS)},
    of_last=LAST_BUILT,
    order=BUILT_WHEN,
)
parse, code = VOCABULARY.parse, VOCABULARY.code
normal, written, with_number = VOCABULARY.normal, VOCABULARY.written, VOCABULARY.with_number

assert VOCABULARY.number == NAME_NUMBER
assert tuple(VOCABULARY.facts_of_cards) == KNOWN_OF_CARD
