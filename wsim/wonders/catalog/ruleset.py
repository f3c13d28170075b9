"""Rule sets of a card file: their fields and inheritance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from wsim.errors import nearest
from wsim.spec.fields import (
    Path,
    Problems,
    Reader,
    described,
    flag,
    identifier,
    listing,
    read_fields,
    table_schema,
    text,
    whole,
)
from wsim.spec.formula import FormulaError
from wsim.wonders.catalog.house_rules import READERS, settings_schema, with_number
from wsim.wonders.catalog.model import Settings
from wsim.wonders.words import SEATS, SWITCHES

if TYPE_CHECKING:
    from collections.abc import Mapping


@described(settings_schema())
def _settings(problems: Problems, path: Path, value: Any) -> dict[str, Any]:
    """Read settings; numbers in inherited formulas (science:2) are only checked here and applied by ``_merged``."""
    numbers: dict[str, Any] = {}
    if isinstance(value, dict):
        numbers = {key: number for key, number in value.items() if key.partition(":")[0] in READERS and ":" in key}
        value = {key: setting for key, setting in value.items() if key not in numbers}
    settings = read_fields(problems, path, value, READERS, "setting")
    for key, number in numbers.items():
        if isinstance(number, bool) or not isinstance(number, int) or not key.partition(":")[2].isdecimal():
            message = f"{number!r} is not accepted; accepted: a whole number for a position such as {key}"
            problems.at((*path, key), message)
        else:
            settings[key] = number
    return settings


def _override(problems: Problems, path: Path, old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of an ancestor, overridden by the settings of a rule set."""
    settings = {**old, **{key: value for key, value in new.items() if ":" not in key}}
    for key, value in new.items():
        name, _, position = key.partition(":")
        if position:
            try:
                changed = with_number(settings.get(name, getattr(Settings(), name)), int(position), value)
            except FormulaError as mistake:
                problems.at((*path, key), str(mistake))
                continue
            setting = READERS[name](problems, (*path, key), changed)
            if setting is not None:
                settings[name] = setting
    return settings


_FLAGS: Mapping[str, Reader] = dict.fromkeys(SWITCHES, flag)


@described(table_schema(_FLAGS))
def _switches(problems: Problems, path: Path, value: Any) -> dict[str, Any]:
    return read_fields(problems, path, value, _FLAGS, "switch")


FIELDS: Mapping[str, Reader] = {
    "title": text,
    "extends": identifier,
    "seats": listing(whole(2, SEATS)),
    "sides": listing(identifier, least=2, most=2),
    "layers": listing(identifier, least=0),
    "cities": flag,
    "teams": flag,
    "duo": flag,
    "settings": _settings,
    "switches": _switches,
}


@dataclass(frozen=True, slots=True)
class Ruleset:
    """One rule set, including everything it inherits."""

    name: str
    title: str
    seats: tuple[int, ...]
    sides: tuple[str, str]
    layers: tuple[str, ...]
    cities: bool
    teams: bool
    duo: bool
    settings: Settings
    switches: dict[str, bool]


def read_rulesets(problems: Problems, document: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Check the fields of every rule set of a file and return the valid ones by name."""
    entries = document.get("rulesets", {})
    if not isinstance(entries, dict) or not entries:
        problems.at(("rulesets",), "there is no rule set; accepted: at least one table [rulesets.<name>]")
        return {}
    layers = document.get("layers", {})
    rulesets = {name: _ruleset(problems, name, entry, entries, layers) for name, entry in entries.items()}
    used = [layer for rules in rulesets.values() for layer in rules.get("layers", ())]
    for name in layers:
        if name not in used:
            problems.at(("layers", name), f"no rule set uses this layer{nearest(name, used)}")
    return rulesets


def _ruleset(
    problems: Problems, name: str, entry: Any, known: Mapping[str, Any], layers: Mapping[str, Any]
) -> dict[str, Any]:
    """Check the fields of one rule set and the layers and rule set it refers to."""
    path = ("rulesets", name)
    identifier(problems, path, name)
    fields = read_fields(problems, path, entry, FIELDS)
    if isinstance(entry, dict) and not ("extends" in entry or ("seats" in entry and "sides" in entry)):
        similar = nearest(name, [other for other in known if other != name])
        problems.at(path, f"there is no such rule set{similar}; a new one needs `extends`, or seats and sides")
    for layer in fields.get("layers", ()):
        if layer not in layers:
            problems.unknown((*path, "layers"), "layer", layer, layers)
    parent = fields.get("extends")
    if parent is not None and parent not in known:
        problems.unknown((*path, "extends"), "rule set", parent, known)
    return fields


def resolve(problems: Problems, rulesets: Mapping[str, dict[str, Any]], name: str) -> Ruleset:
    """Return a rule set including all inherited fields; raise UserError for an unknown name or a missing field."""
    if rulesets and name not in rulesets:
        problems.add(f"unknown rule set {name!r}{nearest(name, rulesets)}; accepted: {', '.join(rulesets)}")
    if name not in rulesets:
        problems.raise_any()
    path = ("rulesets", name)
    merged = _merged(problems, rulesets, name)
    for key, meaning in (("seats", "the numbers of players"), ("sides", "the two sides of a board")):
        if key not in merged:
            problems.at((*path, key), f"is missing; accepted: {meaning}, as a list")
    if not {"seats", "sides"} <= merged.keys():  # required by everything below
        problems.raise_any()
    flags = {key: merged.get(key, False) for key in ("cities", "teams", "duo")}
    ruleset = Ruleset(
        name=name,
        title=merged.get("title", name),
        seats=tuple(sorted(merged["seats"])),
        sides=merged["sides"],
        layers=merged.get("layers", ()),
        settings=Settings(**merged["settings"]),
        switches={name: switch.default for name, switch in SWITCHES.items()} | merged["switches"],
        **flags,
    )
    _check(problems, ruleset)
    return ruleset


def _merged(problems: Problems, rulesets: Mapping[str, dict[str, Any]], name: str) -> dict[str, Any]:
    """Return the fields of a rule set merged with its ancestors' fields."""
    chain: list[str] = []
    step: str | None = name
    while step is not None and step in rulesets:
        if step in chain:
            problems.at(("rulesets", name, "extends"), f"is circular: {' -> '.join([*chain, step])}")
            break
        chain.append(step)
        step = rulesets[step].get("extends")
    merged: dict[str, Any] = {"settings": {}, "switches": {}}
    for ancestor in reversed(chain):
        fields, settings = rulesets[ancestor], merged["settings"]
        for key, value in fields.items():
            merged[key] = merged[key] | value if key == "switches" else value
        path = ("rulesets", ancestor, "settings")
        merged["settings"] = _override(problems, path, settings, fields.get("settings", {}))
    return merged


def _check(problems: Problems, ruleset: Ruleset) -> None:
    """Report fields that cannot be combined."""
    path = ("rulesets", ruleset.name)
    if ruleset.duo and (ruleset.cities or ruleset.teams):
        other = "cities" if ruleset.cities else "teams"
        problems.at((*path, "duo"), f"cannot be combined with {other} = true (R43); accepted: one of them")
    accepted = {2} if ruleset.duo else {4, 6} if ruleset.teams else {3, 4, 5, 6, 7}
    wrong = [n for n in ruleset.seats if n not in accepted]
    if wrong:
        kind = " for two players" if ruleset.duo else " in teams" if ruleset.teams else ""
        listed = ", ".join(map(str, sorted(accepted)))
        problems.at((*path, "seats"), f"{wrong[0]} players are not accepted{kind}; accepted: {listed}")
