"""``wsim.env.VectorEnv``: thousands of games stepped in one call, on numpy arrays."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from wsim.env.game_vector import REWARDS, GameVector, checked_seat, chosen_plan, validate_choice
from wsim.errors import UserError
from wsim.lab.batch import usable_threads

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from wsim.lab.plan import Plan

MAX_GAMES = 100_000  # about a gigabyte


class Step(NamedTuple):
    """The result of ``reset`` or ``step``; row i belongs to game i.

    Attributes
    ----------
    observations: int16, (games, columns): the view of the deciding seat. Overwritten by the next call.
    masks: bool, (games, actions): its legal actions. Overwritten by the next call.
    seats: int64, (games,): the deciding seat.
    rewards: float64, (games, players): rewards of every player; 0 unless the game ended in this call.
    done: bool, (games,): whether a game ended in this call; its observation already belongs to the next game.
    """

    observations: NDArray[np.int16]
    masks: NDArray[np.bool_]
    seats: NDArray[np.int64]
    rewards: NDArray[np.float64]
    done: NDArray[np.bool_]


class VectorEnv:
    """Many games of one plan, stepped together: one kernel call per thread, no Python between decisions.

    A game stops when one of the caller's seats has several legal moves; forced moves and the seats of the line-up are
    played in between. When a game ends, the next one begins: table i plays games i, i + games, i + 2 * games, ... of
    the seed. Results depend on (plan, seed, games, actions), never on threads.

    Parameters
    ----------
    games: how many.
    plan: a plan (default: the game's default plan).
    seats: the seats that the caller plays; None: all. The line-up plays the others.
    actions: ``fixed``: the same action means the same in every position; ``moves``: index into the legal moves.
    reward: ``win``: the win share; ``score``: points.
    threads: number of threads; None: one per processor.
    keys: keys of the plan, the same as the options of ``wsim run``: ruleset="2e", players=4, seed=7, policies=...

    Attributes
    ----------
    plan: the plan. games, players: their numbers. seats: the caller's seats.
    columns: the names of an observation's numbers. actions: the names of the actions.
    """

    def __init__(
        self,
        games: int,
        plan: Plan | None = None,
        /,
        *,
        seats: Sequence[int] | None = None,
        actions: str = "fixed",
        reward: str = "win",
        threads: int | None = None,
        **keys: Any,
    ) -> None:
        resolved = chosen_plan(plan, keys)
        try:
            count = operator.index(games)
        except TypeError:
            raise UserError(f"games must be a whole number, not {games!r}") from None
        if not 1 <= count <= MAX_GAMES:
            raise UserError(f"games must be from 1 to {MAX_GAMES}, not {count}")
        self.games, self.players = count, resolved.players
        self._reward = REWARDS[validate_choice("reward", reward, REWARDS)]
        self.seats = _checked_seats(seats, resolved.players)
        count = min(usable_threads(threads), self.games)
        self._vector = GameVector(resolved, self.games, self.seats, actions, again=True, threads=count)
        self.columns, self.actions = self._vector.columns, self._vector.actions
        self._rows = np.arange(self.games)
        self._state = "not begun"

    @property
    def plan(self) -> Plan:
        """The plan that is played."""
        return self._vector.plan

    @property
    def scores(self) -> NDArray[np.float64]:
        """The points of every player in the last game that ended at each table, (games, players)."""
        return np.array(self._vector.timesteps.score[:, : self.players])

    def reset(self, seed: int | None = None) -> Step:
        """Begin a game at every table: with a seed its first games, otherwise the next ones."""
        self._check_open()
        self._vector.begin(seed)
        self._state = "running"
        return self._step()

    def step(self, actions: Any) -> Step:
        """Execute one action per game, whole numbers of shape (games,); an illegal action changes nothing."""
        self._check_open()
        if self._state != "running":
            raise UserError("no game has begun: call reset() first")
        vector = self._vector
        given = np.asarray(actions)
        if given.shape != (self.games,) or given.dtype.kind not in "iu":
            raise UserError(
                f"actions must be {self.games} whole numbers, one per game, not {given.dtype} of shape {given.shape}"
            )
        known = len(self.actions)
        outside = np.flatnonzero((given < 0) | (given >= known))
        if outside.size:
            game = int(outside[0])
            raise UserError(f"game {game}: action {given[game]} does not exist: actions are numbered 0 to {known - 1}")
        wrong = np.flatnonzero(~self._vector.masks[self._rows, given])
        if wrong.size:
            game = int(wrong[0])
            raise UserError(f"game {game}: {self._vector.illegal(int(given[game]), game)}")
        vector.step(given)
        return self._step()

    def _step(self) -> Step:
        timesteps = self._vector.timesteps
        done = timesteps.over == 1
        rewards = np.where(done[:, None], timesteps[self._reward][:, : self.players], 0.0)
        return Step(self._vector.seen, self._vector.masks, np.array(timesteps.seat), rewards, done)

    def _check_open(self) -> None:
        if self._state == "closed":
            raise UserError("the environment is closed")

    def close(self) -> None:
        """Shut the threads down; the environment cannot be stepped any more."""
        self._vector.close()
        self._state = "closed"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        plan = self.plan
        return f"<wsim.env.VectorEnv {plan.ruleset}, {plan.players} players, {self.games} games: {self._state}>"


def _checked_seats(seats: Sequence[int] | None, players: int) -> tuple[int, ...]:
    """Return the caller's seats; raise UserError if there are none, or if one is invalid."""
    if seats is None:
        return tuple(range(players))
    checked = tuple(checked_seat(seat, players) for seat in ((seats,) if isinstance(seats, int) else seats))
    if not checked:
        raise UserError("seats must name at least one seat: to play games without the caller, use wsim.simulate")
    return tuple(sorted(set(checked)))
