"""The components and switches, entered by hand from the rules and not read from babel.toml."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

KINDS = ["camel", "crane", "ship", "stonemason"]

STANDARD: dict[str, Any] = {
    "wonders": [
        "Pyramids of Giza",
        "Colossus of Rhodes",
        "Statue of Zeus at Olympia",
        "Hanging Gardens of Babylon",
        "Mausoleum at Halicarnassus",
        "Lighthouse of Alexandria",
        "Temple of Artemis at Ephesus",
        "Tower of Babel",
    ],
    "cards_of_each_kind": 25,
    "cards": {},  # of single kinds, where they differ
    "disc_numbers": [3, 4, 4, 5, 5, 6],
    "discs": {},  # likewise
    "boxed": 5,
    "two_colour_discs": [
        {"camel": 2, "stonemason": 3},
        {"stonemason": 2, "crane": 3},
        {"crane": 2, "ship": 3},
        {"ship": 2, "camel": 3},
    ],
    "value_rows": [(8, 4, 3), (10, 5, 3), (12, 6, 3), (14, 7, 3), (16, 8, 3), (18, 9, 3), (20, 10, 3)],
    "light_row": (6, 3, 3),
    "set_values": {0: 0, 1: 0, 2: 5, 3: 10, 4: 20, 5: 30, 6: 40},
    "action_cards": {
        "card_exchange": 3,
        "disc_bonus": 2,
        "double_turn": 2,
        "draw_three": 2,
        "five_points": 2,
        "joker": 2,
        "triple_bonus": 2,
    },
    "effects": {
        "card_exchange": 5,
        "disc_bonus": 1,
        "draw_three": 3,
        "five_points": 5,
        "joker": 2,
        "refused_offer": 1,
        "triple_bonus": 3,
    },
    "starting_hand": 4,
    "pass_draw": 1,
    "common_draw": 1,
    "parts": 29,
    # switches
    "use_action_cards": True,
    "use_two_colour_discs": False,
    "reshuffle_discards": True,
    "allow_empty_offer": True,
    "allow_trade_card_alone": False,
    "allow_bluff_cards": False,
    "may_decline_when_able": True,
    "joker_may_split": True,
    "max_jokers_per_build": 99,
    "triple_bonus_on_failed_build": True,
    "action_card_usable_at_once": True,
    "max_double_turns": 1,
    "action_card_for_last_wonder": True,
    "set_table_cap": 6,
    "victory_tie": "shared",
    "limit_parts": False,
    "turn_limit": 400,
}


def rules(**changes: Any) -> dict[str, Any]:
    """Return the standard rules with the given entries replaced."""
    unknown = set(changes) - set(STANDARD)
    assert not unknown, unknown
    return {**deepcopy(STANDARD), **changes}


def discs(rules: dict[str, Any]) -> list[dict[str, int]]:
    """Return the 24 discs of a game in their documented order."""
    found: list[dict[str, int]] = []
    for kind in KINDS:
        numbers = sorted(rules["discs"].get(kind, rules["disc_numbers"]))
        if rules["use_two_colour_discs"]:
            numbers.remove(rules["boxed"])
        found += [{kind: number} for number in numbers]
    if rules["use_two_colour_discs"]:
        found += [dict(sorted(disc.items())) for disc in rules["two_colour_discs"]]
    return found
