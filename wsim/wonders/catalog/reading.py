"""Read the entries of a card file into records: all accepted keys and values, with their bounds."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from wsim.errors import nearest
from wsim.spec.fields import (
    REMOVED,
    Path,
    Problems,
    Reader,
    Schema,
    described,
    listing,
    read_fields,
    schema_of,
    table_schema,
    text,
    whole,
    word,
)
from wsim.wonders import words as w
from wsim.wonders.catalog.effects import EFFECTS, Effects
from wsim.wonders.catalog.model import Card, Cost, Stage, TableRule, Wonder

if TYPE_CHECKING:
    from collections.abc import Mapping

_NAME = re.compile(r"[^\W_][\w' -]*")
COSTS: Mapping[str, Reader] = {"coins": whole(0, 99)} | {resource: whole(0, w.UNITS) for resource in w.RESOURCES}


@described(table_schema(COSTS))
def _cost(problems: Problems, path: Path, value: Any) -> Cost | None:
    """Read a cost, drop parts that are 0, and reject too many units."""
    parts = read_fields(problems, path, value, COSTS, "part of a cost")
    if not isinstance(value, dict):
        return None
    cost = Cost(parts.get("coins", 0), tuple((r, parts[r]) for r in w.RESOURCES if parts.get(r)))
    if cost.units > w.UNITS:
        problems.at(path, f"{cost.units} units are not accepted; accepted: at most {w.UNITS}")
    return cost


_MINIMA = listing(whole(3, w.SEATS), distinct=False)
_BY_AGE = {str(age): _MINIMA for age in range(1, w.AGES + 1)}


@described({"anyOf": [schema_of(_MINIMA), table_schema(_BY_AGE)]})
def _copies(problems: Problems, path: Path, value: Any) -> tuple[int, ...] | dict[str, tuple[int, ...]] | None:
    """Read a list of minimum player numbers, or one such list for each age."""
    if isinstance(value, dict):
        by_age = read_fields(problems, path, value, _BY_AGE, "age")
        return {age: tuple(sorted(minima)) for age, minima in by_age.items()}
    minima: tuple[int, ...] | None = _MINIMA(problems, path, value)
    return tuple(sorted(minima)) if minima else None


EFFECT_READERS: Mapping[str, Reader] = {name: row.read for name, row in EFFECTS.items()}
CARD_FIELDS: Mapping[str, Reader] = {
    "age": whole(1, w.AGES),
    "color": word("color", w.COLORS),
    "copies": _copies,
    "cost": _cost,
    "free_with": listing(text, least=0, most=w.CARDS),
    "uncertain": text,
    **EFFECT_READERS,
}
STAGE_FIELDS: Mapping[str, Reader] = {"cost": _cost, **EFFECT_READERS}
_STAGE: Schema = table_schema(STAGE_FIELDS)
_STAGES_SCHEMA: Schema = {
    "anyOf": [
        {"type": "array", "items": _STAGE, "minItems": 1, "maxItems": w.STAGES},
        {"type": "object", "additionalProperties": {"anyOf": [_STAGE, REMOVED]}},  # in a patch: by number
        {"const": False},
    ]
}


def check_name(problems: Problems, path: Path) -> None:
    """Report a card or board name that would be ambiguous or unusable in a line-up or table."""
    name = path[-1]
    if not _NAME.fullmatch(name) or name != name.strip() or "  " in name or len(name) > 40:
        problems.at(path, "is not accepted as a name; accepted: at most 40 letters, digits, single spaces, ' and -")


def read_card(problems: Problems, name: str, entry: Any, ruleset: str, known: Mapping[str, Any]) -> Card | None:
    """Read one card; report problems and return None if it is invalid."""
    path = ("cards", name)
    if isinstance(entry, dict) and "color" not in entry:
        similar = nearest(name, [other for other in known if other != name])
        problems.at(path, f"there is no such card in rule set {ruleset}{similar}; a new one needs at least a color")
        return None
    check_name(problems, path)
    values = read_fields(problems, path, entry, CARD_FIELDS, "field or effect")
    if "color" not in values:
        return None
    color, effects = values["color"], Effects(**{key: value for key, value in values.items() if key in EFFECTS})
    if isinstance(effects.produces_one_of, str) and color in w.TRADABLE_COLORS:
        message = f"a {color} card must name its resources; accepted: {', '.join(w.RESOURCES)}"
        problems.at((*path, "produces_one_of"), message)
    if effects.copy_guild and color == "purple":
        problems.at((*path, "copy_guild"), "a guild cannot copy guilds; accepted: on any other card or on a stage")
    ages, copies = _ages(problems, path, entry, values)
    return Card(
        name=name,
        color=color,
        cost=values.get("cost", Cost()),
        copies=copies,
        ages=ages,
        free_with=values.get("free_with", ()),
        effects=effects,
        uncertain=values.get("uncertain", ""),
    )


def _ages(
    problems: Problems, path: Path, entry: Mapping[str, Any], values: Mapping[str, Any]
) -> tuple[tuple[int, ...], tuple[tuple[int, tuple[int, ...]], ...]]:
    """Return the ages of a card and its copies in each, from `age` and `copies`."""
    color, age, copies = values["color"], values.get("age"), values.get("copies")
    if color in w.DRAWN_COLORS and copies:
        problems.at((*path, "copies"), f"a {color} card has no copies: it is drawn at random; accepted: no copies")
    if color == "purple" and age not in (None, 3):
        problems.at((*path, "age"), f"{age} is not accepted for a guild; accepted: 3")
    if isinstance(copies, dict):
        if entry.get("age", False) is not False:
            problems.at((*path, "age"), "cannot be combined with copies by age; accepted: age = false")
        by_age = tuple(sorted((int(when), minima) for when, minima in copies.items()))
        return tuple(when for when, _ in by_age), by_age
    if age is None:
        if entry.get("age", False) is False:
            problems.at((*path, "age"), "is missing; accepted: 1, 2, 3")
        return (), ()
    if color in w.DRAWN_COLORS:
        return (age,), ()
    if copies is None:
        if entry.get("copies", False) is False:
            problems.at((*path, "copies"), "is missing; accepted: a minimum player number (3 to 7) for each copy")
        return (age,), ()
    return (age,), ((age, copies),)


TABLE_FIELDS: Mapping[str, Reader] = {"when": EFFECTS["when"].read}


def read_table(problems: Problems, entries: Mapping[str, Any]) -> tuple[TableRule, ...]:
    """Return the valid rules of the table (R87), sorted by name."""
    rules = []
    for name, entry in sorted(entries.items()):
        path = ("table", name)
        check_name(problems, path)
        when = read_fields(problems, path, entry, TABLE_FIELDS).get("when", ())
        if isinstance(entry, dict) and entry.get("when", False) is False:
            problems.at(path, 'when is missing; accepted: when = [ { event = "age_start", ... } ]')
        for number, clause in enumerate(when, start=1):
            if clause.event == "built":
                message = "a rule of the table is not built; accepted: card_built, age_start and other events"
                problems.at((*path, "when", str(number), "event"), message)
        rules.append(TableRule(name, Effects(when=when)))
    return tuple(rules)


def read_wonder(
    problems: Problems, name: str, entry: Any, ruleset: str, sides: tuple[str, ...], known: Mapping[str, Any]
) -> Wonder | None:
    """Read one board with the rule set's sides; report problems and return None if it is invalid."""
    path = ("wonders", name)
    if isinstance(entry, dict) and "resource" not in entry:
        similar = nearest(name, [other for other in known if other != name])
        message = f"there is no such board in rule set {ruleset}{similar}; a new one needs a resource and sides"
        problems.at(path, message)
        return None
    check_name(problems, path)
    values = read_fields(problems, path, entry, WONDER_FIELDS)
    by_side: dict[str, tuple[Stage, ...] | None] = values.get("sides", {})
    for side in sides:
        if side not in by_side:
            used = f"rule set {ruleset} uses the sides {' and '.join(sides)}"
            problems.at((*path, "sides"), f"has no side {side!r}; {used}")
    if "resource" not in values:
        return None
    return Wonder(name, values["resource"], tuple((side, by_side.get(side) or ()) for side in sides))


@described({"type": "object", "additionalProperties": _STAGES_SCHEMA})
def _sides(problems: Problems, path: Path, value: Any) -> dict[str, tuple[Stage, ...]] | None:
    if not isinstance(value, dict):
        problems.at(path, "must be a table of sides, such as sides.A = [ { cost = { stone = 2 }, points = 3 } ]")
        return None
    return {side: _stages(problems, (*path, side), stages) for side, stages in value.items() if stages is not False}


WONDER_FIELDS: Mapping[str, Reader] = {"resource": word("resource", w.RESOURCES), "sides": _sides}


def _stages(problems: Problems, path: Path, value: Any) -> tuple[Stage, ...]:
    if not isinstance(value, list) or not 1 <= len(value) <= w.STAGES:
        shown = f"{len(value)} stages are" if isinstance(value, list) else f"{value!r} is"
        problems.at(path, f"{shown} not accepted; accepted: a list of 1 to {w.STAGES} stages")
        return ()
    stages = []
    for number, entry in enumerate(value, start=1):
        values = read_fields(problems, (*path, str(number)), entry, STAGE_FIELDS, "field or effect")
        cost = values.pop("cost", Cost())
        stages.append(Stage(cost, Effects(**values)))
    return tuple(stages)
