"""What a game is to the laboratory: what only it can say is abstract here, all else has a default that it may better.

A game of someone else's is a package with a ``Game``, a ``Simulator`` of its plans, a ``Position`` if its games are to
be stepped, and an entry point (``wsim.installed``); nothing of wsim is edited. A game with compiled kernels begins from
``wsim.positions.kernel_game``. ``tests/games/test_conformance.py`` holds every game to what is written here.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeAlias

from wsim.errors import UserError, nearest
from wsim.installed import GAMES as GAMES
from wsim.installed import load_game
from wsim.position import Position as Position

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

    from wsim.lab.plan import Plan
    from wsim.policies.lineup import Entry
    from wsim.policies.numbers import Number
    from wsim.positions.scenes import Scene, Story
    from wsim.stats.analysis import Analysis
    from wsim.stats.games import Frame
    from wsim.stats.tables import Table


class Simulator(ABC):
    """One plan made ready to play: rules compiled, policies resolved, every input checked.

    Attributes
    ----------
    plan: what is played.
    seats: rows a game writes to the seats table.
    row_dtype, pick_dtype: structured dtypes of the rows that ``play`` writes.
    picks_per_game: an upper bound on the decisions of one game.
    own_cards: the card file that comes with the game and is read unless the plan names another; None if there is none.
    """

    plan: Plan
    seats: int
    row_dtype: np.dtype[Any]
    pick_dtype: np.dtype[Any]
    picks_per_game: int
    own_cards: Path | None = None

    @abstractmethod
    def play(self, first: int, rows: NDArray[Any], picks: NDArray[Any] | None = None) -> int:
        """Play ``len(rows) // seats`` games numbered from ``first`` and fill the rows; return the picks written.

        Releases the interpreter lock if it can, keeps no state, may be called from several threads at once. The rows of
        game g depend on (plan, seed, g) only.
        """

    @abstractmethod
    def provenance(self) -> dict[str, Any]:
        """Return what made the rules as a JSON object: catalogue source and digest, switches, assumptions, policies."""

    def begin(self, number: int) -> Position:  # noqa: ARG002 (of a game that can be stepped)
        """Return the first decision of a game; the line-up has decided nothing yet."""
        raise UserError(f"{self.plan.game} has no decisions that can be stepped")

    @property
    def labels(self) -> Sequence[str]:
        """The name of each entry of the line-up in every table, one for each player."""
        names = [str(entry) for entry in self.plan.line_up]
        return names * self.plan.players if len(names) == 1 else names

    def seats_frame(self, rows: NDArray[Any]) -> pl.DataFrame:
        """Return the seats table of these rows: one row per game and seat, in order.

        Every game has the columns game, seat (from 0), policy (Enum), total (the score) and win_share (1 for a single
        winner, 1/n for each of n). With ``rank`` (1 is best, equal ones share it) a seat that nobody plays for has
        rank 0; with ``team`` those of a team win together. ``points_NAME`` are parts of the total; what a seat has or
        has not is Boolean and called ``kind:NAME`` (see ``Game.OWNED``).

        By default the columns are the fields of the rows; ``policy`` there is a place in ``labels``.
        """
        import polars as pl

        names = pl.Series(self.labels, dtype=pl.Enum(list(dict.fromkeys(self.labels))))
        return _frame_of(rows).with_columns(policy=names.gather(rows["policy"]))

    def picks_frame(self, picks: NDArray[Any]) -> pl.DataFrame:
        """Return the picks table: one row per decision, joined to the seats by game and seat.

        By default the columns are the fields of the picks.
        """
        return _frame_of(picks)

    def with_line_up(self, policies: Sequence[str]) -> Simulator:
        """Return the same rules and options with another line-up, made ready in less time than a whole plan."""
        return find_game(self.plan.game).prepare(self.plan.replace(policies=policies))

    def play_seated(self, first: int, rows: NDArray[Any], orders: NDArray[np.int64]) -> None:
        """Play games numbered from ``first`` and fill the rows, in each with the line-up in another order.

        Parameters
        ----------
        orders: the entry of the line-up on each seat, shape (games, players); what else belongs to a seat stays there.
        """
        entries = [str(entry) for entry in self.plan.line_up]
        for game, order in enumerate(orders.tolist()):
            seated = self.with_line_up([entries[place] for place in order])
            seated.play(first + game, rows[game * self.seats : (game + 1) * self.seats])

    def set_up(self, described: Mapping[str, Any]) -> Position:  # noqa: ARG002 (of a game with POSITION_KEYS)
        """Return a position that a person describes; raise UserError for one that cannot be, or in no way."""
        raise UserError(f"a position of {self.plan.game} cannot be described")

    def trace(self, number: int) -> dict[str, Any]:
        """Replay one game and return its trace: a JSON object with format, game, seed and index, and what happened.

        By default every move is told as the position tells it.
        """
        position, moves = self.begin(number), []
        while position.to_move is not None:
            legal = position.moves()
            moves.append(dict(legal[position.follow()]))
        shift, labels = number if self.plan.rotate else 0, self.labels
        return {
            "format": "wsim-trace/1",
            "game": self.plan.game,
            "ruleset": self.plan.ruleset,
            "seed": self.plan.seed,
            "index": number,
            "seats": [{"policy": labels[(seat + shift) % len(labels)]} for seat in range(len(labels))],
            "moves": moves,
            "scores": position.scores(),
        }

    def text(self, trace: Mapping[str, Any]) -> str:
        """Return a trace as text for a person; by default a line for each move, then the scores."""
        seats = [f"seat {seat} {one['policy']}" for seat, one in enumerate(trace["seats"])]
        moves = [f"seat {move['seat']}: {self.phrase(move)}" for move in trace["moves"]]
        scores = ", ".join(f"seat {score['seat']} {score['total']}" for score in trace["scores"])
        return "\n".join([f"Game {trace['index']}: {', '.join(seats)}", *moves, f"Scores: {scores}"])

    def phrase(self, move: Mapping[str, Any]) -> str:
        """Return a move of the trace in a few words: ``build Palace``."""
        return ", ".join(f"{name} {value}" for name, value in move.items() if name not in ("seat", "index"))

    def paid(self, move: Mapping[str, Any]) -> dict[str, int]:  # noqa: ARG002 (of a game with coins)
        """Return who gets how many coins for a move: ``bank``, ``seat 2``."""
        return {}

    def deed_text(self, deed: Mapping[str, Any]) -> str:
        """Return what the table has seen of a move, an entry of ``deeds`` of a position."""
        return self.phrase(deed)

    def seen(self, view: Mapping[str, Any]) -> Scene | None:  # noqa: ARG002 (of a game with a page of its own)
        """Return what a seat may know (a view of its own) as a scene: the other hands are empty, its own tells more.

        None: it is only to be had in words.
        """
        return None

    def story(self, number: int) -> Story:
        """Replay one game and return it scene by scene, with the positions between them: what a page steps through."""
        from wsim.positions.scenes import plain_story

        position = self.begin(number)
        found, made = [position.clone()], []
        while position.to_move is not None:
            made.append(position.follow())
            found.append(position.clone())
        policies = [str(seat["policy"]) for seat in self.trace(number)["seats"]]
        return plain_story(found, made, policies, self.phrase)

    def resolved(self) -> dict[str, Any]:
        """Return what is played with, after all patches and changes, as a JSON object: cards, boards, switches."""
        return {}

    def changed(self, other: Any) -> Sequence[str]:  # noqa: ARG002 (of a game with OWNED)
        """Return the names of what seats can have (``Game.OWNED``) that another simulator of the game has otherwise."""
        return ()


def _frame_of(rows: NDArray[Any]) -> pl.DataFrame:
    """Return the fields of structured rows as columns."""
    import numpy as np
    import polars as pl

    return pl.DataFrame({name: np.ascontiguousarray(rows[name]) for name in rows.dtype.names or ()})


Restrict: TypeAlias = "Callable[[Plan, int, str], Plan]"
"""Returns the plan in which a seat may not do some things (separated by commas), besides what it forbids already."""


@dataclass(frozen=True)
class PickExperiment:
    """How a game's picks are randomised, and what is asked of them then.

    Attributes
    ----------
    actions: what can be done with a card in a pick, each with a line for people.
    randomise: returns the plan in which each pick is replaced by a uniform one with this chance (text; or one for each
        seat, separated by commas) and recorded with its probability.
    effects: called with picks, seats, action, outcome (a column), against (``others`` or ``policy``) and level; returns
        the effects of the action by card, as ``wsim.wonders.analysis.pick_effects`` does.
    usual: the actions that are asked for unless others are named; none: all of them.
    ages: the ages that picks can be taken from, as in the column ``age`` of the picks; none: it has no such column.
    turns: the turns of an age, as in the column ``turn``; none: it has no such column.
    """

    actions: Mapping[str, str]
    randomise: Callable[[Plan, str], Plan]
    effects: Callable[[Frame, Frame, str, str, str, float], Table]
    usual: Sequence[str] = ()
    ages: Sequence[int] = ()
    turns: Sequence[int] = ()


@dataclass(frozen=True)
class Tuning:
    """How the values of a game are tuned (``wsim balance``): which there are, and what games say of a change unplayed.

    A value has a path, the names of its place in a patch (``("cards", "Palace", "points")``).

    Attributes
    ----------
    values: called with a simulator; returns every whole number that a patch can change, by path, those that are 0 too.
    worth: called with a simulator, a path and a seats table; returns how often the score of each row counts the value,
        so that games need not be played again to know what a change is worth. None: they must be.
    shares: called with a simulator and a seats table of whole games; returns a function of the places of some of these
        games and the points that each of their seats is given (games, seats), whose values are the win shares then.
    focus: called with a simulator and a path; returns the plan at whose every table what the value is about is in play,
        but for that with the same games, and a function that says for each row of a seats table of the simulator's own
        plan whether it is that. None: there is no such plan.
    """

    values: Callable[[Any], Mapping[tuple[str, ...], int]]
    worth: Callable[[Any, tuple[str, ...], pl.DataFrame], NDArray[np.int64] | None]
    shares: Callable[[Any, pl.DataFrame], Callable[[NDArray[Any], NDArray[Any]], NDArray[np.float64]]]
    focus: Callable[[Any, tuple[str, ...]], tuple[Plan, Callable[[pl.DataFrame], NDArray[np.bool_]]] | None]


class Game(ABC):
    """A game of the laboratory: the object that an entry point of the group ``wsim.games`` names.

    Attributes
    ----------
    NAME: the name of its entry point.
    TITLE: its name as people write it.
    OPTIONS: options of a plan that only this game has, each with a line of help.
    OWNED: what a seat may have or have not: how the columns of the seats table begin (``built:``), and what one such
        thing is called (card).
    COLOURS: CSS colours of names that everybody sees in a colour of their own: categories of points, colours of cards.
    ANALYSES: what a run can be asked, by name, in the order in which it is shown: where to find each
        ``wsim.stats.analysis.Analysis``, as ``module:NAME``.
    RESTRICT: forbids a seat something (``wsim whatif --ban``); None if no seat can be restricted.
    PICKS: how picks are randomised (``wsim experiment picks``); None if they cannot be.
    TUNING: how its values are tuned (``wsim balance``); None if they cannot be.
    POSITION_KEYS: what a position written by hand holds (``Simulator.set_up``); none: it cannot be written.
    LEARNER: where to find what ``wsim learn`` needs of the game, a ``wsim.learn.learner.Learner``, as ``module:NAME``;
        None if the game has no policy that learns.
    CATALOGUES: where to find what ``wsim catalog`` shows, a ``wsim.spec.catalogues.Catalogues``, as ``module:NAME``;
        None if there is nothing to show.
    REST: the file of how far its figures move between good players, as far as that comes with the game
        (``wsim.lab.rest_known``, docs/rest.md); None if nothing is known.
    OPEN: decisions that everybody sees as they are made, of a game whose positions keep no list of ``deeds``.
    """

    NAME: str
    TITLE: str
    OPTIONS: Mapping[str, str] = {}
    OWNED: Mapping[str, str] = {}
    COLOURS: Mapping[str, str] = {}
    ANALYSES: Mapping[str, str] = {
        "policies": "wsim.stats.shared:POLICIES",
        "strengths": "wsim.stats.shared:STRENGTHS",
        "matchups": "wsim.stats.shared:MATCHUPS",
    }
    RESTRICT: Restrict | None = None
    PICKS: PickExperiment | None = None
    TUNING: Tuning | None = None
    POSITION_KEYS: Sequence[str] = ()
    LEARNER: str | None = None
    CATALOGUES: str | None = None
    REST: Path | None = None
    OPEN: Sequence[str] = ()

    @abstractmethod
    def default_plan(self, ruleset: str | None = None) -> Mapping[str, Any]:
        """Return the defaults of the plan fields that depend on the game: ruleset, players, policies, rotate.

        ``ruleset`` is the one that the user asked for, known or not: player numbers may depend on it.
        """

    @abstractmethod
    def prepare(self, plan: Plan) -> Simulator:
        """Check a plan against the rules and make it ready; raise UserError for whatever cannot be played."""

    @abstractmethod
    def policies(self) -> Sequence[Mapping[str, Any]]:
        """Return the registry of policies as rows: name, kind, idea, parameters, source, random."""

    def cold(self) -> float:
        """Return about how many seconds the kernels have to compile first, 0 for none; must not compile anything."""
        return 0.0

    def plan_of(self, described: Mapping[str, Any], ruleset: str) -> Mapping[str, Any]:  # noqa: ARG002 (with POSITION_KEYS)
        """Return the keys of a plan that a position written by hand decides, in a rule set.

        Raises UserError where it cannot be one.
        """
        return {}

    def numbers(self, entry: Entry) -> Sequence[Number]:  # noqa: ARG002 (of a game whose policies have some)
        """Return the numbers that a line-up entry may set (weights, parameters), each with its value there.

        Raises UserError for an entry that cannot be played.
        """
        return ()


def find_game(name: str) -> Game:
    """Import and return the game called ``name``; raise UserError naming the known ones, or for a broken one."""
    found = load_game(name)
    if not isinstance(found, Game):
        raise UserError(f"the installed game {name!r} is no wsim.game.Game but {found!r}")
    return found


def find_analysis(game: Game, name: str) -> Analysis:
    """Import and return an analysis of a game; raise UserError naming those that it has."""
    from wsim.stats.analysis import Analysis

    if name not in game.ANALYSES:
        known = ", ".join(game.ANALYSES)
        raise UserError(f"{game.NAME} has no table of {name}: it has {known}{nearest(name, game.ANALYSES)}")
    module, _, attribute = game.ANALYSES[name].partition(":")
    found = vars(import_module(module))[attribute]
    assert isinstance(found, Analysis), game.ANALYSES[name]
    return found


def analyses_of(game: Game) -> dict[str, Analysis]:
    """Return the analyses of a game by name, in its order."""
    return {name: find_analysis(game, name) for name in game.ANALYSES}
