"""Contests in which one policy is tried against a field: every candidate on the same deals, seat after seat."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from wsim.experiments.deals import Arm, Arms, Features, arm_by_arm
from wsim.game import find_game

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
    plan: rule set, players, seed, and who sits on the other seats.
    simulator: the plan made ready.
    """

    plan: Plan
    simulator: Simulator

    @classmethod
    def of(cls, plan: Plan) -> Contest:
        """Make a contest ready; raise UserError for one that cannot be played."""
        return cls(plan, find_game(plan.game).prepare(plan))

    def arm(self, entry: str) -> Arm:
        """Return the table with this entry on the seat that is tried."""
        return Arm(entry, (self.simulator.with_line_up((entry, *self.plan.policies[1:])),))

    def read(self, frame: pl.DataFrame, games: range) -> Features:
        """Return win share and score ahead of the others' mean of the tried seat, shape (games,) each."""
        players, shape = self.plan.players, (len(games), -1)
        shares, totals = (frame[name].to_numpy().astype(float).reshape(shape) for name in ("win_share", "total"))
        here = np.arange(len(games))
        seat = -np.arange(games.start, games.stop) % players  # entry 0 sits where (seat + game) % players is 0
        own = totals[here, seat]
        others = (totals[:, :players].sum(axis=1) - own) / (players - 1)
        return [shares[here, seat], own - others]


def play_contests(
    contests: Sequence[Contest], entries: Sequence[str], games: range, threads: int
) -> list[list[Features]]:
    """Play every entry in every contest in the same games; return their features, contest by contest."""
    sets = [Arms(tuple(map(contest.arm, entries)), contest.read) for contest in contests]
    return arm_by_arm(sets, games, threads)
