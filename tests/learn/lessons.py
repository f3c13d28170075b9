"""The smallest possible plans and harvests for the tests of learning."""

from __future__ import annotations

from typing import Any

from wsim.learn.harvest import Harvest, harvest_of

WONDERS, BABEL = "seven_wonders", "tower_of_babel"
GAMES_AT = [(WONDERS, "1e", 4), (BABEL, "2005", 4)]

SMALL: dict[str, Any] = {
    "seed": 3,
    "table": [{"ruleset": "1e", "players": 3}, {"ruleset": "2e-cities-teams", "players": 4, "share": 0.5}],
    "round": [
        {"decisions": 300, "players": "balanced", "own": "balanced", "others": "balanced"},
        {"decisions": 150, "playouts": 1},
    ],
    "fitting": {"rounds": 2, "size": 64},
    "judge": [{"ruleset": "1e", "players": 3, "against": ["greedy", "balanced"], "games": 60}],
}


SMALL_BABEL: dict[str, Any] = {
    **SMALL,
    "game": BABEL,
    "table": [{"ruleset": "2005", "players": 3}, {"ruleset": "2005", "players": 5, "share": 0.5}],
    "judge": [{"ruleset": "2005", "players": 3, "against": ["greedy", "balanced"], "games": 60}],
}


def harvest(
    ruleset: str, players: int, explore: float = 0.0, playouts: int = 2, gap: float = 12, game: str = WONDERS
) -> Harvest:
    line_up = [f"balanced:explore={explore}"] * players
    keys = {"game": game, "ruleset": ruleset, "players": players}
    return harvest_of(keys, line_up, ("balanced", "balanced"), (playouts, gap, 7, 0))[0]
