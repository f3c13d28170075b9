"""Decisions of self-play and what each move of them is worth, by playouts that all moves share.

A part is a block of games of one table. It is a function of (table, part, seed) alone, so parts are played in any
order, by any number of threads, and again after an interruption.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from wsim.game import find_game
from wsim.lab.plan import Plan
from wsim.learn.learner import learner_of
from wsim.positions.values import FAR

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from wsim.game import Simulator


@dataclass(frozen=True, eq=False)
class Harvest:
    """Takes decisions from blocks of games of a table, each block a part; called with its games.

    Attributes
    ----------
    game: its name. simulator: what is played, with some exploring so that odd positions are seen, too.
    rest: who plays on after each move, by the seat that decides.
    playouts: of each move. gap: decisions between two that are taken, on average. seed: of playouts and of the choice
        of decisions.
    """

    game: str
    simulator: Simulator
    rest: tuple[Simulator, ...]
    playouts: int
    gap: float
    seed: int

    def __call__(self, games: range) -> tuple[NDArray[Any], NDArray[Any]]:
        """Play a part; return its decisions and their moves, as the game's learner lays them out."""
        learner = learner_of(self.game)
        describe = learner.describer(self.simulator, self.rest[0])
        random = np.random.default_rng([self.seed, games.start // len(games)])
        states, moves = [], []
        for number in games:
            position: Any = self.simulator.begin(number)
            while True:
                position.follow(int(random.geometric(1 / self.gap)) - 1)
                if position.to_move is None:
                    break
                if len(position.coded) < 2:
                    continue
                state, listed, places = describe(position)
                if len(places) < 2:
                    continue
                first = FAR + int(random.integers(1 << 40))
                rest = self.rest[position.to_move]
                outcomes = position.compare(rest, places, self.playouts, position.to_move, self.seed, first)
                value = learner.worth(self.simulator, outcomes, position.to_move).mean(axis=0)
                listed["worth"] = value - value.mean()
                states.append(state)
                moves.append(listed)
        if not states:
            return np.zeros(0, learner.state), np.zeros(0, learner.move)
        return np.stack(states), np.concatenate(moves)


def harvest_of(
    keys: Mapping[str, Any], players: Sequence[str], rest: tuple[str, str], how: tuple[int, float, int]
) -> tuple[Harvest, list[tuple[Plan, Simulator]]]:
    """Return the harvest of a table, and every plan and simulator in it.

    Parameters
    ----------
    keys: of the plan that is played (rule set, players, patch, ...), but for its policies.
    players: its line-up.
    rest: the policies that play on after each move, in the seat that decides (and its mate's), and in the others.
    how: playouts, gap and seed of ``Harvest``.
    """
    own, others = rest
    ready = [_ready(keys, players)]
    (plan, simulator), count = ready[0], len(players)
    learner = learner_of(plan.game)
    line_ups = [[own] * count]
    if own != others:
        sides = [learner.mates(simulator, one) for one in range(count)]
        line_ups = [[own if seat in side else others for seat in range(count)] for side in sides]
    ready += [_ready(keys, line_up) for line_up in line_ups]
    playing_on = tuple(one for _, one in ready[1:])
    return Harvest(plan.game, simulator, playing_on * (count // len(playing_on)), *how), ready


def _ready(keys: Mapping[str, Any], line_up: Sequence[str]) -> tuple[Plan, Simulator]:
    """Return a plan with these players, and its simulator."""
    plan = Plan.make(**{**keys, "policies": list(line_up)})
    return plan, find_game(plan.game).prepare(plan)
