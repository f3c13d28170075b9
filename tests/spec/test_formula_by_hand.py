"""Formulas compared with Python itself: values, words and ranges of every operation, and limits of acceptance."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from wsim.kernels.formula_words import HANDED, OPERATION, OPERATIONS
from wsim.spec.formula import MAX_LETTERS, FormulaError, Vocabulary, evaluate_node, slots_in, span

SPANS = {"a": (0, 3), "b": (-2, 2), "t": (1, 3), "cards": (0, 40)}
TOY = Vocabulary(
    ("a", "b"), ("t",), SPANS, whose=("", "left", "right"), cards=True, facts={"cost": (0, 9), "red": (0, 1)},
    files=True, counters=(-5, 99), title="name", of_event={"paid": (0, 20)}, of_last=("blue", "grey"),
)  # fmt: skip
TEXTS = (
    "a + 2 * b - t", "-(a - b)", "abs(b) * a", "min(a, b, t)", "max(a, b, t)", "a // t", "b // t", "b % t",
    "a % -t", "7 // -t", "-7 % t", "a if b > 0 else t", "a if b >= 0 and not t == 2 else 5", "a == 3 or b < a < t",
    "a != b", "a <= b", "(a > 1) + (b >= 1) * 2", "b ** 3", "a ** 1", "t ** 4 - b ** 2",
    "0 if not (a > 2) else 1", "a - (b - t)", "a - b - t", "(a // t) // 2",
)  # fmt: skip


def values(text: str) -> list[tuple[dict[str, int], int]]:
    """Evaluate a formula in Python for all combinations of its variables."""
    ranges = [range(SPANS[name][0], SPANS[name][1] + 1) for name in "abt"]
    names = [dict(zip("abt", numbers, strict=True)) for numbers in product(*ranges)]
    return [(each, int(eval(text, {}, {**each, "min": min, "max": max, "abs": abs}))) for each in names]


def run(words: list[int], numbers: dict[str, int]) -> int:
    """Execute the words of a formula on a stack."""
    stack: list[int] = []
    signs = ("+", "-", "*", "//", "%", "<", "<=", "==", "!=", ">", ">=")
    two = {sign: eval(f"lambda x, y: x {sign} y") for sign in signs}
    two |= {"min": min, "max": max, "and": min, "or": max}
    for word in words:
        kind, operand = OPERATIONS[word & 0xFF], word >> 8
        if kind == "end":
            break
        if kind in ("number", "name"):
            stack.append(operand if kind == "number" else numbers["abt"[operand >> 2]])
        elif kind in ("neg", "not", "abs"):
            stack.append({"neg": int.__neg__, "not": lambda x: 1 - x, "abs": abs}[kind](stack.pop()))
        elif kind == "if":
            yes, no, test = stack[-3:]
            stack[-3:] = [yes if test else no]
        else:
            second, first = stack.pop(), stack.pop()
            stack.append(int(two[kind](first, second)))
    assert len(stack) == 1
    return stack[0]


@pytest.mark.parametrize("text", TEXTS)
def test_formula_values_and_ranges_match_python(text: str) -> None:
    node, found = TOY.parse(text), values(text)
    assert [evaluate_node(node, names) for names, _ in found] == [value for _, value in found]
    words = TOY.code(node)
    assert [run(words, names) for names, _ in found] == [value for _, value in found]
    low, high = span(node, SPANS)
    assert low <= min(value for _, value in found)
    assert max(value for _, value in found) <= high


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a + b", (-2, 5)), ("a - b", (-2, 5)), ("b - a", (-5, 2)), ("b * b", (-4, 4)), ("-a", (-3, 0)),
        ("a // t", (0, 3)), ("b // t", (-2, 2)), ("a % 4", (0, 3)), ("a % 3", (0, 2)), ("b % 3", (0, 2)),
        ("a % t", (0, 2)), ("a % -t", (-2, 0)), ("abs(b)", (0, 2)), ("abs(b - 3)", (1, 5)), ("abs(a + 1)", (1, 4)),
        ("min(a, b)", (-2, 2)), ("max(a, b)", (0, 3)), ("sets(a, t)", (0, 3)), ("count(a > 1, b > 1, t > 1)", (0, 3)),
        ("a if b > 1 else 9", (0, 9)), ("7 if b > 1 else b", (-2, 7)), ("a > 1", (0, 1)), ("5", (5, 5)),
        ("left.b", (-2, 2)), ("count('Palace')", (0, 1)), ("count(card.red)", (0, 40)),
        ("left.count(card.cost > 2)", (0, 40)), ("counter.x", (-5, 99)), ("card.paid", (0, 20)), ("card.cost", (0, 9)),
        ("right.last.grey.cost", (0, 9)), ("first.blue.cost", (0, 9)), ("left.previous.grey.red", (0, 1)),
        ("last.grey.name == 'Palace'", (0, 1)), ("card.name not in ('Palace', 'Altar')", (0, 1)),
        ("f.g(a, least=-1, most=4)", (-1, 4)), ("b ** 2", (-4, 4)),
    ],
)  # fmt: skip
def test_the_range_of_each_operation(text: str, expected: tuple[int, int]) -> None:
    assert span(TOY.parse(text), SPANS) == expected


def test_formula_words_encode_whose_number_is_read() -> None:
    """256 times the operand: 4 times the number of a name, plus whose it is; 8 times a slot, plus what is handed."""

    def operands(text: str, **more: Any) -> list[tuple[str, int]]:
        return [(OPERATIONS[word & 0xFF], word >> 8) for word in TOY.code(TOY.parse(text), **more)][:-1]

    assert operands("t + right.b - left.a") == [
        ("name", 2 << 2), ("name", 1 << 2 | 2), ("+", 0), ("name", 0 << 2 | 1), ("-", 0)
    ]  # fmt: skip
    named = {"Palace": 7, "card.red": 3}
    assert operands("count('Palace', card.red)", number=named) == [("card", 28), ("cards", 12), ("+", 0)]
    assert operands("left.count(card.red)", number=named) == [("cards", 13)]
    assert operands("card.paid + card.cost") == [("event", 3 << 2), ("event", 0), ("+", 0)]
    assert operands("last.grey.red") == [("last", (1 << 6 | 1) << 2)]
    assert operands("left.previous.grey.red") == [("last", (2 << 10 | 1 << 6 | 1) << 2 | 1)]
    assert operands("first.blue.name == 'Palace'", number={"named.Palace": 8}) == [
        ("last", (1 << 10 | 2) << 2), ("number", 8), ("==", 0)
    ]  # fmt: skip
    assert operands("left.counter.x", number={"counter.x": 5}) == [("counter", 21)]
    assert operands("f.g(a, b, least=0, most=1)", slot=lambda node: 9 if node.name == "g" else 0) == [
        ("name", 0), ("name", 4), ("call", 9 << 3 | 2)
    ]  # fmt: skip
    assert operands("f.g(least=0, most=1)") == [("call", 0)]
    words = TOY.code(TOY.parse("f.g(a, least=0, most=1) + f.h(least=0, most=1)"), slot=lambda node: len(node.parts) + 4)
    assert slots_in(words) == {5, 4}
    assert [node.kind for node in TOY.parse("a if b > 0 else t").walk()] == [
        "if",
        "name",
        "name",
        ">",
        "name",
        "number",
    ]
    assert words[-1] == OPERATION["end"]


@pytest.mark.parametrize(
    ("accepted", "refused", "words"),
    [
        ("1_000_000", "1_000_001", "a number can be at most 1,000,000"),
        ("a ** 4", "a ** 5", "an exponent must be a number from 1 to 4"),
        ("a ** 1", "a ** 0", "an exponent must be a number from 1 to 4"),
        ("min(a, b)", "min(a)", "1 argument is not accepted; accepted: 2 to 12 arguments"),
        (f"max({', '.join('a' * 12)})", f"max({', '.join('a' * 13)})", "13 arguments are not accepted"),
        ("abs(a)", "abs(a, b)", "2 arguments are not accepted; accepted: one argument"),
        ("count(a > 1)", "count()", "0 arguments are not accepted; accepted: 1 to 12 arguments"),
        (f"f.g({', '.join('a' * HANDED)}, least=0, most=0)", f"f.g({', '.join('a' * (HANDED + 1))}, least=0, most=0)",
         "takes at most 4 numbers"),
        ("f.g(least=0, most=0)", "f.g(least=1, most=0)", "needs the bounds of its result"),
        ("f.g(least=-1_000_000, most=0)", "f.g(least=-1_000_001, most=0)", "needs the bounds of its result"),
        ("a // t", "a // b", "'b', at character 6: could be 0, and division by 0 is not allowed; divide by max(1, b)"),
        ("a % (t - 4)", "a % (t - 3)", "could be 0"),
        ("a // -t", "a // -a", "could be 0, and division by 0 is not allowed"),
        ("a > 1 and b > 1", "a and b > 1", "is a number where a condition is needed"),
        ("1 if card.red else 0", "1 if card.cost else 0", "is a number where a condition is needed"),
        ("last.blue.cost", "last.blue", "such as last.blue.cost"),
        ("card.name == 'Palace'", "card.name == a", "is not a card name"),
        ("card.name == last.blue.name", "card.name", "a name is not a number"),
        ("card.name in ('Palace', 'Altar')", "card.name in ('Palace', 3)", "'3', at character 25: is not a card name"),
        ("last.blue.cost", "last.red.cost", "unknown colour 'red'"),
        ("counter.x", "counter.x.y", "such as counter.favour"),
        ("card.paid", "count(card.paid > 1)", "known only for the structure that was just built"),
        ("left.a", "left.t", "unknown name 't'"),
        ("count(card.cost > 1)", "count(card.cost > a)", "is not known for a counted structure"),
        ("a" + " " * (MAX_LETTERS - 1), "a" + " " * MAX_LETTERS, "301 characters is too long; accepted: at most 300"),
    ],
)  # fmt: skip
def test_formula_limits_are_exact(accepted: str, refused: str, words: str) -> None:
    TOY.parse(accepted)
    with pytest.raises(FormulaError) as caught:
        TOY.parse(refused)
    assert words in str(caught.value)


def test_formula_literals_follow_the_rules_of_the_reader() -> None:
    text = "f.g(2, least=7, most=9) + max(10, a) * (3 if t > 1 else -4)"
    assert [value for _, value in TOY.written(text)] == [2, 10, 3, 1, 4]
    assert TOY.with_number(text, 2, -5) == "f.g(2, least=7, most=9) + max((-5), a) * (3 if t > 1 else -4)"
    assert TOY.with_number("a+0", 1, 12) == "a + 12"
    for position in (0, 6):
        with pytest.raises(FormulaError, match=rf"has no number {position}; accepted: 1 \(the 2\), 2 \(the 10\), "):
            TOY.with_number(text, position, 1)
    with pytest.raises(FormulaError, match="accepted: none"):
        TOY.with_number("a", 1, 1)
