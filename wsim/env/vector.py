"""Step thousands of games in one call, on numpy arrays (``wsim.env.VectorEnv``)."""

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
    observations: int16, (games, columns): the view of the deciding seat. The next call overwrites the array.
    masks: bool, (games, actions): the legal actions of the deciding seat. The next call overwrites the array.
    seats: int64, (games,): the deciding seat.
    rewards: float64, (games, players): the rewards of all players; 0 unless the game ended in this call.
    done: bool, (games,): whether a game ended in this call; the observation then belongs to the next game.
    """

    observations: NDArray[np.int16]
    masks: NDArray[np.bool_]
    seats: NDArray[np.int64]
    rewards: NDArray[np.float64]
    done: NDArray[np.bool_]


class VectorEnv:
    """Many games of one plan, stepped together with one kernel call per thread and no Python between decisions.

    A game pauses when one of the caller's seats has several legal moves; forced moves and the seats of the line-up are
    played automatically. When a game ends, the next game begins: table i plays games i, i + games, i + 2 * games, ...
    of the seed. Results depend on (plan, seed, games, actions), never on the number of threads.

    Parameters
    ----------
    games: the number of games.
    plan: a plan (default: the game's default plan).
    seats: the seats that the caller plays; None: all seats. The line-up plays the others.
    actions: ``fixed``: an action has the same meaning in every position; ``moves``: an action is an index into the
        legal moves.
    reward: ``win``: the win share; ``score``: points.
    threads: the number of threads; None: one per processor.
    keys: keys of the plan, named like the options of ``wsim run``: ruleset="2e", players=4, seed=7, policies=...

    Attributes
    ----------
    plan: the plan. games, players: the numbers of games and players. seats: the caller's seats.
    columns: the names of the observed values. actions: the names of the actions.
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
        """The plan of the games."""
        return self._vector.plan

    @property
    def scores(self) -> NDArray[np.float64]:
        """The points of all players in the last finished game at each table, an array of shape (games, players)."""
        return np.array(self._vector.timesteps.score[:, : self.players])

    def reset(self, seed: int | None = None) -> Step:
        """Begin a game at every table: the first games of ``seed`` or, without a seed, the next ones."""
        self._check_open()
        self._vector.begin(seed)
        self._state = "running"
        return self._step()

    def step(self, actions: Any) -> Step:
        """Apply one action per game, integers of shape (games,); an illegal action leaves all games unchanged."""
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
        """Shut down the threads; the environment cannot be stepped afterwards."""
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
    """Validate the caller's seats; raise UserError if there are none or a seat is invalid."""
    if seats is None:
        return tuple(range(players))
    checked = tuple(checked_seat(seat, players) for seat in ((seats,) if isinstance(seats, int) else seats))
    if not checked:
        raise UserError("seats must name at least one seat: to play games without the caller, use wsim.simulate")
    return tuple(sorted(set(checked)))
