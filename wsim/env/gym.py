"""Gymnasium environments, single and vectorised: the agent plays one seat, and the line-up plays the others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from wsim.env.game_vector import REWARDS, GameVector, checked_seat, chosen_plan, validate_choice
from wsim.env.spaces import LegalDiscrete, Observations, mask_of
from wsim.env.vector import VectorEnv
from wsim.errors import UserError

if TYPE_CHECKING:
    from wsim.lab.plan import Plan

_Seen = NDArray[Any]  # int16 for counts, float32 for scaled
ILLEGAL = ("end", "raise")


class SingleEnv(gymnasium.Env[_Seen, np.int64]):
    """A Gymnasium environment in which the agent plays one seat (``wsim.env.single``).

    The ``info`` of ``reset`` and ``step`` contains ``action_mask`` (int8, 1: legal), ``decision`` (the kind of
    decision, -1: the game is over) and, at the end, the ``scores`` of all players. ``columns`` and ``actions`` contain
    the names of the observed values and of the actions.
    """

    metadata = {"render_modes": []}  # noqa: RUF012 (as in the base class)

    def __init__(
        self,
        plan: Plan | None,
        keys: Mapping[str, Any],
        seat: int,
        *,
        actions: str,
        reward: str,
        illegal: str,
        observations: str,
    ) -> None:
        resolved = chosen_plan(plan, keys)
        self.seat = checked_seat(seat, resolved.players)
        self._reward = REWARDS[validate_choice("reward", reward, REWARDS)]
        self._raises = validate_choice("illegal", illegal, ILLEGAL) == "raise"
        self._vector = GameVector(resolved, 1, (self.seat,), actions)
        self.columns, self.actions = self._vector.columns, self._vector.actions
        self._observations = Observations(observations, resolved, len(self.columns))
        self.observation_space = self._observations.box()
        self._actions = LegalDiscrete(len(self.actions))
        self.action_space = self._actions
        self._state = "not begun"

    @property
    def plan(self) -> Plan:
        """The plan of the games."""
        return self._vector.plan

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[_Seen, dict[str, Any]]:
        """Begin the first game of ``seed`` or, without a seed, the next game of the current seed."""
        self._check_open()
        super().reset(seed=seed, options=options)
        self._vector.begin(seed)
        self._state = "running"
        return self._observations.of(self._vector.seen[0]), self._info()

    def step(self, action: Any) -> tuple[_Seen, float, bool, bool, dict[str, Any]]:
        """Apply an action and play on until the agent's next decision or the end of the game."""
        self._check_open()
        if self._state != "running":
            raise UserError(f"{_WHY[self._state]}: call reset() to begin a game")
        vector = self._vector
        if not vector.is_legal(action):
            why = vector.illegal(action)
            if self._raises:
                raise UserError(why)
            self._state = "over"
            return self._observations.of(self._vector.seen[0]), -1.0, True, False, self._info() | {"illegal": why}
        vector.step(int(action))
        timestep = vector.timesteps[0]
        if not timestep.over:
            return self._observations.of(vector.seen[0]), 0.0, False, False, self._info()
        self._state = "over"
        info = self._info() | {"scores": [float(score) for score in timestep.score[: self.plan.players]]}
        seen = self._observations.of(vector.observe(self.seat))
        return seen, float(timestep[self._reward][self.seat]), True, False, info

    def action_masks(self) -> NDArray[np.bool_]:
        """Return the mask of legal actions, bool of shape (actions,), as required by MaskablePPO in sb3-contrib."""
        return np.array(self._vector.masks[0])

    def _info(self) -> dict[str, Any]:
        self._actions.legal = mask_of(self._vector.masks[0])
        return {"action_mask": self._actions.legal.copy(), "decision": int(self._vector.timesteps[0].kind)}

    def _check_open(self) -> None:
        if self._state == "closed":
            raise UserError("the environment is closed")

    def close(self) -> None:
        """Close the environment, which cannot be stepped afterwards."""
        self._state = "closed"
        super().close()


_WHY = {"not begun": "no game has begun", "over": "the game is over"}


class SeatVectorEnv(gymnasium.vector.VectorEnv[Any, Any, Any]):
    """A Gymnasium vector environment in which the agent plays one seat in each game (``wsim.env.singles``).

    When a game ends, the returned observation already belongs to the next game (Gymnasium's same-step autoreset), while
    the reward, ``terminations`` and ``infos["final_info"]["scores"]`` belong to the finished game. The scores are the
    points of all players, float64 of shape (games, players), valid where ``terminations`` is true. ``infos`` always
    contains ``action_mask``: int8, (games, actions).
    """

    def __init__(self, games: VectorEnv, seat: int, observations: str) -> None:
        self.metadata = {"render_modes": [], "autoreset_mode": gymnasium.vector.AutoresetMode.SAME_STEP}
        self._games, self.seat, self.num_envs = games, seat, games.games
        self.columns, self.actions = games.columns, games.actions
        self._observations = Observations(observations, games.plan, len(games.columns))
        self.single_observation_space = self._observations.box()
        self.single_action_space = gymnasium.spaces.Discrete(len(games.actions))
        self.observation_space = gymnasium.vector.utils.batch_space(self.single_observation_space, self.num_envs)
        self.action_space = gymnasium.vector.utils.batch_space(self.single_action_space, self.num_envs)
        self._masks = np.zeros((self.num_envs, len(games.actions)), np.bool_)

    @property
    def plan(self) -> Plan:
        return self._games.plan

    def reset(self, *, seed: Any = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:  # noqa: ARG002
        if isinstance(seed, list | tuple):
            raise UserError("give one seed, not one per game: the games of a seed are numbered")
        step = self._games.reset(seed)
        self._masks = step.masks.copy()
        return self._observations.of(step.observations), self._info()

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Apply one action in every game; an illegal action raises UserError and leaves all games unchanged."""
        step = self._games.step(actions)
        self._masks = step.masks.copy()
        ended = step.done.copy()
        rewards = step.rewards[:, self.seat].copy()
        info = self._info()
        if ended.any():
            info |= {"final_info": {"scores": self._games.scores}, "_final_info": ended.copy()}
        return self._observations.of(step.observations), rewards, ended, np.zeros_like(ended), info

    def action_masks(self) -> NDArray[np.bool_]:
        """Return the masks of legal actions, bool of shape (games, actions)."""
        return self._masks

    def _info(self) -> dict[str, Any]:
        return {"action_mask": mask_of(self._masks)}

    def close_extras(self, **_: Any) -> None:
        """Shut down the threads."""
        self._games.close()
