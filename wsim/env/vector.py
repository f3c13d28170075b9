"""``wsim.env.VectorEnv``: thousands of games stepped in one call, on numpy arrays."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from wsim.env.game_vector import REWARDS, GameVector, checked_seat, checked_word, chosen_plan
from wsim.errors import UserError
from wsim.lab.batch import usable_threads

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from wsim.lab.plan import Plan

MOST_GAMES = 100_000  # about a gigabyte


class Step(NamedTuple):
    """What a call of ``reset`` or ``step`` returns; row i belongs to game i.

    Attributes
    ----------
    observations: int16, (games, columns): what the seat that decides may know. The next call writes over it.
    masks: bool, (games, actions): what that seat may do. The next call writes over it.
    seats: int64, (games,): who decides.
    rewards: float64, (games, players): of every player, 0 but for games that ended in this call.
    done: bool, (games,): whether a game ended in this call; the rest of its row is already of the next game.
    """

    observations: NDArray[np.int16]
    masks: NDArray[np.bool_]
    seats: NDArray[np.int64]
    rewards: NDArray[np.float64]
    done: NDArray[np.bool_]


class VectorEnv:
    """Many games of one plan, stepped together: one kernel call for each thread, no Python between decisions.

    A game stops where a seat of the caller has more than one legal move; forced moves and the seats of the line-up are
    played on the way. Where a game ends the next one begins: table i plays games i, i + games, i + 2 * games, ... of
    the seed. What comes out depends on (plan, seed, games, actions), never on threads.

    Parameters
    ----------
    games: how many.
    plan: a plan; without it the game's default plan.
    seats: those that the caller decides for; None: all of them. The line-up plays the others.
    actions: ``fixed``: the same action means the same in every position; ``moves``: index into the legal moves.
    reward: ``win``: the share of the victory; ``score``: points.
    threads: that step the games; None: as many as there are processors.
    keys: keys of the plan, which are the options of ``wsim run``: ruleset="2e", players=4, seed=7, policies=...

    Attributes
    ----------
    plan: what is played. games, players: how many. seats: the caller's.
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
        chosen = chosen_plan(plan, keys)
        self.games, self.players = _checked_games(games), chosen.players
        self._reward = REWARDS[checked_word("reward", reward, REWARDS)]
        self.seats = _checked_seats(seats, chosen.players)
        count = min(usable_threads(threads), self.games)
        self._vector = GameVector(chosen, self.games, self.seats, actions, again=True, threads=count)
        self.columns, self.actions = self._vector.columns, self._vector.actions
        self._rows = np.arange(self.games)
        self._state = "not begun"

    @property
    def plan(self) -> Plan:
        """What is played."""
        return self._vector.plan

    @property
    def scores(self) -> NDArray[np.float64]:
        """The points of every player in the last game that ended at each table, (games, players)."""
        return np.array(self._vector.timesteps.score[:, : self.players])

    def reset(self, seed: int | None = None) -> Step:
        """Begin a game at every table: with a seed its first ones, without one those that come next."""
        self._check_open()
        self._vector.begin(seed)
        self._state = "running"
        return self._step()

    def step(self, actions: Any) -> Step:
        """Carry out one action for each game, whole numbers of shape (games,); an illegal one changes nothing."""
        self._check_open()
        if self._state != "running":
            raise UserError("no game has begun: call reset() first")
        vector = self._vector
        vector.step(self._checked(actions))
        return self._step()

    def _checked(self, actions: Any) -> NDArray[np.integer[Any]]:
        """Return legal actions; raise UserError that names the first game that has none."""
        given = np.asarray(actions)
        if given.shape != (self.games,) or given.dtype.kind not in "iu":
            raise UserError(
                f"actions are {self.games} whole numbers, one for each game, not {given.dtype} of shape {given.shape}"
            )
        known = len(self.actions)
        outside = np.flatnonzero((given < 0) | (given >= known))
        if outside.size:
            place = int(outside[0])
            raise UserError(f"game {place}: there is no action {given[place]}: they go from 0 to {known - 1}")
        wrong = np.flatnonzero(~self._vector.masks[self._rows, given])
        if wrong.size:
            place = int(wrong[0])
            raise UserError(f"game {place}: {self._vector.illegal(int(given[place]), place)}")
        return given

    def _step(self) -> Step:
        timesteps = self._vector.timesteps
        done = timesteps.over == 1
        rewards = np.where(done[:, None], timesteps[self._reward][:, : self.players], 0.0)
        return Step(self._vector.seen, self._vector.masks, np.array(timesteps.seat), rewards, done)

    def _check_open(self) -> None:
        if self._state == "closed":
            raise UserError("the environment is closed")

    def close(self) -> None:
        """Let the threads go; nothing can be stepped any more."""
        self._vector.close()
        self._state = "closed"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        plan = self.plan
        return f"<wsim.env.VectorEnv {plan.ruleset}, {plan.players} players, {self.games} games: {self._state}>"


def _checked_games(games: Any) -> int:
    """Return a number of games; raise UserError for what is none."""
    try:
        count = operator.index(games)
    except TypeError:
        raise UserError(f"games must be a whole number, not {games!r}") from None
    if not 1 <= count <= MOST_GAMES:
        raise UserError(f"games must be from 1 to {MOST_GAMES}, not {count}")
    return count


def _checked_seats(seats: Sequence[int] | None, players: int) -> tuple[int, ...]:
    """Return the caller's seats; raise UserError where there are none, or one that is not there."""
    if seats is None:
        return tuple(range(players))
    found = tuple(checked_seat(seat, players) for seat in ((seats,) if isinstance(seats, int) else seats))
    if not found:
        raise UserError("seats must name at least one seat: games that nobody decides in are played by wsim.simulate")
    return tuple(sorted(set(found)))
