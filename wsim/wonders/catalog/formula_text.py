"""Translate formulas into English (R52)."""

from __future__ import annotations

from wsim.spec.formula import NAMED, Node
from wsim.wonders.facts import CITY_WORDS
from wsim.wonders.words import ANY, CARD_NAME, COLORS, EVENT_NAMES, RESOURCES, SYMBOLS, TABLE_NAMES

_TABLE = {"age": "the age", "turn": "the turn number", "players": "the number of players"}
_TABLE |= {"purchase": "the coins paid for the purchase", "amount": "the chosen amount"}
_FACTS = {
    "cost": "the cost",
    "units": "the number of resources in the cost",
    "coins": "the number of coins in the cost",
    "age": "the age",
    "points": "the number of points",
    "shields": "the number of shields",
    **{name: f"the number of units of {name}" for name in RESOURCES},
    **{name: f"the symbol is a {name}" for name in SYMBOLS[1:ANY]},
    "chained": "there is a chain to it",
    "name": "the name",
    "order": "the number in the order of building",
}
_OF_EVENT = {
    "age": "its age",
    "cost": "its cost",
    "name": "its name",
    "order": "its number in the order of building",
    **{
        name: f"its {_FACTS[name].removeprefix('the ')}" for name in ("units", "coins", "points", "shields", *RESOURCES)
    },
    **{name: f"its symbol is a {name}" for name in SYMBOLS[1:ANY]},
    "chained": "there is a chain to it",
    "paid": "it is built by paying",
    "by_chain": "it is built by a chain",
    "free": "it is built for free",
    "from_discard": "it is built from the discard pile",
    "from_stock": "it is recruited from the stock",
}
"""Facts of the structure that caused the event."""
_ORDERS = {"last": "last {}", "first": "first {}", "previous": "last {} but one"}
_OWNERS = {"": "own", "other": "their", "left": "the left neighbour's", "right": "the right neighbour's"}
_OPERATORS = {
    "+": "plus", "-": "minus", "*": "times", "<": "fewer than", "<=": "at most", "==": "exactly",
    "!=": "not exactly", ">": "more than", ">=": "at least",
}  # fmt: skip
_OF_CARD = ("fact", "event", "last")
_LOOSE = ("if", "or", "and", "not")  # loosest first; comparisons and sums bind more tightly
_TIGHT = {"+": 5, "-": 5, "*": 6, "neg": 7}


def english(node: Node) -> str:
    """Return a formula in English, with brackets where the words alone would be ambiguous."""
    if (leaf := _leaf_text(node)) is not None:
        return leaf
    parts = [_bracketed(part, node) for part in node.parts]
    match node.kind:
        case "cards":
            return f"{_OWNERS[node.whose]} structures where {parts[0]}"
        case "ordered":
            return f"{_OWNERS[node.whose]} structures where {' and '.join(_ordered_parts(node))}"
        case "call":
            arguments = f" for {_listed(parts)}" if parts else ""
            return f"{node.bounds[0]} to {node.bounds[1]}, computed by {node.name} of {node.whose}.py{arguments}"
        case "neg":
            return f"minus {parts[0]}"
        case "not":
            return _negation_text(node.parts[0], parts[0])
        case "and" | "or":
            return f" {node.kind} ".join(parts)
        case "if":
            return f"{parts[0]} if {parts[2]}, else {parts[1]}"
        case "abs":
            return f"the absolute value of {parts[0]}"
        case "//":
            return f"{parts[0]} divided by {parts[1]}, rounded down"
        case "%":
            return f"the remainder of {parts[0]} divided by {parts[1]}"
        case "min" | "max":
            return f"the {'smaller' if node.kind == 'min' else 'greater'} of {_listed(parts)}"
        case "sets":
            return f"complete sets of {_listed(parts)}"
        case "count":
            return f"the number of: {_listed(parts)}"
    return _binary_text(node, *parts)


def _leaf_text(node: Node) -> str | None:
    """Return a name, a number or a fact of a card in English; None for a formula with several parts."""
    owner = _OWNERS.get(node.whose, "")
    match node.kind:
        case "number":
            return str(node.value)
        case "name" if node.name in TABLE_NAMES + EVENT_NAMES:
            return _TABLE[node.name]
        case "name":
            return f"{owner} {CITY_WORDS[node.name]}"
        case "card":
            return f"{owner} {node.name}"
        case "fact":
            return _FACTS.get(node.name, f"the colour is {node.name}")
        case "event":
            return _OF_EVENT.get(node.name, f"it is {node.name}")
        case "last":
            return _fact_of_last(node)
        case "named":
            return node.name.removeprefix(NAMED)
        case "counter":
            return f"{owner if node.whose else 'the'} counter {node.name.partition('.')[2]}"
    return None


def _binary_text(node: Node, left: str, right: str) -> str:
    """Return a sum, a product or a comparison in English."""
    if any(map(_is_title, node.parts)):
        return f"{left} {'is' if node.kind == '==' else 'is not'} {right}"
    several = node.parts[0].kind == "name" and node.parts[0].name in CITY_WORDS
    operator = _OPERATORS[node.kind]
    if not several and node.kind == "<":  # one thing: a counter, the age, a cost
        operator = "less than"
    if node.is_condition:
        operator = f"{'are' if several else 'is'} {operator}"
    return f"{left} {operator} {right}"


def _negation_text(node: Node, text: str) -> str:
    """Return the negation of a condition in English, such as "it is not green" for a card."""
    of_card = node.kind in _OF_CARD or (node.kind == "==" and any(map(_is_title, node.parts)))
    return text.replace(" is ", " is not ", 1) if of_card else f"not {text}"


def _ordered_parts(node: Node) -> list[str]:
    """Return, in English, the conditions on the cards whose building order is compared."""
    holds = node.parts[0].parts[0]
    return [*map(english, () if holds.kind == "number" else holds.parts), *map(english, node.parts[1:])]


def _is_title(node: Node) -> bool:
    """Return whether a part is the name of a card."""
    return node.kind == "named" or (node.kind in _OF_CARD and node.name.rpartition(".")[2] == CARD_NAME)


def _fact_of_last(node: Node) -> str:
    """Describe a fact: "the cost of own first red card", "the symbol of own last green card is a gear"."""
    order, kind, fact = node.name.split(".")
    card = f"{_OWNERS[node.whose]} {_ORDERS[order].format(f'{kind} card' if kind in COLORS else 'card')}"
    if fact in COLORS:
        return f"the colour of {card} is {fact}"
    if fact == "chained":
        return f"there is a chain to {card}"
    return f"the symbol of {card} is a {fact}" if node.is_condition else f"{_FACTS[fact]} of {card}"


def _listed(parts: list[str]) -> str:
    return f"{', '.join(parts[:-1])} and {parts[-1]}" if len(parts) > 1 else parts[0]


def _bracketed(part: Node, around: Node) -> str:
    """Return a part in English, in brackets if the node around it binds more tightly."""
    text = english(part)
    if part.kind == "call":
        return f"({text})"
    if around.kind == "count":
        return f"({text})" if part.kind in _LOOSE else text
    simple = not part.parts or (part.kind in ("min", "max", "sets", "count") and len(around.parts) == 1)
    return text if simple or _tightness(part) > _tightness(around) else f"({text})"


def _tightness(node: Node) -> int:
    if node.kind in _LOOSE:
        return _LOOSE.index(node.kind)
    return 4 if node.is_condition else _TIGHT.get(node.kind, 6)
