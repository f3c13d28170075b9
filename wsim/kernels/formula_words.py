"""The words of formulas that kernels run, in postfix order; a light module that formula readers can import.

A word is 256 * operand + an operation. The operand of a name, card, set of cards, counter or fact of a card is 4 * its
number + whose it is, that of a call 8 * the slot of the function + how many numbers it is handed; "ordered" has that of
a set of cards and takes the lowest and highest number in the order of building.
"""

from __future__ import annotations

from collections.abc import Mapping

OPERATIONS = (
    "end", "number", "name", "card", "cards", "counter", "event", "last", "neg", "not", "abs",
    "+", "-", "*", "//", "%", "<", "<=", "==", "!=", ">", ">=", "and", "or", "min", "max", "if", "call", "ordered",
)  # fmt: skip
OPERATION: Mapping[str, int] = {name: number for number, name in enumerate(OPERATIONS)}
FACT_BITS = 6  # of the number of a fact of a card; those above it say of which kind the card built last is
KIND_BITS = 4  # of that kind; those above it say which one of these it is
ORDERS = ("last", "first", "previous")
"""Which card of a city a fact is about: the last, the first, or the last but one that it built."""
LAST, FIRST, PREVIOUS = range(len(ORDERS))
MAX_WORDS = 120  # of a formula
DEPTH = 16  # numbers that a formula holds at once
MAX_RESULT = 1_000_000_000  # largest value of a formula: the product of two such numbers fits in 64 bits
HANDED = 4
"""The maximum number of arguments that a formula passes to a function in a file."""
