"""Clauses of cards and stages (``when = [...]``): events, and actions whose amounts are formulas (R52-R58, R64-R68)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from wsim.spec.fields import (
    REMOVED,
    Path,
    Problems,
    Reader,
    Schema,
    described,
    read_fields,
    schema_of,
    table_schema,
    word,
    words,
)
from wsim.spec.formula import FormulaError, Node, span
from wsim.wonders import words as w
from wsim.wonders.catalog.formula import WIDEST, normal, parse, written
from wsim.wonders.catalog.formula_text import english
from wsim.wonders.facts import price_in_words

MAX_CLAUSES = 9  # of a card or stage: a patch identifies each by one digit
Amounts = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Clause:
    """One effect given by formulas; fields are named as in the card file, "" or () if absent.

    Attributes
    ----------
    event: one of ``words.TRIGGERS``. by: the city whose moves trigger it (``words.BY``). seller: `from` of a purchase.
    color: only structures of these colours trigger it.
    each: the cities it acts on (``words.EACH``). condition: `if`.
    take, give, points: formulas. gain, lose: an item (``words.GAINS``, ``words.LOSSES``) and its amount.
    """

    event: str
    by: str = ""
    seller: str = ""
    color: tuple[str, ...] = ()
    each: str = ""
    condition: str = ""
    take: str = ""
    give: str = ""
    gain: Amounts = ()
    lose: Amounts = ()
    points: str = ""

    def acts(self) -> list[tuple[str, str]]:
        """Return its actions and the formula for each amount, in the order of execution.

        Actions are those of ``words.ACTS``, then "gain counter favour", by counter, then "lose counter favour".
        """
        amounts = {"take": self.take, "give": self.give, "points": self.points}
        amounts |= {f"gain {item}": amount for item, amount in self.gain}
        amounts |= {f"lose {item}": amount for item, amount in self.lose}
        ordered = [act for act in w.ACTS if amounts.get(act)]
        return [(act, amounts[act]) for act in (*ordered, *(act for act in amounts if w.COUNTER in act.split()))]

    def formulas(self) -> Iterator[tuple[Path, Node]]:
        """Yield each formula with the path of its field."""
        if self.condition:
            yield ("if",), parse(self.condition)
        for act, amount in self.acts():
            yield tuple(act.split()), parse(amount)

    def numbers(self) -> Iterator[tuple[Path, int]]:
        """Yield the numbers in its formulas, each with the path under which a patch changes it."""
        for (*above, field), formula in self.formulas():
            for position, (_, value) in enumerate(written(formula.text), start=1):
                yield (*above, f"{field}:{position}"), value

    def sales(self, cities: int) -> int:
        """Return the number of pairs of a buyer and a neighbour that trigger a clause of `bought`."""
        seats = {"self": (0,), "left": (1,), "right": (cities - 1,), "neighbor": (1, cities - 1), "partner": (1,)}
        buyers = seats.get(self.by or "self", range(self.by == "other", cities))
        sellers = seats.get(self.seller or "anyone", range(self.seller == "other", cities))
        return sum((buyer + side) % cities in sellers for buyer in buyers for side in (1, cities - 1))

    def table(self) -> dict[str, Any]:
        """Return the clause as written in a card file."""
        table: dict[str, Any] = {"event": self.event, "by": self.by, "from": self.seller}
        table |= {"color": list(self.color), "each": self.each}
        table |= {"if": self.condition, "take": self.take, "give": self.give}
        table |= {"gain": _as_table(self.gain), "lose": _as_table(self.lose), "points": self.points}
        return {name: value for name, value in table.items() if value}


def _as_table(amounts: Amounts) -> dict[str, Any]:
    """Return amounts as written in a card file, those of counters in a table."""
    table: dict[str, Any] = {item: amount for item, amount in amounts if " " not in item}
    counters = {item.partition(" ")[2]: amount for item, amount in amounts if " " in item}
    return table | ({w.COUNTER: counters} if counters else {})


# --- reading ---------------------------------------------------------------------------------------------------------


@described({"anyOf": [{"type": "integer"}, {"type": "string", "minLength": 1}]})
def formula(problems: Problems, path: Path, value: Any) -> str | None:
    """Accept a formula, or a whole number."""
    if isinstance(value, bool) or not isinstance(value, int | str):
        problems.at(
            path, f'{value!r} is not accepted; accepted: a whole number, or a formula in quotes such as "2 * red"'
        )
        return None
    try:
        return normal(str(value).strip())
    except FormulaError as mistake:
        problems.at(path, str(mistake))
        return None


@described({"type": "string", "minLength": 1})
def _condition(problems: Problems, path: Path, value: Any) -> str | None:
    """Accept a formula that is true or false."""
    text: str | None = formula(problems, path, value)
    if text is not None and not parse(text).is_condition:
        problems.at(path, f"{text!r} is a number where a condition is needed, such as {text} > 0")
        return None
    return text


@described({"type": "object", "additionalProperties": schema_of(formula)})
def _of_counters(problems: Problems, path: Path, value: Any) -> Amounts | None:
    """Accept a table of counters with a formula for the amount of each."""
    if not isinstance(value, dict):
        message = f"{value!r} is not accepted; accepted: a counter and its amount, such as {w.COUNTER}.favour = 1"
        problems.at(path, message)
        return None
    amounts = read_fields(problems, path, value, dict.fromkeys(value, formula))
    return tuple((f"{w.COUNTER} {name}", amounts[name]) for name in sorted(amounts))


def _amounts(kind: str, accepted: tuple[str, ...]) -> Reader:
    """Accept a table of items with a formula for the amount of each."""
    readers: Mapping[str, Reader] = {**dict.fromkeys(accepted, formula), w.COUNTER: _of_counters}

    def read(problems: Problems, path: Path, value: Any) -> Amounts:
        if isinstance(value, dict) and "points" in value:
            problems.at((*path, "points"), 'points are counted at the end of the game: event = "scored", points = ...')
            value = {name: amount for name, amount in value.items() if name != "points"}
        amounts = read_fields(problems, path, value, readers, kind)
        counters: Amounts = amounts.get(w.COUNTER, ())
        return (*((name, amounts[name]) for name in accepted if name in amounts), *counters)

    return described(table_schema(readers))(read)


FIELDS: Mapping[str, Reader] = {
    "event": word("event", tuple(w.TRIGGERS)),
    "by": word("seat", w.BY),
    "from": word("seat", w.BY),
    "color": words("color", w.COLORS),
    "each": word("seat", w.EACH),
    "if": _condition,
    "take": formula,
    "give": formula,
    "gain": _amounts("thing to gain", w.GAINS),
    "lose": _amounts("thing to lose", w.LOSSES),
    "points": formula,
}
_ABOUT = {
    "event": "when it happens",
    "by": f"the city whose move triggers it ({', '.join(w.MOVE_TRIGGERS)}); default: self",
    "from": "the seller of a purchase (bought); default: anyone",
    "color": "the colours of structures that trigger it (card_built)",
    "each": "the cities that it acts on; default: self",
    "if": "a condition, evaluated for each of these cities: other.shields < shields",
    "take": "coins taken from each of these cities",
    "give": "coins given to each of these cities",
    "gain": "what each of these cities gains",
    "lose": "what each of these cities loses, down to 0",
    "points": "points for this city at the end, with event = scored",
}


def _clause_schema(patched: bool) -> Schema:
    """Return the schema of a clause, or of a patch to one, which may name single numbers in formulas (coins:2)."""
    schema = deepcopy(table_schema(FIELDS))
    for name, about in _ABOUT.items():
        schema["properties"][name] = {**schema["properties"][name], "description": about}
    if not patched:
        return {**schema, "required": ["event"]}
    tables = [schema, *(schema["properties"][name]["anyOf"][0] for name in ("gain", "lose"))]
    for table, names in zip(tables, (("if", "take", "give", "points"), w.GAINS, w.LOSSES), strict=True):
        table["patternProperties"] = {f"^({'|'.join(names)}):[1-9][0-9]?$": {"type": "integer"}}
    return schema


_LIST: Schema = {"type": "array", "items": _clause_schema(False), "minItems": 1, "maxItems": MAX_CLAUSES}
_BY_NUMBER: Schema = {"anyOf": [_clause_schema(True), REMOVED]}


@described(
    {"anyOf": [_LIST, {"type": "object", "patternProperties": {"^[1-9]$": _BY_NUMBER}, "additionalProperties": False}]}
)
def read_when(problems: Problems, path: Path, value: Any) -> tuple[Clause, ...] | None:
    """Accept a list of clauses."""
    if not isinstance(value, list) or not 1 <= len(value) <= MAX_CLAUSES:
        shown = f"{len(value)} of them are" if isinstance(value, list) else f"{value!r} is"
        example = 'when = [ { event = "built", gain = { coins = "red" } } ]'
        problems.at(path, f"{shown} not accepted; accepted: a list of 1 to {MAX_CLAUSES} tables, such as {example}")
        return None
    clauses = [_clause(problems, (*path, str(number)), entry) for number, entry in enumerate(value, start=1)]
    return tuple(clause for clause in clauses if clause)


def _clause(problems: Problems, path: Path, entry: Any) -> Clause | None:
    """Read one clause; report problems and return None if it is invalid."""
    reported = len(problems.sentences)
    values = read_fields(problems, path, entry, FIELDS)
    if not isinstance(entry, dict):
        return None
    if "event" not in values:
        if "event" not in entry:
            problems.at(path, f"event is missing; accepted: {', '.join(w.TRIGGERS)}")
        return None
    clause = Clause(condition=values.pop("if", ""), seller=values.pop("from", ""), **values)
    _check_fields(problems, path, clause, entry)
    for field, node in clause.formulas():
        _check_formula(problems, (*path, *field), clause, node)
    return clause if len(problems.sentences) == reported else None


def _check_fields(problems: Problems, path: Path, clause: Clause, entry: Mapping[str, Any]) -> None:
    """Report fields that cannot be combined."""
    event, moved, accepted = clause.event, clause.event in w.MOVE_TRIGGERS, ", ".join(w.MOVE_TRIGGERS)
    itself = event == "bought" and clause.by in ("", "self") and clause.seller == "self"
    for mistaken, field, message in (
        (clause.by and not moved, "by", f"{event!r} is not a move; accepted with: {accepted}"),
        (clause.seller and event != "bought", "from", f"{event!r} has no seller; accepted with: bought"),
        (itself, "from", "a city cannot buy from itself; accepted: also set `by`, such as neighbor"),
        (clause.color and event != "card_built", "color", f"{event!r} has no color; accepted with: card_built"),
        (
            clause.each == "trigger" and not moved,
            "each",
            f"'trigger' is the city that made a move, but {event!r} is not a move; accepted with: {accepted}",
        ),
    ):
        if mistaken:
            problems.at((*path, field), message)
    if not clause.acts() and entry.keys() <= FIELDS.keys() - {"take", "give", "gain", "lose", "points"}:
        problems.at(path, "has no effect; accepted: at least one of take, give, gain, lose and points")
    for field, verb in (("take", "taken from"), ("give", "given to")):
        if getattr(clause, field) and clause.each in ("", "self") and (clause.each or "each" not in entry):
            message = f"coins are {verb} other cities"
            problems.at((*path, field), f"{message}; accepted: each = one of {', '.join(w.EACH[1:])}")
    message = 'points are counted at the end of the game; accepted with: event = "scored"'
    if event == "scored":
        message = "only points can change at the end of the game; accepted: points"
    for field in ("take", "give", "gain", "lose") if event == "scored" else ("points",):
        if getattr(clause, field):
            problems.at((*path, field), message)


_OPPOSITE = {"gain": "lose", "lose": "gain", "take": "give", "give": "take"}


def _check_formula(problems: Problems, path: Path, clause: Clause, node: Node) -> None:
    """Report a formula that refers to a missing other city, and an amount that could be negative."""
    has_other = clause.each not in ("", "self") or clause.event in w.MOVE_TRIGGERS
    for part in node.walk():
        if part.whose == "other" and not has_other:
            message = "there is no other city; accepted: also set `each`, or write left. and right. instead of other."
            problems.at(path, f"{part.text!r}, at letter {part.at}: {message}")
            return
        if part.kind == "event" and clause.event not in w.CARD_TRIGGERS:
            message = f"{clause.event!r} is not caused by a structure or stage"
            accepted = f"with {', '.join(w.CARD_TRIGGERS)}; to count structures, count(card.cost > 2)"
            problems.at(path, f"{part.text!r}, at letter {part.at}: {message}; accepted: {accepted}")
            return
        if part.name in w.EVENT_NAMES and clause.event != "bought":
            problems.at(path, f"{part.text!r}, at letter {part.at}: nothing is bought; accepted with: bought")
            return
    low, high = span(node, WIDEST)
    if low < 0 and path[-1] not in ("points", "if"):
        verb = path[-3] if path[-2] == w.COUNTER else path[-2] if path[-2] in ("gain", "lose") else path[-1]
        opposite = _OPPOSITE[verb]
        reversible = high <= 0 and (opposite != "lose" or path[-1] in w.LOSSES or path[-2] == w.COUNTER)
        accepted = f"{-low:,} with {opposite}" if reversible else "max(0, ...)"
        problems.at(path, f"{node.text!r} could be {low:,}, and less than 0 is not accepted; accepted: {accepted}")


# --- in English ------------------------------------------------------------------------------------------------------

_CITIES = {
    "self": "this city",
    "left": "the left neighbour",
    "right": "the right neighbour",
    "neighbor": "each neighbour",
    "other": "each other city",
    "partner": "the partner",
    "trigger": "that city",
}
_WHO = {
    "": "this city", "self": "this city", "left": "the left neighbour", "right": "the right neighbour",
    "neighbor": "a neighbour", "other": "another city", "partner": "the partner", "anyone": "any city",
}  # fmt: skip
_ITEMS = {
    "age_shields": "shields for this age",
    **{name: f"{name} symbols" for name in (*w.SYMBOLS[1 : w.ANY], "wild")},
    **{name: f"{name} units" for name in w.RESOURCES},
    **{f"turn_{name}": f"{name} units for one turn" for name in w.RESOURCES},
    "free_build_tokens": "tokens of a free build",
    "discard_builds": "builds from the discard pile",
}


def say_when(clauses: tuple[Clause, ...]) -> str:
    """Return clauses in English."""
    return "; ".join(map(_clause_text, clauses))


def _clause_text(clause: Clause) -> str:
    """Return, e.g., "when built: takes 1 coin from each neighbour, if their shields are fewer than own shields"."""
    event = w.TRIGGERS[clause.event]
    if clause.event in w.MOVE_TRIGGERS:
        event = f"whenever {_WHO[clause.by]} {event}"
        if clause.event == "card_built":
            event += f" a {' or '.join(clause.color)} card" if clause.color else " a card"
        if clause.event == "bought":
            event += f" from {_WHO[clause.seller or 'neighbor']}"
    other = clause.each not in ("", "self")
    actions = [_act_text(clause, act, amount, other) for act, amount in clause.acts()]
    if other and clause.event == "scored":
        event += f" for {_CITIES[clause.each]}"
    condition = f", if {english(parse(clause.condition))}" if clause.condition else ""
    return f"{event}: {', '.join(actions)}{condition}"


def _act_text(clause: Clause, act: str, amount: str, other: bool) -> str:
    verb, _, item = act.partition(" ")
    text = english(parse(amount))
    number = text if text.isdigit() else f"({text})"
    city = _CITIES[clause.each or "self"]
    if clause.event == "bought" and clause.each == "trigger":
        city = "the seller" if clause.by in ("", "self") else "the buyer"
    if verb == "points":
        return counted(number, "points")
    if verb == "take":
        return f"takes {counted(number, 'coins')} from {city}"
    if verb == "give":
        return f"gives {counted(number, 'coins')} to {city}"
    if item in w.UNIT_PRICES:
        change = f"the {price_in_words(item)} {'rises' if verb == 'gain' else 'falls'} by {number}"
        return f"{change} for {city}" if other else change
    if w.COUNTER in item.split():
        change = f"{item} {'rises' if verb == 'gain' else 'falls'} by {number}"
        return f"{change} for {city}" if other else change
    change = f"{'gains' if verb == 'gain' else 'loses'} {counted(number, item)}"
    return f"{city} {change}" if other else change


def counted(number: str, item: str) -> str:
    """Return "1 coin", "3 coins" or "(own red cards) coins" for an item to gain or lose."""
    items = _ITEMS.get(item, item.replace("_", " "))
    return f"{number} {re.sub(r's(?=$| for | of | from )', '', items, count=1) if number == '1' else items}"
