"""What ``[babel]`` may hold: one checker per value, and the checks that concern several values at once."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

from wsim.errors import UserError, nearest

__all__ = ["ACTION_CARDS", "KINDS", "SCHEMA", "check_section"]

KINDS = ("camel", "crane", "ship", "stonemason")
ACTION_CARDS = (
    "card_exchange",
    "disc_bonus",
    "double_turn",
    "draw_three",
    "five_points",
    "joker",
    "triple_bonus",
)
WONDERS, DISCS_OF_KIND, TWO_COLOUR_DISCS, VALUE_ROWS = 8, 6, 4, 7
SET_SIZES = 9  # of the set table at most
LEVELS = ("assumed", "inferred", "one_source")

Check = Callable[[Any], str | None]
"""Says what is accepted if the value is not, else None."""


def _whole(low: int, high: int) -> Check:
    def check(value: Any) -> str | None:
        fits = isinstance(value, int) and not isinstance(value, bool) and low <= value <= high
        return None if fits else f"a whole number from {low} to {high}"

    return check


def _numbers(count: int, low: int, high: int) -> Check:
    one = _whole(low, high)

    def check(value: Any) -> str | None:
        fits = isinstance(value, list) and len(value) == count and not any(one(number) for number in value)
        return None if fits else f"a list of {count} whole numbers from {low} to {high}"

    return check


def _flag(value: Any) -> str | None:
    return None if isinstance(value, bool) else "true or false"


def _text(value: Any) -> str | None:
    return None if isinstance(value, str) and value.strip() else "a text"


def _word(*words: str) -> Check:
    return lambda value: None if isinstance(value, str) and value in words else " or ".join(map(repr, words))


def _two_needs(value: Any) -> str | None:
    need = _whole(1, 6)
    fits = (
        isinstance(value, dict) and len(value) == 2 and set(value) <= set(KINDS) and not any(map(need, value.values()))
    )
    return None if fits else f"two kinds out of {', '.join(KINDS)}, each with a whole number from 1 to 6"


SCHEMA: Mapping[str, Any] = {
    "name": _text,
    "ruleset": _text,
    "wonders": (WONDERS, _text),
    "cards": dict.fromkeys(KINDS, _whole(0, 60)),
    "discs": dict.fromkeys(KINDS, _numbers(DISCS_OF_KIND, 1, 9)),
    "two_colour": {"boxed": _whole(1, 9), "*": (TWO_COLOUR_DISCS, _two_needs)},
    "value_table": dict.fromkeys([*map(str, range(1, VALUE_ROWS + 1)), "light"], _numbers(3, 0, 200)),
    "set_table": {"*": (None, _whole(0, 1000))},
    "action_cards": dict.fromkeys(ACTION_CARDS, _whole(0, 6)),
    "effects": {
        "card_exchange": _whole(0, 9),
        "disc_bonus": _whole(0, 99),
        "draw_three": _whole(0, 9),
        "five_points": _whole(0, 99),
        "joker": _whole(1, 6),
        "refused_offer": _whole(0, 99),
        "triple_bonus": _whole(0, 99),
    },
    "setup": {
        "starting_hand": dict.fromkeys(("3", "4", "5"), _whole(0, 12)),
        "pass_draw": _whole(0, 9),
        "common_draw": _whole(0, 9),
        "parts": _whole(0, 999),
    },
    "rules": {
        "use_action_cards": _flag,
        "use_two_colour_discs": _flag,
        "reshuffle_discards": _flag,
        "allow_empty_offer": _flag,
        "allow_trade_card_alone": _flag,
        "allow_bluff_cards": _flag,
        "may_decline_when_able": _flag,
        "joker_may_split": _flag,
        "max_jokers_per_build": _whole(0, 99),
        "triple_bonus_on_failed_build": _flag,
        "action_card_usable_at_once": _flag,
        "max_double_turns": _whole(0, 9),
        "action_card_for_last_wonder": _flag,
        "set_table_cap": _whole(1, SET_SIZES),
        "public_discs": _flag,
        "victory_tie": _word("shared", "discs"),
        "limit_parts": _flag,
        "turn_limit": _whole(1, 1000),
    },
    "confidence": {level: {"*": (None, _text)} for level in LEVELS},
}
"""Keys are those of the card file. A value is a check, a table of the same form, or ``(number of entries, check)`` for
a table whose keys are free; the key ``*`` stands for such a table beside named keys."""


def check_section(section: Mapping[str, Any]) -> None:
    """Raise UserError for the first thing in a section ``[babel]`` that cannot be played."""
    _check_table(section, SCHEMA, "babel")
    _check_names(section["wonders"])
    _check_discs(section)
    _check_sets(section)
    _check_decks(section)
    _check_confidence(section)


def _check_table(table: Any, schema: Mapping[str, Any] | tuple[int | None, Check], path: str) -> None:
    if not isinstance(table, dict):
        raise UserError(f"{path} = {table!r} is not a table")
    if isinstance(schema, tuple):
        schema = {"*": schema}
    named = [key for key in schema if key != "*"]
    for key in named:
        if key not in table:
            raise UserError(f"{path}.{key} is missing; the entries of {path} are {_listed(schema)}")
    free = {key: value for key, value in table.items() if key not in named}
    if "*" not in schema and free:
        key = next(iter(free))
        raise UserError(f"{path} has no entry {key!r}{nearest(key, named)}; accepted: {_listed(schema)}")
    if "*" in schema:
        count, check = schema["*"]
        if count not in (None, len(free)):
            raise UserError(f"{path} has {len(free)} entries ({', '.join(free)}), the game has {count}")
        for key, value in free.items():
            _check_value(value, check, f"{path}.{key}")
    for key in named:
        _check_value(table[key], schema[key], f"{path}.{key}")


def _check_value(value: Any, schema: Any, path: str) -> None:
    if not callable(schema):
        _check_table(value, schema, path)
    elif accepted := schema(value):
        guess = nearest(value, _words(accepted)) if isinstance(value, str) else ""
        raise UserError(f"{path} = {value!r} is not accepted{guess}; accepted: {accepted}")


def _words(accepted: str) -> list[str]:
    return [word.strip("',") for word in accepted.split() if word != "or"]


def _listed(schema: Collection[str]) -> str:
    return ", ".join(key for key in schema if key != "*")


def _check_names(wonders: Mapping[str, str]) -> None:
    seen: dict[str, str] = {}
    for key, name in wonders.items():
        if name in seen:
            raise UserError(f"babel.wonders.{key} = {name!r} is the name of {seen[name]} already; names are distinct")
        seen[name] = key


def _check_discs(section: Mapping[str, Any]) -> None:
    boxed = section["two_colour"]["boxed"]
    for kind in KINDS:
        if section["rules"]["use_two_colour_discs"] and boxed not in section["discs"][kind]:
            numbers = sorted(set(section["discs"][kind]))
            raise UserError(
                f"babel.two_colour.boxed = {boxed} is on no {kind} disc, so none can stay in the box; "
                f"the {kind} discs show {', '.join(map(str, numbers))}"
            )


def _check_sets(section: Mapping[str, Any]) -> None:
    table, cap = section["set_table"], section["rules"]["set_table_cap"]
    sizes = [str(size) for size in range(1, len(table) + 1)]
    if sorted(table) != sorted(sizes) or not 1 <= len(table) <= SET_SIZES:
        raise UserError(
            f"babel.set_table has the entries {', '.join(table)}; accepted: 1, 2, 3 ... up to {SET_SIZES} at most"
        )
    if cap > len(table):
        raise UserError(f"babel.rules.set_table_cap = {cap} is not in babel.set_table, which ends with {len(table)}")


def _check_decks(section: Mapping[str, Any]) -> None:
    cards = sum(section["cards"].values())
    for seats, hand in section["setup"]["starting_hand"].items():
        if cards < int(seats) * hand:
            raise UserError(
                f"babel.setup.starting_hand.{seats} = {hand} needs {int(seats) * hand} cards for {seats} seats, "
                f"babel.cards has {cards}"
            )


def _check_confidence(section: Mapping[str, Any]) -> None:
    for level in LEVELS:
        for entry in section["confidence"][level]:
            value: Any = section
            for key in entry.split("."):
                if not isinstance(value, dict) or key not in value:
                    raise UserError(f"babel.confidence.{level} names {entry!r}, which is no entry of babel")
                value = value[key]
