"""Contests in which one policy is tried against a field: every candidate on the same deals, seat after seat."""

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

SHARE, MARGIN = 0, 1  # features of a game: win share, and score ahead of the others' mean, of the seat that is tried


@dataclass(frozen=True)
class Contest:
    """A table whose first line-up entry changes, moving on by one seat from game to game.

    Attributes
    ----------
    plan: rule set, players, seed, and the policies in the other seats. simulator: the prepared plan.
    """

    plan: Plan
    simulator: Simulator

    @classmethod
    def of(cls, plan: Plan) -> Contest:
        """Prepare a contest; raise UserError if it cannot be played."""
        return cls(plan, find_game(plan.game).prepare(plan))

    def arm(self, entry: str) -> Arm:
        """Return the table with this entry on the seat that is tried."""
        return Arm(entry, (self.simulator.with_line_up((entry, *self.plan.policies[1:])),))

    def read(self, frame: pl.DataFrame, games: range) -> Features:
        """Return win share and lead over the mean score of the others, for the tested seat; shape (games,) each."""
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
    """Play every entry in every contest in the same games; return their features, contest by contest."""
    sets = [Arms(tuple(map(contest.arm, entries)), contest.read) for contest in contests]
    ready = [(contest.plan, contest.simulator) for contest in contests]  # the readers of the arms use these
    if execution.cluster is not None:
        ready += [
            (contest.plan.replace(policies=(arm.name, *contest.plan.policies[1:])), arm.simulators[0])
            for contest, arms in zip(contests, sets, strict=True)
            for arm in arms.arms
        ]
    return arm_by_arm(sets, ready, games, execution)
