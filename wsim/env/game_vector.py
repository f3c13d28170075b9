"""Step several games to the caller's next decisions, with the game's kernel or, if it has none, one by one."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from wsim.env.position_vector import PositionVector
from wsim.errors import UserError, nearest
from wsim.game import find_game
from wsim.kernels.heads import REQUEST
from wsim.lab.plan import Plan

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from wsim.game import Simulator
    from wsim.position import Position
    from wsim.positions.machine import VectorKernels

ACTIONS = ("fixed", "moves")
REWARDS = {"win": "share", "score": "score"}
"""The field of a time step that contains each kind of reward."""
_PIECES = 4  # pieces per thread; pieces should be small, because games differ in length
_MIN_PIECE = 16


def chosen_plan(plan: Plan | None, keys: Mapping[str, Any]) -> Plan:
    """Return the plan for an environment; by default, policies keep their seats in all games."""
    if plan is not None:
        return plan.replace(**keys)
    return Plan.make(**{"rotate": False, **keys})


def checked_seat(seat: Any, players: int) -> int:
    """Validate a seat number; raise UserError unless it is from 0 to ``players - 1``."""
    if isinstance(seat, bool) or seat not in range(players):
        raise UserError(f"seat {seat!r} does not exist: seats are numbered 0 to {players - 1}")
    return int(seat)


def validate_choice(key: str, word: str, known: Mapping[str, Any] | tuple[str, ...]) -> str:
    """Validate the value of an option; raise UserError if it is not in ``known``."""
    if word not in known:
        raise UserError(f"{key} must be {' or '.join(known)}, not {word!r}{nearest(str(word), known)}")
    return word


def _records(count: int, dtype: np.dtype[Any]) -> Any:
    """Return a zeroed record array, whose fields are accessible as attributes."""
    return np.zeros(count, dtype).view(np.recarray)


class GameVector:
    """Several games, each of which is over or waits for one of the caller's seats to decide.

    Parameters
    ----------
    plan: the plan; its line-up plays all other seats.
    count: the number of games.
    callers: the seats for which the caller decides.
    actions: ``fixed`` or ``moves``.
    again: whether a finished game is replaced with the next game.
    threads: the number of threads.

    Attributes
    ----------
    timesteps: a structured array with one time step per game: number, action, seat, kind, moment, over, score, share
        (``wsim.kernels.heads``).
    seen: int16, (count, columns): the observation of the deciding seat. masks: bool, (count, actions): the legal
        actions of this seat.
    columns, actions: the names of the observation columns and of the actions.
    """

    def __init__(
        self, plan: Plan, count: int, callers: tuple[int, ...], actions: str, *, again: bool = False, threads: int = 1
    ) -> None:
        validate_choice("actions", actions, ACTIONS)
        self.plan, self.count, self.threads = plan, count, threads
        self._prepare()
        vector, self.columns = self._vector, self._vector.columns
        fixed = actions == "fixed"
        if fixed and not vector.actions:
            raise UserError(f"{plan.game} does not name its actions: choose actions='moves', or declare them (ACTIONS)")
        self.actions = vector.actions if fixed else tuple(map(str, range(vector.most_moves)))
        self.states = vector.states(count)
        self.timesteps = _records(count, vector.timestep)
        self.seen = np.zeros((count, len(self.columns)), np.int16)
        self._masks = np.zeros((count, len(self.actions)), np.uint8)
        self.masks: NDArray[np.bool_] = self._masks.view(np.bool_)
        self._request = _records(1, REQUEST)
        self._request.fixed = fixed
        self._request.callers = sum(1 << seat for seat in callers)
        self._request.stride = count if again else 0
        self._next = 0
        self._pool = ThreadPoolExecutor(threads) if threads > 1 else None

    def _prepare(self) -> None:
        simulator = find_game(self.plan.game).prepare(self.plan)
        kernels: VectorKernels | None = getattr(simulator, "vector", None)
        self._vector: VectorKernels | PositionVector = kernels or PositionVector(simulator)

    def begin(self, seed: int | None, first: int | None = None) -> None:
        """Begin a game at every table: the first games of ``seed`` or, without a seed, the next ones.

        ``first`` is the number of the first game to begin instead.
        """
        if seed is not None:
            self.plan = self.plan.replace(seed=seed)
            self._prepare()
            self._next = 0
        self._next = self._next if first is None else first
        self.timesteps.number = np.arange(self._next, self._next + self.count)
        self._next = self._next + self.count
        self._request.begin = 1
        self._run()
        self._request.begin = 0

    def step(self, actions: Any) -> None:
        """Apply one legal action at every table."""
        self.timesteps.action = actions
        self._run()
        if self._request[0].stride:
            self._next = int(self.timesteps.number.max()) + 1

    def _run(self) -> None:
        size = max(_MIN_PIECE, -(-self.count // (_PIECES * self.threads)))
        if self._pool is None or self.count <= size:
            self._step_piece(0, self.count)
            return
        starts = range(0, self.count, size)
        for _ in self._pool.map(self._step_piece, starts, [min(start + size, self.count) for start in starts]):
            pass

    def _step_piece(self, start: int, end: int) -> None:
        part = slice(start, end)
        self._vector.step(self.states[part], self._request[0], self.timesteps[part], self.seen[part], self._masks[part])

    def is_legal(self, action: Any, table: int = 0) -> bool:
        """Return whether an action is legal at a table; raise UserError for an invalid action."""
        if isinstance(action, bool) or not isinstance(action, int | np.integer):
            raise UserError(f"an action must be a whole number, not {action!r}")
        if not 0 <= action < len(self.actions):
            raise UserError(f"action {action} does not exist: actions are numbered 0 to {len(self.actions) - 1}")
        return bool(self.masks[table, action])

    def illegal(self, action: Any, table: int = 0) -> str:
        """Compose the error message for an illegal action, with some legal ones."""
        names = [self.actions[index] for index in np.flatnonzero(self.masks[table])[:3]]
        count = int(self.masks[table].sum())
        return (
            f"action {action} ({self.actions[int(action)]}) is not legal here; {count} actions are, such as "
            f"{', '.join(names)}; see the mask"
        )

    def observe(self, seat: int, table: int = 0) -> NDArray[np.int16]:
        """Return the observation of any player, whether or not it must decide."""
        return self.seen_by(seat, len(self.columns), table)

    def seen_by(self, seat: int, size: int, table: int = 0) -> NDArray[np.int16]:
        """Return the first ``size`` values of any player's observation, whether or not it must decide."""
        seen = np.zeros(size, np.int16)
        self._vector.observe(self.states[table], seat, seen)
        return seen

    def position(self, simulator: Simulator, table: int = 0) -> Position:
        """Return the game at a table as a position that belongs to ``simulator``, which must have the same plan."""
        return self._vector.position(simulator, self.states[table])

    def set_position(self, position: Position, table: int = 0) -> None:
        """Replace the game at a table with a position, from which it continues."""
        self._vector.set_state(self.states, table, position)

    def clone(self) -> Self:
        """Return an independent copy of all games, which is stepped on one thread."""
        copy = object.__new__(type(self))
        copy.__dict__.update(self.__dict__)
        copy.states, copy.seen, copy._masks = self.states.copy(), self.seen.copy(), self._masks.copy()
        copy.timesteps, copy._request = self.timesteps.copy(), self._request.copy()
        copy.masks = copy._masks.view(np.bool_)
        copy._pool = None
        return copy

    def close(self) -> None:
        """Shut down the threads."""
        if self._pool is not None:
            self._pool.shutdown()
            self._pool = None
