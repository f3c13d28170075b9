"""Formulas in card files: integer expressions over public facts, written in Python syntax.

A formula is parsed with ``ast`` into a closed set of node kinds; it is never executed as Python. The nodes determine
the range of its value (``span``) and the words that kernels execute (``Vocabulary.code``). The ``Vocabulary`` of a game
lists the names that formulas may use. A mistake raises ``FormulaError`` with one sentence that includes the location.
"""

from __future__ import annotations

import ast
import operator
import re
import warnings
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import product

from wsim.errors import nearest
from wsim.kernels.formula_words import DEPTH, FACT_BITS, HANDED, KIND_BITS, MAX_WORDS, OPERATION, ORDERS

MAX_LETTERS = 300
MAX_WRITTEN = 1_000_000
MAX_POWER = 4
MAX_CARDS = 1000  # cards per game whose names formulas can compare
Span = tuple[int, int]
"""The lowest and highest possible values."""
Spans = Mapping[str, Span]

_ARITHMETIC: Mapping[type[ast.AST], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.FloorDiv: "//", ast.Mod: "%",
}  # fmt: skip
_COMPARISONS: Mapping[type[ast.AST], str] = {
    ast.Lt: "<", ast.LtE: "<=", ast.Eq: "==", ast.NotEq: "!=", ast.Gt: ">", ast.GtE: ">=",
}  # fmt: skip
_CONDITIONS = frozenset((*_COMPARISONS.values(), "and", "or", "not"))
_OF_CARD = ("fact", "event", "last")
COUNTER = "counter"
_FUNCTIONS = ("min", "max", "abs", "count", "sets")
NAMED = "named."
"""The prefix of a card name in a comparison."""
_NOT_OF_CARD = "is not known for a counted structure; accepted: card.cost, card.red, ..."
_ELSEWHERE: Mapping[str, str] = {
    r"(?<![<>=!:])=(?!=)": "equality is written ==",
    r"&": "`and` is written out",
    r"\|": "`or` is written out",
    r"\?|\bthen\b": "a choice is written `2 if red > 1 else 3`",
    r"^\s*if\b": "a choice is written `2 if red > 1 else 3`",
    r"!(?!=)": "`not` is written out",
    r"[≤≥≠]": "compare with <=, >= or !=",
    r"\d[ .]*[A-Za-z]": "a product is written 2 * red",
}
"""Operators of other languages, mapped to their equivalents in formulas."""
_WRITTEN = "numbers, names, + - * // % **, < <= == != > >=, and, or, not, `x if c else y`, " + ", ".join(_FUNCTIONS)


class FormulaError(ValueError):
    """Raised for a mistake in a formula; the message is one sentence that quotes the wrong part."""


@dataclass(frozen=True, slots=True)
class Node:
    """A part of a formula.

    Attributes
    ----------
    kind: "number", "name", "card", "cards" (the cards that satisfy the condition in ``parts``), "ordered" (the cards of
        the first part whose position in the building order satisfies the other parts), "fact" (of a counted card),
        "counter", "event" (a fact of the card that caused the event), "last" (a fact of the card built last or first),
        "named" (the number of the card with this name), or the operation on the parts (``formula_words``, "count",
        "sets").
    text: the source text. at: the position of its first character, from 1.
    value: the value of a number; for "event" and "last", the number of the fact. name: the name of a name, card, fact
        or function; for cards, the condition; for counters and card names, with the prefix. whose: one of the owners in
        the vocabulary, or the file of a function. bounds: the range of a function, fact or counter.
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
        """Whether the value is true or false, which counts as 1 or 0."""
        return self.kind in _CONDITIONS or (self.kind in _OF_CARD and self.bounds == (0, 1))

    def walk(self) -> Iterator[Node]:
        """Yield this node and all its descendants."""
        yield self
        for part in self.parts:
            yield from part.walk()


# --- parsing ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """The names that a game's formulas may use, with the parser for these formulas.

    Attributes
    ----------
    cities: names of facts about a city (or seat). table: names of facts about the table, numbered after ``cities``.
    whose: the cities that a name may refer to; the first, "", is the city of the formula.
    widest: the range of each name; a game stops if a formula reads a value outside this range.
    cards: whether ``count`` counts cards by name. facts: facts about counted cards with their spans; (0, 1) marks a
        condition. files: whether formulas may call functions from files.
    counters: the range of every counter (``counter.favour``); None: no counters.
    title: the fact that is a card's name, which can only be compared with names; numbered after ``facts``.
    of_event: further facts about the card that caused an event, with their spans, numbered after ``title``. of_last:
        the kinds of card for which the card built last (``last.red.cost``) or first is known. order: the fact that is a
        card's position in the building order, which ``count`` can compare.
    """

    cities: Sequence[str]
    table: Sequence[str]
    widest: Spans
    whose: Sequence[str] = ("",)
    cards: bool = False
    facts: Spans = field(default_factory=dict)
    files: bool = False
    counters: Span | None = None
    title: str = ""
    of_event: Spans = field(default_factory=dict)
    of_last: Sequence[str] = ()
    order: str = ""

    @cached_property
    def facts_of_cards(self) -> Spans:
        """The facts about any card, in numerical order."""
        return {**self.facts, **({self.title: (0, MAX_CARDS)} if self.title else {})}

    @cached_property
    def facts_of_last(self) -> Spans:
        """The facts about the card built last or first, in numerical order."""
        return {**self.facts_of_cards, **({self.order: self.of_event[self.order]} if self.order else {})}

    @cached_property
    def facts_of_event(self) -> Spans:
        """The facts about the card that caused an event, in numerical order."""
        return {**self.facts_of_cards, **self.of_event}

    @cached_property
    def number(self) -> Mapping[str, int]:
        """The number of each name in compiled formulas."""
        return {name: number for number, name in enumerate((*self.cities, *self.table))}

    def parse(self, text: str) -> Node:
        """Parse a formula and return its root node; raise FormulaError if it is invalid."""
        return _parsed(self, text)

    def normal(self, text: str) -> str:
        """Return a formula in Python's canonical form, in which spaces and redundant parentheses do not matter."""
        self.parse(text)
        return ast.unparse(ast.parse(text, mode="eval"))

    def written(self, text: str) -> list[tuple[int, int]]:
        """Find the numbers in a formula's canonical form, except function bounds; return their offsets and values."""
        parts = list(ast.walk(ast.parse(self.normal(text), mode="eval")))
        bounds = {id(node) for part in parts if isinstance(part, ast.keyword) for node in ast.walk(part)}
        constants = [part for part in parts if isinstance(part, ast.Constant) and id(part) not in bounds]
        return sorted((part.col_offset, part.value) for part in constants if isinstance(part.value, int))

    def with_number(self, text: str, position: int, value: int) -> str:
        """Replace the number at a position (from 1) in a formula; raise FormulaError if there is no such number."""
        numbers = self.written(text)
        if not 1 <= position <= len(numbers):
            accepted = ", ".join(f"{number} (the {value})" for number, (_, value) in enumerate(numbers, start=1))
            raise FormulaError(f"{text!r} has no number {position}; accepted: {accepted or 'none'}")
        at, number = numbers[position - 1]
        before = self.normal(text).encode()  # offsets are in bytes
        return (
            before[:at] + (f"{value}" if value >= 0 else f"({value})").encode() + before[at + len(str(number)) :]
        ).decode()

    def code(
        self, node: Node, number: Mapping[str, int] | None = None, slot: Callable[[Node], int] | None = None
    ) -> list[int]:
        """Compile a formula to the words that kernels execute, in postfix order (``formula_words``).

        ``number`` maps cards and sets to their numbers; ``slot`` returns the slot of a function from a file.
        """
        return [*self.words(node, number or {}, slot)[0], OPERATION["end"]]

    def words(self, node: Node, number: Mapping[str, int], slot: Callable[[Node], int] | None) -> tuple[list[int], int]:
        """Compile a node; return its words and the stack depth that they need."""
        if node.kind == "call":
            handed = [self.words(part, number, slot) for part in node.parts]
            operand = (slot(node) if slot else 0) << 3 | len(handed)
            words = [word for part, _ in handed for word in part]
            held = max((index + depth for index, (_, depth) in enumerate(handed)), default=1)
            return [*words, operand << 8 | OPERATION["call"]], held
        if node.kind == "ordered":
            words, deepest = [], 0
            for place, end in enumerate(_order_ends(node)):
                more, depth = self.words(end, number, slot)
                words, deepest = words + more, max(deepest, place + depth)
            operand = number.get(node.parts[0].name, 0) << 2 | self.whose.index(node.whose)
            return [*words, operand << 8 | OPERATION["ordered"]], deepest
        if not node.parts or node.kind == "cards":
            operand = node.value
            if node.kind == "named":
                return [number.get(node.name, 0) << 8 | OPERATION["number"]], 1
            if node.kind != "number":
                named = node.value if node.kind in _OF_CARD else number.get(node.name, 0)
                if node.kind == "name":
                    named = self.number[node.name]
                operand = named << 2 | self.whose.index(node.whose)
            return [operand << 8 | OPERATION[node.kind]], 1
        operation = {"count": "+", "sets": "min"}.get(node.kind, node.kind)
        words = []
        deepest = 0
        for index, part in enumerate(node.parts):
            more, depth = self.words(part, number, slot)
            held = index if operation == "if" else min(index, 1)
            words += more
            deepest = max(deepest, held + depth)
            if index and operation != "if":
                words.append(OPERATION[operation])
        if operation in ("if", "neg", "not", "abs"):
            words.append(OPERATION[operation])
        return words, deepest


@lru_cache(maxsize=4096)
def _parsed(vocabulary: Vocabulary, text: str) -> Node:
    """Parse a formula and return its root node; raise FormulaError if it is invalid."""
    if len(text) > MAX_LETTERS:
        raise FormulaError(f"a formula of {len(text)} characters is too long; accepted: at most {MAX_LETTERS}")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Python's warnings about code that is rejected below
            tree = ast.parse(text, mode="eval").body
    except SyntaxError as error:
        location = f", at character {min(error.offset, len(text))}" if error.offset and text.strip() else ""
        hint = next((f"; {hint}" for sign, hint in _ELSEWHERE.items() if re.search(sign, text)), "")
        raise FormulaError(f"{text!r}{location}: this is not a formula{hint}; accepted: {_WRITTEN}") from None
    except (ValueError, RecursionError, MemoryError):
        raise FormulaError(f"{text!r} is not a formula; accepted: {_WRITTEN}") from None
    node = _Reader(text, vocabulary).node(tree)
    if not any(part.kind == "counter" for part in node.walk()):  # only the caller knows a counter's bounds
        span(node, vocabulary.widest)
    words, depth = vocabulary.words(node, {}, None)
    if depth > DEPTH or len(words) > MAX_WORDS:
        raise FormulaError(f"{text!r} is too deeply nested or too long; split it into several effects")
    return node


def _names_in(tree: ast.expr) -> tuple[str, ...]:
    """Return the names in an expression such as ``a.b.c``; the first is "" if it does not begin with a name."""
    if isinstance(tree, ast.Attribute):
        return (*_names_in(tree.value), tree.attr)
    return (tree.id if isinstance(tree, ast.Name) else "",)


def _mentions_card(tree: ast.AST) -> bool:
    """Return whether an expression mentions ``card``."""
    return any(isinstance(part, ast.Name) and part.id == "card" for part in ast.walk(tree))


def _title_of(tree: ast.Compare) -> str:
    """Return an example of a valid comparison with the card name in a comparison, for an error message."""
    parts = [ast.unparse(part) for part in (tree.left, *tree.comparators) if isinstance(part, ast.Attribute)]
    return f'{parts[0]} == "..."'


@dataclass(frozen=True)
class _Reader:
    """Converts a syntax tree to nodes; ``of_card``: in a condition on counted cards; ``titles``: names are allowed."""

    text: str
    vocabulary: Vocabulary
    of_card: bool = False
    titles: bool = False

    def node(self, tree: ast.expr) -> Node:
        """Convert an expression to a node."""
        match tree:
            case ast.Constant():
                return self.constant(tree)
            case ast.Name(id=name):
                return self.named(tree, "", name)
            case ast.Attribute(value=value) if isinstance(value, ast.Name) or self.remembered(tree):
                return self.attribute(tree)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return self.made(tree, "neg", self.node(operand))
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return self.made(tree, "not", self.condition(operand))
            case ast.BinOp(left=left, op=ast.Pow(), right=right):
                return self.power(tree, left, right)
            case ast.BinOp(op=ast.Div()):
                raise self.mistake(tree, "formulas use whole numbers; divide with //, which rounds down")
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _ARITHMETIC:
                return self.made(tree, _ARITHMETIC[type(op)], self.node(left), self.node(right))
            case ast.BoolOp(op=op, values=values):
                kind = "and" if isinstance(op, ast.And) else "or"
                return self.made(tree, kind, *map(self.condition, values))
            case ast.Compare(left=left, comparators=right) if any(map(self.is_title, (left, *right))):
                return self.compared(tree)
            case ast.Compare(ops=ops) if {*map(type, ops)} <= _COMPARISONS.keys():
                return self.comparison(tree)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                return self.made(tree, "if", self.node(body), self.node(orelse), self.condition(test))
            case ast.Call():
                return self.called(tree)
        raise self.mistake(tree, f"is not accepted in a formula; accepted: {_WRITTEN}")

    def constant(self, tree: ast.Constant) -> Node:
        """Convert a constant to a node: a number, or a quoted card name in a comparison of names."""
        match tree.value:
            case bool() | float():
                raise self.mistake(tree, "only whole numbers are accepted")
            case int(value) if value > MAX_WRITTEN:
                raise self.mistake(tree, f"a number can be at most {MAX_WRITTEN:,}")
            case int(value):
                return self.made(tree, "number", value=value)
            case str(name) if self.titles:
                return self.made(tree, "named", name=NAMED + name)
            case str():
                message = "a card name must be inside count(...), or compared with card.name"
                raise self.mistake(tree, message if self.vocabulary.cards else "strings are not accepted in a formula")
        raise self.mistake(tree, f"is not accepted in a formula; accepted: {_WRITTEN}")

    def attribute(self, tree: ast.Attribute) -> Node:
        """Convert an attribute access to a node: a fact about a counted or remembered card, or about another city."""
        match tree.value:
            case ast.Name(id="card") if self.vocabulary.facts:
                return self.fact(tree, tree.attr)
        if (node := self.remembered(tree)) is not None:
            return node
        whose, accepted = _names_in(tree)[0], self.vocabulary.whose[1:]
        if whose in accepted:
            return self.named(tree, whose, tree.attr)
        message = f"unknown city {whose!r}{nearest(whose, accepted)}; accepted: {', '.join(accepted)}"
        if not accepted:
            message = "formulas of this game cannot refer to other players; accepted: plain names"
        raise self.mistake(tree, message)

    def comparison(self, tree: ast.Compare) -> Node:
        """Convert a comparison to a node; ``a < b < c`` becomes two comparisons."""
        sides = list(map(self.node, (tree.left, *tree.comparators)))
        pairs = [
            self.made(tree, _COMPARISONS[type(op)], low, high)
            for op, low, high in zip(tree.ops, sides, sides[1:], strict=False)
        ]
        return pairs[0] if len(pairs) == 1 else self.made(tree, "and", *pairs)

    def made(self, tree: ast.expr, kind: str, *parts: Node, **more: int | str | Span) -> Node:
        """Create a node for an expression."""
        return Node(kind, self.source(tree), self.place(tree), parts, **more)  # type: ignore[arg-type]

    def source(self, tree: ast.expr) -> str:
        """Return the source text of an expression."""
        return ast.get_source_segment(self.text, tree) or self.text

    def place(self, tree: ast.expr) -> int:
        """Return the character position, from 1, at which an expression starts (Python's offsets are in bytes)."""
        return 1 + len(self.text.encode()[: tree.col_offset].decode())

    def mistake(self, tree: ast.expr, message: str) -> FormulaError:
        """Build an error that quotes an expression and its position."""
        return FormulaError(f"{self.source(tree)!r}, at character {self.place(tree)}: {message}")

    def named(self, tree: ast.expr, whose: str, name: str) -> Node:
        """Convert a name to a node: a fact about a city or about the table."""
        if self.of_card:
            raise self.mistake(tree, _NOT_OF_CARD)
        accepted = self.vocabulary.cities if whose else self.vocabulary.number
        if name not in accepted and self.vocabulary.cards and name[:1].isupper():
            raise self.mistake(tree, f"unknown name {name!r}; a card name needs quotes: count({name!r})")
        self.refuse_unknown(tree, name, accepted)
        return self.made(tree, "name", name=name, whose=whose)

    def fact(self, tree: ast.expr, name: str) -> Node:
        """Convert a fact about a counted card or, outside ``count``, about the card that caused the event to a node."""
        if self.of_card and name in self.vocabulary.of_event:
            raise self.mistake(tree, "is known only for the structure that was just built, not for counted structures")
        accepted = self.vocabulary.facts_of_cards if self.of_card else self.vocabulary.facts_of_event
        self.refuse_unknown(tree, name, accepted)
        self.refuse_title(tree)
        if self.of_card:
            return self.made(tree, "fact", name=name, bounds=accepted[name])
        return self.made(tree, "event", name=name, value=[*accepted].index(name), bounds=accepted[name])

    def is_title(self, tree: ast.expr) -> bool:
        """Return whether an expression is a card's name, such as ``card.name`` or ``last.red.name``."""
        if not isinstance(tree, ast.Attribute) or tree.attr != self.vocabulary.title:
            return False
        names = _names_in(tree)
        return names[names[0] in self.vocabulary.whose[1:]] in ("card", *ORDERS)

    def compared(self, tree: ast.Compare) -> Node:
        """Convert a comparison of a card's name with another card's name, or with quoted names, to a node."""
        if len(tree.ops) > 1 or not isinstance(tree.ops[0], ast.Eq | ast.NotEq | ast.In | ast.NotIn):
            raise self.mistake(tree, f"names are compared with ==, !=, in and not in; accepted: {_title_of(tree)}")
        reader, first, other = replace(self, titles=True), tree.left, tree.comparators[0]
        several = isinstance(tree.ops[0], ast.In | ast.NotIn)
        others = other.elts if several and isinstance(other, ast.Tuple | ast.List | ast.Set) else [other]
        for part in (first, *others):
            if not (self.is_title(part) or (isinstance(part, ast.Constant) and isinstance(part.value, str))):
                message = f"is not a card name; accepted: names in quotes, {_title_of(tree)}"
                raise self.mistake(part, message)
        equal = [self.made(tree, "==", reader.node(first), reader.node(part)) for part in others]
        node = equal[0] if len(equal) == 1 else self.made(tree, "or", *equal)
        if isinstance(tree.ops[0], ast.Eq | ast.In):
            return node
        return replace(node, kind="!=") if node.kind == "==" else self.made(tree, "not", node)

    def refuse_title(self, tree: ast.expr) -> None:
        """Raise FormulaError for a card's name outside a comparison of names."""
        if self.is_title(tree) and not self.titles:
            raise self.mistake(tree, f'a name is not a number; accepted: {self.source(tree)} == "..."')

    def refuse_unknown(self, tree: ast.expr, name: str, accepted: Collection[str], noun: str = "name") -> None:
        """Raise FormulaError for an unknown name, and list the accepted ones."""
        if name not in accepted:
            message = f"unknown {noun} {name!r}{nearest(name, accepted)}; accepted: {', '.join(accepted)}"
            raise self.mistake(tree, message)

    def remembered(self, tree: ast.Attribute) -> Node | None:
        """Convert a counter or a fact about the card built last or first to a node; None for other attributes."""
        names = _names_in(tree)
        whose = names[0] if names[0] in self.vocabulary.whose[1:] else ""
        prefix, *rest = names[bool(whose) :] or ("",)
        if prefix == COUNTER and self.vocabulary.counters:
            if self.of_card:
                raise self.mistake(tree, _NOT_OF_CARD)
            if len(rest) != 1:
                raise self.mistake(tree, "a counter is written with its name, such as counter.favour")
            name, bounds = f"{COUNTER}.{rest[0]}", self.vocabulary.counters
            return self.made(tree, "counter", name=name, whose=whose, bounds=bounds)
        if prefix not in ORDERS or not self.vocabulary.of_last:
            return None
        if self.of_card:
            raise self.mistake(tree, _NOT_OF_CARD)
        if len(rest) != 2:
            example = f"{prefix}.{self.vocabulary.of_last[0]}.{next(iter(self.vocabulary.facts))}"
            raise self.mistake(tree, f"the card built {prefix} is written with a colour and a fact, such as {example}")
        kinds, facts = self.vocabulary.of_last, self.vocabulary.facts_of_last
        self.refuse_unknown(tree, rest[0], kinds, "colour")
        self.refuse_unknown(tree, rest[1], facts)
        self.refuse_title(tree)
        number = (ORDERS.index(prefix) << KIND_BITS | kinds.index(rest[0])) << FACT_BITS | [*facts].index(rest[1])
        name, bounds = ".".join((prefix, *rest)), facts[rest[1]]
        return self.made(tree, "last", name=name, value=number, whose=whose, bounds=bounds)

    def condition(self, tree: ast.expr) -> Node:
        """Convert an expression to a node; raise FormulaError unless it is a condition."""
        node = self.node(tree)
        if not node.is_condition:
            raise self.mistake(tree, f"is a number where a condition is needed, such as {self.source(tree)} > 0")
        return node

    def power(self, tree: ast.expr, left: ast.expr, right: ast.expr) -> Node:
        """Convert a power to a node for a repeated product."""
        times = self.node(right)
        if times.kind != "number" or not 1 <= times.value <= MAX_POWER:
            raise self.mistake(right, f"an exponent must be a number from 1 to {MAX_POWER}")
        base = self.node(left)
        product_node = base
        for _ in range(times.value - 1):
            product_node = self.made(tree, "*", product_node, base)
        return product_node

    def called(self, tree: ast.Call) -> Node:
        """Convert a function call to a node."""
        match tree.func:
            case ast.Name(id=name) if name in _FUNCTIONS:
                whose = ""
            case ast.Attribute(value=ast.Name(id=whose), attr="count") if whose in self.vocabulary.whose[1:]:
                name = "count"
            case ast.Attribute(value=ast.Name(id=file), attr=name) if tree.keywords and self.vocabulary.files:
                return self.of_file(tree, file, name)
            case _:
                name = self.source(tree.func)
                message = f"unknown function {name!r}{nearest(name, _FUNCTIONS)}; accepted: {', '.join(_FUNCTIONS)}"
                if isinstance(tree.func, ast.Attribute) and self.vocabulary.files:
                    message += f", or a function from the file in `effects` with its bounds: {name}(least=0, most=5)"
                raise self.mistake(tree, message)
        if tree.keywords or any(isinstance(part, ast.Starred) for part in tree.args):
            raise self.mistake(tree, f"{name} takes plain arguments, without * or keywords")
        least, most = (1, 1) if name == "abs" else (1 if name == "count" else 2, 12)
        if not least <= len(tree.args) <= most:
            accepted = f"{least} to {most} arguments" if most > least else "one argument"
            given = f"{len(tree.args)} argument{' is' if len(tree.args) == 1 else 's are'}"
            raise self.mistake(tree, f"{given} not accepted; accepted: {accepted}")
        if name == "count":
            return self.made(tree, "count", *(self.counted(part, whose) for part in tree.args))
        return self.made(tree, name, *map(self.node, tree.args))

    def of_file(self, tree: ast.Call, file: str, name: str) -> Node:
        """Convert a call of a function from the effects file to a node, with the bounds declared in the call."""
        if self.of_card:
            raise self.mistake(tree, _NOT_OF_CARD)
        written: dict[str, int] = {}
        for keyword in tree.keywords:
            with suppress(ValueError, TypeError):
                value = ast.literal_eval(keyword.value)
                if keyword.arg in ("least", "most") and type(value) is int and abs(value) <= MAX_WRITTEN:
                    written[keyword.arg] = value
        if len(tree.keywords) != 2 or written.keys() != {"least", "most"} or written["least"] > written["most"]:
            message = "a function from a file needs the bounds of its result, two whole numbers"
            raise self.mistake(tree, f"{message}; accepted: {file}.{name}(..., least=0, most=5)")
        if len(tree.args) > HANDED or any(isinstance(part, ast.Starred) for part in tree.args):
            raise self.mistake(tree, f"a function from a file takes at most {HANDED} numbers as separate arguments")
        parts = tuple(map(self.node, tree.args))
        bounds = written["least"], written["most"]
        return Node("call", self.source(tree), self.place(tree), parts, name=name, whose=file, bounds=bounds)

    def is_order(self, tree: ast.AST) -> bool:
        """Return whether an expression is the position of a counted card in the building order."""
        return isinstance(tree, ast.Attribute) and _names_in(tree) == ("card", self.vocabulary.order)

    def in_order(self, tree: ast.expr, whose: str) -> Node:
        """Convert a condition on counted cards that compares ``card.order`` to a node."""
        compared, others = [], []
        for part in tree.values if isinstance(tree, ast.BoolOp) and isinstance(tree.op, ast.And) else [tree]:
            if not any(map(self.is_order, ast.walk(part))):
                others.append(part)
                continue
            compared.append(self.compared_order(part))
        reader = replace(self, of_card=True)
        text = " and ".join(f"({ast.unparse(part)})" for part in others) or "any"
        holds = [reader.condition(part) for part in others]
        every = self.made(tree, "and", *holds) if holds else self.made(tree, "number", value=1)
        cards = self.made(tree, "cards", every, name=text, whose=whose)
        return self.made(tree, "ordered", cards, *compared, whose=whose)

    def compared_order(self, tree: ast.expr) -> Node:
        """Convert a comparison of ``card.order`` with a number to a node with ``card.order`` on the left."""
        order = f"card.{self.vocabulary.order}"
        accepted = f"{order} < 3, and conditions with `and`"
        if not (isinstance(tree, ast.Compare) and len(tree.ops) == 1 and type(tree.ops[0]) in _IN_ORDER):
            raise self.mistake(tree, f"is not accepted in a condition on the building order; accepted: {accepted}")
        kind, left, right = _COMPARISONS[type(tree.ops[0])], tree.left, tree.comparators[0]
        if not self.is_order(left):
            kind, left, right = _TURNED[kind], right, left
        if not self.is_order(left) or _mentions_card(right):
            what = "must be compared with a number that does not depend on the card"
            raise self.mistake(tree, f"{order} {what}; accepted: {accepted}")
        return self.made(tree, kind, self.made(left, "fact", name=self.vocabulary.order), self.node(right))

    def counted(self, tree: ast.expr, whose: str) -> Node:
        """Convert an argument of ``count`` to a node: a card name, a condition on cards, or any other condition."""
        if self.of_card:
            raise self.mistake(tree, "count cannot be used inside count")
        match tree:
            case ast.Constant(value=str(name)) if self.vocabulary.cards:
                return self.made(tree, "card", name=name, whose=whose)
        if self.vocabulary.facts and _mentions_card(tree):
            if self.vocabulary.order and any(map(self.is_order, ast.walk(tree))):
                return self.in_order(tree, whose)
            holds = replace(self, of_card=True).condition(tree)
            return self.made(tree, "cards", holds, name=ast.unparse(tree), whose=whose)
        return self.condition(tree)


_IN_ORDER = (ast.Lt, ast.LtE, ast.Eq, ast.Gt, ast.GtE)
_TURNED = {"<": ">", "<=": ">=", "==": "==", ">": "<", ">=": "<="}


def _order_ends(node: Node) -> tuple[Node, Node]:
    """Return nodes for the lowest and highest positions in the building order that satisfy all comparisons."""
    one, lows, highs = Node("number", "1", node.at, value=1), [], []
    for compared in node.parts[1:]:
        end = compared.parts[1]
        if compared.kind in (">", ">=", "=="):
            lows.append(end if compared.kind != ">" else Node("+", end.text, end.at, (end, one)))
        if compared.kind in ("<", "<=", "=="):
            highs.append(end if compared.kind != "<" else Node("-", end.text, end.at, (end, one)))
    low = lows or [one]
    high = highs or [Node("number", str(MAX_CARDS), node.at, value=MAX_CARDS)]
    return (
        low[0] if len(low) == 1 else Node("max", node.text, node.at, tuple(low)),
        high[0] if len(high) == 1 else Node("min", node.text, node.at, tuple(high)),
    )


# --- range of values ------------------------------------------------------------------------------------------------


def span(node: Node, spans: Spans) -> Span:
    """Return the lowest and highest possible values of a formula, given the spans of names and counters.

    A counter that is not in ``spans`` has its widest span. Raises FormulaError for a divisor that could be 0. A
    game stops if a formula exceeds the playable range (``wsim.kernels.formula_machine``).
    """
    parts = [span(part, spans) for part in node.parts]
    kind = node.kind
    if (known := _known_span(node, spans)) is not None:
        return known
    lows, highs = [low for low, _ in parts], [high for _, high in parts]
    if kind in _SPANS:
        return _SPANS[kind](lows, highs)
    if kind in ("//", "%") and lows[1] <= 0 <= highs[1]:
        by = node.parts[1]
        advice = f"; divide by max(1, {by.text})" if highs[1] > 0 else ""
        raise FormulaError(f"{by.text!r}, at character {by.at}: could be 0, and division by 0 is not allowed{advice}")
    if kind == "%":
        if lows[1] > 0:
            return (lows[0], highs[0]) if lows[0] >= 0 and highs[0] < lows[1] else (0, highs[1] - 1)
        return lows[1] + 1, 0
    results = [_ENDS[kind](left, right) for left, right in product(parts[0], parts[1])]
    return min(results), max(results)


def _known_span(node: Node, spans: Spans) -> Span | None:
    """Return the lowest and highest values of a node; None if they depend on the spans of its parts."""
    match node.kind:
        case "number":
            return node.value, node.value
        case "name":
            return spans[node.name]
        case "cards" | "ordered":
            return 0, spans["cards"][1]
        case "fact" if not node.bounds[1]:
            return 0, spans["cards"][1]  # a position in the building order
        case "named":
            return 0, MAX_CARDS
    if node.kind == "counter":
        return spans.get(node.name, node.bounds)
    if node.kind in ("call", *_OF_CARD):
        return node.bounds
    return (0, 1) if node.kind == "card" or node.is_condition else None


_SPANS: Mapping[str, Callable[[list[int], list[int]], Span]] = {
    "count": lambda _, highs: (0, sum(highs)),
    "neg": lambda lows, highs: (-highs[0], -lows[0]),
    "abs": lambda lows, highs: (max(lows[0], -highs[0], 0), max(-lows[0], highs[0])),
    "min": lambda lows, highs: (min(lows), min(highs)),
    "sets": lambda lows, highs: (min(lows), min(highs)),
    "max": lambda lows, highs: (max(lows), max(highs)),
    "if": lambda lows, highs: (min(lows[:2]), max(highs[:2])),
}
_ENDS = {"+": int.__add__, "-": int.__sub__, "*": int.__mul__, "//": int.__floordiv__}


# --- evaluation without a game -----------------------------------------------------------------------

_OPERATORS: Mapping[str, Callable[[int, int], int]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "//": operator.floordiv, "%": operator.mod,
    "<": operator.lt, "<=": operator.le, "==": operator.eq, "!=": operator.ne, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip


def evaluate_node(node: Node, numbers: Mapping[str, int]) -> int:
    """Evaluate a formula without cards, given the values of its names (or of the facts about a card)."""
    if not node.parts:
        return node.value if node.kind == "number" else numbers[node.name]
    parts = [evaluate_node(part, numbers) for part in node.parts]
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


def slots_in(words: Sequence[int]) -> set[int]:
    """Return the slots of all functions from files that compiled words call."""
    import numpy as np

    code = np.asarray(words, np.int64)
    return set((code[code & 0xFF == OPERATION["call"]] >> 11).tolist())
