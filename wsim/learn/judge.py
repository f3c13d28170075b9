"""The strength of a net: the win share of one net against opponents, in games that it did not learn from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any

import numpy as np
import polars as pl

from wsim.game import find_game
from wsim.lab.execution import Execution
from wsim.lab.plan import Plan
from wsim.learn.learner import learner_of
from wsim.questions.deals import Arm, Arms, Features, arm_by_arm
from wsim.stats.intervals import Estimate


@dataclass(frozen=True)
class Judgement:
    """The win share of one player (in team games, of its team), with a 95% interval over games.

    Attributes
    ----------
    score: the mean score of the player.
    """

    ruleset: str
    players: int
    against: str
    share: float
    low: float
    high: float
    fair: float
    score: float
    games: int


@dataclass(frozen=True)
class OwnSeats:
    """Reads a policy's win share and score from games, each averaged over its seats; shape (games,)."""

    policy: str

    def __call__(self, frame: pl.DataFrame, _games: range) -> Features:
        """Return the features of games."""
        rows = frame.filter(pl.col("policy") == self.policy)
        by_game = rows.group_by("game", maintain_order=True).agg(pl.col("win_share", "total").mean())
        return [by_game["win_share"].to_numpy(), by_game["total"].to_numpy()]


def judge(keys: dict[str, Any], policy: str, against: Sequence[str], games: int, execution: Execution) -> Judgement:
    """Play one seat (or team) of a policy against others; ``keys``: plan keys, with a seed that training does not use.

    A single player takes every seat equally often, and its opponents sit around it in every order, each order for
    equally many games, because neighbours matter a lot. A team stays in the first seats, which are as good as any.
    """
    players = int(keys["players"])
    seated = [against[index % len(against)] for index in range(players)]
    table = find_game(keys["game"]).prepare(Plan.make(**{**keys, "policies": seated}))
    mates = len(learner_of(keys["game"]).mates(table, 0))
    orders = [seated[mates:]] if mates > 1 else sorted(set(permutations(seated[1:])))
    played = []
    for number, order in enumerate(orders):
        line_up = [*[policy] * mates, *order]
        plan = Plan.make(**{**keys, "policies": line_up, "games": games, "rotate": mates == 1})  # mates stay together
        simulator = find_game(plan.game).prepare(plan)
        arms = Arms((Arm(policy, (simulator,)),), OwnSeats(policy))
        block = range(games * number // len(orders), games * (number + 1) // len(orders))
        played += (
            [features for [features] in arm_by_arm([arms], [(plan, simulator)], block, execution)] if block else []
        )
    shares, scores = (np.concatenate(parts) for parts in zip(*played, strict=True))
    share = Estimate.of_games([shares.astype(np.float64)]).with_wilson()
    low, high = max(0.0, float(share.low[0])), min(1.0, float(share.high[0]))
    mean, fair = float(share.value[0]), mates / players
    score = float(scores.mean())
    return Judgement(str(keys["ruleset"]), players, ", ".join(against), mean, low, high, fair, score, len(shares))
