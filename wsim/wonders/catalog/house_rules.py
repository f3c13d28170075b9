"""House rules: the settings of a rule set, each a number, a formula or a list by age, and the rule that it replaces."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from typing import Any, NamedTuple

from wsim.spec.fields import Path, Problems, Reader, Schema, described, listing, schema_of, whole, word
from wsim.spec.formula import FormulaError, Node, span, worked_out
from wsim.wonders.catalog import formula
from wsim.wonders.catalog.clauses import formula as read_formula
from wsim.wonders.catalog.formula import WIDEST, parse, written
from wsim.wonders.catalog.formula_text import english
from wsim.wonders.catalog.model import Settings
from wsim.wonders.facts import CITY_NAMES
from wsim.wonders.words import AGES, HAND, LAST_CARDS, MOST_PRICE, NEIGHBORS, TABLE_NAMES, TIES

_PLAYERS, _BY_AGE = ("players",), ("players", "age")
_WILD = "wild"


class HouseRule(NamedTuple):
    """A setting: the rule that it replaces, what it says, how it is read, and the span of a number of the table."""

    rule: str
    meaning: str
    read: Reader
    span: tuple[int, int] | None = None


# --- reading ---------------------------------------------------------------------------------------------------------


def _fits(problems: Problems, path: Path, text: str, names: tuple[str, ...]) -> bool:
    """Say whether a formula asks for nothing but these names, or report the part that does not."""
    of_cities = CITY_NAMES[0] in names
    for part in parse(text).walk():
        if part.kind not in ("name", "card", "call"):
            continue
        said = ""
        if part.kind == "call":
            said = "functions of a file are for `when` of cards and stages; accepted here: a formula"
        elif part.whose == "other":
            said = "there is no other city; accepted: left. and right."
        elif not (of_cities if part.kind == "card" or part.whose else part.name in names):
            said = f"is not known when this is settled; accepted: {', '.join(names)}"
            if part.name == _WILD and of_cities:
                said = "wild symbols are fixed before science is counted (R23); accepted: compass, gear, tablet, ..."
        if said:
            problems.at(path, f"{part.text!r}, at letter {part.at}: {said}")
            return False
    return True


def _amount(low: int, high: int, names: tuple[str, ...]) -> Reader:
    """Accept a whole number, or a formula of these names."""
    number = whole(low, high)

    def read(problems: Problems, path: Path, value: Any) -> int | str | None:
        if not isinstance(value, str):
            found: int | None = number(problems, path, value)
            return found
        said: str | None = read_formula(problems, path, value)
        if said is None or not _fits(problems, path, said, names):
            return None
        if not any(part.kind in ("name", "card") for part in parse(said).walk()):
            plain: int | None = number(problems, path, worked_out(parse(said), {}))
            return plain
        least = span(parse(said), WIDEST)[0]
        if CITY_NAMES[0] in names and least < low:
            accepted = f"less than {low} is not accepted; accepted: max({low}, ...)"
            problems.at(path, f"{said!r} could be {least:,}, and {accepted}")
            return None
        return said

    return described({"anyOf": [schema_of(number), {"type": "string", "minLength": 1}]})(read)


def _by_age(one: Reader, alike: bool = False) -> Reader:
    """Accept one value for all ages or a list of three; ``alike``: three that are the same are one."""
    several = listing(one, least=AGES, most=AGES, distinct=False)

    def read(problems: Problems, path: Path, value: Any) -> Any:
        found = several(problems, path, value if isinstance(value, list) else [value] * AGES)
        return found[0] if found and alike and len(set(found)) == 1 else found

    return described(schema_of(several))(read)


def _sale(problems: Problems, path: Path, value: Any) -> Any:
    """Accept what a sale brings; three formulas are one while they are played."""
    found = _SALE(problems, path, value)
    if isinstance(found, tuple):
        try:
            parse(_one_for_all_ages(found))
        except FormulaError as mistake:
            problems.at(path, str(mistake))
            return None
    return found


_SALE = _by_age(_amount(0, 99, CITY_NAMES + TABLE_NAMES), alike=True)
_SCIENCE_NAMES = tuple(name for name in CITY_NAMES if name != _WILD) + TABLE_NAMES


@described({"type": "string", "minLength": 1})
def _science(problems: Problems, path: Path, value: Any) -> str | None:
    """Accept a formula of symbols that are fixed."""
    found: str | None = read_formula(problems, path, value)
    return found if found and _fits(problems, path, found, _SCIENCE_NAMES) else None


@described({"type": "string", "minLength": 1})
def _tie_break(problems: Problems, path: Path, value: Any) -> str | None:
    """Accept a formula of a city at the end."""
    found: str | None = read_formula(problems, path, value)
    return found if found and _fits(problems, path, found, CITY_NAMES + TABLE_NAMES) else None


HOUSE_RULES: Mapping[str, HouseRule] = {
    "hand_size": HouseRule(
        "R4", "cards dealt to each hand of an age, which has one turn less", _by_age(_amount(2, HAND, _BY_AGE), True),
        (2, HAND),
    ),
    "start_coins": HouseRule("R3", "coins of a city at the start", _amount(0, 99, _PLAYERS), (0, 99)),
    "sale_coins": HouseRule("R6", "coins for a card sold", described(schema_of(_SALE))(_sale)),
    "trade_price": HouseRule(
        "R13", "coins for a unit bought from a neighbour", _amount(1, MOST_PRICE, _PLAYERS), (1, MOST_PRICE)
    ),
    "victory_tokens": HouseRule(
        "R19", "points of a victory token of each age", _by_age(_amount(0, 99, _BY_AGE)), (0, 99)
    ),
    "defeat_points": HouseRule("R19", "points of a defeat token", _amount(-99, 0, _PLAYERS), (-99, 0)),
    "coins_per_point": HouseRule("R22", "coins that make a point", _amount(1, 99, _PLAYERS), (1, 99)),
    "guilds_extra": HouseRule("R4", "guilds drawn beyond one for each city", _amount(0, 9, _PLAYERS), (0, 9)),
    "guilds": HouseRule("R4", "guilds drawn, instead of guilds_extra", _amount(0, 20, _PLAYERS), (0, 20)),
    "passing": HouseRule(
        "R5", "where hands are handed on to in each age",
        _by_age(word("direction", NEIGHBORS)),
    ),
    "last_card": HouseRule(
        "R9.5", "what becomes of the last cards of each age", _by_age(word("fate", LAST_CARDS)),
    ),
    "science": HouseRule("R23", "points of science symbols", _science),
    "tie_breaks": HouseRule(
        "R24", "what decides between equal points, most of it first",
        listing(_tie_break, least=0, most=TIES),
    ),
}  # fmt: skip
"""Every setting, in the order of ``Settings``."""
READERS: Mapping[str, Reader] = {name: rule.read for name, rule in HOUSE_RULES.items()}


def settings_schema() -> Schema:
    """Return the schema of the table of settings; a patch may name numbers in formulas (science:2)."""
    found: Schema = {}
    for name, rule in HOUSE_RULES.items():
        about = f"{rule.meaning} ({rule.rule})"
        found[name] = {"anyOf": [schema_of(rule.read), {"const": False}], "description": about}
    numbers = {f"^({'|'.join(HOUSE_RULES)}):[1-9][0-9]?$": {"type": "integer"}}
    return {"type": "object", "properties": found, "patternProperties": numbers, "additionalProperties": False}


def with_number(value: Any, place: int, number: int) -> Any:
    """Return a formula or a list of some with another number at a place (from 1), else raise FormulaError."""
    if not isinstance(value, list | tuple):
        return formula.with_number(str(value), place, number)
    before = 0
    for at, one in enumerate(value):
        there = len(written(str(one)))
        if before < place <= before + there:
            return [*value[:at], formula.with_number(str(one), place - before, number), *value[at + 1 :]]
        before += there
    raise FormulaError(f"{list(value)!r} has no number {place}; accepted: 1 to {before}")


# --- at a table ------------------------------------------------------------------------------------------------------


def _of_table(text: str, names: tuple[str, ...]) -> bool:
    """Say whether a formula asks for nothing but these names of the table."""
    return all(part.name in names for part in parse(text).walk() if part.kind in ("name", "card"))


def _one_for_all_ages(amounts: tuple[int | str, ...]) -> str:
    """Return one formula for three of the ages."""
    first, second, third = (f"({amount})" for amount in amounts)
    return formula.normal(f"{first} if age == 1 else ({second} if age == 2 else {third})")


@dataclass(frozen=True, slots=True)
class TableRules:
    """What settings come to at a table; by age where they are lists.

    ``sale`` and ``science`` are formulas while a game is played, "" where ``sale_coins`` says it, and as printed.
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
        """Return how many guilds are drawn for so many cities (R4)."""
        return cities + self.guilds_extra if self.guilds is None else self.guilds


@lru_cache(maxsize=64)
def at_table(settings: Settings, players: int) -> TableRules:
    """Return what settings come to with so many players."""

    def number(value: int | str, age: int = 1) -> int:
        return value if isinstance(value, int) else worked_out(parse(value), {"players": players, "age": age})

    def by_age(value: int | str | tuple[int | str, ...]) -> tuple[int, ...]:
        each = value if isinstance(value, tuple) else (value,) * AGES
        return tuple(number(one, age) for age, one in enumerate(each, start=1))

    sale = settings.sale_coins if isinstance(settings.sale_coins, tuple) else (settings.sale_coins,) * AGES
    if all(isinstance(one, int) or _of_table(one, _BY_AGE) for one in sale):
        sale = by_age(sale)
    alike = len(set(sale)) == 1 and isinstance(sale[0], int)
    return TableRules(
        hand_size=by_age(settings.hand_size),
        start_coins=number(settings.start_coins),
        sale_coins=number(sale[0]) if alike else 0,
        sale="" if alike else str(sale[0]) if len(set(sale)) == 1 else _one_for_all_ages(sale),
        trade_price=number(settings.trade_price),
        victory_tokens=by_age(settings.victory_tokens),
        defeat_points=number(settings.defeat_points),
        coins_per_point=number(settings.coins_per_point),
        guilds_extra=number(settings.guilds_extra),
        guilds=None if settings.guilds == "" else number(settings.guilds),
        science="" if settings.science == Settings().science else settings.science,
    )


def check_house_rules(problems: Problems, path: Path, settings: Settings, seat_numbers: tuple[int, ...]) -> None:
    """Report settings that come to numbers which are not accepted with some number of players."""
    for name, rule in HOUSE_RULES.items():
        for players in seat_numbers if rule.span else ():
            low, high = rule.span or (0, 0)
            value = getattr(at_table(settings, players), name)
            each = value if isinstance(value, tuple) else (value,)
            wrong = [one for one in each if one is not None and not low <= one <= high]
            if wrong:
                accepted = f"accepted: a whole number from {low} to {high}"
                problems.at((*path, name), f"comes to {wrong[0]:,} with {players} players; {accepted}")
                break


# --- for people ------------------------------------------------------------------------------------------------------


def formulas_of(settings: Settings) -> list[tuple[str, Node]]:
    """Return the formulas among settings, each with the name of its setting."""
    found = []
    for name in HOUSE_RULES:
        value = getattr(settings, name)
        if name not in ("passing", "last_card"):
            each = value if isinstance(value, tuple) else (value,)
            found += [(name, parse(one)) for one in each if isinstance(one, str) and one]
    return found


def numbers_of(settings: Settings) -> dict[str, int]:
    """Return the whole numbers of settings by the names under which a patch changes them."""
    found, printed = {}, Settings()
    for one in fields(Settings):
        value = getattr(settings, one.name)
        if isinstance(value, int):
            found[one.name] = value
        elif value != getattr(printed, one.name) and one.name not in ("passing", "last_card"):
            texts = [str(part) for part in (value if isinstance(value, tuple) else (value,))]
            numbers = [number for text in texts for _, number in written(text)]
            found |= {f"{one.name}:{place}": number for place, number in enumerate(numbers, start=1)}
    return found


def house_rows(settings: Settings, expansion: bool) -> list[dict[str, str]]:
    """Return one row for each setting that is not as printed: what it is, in words, and which rule it replaces.

    ``expansion``: hands are those of Cities.
    """
    printed = replace(Settings(), hand_size=HAND if expansion else Settings().hand_size)
    rows = []
    for name, rule in HOUSE_RULES.items():
        value = getattr(settings, name)
        if value != getattr(printed, name):
            each = value if isinstance(value, tuple) else (value,)
            each = each[:1] if len(set(each)) == 1 else each
            said = "; ".join(_in_words(name, one) for one in each) or "nothing: a tie is shared"
            rows.append({"setting": name, "value": said, "meaning": f"{rule.rule}: {rule.meaning}"})
    return rows


def _in_words(name: str, value: int | str) -> str:
    """Return a value in English."""
    plain = isinstance(value, int) or name in ("passing", "last_card")
    return str(value) if plain else english(parse(str(value)))


assert tuple(HOUSE_RULES) == tuple(one.name for one in fields(Settings))
