"""Play trial games of a catalogue with every number of players, to find exceeded limits (``wsim catalog --check``)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from wsim.errors import Mistakes
from wsim.lab.plan import Plan
from wsim.limits import GameLimitError

if TYPE_CHECKING:
    from wsim.spec.catalogues import Source

GAMES = 1000  # per policy and number of players
POLICIES = ("random", "balanced")
"""The policies of trial games: one that reaches all positions, and a strong one that builds what is worthwhile."""


def play_catalogue(game: str, source: Source, players: Sequence[int], mistakes: Mistakes) -> int:
    """Play games with every number of players and return the number of games; report each limit that a game exceeds.

    A catalogue with Python effects is not played, because playing would run its code.
    """
    import numpy as np

    from wsim.game import find_game

    keys = {"ruleset": source.ruleset, "cards": source.cards, "patch": source.patches, "set": source.changes}
    given = {key: value for key, value in keys.items() if value}
    played = 0
    for number in players:
        broken = set()
        for policy in POLICIES:
            plan = Plan.make(game=game, players=number, policies=policy, **given)
            if plan.effects:
                return 0
            simulator = find_game(game).prepare(plan)
            rows = np.zeros(simulator.seats, simulator.row_dtype)
            for index in range(GAMES):
                try:
                    simulator.play(index, rows)
                except GameLimitError as error:
                    if error.limit not in broken:
                        mistakes.add(str(error))
                    broken.add(error.limit)
            played += GAMES
    return played
