"""``wsim.Game``: a game in progress as a value, for use in programs."""

from __future__ import annotations

import json
import operator
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

from wsim.errors import UserError, nearest
from wsim.game import find_game
from wsim.lab.keys import resolve_plan
from wsim.lab.plan import Plan
from wsim.positions.kernel_game import compile_stepping
from wsim.positions.players import playout_line_up, seated
from wsim.positions.position_file import file_of, read
from wsim.positions.values import BY_NET, FAR, PLAYOUT_SEED, Values, ValuesByNet, has_value_net

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from wsim.game import Position, Simulator
    from wsim.positions.scenes import Scene

_REDRAW = "determinize"
_Policies = Sequence[Any] | str | Callable[..., int]


class Observation:
    """A seat's information about a position.

    Attributes
    ----------
    record: a JSON object with the vocabulary of the trace; ``told`` is its former name.
    array: int16, one value for each name in ``columns``.
    columns: the names of the values in ``array``, the same for every position of a plan.
    """

    def __init__(self, record: dict[str, Any], array: NDArray[np.int16], columns: tuple[str, ...]) -> None:
        self.record = self.told = record
        self.array, self.columns = array, columns

    def __getitem__(self, key: str) -> Any:
        """Return the value of a key of ``record``; raise UserError for an unknown key."""
        key = "public_moves" if key == "deeds" else key  # its former name
        if key not in self.record:
            known = f"{', '.join(self.record)}{nearest(key, self.record)}"
            raise UserError(f"an observation has no {key!r}: it has {known}")
        return self.record[key]

    def __repr__(self) -> str:
        return f"Observation({self.record!r})"


class Game:
    """A game in progress: see who decides, list the legal moves, make a move, copy the game, play it out.

    Parameters
    ----------
    plan: a plan (default: the game's default plan).
    number: the number of the game; together with the plan's seed, it determines the deal.
    keys: keys of the plan, the same as the options of ``wsim run``: ruleset="2e", players=4, seed=7, game=...

    The plan's policies make no moves on their own: call ``step`` for every move. Invalid calls raise UserError with a
    one-sentence message.
    """

    def __init__(self, plan: Plan | None = None, /, *, number: int = 0, **keys: Any) -> None:
        played = resolve_plan(plan, keys)
        if type(number) is not int or not 0 <= number < FAR:
            raise UserError(f"game number {number!r} does not exist: games are numbered 0 to {FAR - 1}")
        with compile_stepping():
            self._simulator: Simulator = find_game(played.game).prepare(played)
        self._plan, self._number = played, number
        self._position: Position = self._simulator.begin(number)
        self._players: dict[tuple[Any, ...], Simulator] = {}  # prepared line-ups of rollouts, shared by copies
        self._described: Mapping[str, Any] | None = None  # the hand-written position at the start, if any
        self._steps: list[Any] = []  # the steps since the start

    @classmethod
    def from_json(cls, text: str, *, trust: bool = False) -> Self:
        """Load a game from a position file, whether written by ``to_json`` or by hand (docs/positions.md).

        Raises UserError for a string that is not a position file and for an impossible position. Code that the file
        names is never executed. Other files that it names (cards, patches, weights, nets) are read only with ``trust``:
        set it only if you trust the author.
        """
        plan, number, described, steps = read(text, trust=trust)
        game = cls(plan, number=number)
        game._described = described
        *_, game = game._replayed(steps)
        return game

    @property
    def steps(self) -> list[Any]:
        """The steps since the start: indices of moves, and resamplings as in position files."""
        return list(self._steps)

    @property
    def described(self) -> bool:
        """Whether the game began with a hand-written position."""
        return self._described is not None

    def positions(self) -> list[Position]:
        """Return the position at the start and after each step."""
        return [game._position for game in self.history()]  # noqa: SLF001 (of this class)

    def history(self) -> list[Self]:
        """Return independent copies of the game at the start and after each step."""
        return [game.clone() for game in self._replayed(self._steps)]

    def _replayed(self, steps: Sequence[Any]) -> Iterator[Self]:
        """Yield a copy of the game at its start, and after each step."""
        game, described = self.clone(), self._described
        begun = self._simulator.begin(self._number) if described is None else self._simulator.set_up(described)
        game._position, game._steps = begun, []  # noqa: SLF001 (of this class)
        yield game
        for number, step in enumerate(steps):
            try:
                game = game._replay_step(step)  # noqa: SLF001
            except UserError as error:
                raise UserError(f"step {number} of the position file: {error}") from None
            yield game

    def _replay_step(self, step: Any) -> Self:
        """Apply one step of a position file, either a move index or a resampling, and return the resulting game."""
        if isinstance(step, list) and len(step) == 3 and step[0] == _REDRAW:
            return self.determinize(step[1], step[2])
        if isinstance(step, int) and not isinstance(step, bool):
            return self.step(step)
        raise UserError(f"a step must be the index of a move or [{_REDRAW!r}, seat, rng], not {step!r}")

    def to_json(self, seat: int | None = None) -> str:
        """Return the game as a position file for ``from_json``.

        The file contains the plan, the start and every step, and so reveals all hidden cards. With ``seat``, it is a
        hand-written position that contains only what that seat sees; everything else is resampled when it is read. If
        such a position cannot express the current moment (the seat has chosen, others have not), it describes the
        latest earlier moment that it can express.
        """
        if seat is not None:
            text = self._view_of(self._checked_seat(seat))
            if find_game(self._plan.game).POSITION_KEYS and not _is_readable(text):
                before = self.history()[:-1]
                seen = (game._view_of(seat) for game in reversed(before))  # noqa: SLF001 (of this class)
                return next(filter(_is_readable, seen), text)
            return text
        described = self._described
        start = {"number": self._number} if described is None else {"position": dict(described)}
        return json.dumps(file_of(self._plan, **start, steps=self._steps), indent=1)

    def _view_of(self, seat: int) -> str:
        """Return a hand-written position file that contains only what the seat sees."""
        seen = self._position.view(seat)
        keys = find_game(self._plan.game).POSITION_KEYS
        plan = self._plan.replace(policies=seated(self._plan, self._number))  # hand-written: no number
        return json.dumps(file_of(plan, position={key: seen[key] for key in keys if key in seen}), indent=1)

    @property
    def plan(self) -> Plan:
        """The plan."""
        return self._plan

    @property
    def number(self) -> int:
        """The number of the game."""
        return self._number

    @property
    def to_move(self) -> int | None:
        """The player whose decision is next; None at the end.

        Players who choose at the same time are asked one after the other and do not see each other's choices.
        """
        return self._position.to_move

    @property
    def decision(self) -> str | None:
        """The kind of decision (turn, last_card, discard_pile, ...); None at the end."""
        return None if self.to_move is None else self._position.decision()

    def legal(self) -> list[dict[str, Any]]:
        """Return the legal moves as in the trace, each with its ``index`` as the first key; empty at the end."""
        moves = [] if self.to_move is None else self._position.moves()
        return [{"index": index, **move} for index, move in enumerate(moves)]

    def step(self, move: int | Mapping[str, Any]) -> Self:
        """Make a move, advance to the next decision or the end, and return the game itself.

        ``move`` is an index into ``legal()``, or part of a move that matches exactly one of them.
        """
        if self.to_move is None:
            raise UserError("the game is over: no move can be made")
        index = self._index_of(move)
        self._position.take(index)
        self._steps.append(index)
        return self

    def _index_of(self, move: Any) -> int:
        moves = self._position.moves()
        if isinstance(move, Mapping):
            wanted = {key: value for key, value in move.items() if key != "index"}
            matches = [index for index, legal in enumerate(moves) if wanted.items() <= legal.items()]
            if "index" in move and len(matches) > 1:
                matches = [index for index in matches if index == move["index"]]
            if len(matches) == 1:
                return matches[0]
            if matches:
                raise UserError(f"{wanted} matches {len(matches)} legal moves: add more keys, or give its index")
            raise UserError(f"{wanted} matches none of the {len(moves)} legal moves: see legal()")
        try:
            index = operator.index(move)
        except TypeError:
            raise UserError(f"a move must be an index or part of a legal move, not {move!r}") from None
        if not 0 <= index < len(moves):
            raise UserError(f"move {index} does not exist: legal moves are numbered 0 to {len(moves) - 1}")
        return index

    def follow(self) -> Self:
        """Make the move that the plan's own policy chooses, and return the game itself.

        Following a game from its start reproduces the game that the plan plays.
        """
        if self.to_move is None:
            raise UserError("the game is over: no move can be made")
        self._steps.append(self._position.follow())
        return self

    def made(self) -> int:
        """Make the move of the plan's own policy, like ``follow``, and return its index."""
        self.follow()
        return int(self._steps[-1])

    def standing(self) -> list[int]:
        """Return the score of every seat if the game ended now (where the rules allow scoring before the end)."""
        return self._position.standing()

    def at(self, **moment: int) -> Self:
        """Follow the plan's policies up to a moment and return the game itself.

        ``moment``: any of age, turn (both from 1, as in observations) and seat (the player who decides).
        """
        known = ("age", "turn", "seat")
        for name in moment:
            if name not in known:
                raise UserError(f"a moment has no {name!r}{nearest(name, known)}: give any of {', '.join(known)}")
        if "seat" in moment:
            self._checked_seat(moment["seat"])
        values_seen: dict[str, set[Any]] = {name: set() for name in moment}
        while self.to_move is not None:
            seen = self._position.view(self.to_move)
            current = {"age": seen.get("age"), "turn": seen.get("turn"), "seat": self.to_move}
            for name, values in values_seen.items():
                values.add(current[name])
            if all(current[name] == value for name, value in moment.items()):
                return self
            self.follow()
        wanted = ", ".join(f"{name} {value}" for name, value in moment.items())
        last = [f"its last {name} is {max(values_seen[name])}" for name in moment if None not in values_seen[name]]
        raise UserError(f"game {self._number} has no decision at {wanted}: {', '.join(last) or 'it has no such key'}")

    def ask(self, policy: Any, *, rng: int = 0) -> dict[str, Any]:
        """Return the legal move that a policy would make in this position."""
        if self.to_move is None:
            raise UserError("the game is over: there is nothing to decide")
        index = self._position.chosen_by(self._simulator_with((policy,)), _seed_of(rng))
        return self.legal()[index]

    def clone(self) -> Self:
        """Return an independent copy."""
        copy = object.__new__(type(self))
        copy.__dict__.update(self.__dict__)
        copy._position = self._position.clone()
        copy._steps = list(self._steps)
        return copy

    @property
    def result(self) -> list[dict[str, Any]] | None:
        """The scores of all seats as in the trace; None until the game is over."""
        return self._position.scores() if self.to_move is None else None

    def observe(self, seat: int | None = None) -> Observation:
        """Return everything that a seat may know (default: the seat whose decision is next)."""
        who = self.to_move if seat is None else self._checked_seat(seat)
        if who is None:
            raise UserError("the game is over: name the seat to observe")
        columns = self._position.columns()
        return Observation(self._position.view(who), self._position.observation(who, len(columns)), columns)

    def view(self, seat: int | None = None) -> str:
        """Return a seat's information as readable text (default: the seat that decides next)."""
        who = self.to_move if seat is None else self._checked_seat(seat)
        if who is None:
            raise UserError("the game is over: name the seat to observe")
        return "\n".join(line.rstrip() for line in self._position.text(who))

    def phrase(self, move: Mapping[str, Any]) -> str:
        """Describe a move in a few words."""
        return self._simulator.phrase(move)

    def scene(self, seat: int) -> Scene | None:
        """Return a seat's information as a scene for a page; None if the game has no pages."""
        return self._simulator.scene(self._position.view(self._checked_seat(seat)))

    @property
    def moment(self) -> Hashable:
        """A key for the current moment, such as the turn number. A page stops whenever it changes."""
        return self._simulator.moment(self._position)

    def known_points(self) -> list[Mapping[str, int]]:
        """Return every seat's publicly known points by category; an empty list if the game does not provide them."""
        return self._simulator.known_points(self._position)

    def asks(self) -> str:
        """Describe the current choice in a few words; an empty string at the end."""
        return "" if self.to_move is None else self._position.asks()

    def obstacles(self) -> Mapping[str, str]:
        """Return a sentence for each card, or next stage, that the deciding seat cannot build, saying why."""
        return self._position.obstacles()

    def payments(self, move: Mapping[str, Any]) -> dict[str, int]:
        """Return the payments for a move: coins by recipient (``bank``, ``seat 2``)."""
        return self._simulator.payments(move)

    def public_moves(self) -> list[str]:
        """Return all public moves so far as text; an empty list if the game does not list them."""
        moves = self.record().get("public_moves", ())
        return [f"seat {move['seat']}: {self._simulator.public_move_text(move)}" for move in moves]

    seen, paid, deeds = scene, payments, public_moves  # former names

    def record(self) -> dict[str, Any]:
        """Return the whole position, including hidden cards, as a JSON object; ``told`` is its former name."""
        return self._position.view(None)

    told = record

    def determinize(self, seat: int, rng: int) -> Self:
        """Return a copy with everything hidden from the seat resampled, conditional on the seat's knowledge.

        The same ``rng`` (a whole number) gives the same copy. The seat's knowledge does not change. Choices of other
        seats that are not yet revealed are made again, after the seat's own choice.
        """
        copy = self.clone()
        copy._position = self._position.redrawn(self._checked_seat(seat), _seed_of(rng))  # noqa: SLF001
        copy._steps.append([_REDRAW, seat, _seed_of(rng)])  # noqa: SLF001
        return copy

    def rollout(
        self, policies: _Policies | None = None, games: int = 100, *, seat: int | None = None, rng: int = 0
    ) -> NDArray[np.float64]:
        """Play this position out repeatedly; return the outcomes, shape (games, seats, 2).

        The last axis contains the score and the win share. Future cards and the policies' random choices differ between
        playouts.

        Parameters
        ----------
        policies: one policy for all seats, or one per seat; None: as for ``values``.
        games: number of playouts.
        seat: every playout resamples everything hidden from this seat; None: hands stay as they are.
        rng: a whole number; the same number gives the same playouts.
        """
        _check_playouts(games)
        if self.to_move is None:
            raise UserError("the game is over: there is nothing to play out")
        player = self._playout_simulator(policies)
        watcher = None if seat is None else self._checked_seat(seat)
        return self._position.play_out(player, games, watcher, _seed_of(rng), FAR)

    def values(
        self,
        moves: Sequence[int | Mapping[str, Any]] | None = None,
        policies: _Policies | None = None,
        games: int = 200,
        rng: int = 0,
        *,
        first: int = 0,
    ) -> list[dict[str, Any]]:
        """Estimate the values of legal moves for the deciding seat by common playouts; return rows, best move first.

        Each playout resamples everything hidden from the seat, then makes each move in turn and continues from the same
        cards with the same random numbers. A row has the ``index`` and the ``move``; ``win_share`` with its 95%
        interval ``low`` to ``high``; ``score``, ``score_low``, ``score_high``; ``loss``, the paired difference in win
        share below the first row, with ``loss_low`` and ``loss_high``; ``win_shares`` and ``scores`` of all seats; and
        ``games``, the number of playouts. Interval ends are None after a single playout.

        Parameters
        ----------
        moves: legal moves to value, each given by its index or by a part of the move; None: all.
        policies: policies used in playouts: one for all seats, or one per seat; None: the plan's, as seated in this
            game (searchers are replaced by the player of their own playouts).
        games: playouts per move. 0: no playouts; win shares are estimated by the value net of the game, some turns
            after the move (docs/asking.md), which takes milliseconds. Scores are then None, and intervals cover only
            resampling.
        rng: a whole number; the same number gives the same playouts.
        first: the number of the first playout; playouts 200 to 399 are independent of playouts 0 to 199.
        """
        if games != BY_NET:
            _check_playouts(games)
        values = self.comparison(moves, policies, rng, first=first, by_net=games == BY_NET)
        values.play_on(games)
        return values.rows()

    def comparison(
        self, moves: Sequence[int | Mapping[str, Any]] | None, policies: _Policies | None, rng: int, *, first: int = 0,
        by_net: bool = False,
    ) -> Values:  # fmt: skip
        """Return the estimator that ``values`` uses, before its first playout; ``by_net`` selects the value net."""
        if self.to_move is None:
            raise UserError("the game is over: there is nothing to decide")
        every = range(len(self._position.moves()))
        chosen = list(every) if moves is None else list(dict.fromkeys(self._index_of(move) for move in moves))
        if not chosen:
            raise UserError("name at least one legal move, or pass None to compare all")
        if first < 0:
            raise UserError(f"playouts are numbered from 0, not {first}")
        player = self._playout_simulator(policies)
        if by_net and not has_value_net(player):
            raise UserError(f"there is no value net for this table of {self._plan.game}: at least 1 playout is needed")
        return (ValuesByNet if by_net else Values)(self._position, player, chosen, _seed_of(rng), first=first)

    @property
    def by_net(self) -> bool:
        """Whether there is a value net for the table, so that ``values`` needs no playouts."""
        return has_value_net(self._simulator)

    def _playout_simulator(self, policies: _Policies | None) -> Simulator:
        """Return the plan's simulator with the policies for playouts; None: the policies at the table."""
        if policies is None:
            return self._simulator_with(playout_line_up(self._plan, self._number))
        return self._simulator_with((policies,) if isinstance(policies, str) or callable(policies) else tuple(policies))

    def _simulator_with(self, policies: tuple[Any, ...]) -> Simulator:
        """Return the plan's simulator with different policies."""
        if policies not in self._players:
            plan = self._plan.replace(policies=policies, rotate=False)
            with compile_stepping():
                self._players[policies] = find_game(plan.game).prepare(plan)
        return self._players[policies]

    def _checked_seat(self, seat: int) -> int:
        """Return ``seat``; raise UserError if it is not the seat of a player."""
        if isinstance(seat, bool) or seat not in range(self._plan.players):
            raise UserError(f"seat {seat!r} does not exist: seats are numbered 0 to {self._plan.players - 1}")
        return seat

    def __repr__(self) -> str:
        where = "over" if self.to_move is None else f"seat {self.to_move} decides ({self.decision})"
        return f"<wsim.Game {self._plan.ruleset}, {self._plan.players} players, game {self._number}: {where}>"


def _check_playouts(games: int) -> None:
    """Raise UserError for an invalid number of playouts."""
    if type(games) is not int or games < 1:
        raise UserError(f"at least 1 playout is needed, not {games!r}")


def _seed_of(rng: int) -> int:
    """Return the lowest 63 bits of a whole number; raise UserError for anything else."""
    try:
        return operator.index(rng) & PLAYOUT_SEED
    except TypeError:
        raise UserError(f"rng must be a whole number, not {rng!r}") from None


def _is_readable(text: str) -> bool:
    """Return whether a position file written by wsim itself can be read."""
    try:
        Game.from_json(text, trust=True)
    except UserError:
        return False
    return True
