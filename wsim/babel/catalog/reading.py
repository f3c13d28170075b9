"""The readers of ``[babel]``, one for each value, with its bounds."""

from __future__ import annotations

from typing import Any

from wsim.babel import words as w
from wsim.babel.catalog.formula import points
from wsim.spec.fields import Path, Problems, Reader, described, entries, flag, numbers, schema_of, text, whole, word

_NEED = whole(1, 6)


@described(
    {
        "type": "object",
        "properties": dict.fromkeys(w.KINDS, schema_of(_NEED)),
        "additionalProperties": False,
        "minProperties": w.NEEDS,
        "maxProperties": w.NEEDS,
    }
)
def _two_needs(problems: Problems, path: Path, value: Any) -> dict[str, int] | None:
    """Read the two kinds of a two-colour disc, each with a number."""
    ignored = Problems("")  # one message for both numbers
    valid = isinstance(value, dict) and len(value) == w.NEEDS and set(value) <= set(w.KINDS)
    if valid and None not in [_NEED(ignored, path, number) for number in value.values()]:
        return dict(value)
    accepted = f"two kinds out of {', '.join(w.KINDS)}, each with a whole number from 1 to 6"
    problems.at(path, f"{value!r} is not accepted; accepted: {accepted}")
    return None


_NUMBERS: dict[str, Reader] = {  # switches that are not flags
    "max_jokers_per_build": whole(0, 99),
    "max_double_turns": whole(0, 9),
    "turn_limit": whole(1, 1000),
    "set_table_cap": whole(1, w.SET_SIZES - 1),
    "victory_tie": word("rule for ties", w.TIES),
}

read_section = entries(
    {
        "name": text,
        "ruleset": text,
        "wonders": entries({}, others=text, count=w.WONDERS),
        "cards": entries(dict.fromkeys(w.KINDS, whole(0, 60))),
        "discs": entries(dict.fromkeys(w.KINDS, numbers(w.DISCS_OF_KIND, 1, 9))),
        "two_colour": entries({"boxed": whole(1, 9)}, others=_two_needs, count=w.TWO_COLOUR_DISCS),
        "value_table": entries(dict.fromkeys([*map(str, range(1, w.ROWS + 1)), "light"], numbers(w.SHARES, 0, 200))),
        "set_table": entries({}, others=whole(0, 1000)),
        "action_cards": entries(dict.fromkeys(w.ACTION_CARDS, whole(0, 6))),
        "effects": entries(
            {
                "card_exchange": whole(0, 9),
                "disc_bonus": points(0, 99),
                "draw_three": whole(0, 9),
                "five_points": points(0, 99),
                "joker": whole(1, 6),
                "refused_offer": whole(0, 99),
                "triple_bonus": points(0, 99),
            }
        ),
        "setup": entries(
            {
                "starting_hand": entries(dict.fromkeys(map(str, range(w.MIN_SEATS, w.SEATS + 1)), whole(0, 12))),
                "pass_draw": whole(0, 9),
                "common_draw": whole(0, 9),
                "parts": whole(0, 999),
            }
        ),
        "rules": entries({name: _NUMBERS.get(name, flag) for name in (*w.SWITCHES, *w.COMPILED_SWITCHES)}),
        "confidence": entries({level: entries({}, others=text) for level in w.LEVELS}),
    }
)
"""The reader of the whole section. It keeps the order of entries, which numbers the wonders and two-colour discs."""
