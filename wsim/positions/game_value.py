"""``wsim.Game``: a game in progress as a value, for people who write programs about it."""

from __future__ import annotations

import json
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

from wsim.errors import UserError, nearest
from wsim.game import find_game
from wsim.lab.keys import chosen, plan_keys
from wsim.lab.plan import Plan
from wsim.options import keywords
from wsim.positions.kernel_game import to_be_stepped
from wsim.positions.players import seated, who_plays_on
from wsim.positions.position_file import file_of, read
from wsim.positions.values import FAR, Values

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from wsim.game import Position, Simulator
    from wsim.positions.scenes import Scene

_REDRAW = "determinize"
_Policies = Sequence[Any] | str | Callable[..., int]


class Observation:
    """What a seat may know of a position.

    Attributes
    ----------
    record: the same as a JSON object, in the words of the trace; ``told`` is its former name.
    array: int16, one number for each of ``columns``.
    columns: what the numbers are; the same for every position of a plan.
    """

    def __init__(self, record: dict[str, Any], array: NDArray[np.int16], columns: tuple[str, ...]) -> None:
        self.record = self.told = record
        self.array, self.columns = array, columns

    def __getitem__(self, key: str) -> Any:
        """Return a part of ``record``."""
        if key not in self.record:
            known = f"{', '.join(self.record)}{nearest(key, self.record)}"
            raise UserError(f"an observation has no {key!r}: it has {known}")
        return self.record[key]

    def __repr__(self) -> str:
        return f"Observation({self.record!r})"


class Game:
    """A game in progress: ask who decides and what is legal, make moves, copy it, play it on.

    Parameters
    ----------
    plan: a plan; without it the game's default plan.
    number: which game of the plan's seed.
    keys: keys of the plan, which are the options of ``wsim run``: ruleset="2e", players=4, seed=7, game=...

    The policies of the plan decide nothing here: every move is made by ``step``. Raises UserError, in one sentence, for
    whatever cannot be done.
    """

    @keywords(plan_keys)
    def __init__(self, plan: Plan | None = None, /, *, number: int = 0, **keys: Any) -> None:
        played = chosen(plan, keys)
        if type(number) is not int or not 0 <= number < FAR:
            raise UserError(f"there is no game number {number!r}: they go from 0 to {FAR - 1}")
        with to_be_stepped():
            self._simulator: Simulator = find_game(played.game).prepare(played)
        self._plan, self._number = played, number
        self._position: Position = self._simulator.begin(number)
        self._players: dict[tuple[Any, ...], Simulator] = {}  # ready line-ups of rollouts; copies share them
        self._described: Mapping[str, Any] | None = None  # the position written by hand that it began with
        self._steps: list[Any] = []  # what was done since

    @classmethod
    def from_json(cls, text: str, *, trust: bool = False) -> Self:
        """Return the game of a position file (``to_json``, or written by hand: docs/positions.md).

        Raises UserError, in one sentence, for text that is none, or for a position that cannot be. Nothing that the
        text names is executed, and no file that it names is opened, unless you ``trust`` whoever wrote it: then card
        files, patches, weights and nets are read.
        """
        plan, number, described, steps = read(text, trust=trust)
        game = cls(plan, number=number)
        game._described = described
        *_, game = game._again(steps)
        return game

    @property
    def steps(self) -> list[Any]:
        """What was done since the beginning: the index of each move, and redrawings as position files have them."""
        return list(self._steps)

    @property
    def described(self) -> bool:
        """Whether it began with a position that somebody wrote."""
        return self._described is not None

    def positions(self) -> list[Position]:
        """Return the position at its beginning and after each step."""
        return [game._position for game in self.history()]  # noqa: SLF001 (of this class)

    def history(self) -> list[Self]:
        """Return the game at its beginning and after each step, each a copy that is stepped on its own."""
        return [game.clone() for game in self._again(self._steps)]

    def _again(self, steps: Sequence[Any]) -> Iterator[Self]:
        """Yield a copy of the game at its beginning, and after each step."""
        game, described = self.clone(), self._described
        begun = self._simulator.begin(self._number) if described is None else self._simulator.set_up(described)
        game._position, game._steps = begun, []  # noqa: SLF001 (of this class)
        yield game
        for place, step in enumerate(steps):
            try:
                game = game._repeated(step)  # noqa: SLF001
            except UserError as error:
                raise UserError(f"step {place} of the position file: {error}") from None
            yield game

    def _repeated(self, step: Any) -> Self:
        """Return the game after a step of a position file: the index of a move, or a redrawing."""
        if isinstance(step, list) and len(step) == 3 and step[0] == _REDRAW:
            return self.determinize(step[1], step[2])
        if isinstance(step, int) and not isinstance(step, bool):
            return self.step(step)
        raise UserError(f"it is an index of a move or [{_REDRAW!r}, seat, rng], not {step!r}")

    def to_json(self, seat: int | None = None) -> str:
        """Return the game as a position file, from which ``from_json`` makes it again.

        It holds the plan, where the game began, and every step: so all of it, hidden cards included. With ``seat`` it
        holds what that seat sees, in the form that a person writes, and the rest is drawn anew when it is read. Where
        that form knows no such moment (a seat that has chosen, while others are still to choose), it is the last one
        before it that the form knows.
        """
        if seat is not None:
            text = self._seen_by(self._checked(seat))
            if find_game(self._plan.game).POSITION_KEYS and not _is_read(text):
                before = self.history()[:-1]
                seen = (game._seen_by(seat) for game in reversed(before))  # noqa: SLF001 (of this class)
                return next(filter(_is_read, seen), text)
            return text
        described = self._described
        start = {"number": self._number} if described is None else {"position": dict(described)}
        return json.dumps(file_of(self._plan, **start, steps=self._steps), indent=1)

    def _seen_by(self, seat: int) -> str:
        """Return what a seat sees as a position file."""
        seen = self._position.view(seat)
        keys = find_game(self._plan.game).POSITION_KEYS
        plan = self._plan.replace(policies=seated(self._plan, self._number))  # what a person writes has no number
        return json.dumps(file_of(plan, position={key: seen[key] for key in keys if key in seen}), indent=1)

    @property
    def plan(self) -> Plan:
        """What is played."""
        return self._plan

    @property
    def number(self) -> int:
        """The number of the game."""
        return self._number

    @property
    def to_move(self) -> int | None:
        """The player whose decision is next; None at the end.

        Where players choose at the same time, they are asked one after the other, and none sees what another chose.
        """
        return self._position.to_move

    @property
    def decision(self) -> str | None:
        """What is decided (turn, last_card, discard_pile, ...); None at the end."""
        return None if self.to_move is None else self._position.decision()

    def legal(self) -> list[dict[str, Any]]:
        """Return the legal moves, each as the trace tells it, with its ``index`` first; none at the end."""
        return [{"index": index, **move} for index, move in enumerate(self._position.moves())]

    def step(self, move: int | Mapping[str, Any]) -> Self:
        """Make a move and run on to the next decision or the end; return the game itself.

        ``move`` is an index into ``legal()``, or as much of a move as fits exactly one of them.
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
            found = [index for index, one in enumerate(moves) if wanted.items() <= one.items()]
            if "index" in move and len(found) > 1:
                found = [index for index in found if index == move["index"]]
            if len(found) == 1:
                return found[0]
            if found:
                raise UserError(f"{wanted} fits {len(found)} legal moves: say more of it, or give its index")
            raise UserError(f"{wanted} is no legal move: there are {len(moves)}, see legal()")
        try:
            index = operator.index(move)
        except TypeError:
            raise UserError(f"a move is an index or a part of a legal move, not {move!r}") from None
        if not 0 <= index < len(moves):
            raise UserError(f"there is no legal move {index}: they go from 0 to {len(moves) - 1}")
        return index

    def follow(self) -> Self:
        """Make the move of the plan's own policy; followed from its start, it is the game that the plan plays."""
        if self.to_move is None:
            raise UserError("the game is over: no move can be made")
        self._steps.append(self._position.follow())
        return self

    def made(self) -> int:
        """Make the move of the plan's own policy, as ``follow`` does, and return its index."""
        self.follow()
        return int(self._steps[-1])

    def standing(self) -> list[int]:
        """Return the score of every seat if the game ended here, as far as the rules score before the end."""
        return self._position.standing()

    def at(self, **moment: int) -> Self:
        """Follow the plan's policies up to a moment and return the game itself.

        ``moment``: age, turn (from 1, as observations have them) and seat, the player who decides; as many as matter.
        """
        known = ("age", "turn", "seat")
        for name in moment:
            if name not in known:
                raise UserError(f"a moment has no {name!r}: it is told by {', '.join(known)}{nearest(name, known)}")
        if "seat" in moment:
            self._checked(moment["seat"])
        there: dict[str, set[Any]] = {name: set() for name in moment}
        while self.to_move is not None:
            seen = self._position.view(self.to_move)
            here = {"age": seen.get("age"), "turn": seen.get("turn"), "seat": self.to_move}
            for name, values in there.items():
                values.add(here[name])
            if all(here[name] == value for name, value in moment.items()):
                return self
            self.follow()
        words = ", ".join(f"{name} {value}" for name, value in moment.items())
        last = [f"its last {name} is {max(there[name])}" for name in moment if None not in there[name]]
        raise UserError(f"game {self._number} comes to no decision at {words}: {', '.join(last) or 'it has none'}")

    def ask(self, policy: Any, *, rng: int = 0) -> dict[str, Any]:
        """Return the legal move that a policy would make here."""
        if self.to_move is None:
            raise UserError("the game is over: there is nothing to decide")
        index = self._position.chosen_by(self._with((policy,)), _number(rng))
        return self.legal()[index]

    def clone(self) -> Self:
        """Return a copy that is stepped on its own."""
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        other._position = self._position.clone()
        other._steps = list(self._steps)
        return other

    @property
    def result(self) -> list[dict[str, Any]] | None:
        """The scores of all seats as the trace tells them; None while the game is going on."""
        return self._position.scores() if self.to_move is None else None

    def observe(self, seat: int | None = None) -> Observation:
        """Return all that a seat may know; without one, the seat whose decision is next."""
        who = self.to_move if seat is None else self._checked(seat)
        if who is None:
            raise UserError("the game is over: name the seat whose knowledge is asked for")
        columns = self._position.columns()
        return Observation(self._position.view(who), self._position.observation(who, len(columns)), columns)

    def view(self, seat: int | None = None) -> str:
        """Return what a seat may know as text for a person; without one, the seat whose decision is next."""
        who = self.to_move if seat is None else self._checked(seat)
        if who is None:
            raise UserError("the game is over: name the seat whose knowledge is asked for")
        return "\n".join(line.rstrip() for line in self._position.text(who))

    def phrase(self, move: Mapping[str, Any]) -> str:
        """Return a move in a few words."""
        return self._simulator.phrase(move)

    def seen(self, seat: int) -> Scene | None:
        """Return what a seat may know as a scene for a page; None of a game that has none of its own."""
        return self._simulator.seen(self._position.view(self._checked(seat)))

    def paid(self, move: Mapping[str, Any]) -> dict[str, int]:
        """Return who gets how many coins for a move: ``bank``, ``seat 2``."""
        return self._simulator.paid(move)

    def deeds(self) -> list[str]:
        """Return what the table has seen of every seat so far, in words, where the game keeps a list of it."""
        seen = self.record().get("deeds", ())
        return [f"seat {deed['seat']}: {self._simulator.deed_text(deed)}" for deed in seen]

    def record(self) -> dict[str, Any]:
        """Return the whole position, hidden cards included, as a JSON object; ``told`` is its former name."""
        return self._position.view(None)

    told = record

    def determinize(self, seat: int, rng: int) -> Self:
        """Return a copy in which all that a seat cannot know is drawn anew, as likely as it is to that seat.

        ``rng`` is a whole number: the same number draws the same. What the seat knows does not change; choices that are
        made but not yet revealed are made anew, after its own.
        """
        other = self.clone()
        other._position = self._position.redrawn(self._checked(seat), _number(rng))  # noqa: SLF001
        other._steps.append([_REDRAW, seat, _number(rng)])  # noqa: SLF001
        return other

    def rollout(
        self, policies: _Policies | None = None, games: int = 100, *, seat: int | None = None, rng: int = 0
    ) -> NDArray[np.float64]:
        """Play this position to the end again and again; return what came out, shape (games, seats, 2).

        The last axis is the score and the share of the victory. Cards still to be dealt, and what policies draw, are
        other ones in every playout.

        Parameters
        ----------
        policies: one policy for all seats, or one for each; None: as for ``values``.
        games: how many playouts.
        seat: draw anew what this seat cannot know, in every playout; None: hands stay as they are.
        rng: a whole number: the same number plays the same.
        """
        _check_playouts(games)
        if self.to_move is None:
            raise UserError("the game is over: there is nothing to play out")
        player = self._player(policies)
        watcher = None if seat is None else self._checked(seat)
        return self._position.play_out(player, games, watcher, _number(rng), FAR)

    def values(
        self,
        moves: Sequence[int | Mapping[str, Any]] | None = None,
        policies: _Policies | None = None,
        games: int = 200,
        rng: int = 0,
        *,
        first: int = 0,
    ) -> list[dict[str, Any]]:
        """Return what legal moves are worth to the seat that decides, the best first, by playouts that they share.

        Each playout draws anew what the seat cannot know, then makes each move in turn and plays on from the same cards
        with the same random numbers. A row has the ``index`` and the ``move``; ``win_share`` with the ends ``low`` and
        ``high`` of its 95 % interval; ``score``, ``score_low``, ``score_high``; ``loss``, by how much its win share is
        below that of the first row, paired, with ``loss_low`` and ``loss_high``; ``win_shares`` and ``scores`` of all
        seats; ``games``, the number of playouts. Ends are None after a single playout.

        Parameters
        ----------
        moves: which legal moves, by index or part of them; None: all.
        policies: who plays on: one policy for all seats, or one for each; None: the plan's, as they sit in this game
            (for those who search, whom they take themselves for in their own playouts).
        games: how many playouts of each move.
        rng: a whole number: the same number plays the same.
        first: the number of the first playout: playouts 200 to 399 are other ones than 0 to 199.
        """
        _check_playouts(games)
        found = self.comparison(moves, policies, rng, first=first)
        found.play_on(games)
        return found.rows()

    def comparison(
        self, moves: Sequence[int | Mapping[str, Any]] | None, policies: _Policies | None, rng: int, *, first: int = 0
    ) -> Values:
        """Return the playouts of ``values``, none of them played yet."""
        if self.to_move is None:
            raise UserError("the game is over: there is nothing to decide")
        every = range(len(self._position.moves()))
        chosen = list(every) if moves is None else list(dict.fromkeys(self._index_of(move) for move in moves))
        if not chosen:
            raise UserError("name at least one legal move, or none to compare all")
        if first < 0:
            raise UserError(f"playouts are numbered from 0, not {first}")
        return Values(self._position, self._player(policies), chosen, _number(rng), first=first)

    def _player(self, policies: _Policies | None) -> Simulator:
        """Return the plan's simulator with those who play on; None: who sits at the table."""
        if policies is None:
            return self._with(who_plays_on(self._plan, self._number))
        return self._with((policies,) if isinstance(policies, str) or callable(policies) else tuple(policies))

    def _with(self, policies: tuple[Any, ...]) -> Simulator:
        """Return the plan's simulator with other policies."""
        if policies not in self._players:
            plan = self._plan.replace(policies=policies, rotate=False)
            with to_be_stepped():
                self._players[policies] = find_game(plan.game).prepare(plan)
        return self._players[policies]

    def _checked(self, seat: int) -> int:
        """Return the seat of a player; raise UserError for another."""
        if isinstance(seat, bool) or seat not in range(self._plan.players):
            raise UserError(f"there is no seat {seat!r}: the players sit at 0 to {self._plan.players - 1}")
        return seat

    def __repr__(self) -> str:
        where = "over" if self.to_move is None else f"seat {self.to_move} decides ({self.decision})"
        return f"<wsim.Game {self._plan.ruleset}, {self._plan.players} players, game {self._number}: {where}>"


def _check_playouts(games: int) -> None:
    """Raise UserError for what is no number of playouts."""
    if type(games) is not int or games < 1:
        raise UserError(f"at least 1 playout is needed, not {games!r}")


def _number(rng: int) -> int:
    """Return a whole number that seeds draws."""
    try:
        return operator.index(rng) & ((1 << 63) - 1)
    except TypeError:
        raise UserError(f"rng is a whole number, not {rng!r}") from None


def _is_read(text: str) -> bool:
    """Say whether a position file that wsim itself wrote is read."""
    try:
        Game.from_json(text, trust=True)
    except UserError:
        return False
    return True
