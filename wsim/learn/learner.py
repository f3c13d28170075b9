"""The game-specific side of learning: the kernel that writes the inputs of the net, and the learning plan."""

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
    """A buffer for a net's inputs at one decision; only the thread that created it may use it.

    Parameters
    ----------
    learner: the game's learner. machine: the machine of the plan.
    settings: the SETTINGS record with the weights with which ``weighted`` values moves, and the net that values them.
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
        """Return the record of the current decision, the records of its moves, and the moves' indices.

        A move's ``worth`` is its value according to the net of the settings, 0 without a net. The machine must not have
        loaded another position since this one.
        """
        private = self._owns[position.to_move]
        with self._line_up.answering(self._answer):
            count = int(
                self._describe(
                    *(self._public, private, self._choice, self._rules, self._settings),
                    *(self._state.view(np.recarray)[0], self._moves.view(np.recarray), self._places),
                )
            )
        return self._state[0:1].copy().reshape(()), self._moves[:count].copy(), self._places[:count].tolist()


@dataclass(frozen=True)
class Learner:
    """A game with kernels whose policy ``net`` learns; subclassed if the net has item inputs or the game has teams.

    Attributes
    ----------
    policies: the game's registry of policies.
    describe: the entry point ``wsim.kernels.net_layers.Net.describe``. candidates: the maximum number of moves that it
        lists.
    state, move: the dtypes of its records: a decision with its number of ``moves``, and a move with its ``worth``.
    plan: the learning plan of the net that ships with the game.
    decisions_of_game, decisions_of_seat: the approximate number of decisions in a game, including forced ones: a
        constant, and an addition per player.
    inputs: by array of the first layer, the approximate number of nonzero inputs.
    value: the index of the ``weighted`` value among the numbers of a move. weights: the weight set for this value.
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
        """Return the approximate number of decisions in a game, including forced ones."""
        return self.decisions_of_game + self.decisions_of_seat * players

    def describer(self, simulator: Any, players: Any) -> Describer:
        """Return a describer of the simulator's decisions, which values moves as the first of ``players`` does."""
        return Describer(self, simulator.machine, players.compiled[1].settings[0])

    def mates(self, simulator: Any, seat: int) -> Sequence[int]:  # noqa: ARG002 (of a game with teams)
        """Return the seats that win together with a seat, including the seat itself."""
        return (seat,)

    def known(self, simulator: Any) -> Any:  # noqa: ARG002 (of a net with items)
        """Return the properties of a simulator's rules that the layers use."""
        return None

    def worth(self, simulator: Any, outcomes: NDArray[np.float64], seat: int) -> NDArray[np.float64]:
        """Return the utility of outcomes (..., seats, (score, share)) to a seat.

        Winning counts, plus a little for the lead over the best rival; in team games, the lead is between team means.
        """
        players = simulator.plan.players
        sides = list(dict.fromkeys(tuple(self.mates(simulator, member)) for member in range(players)))
        scores = np.stack([outcomes[..., list(side), 0].mean(axis=-1) for side in sides], axis=-1)
        side_of_seat = next(index for index, side in enumerate(sides) if seat in side)
        best_rival = np.delete(scores, side_of_seat, axis=-1).max(axis=-1)
        return np.asarray(WINNING * outcomes[..., seat, 1] + LEAD * (scores[..., side_of_seat] - best_rival))

    def decisions(self, simulator: Any, states: NDArray[Any], moves: NDArray[Any]) -> Decisions:
        """Prepare the decisions of one table for fitting."""
        return Decisions(states, moves, self.known(simulator))

    def fresh(self, seed: int) -> LearnedNet:
        """Return an untrained net, which values moves as ``weighted`` does."""
        sizes, nets = self.nets.sizes, self.nets
        inputs = {**self.inputs, "second": sizes.width, "last": sizes.narrow}
        shipped = self.policies.interface().weights.shipped[self.weights]
        arrays = fresh_arrays(nets.first_shapes, inputs, self.value, seed)
        return LearnedNet(nets, nets.grown(arrays), shipped)

    def load(self, file: str) -> LearnedNet:
        """Load the net from a file, or the game's own net for an empty name; raise UserError if it does not exist."""
        return self.nets.read(file) if file else self.nets.shipped

    def save(self, net: LearnedNet, path: Path, about: Mapping[str, Any]) -> None:
        """Write a net and its training history atomically."""
        replace(net, about=about).save(path)

    def values_of(
        self, arrays: Mapping[str, Any], decisions: Decisions, indices: NDArray[np.int64]
    ) -> tuple[NDArray[np.float32], Batch]:
        """Evaluate every move of the selected decisions; also return the batch."""
        batch = decisions.batch(indices)
        return self.layers(arrays, batch).values, batch

    def fit(
        self, net: LearnedNet, tables: Sequence[Decisions], how: Fitting, seed: int,
        progress: Callable[[int, int], None] | None,
    ) -> LearnedNet:  # fmt: skip
        """Fit a net to the decisions of several tables, starting from ``net``, and return it."""
        arrays: Arrays = fit(net.arrays, tables, self.layers, how, seed, progress)
        return LearnedNet(net.spec, arrays, net.weights)


def learner_of(game: str) -> Learner:
    """Return the learner of a game; raise UserError for a game without a policy that learns."""
    declared = find_game(game).LEARNER
    if declared is None:
        able = [name for name in GAMES if find_game(name).LEARNER is not None]
        raise UserError(f"{game} has no policy that learns: {', '.join(able)} have one; wsim tune improves weights")
    module, _, attribute = declared.partition(":")
    learner = vars(import_module(module))[attribute]
    assert isinstance(learner, Learner), declared
    return learner
