"""Estimate chances throughout games by playouts, for tables without a value net or if playouts are requested."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from wsim.positions.character import Followed
from wsim.positions.value_net import GAP
from wsim.positions.values import FAR

if TYPE_CHECKING:
    import polars as pl

    from wsim.game import Simulator
    from wsim.positions.value_net import Follower

PLAYOUTS = 30
WHOLE = "the game"


@dataclass(frozen=True)
class PlayoutFollower:
    """Follow games decision by decision; each chance is the mean of playouts with the table's own policies.

    A trial selects the two best moves with half of its playouts and compares them with the other half.
    """

    simulator: Simulator
    playouts: int

    @property
    def phases(self) -> Mapping[str, int]:
        """A single phase, the whole game."""
        return {WHOLE: 0}

    @property
    def about(self) -> str:
        """The method of estimating chances, as a sentence without a full stop."""
        return f"Chances: {self.playouts} playouts at every decision; drama and lead changes include their noise"

    def frame(self, followed: Followed) -> pl.DataFrame:
        """Return the seats table of the followed games."""
        return self.simulator.seats_frame(followed.rows)

    def follow(self, first: int, games: int, gap: int = GAP) -> Followed:
        """Play games numbered from ``first`` and estimate chances; about one decision in ``gap`` becomes a trial."""
        rows = np.zeros(games * self.simulator.seats, self.simulator.row_dtype)
        self.simulator.play(first, rows)
        chances, trials, tried = list[list[Any]](), list[tuple[int, int, int]](), list[Any]()
        for game in range(games):
            position, of_game = self.simulator.begin(first + game), list[Any]()
            while (seat := position.to_move) is not None:
                of_game.append(
                    position.play_out(self.simulator, self.playouts, None, first + game, FAR)[:, :, 1].mean(0)
                )
                stage, count = len(of_game) - 1, len(position.moves())
                if count > 1 and (7 * (first + game) + stage) % gap == 0:
                    half = self.playouts // 2
                    after = position.compare(
                        self.simulator, range(count), 2 * half, None, first + game, FAR
                    )[:, :, :, 1]  # fmt: skip
                    best, second = np.argsort(-after[:half, :, seat].mean(0), kind="stable")[:2]
                    trials.append((game, stage, seat))
                    tried.append(after[half:, [best, second]].mean(0))
                position.follow()
            chances.append(of_game)
        room, players = max(map(len, chances)), len(chances[0][0])
        stages, whole = np.full((games, room), -1, np.int16), np.zeros((games, room, players))
        for game, of_game in enumerate(chances):
            stages[game, : len(of_game)], whole[game, : len(of_game)] = np.arange(len(of_game)), of_game
        numbers = np.array(trials, np.int64).reshape(-1, 3)
        return Followed(rows, stages, whole, numbers, np.array(tried).reshape(-1, 2, players))

    @property
    def settling(self) -> tuple[str, ...]:
        """The column names of the array that ``wsim.positions.character.settled`` returns."""
        return "the deal and the first hands", WHOLE


def follower_of(simulator: Simulator, playouts: int | None) -> Follower | PlayoutFollower:
    """Return a follower for a simulator's games: its value net, or playouts if requested or if there is no net."""
    if playouts is None and getattr(simulator, "value_net", None) is not None:
        follower: Follower = simulator.follower  # type: ignore[attr-defined]
        return follower
    return PlayoutFollower(simulator, playouts or PLAYOUTS)
