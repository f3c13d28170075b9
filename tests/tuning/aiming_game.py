"""A game whose best player is known: the player who aims closest to the target scores most on average.

``archer`` has the numbers ``left`` and ``right``, whose best values are 1.5 and -0.5, ``salt``, which changes the luck
of every shot and nothing else, and ``idle``, which changes nothing at all. ``stone`` always shoots as archer does at
the start; ``brick`` has no numbers. In all other respects it is the medal game.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tests.games import medal_game
from tests.games.medal_game import MedalSimulator
from tests.games.toy_game.simulator import mixed
from wsim.errors import UserError, nearest
from wsim.game import Game
from wsim.policies.numbers import Number

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from wsim.lab.plan import Plan
    from wsim.policies.lineup import Entry

NUMBERS = {"left": 0.0, "right": 0.0, "salt": 0.0, "idle": 0.0}
BEST = {"left": 1.5, "right": -0.5}
POLICIES = ("archer", "stone", "brick")


class Aiming(Game):
    NAME, TITLE = "aiming", "Aiming"
    OPTIONS: Mapping[str, str] = {"pause": "seconds to sleep in every game"}
    OWNED: Mapping[str, str] = medal_game.GAME.OWNED
    ANALYSES: Mapping[str, str] = medal_game.GAME.ANALYSES

    def default_plan(self, ruleset: str | None = None) -> Mapping[str, Any]:
        return {"ruleset": "aiming-1e", "players": 3, "policies": ("archer", "stone", "stone")}

    def policies(self) -> Sequence[Mapping[str, Any]]:
        return [{"name": name, "kind": "heuristic"} for name in POLICIES]

    def numbers(self, entry: Entry) -> Sequence[Number]:
        if entry.name != "archer":
            return ()
        return [Number(name, (float(entry.parameters.get(name, value)),), -4, 4) for name, value in NUMBERS.items()]

    def prepare(self, plan: Plan) -> AimingSimulator:
        for entry in plan.line_up:
            if entry.name not in POLICIES:
                raise UserError(f"unknown policy {entry.name!r}{nearest(entry.name, POLICIES)}")
        return AimingSimulator(plan)


GAME = Aiming()


class AimingSimulator(MedalSimulator):
    """Games in which a seat's score falls with the square of how far its policy aims from the target."""

    def with_line_up(self, policies: Sequence[str]) -> AimingSimulator:
        return AimingSimulator(self.plan.replace(policies=policies))

    def play(self, first: int, rows: NDArray[Any], picks: NDArray[Any] | None = None) -> int:
        count, seats = len(rows) // self.seats, self.seats
        time.sleep(float(self.plan.options.get("pause", 0)) * count)
        games = np.repeat(np.arange(first, first + count), seats)
        seat = np.tile(np.arange(seats), count)
        rows["game"], rows["seat"] = games, seat
        entries = [self.plan.line_up[place % len(self.plan.line_up)] for place in range(seats)]
        values = [{**NUMBERS, **{key: float(one) for key, one in entry.parameters.items()}} for entry in entries]
        lost = np.array([80 * sum((one[name] - best) ** 2 for name, best in BEST.items()) for one in values])
        salts = np.array([abs(int(1000 * one["salt"])) for one in values], np.uint64)
        turned = (seat + games) % seats if self.plan.rotate else seat
        luck = mixed(mixed(rows["game"] * np.uint64(64) + rows["seat"]) + np.uint64(self.plan.seed) + salts[turned])
        rows["total"] = 1000 + (luck % np.uint64(400)).astype(np.int64) - lost[turned]
        totals = rows["total"].reshape(count, seats)
        best = totals == totals.max(axis=1, keepdims=True)
        rows["win_share"] = (best / best.sum(axis=1, keepdims=True)).reshape(-1)
        return 0
