"""House rules: the settings of a rule set, each a number, a formula or a list by age that replaces a printed rule."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from typing import Any, NamedTuple

from wsim.spec.fields import Path, Problems, Reader, Schema, described, listing, schema_of, whole, word
from wsim.spec.formula import FormulaError, Node, evaluate_node, span
from wsim.wonders.catalog import formula
from wsim.wonders.catalog.clauses import formula as read_formula
from wsim.wonders.catalog.formula import WIDEST, parse, written
from wsim.wonders.catalog.formula_text import english
from wsim.wonders.catalog.model import Settings
from wsim.wonders.facts import CITY_NAMES
from wsim.wonders.words import AGES, HAND, LAST_CARDS, MAX_PRICE, NEIGHBORS, TABLE_NAMES, TIES

_PLAYERS, _BY_AGE = ("players",), ("players", "age")
_WILD = "wild"
_IN_GAME = ("name", "card", "cards", "counter", "last")
"""The kinds of nodes whose value depends on the game."""


class HouseRule(NamedTuple):
    """A setting: the rule that it replaces, its meaning, its reader, and its range if it is fixed before the game."""

    rule: str
    meaning: str
    read: Reader
    span: tuple[int, int] | None = None


# --- reading ---------------------------------------------------------------------------------------------------------


def _uses_only(problems: Problems, path: Path, text: str, names: tuple[str, ...]) -> bool:
    """Return whether a formula uses only these names; report the first part that does not."""
    about_cities = CITY_NAMES[0] in names
    for part in parse(text).walk():
        if part.kind not in ("name", "card", "call", "counter", "event", "last"):
            continue
        message = ""
        if part.kind == "event":
            message = "no structure causes this; accepted: count(card.cost > 2)"
        elif part.kind == "call":
            message = "functions of a file work only in `when` of cards and stages; accepted here: a formula"
        elif part.whose == "other":
            message = "there is no other city; accepted: left. and right."
        elif not (part.name in names if part.kind == "name" and not part.whose else about_cities):
            message = f"is not known when this setting is evaluated; accepted: {', '.join(names)}"
            if part.name == _WILD and about_cities:
                message = "wild symbols are fixed before science is scored (R23); accepted: compass, gear, tablet, ..."
        if message:
            problems.at(path, f"{part.text!r}, at character {part.at}: {message}")
            return False
    return True


def _amount(low: int, high: int, names: tuple[str, ...]) -> Reader:
    """Return a reader for a whole number, or a formula that uses only these names."""
    number = whole(low, high)

    def read(problems: Problems, path: Path, value: Any) -> int | str | None:
        if not isinstance(value, str):
            plain: int | None = number(problems, path, value)
            return plain
        text: str | None = read_formula(problems, path, value)
        if text is None or not _uses_only(problems, path, text, names):
            return None
        if not any(part.kind in _IN_GAME for part in parse(text).walk()):
            constant: int | None = number(problems, path, evaluate_node(parse(text), {}))
            return constant
        minimum = span(parse(text), {**WIDEST, **problems.counters})[0]
        if CITY_NAMES[0] in names and minimum < low:
            accepted = f"less than {low} is not accepted; accepted: max({low}, ...)"
            problems.at(path, f"{text!r} could be {minimum:,}, and {accepted}")
            return None
        return text

    return described({"anyOf": [schema_of(number), {"type": "string", "minLength": 1}]})(read)


def _by_age(reader: Reader, collapse: bool = False) -> Reader:
    """Return a reader for one value or a list of three, by age; ``collapse`` merges three equal values into one."""
    three = listing(reader, least=AGES, most=AGES, distinct=False)

    def read(problems: Problems, path: Path, value: Any) -> Any:
        values = three(problems, path, value if isinstance(value, list) else [value] * AGES)
        return values[0] if values and collapse and len(set(values)) == 1 else values

    return described(schema_of(three))(read)


def _sale(problems: Problems, path: Path, value: Any) -> Any:
    """Read the coins for a sale; formulas by age must also be valid when combined into a single formula."""
    amounts = _SALE(problems, path, value)
    if isinstance(amounts, tuple):
        try:
            parse(_formula_for_all_ages(amounts))
        except FormulaError as mistake:
            problems.at(path, str(mistake))
            return None
    return amounts


_SALE = _by_age(_amount(0, 99, CITY_NAMES + TABLE_NAMES), collapse=True)


def _formula_of(names: tuple[str, ...]) -> Reader:
    """Return a reader for a formula that uses only these names."""

    @described({"type": "string", "minLength": 1})
    def read(problems: Problems, path: Path, value: Any) -> str | None:
        text: str | None = read_formula(problems, path, value)
        return text if text and _uses_only(problems, path, text, names) else None

    return read


HOUSE_RULES: Mapping[str, HouseRule] = {
    "hand_size": HouseRule(
        "R4", "cards dealt to each hand of an age, which has one turn fewer", _by_age(_amount(2, HAND, _BY_AGE), True),
        (2, HAND),
    ),
    "start_coins": HouseRule("R3", "coins of a city at the start", _amount(0, 99, _PLAYERS), (0, 99)),
    "sale_coins": HouseRule("R6", "coins for a card sold", described(schema_of(_SALE))(_sale)),
    "trade_price": HouseRule(
        "R13", "coins for a unit bought from a neighbour", _amount(1, MAX_PRICE, _PLAYERS), (1, MAX_PRICE)
    ),
    "victory_tokens": HouseRule(
        "R19", "points of a victory token of each age", _by_age(_amount(0, 99, _BY_AGE)), (0, 99)
    ),
    "defeat_points": HouseRule("R19", "points of a defeat token", _amount(-99, 0, _PLAYERS), (-99, 0)),
    "coins_per_point": HouseRule("R22", "coins worth one point", _amount(1, 99, _PLAYERS), (1, 99)),
    "guilds_extra": HouseRule("R4", "guilds drawn in addition to one per city", _amount(0, 9, _PLAYERS), (0, 9)),
    "guilds": HouseRule("R4", "guilds drawn, instead of guilds_extra", _amount(0, 20, _PLAYERS), (0, 20)),
    "passing": HouseRule(
        "R5", "direction in which hands are passed in each age", _by_age(word("direction", NEIGHBORS))
    ),
    "last_card": HouseRule(
        "R9.5", "what happens to the last cards of each age", _by_age(word("fate", LAST_CARDS)),
    ),
    "science": HouseRule(
        "R23", "points of science symbols",
        _formula_of(tuple(name for name in CITY_NAMES if name != _WILD) + TABLE_NAMES),
    ),
    "tie_breaks": HouseRule(
        "R24", "tie-breaks in order; the higher value wins",
        listing(_formula_of(CITY_NAMES + TABLE_NAMES), least=0, most=TIES),
    ),
}  # fmt: skip
"""Every setting, in the order of ``Settings``."""
READERS: Mapping[str, Reader] = {name: rule.read for name, rule in HOUSE_RULES.items()}


def settings_schema() -> Schema:
    """Return the schema of the settings; a patch may name single numbers in formulas (science:2)."""
    settings: Schema = {
        name: {"anyOf": [schema_of(rule.read), {"const": False}], "description": f"{rule.meaning} ({rule.rule})"}
        for name, rule in HOUSE_RULES.items()
    }
    numbers = {f"^({'|'.join(HOUSE_RULES)}):[1-9][0-9]?$": {"type": "integer"}}
    return {"type": "object", "properties": settings, "patternProperties": numbers, "additionalProperties": False}


def with_number(value: Any, position: int, number: int) -> Any:
    """Replace the number at a position (from 1) in a formula or a list of formulas.

    Raises FormulaError if there is no number at that position.
    """
    if not isinstance(value, list | tuple):
        return formula.with_number(str(value), position, number)
    counted = 0
    for i, item in enumerate(value):
        count = len(written(str(item)))
        if counted < position <= counted + count:
            return [*value[:i], formula.with_number(str(item), position - counted, number), *value[i + 1 :]]
        counted += count
    raise FormulaError(f"{list(value)!r} has no number {position}; accepted: 1 to {counted}")


# --- at a table ------------------------------------------------------------------------------------------------------


def _formula_for_all_ages(amounts: tuple[int | str, ...]) -> str:
    """Combine three amounts by age into a single formula."""
    first, second, third = (f"({amount})" for amount in amounts)
    return formula.normal(f"{first} if age == 1 else ({second} if age == 2 else {third})")


@dataclass(frozen=True, slots=True)
class TableRules:
    """The values of the settings at a table; tuples are by age.

    ``sale`` and ``science`` are formulas evaluated during play; ``sale`` is "" if ``sale_coins`` is constant, and
    ``science`` is "" if science is scored as printed.
    """

    hand_size: tuple[int, ...]
    start_coins: int
    sale_coins: int
    sale: str
    trade_price: int
    victory_tokens: tuple[int, ...]
    defeat_points: int
    coins_per_point: int
    guilds_extra: int
    guilds: int | None
    science: str

    def guilds_drawn(self, cities: int) -> int:
        """Return the number of guilds drawn for a number of cities (R4)."""
        return cities + self.guilds_extra if self.guilds is None else self.guilds


@lru_cache(maxsize=64)
def at_table(settings: Settings, players: int) -> TableRules:
    """Evaluate settings for a number of players."""

    def number(value: int | str, age: int = 1) -> int:
        return value if isinstance(value, int) else evaluate_node(parse(value), {"players": players, "age": age})

    def by_age(value: int | str | tuple[int | str, ...]) -> tuple[int, ...]:
        values = value if isinstance(value, tuple) else (value,) * AGES
        return tuple(number(amount, age) for age, amount in enumerate(values, start=1))

    def is_fixed(value: int | str) -> bool:
        """Return whether the value of a number or formula is known before the game."""
        parts = () if isinstance(value, int) else parse(value).walk()
        return all(part.name in _BY_AGE for part in parts if part.kind in _IN_GAME)

    sale = settings.sale_coins if isinstance(settings.sale_coins, tuple) else (settings.sale_coins,) * AGES
    if all(map(is_fixed, sale)):
        sale = by_age(sale)
    same = len(set(sale)) == 1
    constant = same and isinstance(sale[0], int)
    return TableRules(
        hand_size=by_age(settings.hand_size),
        start_coins=number(settings.start_coins),
        sale_coins=number(sale[0]) if constant else 0,
        sale="" if constant else str(sale[0]) if same else _formula_for_all_ages(sale),
        trade_price=number(settings.trade_price),
        victory_tokens=by_age(settings.victory_tokens),
        defeat_points=number(settings.defeat_points),
        coins_per_point=number(settings.coins_per_point),
        guilds_extra=number(settings.guilds_extra),
        guilds=None if settings.guilds == "" else number(settings.guilds),
        science="" if settings.science == Settings().science else settings.science,
    )


def check_house_rules(problems: Problems, path: Path, settings: Settings, seat_numbers: tuple[int, ...]) -> None:
    """Report settings whose value is out of range with some number of players."""
    for name, rule in HOUSE_RULES.items():
        for players in seat_numbers if rule.span else ():
            low, high = rule.span or (0, 0)
            value = getattr(at_table(settings, players), name)
            values = value if isinstance(value, tuple) else (value,)
            wrong = [number for number in values if number is not None and not low <= number <= high]
            if wrong:
                accepted = f"accepted: a whole number from {low} to {high}"
                problems.at((*path, name), f"is {wrong[0]:,} with {players} players; {accepted}")
                break


# --- for people ------------------------------------------------------------------------------------------------------

_WORDS = ("passing", "last_card")
"""Settings that contain words, not amounts."""


def formulas_of(settings: Settings) -> list[tuple[str, Node]]:
    """Return the formulas among settings, each with the name of its setting."""
    formulas = []
    for name in HOUSE_RULES:
        value = getattr(settings, name)
        if name not in _WORDS:
            values = value if isinstance(value, tuple) else (value,)
            formulas += [(name, parse(text)) for text in values if isinstance(text, str) and text]
    return formulas


def numbers_of(settings: Settings) -> dict[str, int]:
    """Return the whole numbers in settings by the names under which a patch changes them."""
    numbers, printed = {}, Settings()
    for name in HOUSE_RULES:
        value = getattr(settings, name)
        if isinstance(value, int):
            numbers[name] = value
        elif value != getattr(printed, name) and name not in _WORDS:
            texts = [str(part) for part in (value if isinstance(value, tuple) else (value,))]
            values = [number for text in texts for _, number in written(text)]
            numbers |= {f"{name}:{position}": number for position, number in enumerate(values, start=1)}
    return numbers


def house_rows(settings: Settings, expansion: bool) -> list[dict[str, str]]:
    """Return one row for each setting that differs from print: its value in English and the rule it replaces.

    ``expansion``: whether the printed hand size is that of Cities.
    """
    printed = replace(Settings(), hand_size=HAND if expansion else Settings().hand_size)
    rows = []
    for name, rule in HOUSE_RULES.items():
        value = getattr(settings, name)
        if value != getattr(printed, name):
            values = value if isinstance(value, tuple) else (value,)
            values = values[:1] if len(set(values)) == 1 else values
            texts = [str(part) if isinstance(part, int) or name in _WORDS else english(parse(part)) for part in values]
            text = "; ".join(texts) or "none: ties are shared"
            rows.append({"setting": name, "value": text, "meaning": f"{rule.rule}: {rule.meaning}"})
    return rows


assert tuple(HOUSE_RULES) == tuple(field.name for field in fields(Settings))
