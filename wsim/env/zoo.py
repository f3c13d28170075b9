"""PettingZoo environments in which every seat is an agent (``player_0``, ``player_1``, ...)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from gymnasium.spaces import Box, Dict
from pettingzoo import AECEnv, ParallelEnv

from wsim.env.game_vector import REWARDS, GameVector, chosen_plan, validate_choice
from wsim.env.spaces import LegalDiscrete, counts_box, mask_of
from wsim.errors import UserError, nearest

if TYPE_CHECKING:
    from wsim.lab.plan import Plan

_Observation = dict[str, Any]


class _Seats:
    """State that both environments share: the current game, the spaces and the names of the agents."""

    def __init__(self, plan: Plan | None, keys: Mapping[str, Any], actions: str, reward: str) -> None:
        resolved = chosen_plan(plan, keys)
        self.reward = REWARDS[validate_choice("reward", reward, REWARDS)]
        self.vector = GameVector(resolved, 1, tuple(range(resolved.players)), actions)
        self.agents = [f"player_{seat}" for seat in range(resolved.players)]
        columns, count = len(self.vector.columns), len(self.vector.actions)
        masks = Box(0, 1, (count,), np.int8)
        self.actions = {agent: LegalDiscrete(count) for agent in self.agents}
        self.observations = {
            agent: Dict({"observation": counts_box(columns), "action_mask": masks}) for agent in self.agents
        }
        self.state = "not begun"

    def seat_of(self, agent: Any) -> int:
        """Return the seat of an agent; raise UserError for an unknown agent."""
        if agent not in self.agents:
            known = ", ".join(self.agents)
            raise UserError(f"there is no agent {agent!r}{nearest(str(agent), self.agents)}: the agents are {known}")
        return self.agents.index(agent)

    def begin(self, seed: int | None) -> None:
        """Begin the first game of ``seed`` or, without a seed, the next game of the current seed."""
        self.check_open()
        self.vector.begin(seed)
        self.state = "running"

    def check_open(self) -> None:
        """Raise UserError if the environment is closed."""
        if self.state == "closed":
            raise UserError("the environment is closed")

    def check_running(self) -> None:
        """Raise UserError unless a game is running."""
        self.check_open()
        if self.state != "running":
            why = "the game is over" if self.state == "over" else "no game has begun"
            raise UserError(f"{why}: call reset() to begin a game")

    def check_legal(self, agent: str, vector: GameVector, action: Any) -> None:
        """Raise UserError if an agent's action is illegal in the game of ``vector``."""
        if not vector.is_legal(action):
            raise UserError(f"{agent}: {vector.illegal(action)}")

    def seen_by(self, agent: str, vector: GameVector, decides: bool) -> _Observation:
        """Return an agent's observation with its action mask, and store the mask in its action space."""
        mask = mask_of(vector.masks[0]) if decides else np.zeros(len(self.vector.actions), np.int8)
        self.actions[agent].legal = mask
        return {"observation": vector.observe(self.seat_of(agent)), "action_mask": mask.copy()}

    def rewards(self) -> dict[str, float]:
        """Return the reward of each agent, which is 0 until the end of the game."""
        timestep = self.vector.timesteps[0]
        return {
            agent: float(timestep[self.reward][seat]) * float(timestep.over) for seat, agent in enumerate(self.agents)
        }


class _Agents:
    """The public attributes and methods that both environments share."""

    def __init__(self, plan: Plan | None, keys: Mapping[str, Any], actions: str, reward: str) -> None:
        super().__init__()
        self._seats = _Seats(plan, keys, actions, reward)
        self.possible_agents = list(self._seats.agents)
        self.columns, self.actions = self._seats.vector.columns, self._seats.vector.actions
        self.action_spaces, self.observation_spaces = self._seats.actions, self._seats.observations
        self.agents: list[str] = []

    @property
    def plan(self) -> Plan:
        """The plan of the games."""
        return self._seats.vector.plan

    def observation_space(self, agent: str) -> Dict:
        """Return the observation space of an agent."""
        return self.observation_spaces[self.possible_agents[self._seats.seat_of(agent)]]

    def action_space(self, agent: str) -> LegalDiscrete:
        """Return the action space of an agent."""
        return self.action_spaces[self.possible_agents[self._seats.seat_of(agent)]]

    def close(self) -> None:
        """Close the environment, which cannot be stepped afterwards."""
        self._seats.state = "closed"


class GameAEC(_Agents, AECEnv[str, _Observation, Any]):  # type: ignore[misc]
    """A PettingZoo environment in which agents act one after another (``wsim.env.aec``).

    An observation is ``{"observation": int16, "action_mask": int8}``; the mask is empty if it is another agent's turn.
    ``columns`` and ``actions`` contain the names of the observed values and of the actions.
    """

    metadata = {"name": "wsim_aec_v1", "render_modes": [], "is_parallelizable": False}  # noqa: RUF012

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:  # noqa: ARG002
        """Begin the first game of ``seed`` or, without a seed, the next game of the current seed."""
        self._seats.begin(seed)
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._select()

    def _select(self) -> None:
        """Select the agent that decides next."""
        seats = self._seats
        self.agent_selection = self.possible_agents[int(seats.vector.timesteps[0].seat)]
        seats.actions[self.agent_selection].legal = mask_of(seats.vector.masks[0])

    def observe(self, agent: str) -> _Observation:
        """Return an agent's observation and the mask of its legal actions."""
        seats = self._seats
        seats.check_open()
        seat = seats.seat_of(agent)
        return seats.seen_by(agent, seats.vector, int(seats.vector.timesteps[0].seat) == seat)

    def step(self, action: Any) -> None:
        """Apply the action of ``agent_selection``; after the end of the game, the action must be None."""
        seats = self._seats
        seats.check_running()
        agent = self.agent_selection
        if self.terminations[agent]:
            if action is not None:
                raise UserError(f"the game is over: the action of {agent} must be None")
            self._was_dead_step(action)
            seats.state = "running" if self.agents else "over"
            return
        seats.check_legal(agent, seats.vector, action)
        self._cumulative_rewards[agent] = 0.0
        seats.vector.step(int(action))
        self.rewards = seats.rewards()
        if seats.vector.timesteps[0].over:
            self.terminations = dict.fromkeys(self.agents, True)
        else:
            self._select()
        self._accumulate_rewards()


class GameParallel(_Agents, ParallelEnv[str, _Observation, Any]):  # type: ignore[misc]
    """A PettingZoo environment in which agents that choose at the same time act together (``wsim.env.parallel``).

    ``step`` needs an action for every agent with a non-empty mask; other agents may be omitted. ``columns`` and
    ``actions`` contain the names of the observed values and of the actions.
    """

    metadata = {"name": "wsim_parallel_v1", "render_modes": []}  # noqa: RUF012

    def reset(
        self,
        seed: int | None = None,
        options: dict[str, Any] | None = None,  # noqa: ARG002
    ) -> tuple[dict[str, _Observation], dict[str, dict[str, Any]]]:
        """Begin the first game of ``seed`` or, without a seed, the next game of the current seed."""
        self._seats.begin(seed)
        self.agents = list(self.possible_agents)
        return self._next_observations(), {agent: {} for agent in self.agents}

    def _next_observations(self) -> dict[str, _Observation]:
        """Determine which agents act in the next step, and return the observations of all agents.

        To detect agents that choose at the same time, the method makes choices in a copy of the game: the choice of one
        agent does not affect the observation of another.
        """
        seats = self._seats
        self._deciding: dict[int, GameVector] = {}
        vector = seats.vector.clone()
        first = vector.timesteps[0].moment
        while True:
            timestep = vector.timesteps[0]
            if (
                timestep.over
                or timestep.seat in self._deciding
                or (self._deciding and (first < 0 or timestep.moment != first))
            ):
                break
            self._deciding[int(timestep.seat)] = vector
            if first < 0:
                break
            vector = vector.clone()
            vector.step(int(vector.masks[0].argmax()))
        observations = {}
        for seat, agent in enumerate(self.possible_agents):
            observations[agent] = seats.seen_by(agent, self._deciding.get(seat, seats.vector), seat in self._deciding)
        return observations

    def step(
        self, actions: Mapping[str, Any]
    ) -> tuple[dict[str, _Observation], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]]:
        """Apply the actions of all agents that have a decision to make."""
        seats = self._seats
        seats.check_running()
        if not isinstance(actions, Mapping):
            raise UserError(f"actions must be a mapping of agents to actions, not {actions!r}")
        for agent in actions:
            seats.seat_of(agent)
        for seat, vector in self._deciding.items():
            agent = self.possible_agents[seat]
            if agent not in actions:
                raise UserError(f"{agent} must act, but no action was given")
            seats.check_legal(agent, vector, actions[agent])
        for seat in self._deciding:
            assert int(seats.vector.timesteps[0].seat) == seat
            seats.vector.step(int(actions[self.possible_agents[seat]]))
        over = bool(seats.vector.timesteps[0].over)
        if over:
            seats.state = "over"
        agents, seen = self.possible_agents, self._next_observations()
        self.agents = [] if over else list(agents)
        ended = dict.fromkeys(agents, over)
        return seen, seats.rewards(), ended, dict.fromkeys(agents, False), {agent: {} for agent in agents}
