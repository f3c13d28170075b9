"""What a catalogue can lead to at worst, proved from its compiled rules, and refused where it would not fit.

Points are the only numbers of a game that can outgrow their column (kernels/layout.py). Moves, discs, parts, reshuffles
and events fit for every catalogue that can be read: a game has at most 24 builds of at most 12 cards each, and the turn
limit ends it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from wsim.babel.kernels.layout import ACTION_DRAWS, ROW
from wsim.babel.words import DISC_BONUS, FIVE_POINTS, KINDS, ROWS, SLOTS, TRIPLE_BONUS, WONDERS
from wsim.errors import UserError


def most_actions(rules: Any) -> int:
    """Return the most actions of a game: one in each turn, and the second ones of Double turns."""
    return int(rules.turn_limit) + (ACTION_DRAWS if rules.use_action_cards else 0)


def most_points(rules: Any) -> dict[str, int]:
    """Return the most points of a player by what brings them.

    An offer that is refused comes back to its hand, so a player can lay the largest one in every action; the Triple
    bonus pays for one more. Each wonder is paid once: as completed, by the row of its place, or as unfinished.
    """
    cards = int(np.asarray(rules.need).sum(axis=1).max())  # of an offer
    rows = [int(max(rules.values[min(place, ROWS - 1)])) for place in range(WONDERS)]
    refused = most_actions(rules) * cards * int(rules.refused_offer)
    most = {
        "babel.value_table": sum(max(row, *map(int, rules.light)) for row in rows),
        "babel.set_table": len(KINDS) * int(max(rules.sets)),
        "babel.effects.refused_offer and babel.rules.turn_limit": refused,
    }
    if rules.use_action_cards:
        copies = np.minimum(np.asarray(rules.action_cards), ACTION_DRAWS)
        worth = {FIVE_POINTS: 1, DISC_BONUS: SLOTS, TRIPLE_BONUS: cards}
        points = sum(int(copies[card]) * int(rules.effects[card]) * times for card, times in worth.items())
        most["babel.effects of action cards"] = points
    return most


def check_bounds(rules: Any, ruleset: str) -> None:
    """Raise UserError for a RULES record whose points could be more than a row holds, naming what brings most."""
    most = most_points(rules)
    points, limit = sum(most.values()), int(np.iinfo(ROW["total"]).max)
    if points > limit:
        largest = max(most, key=lambda name: most[name])
        raise UserError(
            f"the points of a player could come to {points:,} in rule set {ruleset} with {int(rules.seats)} players, "
            f"{most[largest]:,} of them by {largest}, and at most {limit:,} can be played; change {largest}"
        )
