"""Games with kernels: prepared plans, the machine that steps positions, and positions stored as bytes."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar

import numpy as np

from wsim.errors import UserError
from wsim.game import Simulator
from wsim.jit.modes import JIT
from wsim.kernels.commands import BEGIN, COMPARE, DECIDE, EVERYTHING, FOLLOW, LOOK, OBSERVE, PLAY_OUT, REDRAW, STEP
from wsim.kernels.heads import RECORD_ALL, RECORD_PICKS, seating_like, timestep_of
from wsim.limits import BrokenLimit, Limit, limit_error_of
from wsim.policies.chances import follows
from wsim.position import Position
from wsim.positions.character import COUNT, FIGURES, PREFIX, figures_of
from wsim.positions.side_by_side import IsolatedPolicies, play_side_by_side
from wsim.positions.values import PLAYOUT_SEED

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    from wsim.kernels.side_by_side import SideBySide
    from wsim.lab.plan import Plan
    from wsim.policies.registry import LineUp
    from wsim.positions.value_net import Follower, ValueNet

_NO_OUTCOMES: NDArray[np.float64] = np.zeros((0, 0, 2))
_GAMES = threading.local()  # by the package of the kernels: the game record that this thread reuses
_NOTHING_SEEN: NDArray[np.int16] = np.zeros(0, np.int16)


class Argument(np.record):  # type: ignore[misc]
    """A record that is passed to kernels repeatedly, with a cached view of its bytes.

    Without the cache, every access to ``data`` makes numpy describe all (nested) fields of the record, which takes
    0.1 ms.
    """

    @property
    def data(self) -> memoryview:
        """The bytes of the record."""
        return self.__dict__.get("bytes") or super().data  # a nested record has no cached view

    @classmethod
    def of(cls, record: Any) -> Any:
        """Return an ``Argument`` that shares the memory of a record; without the JIT, the record itself."""
        if not JIT:
            return record
        content = np.frombuffer(record.data, np.uint8)
        view: Argument = content.view(np.dtype((cls, record.dtype)))[0]
        view.__dict__["bytes"] = content.data
        return view


class Machine:
    """A plan's kernels, ready to step positions.

    Parameters
    ----------
    entry: the kernel (game, words, state, rules, seating, line_up, command, number, seat, seed, outcomes, seen) that
        returns the player who decides next.
    game, state: dtypes; a game record begins with its state, whose size is a multiple of 8 bytes.
    rules, seating, addresses: arguments of the plan's kernels.
    line_up: the policies behind the addresses.
    """

    def __init__(
        self, entry: Any, game: np.dtype[Any], state: np.dtype[Any], rules: Any, seating: Any, line_up: LineUp
    ) -> None:
        from wsim.jit import addresses_of

        self.entry, self.game, self.state = entry, game, state
        self.rules, self.seating, self.line_up = Argument.of(rules), Argument.of(seating), line_up
        self.addresses = addresses_of(line_up.entry_points)
        self._local = threading.local()

    def workspace(self) -> Any:
        """Return the game record that belongs to this thread, both as a record and as 64-bit words."""
        if not hasattr(self._local, "game"):
            whole = np.zeros(1, self.game)
            self._local.game = Argument.of(whole.view(np.recarray)[0]), whole.view(np.uint64).reshape(-1)
            self._local.choice, self._local.answer = whole["choice"][0], whole["answer"][0]
        return self._local.game

    @property
    def choice(self) -> Any:
        """The decision at which this thread's last run stopped, as a cached view."""
        return self._local.choice

    def run(
        self,
        state: NDArray[np.uint64],
        command: int,
        number: int = 0,
        seat: int = EVERYTHING,
        seed: int = 0,
        outcomes: NDArray[np.float64] = _NO_OUTCOMES,
        seen: NDArray[np.int16] = _NOTHING_SEEN,
    ) -> tuple[int, Any]:
        """Execute a command on a state; return the player who decides next (-1: none) and the game record."""
        game, words = self.workspace()
        with np.errstate(over="ignore"), self.line_up.answering(self._local.answer):  # random numbers wrap around
            decider = int(
                self.entry(
                    *(game, words, state, self.rules, self.seating, self.addresses),
                    *(command, number, seat, seed & PLAYOUT_SEED, outcomes, seen),
                )
            )
        if self._local.answer["wrong"]:
            self.line_up.raise_wrong(self._local.answer)
        return decider, game


@dataclass(frozen=True)
class VectorKernels:
    """The kernels of a plan, ready to step many games at once (``wsim.env``).

    Attributes
    ----------
    machine: rules, seating, line-up, and the kernel that steps a single position.
    entry: the kernel (game, words, states, rules, seating, line_up, request, timesteps, seen, masks) that returns
        -1, or the index of the game in which a policy failed.
    timestep: the dtype of a time step, documented in ``wsim.kernels.heads``.
    columns: the names of the values in an observation, without the history.
    actions: the names of the fixed actions, by number.
    most_moves: the maximum number of legal moves at a decision.
    """

    machine: Machine
    entry: Any
    timestep: np.dtype[Any]
    columns: tuple[str, ...]
    actions: tuple[str, ...]
    most_moves: int

    def states(self, count: int) -> NDArray[Any]:
        """Allocate zeroed memory for the states of ``count`` games."""
        return np.zeros((count, self.machine.state.itemsize // 8), np.uint64)

    def step(self, states: NDArray[Any], request: Any, timesteps: Any, seen: NDArray[Any], masks: NDArray[Any]) -> None:
        """Advance every unfinished game by one step (``wsim.kernels.lockstep``)."""
        machine = self.machine
        game, words = machine.workspace()
        with np.errstate(over="ignore"), machine.line_up.answering(game.answer):  # random numbers wrap around
            failed = self.entry(
                *(game, words, states, machine.rules, machine.seating, machine.addresses),
                *(request, timesteps, seen, masks),
            )
        if failed >= 0:
            machine.line_up.raise_wrong(game.answer)

    def observe(self, state: NDArray[Any], seat: int, seen: NDArray[Any]) -> None:
        """Write a player's observation of a state into ``seen``."""
        self.machine.run(state, OBSERVE, 0, seat, seen=seen)

    def position(self, simulator: Simulator, state: NDArray[Any]) -> Position:
        """Return a position that owns a copy of a state."""
        position: Any = simulator.begin(0)
        position.words = state.copy()
        position.refresh(LOOK)
        return position  # type: ignore[no-any-return]

    def set_state(self, states: NDArray[Any], index: int, position: Any) -> None:
        """Overwrite the state at an index with the state of a position."""
        states[index] = position.words


_Position = TypeVar("_Position", bound="StatePosition")


class KernelSimulator(Simulator, Generic[_Position]):
    """A plan of a game with kernels, prepared for playing.

    The package ``KERNELS`` has the modules ``layout`` (dtypes GAME, STATE, ROW, PICK), ``engine`` (``play_chunk``),
    ``commands`` (``run_machine``) and ``lockstep`` (``step_games``); each is imported and compiled when it is needed.

    Attributes
    ----------
    line_up: the resolved policies. rules, seating: records passed to kernels.
    KERNELS: the package. POSITION: the class of its positions.
    LIMITS: the limits that its guards check, by number.
    """

    KERNELS: str
    POSITION: type[_Position]
    LIMITS: Sequence[Limit] = ()

    def __init__(self, plan: Plan, line_up: LineUp, rules: Any, seating: Any) -> None:
        from wsim.jit import addresses_of

        self.plan, self.rules, self.seating = plan, rules, _copied(seating)
        # a weak reference: a search makes thousands of simulators, and only the garbage collector frees cycles
        simulator = weakref.proxy(self)
        self.line_up = replace(line_up, limit_error=lambda *broken: simulator.limit_error(*broken))
        self.seats = int(rules.seats)
        self.base_dtype, self.pick_dtype = self._kernel("layout", "ROW"), self._kernel("layout", "PICK")
        self.row_dtype = self.base_dtype
        if follows(plan.options, picks=plan.picks):
            if self.value_net is None:
                raise UserError(
                    f"character needs a value net: there is none for {plan.ruleset} with {plan.players} players"
                )
            self.row_dtype = np.dtype([("base", self.base_dtype), ("character", "f8", (COUNT,))])
        self._addresses = addresses_of(line_up.entry_points)

    def begin(self, number: int) -> _Position:
        return self.POSITION(self, number)

    def limit_error(self, broken: BrokenLimit, where: str) -> UserError:
        """Return the error for a limit that a game exceeded."""
        source = self.limit_source(broken.what, broken.source)
        return limit_error_of(self.LIMITS, broken, source, f"{where} of {self.table}")

    def limit_source(self, what: int, source: int) -> str:  # noqa: ARG002
        """Return the name of the card (or other item) that exceeded a limit; empty if unknown."""
        return ""

    @property
    def table(self) -> str:
        """A short description of the table, for the message about an exceeded limit."""
        return f"{self.plan.players} players"

    def _kernel(self, module: str, name: str) -> Any:
        return getattr(import_module(f"{self.KERNELS}.{module}"), name)

    @property
    def compiled(self) -> tuple[Any, Any, LineUp]:
        """The rules and seating records for kernels, and the line-up."""
        return self.rules, self.seating, self.line_up

    @property
    def labels(self) -> tuple[str, ...]:
        return self.line_up.labels

    @cached_property
    def machine(self) -> Machine:
        """The kernels, ready to step positions."""
        game, state = self._kernel("layout", "GAME"), self._kernel("layout", "STATE")
        line_up = replace(self.line_up, limit_error=self.limit_error)  # environments keep only the machine
        return Machine(self._kernel("commands", "run_machine"), game, state, self.rules, self.seating, line_up)

    def vector_kernels(self, columns: tuple[str, ...], actions: tuple[str, ...], most_moves: int) -> VectorKernels:
        """Return the kernels, ready to step many games at once."""
        timestep, entry = timestep_of(self._kernel("layout", "TYPES").seats), self._kernel("lockstep", "step_games")
        return VectorKernels(self.machine, entry, timestep, columns, actions, most_moves)

    def play(self, first: int, rows: NDArray[Any], picks: NDArray[Any] | None = None) -> int:
        """Play ``len(rows) // seats`` games numbered from ``first`` and fill the rows; return the number of picks
        written.
        """
        if self.row_dtype is self.base_dtype:
            recording = 0 if picks is None else RECORD_PICKS
            if self.isolated_policies is not None:
                return play_side_by_side(self, first, rows, picks, recording)
            return self._play(first, rows, picks, recording)[0]
        followed = self.follower.follow(first, len(rows) // self.seats)
        rows["base"] = followed.rows
        figures = figures_of(followed, self.follower.results(followed.rows)[0])
        rows["character"] = np.repeat(figures, self.seats, axis=0)
        return 0

    @cached_property
    def isolated_policies(self) -> IsolatedPolicies | None:
        """The isolated policies; None if there are none, or the game cannot be played side by side."""
        if not JIT or find_spec(f"{self.KERNELS}.side_by_side") is None:
            return None
        return IsolatedPolicies.of(self.line_up, self._addresses)

    @property
    def side_by_side(self) -> SideBySide:
        """The kernels that play many games side by side."""
        return self._kernel("side_by_side", "SIDE_BY_SIDE")  # type: ignore[no-any-return]

    @property
    def game_dtype(self) -> np.dtype[Any]:
        """The dtype of the kernels' game record."""
        return self._kernel("layout", "GAME")  # type: ignore[no-any-return]

    @cached_property
    def follower(self) -> Follower:
        """The follower that computes every seat's chances by the value net; raise UserError if there is no net."""
        from wsim.positions.value_net import Follower

        net = self.value_net
        if net is None:
            raise UserError(f"there is no value net for {self.plan.ruleset} with {self.plan.players} players")
        return Follower(self, net)

    @property
    def value_net(self) -> ValueNet | None:
        """The value net for this table; None if there is none."""
        return None

    def base_frame(self, rows: NDArray[Any]) -> pl.DataFrame:
        """Return the seats table built from rows written by kernels (``base_dtype``)."""
        return super().seats_frame(rows)

    def seats_frame(self, rows: NDArray[Any]) -> pl.DataFrame:
        """Return the seats table built from kernel rows, with the figures of each game if ``character`` is set."""
        if rows.dtype == self.base_dtype:
            return self.base_frame(rows)
        figures = np.asarray(rows["character"])
        columns = {f"{PREFIX}{figure.name}": figures[:, index] for index, figure in enumerate(FIGURES)}
        return self.base_frame(rows["base"]).with_columns(**columns)

    def play_seated(self, first: int, rows: NDArray[Any], orders: NDArray[np.int64]) -> None:
        if rows.dtype != self.base_dtype:
            raise UserError("the option character cannot be combined with several seatings of a deal: leave it out")
        if self.isolated_policies is not None:
            play_side_by_side(self, first, rows, None, 0, orders)
            return
        seating, addresses = _copied(self.seating), self._addresses.copy()
        seats, players = self.seats, orders.shape[1]
        for game, order in enumerate(orders):
            self.line_up.fill_in_order(seating, self.seating, order)
            addresses[:players] = self._addresses[order]
            game_rows = rows[game * seats : (game + 1) * seats]
            self._play(first + game, game_rows, None, 0, (seating, addresses, order))

    def _play(
        self, first: int, rows: NDArray[Any], picks: NDArray[Any] | None, recording: int, seated: Any = None
    ) -> tuple[int, Any]:
        """Play games; return the number of picks written and the last game record, valid until the thread's next call.

        ``seated``: seating, addresses and order of the entries, if different from the plan's.
        """
        game = _GAMES.__dict__.pop(self.KERNELS, None)  # popped: a policy may play games itself
        if game is None:
            game = np.zeros(1, self._kernel("layout", "GAME")).view(np.recarray)[0]
        room = np.zeros(0, self.pick_dtype) if picks is None else picks
        seating, addresses, order = seated or (self.seating, self._addresses, None)
        arguments = game, self.rules, seating, addresses, first, rows.view(np.recarray)
        play_chunk = self._kernel("engine", "play_chunk")
        with np.errstate(over="ignore"), self.line_up.answering(game.answer, order, numbered=True):
            filled = int(play_chunk(*arguments, room.view(np.recarray), recording))
        setattr(_GAMES, self.KERNELS, game)
        if filled < 0:
            self.line_up.raise_wrong(game.answer, order, numbered=True)
        return filled, game

    def logged(self, number: int) -> tuple[Any, NDArray[Any]]:
        """Play one game and return its record, including the event log, and its rows."""
        rows = np.zeros(self.seats, self.base_dtype).view(np.recarray)
        return self._play(number, rows, None, RECORD_ALL)[1], rows


class StatePosition(Position):
    """A position of a game with kernels, stepped by a ``Machine`` (``wsim.game.Position``).

    Attributes
    ----------
    simulator: the prepared plan. machine: the machine that steps the position. words: its state, uint64.
    DECISIONS: names of decisions, by ``CHOICE.kind``.
    """

    DECISIONS: Sequence[str] = ("move",)

    def __init__(self, simulator: Any, number: int) -> None:
        """Begin game ``number`` of a simulator and stop before its first decision."""
        self.simulator, self.machine = simulator, simulator.machine
        self.words = np.zeros(self.machine.state.itemsize // 8, np.uint64)
        self._run(BEGIN, number)

    def _run(self, command: int, number: int = 0, seat: int = EVERYTHING, seed: int = 0) -> Any:
        decider, game = self.machine.run(self.words, command, number, seat, seed)
        self._to_move = None if decider < 0 else decider
        choice = self.machine.choice
        count = 0 if decider < 0 else int(choice["count"])
        seat = choice["seat"] if "seat" in (choice.dtype.names or ()) else decider
        self.choice = (int(choice["kind"]), int(seat))
        self.coded = choice["moves"][:count].copy()
        self._keep_result(game)
        return game

    @property
    def to_move(self) -> int | None:
        return self._to_move

    def decision(self) -> str:
        return self.DECISIONS[self.choice[0]]

    @property
    def moment(self) -> dict[str, Any]:
        """The first keys of a view: the deciding seat and its kind of decision; empty at the end."""
        return {} if self.to_move is None else {"to_move": self.to_move, "decision": self.decision()}

    @property
    def record(self) -> Any:
        """The state as a numpy record: a view of ``words``."""
        return self.words.view(self.machine.state).view(np.recarray)[0]

    def refresh(self, command: int, number: int = 0, seat: int = EVERYTHING) -> None:
        """Run a command: ADD an item to a position that is being set up, or LOOK up the legal moves."""
        self._run(command, number, seat)

    def take(self, index: int) -> None:
        self._run(STEP, index)

    def follow(self, more: int = 0) -> int:
        """Make the move of the plan's own policy, exactly as when the plan is played; return its index.

        With ``more``, also make that many further moves, and return the index of the last one.
        """
        return int(self._run(FOLLOW, more).answer.index)

    def chosen_by(self, simulator: Simulator, seed: int, number: int = 0) -> int:
        machine: Machine = simulator.machine  # type: ignore[attr-defined]
        return machine.run(self.words, DECIDE, number, EVERYTHING, seed)[0]

    def clone(self) -> Self:
        copy = object.__new__(type(self))
        copy.__dict__.update(self.__dict__)
        copy.words = self.words.copy()
        return copy

    def redrawn(self, seat: int, seed: int, number: int = 0) -> Self:
        """Return a copy with everything hidden from the seat resampled, reproducibly for a given seed and number."""
        copy = self.clone()
        copy._run(REDRAW, number, seat, seed)  # noqa: SLF001 (it is of this class)
        return copy

    def play_out(
        self, simulator: Simulator, playouts: int, seat: int | None, seed: int, first: int = 0
    ) -> NDArray[np.float64]:
        """Play to the end with a simulator's line-up; return (score, win share), shape (n, seats, 2).

        Playout i uses the random streams of game ``first + i`` of the seed; with ``seat``, it resamples everything
        hidden from that seat.
        """
        machine: Machine = simulator.machine  # type: ignore[attr-defined]
        outcomes = np.zeros((playouts, simulator.seats, 2))
        machine.run(self.words, PLAY_OUT, first, EVERYTHING if seat is None else seat, seed, outcomes)
        return outcomes

    def compare(
        self, simulator: Simulator, moves: Sequence[int], playouts: int, seat: int | None, seed: int, first: int = 0
    ) -> NDArray[np.float64]:
        """Play to the end after each given move; return (score, win share), shape (n, moves, seats, 2).

        Playout i has the same cards, resampled as in ``play_out``, and the same random streams for every move.
        """
        machine: Machine = simulator.machine  # type: ignore[attr-defined]
        outcomes = np.zeros((playouts * len(moves), simulator.seats, 2))
        state = np.concatenate([self.words, self.words])  # the second half is scratch space for resampling
        watcher = EVERYTHING if seat is None else seat
        machine.run(state, COMPARE, first, watcher, seed, outcomes, np.array(moves, np.int16))
        return outcomes.reshape(playouts, len(moves), simulator.seats, 2)

    def observation(self, seat: int, size: int) -> NDArray[np.int16]:
        seen = np.zeros(size, np.int16)
        self.machine.run(self.words, OBSERVE, 0, seat, seen=seen)
        return seen

    def _keep_result(self, game: Any) -> None:
        """Store the scores of a finished game, if they are not part of the state."""


def _copied(seating: Any) -> Any:
    """Return a copy of a seating record, with only the settings in use, because all settings together are large."""
    copied = seating_like(seating)
    for name in seating.dtype.names:
        used = slice(None) if name != "settings" else slice(int(seating["settings_at"].max()) + 1)
        if np.ndim(seating[name]):
            copied[name][used] = seating[name][used]
        else:
            copied[name] = seating[name]
    return copied
