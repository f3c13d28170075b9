"""Checks of ``[babel]`` that involve several values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from wsim.babel.catalog.model import SECTION, value_at
from wsim.babel.words import KINDS, LEVELS, SET_SIZES

if TYPE_CHECKING:
    from wsim.spec.fields import Problems

Section = Mapping[str, Any]


def check_whole(problems: Problems, section: Section) -> None:
    """Report values in the section that are valid on their own but inconsistent with each other."""
    keys: dict[str, str] = {}
    for key, name in section["wonders"].items():
        if name in keys:
            problems.at((SECTION, "wonders", key), f"{keys[name]} already has the name {name!r}: names must differ")
        keys.setdefault(name, key)
    _check_discs(problems, section)
    sets, cap = section["set_table"], section["rules"]["set_table_cap"]
    sizes = [str(size) for size in range(1, len(sets) + 1)]
    if sorted(sets) != sorted(sizes) or not 1 <= len(sets) < SET_SIZES:
        problems.at((SECTION, "set_table"), f"entries must be 1, 2, 3 ... up to {SET_SIZES - 1}, not {', '.join(sets)}")
    elif cap > len(sets):
        path = (SECTION, "rules", "set_table_cap")
        problems.at(path, f"{cap} is not in {SECTION}.set_table, which ends with {len(sets)}")
    cards = sum(section["cards"].values())
    for seats, hand in section["setup"]["starting_hand"].items():
        if cards < int(seats) * hand:
            needed = f"{SECTION}.setup.starting_hand.{seats} = {hand} needs {int(seats) * hand}"
            problems.at((SECTION, "cards"), f"{cards} cards are not enough for {seats} players: {needed}")
            break
    for level in LEVELS:
        for entry in section["confidence"][level]:
            if value_at(section, entry) is None:
                problems.at((SECTION, "confidence", level, entry), f"{SECTION}.{entry} does not exist")


def _check_discs(problems: Problems, section: Section) -> None:
    """Report a boxed number that is missing on the discs of some kind."""
    boxed = section["two_colour"]["boxed"]
    if not section["rules"]["use_two_colour_discs"]:
        return
    for kind in KINDS:
        discs = section["discs"][kind]
        if boxed not in discs:
            accepted = ", ".join(map(str, sorted(set(discs))))
            message = f"no {kind} disc has the number {boxed}; accepted: a number of the {kind} discs: {accepted}"
            problems.at((SECTION, "two_colour", "boxed"), message)
            return
