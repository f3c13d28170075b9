"""Step games that have no kernels one after another; ``wsim.kernels.lockstep`` does the same for games with kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from wsim.errors import UserError
from wsim.kernels.heads import NOBODY, timestep_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from wsim.game import Simulator
    from wsim.position import Position

MOST_MOVES = 256
"""The maximum number of legal moves per decision in games that do not declare their actions."""


class PositionVector:
    """Steps an array of positions, with the same interface as a kernel, for games without kernels.

    A position is never changed in place: a step replaces it with a copy, so copies of the states array are independent.

    Attributes
    ----------
    timestep: the dtype of a time step. columns: the names of the observed values, without the history.
    actions: the names of the fixed actions (``Simulator.actions``). most_moves: the maximum number of legal moves.
    """

    def __init__(self, simulator: Simulator) -> None:
        self.simulator, self.timestep = simulator, timestep_of(simulator.seats)
        self.actions, self.columns = tuple(simulator.actions), simulator.begin(0).columns(history=False)
        self.most_moves = len(self.actions) or MOST_MOVES
        self._numbers = {action: number for number, action in enumerate(self.actions)}

    def states(self, count: int) -> NDArray[Any]:
        """Return an uninitialised object array for the states of several games."""
        return np.empty(count, object)

    def observe(self, state: Position, seat: int, seen: NDArray[Any]) -> None:
        """Write a player's observation into the array ``seen``."""
        seen[:] = state.observation(seat, len(seen))

    def position(self, _simulator: Simulator, state: Position) -> Position:
        """Return an independent copy of a state."""
        return state.clone()

    def set_state(self, states: NDArray[Any], index: int, position: Position) -> None:
        """Replace the state at an index with a position."""
        states[index] = position

    def step(self, states: NDArray[Any], request: Any, timesteps: Any, seen: NDArray[Any], masks: NDArray[Any]) -> None:
        """Step every game that is not over; write the deciding seats, their observations and legal actions."""
        for index, timestep in enumerate(timesteps):
            timestep.over = 0
            if request.begin:
                position = self.simulator.begin(int(timestep.number))
            elif timestep.seat == NOBODY:
                continue
            else:
                position = states[index].clone()
                position.take(self._action_numbers(position, fixed=bool(request.fixed)).index(int(timestep.action)))
            position = self._advance(position, request, timestep)
            states[index], seat = position, position.to_move
            timestep.seat = NOBODY if seat is None else seat
            timestep.kind, timestep.moment = NOBODY if seat is None else 0, NOBODY
            masks[index], seen[index] = 0, 0
            if seat is not None:
                self.observe(position, seat, seen[index])
                masks[index, self._action_numbers(position, fixed=bool(request.fixed))] = 1

    def _advance(self, position: Position, request: Any, timestep: Any) -> Position:
        """Play on until a caller's seat has several legal moves, or until the game ends and no other game follows."""
        while True:
            seat = position.to_move
            if seat is None:
                timestep.over = 1
                for score in position.scores():
                    timestep.score[score["seat"]], timestep.share[score["seat"]] = score["total"], score["win_share"]
                if request.stride == 0:
                    return position
                timestep.number += request.stride
                position = self.simulator.begin(int(timestep.number))
            elif not int(request.callers) >> seat & 1:
                position.follow()
            elif len(position.moves()) > 1:
                return position
            else:
                position.take(0)

    def _action_numbers(self, position: Position, *, fixed: bool) -> list[int]:
        """Return the action number of each legal move."""
        moves = position.moves()
        if not fixed:
            if len(moves) > self.most_moves:
                most = f"more than the {self.most_moves} that an environment supports"
                raise UserError(f"a decision has {len(moves)} moves, {most}")
            return list(range(len(moves)))
        names = [self.simulator.phrase(move) for move in moves]
        unknown = [name for name in names if name not in self._numbers]
        if unknown:
            raise UserError(f"the move {unknown[0]!r} is not an action of the game (ACTIONS)")
        return [self._numbers[name] for name in names]
