"""A game with the interface of OpenSpiel's Python games: states, chance, information states. Needs no OpenSpiel."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from wsim.env.game_vector import REWARDS, GameVector, checked_seat, checked_word, chosen_plan
from wsim.errors import UserError
from wsim.game import find_game
from wsim.kernels.commands import LOOK, OBSERVE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from wsim.lab.plan import Plan
    from wsim.position import Position

CHANCE, TERMINAL = -1, -4
"""In place of a player, as in OpenSpiel (``pyspiel.PlayerId``)."""
MOST_DEALS = 1 << 24


@dataclass(frozen=True)
class SpielType:
    """What kind of game it is: the fields of ``pyspiel.GameType``.

    What are enumerations there is theirs where pyspiel has been imported, otherwise the name of the value.
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


def _of_spiel(group: str, name: str) -> Any:
    """Return a value of an enumeration of pyspiel's, where that has been imported."""
    pyspiel = sys.modules.get("pyspiel")
    return name if pyspiel is None else getattr(getattr(pyspiel.GameType, group), name)


class SpielGame:
    """A game for algorithms that take OpenSpiel's interface (``wsim.env.spiel``).

    ``actions`` names the actions. Players are asked where they have more than one legal move. Where players choose at
    the same time, they are asked one after the other, and no information state tells what another chose.
    """

    def __init__(
        self, plan: Plan | None, keys: Mapping[str, Any], deals: int | None, actions: str, reward: str
    ) -> None:
        self.plan, self.deals = chosen_plan(plan, keys), deals
        if deals is not None and (type(deals) is not int or not 1 <= deals <= MOST_DEALS):
            raise UserError(f"deals are a whole number from 1 to {MOST_DEALS:,}, or None, not {deals!r}")
        self._reward = checked_word("reward", reward, REWARDS)
        self._vector = GameVector(self.plan, 1, tuple(range(self.plan.players)), actions)
        self._simulator = find_game(self.plan.game).prepare(self.plan)
        self.actions = self._vector.actions
        self.columns = self._vector.columns
        self.all_columns = self._simulator.begin(0).columns()
        self._drawn = 0  # deals that chance has drawn

    def new_initial_state(self) -> SpielState:
        """Return the state before the deal: chance decides."""
        return SpielState(self)

    def draw(self, outcome: int) -> int:
        """Return the number of the deal that an outcome of the chance node is."""
        if self.deals is not None:
            return outcome
        self._drawn += 1
        return self._drawn - 1

    def num_players(self) -> int:
        """Return how many play."""
        return self.plan.players

    def num_distinct_actions(self) -> int:
        """Return how many actions there are, legal or not."""
        return len(self.actions)

    def max_chance_outcomes(self) -> int:
        """Return how many outcomes the chance node has."""
        return 1 if self.deals is None else self.deals

    def max_game_length(self) -> int:
        """Return a bound on the decisions of a game."""
        return self._simulator.picks_per_game

    def max_chance_nodes_in_history(self) -> int:
        """Return how often chance decides: once, for it deals all ages before they are seen."""
        return 1

    def min_utility(self) -> float:
        """Return the least that a player can get; of points no close bound is known."""
        return 0.0 if self._reward == "win" else float(np.iinfo(np.int16).min)

    def max_utility(self) -> float:
        """Return the most that a player can get."""
        return 1.0 if self._reward == "win" else float(np.iinfo(np.int16).max)

    def utility_sum(self) -> float | None:
        """Return what the returns add up to: of shares of the victory 1 (2 in teams of two), None for points."""
        return self._sum if self._reward == "win" else None

    @cached_property
    def _sum(self) -> float:
        """The sum of the returns of some game."""
        state = self.new_initial_state()
        state.deal(0)
        while not state.is_terminal():
            state.apply_action(state.legal_actions()[0])
        return sum(state.returns())

    def information_state_tensor_shape(self) -> list[int]:
        """Return the shape of an information state: one number for each of ``all_columns``."""
        return [len(self.all_columns)]

    def information_state_tensor_size(self) -> int:
        """Return the size of an information state."""
        return len(self.all_columns)

    def observation_tensor_shape(self) -> list[int]:
        """Return the shape of an observation: one number for each of ``columns``."""
        return [len(self.columns)]

    def observation_tensor_size(self) -> int:
        """Return the size of an observation."""
        return len(self.columns)

    def get_parameters(self) -> dict[str, Any]:
        """Return the plan as keys."""
        return self.plan.as_dict()

    def get_type(self) -> SpielType:
        """Return what kind of game it is: chance is sampled, or explicit where ``deals`` are given."""
        players = self.plan.players
        return SpielType(
            f"wsim_{self.plan.game}", f"{find_game(self.plan.game).TITLE}, {self.plan.ruleset}, {players} players",
            _of_spiel("ChanceMode", "SAMPLED_STOCHASTIC" if self.deals is None else "EXPLICIT_STOCHASTIC"),
            _of_spiel("Utility", "CONSTANT_SUM" if self._reward == "win" else "GENERAL_SUM"),
            _of_spiel("Dynamics", "SEQUENTIAL"),
            _of_spiel("Information", "IMPERFECT_INFORMATION"),
            _of_spiel("RewardModel", "TERMINAL"),
            players, players,
        )  # fmt: skip

    def deserialize_state(self, text: str) -> SpielState:
        """Return the state that ``serialize`` wrote; UserError for what is none of this game."""
        try:
            numbers = [int(one) for one in text.split()]
        except ValueError:
            raise UserError(
                f"{text[:40]!r} is no state of a game: it is the number of the deal and the actions"
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
    """A state: before the deal, at a decision, or over (``SpielGame.new_initial_state``)."""

    def __init__(self, game: SpielGame) -> None:
        self._game, self._vector = game, game._vector.clone()  # noqa: SLF001 (of this module)
        self._deal: int | None = None
        self._history: list[int] = []
        self._own: list[list[int]] = [[] for _ in range(game.num_players())]  # actions
        self._past = [b""] * game.num_players()  # digests of what each player knew whenever it decided, and did

    def get_game(self) -> SpielGame:
        """Return the game."""
        return self._game

    def num_players(self) -> int:
        """Return how many play."""
        return self._game.num_players()

    def num_distinct_actions(self) -> int:
        """Return how many actions there are, legal or not."""
        return self._game.num_distinct_actions()

    # --- whose turn

    def current_player(self) -> int:
        """Return who decides: a player, -1 (chance), -4 (nobody, it is over)."""
        if self._deal is None:
            return CHANCE
        timestep = self._vector.timesteps[0]
        return TERMINAL if timestep.over else int(timestep.seat)

    def is_terminal(self) -> bool:
        """Say whether the game is over."""
        return self.current_player() == TERMINAL

    def is_chance_node(self) -> bool:
        """Say whether chance decides."""
        return self._deal is None

    def is_player_node(self) -> bool:
        """Say whether a player decides."""
        return self.current_player() >= 0

    def is_simultaneous_node(self) -> bool:
        """Say whether several decide in one step: never."""
        return False

    def is_initial_state(self) -> bool:
        """Say whether nothing has happened."""
        return self._deal is None

    def move_number(self) -> int:
        """Return how many actions have been carried out, those of chance too."""
        return len(self._history)

    # --- actions

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the outcomes of the chance node with their probabilities; one, if the deal is sampled."""
        if self._deal is not None:
            raise UserError("chance does not decide here: it deals once, before anybody moves")
        count = self._game.max_chance_outcomes()
        return [(outcome, 1.0 / count) for outcome in range(count)]

    def legal_chance_outcomes(self) -> list[int]:
        """Return the outcomes of the chance node."""
        return [outcome for outcome, _ in self.chance_outcomes()]

    def legal_actions(self, player: int | None = None) -> list[int]:
        """Return the legal actions of who decides, in order; none for another player."""
        if self._deal is None:
            return self.legal_chance_outcomes() if player in (None, CHANCE) else []
        return [int(action) for action in np.flatnonzero(self.legal_actions_mask(player))]

    def legal_actions_mask(self, player: int | None = None) -> list[int]:
        """Return 1 for each action that is legal for who decides, else 0; all 0 for another player."""
        if self._deal is None or player not in (None, self.current_player()):
            return [0] * len(self._game.actions)
        return [int(one) for one in self._vector.masks[0]]

    def apply_action(self, action: int) -> None:
        """Carry out an action and run on to the next decision that is one; at the chance node, deal.

        Raises UserError, and changes nothing, for an action that is not legal.
        """
        player = self.current_player()
        if player == TERMINAL:
            raise UserError("the game is over: no action can be carried out")
        if player == CHANCE:
            if action not in range(self._game.max_chance_outcomes()):
                most = self._game.max_chance_outcomes() - 1
                raise UserError(f"there is no outcome {action!r} of chance: they go from 0 to {most}")
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
        """Deal game ``number`` of the plan's seed."""
        self._vector.begin(None, first=number)
        self._deal = number
        self._history.append(number)

    def child(self, action: int) -> Self:
        """Return the state after an action; this one stays."""
        other = self.clone()
        other.apply_action(action)
        return other

    def clone(self) -> Self:
        """Return a copy that goes on by itself."""
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        other._vector = self._vector.clone()
        other._history, other._past = list(self._history), list(self._past)
        other._own = [list(own) for own in self._own]
        return other

    def __deepcopy__(self, _: Any) -> Self:
        return self.clone()

    def action_to_string(self, player: int, action: int | None = None) -> str:
        """Return the name of an action: ``build:Altar``; of chance: ``deal 3``."""
        if action is None:
            player, action = self.current_player(), player
        return f"deal {action}" if player == CHANCE else self._game.actions[action]

    def history(self) -> list[int]:
        """Return all actions so far, the outcome of chance first."""
        return list(self._history)

    def history_str(self) -> str:
        """Return all actions so far as text."""
        return ", ".join(map(str, self._history))

    def full_history(self) -> list[tuple[int, int]]:
        """Return player and action of every step so far."""
        again, found = self._game.new_initial_state(), []
        for place, action in enumerate(self._history):
            found.append((again.current_player(), action))
            if place == 0 and self._deal is not None:
                again.deal(self._deal)
            else:
                again.apply_action(action)
        return found

    def serialize(self) -> str:
        """Return the state as text, the deal included: the number of the deal and the actions."""
        numbers = [] if self._deal is None else [self._deal, *self._history[1:]]
        return "\n".join(map(str, numbers))

    # --- what it is worth

    def returns(self) -> list[float]:
        """Return what every player gets: 0 until the end."""
        players = self._game.num_players()
        if not self.is_terminal():
            return [0.0] * players
        timestep = self._vector.timesteps[0]
        return [float(one) for one in timestep[REWARDS[self._game._reward]][:players]]  # noqa: SLF001

    def rewards(self) -> list[float]:
        """Return what every player got in the last step."""
        return self.returns()

    def player_return(self, player: int) -> float:
        """Return what a player gets."""
        return self.returns()[checked_seat(player, self.num_players())]

    def player_reward(self, player: int) -> float:
        """Return what a player got in the last step."""
        return self.player_return(player)

    # --- what a player knows

    def information_state_string(self, player: int | None = None) -> str:
        """Return all that a player knows and did, as JSON; equal where it cannot tell two states apart.

        ``knows`` is what it may know now, as traces tell it, ``did`` its actions, and ``past`` a digest of what it knew
        whenever it decided, so that nothing is forgotten.
        """
        who = self._who(player)
        did = [self._game.actions[action] for action in self._own[who]]
        said = {"player": who, "past": self._past[who].hex(), "did": did, "knows": self._position().view(who)}
        return json.dumps(said, ensure_ascii=False)

    def information_state_tensor(self, player: int | None = None) -> NDArray[np.float32]:
        """Return what a player may know, with the history of the turns: float32, one for each of ``all_columns``."""
        return self._seen(self._who(player), len(self._game.all_columns))

    def observation_string(self, player: int | None = None) -> str:
        """Return what a player sees now, as text for people."""
        return "\n".join(line.rstrip() for line in self._position().text(self._who(player)))

    def observation_tensor(self, player: int | None = None) -> NDArray[np.float32]:
        """Return what a player sees now, without the history: float32, one for each of ``columns``."""
        return self._seen(self._who(player), len(self._game.columns))

    def resample_from_infostate(self, player: int, sampler: Any = None) -> Self:
        """Return a copy in which all that the player who decides cannot know is drawn anew, as likely as it is to it.

        ``sampler`` returns numbers from 0 to 1, as OpenSpiel's do; without one the draws are always the same ones. The
        copy can be played on, but not written (``serialize``): its hands are of no deal.
        """
        if self._who(player) != self.current_player():
            raise UserError(f"player {player} does not decide here: what only the one who decides cannot know is drawn")
        seed = int((0.5 if sampler is None else sampler()) * (1 << 52))
        other = self.clone()
        position: Any = self._position().redrawn(player, seed)
        other._vector.states[0] = position.words  # noqa: SLF001 (of this class)
        return other

    def _who(self, player: int | None) -> int:
        if self._deal is None:
            raise UserError("nobody knows anything before the deal: apply an outcome of chance first")
        return checked_seat(self.current_player() if player is None else player, self.num_players())

    def _seen(self, player: int, size: int) -> NDArray[np.float32]:
        seen = np.zeros(size, np.int16)
        self._vector.machine.run(self._vector.states[0], OBSERVE, 0, player, seen=seen)
        return seen.astype(np.float32)

    def _position(self) -> Position:
        """Return the game as a position."""
        position: Any = self._game._simulator.begin(0)  # noqa: SLF001
        position.words = self._vector.states[0].copy()
        position.refresh(LOOK)
        return position  # type: ignore[no-any-return]

    def __str__(self) -> str:
        if self._deal is None:
            return "before the deal"
        return "\n".join(f"{seat}: {self.observation_string(seat)}" for seat in range(self.num_players()))

    def __repr__(self) -> str:
        return f"<wsim.env.SpielState player {self.current_player()}, {len(self._history)} actions>"
