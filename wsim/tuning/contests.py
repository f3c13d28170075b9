"""Contests of one policy against a field: every candidate plays the same deals, seat after seat."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from wsim.game import find_game
from wsim.lab.execution import Execution
from wsim.questions.deals import Arm, Arms, Features, arm_by_arm

if TYPE_CHECKING:
    import polars as pl

    from wsim.game import Simulator
    from wsim.lab.plan import Plan

SHARE, MARGIN = 0, 1  # features of a game: win share of the tested seat, and its score minus the others' mean


@dataclass(frozen=True)
class Contest:
    """A table that tests its first line-up entry, which moves by one seat from game to game.

    Attributes
    ----------
    plan: the plan, with the opponents in all seats but the first. simulator: the simulator of the plan.
    """

    plan: Plan
    simulator: Simulator

    @classmethod
    def of(cls, plan: Plan) -> Contest:
        """Prepare a contest; raise UserError if it cannot be played."""
        return cls(plan, find_game(plan.game).prepare(plan))

    def arm(self, entry: str) -> Arm:
        """Return the arm in which this entry plays in the tested seat."""
        return Arm(entry, (self.simulator.with_line_up((entry, *self.plan.policies[1:])),))

    def read(self, frame: pl.DataFrame, games: range) -> Features:
        """Return the tested seat's win share and its lead over the mean score of the others, each of shape (games,)."""
        players, shape = self.plan.players, (len(games), -1)
        shares, totals = (frame[name].to_numpy().astype(float).reshape(shape) for name in ("win_share", "total"))
        rows = np.arange(len(games))
        seat = -np.arange(games.start, games.stop) % players  # entry 0 sits where (seat + game) % players is 0
        score = totals[rows, seat]
        rivals = (totals[:, :players].sum(axis=1) - score) / (players - 1)
        return [shares[rows, seat], score - rivals]


def play_contests(
    contests: Sequence[Contest], entries: Sequence[str], games: range, execution: Execution
) -> list[list[Features]]:
    """Play every entry in every contest, in the same games; return the features, contest by contest."""
    sets = [Arms(tuple(map(contest.arm, entries)), contest.read) for contest in contests]
    ready = [(contest.plan, contest.simulator) for contest in contests]  # used when the features are read
    if execution.cluster is not None:
        ready += [
            (contest.plan.replace(policies=(arm.name, *contest.plan.policies[1:])), arm.simulators[0])
            for contest, arms in zip(contests, sets, strict=True)
            for arm in arms.arms
        ]
    return arm_by_arm(sets, ready, games, execution)
