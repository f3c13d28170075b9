"""Games with the interface of OpenSpiel's Python games: states, chance, information states. OpenSpiel is not needed."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from wsim.env.game_vector import REWARDS, GameVector, checked_seat, chosen_plan, validate_choice
from wsim.errors import UserError
from wsim.game import find_game

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from wsim.lab.plan import Plan
    from wsim.position import Position

CHANCE, TERMINAL = -1, -4
"""The player ids for chance nodes and finished games, as in OpenSpiel (``pyspiel.PlayerId``)."""
MAX_DEALS = 1 << 24


@dataclass(frozen=True)
class SpielType:
    """The properties of a game, with the same fields as ``pyspiel.GameType``.

    Enumeration values are those of pyspiel if it has been imported, otherwise their names.
    """

    short_name: str
    long_name: str
    chance_mode: Any
    utility: Any
    dynamics: Any
    information: Any
    reward_model: Any
    max_num_players: int
    min_num_players: int
    provides_information_state_string: bool = True
    provides_information_state_tensor: bool = True
    provides_observation_string: bool = True
    provides_observation_tensor: bool = True
    provides_factored_observation_string: bool = False
    default_loadable: bool = False


def _enum_value(group: str, name: str) -> Any:
    """Return a member of a pyspiel enumeration if pyspiel has been imported, otherwise the member's name."""
    pyspiel = sys.modules.get("pyspiel")
    return name if pyspiel is None else getattr(getattr(pyspiel.GameType, group), name)


class SpielGame:
    """A game for algorithms that use OpenSpiel's interface (``wsim.env.spiel``).

    ``actions`` contains the names of the actions. A player decides only if it has several legal moves. Players who
    choose at the same time decide one after another, and no information state reveals the choices of the others.
    """

    def __init__(
        self, plan: Plan | None, keys: Mapping[str, Any], deals: int | None, actions: str, reward: str
    ) -> None:
        self.plan, self.deals = chosen_plan(plan, keys), deals
        if deals is not None and (type(deals) is not int or not 1 <= deals <= MAX_DEALS):
            raise UserError(f"deals must be a whole number from 1 to {MAX_DEALS:,}, or None, not {deals!r}")
        self._reward = validate_choice("reward", reward, REWARDS)
        self._vector = GameVector(self.plan, 1, tuple(range(self.plan.players)), actions)
        self._simulator = find_game(self.plan.game).prepare(self.plan)
        self.actions = self._vector.actions
        self.columns = self._vector.columns
        self.all_columns = self._simulator.begin(0).columns()
        self._drawn = 0  # number of deals drawn so far

    def new_initial_state(self) -> SpielState:
        """Return the state before the deal, at the chance node."""
        return SpielState(self)

    def draw(self, outcome: int) -> int:
        """Return the deal number for an outcome of the chance node; if deals are sampled, the next deal of the seed."""
        if self.deals is not None:
            return outcome
        self._drawn += 1
        return self._drawn - 1

    def num_players(self) -> int:
        return self.plan.players

    def num_distinct_actions(self) -> int:
        return len(self.actions)

    def max_chance_outcomes(self) -> int:
        return 1 if self.deals is None else self.deals

    def max_game_length(self) -> int:
        """Return an upper bound on the number of decisions in a game."""
        return self._simulator.picks_per_game

    def max_chance_nodes_in_history(self) -> int:
        """Return 1, because all ages are dealt at a single chance node."""
        return 1

    def min_utility(self) -> float:
        """Return a lower bound on a player's return; for points, it is not tight."""
        return 0.0 if self._reward == "win" else float(np.iinfo(np.int16).min)

    def max_utility(self) -> float:
        return 1.0 if self._reward == "win" else float(np.iinfo(np.int16).max)

    def utility_sum(self) -> float | None:
        """Return the sum of all players' returns: 1 for win shares (2 in teams of two), None for points."""
        return self._sum if self._reward == "win" else None

    @cached_property
    def _sum(self) -> float:
        state = self.new_initial_state()
        state.deal(0)
        while not state.is_terminal():
            state.apply_action(state.legal_actions()[0])
        return sum(state.returns())

    def information_state_tensor_shape(self) -> list[int]:
        """Return the shape of an information state tensor: one value per column in ``all_columns``."""
        return [len(self.all_columns)]

    def information_state_tensor_size(self) -> int:
        return len(self.all_columns)

    def observation_tensor_shape(self) -> list[int]:
        """Return the shape of an observation tensor: one value per column in ``columns``."""
        return [len(self.columns)]

    def observation_tensor_size(self) -> int:
        return len(self.columns)

    def get_parameters(self) -> dict[str, Any]:
        return self.plan.as_dict()

    def get_type(self) -> SpielType:
        """Return the properties of the game; chance is explicit if ``deals`` is given, otherwise sampled."""
        players = self.plan.players
        return SpielType(
            f"wsim_{self.plan.game}", f"{find_game(self.plan.game).TITLE}, {self.plan.ruleset}, {players} players",
            _enum_value("ChanceMode", "SAMPLED_STOCHASTIC" if self.deals is None else "EXPLICIT_STOCHASTIC"),
            _enum_value("Utility", "CONSTANT_SUM" if self._reward == "win" else "GENERAL_SUM"),
            _enum_value("Dynamics", "SEQUENTIAL"),
            _enum_value("Information", "IMPERFECT_INFORMATION"),
            _enum_value("RewardModel", "TERMINAL"),
            players, players,
        )  # fmt: skip

    def deserialize_state(self, text: str) -> SpielState:
        """Rebuild a state from the result of ``serialize``; raise UserError for an invalid string."""
        try:
            numbers = [int(word) for word in text.split()]
        except ValueError:
            raise UserError(
                f"{text[:40]!r} is not a state: it must be the number of the deal, then the actions"
            ) from None
        state = self.new_initial_state()
        if numbers:
            state.deal(numbers[0])
        for action in numbers[1:]:
            state.apply_action(action)
        return state

    def __repr__(self) -> str:
        return (
            f"<wsim.env.SpielGame {self.plan.ruleset}, {self.plan.players} players, deals: {self.deals or 'sampled'}>"
        )


class SpielState:
    """A state of a game: before the deal, at a decision, or at the end (``SpielGame.new_initial_state``)."""

    def __init__(self, game: SpielGame) -> None:
        self._game, self._vector = game, game._vector.clone()  # noqa: SLF001 (of this module)
        self._deal: int | None = None
        self._history: list[int] = []
        self._own: list[list[int]] = [[] for _ in range(game.num_players())]  # actions
        self._past = [b""] * game.num_players()  # digests of the view and action at each player's decisions

    def get_game(self) -> SpielGame:
        return self._game

    def num_players(self) -> int:
        return self._game.num_players()

    def num_distinct_actions(self) -> int:
        return self._game.num_distinct_actions()

    # --- turns

    def current_player(self) -> int:
        """Return the deciding player, -1 for chance, or -4 if the state is terminal."""
        if self._deal is None:
            return CHANCE
        timestep = self._vector.timesteps[0]
        return TERMINAL if timestep.over else int(timestep.seat)

    def is_terminal(self) -> bool:
        return self.current_player() == TERMINAL

    def is_chance_node(self) -> bool:
        return self._deal is None

    def is_player_node(self) -> bool:
        return self.current_player() >= 0

    def is_simultaneous_node(self) -> bool:
        """Return False, because players never decide in the same step."""
        return False

    def is_initial_state(self) -> bool:
        return self._deal is None

    def move_number(self) -> int:
        return len(self._history)

    # --- actions

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the outcomes of the chance node with their probabilities; a single outcome if deals are sampled."""
        if self._deal is not None:
            raise UserError("chance does not decide here: it deals once, before the first move")
        count = self._game.max_chance_outcomes()
        return [(outcome, 1.0 / count) for outcome in range(count)]

    def legal_chance_outcomes(self) -> list[int]:
        return [outcome for outcome, _ in self.chance_outcomes()]

    def legal_actions(self, player: int | None = None) -> list[int]:
        """Return the legal actions of the deciding player in ascending order; empty for any other player."""
        if self._deal is None:
            return self.legal_chance_outcomes() if player in (None, CHANCE) else []
        return [int(action) for action in np.flatnonzero(self.legal_actions_mask(player))]

    def legal_actions_mask(self, player: int | None = None) -> list[int]:
        """Return a list with 1 for each legal action of the deciding player, else 0; all 0 for any other player."""
        if self._deal is None or player not in (None, self.current_player()):
            return [0] * len(self._game.actions)
        return [int(legal) for legal in self._vector.masks[0]]

    def apply_action(self, action: int) -> None:
        """Apply an action and advance to the next real decision; at the chance node, deal.

        An illegal action raises UserError and leaves the state unchanged.
        """
        player = self.current_player()
        if player == TERMINAL:
            raise UserError("the game is over: no action can be applied")
        if player == CHANCE:
            if action not in range(self._game.max_chance_outcomes()):
                most = self._game.max_chance_outcomes() - 1
                raise UserError(f"chance outcome {action!r} does not exist: outcomes are numbered 0 to {most}")
            self.deal(self._game.draw(int(action)))
            self._history[-1] = int(action)
            return
        vector = self._vector
        if not vector.is_legal(action):
            raise UserError(vector.illegal(action))
        known = self._past[player] + vector.seen[0].tobytes() + int(action).to_bytes(4, "little")
        self._past[player] = blake2b(known, digest_size=8).digest()
        self._own[player].append(int(action))
        self._history.append(int(action))
        vector.step(int(action))

    def deal(self, number: int) -> None:
        """Deal the game with this number in the plan's seed."""
        self._vector.begin(None, first=number)
        self._deal = number
        self._history.append(number)

    def child(self, action: int) -> Self:
        """Return the state after an action. Does not modify this state."""
        copy = self.clone()
        copy.apply_action(action)
        return copy

    def clone(self) -> Self:
        copy = object.__new__(type(self))
        copy.__dict__.update(self.__dict__)
        copy._vector = self._vector.clone()
        copy._history, copy._past = list(self._history), list(self._past)
        copy._own = [list(own) for own in self._own]
        return copy

    def __deepcopy__(self, _: Any) -> Self:
        return self.clone()

    def action_to_string(self, player: int, action: int | None = None) -> str:
        """Return the name of an action, such as ``build:Altar``, or of a chance outcome, such as ``deal 3``."""
        if action is None:
            player, action = self.current_player(), player
        return f"deal {action}" if player == CHANCE else self._game.actions[action]

    def history(self) -> list[int]:
        """Return all actions so far, starting with the chance outcome."""
        return list(self._history)

    def history_str(self) -> str:
        """Return all actions so far as a string."""
        return ", ".join(map(str, self._history))

    def full_history(self) -> list[tuple[int, int]]:
        """Return the player and action at every step so far."""
        state, steps = self._game.new_initial_state(), []
        for number, action in enumerate(self._history):
            steps.append((state.current_player(), action))
            if number == 0 and self._deal is not None:
                state.deal(self._deal)
            else:
                state.apply_action(action)
        return steps

    def serialize(self) -> str:
        """Return the state as a string: the number of the deal, then the actions."""
        numbers = [] if self._deal is None else [self._deal, *self._history[1:]]
        return "\n".join(map(str, numbers))

    # --- returns

    def returns(self) -> list[float]:
        """Return each player's return, which is 0 until the end of the game."""
        players = self._game.num_players()
        if not self.is_terminal():
            return [0.0] * players
        timestep = self._vector.timesteps[0]
        return [float(value) for value in timestep[REWARDS[self._game._reward]][:players]]  # noqa: SLF001

    def rewards(self) -> list[float]:
        return self.returns()

    def player_return(self, player: int) -> float:
        return self.returns()[checked_seat(player, self.num_players())]

    def player_reward(self, player: int) -> float:
        return self.player_return(player)

    # --- knowledge of a player

    def information_state_string(self, player: int | None = None) -> str:
        """Return a player's knowledge and actions as JSON; equal for all states that the player cannot distinguish.

        ``knows`` is the player's current view, in the vocabulary of traces; ``did`` lists the player's actions;
        ``past`` is a digest of the player's views at all earlier decisions (perfect recall).
        """
        seat = self._checked_player(player)
        did = [self._game.actions[action] for action in self._own[seat]]
        fields = {"player": seat, "past": self._past[seat].hex(), "did": did, "knows": self._position().view(seat)}
        return json.dumps(fields, ensure_ascii=False)

    def information_state_tensor(self, player: int | None = None) -> NDArray[np.float32]:
        """Return a player's view with the history of turns as float32, one value per column in ``all_columns``."""
        return self._view_of(self._checked_player(player), len(self._game.all_columns))

    def observation_string(self, player: int | None = None) -> str:
        """Return a player's current view as readable text."""
        seat = self._checked_player(player)
        return "\n".join(line.rstrip() for line in self._position().text(seat))

    def observation_tensor(self, player: int | None = None) -> NDArray[np.float32]:
        """Return a player's current view without history as float32, one value per column in ``columns``."""
        return self._view_of(self._checked_player(player), len(self._game.columns))

    def resample_from_infostate(self, player: int, sampler: Any = None) -> Self:
        """Return a copy in which all information hidden from the deciding player is resampled, given its view.

        ``sampler`` returns numbers from 0 to 1, as in OpenSpiel; without it, the result is deterministic. The copy can
        be played on but not serialised (``serialize``), because its hands do not belong to any deal.
        """
        if self._checked_player(player) != self.current_player():
            raise UserError(
                f"player {player} does not decide here: what is unknown can be resampled only for the deciding player"
            )
        seed = int((0.5 if sampler is None else sampler()) * (1 << 52))
        copy = self.clone()
        position: Any = self._position().redrawn(player, seed)
        copy._vector.set_position(position)  # noqa: SLF001 (of this class)
        return copy

    def _checked_player(self, player: int | None) -> int:
        if self._deal is None:
            raise UserError("no observation is available before the deal: apply an outcome of chance first")
        return checked_seat(self.current_player() if player is None else player, self.num_players())

    def _view_of(self, player: int, size: int) -> NDArray[np.float32]:
        return self._vector.seen_by(player, size).astype(np.float32)

    def _position(self) -> Position:
        return self._vector.position(self._game._simulator)  # noqa: SLF001

    def __str__(self) -> str:
        if self._deal is None:
            return "before the deal"
        return "\n".join(f"{seat}: {self.observation_string(seat)}" for seat in range(self.num_players()))

    def __repr__(self) -> str:
        return f"<wsim.env.SpielState player {self.current_player()}, {len(self._history)} actions>"
