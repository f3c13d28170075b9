"""A game as an environment of Gymnasium: one seat is the agent's, the line-up plays the others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from wsim.env.spaces import LegalDiscrete, mask_of, observation_box
from wsim.env.tables import REWARDS, Tables, checked_seat, checked_word, chosen_plan
from wsim.errors import UserError

if TYPE_CHECKING:
    from wsim.lab.plan import Plan

__all__ = ["SingleEnv"]

_Seen = NDArray[np.int16]
ILLEGAL = ("end", "raise")


class SingleEnv(gymnasium.Env[_Seen, np.int64]):
    """One seat of a game (``wsim.env.single``).

    ``info`` of ``reset`` and ``step`` has ``action_mask`` (int8, 1: legal), ``decision`` (its kind, -1: over), and at
    the end ``scores`` of all players. ``columns`` and ``actions`` name the numbers of an observation and the actions.
    """

    metadata = {"render_modes": []}  # noqa: RUF012 (so is it in the base class)

    def __init__(
        self, plan: Plan | None, keys: Mapping[str, Any], seat: int, actions: str, reward: str, illegal: str
    ) -> None:
        chosen = chosen_plan(plan, keys)
        self.seat = checked_seat(seat, chosen.players)
        self._reward = REWARDS[checked_word("reward", reward, REWARDS)]
        self._raises = checked_word("illegal", illegal, ILLEGAL) == "raise"
        self._tables = Tables(chosen, 1, (self.seat,), actions)
        self.columns, self.actions = self._tables.columns, self._tables.actions
        self.observation_space = observation_box(len(self.columns))
        self._actions = LegalDiscrete(len(self.actions))
        self.action_space = self._actions
        self._state = "not begun"

    @property
    def plan(self) -> Plan:
        """What is played."""
        return self._tables.plan

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[_Seen, dict[str, Any]]:
        """Begin a game: with a seed its first one, without one the next."""
        self._check_open()
        super().reset(seed=seed, options=options)
        self._tables.begin(seed)
        self._state = "running"
        return self._tables.seen[0].copy(), self._info()

    def step(self, action: Any) -> tuple[_Seen, float, bool, bool, dict[str, Any]]:
        """Carry out an action and play on to the agent's next decision or the end."""
        self._check_open()
        if self._state != "running":
            raise UserError(f"{_WHY[self._state]}: reset() begins a game")
        tables = self._tables
        if not tables.is_legal(action):
            return self._refused(tables.illegal(action))
        tables.step(int(action))
        desk = tables.desks[0]
        if not desk.over:
            return tables.seen[0].copy(), 0.0, False, False, self._info()
        self._state = "over"
        info = self._info() | {"scores": [float(score) for score in desk.score[: self.plan.players]]}
        return tables.observe(self.seat), float(desk[self._reward][self.seat]), True, False, info

    def _refused(self, why: str) -> tuple[_Seen, float, bool, bool, dict[str, Any]]:
        """End the game after an illegal action, or raise UserError."""
        if self._raises:
            raise UserError(why)
        self._state = "over"
        return self._tables.seen[0].copy(), -1.0, True, False, self._info() | {"illegal": why}

    def _info(self) -> dict[str, Any]:
        self._actions.legal = mask_of(self._tables.masks[0])
        return {"action_mask": self._actions.legal.copy(), "decision": int(self._tables.desks[0].kind)}

    def _check_open(self) -> None:
        if self._state == "closed":
            raise UserError("the environment is closed")

    def close(self) -> None:
        """Close the environment: nothing can be stepped any more."""
        self._state = "closed"
        super().close()


_WHY = {"not begun": "no game has begun", "over": "the game is over"}
