"""What a game hands in so that its players learn: the kernel that writes what its net sees, and its learning plan."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from wsim.errors import UserError
from wsim.game import GAMES, find_game
from wsim.kernels.searching import LEAD, WINNING
from wsim.learn.fitting import Arrays, Batch, Decisions, Layers, fit, fresh_arrays
from wsim.learn.fitting_settings import Fitting
from wsim.policies.nets import LearnedNet, NetSpec
from wsim.positions.machine import Argument, Machine

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from wsim.policies.registry import PolicySet


class Describer:
    """Room for what a net sees of one decision; it is of the thread that made it.

    Parameters
    ----------
    learner: of the game. machine: of the plan that is played.
    settings: the SETTINGS record by whose weights ``weighted`` values moves, and by whose net they are worth something.
    """

    def __init__(self, learner: Learner, machine: Machine, settings: Any) -> None:
        self._describe, self._rules, self._settings = learner.describe, machine.rules, Argument.of(settings)
        game = machine.workspace()[0]
        self._line_up, self._answer = machine.line_up, game.answer
        self._public, self._choice = Argument.of(game.public), Argument.of(game.choice)
        self._owns = [Argument.of(game.own[seat]) for seat in range(machine.game["own"].shape[0])]
        self._state, self._moves = np.zeros(1, learner.state), np.zeros(learner.candidates, learner.move)
        self._places = np.zeros(learner.candidates, np.int64)

    def __call__(self, position: Any) -> tuple[NDArray[Any], NDArray[Any], list[int]]:
        """Return the record of the decision at hand, those of its moves, and the moves' indices.

        A move is worth what the net of the settings says, 0 where they have none. The position must be what its machine
        looked at last.
        """
        own = self._owns[position.to_move]
        with self._line_up.answering(self._answer):
            count = int(
                self._describe(
                    *(self._public, own, self._choice, self._rules, self._settings),
                    *(self._state.view(np.recarray)[0], self._moves.view(np.recarray), self._places),
                )
            )
        return self._state[0:1].copy().reshape(()), self._moves[:count].copy(), self._places[:count].tolist()


@dataclass(frozen=True)
class Learner:
    """A game with kernels whose policy ``net`` learns; where its net has items, or it has teams, a subclass.

    Attributes
    ----------
    policies: its registry.
    describe: the entry point ``wsim.kernels.net_layers.Net.describe``. candidates: moves that it may list.
    state, move: dtypes of what it writes: a decision with how many ``moves`` it has, and a move with its ``worth``.
    plan: the learning plan of the net that comes with the game.
    decisions_of_game, decisions_of_seat: about how many decisions a game has, those without a choice included, and how
        many more for each player.
    inputs: array of the first layer -> how many of its inputs are not 0, about.
    value: the place of what ``weighted`` says among the numbers of a move. weights: the set that it says it by.
    """

    policy: ClassVar[str] = "net"
    layers: ClassVar[type[Layers]] = Layers

    policies: PolicySet
    describe: Any
    candidates: int
    state: np.dtype[Any]
    move: np.dtype[Any]
    plan: Path
    decisions_of_game: float = 0.0
    decisions_of_seat: float = 0.0
    inputs: Mapping[str, float] = field(default_factory=dict)
    value: int = 0
    weights: str = "balanced"

    @property
    def nets(self) -> NetSpec:
        """The nets of the game."""
        nets = self.policies.interface().nets
        assert nets is not None
        return nets

    def length(self, players: int) -> float:
        """Return about how many decisions a game has, those without a choice included."""
        return self.decisions_of_game + self.decisions_of_seat * players

    def describer(self, simulator: Any, players: Any) -> Describer:
        """Return what writes down decisions of what is played; moves are valued as the first player does."""
        return Describer(self, simulator.machine, players.compiled[1].settings[0])

    def mates(self, simulator: Any, seat: int) -> Sequence[int]:  # noqa: ARG002 (of a game with teams)
        """Return the seats that win together with a seat, itself included."""
        return (seat,)

    def known(self, simulator: Any) -> Any:  # noqa: ARG002 (of a net with items)
        """Return what the layers take from the rules of a simulator."""
        return None

    def worth(self, simulator: Any, outcomes: NDArray[np.float64], seat: int) -> NDArray[np.float64]:
        """Return what outcomes (..., seats, (score, share)) are worth to a seat, in utility.

        Winning, and a little for the lead over the best rival: in teams, of the mean member of each.
        """
        players = simulator.plan.players
        sides = list(dict.fromkeys(tuple(self.mates(simulator, one)) for one in range(players)))
        scores = np.stack([outcomes[..., list(side), 0].mean(axis=-1) for side in sides], axis=-1)
        own = next(place for place, side in enumerate(sides) if seat in side)
        others = np.delete(scores, own, axis=-1).max(axis=-1)
        return np.asarray(WINNING * outcomes[..., seat, 1] + LEAD * (scores[..., own] - others))

    def decisions(self, simulator: Any, states: NDArray[Any], moves: NDArray[Any]) -> Decisions:
        """Return the decisions of one table, ready to be fitted to."""
        return Decisions(states, moves, self.known(simulator))

    def fresh(self, seed: int) -> LearnedNet:
        """Return a net that has learned nothing: it follows ``weighted``."""
        sizes, nets = self.nets.sizes, self.nets
        inputs = {**self.inputs, "second": sizes.width, "last": sizes.narrow}
        shipped = self.policies.interface().weights.shipped[self.weights]
        arrays = fresh_arrays(nets.first_shapes, inputs, self.value, seed)
        return LearnedNet(nets, nets.grown(arrays), shipped)

    def load(self, file: str) -> LearnedNet:
        """Return the net of a file, or the one that comes with the game for an empty name; UserError for none."""
        return self.nets.read(file) if file else self.nets.shipped

    def save(self, net: LearnedNet, path: Path, about: Mapping[str, Any]) -> None:
        """Write a net with what it was learned from; a file appears whole or not at all."""
        replace(net, about=about).save(path)

    def values_of(
        self, arrays: Mapping[str, Any], decisions: Decisions, which: NDArray[np.int64]
    ) -> tuple[NDArray[np.float32], Batch]:
        """Return the value of every move of some decisions, and the batch."""
        batch = decisions.batch(which)
        return self.layers(arrays, batch).values, batch

    def fit(
        self, net: LearnedNet, tables: Sequence[Decisions], how: Fitting, seed: int,
        progress: Callable[[int, int], None] | None,
    ) -> LearnedNet:  # fmt: skip
        """Return a net fitted to the decisions of some tables, beginning from another net."""
        arrays: Arrays = fit(net.arrays, tables, self.layers, how, seed, progress)
        return LearnedNet(net.spec, arrays, net.weights)


def learner_of(game: str) -> Learner:
    """Return what a game hands in; raise UserError for a game without a policy that learns."""
    found = find_game(game).LEARNER
    if found is None:
        able = [name for name in GAMES if find_game(name).LEARNER is not None]
        raise UserError(f"{game} has no policy that learns: {', '.join(able)} have one; wsim tune improves weights")
    module, _, attribute = found.partition(":")
    learner = vars(import_module(module))[attribute]
    assert isinstance(learner, Learner), found
    return learner
