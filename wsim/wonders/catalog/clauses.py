"""Clauses of cards and stages (``when = [...]``): events, decisions, prices, and actions whose amounts are formulas
(R52-R58, R64-R79)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
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
    flag,
    read_fields,
    schema_of,
    table_schema,
    word,
    words,
)
from wsim.spec.formula import FormulaError, Node, span
from wsim.wonders import words as w
from wsim.wonders.catalog.formula import WIDEST, normal, parse, written

MAX_CLAUSES = 9  # clauses of a card or stage: a patch identifies each by one digit
Amounts = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Pick:
    """The card that a city chooses in a decision (R80); absent fields are "".

    Attributes
    ----------
    source: the set of cards (``words.CARD_FROM``). condition: a formula about ``card``.
    do: what happens to the card (``words.CARD_DO``). given: the condition for the own card given in exchange (R97).
    draw: the number of cards drawn from the set, of which the city chooses one (R100); "": it chooses from all.
    """

    source: str
    condition: str = ""
    do: str = ""
    given: str = ""
    draw: str = ""

    def table(self) -> dict[str, Any]:
        """Return the card choice as written in a card file."""
        table = {"from": self.source, "if": self.condition, "do": self.do, "for": self.given, "draw": self.draw}
        return {name: value for name, value in table.items() if value}


@dataclass(frozen=True, slots=True)
class Option:
    """An option in the decision of a clause (R72); fields are named as in the card file.

    ``price``: items to pay, each with its amount: "" or "coins" for coins, or "counter favour". ``card``: a card to
    choose. ``amount``: the largest amount that can be chosen; "" if there is no amount to choose.
    """

    take: str = ""
    give: str = ""
    gain: Amounts = ()
    lose: Amounts = ()
    price: Amounts = ()
    card: Pick | None = None
    amount: str = ""

    def price_acts(self) -> list[tuple[str, str]]:
        """Return the actions that pay the price, each with the formula for its amount: coins first, then counters."""
        return [(f"lose {item or 'coins'}", amount) for item, amount in self.price]

    def acts(self) -> list[tuple[str, str]]:
        """Return the option's actions in order, without the price, each with the formula for its amount."""
        return _direct_acts(self)

    def formulas(self) -> Iterator[tuple[Path, Node]]:
        """Yield each formula with the path of its field."""
        if self.card and self.card.condition:
            yield ("card", "if"), parse(self.card.condition)
        if self.card and self.card.given:
            yield ("card", "for"), parse(self.card.given)
        if self.card and self.card.draw:
            yield ("card", "draw"), parse(self.card.draw)
        if self.amount:
            yield ("amount",), parse(self.amount)
        yield from ((("price", *item.split()), parse(amount)) for item, amount in self.price)
        yield from ((tuple(act.split(" ", 2)), parse(amount)) for act, amount in _direct_acts(self))

    def table(self) -> dict[str, Any]:
        """Return the option as written in a card file."""
        price: Any = dict(self.price).get("") or _as_table(self.price)
        table: dict[str, Any] = {"card": self.card and self.card.table(), "amount": self.amount, "price": price}
        table |= {"take": self.take, "give": self.give}
        table |= {"gain": _as_table(self.gain), "lose": _as_table(self.lose)}
        return {name: value for name, value in table.items() if value}


@dataclass(frozen=True, slots=True)
class Clause:
    """One effect given by formulas; fields are named as in the card file, "" or () if absent.

    Attributes
    ----------
    event: one of ``words.TRIGGERS``. by: the city whose moves trigger it, or that pays (``words.BY``).
    seller: `from`, the seller of a purchase.
    color: only structures of these colours trigger it.
    each: the cities it acts on (``words.EACH``). condition: `if`.
    take, give, points: formulas. gain, lose: an item (``words.GAINS``, ``words.LOSSES``) and its amount.
    cheaper, dearer: an item (``words.CHEAPER``, ``words.DEARER``) and its amount.
    one: whether it acts on only one of these cities, which the deciding city chooses.
    may: whether the city may decline. price: as in ``Option``; the city may decline to pay it. choose: the options.
    card, amount: as in ``Option``.
    decider: the city that decides (``words.DECIDERS``).
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
    cheaper: Amounts = ()
    dearer: Amounts = ()
    points: str = ""
    may: bool = False
    price: Amounts = ()
    choose: tuple[Option, ...] = ()
    one: bool = False
    card: Pick | None = None
    amount: str = ""
    decider: str = ""

    @property
    def optional(self) -> bool:
        """Whether the city may decline."""
        return self.may or bool(self.price)

    def options(self) -> tuple[Option, ...]:
        """Return the options between which the city chooses; empty if the clause does not ask (R72)."""
        if self.choose or not (self.optional or self.one or self.card or self.amount):
            return self.choose
        return (Option(self.take, self.give, self.gain, self.lose, self.price, self.card, self.amount),)

    def acts(self) -> list[tuple[str, str]]:
        """Return the clause's actions (of all options, if it asks) in order, each with the formula for its amount.

        Actions are those of ``words.ACTS``, then "gain draw Envoys", by deck, then "gain counter favour", by counter,
        then "lose counter favour".
        """
        if options := self.options():
            return [act for option in options for act in (*option.price_acts(), *option.acts())]
        return _direct_acts(self)

    def formulas(self) -> Iterator[tuple[Path, Node]]:
        """Yield each formula with the path of its field."""
        if self.condition:
            yield ("if",), parse(self.condition)
        if self.choose:
            for number, option in enumerate(self.choose, start=1):
                yield from ((("choose", str(number), *path), node) for path, node in option.formulas())
        elif options := self.options():
            yield from options[0].formulas()
        else:
            yield from ((tuple(act.split(" ", 2)), parse(amount)) for act, amount in _direct_acts(self))

    def numbers(self) -> Iterator[tuple[Path, int]]:
        """Yield the numbers in the clause's formulas, each with the path under which a patch changes it."""
        for (*above, field), formula in self.formulas():
            for position, (_, value) in enumerate(written(formula.text), start=1):
                yield (*above, f"{field}:{position}"), value

    def sales(self, cities: int) -> int:
        """Return the number of (buyer, seller) pairs that trigger this clause on the event `bought`."""
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
        table |= {"cheaper": dict(self.cheaper), "dearer": dict(self.dearer)}
        table |= {"card": self.card and self.card.table(), "amount": self.amount}
        table |= {"one": self.one, "may": self.may, "price": Option(price=self.price).table().get("price")}
        table["decider"] = self.decider
        table["choose"] = [option.table() for option in self.choose]
        return {name: value for name, value in table.items() if value}


def _direct_acts(effect: Clause | Option) -> list[tuple[str, str]]:
    """Return (action, amount) pairs of an option, or of a clause without a decision, in order of execution."""
    amounts = {"take": effect.take, "give": effect.give, "points": getattr(effect, "points", "")}
    amounts |= {f"gain {item}": amount for item, amount in effect.gain}
    amounts |= {f"lose {item}": amount for item, amount in effect.lose}
    for change in ("cheaper", "dearer"):
        amounts |= {f"{change} {item}": amount for item, amount in getattr(effect, change, ())}
    ordered = [act for act in w.ACTS if amounts.get(act)]
    ordered += [act for kind in (w.DRAW, w.COUNTER) for act in amounts if named(act, kind)]
    return [(act, amounts[act]) for act in ordered]


def named(act: str, kind: str) -> str:
    """Return the name of the counter or deck in an action; "" if the action is of a different kind.

    An example is "gain counter favour" for the kind "counter", and "gain draw Envoys" for the kind "draw".
    """
    _, found, name = (*act.split(" ", 2), "", "")[:3]
    return name if found == kind else ""


def decks_drawn(when: Iterable[Clause]) -> Iterator[tuple[Path, str]]:
    """Yield the name of each deck that clauses draw from, with the path of the amount (R104)."""
    for number, clause in enumerate(when, start=1):
        for path, _ in clause.formulas():
            if path[-3:-1] == ("gain", w.DRAW):
                yield (str(number), *path), path[-1]


def _as_table(amounts: Amounts) -> dict[str, Any]:
    """Return amounts as written in a card file, with nested tables for counters and decks."""
    table: dict[str, Any] = {}
    for item, amount in amounts:
        kind, _, name = item.partition(" ")
        if name:
            table.setdefault(kind, {})[name] = amount
        else:
            table[kind] = amount
    return table


# --- reading ---------------------------------------------------------------------------------------------------------


@described({"anyOf": [{"type": "integer"}, {"type": "string", "minLength": 1}]})
def formula(problems: Problems, path: Path, value: Any) -> str | None:
    """Read a formula or a whole number."""
    if isinstance(value, bool) or not isinstance(value, int | str):
        problems.at(
            path, f'{value!r} is not accepted; accepted: a whole number, or a formula in quotes such as "2 * red"'
        )
        return None
    try:
        text = normal(str(value).strip())
        span(parse(text), {**WIDEST, **problems.counters})
        return text
    except FormulaError as mistake:
        problems.at(path, str(mistake))
        return None


@described({"type": "string", "minLength": 1})
def _condition(problems: Problems, path: Path, value: Any) -> str | None:
    """Read a formula whose value is true or false."""
    text: str | None = formula(problems, path, value)
    if text is not None and not parse(text).is_condition:
        problems.at(path, f"{text!r} is a number where a condition is needed, such as {text} > 0")
        return None
    return text


@described({"type": "object", "additionalProperties": schema_of(formula)})
def _counter_amounts(problems: Problems, path: Path, value: Any) -> Amounts | None:
    """Read a table of counters, with a formula for the amount of each."""
    return _amounts_by_name(
        problems, path, value, w.COUNTER, f"a counter and its amount, such as {w.COUNTER}.favour = 1"
    )


@described({"type": "object", "additionalProperties": schema_of(formula)})
def _deck_amounts(problems: Problems, path: Path, value: Any) -> Amounts | None:
    """Read a table of further decks, with a formula for the number of cards drawn from each stock."""
    return _amounts_by_name(problems, path, value, w.DRAW, f"a deck and a number of cards, such as {w.DRAW}.Envoys = 2")


def _amounts_by_name(problems: Problems, path: Path, value: Any, kind: str, accepted: str) -> Amounts | None:
    """Read a table of names, with a formula for the amount of each."""
    if not isinstance(value, dict):
        problems.at(path, f"{value!r} is not accepted; accepted: {accepted}")
        return None
    amounts = read_fields(problems, path, value, dict.fromkeys(value, formula))
    return tuple((f"{kind} {name}", amounts[name]) for name in sorted(amounts))


def _amounts(kind: str, accepted: tuple[str, ...], draws: bool = False) -> Reader:
    """Return a reader for a table of items and amounts; ``draws``: whether to accept draws from further decks."""
    named_ones: Mapping[str, Reader] = {**({w.DRAW: _deck_amounts} if draws else {}), w.COUNTER: _counter_amounts}
    readers: Mapping[str, Reader] = {**dict.fromkeys(accepted, formula), **named_ones}

    def read(problems: Problems, path: Path, value: Any) -> Amounts:
        amounts = read_fields(problems, path, value, readers, kind)
        further = [one for name in named_ones for one in amounts.get(name, ())]
        return (*((name, amounts[name]) for name in accepted if name in amounts), *further)

    return described(table_schema(readers))(read)


def _prices(kind: str, accepted: tuple[str, ...]) -> Reader:
    """Return a reader for a table of items that cost less or more, with a formula for the amount of each."""
    readers: Mapping[str, Reader] = dict.fromkeys(accepted, formula)

    def read(problems: Problems, path: Path, value: Any) -> Amounts:
        amounts = read_fields(problems, path, value, readers, kind)
        return tuple((name, amounts[name]) for name in accepted if name in amounts)

    return described(table_schema(readers))(read)


_PRICE: Mapping[str, Reader] = {"coins": formula, w.COUNTER: _counter_amounts}


@described({"anyOf": [schema_of(formula), table_schema(_PRICE)]})
def _price(problems: Problems, path: Path, value: Any) -> Amounts | None:
    """Read a price: a formula for coins, or a table with coins and counters."""
    if not isinstance(value, dict):
        coins = formula(problems, path, value)
        return None if coins is None else (("", coins),)
    amounts = read_fields(problems, path, value, _PRICE, "thing to pay with")
    return (*((name, amounts[name]) for name in ("coins",) if name in amounts), *amounts.get(w.COUNTER, ()))


_CARD_FIELDS: Mapping[str, Reader] = {
    "from": word("set of cards", tuple(w.CARD_FROM)),
    "if": _condition,
    "do": word("thing to do", tuple(w.CARD_DO)),
    "for": _condition,
    "draw": formula,
}


_CARD_ABOUT = {
    "from": "the set: the discard pile, the own city or a neighbour's, the own hand or a neighbour's",
    "if": "a condition for each card of it: card.cost > 1",
    "do": "what happens to it: built for nothing (from discarded), discarded, taken, swapped for one; default: nothing",
    "for": "a condition for each own card that is given for it, with do = swap: card.brown",
    "draw": "how many cards are drawn from it at random, of which the city chooses one (from discarded); default: all",
}
_CARD = table_schema(_CARD_FIELDS)
for _name, _about in _CARD_ABOUT.items():
    _CARD["properties"][_name] = {**_CARD["properties"][_name], "description": _about}


@described(_CARD)
def _pick(problems: Problems, path: Path, value: Any) -> Pick | None:
    """Read a table that defines the set from which a city chooses a card, and the action on that card."""
    if not isinstance(value, dict):
        message = f'{value!r} is not accepted; accepted: a table, such as {{ from = "discarded", do = "build" }}'
        problems.at(path, message)
        return None
    fields = read_fields(problems, path, value, _CARD_FIELDS)
    if "from" not in value:
        problems.at(path, f"from is missing; accepted: {', '.join(w.CARD_FROM)}")
    if "from" not in fields:
        return None
    source, do = fields["from"], fields.get("do", "")
    if do and source not in w.CARD_DO_FROM[do]:
        message = f"{do!r} is not possible with a card from {w.CARD_FROM[source]}"
        accepted = " or ".join(map(repr, w.CARD_DO_FROM[do]))
        problems.at((*path, "do"), f"{message}; accepted: from = {accepted}, or no `do`")
    if "for" in value and do != "swap" and not ("do" in value and not do):
        problems.at((*path, "for"), 'no card is given for it; accepted with: do = "swap"')
    if "draw" in fields and source != "discarded":
        problems.at((*path, "draw"), f"nothing is drawn from {w.CARD_FROM[source]}; accepted with: from = 'discarded'")
    return Pick(source, fields.get("if", ""), do, fields.get("for", ""), fields.get("draw", ""))


OPTION_FIELDS: Mapping[str, Reader] = {
    "card": _pick,
    "amount": formula,
    "take": formula,
    "give": formula,
    "gain": _amounts("thing to gain", w.GAINS, draws=True),
    "lose": _amounts("thing to lose", w.LOSSES),
    "price": _price,
}
_OPTIONS: Schema = {"type": "array", "items": table_schema(OPTION_FIELDS), "minItems": 2, "maxItems": w.MAX_OPTIONS}
_BY_OPTION = {"anyOf": [table_schema(OPTION_FIELDS), REMOVED]}


@described(
    {
        "anyOf": [
            _OPTIONS,
            {"type": "object", "patternProperties": {"^[1-9]$": _BY_OPTION}, "additionalProperties": False},
        ]
    }
)
def _choose(problems: Problems, path: Path, value: Any) -> tuple[Option, ...] | None:
    """Read a list of options."""
    if not isinstance(value, list) or not 2 <= len(value) <= w.MAX_OPTIONS:
        shown = f"{len(value)} of them are" if isinstance(value, list) else f"{value!r} is"
        example = "choose = [ { gain = { coins = 3 } }, { gain = { shields = 1 } } ]"
        problems.at(path, f"{shown} not accepted; accepted: a list of 2 to {w.MAX_OPTIONS} tables, such as {example}")
        return None
    options = []
    for number, entry in enumerate(value, start=1):
        option = Option(**read_fields(problems, (*path, str(number)), entry, OPTION_FIELDS))
        if isinstance(entry, dict) and _is_idle(option, entry.keys(), {"price", "card", "amount"}):
            message = "has no effect; accepted: at least one of take, give, gain, lose and card.do"
            problems.at((*path, str(number)), f"{message} (to do nothing: may = true)")
        options.append(option)
    if (picks := sum(option.card is not None for option in options)) > w.MAX_CARD_OPTIONS:
        message = f"{picks} options have a card; accepted: at most {w.MAX_CARD_OPTIONS} in one decision"
        problems.at(path, message)
    return tuple(options)


def _is_idle(effect: Clause | Option, given: Collection[str], idle: Collection[str]) -> bool:
    """Return whether an effect does nothing: it has no actions, its fields are all ``idle``, and its card stays."""
    moves = effect.card.do if effect.card else "card" in given  # an invalid card is reported separately
    return not _direct_acts(effect) and not moves and set(given) <= set(idle)


FIELDS: Mapping[str, Reader] = {
    "event": word("event", tuple(w.TRIGGERS)),
    "by": word("seat", w.BY),
    "from": word("seat", w.BY),
    "color": words("color", w.COLORS),
    "each": word("seat", w.EACH),
    "if": _condition,
    "take": formula,
    "give": formula,
    "gain": _amounts("thing to gain", w.GAINS, draws=True),
    "lose": _amounts("thing to lose", w.LOSSES),
    "points": formula,
    "cheaper": _prices("thing that can cost less", w.CHEAPER),
    "dearer": _prices("thing that can cost more", w.DEARER),
    "card": _pick,
    "amount": formula,
    "one": flag,
    "may": flag,
    "price": _price,
    "choose": _choose,
    "decider": word("seat", w.DECIDERS),
}
_ABOUT = {
    "event": "when it happens",
    "by": f"the city whose move triggers it ({', '.join(w.MOVE_TRIGGERS)}), or that pays; default: self",
    "from": "the seller of a purchase (bought, trade_cost); default: anyone",
    "color": "the colours of structures that trigger it (card_built), or whose cost it changes (card_cost)",
    "each": "the cities that it acts on; default: self",
    "if": "a condition, evaluated for each of these cities: other.shields < shields",
    "take": "coins taken from each of these cities",
    "give": "coins given to each of these cities",
    "gain": "what each of these cities gains",
    "lose": "what each of these cities loses, down to 0 (points: without limit)",
    "points": "points for this city at the end, with event = scored",
    "cheaper": f"by how much something costs less, with event = {' or '.join(w.COST_TRIGGERS)}",
    "dearer": f"by how much something costs more, with event = {' or '.join(w.COST_TRIGGERS)}",
    "card": "a card that the city chooses, which formulas call `card`, and what happens to it",
    "amount": "the largest amount that the city can choose, from 1 on, which formulas call `amount`",
    "one": "true: it acts on one of these cities, which the city chooses",
    "may": "true: the city may decline",
    "price": "coins, or coins and counters, that the city must pay for it, or else decline",
    "choose": "two or more effects, of which the city chooses one; each may have a price of its own",
    "decider": "the city that decides, and pays the price; default: self",
}


def _clause_schema(patched: bool) -> Schema:
    """Return the schema of a clause, or of a patch to a clause, which may name single numbers in formulas (coins:2)."""
    schema = deepcopy(table_schema(FIELDS))
    for name, about in _ABOUT.items():
        schema["properties"][name] = {**schema["properties"][name], "description": about}
    if not patched:
        return {**schema, "required": ["event"]}
    tables = [schema, *(schema["properties"][name]["anyOf"][0] for name in ("gain", "lose", "cheaper", "dearer"))]
    amounts = (("if", "take", "give", "points", "price", "amount"), w.GAINS, w.LOSSES, w.CHEAPER, w.DEARER)
    for table, names in zip(tables, amounts, strict=True):
        table["patternProperties"] = {f"^({'|'.join(names)}):[1-9][0-9]?$": {"type": "integer"}}
    return schema


_LIST: Schema = {"type": "array", "items": _clause_schema(False), "minItems": 1, "maxItems": MAX_CLAUSES}
_BY_NUMBER: Schema = {"anyOf": [_clause_schema(True), REMOVED]}


@described(
    {"anyOf": [_LIST, {"type": "object", "patternProperties": {"^[1-9]$": _BY_NUMBER}, "additionalProperties": False}]}
)
def read_when(problems: Problems, path: Path, value: Any) -> tuple[Clause, ...] | None:
    """Read a list of clauses."""
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
        option = clause.choose[int(field[1]) - 1] if field[0] == "choose" else clause
        given = entry if "amount" in entry or option is clause else entry["choose"][int(field[1]) - 1]
        known = (False, False) if field == ("if",) else (option.card is not None, "amount" in given)
        if field[-1] == "draw":
            known = (False, False)
        _check_formula(problems, (*path, *field), clause, node, *known)
    return clause if len(problems.sentences) == reported else None


_SEVERAL = ("neighbor", "other")


def _check_fields(problems: Problems, path: Path, clause: Clause, entry: Mapping[str, Any]) -> None:
    """Report fields that cannot be combined."""
    for field, message in _fields_not_for_event(clause):
        problems.at((*path, field), message)
    if clause.event in w.COST_TRIGGERS or clause.cheaper or clause.dearer:
        _check_prices(problems, path, clause, entry)
        return
    if _is_idle(clause, entry.keys(), FIELDS.keys() - {"take", "give", "gain", "lose", "points", "choose"}):
        problems.at(path, "has no effect; accepted: at least one of take, give, gain, lose, points, choose and card.do")
    each_is_known = bool(clause.each) or "each" not in entry  # otherwise it was rejected
    for mistakes in (
        _coins_without_city(clause) if each_is_known else (),
        _fields_of_options(clause),
        _impossible_choices(clause, each_is_known),
        _invalid_decider(clause),
        _fields_not_for_scoring(clause),
    ):
        for where, message in mistakes:
            problems.at((*path, *where), message)


def _fields_not_for_event(clause: Clause) -> Iterator[tuple[str, str]]:
    """Yield the fields that do not apply to the event, with the reason."""
    event, accepted = clause.event, ", ".join(w.MOVE_TRIGGERS)
    of_nobody = event not in (*w.MOVE_TRIGGERS, *w.COST_TRIGGERS)
    if clause.by and of_nobody:
        yield "by", f"{event!r} is not a move; accepted with: {accepted}"
    sold = event in ("bought", "trade_cost")
    if clause.seller and not sold:
        yield "from", f"{event!r} has no seller; accepted with: bought, trade_cost"
    if sold and clause.by in ("", "self") and clause.seller == "self":
        yield "from", "a city cannot buy from itself; accepted: also set `by`, such as neighbor"
    if clause.color and event not in ("card_built", "card_cost"):
        yield "color", f"{event!r} has no color; accepted with: card_built, card_cost"
    if clause.each == "trigger" and of_nobody:
        message = f"'trigger' is the city that made a move, but {event!r} is not a move"
        yield "each", f"{message}; accepted with: {accepted}"


Mistake = tuple[tuple[str, ...], str]
"""The path of a mistake within a clause, and the message about it."""


def _coins_without_city(clause: Clause) -> Iterator[Mistake]:
    """Yield `take` and `give` in a clause that acts only on its own city."""
    options = [(("choose", str(number)), option) for number, option in enumerate(clause.choose, start=1)]
    for field, verb in (("take", "taken from"), ("give", "given to")):
        for above, part in ((), clause), *options:
            if clause.each in ("", "self") and getattr(part, field):
                message = f"coins are {verb} other cities"
                yield (*above, field), f"{message}; accepted: each = one of {', '.join(w.EACH[1:])}"


def _fields_of_options(clause: Clause) -> Iterator[Mistake]:
    """Yield fields that a clause with options must leave to its options."""
    for field in OPTION_FIELDS if clause.choose else ():
        if getattr(clause, field):
            message = "does not go with `choose`, where every option has its own"
            yield (field,), f"{message}; accepted: {field} in each option, or two clauses"


def _impossible_choices(clause: Clause, each_is_known: bool) -> Iterator[Mistake]:
    """Yield choices that cannot be offered at all, or not in a single decision."""
    options = clause.options()
    if clause.one and each_is_known and clause.each not in _SEVERAL:
        yield ("one",), f"there is no city to choose; accepted with: each = {' or '.join(_SEVERAL)}"
    if clause.one and any(option.card for option in options):
        yield ("one",), "a city and a card cannot both be chosen in one decision; accepted: two clauses"
    if sum(bool(option.card and option.card.draw) for option in options) > 1:
        message = "cards are drawn for one option of a decision at most"
        yield ("choose",), f"{message}; accepted: draw in one of them, or two clauses"
    for option in options:
        events = w.HAND_EVENTS.get(option.card.source) if option.card else None
        if option.card and events and clause.event not in (*events, "scored"):
            message = f"{clause.event!r} is not a time to choose from {w.CARD_FROM[option.card.source]}"
            yield ("event",), f"{message}; accepted: {', '.join(events)}"
        if option.amount and (clause.one or option.card):
            message = f"an amount and a {'city' if clause.one else 'card'} cannot both be chosen in one decision"
            yield ("amount",), f"{message}; accepted: two clauses"


def _invalid_decider(clause: Clause) -> Iterator[Mistake]:
    """Yield a decider that does not exist or has nothing to decide."""
    if clause.decider and not clause.options() and clause.event != "scored":
        yield ("decider",), "nothing is decided; accepted with: may, price, choose, one, card, amount"
    hands = [option.card.source for option in clause.options() if option.card and option.card.source in w.HAND_EVENTS]
    if clause.decider not in ("", "self") and hands:
        message = f"only the city itself chooses from {w.CARD_FROM[hands[0]]}"
        yield ("decider",), f"{message}; accepted: no decider, or a card from {', '.join(list(w.CARD_FROM)[:4])}"
    if clause.decider == "trigger" and clause.event not in w.MOVE_TRIGGERS:
        message = f"'trigger' is the city that made a move, but {clause.event!r} is not a move"
        yield ("decider",), f"{message}; accepted with: {', '.join(w.MOVE_TRIGGERS)}"


def _fields_not_for_scoring(clause: Clause) -> Iterator[Mistake]:
    """Yield fields that cannot act when points are counted, and `points` with any other event."""
    if clause.event != "scored":
        if clause.points:
            message = "these points are counted at the end of the game"
            yield ("points",), f'{message}; accepted: event = "scored", or gain = {{ points = ... }}'
        return
    events = ", ".join(event for event in w.TRIGGERS if event not in ("scored", *w.COST_TRIGGERS))
    for field in ("card", "amount", "one", "may", "price", "choose", "decider"):
        if getattr(clause, field):
            yield (field,), f"nothing is decided when points are counted; accepted with: {events}"
    for field in ("take", "give", "gain", "lose"):
        if getattr(clause, field):
            yield (field,), "only points can change at the end of the game; accepted: points"


def _check_prices(problems: Problems, path: Path, clause: Clause, entry: Mapping[str, Any]) -> None:
    """Report fields that a clause about prices cannot have, and prices that do not apply to its event (R75-R77)."""
    event = clause.event
    if event not in w.COST_TRIGGERS:
        for field in ("cheaper", "dearer"):
            if getattr(clause, field):
                message = f"nothing is paid at {event!r}; accepted with: {', '.join(w.COST_TRIGGERS)}"
                problems.at((*path, field), message)
        return
    amounts = ("take", "give", "gain", "lose", "points")
    refused = ("each", *amounts, "card", "amount", "one", "may", "price", "choose", "decider")
    for field in refused:
        if getattr(clause, field):
            message = f"{event!r} only changes prices, for the city that `by` names; accepted: cheaper, dearer"
            problems.at((*path, field), message)
    if not (clause.cheaper or clause.dearer) and entry.keys() <= FIELDS.keys() - {"cheaper", "dearer", *refused}:
        problems.at(path, "has no effect; accepted: cheaper or dearer, such as cheaper = { coins = 1 }")
    mine = w.UNIT_ITEMS if event == "trade_cost" else w.COST_ITEMS
    for field, items in (("cheaper", w.CHEAPER), ("dearer", w.DEARER)):
        for item, _ in getattr(clause, field):
            if item not in mine:
                other = "card_cost or stage_cost" if event == "trade_cost" else "trade_cost"
                accepted = ", ".join(name for name in items if name in mine)
                message = f"belongs to event = {other}; accepted with {event}: {accepted}"
                problems.at((*path, field, item), message)


_OPPOSITE = {"gain": "lose", "lose": "gain", "take": "give", "give": "take", "cheaper": "dearer", "dearer": "cheaper"}
_CHANGES = ("gain", "lose", "cheaper", "dearer")
"""Fields that are tables of amounts."""


def _check_formula(problems: Problems, path: Path, clause: Clause, node: Node, picks: bool, chooses: bool) -> None:
    """Report a formula that refers to a value that does not exist, and an amount that could be too large or negative.

    ``picks``: whether `card` in the formula is a card that the city chooses. ``chooses``: whether the city chooses an
    amount.
    """
    for part in node.walk():
        if reason := _why_unknown(path, clause, part, picks, chooses):
            problems.at(path, f"{part.text!r}, at character {part.at}: {reason}")
            return
    low, high = span(node, {**WIDEST, **problems.counters})
    field = w.DRAW if path[-2] == w.DRAW else path[-1]  # gain.draw.DECK has the name of a deck
    if field == w.COPIES and clause.event not in ("built", "card_built", "bought") and not picks:
        message = f"{clause.event!r} is not caused by a structure, so there is nothing to copy"
        problems.at(path, f"{message}; accepted: with built, card_built, bought, or a `card` to choose")
    most, why, accepted = _LIMITS.get(field, (high, "", ""))
    if high > most:
        problems.at(path, f"{node.text!r} could be {high:,}, and {why}; accepted: {accepted}")
    if low < 0:
        _refuse_negative(problems, path, node, low, high)


def _why_unknown(path: Path, clause: Clause, part: Node, picks: bool, chooses: bool) -> str:
    """Return why a part of a formula has no value in this field; "" if it has a value."""
    event = clause.event
    acts_on_others = clause.each not in ("", "self") and not _is_price(path)
    if part.whose == "other" and not acts_on_others and event not in (*w.MOVE_TRIGGERS, *w.COST_TRIGGERS):
        return "there is no other city; accepted: also set `each`, or write left. and right. instead of other."
    if part.kind == "name" and part.name == "amount" and not (chooses and path[-1] != "amount"):
        largest = "the largest one, such as 3" if path[-1] == "amount" else "where the city chooses one: amount = 3"
        return f"no amount is chosen yet; accepted: {largest}"
    if part.kind == "event" and event not in w.CARD_TRIGGERS and not picks:
        accepted = f"with {', '.join(w.CARD_TRIGGERS)}, or a `card` to choose"
        counting = "to count structures, count(card.cost > 2)"
        return f"{event!r} is not caused by a structure or stage; accepted: {accepted}; {counting}"
    if part.kind == "name" and part.name == "purchase" and event != "bought":
        return "nothing is bought; accepted with: bought"
    return ""


def _is_price(path: Path) -> bool:
    """Return whether a formula is the price of a decision. It is paid once, however many cities the clause acts on."""
    return "price" in path[-3:]


_LIMITS = {
    w.DRAW: (w.MAX_DRAWN, f"at most {w.MAX_DRAWN} cards are drawn", f"min({w.MAX_DRAWN}, ...)"),
    "amount": (w.MAX_AMOUNT, f"an amount to choose is at most {w.MAX_AMOUNT}", f"min({w.MAX_AMOUNT}, ...)"),
    w.COPIES: (1, "a city has one copy of a structure at most", "1, or a condition, such as card.cost > 2"),
}
"""The limits of formulas by field: the largest accepted value, the reason, and a formula that would be accepted."""


def _refuse_negative(problems: Problems, path: Path, node: Node, low: int, high: int) -> None:
    """Report a formula that could be negative, unless it is a condition or counts points."""
    could = f"{node.text!r} could be {low:,}"
    if _is_price(path):
        problems.at(path, f"{could}, and a price cannot be less than 0; accepted: max(0, ...)")
        return
    table = path[-2]
    if (path[-1] in ("if", "for") and table != w.DRAW) or (path[-1] == "points" and table not in (*_CHANGES, w.DRAW)):
        return
    verb = path[-3] if table == w.COUNTER else table if table in (*_CHANGES, w.DRAW) else path[-1]
    opposite = _OPPOSITE.get(verb, "")
    fewer = {"lose": w.LOSSES, "dearer": w.DEARER}.get(opposite, (path[-1],))
    reversible = opposite and high <= 0 and (path[-1] in fewer or table == w.COUNTER)
    accepted = f"{-low:,} with {opposite}" if reversible else "max(0, ...)"
    problems.at(path, f"{could}, and less than 0 is not accepted; accepted: {accepted}")
