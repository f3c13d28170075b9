"""What must hold of several values of ``[babel]`` at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from wsim.babel.catalog.model import SECTION
from wsim.babel.words import KINDS, LEVELS, SET_SIZES

if TYPE_CHECKING:
    from wsim.spec.fields import Problems

Section = Mapping[str, Any]


def check_whole(problems: Problems, section: Section) -> None:
    """Report what keeps a section from being played although each of its values could be read."""
    _check_names(problems, section["wonders"])
    _check_discs(problems, section)
    _check_sets(problems, section)
    _check_decks(problems, section)
    _check_confidence(problems, section)


def _check_names(problems: Problems, wonders: Mapping[str, str]) -> None:
    """Report wonders of one name."""
    seen: dict[str, str] = {}
    for key, name in wonders.items():
        if name in seen:
            problems.at((SECTION, "wonders", key), f"{name!r} is the name of {seen[name]} already; names are distinct")
        seen.setdefault(name, key)


def _check_discs(problems: Problems, section: Section) -> None:
    """Report a number that stays in the box but is on no disc of some kind."""
    boxed = section["two_colour"]["boxed"]
    if not section["rules"]["use_two_colour_discs"]:
        return
    for kind in KINDS:
        discs = section["discs"][kind]
        if boxed not in discs:
            accepted = f"a number of the {kind} discs: {', '.join(map(str, sorted(set(discs))))}"
            sentence = f"{boxed} is on no {kind} disc, so none can stay in the box; accepted: {accepted}"
            problems.at((SECTION, "two_colour", "boxed"), sentence)
            return


def _check_sets(problems: Problems, section: Section) -> None:
    """Report a set table with gaps, or one that ends before the sizes that count."""
    sets, cap = section["set_table"], section["rules"]["set_table_cap"]
    sizes = [str(size) for size in range(1, len(sets) + 1)]
    if sorted(sets) != sorted(sizes) or not 1 <= len(sets) < SET_SIZES:
        listed = f"the entries {', '.join(sets)} are not accepted"
        problems.at((SECTION, "set_table"), f"{listed}; accepted: 1, 2, 3 ... up to {SET_SIZES - 1} at most")
    elif cap > len(sets):
        path = (SECTION, "rules", "set_table_cap")
        problems.at(path, f"{cap} is not in {SECTION}.set_table, which ends with {len(sets)}")


def _check_decks(problems: Problems, section: Section) -> None:
    """Report too few cards for the first hands."""
    cards = sum(section["cards"].values())
    for seats, hand in section["setup"]["starting_hand"].items():
        if cards < int(seats) * hand:
            needed = f"{hand} for each of {seats} seats ({SECTION}.setup.starting_hand.{seats}) are {int(seats) * hand}"
            problems.at((SECTION, "cards"), f"{cards} cards are too few: {needed}")
            return


def _check_confidence(problems: Problems, section: Section) -> None:
    """Report marks of uncertainty on entries that do not exist."""
    for level in LEVELS:
        for entry in section["confidence"][level]:
            value: Any = section
            for key in entry.split("."):
                value = value.get(key) if isinstance(value, Mapping) else None
            if value is None:
                problems.at((SECTION, "confidence", level, entry), f"there is no entry {SECTION}.{entry}")
