"""Decisions of self-play and what each move of them is worth, by playouts that all moves share.

A part is a block of games of one table. It is a function of (table, part, seed) alone, so parts are played in any
order, by any number of threads, and again after an interruption.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from wsim.game import find_game
from wsim.lab.plan import Plan
from wsim.learn.learner import learner_of
from wsim.positions.values import FAR

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from wsim.game import Simulator

__all__ = ["Table", "harvest"]


@dataclass(frozen=True)
class Table:
    """Where decisions are taken from.

    Attributes
    ----------
    keys: of the plan that is played (rule set, players, patch, ...), but for its policies.
    players: its line-up, with some exploring so that odd positions are seen, too.
    own, others: the policies that play on after each move, in the seat that decides and in the others.
    number: playouts of each move.
    gap: decisions between two that are taken, on average.
    """

    keys: Mapping[str, Any]
    players: tuple[str, ...]
    own: str = "balanced"
    others: str = "balanced"
    number: int = 2
    gap: float = 12.0

    @cached_property
    def simulator(self) -> Simulator:
        """What is played."""
        plan = Plan.make(**{**self.keys, "policies": list(self.players)})
        return find_game(plan.game).prepare(plan)

    @cached_property
    def rest(self) -> Sequence[Simulator]:
        """What playouts are played with, by the seat that decides; in teams, its mate plays as it does."""
        count = len(self.players)
        learner = learner_of(Plan.make(**self.keys).game)
        line_ups = [[self.own] * count]
        if self.own != self.others:
            sides = [learner.mates(self.simulator, one) for one in range(count)]
            line_ups = [[self.own if seat in side else self.others for seat in range(count)] for side in sides]
        plans = [Plan.make(**{**self.keys, "policies": line_up}) for line_up in line_ups]
        ready = [find_game(plan.game).prepare(plan) for plan in plans]
        return ready * (count // len(ready))


def harvest(table: Table, part: int, games: int, seed: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Play a part; return its decisions and their moves, as the game's learning module lays them out."""
    simulator, rest = table.simulator, table.rest
    learner = learner_of(Plan.make(**table.keys).game)
    describe = learner.describer(simulator, rest[0])
    random = np.random.default_rng([seed, part])
    states, moves = [], []
    for number in range(part * games, (part + 1) * games):
        position: Any = simulator.begin(number)
        while True:
            position.follow(int(random.geometric(1 / table.gap)) - 1)
            if position.to_move is None:
                break
            if len(position.coded) < 2:
                continue
            state, listed, places = describe(position)
            if len(places) < 2:
                continue
            first = FAR + int(random.integers(1 << 40))
            outcomes = position.compare(rest[position.to_move], places, table.number, position.to_move, seed, first)
            value = learner.worth(simulator, outcomes, position.to_move).mean(axis=0)
            listed["worth"] = value - value.mean()
            states.append(state)
            moves.append(listed)
    assert states, "a part without a decision"
    return np.stack(states), np.concatenate(moves)
