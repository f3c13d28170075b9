"""Clauses of cards and stages: when what happens, to whom, by which formula (``when = [...]``; R52-R58, R64-R68)."""

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
    table_schema,
    word,
    words,
)
from wsim.spec.formula import FormulaError, Node, span
from wsim.wonders import words as w
from wsim.wonders.catalog.formula import WIDEST, normal, parse, written
from wsim.wonders.catalog.formula_text import english
from wsim.wonders.facts import price_in_words

MOST_CLAUSES = 9  # of a card or stage: a patch changes them by one digit
Amounts = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Clause:
    """One effect by formulas; a field is named as in the card file, "" or () where it is not there.

    Attributes
    ----------
    event: one of ``words.TRIGGERS``. by: whose moves set it off (``words.BY``). seller: `from`, of whom one buys.
    color: builds of these colours do.
    each: on whom it acts (``words.EACH``). condition: `if`.
    take, give, points: formulas. gain, lose: what (``words.GAINS``, ``words.LOSSES``) and how much of it.
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
        """Return what it does (``words.ACTS``) and the formula of how much, in the order in which it is done."""
        found = {"take": self.take, "give": self.give, "points": self.points}
        found |= {f"gain {what}": amount for what, amount in self.gain}
        found |= {f"lose {what}": amount for what, amount in self.lose}
        return [(act, found[act]) for act in w.ACTS if found.get(act)]

    def formulas(self) -> Iterator[tuple[Path, Node]]:
        """Yield each formula with the fields under which it stands."""
        if self.condition:
            yield ("if",), parse(self.condition)
        for act, amount in self.acts():
            yield tuple(act.split()), parse(amount)

    def numbers(self) -> Iterator[tuple[Path, int]]:
        """Yield the numbers that are written in its formulas, with the fields under which a patch changes each."""
        for (*above, field), formula in self.formulas():
            for place, (_, value) in enumerate(written(formula.text), start=1):
                yield (*above, f"{field}:{place}"), value

    def sales(self, cities: int) -> int:
        """Return how many pairs of a buyer and its neighbour a clause of `bought` waits for."""
        place = {"self": (0,), "left": (1,), "right": (cities - 1,), "neighbor": (1, cities - 1), "partner": (1,)}
        buyers = place.get(self.by or "self", range(self.by == "other", cities))
        sellers = place.get(self.seller or "anyone", range(self.seller == "other", cities))
        return sum((buyer + side) % cities in sellers for buyer in buyers for side in (1, cities - 1))

    def table(self) -> dict[str, Any]:
        """Return the clause as it stands in a card file."""
        found: dict[str, Any] = {"event": self.event, "by": self.by, "from": self.seller}
        found |= {"color": list(self.color), "each": self.each}
        found |= {"if": self.condition, "take": self.take, "give": self.give}
        found |= {"gain": dict(self.gain), "lose": dict(self.lose), "points": self.points}
        return {name: value for name, value in found.items() if value}


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
    """Accept a formula that holds or not."""
    found: str | None = formula(problems, path, value)
    if found is not None and not parse(found).is_condition:
        problems.at(path, f"{found!r} is a number where a condition is needed, such as {found} > 0")
        return None
    return found


def _amounts(what: str, accepted: tuple[str, ...]) -> Reader:
    """Accept a table of things with a formula for each."""
    readers: Mapping[str, Reader] = dict.fromkeys(accepted, formula)

    def read(problems: Problems, path: Path, value: Any) -> Amounts:
        if isinstance(value, dict) and "points" in value:
            problems.at((*path, "points"), 'points are counted at the end of the game: event = "scored", points = ...')
            value = {name: amount for name, amount in value.items() if name != "points"}
        found = read_fields(problems, path, value, readers, what)
        return tuple((name, found[name]) for name in accepted if name in found)

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
    "by": f"whose move sets it off ({', '.join(w.MOVE_TRIGGERS)}); self, if nothing is said",
    "from": "of whom one buys (bought); anyone, if nothing is said",
    "color": "which structures set it off (card_built)",
    "each": "on which cities it acts; self, if nothing is said",
    "if": "a condition, looked at for each of these cities: other.shields < shields",
    "take": "coins from each of them",
    "give": "coins to each of them",
    "gain": "what each of them gets",
    "lose": "what each of them loses, as far as it is there",
    "points": "points for the city itself, with event = scored",
}


def _clause_schema(patched: bool) -> Schema:
    """Return the schema of a clause; ``patched``: of a change to one, which may name numbers in formulas (coins:2)."""
    found = deepcopy(table_schema(FIELDS))
    for name, about in _ABOUT.items():
        found["properties"][name] = {**found["properties"][name], "description": about}
    if not patched:
        return {**found, "required": ["event"]}
    tables = [found, *(found["properties"][name]["anyOf"][0] for name in ("gain", "lose"))]
    for table, names in zip(tables, (("if", "take", "give", "points"), w.GAINS, w.LOSSES), strict=True):
        table["patternProperties"] = {f"^({'|'.join(names)}):[1-9][0-9]?$": {"type": "integer"}}
    return found


_LIST: Schema = {"type": "array", "items": _clause_schema(False), "minItems": 1, "maxItems": MOST_CLAUSES}
_BY_NUMBER: Schema = {"anyOf": [_clause_schema(True), REMOVED]}


@described(
    {"anyOf": [_LIST, {"type": "object", "patternProperties": {"^[1-9]$": _BY_NUMBER}, "additionalProperties": False}]}
)
def read_when(problems: Problems, path: Path, value: Any) -> tuple[Clause, ...] | None:
    """Accept a list of clauses."""
    if not isinstance(value, list) or not 1 <= len(value) <= MOST_CLAUSES:
        shown = f"{len(value)} of them are" if isinstance(value, list) else f"{value!r} is"
        example = 'when = [ { event = "built", gain = { coins = "red" } } ]'
        problems.at(path, f"{shown} not accepted; accepted: a list of 1 to {MOST_CLAUSES} tables, such as {example}")
        return None
    found = [_clause(problems, (*path, str(number)), entry) for number, entry in enumerate(value, start=1)]
    return tuple(clause for clause in found if clause)


def _clause(problems: Problems, path: Path, entry: Any) -> Clause | None:
    """Read one clause; None (and reported problems) if it cannot be made."""
    before = len(problems.sentences)
    found = read_fields(problems, path, entry, FIELDS)
    if not isinstance(entry, dict):
        return None
    if "event" not in found:
        if "event" not in entry:
            problems.at(path, f"event is missing; accepted: {', '.join(w.TRIGGERS)}")
        return None
    clause = Clause(condition=found.pop("if", ""), seller=found.pop("from", ""), **found)
    _check_fields(problems, path, clause, entry)
    for field, node in clause.formulas():
        _check_formula(problems, (*path, *field), clause, node)
    return clause if len(problems.sentences) == before else None


def _check_fields(problems: Problems, path: Path, clause: Clause, entry: Mapping[str, Any]) -> None:
    """Report fields that do not go together."""
    if clause.by and clause.event not in w.MOVE_TRIGGERS:
        problems.at((*path, "by"), f"{clause.event!r} is nobody's move; accepted with: {', '.join(w.MOVE_TRIGGERS)}")
    if clause.seller and clause.event != "bought":
        problems.at((*path, "from"), f"{clause.event!r} has no seller; accepted with: bought")
    if clause.event == "bought" and clause.by in ("", "self") and clause.seller == "self":
        problems.at((*path, "from"), "nobody buys from itself; accepted: `by` besides, such as neighbor")
    if clause.color and clause.event != "card_built":
        problems.at((*path, "color"), f"{clause.event!r} has no color; accepted with: card_built")
    if clause.each == "trigger" and clause.event not in w.MOVE_TRIGGERS:
        accepted = f"accepted with: {', '.join(w.MOVE_TRIGGERS)}"
        problems.at((*path, "each"), f"'trigger' is whoever made a move, and {clause.event!r} is none; {accepted}")
    if not clause.acts() and entry.keys() <= FIELDS.keys() - {"take", "give", "gain", "lose", "points"}:
        problems.at(path, "does nothing; accepted: take, give, gain, lose or points besides")
    for field in ("take", "give"):
        if getattr(clause, field) and clause.each in ("", "self") and (clause.each or "each" not in entry):
            accepted = ", ".join(w.EACH[1:])
            problems.at((*path, field), f"coins are handed to or by another city; accepted: each = one of {accepted}")
    if clause.event == "scored":
        for field in ("take", "give", "gain", "lose"):
            if getattr(clause, field):
                problems.at((*path, field), "at the end of the game only points are counted; accepted: points")
    elif clause.points:
        problems.at((*path, "points"), 'points are counted at the end of the game; accepted with: event = "scored"')


_CONTRARY = {"gain": "lose", "lose": "gain", "take": "give", "give": "take"}


def _check_formula(problems: Problems, path: Path, clause: Clause, node: Node) -> None:
    """Report a formula that speaks of another city where there is none, and an amount that could be negative."""
    another = clause.each not in ("", "self") or clause.event in w.MOVE_TRIGGERS
    for part in node.walk():
        if part.whose == "other" and not another:
            said = "there is no other city; accepted: `each` besides, or left. and right. instead of other."
            problems.at(path, f"{part.text!r}, at letter {part.at}: {said}")
            return
        if part.name in w.EVENT_NAMES and clause.event != "bought":
            problems.at(path, f"{part.text!r}, at letter {part.at}: nothing is bought; accepted with: bought")
            return
    low, high = span(node, WIDEST)
    if low < 0 and path[-1] not in ("points", "if"):
        contrary = _CONTRARY[path[-2] if path[-2] in ("gain", "lose") else path[-1]]
        turned = high <= 0 and (contrary != "lose" or path[-1] in w.LOSSES)
        accepted = f"{-low:,} with {contrary}" if turned else "max(0, ...)"
        problems.at(path, f"{node.text!r} could be {low:,}, and less than 0 is not accepted; accepted: {accepted}")


# --- in English ------------------------------------------------------------------------------------------------------

_CITIES = {
    "self": "this city",
    "left": "the left neighbour",
    "right": "the right neighbour",
    "neighbor": "each neighbour",
    "other": "each other city",
    "partner": "the partner",
    "trigger": "whoever did it",
}
_WHO = {
    "": "this city", "self": "this city", "left": "the left neighbour", "right": "the right neighbour",
    "neighbor": "a neighbour", "other": "another city", "partner": "the partner", "anyone": "any city",
}  # fmt: skip
_WHAT = {
    "age_shields": "shields for this age",
    **{name: f"{name} symbols" for name in (*w.SYMBOLS[1 : w.ANY], "wild")},
    **{name: f"{name} units" for name in w.RESOURCES},
    **{f"turn_{name}": f"{name} units for one turn" for name in w.RESOURCES},
    "free_build_tokens": "tokens of a free build",
    "discard_builds": "builds from the discard pile",
}


def say_when(clauses: tuple[Clause, ...]) -> str:
    """Return clauses in words."""
    return "; ".join(map(_say, clauses))


def _say(clause: Clause) -> str:
    """Say "when built: takes 1 coin from each neighbour, if their shields are fewer than own shields"."""
    told = w.TRIGGERS[clause.event]
    if clause.event in w.MOVE_TRIGGERS:
        told = f"whenever {_WHO[clause.by]} {told}"
        if clause.event == "card_built":
            told += f" a {' or '.join(clause.color)} card" if clause.color else " a card"
        if clause.event == "bought":
            told += f" from {_WHO[clause.seller or 'neighbor']}"
    other = clause.each not in ("", "self")
    does = [_say_act(clause, act, amount, other) for act, amount in clause.acts()]
    if other and clause.event == "scored":
        told += f" for {_CITIES[clause.each]}"
    condition = f", if {english(parse(clause.condition))}" if clause.condition else ""
    return f"{told}: {', '.join(does)}{condition}"


def _say_act(clause: Clause, act: str, amount: str, other: bool) -> str:
    """Say one thing that a clause does."""
    verb, _, what = act.partition(" ")
    said = english(parse(amount))
    number = said if said.isdigit() else f"({said})"
    city = _CITIES[clause.each or "self"]
    if clause.event == "bought" and clause.each == "trigger":
        city = "the seller" if clause.by in ("", "self") else "the buyer"
    if verb == "points":
        return counted(number, "points")
    if verb == "take":
        return f"takes {counted(number, 'coins')} from {city}"
    if verb == "give":
        return f"gives {counted(number, 'coins')} to {city}"
    if what in w.UNIT_PRICES:
        does = f"the {price_in_words(what)} {'rises' if verb == 'gain' else 'falls'} by {number}"
        return f"{does} for {city}" if other else does
    things = counted(number, what)
    does = f"{verb}s" if verb == "gain" else "loses"
    return f"{city} {does} {things}" if other else f"{does} {things}"


def counted(number: str, what: str) -> str:
    """Return "1 coin", "3 coins", "(own red cards) coins" of a thing to gain or lose."""
    things = _WHAT.get(what, what.replace("_", " "))
    return f"{number} {re.sub(r's(?=$| for | of | from )', '', things, count=1) if number == '1' else things}"
