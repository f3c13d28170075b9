"""Formulas of a card file: whole numbers of what everybody at the table knows, written in the syntax of Python.

A formula is parsed with ``ast`` into nodes of a closed list; nothing of it is ever executed as Python. Of its nodes are
made: the range of what it can come to (``span``) and the words that kernels run (``Vocabulary.code``). What a formula
may ask for is the ``Vocabulary`` of a game. A mistake is a ``FormulaError``: one sentence with the place.
"""

from __future__ import annotations

import ast
import operator
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import product

from wsim.errors import nearest
from wsim.kernels.formula_words import DEPTH, HANDED, MOST_WORDS, OPERATION

LONGEST = 300  # letters
MOST_WRITTEN = 1_000_000
MOST = 1_000_000_000  # what any part may come to: far from where 64 bits end
MOST_POWER = 4
Span = tuple[int, int]
"""The least and the greatest number that something can come to."""
Spans = Mapping[str, Span]

_ARITHMETIC: Mapping[type[ast.AST], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.FloorDiv: "//", ast.Mod: "%",
}  # fmt: skip
_COMPARISONS: Mapping[type[ast.AST], str] = {
    ast.Lt: "<", ast.LtE: "<=", ast.Eq: "==", ast.NotEq: "!=", ast.Gt: ">", ast.GtE: ">=",
}  # fmt: skip
_CONDITIONS = frozenset((*_COMPARISONS.values(), "and", "or", "not"))
_FUNCTIONS = ("min", "max", "abs", "count", "sets")
_NOT_OF_CARD = "is not known of a structure that is counted; accepted: card.cost, card.red, ..."
_ELSEWHERE: Mapping[str, str] = {
    r"(?<![<>=!:])=(?!=)": "what is equal is written ==",
    r"&": "`and` is written out",
    r"\|": "`or` is written out",
    r"\?|\bthen\b": "a choice is written `2 if red > 1 else 3`",
    r"^\s*if\b": "a choice is written `2 if red > 1 else 3`",
    r"!(?!=)": "`not` is written out",
    r"[≤≥≠]": "compare with <=, >= or !=",
    r"\d[ .]*[A-Za-z]": "a product is written 2 * red",
}
"""What other languages write, and how it is written here."""
_WRITTEN = "numbers, names, + - * // % **, < <= == != > >=, and, or, not, `x if c else y`, " + ", ".join(_FUNCTIONS)


class FormulaError(ValueError):
    """What is wrong with a formula, in one sentence that names the part to blame."""


@dataclass(frozen=True, slots=True)
class Node:
    """A part of a formula.

    Attributes
    ----------
    kind: "number", "name", "card", "cards" (those of which its part holds), "fact" (of a card) or what is done with the
        parts (``formula_words``, "count", "sets").
    text: as it is written. at: its first letter, from 1.
    value: of a number. name: of a name, card, fact or function, of cards what must hold. whose: one of those of the
        vocabulary, or the file of a function. bounds: what a function may return, or a fact can be.
    """

    kind: str
    text: str
    at: int
    parts: tuple[Node, ...] = ()
    value: int = 0
    name: str = ""
    whose: str = ""
    bounds: Span = (0, 0)

    @property
    def is_condition(self) -> bool:
        """Whether it holds or does not, which counts as 1 or 0."""
        return self.kind in _CONDITIONS or (self.kind == "fact" and self.bounds == (0, 1))

    def walk(self) -> Iterator[Node]:
        """Yield the node and everything below it."""
        yield self
        for part in self.parts:
            yield from part.walk()


# --- reading ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """What the formulas of a game may ask for, and how they are read.

    Attributes
    ----------
    cities: names of what is known of a city (or a seat). table: of the table; they are numbered on from those.
    whose: whose city a name may speak of, "" first: the one that the formula belongs to.
    widest: what names can stand for in any catalogue that is accepted: its bounds prove that they stay within it.
    cards: whether ``count`` counts cards by name. facts: what it may ask of those that it counts, with its span; of
        (0, 1) are those that hold or not. files: whether functions of files may be called.
    """

    cities: Sequence[str]
    table: Sequence[str]
    widest: Spans
    whose: Sequence[str] = ("",)
    cards: bool = False
    facts: Spans = field(default_factory=dict)
    files: bool = False

    @cached_property
    def number(self) -> Mapping[str, int]:
        """The number of each name, for the words that kernels run."""
        return {name: number for number, name in enumerate((*self.cities, *self.table))}

    def parse(self, text: str) -> Node:
        """Return the nodes of a formula; raise FormulaError for anything that is none."""
        return _parsed(self, text)

    def normal(self, text: str) -> str:
        """Return a formula as Python would write it, so that spaces and brackets make no other formula of it."""
        self.parse(text)
        return ast.unparse(ast.parse(text, mode="eval"))

    def written(self, text: str) -> list[tuple[int, int]]:
        """Return the numbers that are written in a formula: where each begins in its normal form, and what it is.

        The bounds of a function are none of them: they say what must hold.
        """
        parts = list(ast.walk(ast.parse(self.normal(text), mode="eval")))
        bounds = {id(one) for part in parts if isinstance(part, ast.keyword) for one in ast.walk(part)}
        constants = [part for part in parts if isinstance(part, ast.Constant) and id(part) not in bounds]
        return sorted((part.col_offset, part.value) for part in constants if isinstance(part.value, int))

    def with_number(self, text: str, place: int, value: int) -> str:
        """Return a formula with another number at a place, from 1; raise FormulaError if there is none."""
        there = self.written(text)
        if not 1 <= place <= len(there):
            accepted = ", ".join(f"{number} (the {value})" for number, (_, value) in enumerate(there, start=1))
            raise FormulaError(f"{text!r} has no number {place}; accepted: {accepted or 'none'}")
        at, number = there[place - 1]
        before = self.normal(text).encode()  # Python counts bytes
        return (
            before[:at] + (f"{value}" if value >= 0 else f"({value})").encode() + before[at + len(str(number)) :]
        ).decode()

    def code(
        self, node: Node, number: Mapping[str, int] | None = None, slot: Callable[[Node], int] | None = None
    ) -> list[int]:
        """Return the words of a formula in postfix order (``formula_words``); ``number`` is that of cards and of sets.

        ``slot`` says where a function of a file is found while playing.
        """
        return [*self.words(node, number or {}, slot)[0], OPERATION["end"]]

    def words(self, node: Node, number: Mapping[str, int], slot: Callable[[Node], int] | None) -> tuple[list[int], int]:
        """Return the words of a node, and how many numbers they hold at once."""
        if node.kind == "call":
            handed = [self.words(part, number, slot) for part in node.parts]
            operand = (slot(node) if slot else 0) << 3 | len(handed)
            words = [word for part, _ in handed for word in part]
            held = max((place + depth for place, (_, depth) in enumerate(handed)), default=1)
            return [*words, operand << 8 | OPERATION["call"]], held
        if not node.parts or node.kind == "cards":
            operand = node.value
            if node.kind != "number":
                named = self.number[node.name] if node.kind == "name" else number.get(node.name, 0)
                operand = named << 2 | self.whose.index(node.whose)
            return [operand << 8 | OPERATION[node.kind]], 1
        operation = {"count": "+", "sets": "min"}.get(node.kind, node.kind)
        words = []
        deepest = 0
        for place, part in enumerate(node.parts):
            more, depth = self.words(part, number, slot)
            held = place if operation == "if" else min(place, 1)
            words += more
            deepest = max(deepest, held + depth)
            if place and operation != "if":
                words.append(OPERATION[operation])
        if operation in ("if", "neg", "not", "abs"):
            words.append(OPERATION[operation])
        return words, deepest


@lru_cache(maxsize=4096)
def _parsed(vocabulary: Vocabulary, text: str) -> Node:
    """Return the nodes of a formula; raise FormulaError for anything that is none."""
    if len(text) > LONGEST:
        raise FormulaError(f"a formula of {len(text)} letters is too long; accepted: at most {LONGEST}")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of Python, about what is refused below
            tree = ast.parse(text, mode="eval").body
    except SyntaxError as error:
        place = f", at letter {min(error.offset, len(text))}" if error.offset and text.strip() else ""
        hint = next((f"; {hint}" for sign, hint in _ELSEWHERE.items() if re.search(sign, text)), "")
        raise FormulaError(f"{text!r}{place}: this is no formula{hint}; accepted: {_WRITTEN}") from None
    except (ValueError, RecursionError, MemoryError):
        raise FormulaError(f"{text!r} is no formula; accepted: {_WRITTEN}") from None
    found = _Reader(text, vocabulary).node(tree)
    span(found, vocabulary.widest)
    words, depth = vocabulary.words(found, {}, None)
    if depth > DEPTH or len(words) > MOST_WORDS:
        raise FormulaError(f"{text!r} is nested too deeply or too long; divide it into several effects")
    return found


@dataclass(frozen=True)
class _Reader:
    """Makes nodes of the tree of a formula; ``of_card``: of what must hold of a structure for it to be counted."""

    text: str
    vocabulary: Vocabulary
    of_card: bool = False

    def node(self, tree: ast.expr) -> Node:
        """Return a part of the tree as a node."""
        match tree:
            case ast.Constant(value=bool()) | ast.Constant(value=float()):
                raise self.mistake(tree, "only whole numbers are accepted")
            case ast.Constant(value=int(value)):
                if value > MOST_WRITTEN:
                    raise self.mistake(tree, f"a written number is at most {MOST_WRITTEN:,}")
                return self.made(tree, "number", value=value)
            case ast.Constant(value=str()):
                said = "the name of a card stands in count(...)"
                raise self.mistake(tree, said if self.vocabulary.cards else "texts are not accepted in a formula")
            case ast.Name(id=name):
                return self.named(tree, "", name)
            case ast.Attribute(value=ast.Name(id="card"), attr=name) if self.vocabulary.facts:
                return self.fact(tree, name)
            case ast.Attribute(value=ast.Name(id=whose), attr=name) if whose in self.vocabulary.whose[1:]:
                return self.named(tree, whose, name)
            case ast.Attribute(value=ast.Name(id=whose)):
                accepted = self.vocabulary.whose[1:]
                said = f"unknown city {whose!r}{nearest(whose, accepted)}; accepted: {', '.join(accepted)}"
                if not accepted:
                    said = "a formula of this game speaks of nobody else; accepted: names alone"
                raise self.mistake(tree, said)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return self.made(tree, "neg", self.node(operand))
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return self.made(tree, "not", self.condition(operand))
            case ast.BinOp(left=left, op=ast.Pow(), right=right):
                return self.power(tree, left, right)
            case ast.BinOp(op=ast.Div()):
                raise self.mistake(tree, "a formula has whole numbers; divide with //, which rounds down")
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _ARITHMETIC:
                return self.made(tree, _ARITHMETIC[type(op)], self.node(left), self.node(right))
            case ast.BoolOp(op=op, values=values):
                kind = "and" if isinstance(op, ast.And) else "or"
                return self.made(tree, kind, *map(self.condition, values))
            case ast.Compare(left=left, ops=ops, comparators=right) if all(type(op) in _COMPARISONS for op in ops):
                sides = list(map(self.node, (left, *right)))
                found = [
                    self.made(tree, _COMPARISONS[type(op)], one, other)
                    for op, one, other in zip(ops, sides, sides[1:], strict=False)
                ]
                return found[0] if len(found) == 1 else self.made(tree, "and", *found)
            case ast.IfExp(test=test, body=body, orelse=other):
                return self.made(tree, "if", self.node(body), self.node(other), self.condition(test))
            case ast.Call():
                return self.called(tree)
        raise self.mistake(tree, f"is not accepted in a formula; accepted: {_WRITTEN}")

    def made(self, tree: ast.expr, kind: str, *parts: Node, **more: int | str) -> Node:
        """Return a node for a part of the tree."""
        return Node(kind, self.source(tree), self.place(tree), parts, **more)  # type: ignore[arg-type]

    def source(self, tree: ast.expr) -> str:
        """Return a part of the tree as it is written."""
        return ast.get_source_segment(self.text, tree) or self.text

    def place(self, tree: ast.expr) -> int:
        """Return the first letter of a part, from 1; Python counts bytes."""
        return 1 + len(self.text.encode()[: tree.col_offset].decode())

    def mistake(self, tree: ast.expr, said: str) -> FormulaError:
        """Return a mistake at a part of the tree."""
        return FormulaError(f"{self.source(tree)!r}, at letter {self.place(tree)}: {said}")

    def named(self, tree: ast.expr, whose: str, name: str) -> Node:
        """Return what is known of a city or the table, by name."""
        if self.of_card:
            raise self.mistake(tree, _NOT_OF_CARD)
        accepted = self.vocabulary.cities if whose else self.vocabulary.number
        if name not in accepted and self.vocabulary.cards and name[:1].isupper():
            raise self.mistake(tree, f"unknown name {name!r}; a card stands in quotes: count({name!r})")
        if name not in accepted:
            raise self.mistake(tree, f"unknown name {name!r}{nearest(name, accepted)}; accepted: {', '.join(accepted)}")
        return self.made(tree, "name", name=name, whose=whose)

    def fact(self, tree: ast.expr, name: str) -> Node:
        """Return what is known of a structure that is counted."""
        accepted = self.vocabulary.facts
        if not self.of_card:
            raise self.mistake(tree, "is asked of structures that are counted; accepted: count(card.cost > 2)")
        if name not in accepted:
            raise self.mistake(tree, f"unknown name {name!r}{nearest(name, accepted)}; accepted: {', '.join(accepted)}")
        return Node("fact", self.source(tree), self.place(tree), name=name, bounds=accepted[name])

    def condition(self, tree: ast.expr) -> Node:
        """Return a part that must hold or not."""
        found = self.node(tree)
        if not found.is_condition:
            raise self.mistake(tree, f"is a number where a condition is needed, such as {self.source(tree)} > 0")
        return found

    def power(self, tree: ast.expr, left: ast.expr, right: ast.expr) -> Node:
        """Return a power: a product of the same part."""
        times = self.node(right)
        if times.kind != "number" or not 1 <= times.value <= MOST_POWER:
            raise self.mistake(right, f"a power is a written number from 1 to {MOST_POWER}")
        base = self.node(left)
        found = base
        for _ in range(times.value - 1):
            found = self.made(tree, "*", found, base)
        return found

    def called(self, tree: ast.Call) -> Node:
        """Return a function of its parts."""
        match tree.func:
            case ast.Name(id=name) if name in _FUNCTIONS:
                whose = ""
            case ast.Attribute(value=ast.Name(id=whose), attr="count") if whose in self.vocabulary.whose[1:]:
                name = "count"
            case ast.Attribute(value=ast.Name(id=file), attr=name) if tree.keywords and self.vocabulary.files:
                return self.of_file(tree, file, name)
            case _:
                name = self.source(tree.func)
                said = f"unknown function {name!r}{nearest(name, _FUNCTIONS)}; accepted: {', '.join(_FUNCTIONS)}"
                if isinstance(tree.func, ast.Attribute) and self.vocabulary.files:
                    said += f", or one of the file that `effects` names, with its bounds: {name}(least=0, most=5)"
                raise self.mistake(tree, said)
        if tree.keywords or any(isinstance(part, ast.Starred) for part in tree.args):
            raise self.mistake(tree, f"{name} takes its parts one by one")
        least, most = (1, 1) if name == "abs" else (1 if name == "count" else 2, 12)
        if not least <= len(tree.args) <= most:
            accepted = f"{least} to {most} parts" if most > least else "one part"
            raise self.mistake(tree, f"{len(tree.args)} parts are not accepted; accepted: {accepted}")
        if name == "count":
            return self.made(tree, "count", *(self.counted(part, whose) for part in tree.args))
        return self.made(tree, name, *map(self.node, tree.args))

    def of_file(self, tree: ast.Call, file: str, name: str) -> Node:
        """Return a function of the file that ``effects`` names, with the bounds that are written for it."""
        if self.of_card:
            raise self.mistake(tree, _NOT_OF_CARD)
        written: dict[str, int] = {}
        for one in tree.keywords:
            with suppress(ValueError, TypeError):
                value = ast.literal_eval(one.value)
                if one.arg in ("least", "most") and type(value) is int and abs(value) <= MOST_WRITTEN:
                    written[one.arg] = value
        if len(tree.keywords) != 2 or written.keys() != {"least", "most"} or written["least"] > written["most"]:
            said = "a function of a file is written with what it returns at least and at most, two whole numbers"
            raise self.mistake(tree, f"{said}; accepted: {file}.{name}(..., least=0, most=5)")
        if len(tree.args) > HANDED or any(isinstance(part, ast.Starred) for part in tree.args):
            raise self.mistake(tree, f"a function of a file is handed at most {HANDED} numbers, one by one")
        parts = tuple(map(self.node, tree.args))
        bounds = written["least"], written["most"]
        return Node("call", self.source(tree), self.place(tree), parts, name=name, whose=file, bounds=bounds)

    def counted(self, tree: ast.expr, whose: str) -> Node:
        """Return what ``count`` counts: a card that the city has, such cards, or a condition that holds."""
        if self.of_card:
            raise self.mistake(tree, "nothing is counted within what is counted")
        match tree:
            case ast.Constant(value=str(name)) if self.vocabulary.cards:
                return self.made(tree, "card", name=name, whose=whose)
        if self.vocabulary.facts and any(isinstance(part, ast.Name) and part.id == "card" for part in ast.walk(tree)):
            holds = replace(self, of_card=True).condition(tree)
            return self.made(tree, "cards", holds, name=ast.unparse(tree), whose=whose)
        return self.condition(tree)


# --- what it can come to ---------------------------------------------------------------------------------------------


def span(node: Node, spans: Spans) -> Span:
    """Return the least and the greatest number that a formula can come to, for the spans of names.

    Raises FormulaError for a part that could be too large, and for a division by what could be 0.
    """
    parts = [span(part, spans) for part in node.parts]
    low, high = _span(node, parts, spans)
    if max(-low, high) > MOST:
        raise FormulaError(f"{node.text!r}, at letter {node.at}: could come to more than {MOST:,}")
    return low, high


def _span(node: Node, parts: list[Span], spans: Spans) -> Span:
    """Return the span of a node from those of its parts."""
    kind = node.kind
    if kind == "number":
        return node.value, node.value
    if kind == "name":
        return spans[node.name]
    if kind == "cards":
        return 0, spans["cards"][1]
    if kind in ("call", "fact"):
        return node.bounds
    if kind == "card" or node.is_condition:
        return 0, 1
    if kind == "count":
        return 0, sum(high for _, high in parts)
    lows, highs = [low for low, _ in parts], [high for _, high in parts]
    if kind == "neg":
        return -highs[0], -lows[0]
    if kind == "abs":
        ends = abs(lows[0]), abs(highs[0])
        return (0 if lows[0] <= 0 <= highs[0] else min(ends)), max(ends)
    if kind in ("min", "sets"):
        return min(lows), min(highs)
    if kind == "max":
        return max(lows), max(highs)
    if kind == "if":
        return min(lows[:2]), max(highs[:2])
    if kind in ("//", "%") and lows[1] <= 0 <= highs[1]:
        by = node.parts[1]
        advice = f"; divide by max(1, {by.text})" if highs[1] > 0 else ""
        raise FormulaError(f"{by.text!r}, at letter {by.at}: could be 0, and nothing is divided by 0{advice}")
    if kind == "%":
        if lows[1] > 0:
            return (lows[0], highs[0]) if lows[0] >= 0 and highs[0] < lows[1] else (0, highs[1] - 1)
        return lows[1] + 1, 0
    results = [_ENDS[kind](one, other) for one, other in product(parts[0], parts[1])]
    return min(results), max(results)


_ENDS = {
    "+": int.__add__,
    "-": int.__sub__,
    "*": int.__mul__,
    "//": int.__floordiv__,
}


# --- what it comes to before anything is played -----------------------------------------------------------------------

_OPERATORS: Mapping[str, Callable[[int, int], int]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "//": operator.floordiv, "%": operator.mod,
    "<": operator.lt, "<=": operator.le, "==": operator.eq, "!=": operator.ne, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip


def worked_out(node: Node, numbers: Mapping[str, int]) -> int:
    """Return what a formula comes to where its names (or facts of a card) stand for these numbers; it names no card."""
    if not node.parts:
        return node.value if node.kind == "number" else numbers[node.name]
    parts = [worked_out(part, numbers) for part in node.parts]
    match node.kind:
        case "neg":
            return -parts[0]
        case "not":
            return 1 - parts[0]
        case "abs":
            return abs(parts[0])
        case "if":
            return parts[0] if parts[2] else parts[1]
        case "count":
            return sum(parts)
        case "min" | "sets" | "and":
            return min(parts)
        case "max" | "or":
            return max(parts)
    return int(_OPERATORS[node.kind](*parts))


def slots_in(words: Iterable[int]) -> set[int]:
    """Return where the functions of files are found that the words of formulas call."""
    return {int(word) >> 11 for word in words if int(word) & 0xFF == OPERATION["call"]}
