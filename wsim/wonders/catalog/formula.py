"""What the formulas of 7 Wonders may ask for (R52); how they are read is ``wsim.spec.formula``."""

from __future__ import annotations

from wsim.spec.formula import Spans, Vocabulary
from wsim.wonders.words import (
    CARD_MARKS,
    CARD_NUMBERS,
    CITY_NAMES,
    FORMULA_CITIES,
    MOST_PRICE,
    NAME_NUMBER,
    RESOURCES,
    SEATS,
    STAGES,
    TURNS,
    UNIT_PRICES,
    UNITS,
)

WIDEST: Spans = {
    **dict.fromkeys(CITY_NAMES, (0, 255)),
    **dict.fromkeys(RESOURCES, (0, 127)),
    "coins": (0, 32767),
    **dict.fromkeys(("debts", "trade_paid", "trade_received", "coins_lost"), (0, 32767)),
    **dict.fromkeys(UNIT_PRICES, (0, MOST_PRICE)),
    "stages": (0, STAGES),
    "all_stages": (1, STAGES),
    "age": (1, 3),
    "turn": (1, TURNS),
    "players": (2, SEATS),
    "purchase": (1, UNITS * MOST_PRICE),
}
"""What names can stand for in any catalogue that is accepted: ``bounds`` proves that they stay within it."""
_FACTS: Spans = {**dict.fromkeys(CARD_NUMBERS, (0, 99 + UNITS)), **dict.fromkeys(CARD_MARKS, (0, 1))}

VOCABULARY = Vocabulary(
    CITY_NAMES, tuple(NAME_NUMBER)[len(CITY_NAMES) :], WIDEST, FORMULA_CITIES, cards=True, facts=_FACTS, files=True
)
parse, code = VOCABULARY.parse, VOCABULARY.code
normal, written, with_number = VOCABULARY.normal, VOCABULARY.written, VOCABULARY.with_number

assert VOCABULARY.number == NAME_NUMBER
