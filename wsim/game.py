"""What a game must offer to the laboratory, and the registry of games. Whoever asks a game anything asks through here.

A game is a package with a module that keeps the protocol ``Game``; what it makes of a plan is a ``Simulator``. A third
game is such a package with its data, a line in ``GAMES``, and a row in ``tests/games/test_conformance.py``, whose suite
holds every game to what is written here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, cast

from wsim.errors import UserError, nearest

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

    from wsim.lab.plan import Plan
    from wsim.policies.lineup import Entry
    from wsim.policies.numbers import Number
    from wsim.positions.scenes import Story
    from wsim.stats.analysis import Analysis
    from wsim.stats.games import Frame
    from wsim.stats.tables import Table

__all__ = [
    "GAMES", "Game", "PickExperiment", "Restrict", "Simulator", "Tuning", "analyses_of", "find_analysis", "find_game",
]  # fmt: skip

GAMES: Mapping[str, str] = {
    "seven_wonders": "wsim.wonders.game",
    "tower_of_babel": "wsim.babel.game",
}


class Simulator(Protocol):
    """One plan made ready to play: rules compiled, policies resolved, every input checked.

    Attributes
    ----------
    seats: rows a game writes to the seats table.
    row_dtype, pick_dtype: structured dtypes of the rows that the kernel writes.
    picks_per_game: an upper bound on the decisions of one game.
    """

    seats: int
    row_dtype: np.dtype[Any]
    pick_dtype: np.dtype[Any]
    picks_per_game: int

    @property
    def own_cards(self) -> Path | None:
        """The card file that comes with wsim and is read unless the plan names another; None if there is none."""
        ...

    def play(self, first: int, rows: NDArray[Any], picks: NDArray[Any] | None = None) -> int:
        """Play ``len(rows) // seats`` games numbered from ``first`` and fill the rows; return the picks written.

        Releases the interpreter lock, keeps no state, may be called from several threads at once. The rows of game g
        depend on (plan, seed, g) only.
        """
        ...

    def seats_frame(self, rows: NDArray[Any]) -> pl.DataFrame:
        """Return the seats table of these rows: one row per game and seat, in order.

        Every game has the columns game, seat (from 0), policy (Enum), total (the score) and win_share (1 for a single
        winner, 1/n for each of n). With ``rank`` (1 is best, equal ones share it) a seat that nobody plays for has
        rank 0; with ``team`` those of a team win together. ``points_NAME`` are parts of the total; what a seat has or
        has not is Boolean and called ``kind:NAME`` (see ``Game.OWNED``).
        """
        ...

    def picks_frame(self, picks: NDArray[Any]) -> pl.DataFrame:
        """Return the picks table: one row per decision, joined to the seats by game and seat."""
        ...

    def with_line_up(self, policies: Sequence[str]) -> Simulator:
        """Return the same rules and options with another line-up, made ready in less time than a whole plan."""
        ...

    def begin(self, number: int) -> Position:
        """Return the first decision of a game; the line-up has decided nothing yet."""
        ...

    def set_up(self, described: Mapping[str, Any]) -> Position:
        """Return a position that a person describes; raise UserError for one that cannot be, or in no way."""
        ...

    def trace(self, number: int) -> dict[str, Any]:
        """Replay one game and return its trace: a JSON object with format, game, seed and index, and what happened."""
        ...

    def text(self, trace: Mapping[str, Any]) -> str:
        """Return a trace as text for a person."""
        ...

    def phrase(self, move: Mapping[str, Any]) -> str:
        """Return a move of the trace in a few words: ``build Palace``."""
        ...

    def paid(self, move: Mapping[str, Any]) -> dict[str, int]:
        """Return who gets how many coins for a move: ``bank``, ``seat 2``."""
        ...

    def story(self, number: int) -> Story:
        """Replay one game and return it scene by scene, with the positions between them: what a page steps through."""
        ...

    def provenance(self) -> dict[str, Any]:
        """Return what made the rules as a JSON object: catalogue source and digest, switches, assumptions, policies."""
        ...

    def resolved(self) -> dict[str, Any]:
        """Return what is played with, after all patches and changes, as a JSON object: cards, boards, switches."""
        ...

    def changed(self, other: Any) -> Sequence[str]:
        """Return the names of what seats can have (``Game.OWNED``) that another simulator of the game has otherwise."""
        ...


class Position(Protocol):
    """A game in progress as a value: it can be asked, stepped, copied and played on (``Simulator.begin``)."""

    @property
    def to_move(self) -> int | None:
        """The player whose decision is next, None at the end."""
        ...

    def decision(self) -> str:
        """Return what is decided, as picks tables and traces call it."""
        ...

    def moves(self) -> Sequence[Mapping[str, Any]]:
        """Return the legal moves in their order, each as the trace has it; none at the end."""
        ...

    def take(self, index: int) -> None:
        """Make the legal move with this index and run on to the next decision."""
        ...

    def follow(self) -> int:
        """Make the move that the plan's own policy makes, in the very game that the plan plays; return its index."""
        ...

    def asked(self, simulator: Any, seed: int, number: int = 0) -> int:
        """Return the index of the move that a simulator's line-up would make here."""
        ...

    def clone(self) -> Position:
        """Return a copy."""
        ...

    def scores(self) -> list[dict[str, Any]]:
        """Return the scores of a game that is over as the trace has them, each with seat, total and win_share."""
        ...

    def standing(self) -> list[int]:
        """Return the score of every seat if the game ended here, as far as the rules score before the end."""
        ...

    def text(self, seat: int) -> list[str]:
        """Return what a seat may know as lines for a person, none wider than 80 columns."""
        ...

    def view(self, seat: int | None) -> dict[str, Any]:
        """Return what a seat may know as a JSON object; None: the whole position."""
        ...

    def columns(self, history: bool = True) -> tuple[str, ...]:
        """Return the names of the numbers of an observation; without history, of what lies on the table alone."""
        ...

    def observation(self, seat: int, size: int) -> NDArray[Any]:
        """Return the first ``size`` numbers of what a seat may know, int16."""
        ...

    def redrawn(self, seat: int, seed: int, number: int = 0) -> Position:
        """Return a copy in which all that the seat cannot know is drawn anew; a function of position, seed, number."""
        ...

    def play_out(self, simulator: Any, playouts: int, seat: int | None, seed: int, first: int = 0) -> NDArray[Any]:
        """Play to the end with a simulator's line-up; return (score, share of the victory), shape (n, seats, 2)."""
        ...

    def compare(
        self, simulator: Any, moves: Sequence[int], playouts: int, seat: int | None, seed: int, first: int = 0
    ) -> NDArray[Any]:
        """Play out after each of some moves, all from the same cards and streams; shape (n, moves, seats, 2)."""
        ...


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


class Game(Protocol):
    """A game of the laboratory: what the module named in ``GAMES`` offers. A game that lacks something says so.

    Attributes
    ----------
    NAME: its key in ``GAMES``.
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
    """

    NAME: str
    TITLE: str
    OPTIONS: Mapping[str, str]
    OWNED: Mapping[str, str]
    COLOURS: Mapping[str, str]
    ANALYSES: Mapping[str, str]
    RESTRICT: Restrict | None
    PICKS: PickExperiment | None
    TUNING: Tuning | None
    POSITION_KEYS: Sequence[str]
    LEARNER: str | None

    def default_plan(self, ruleset: str | None = None) -> Mapping[str, Any]:
        """Return the defaults of the plan fields that depend on the game: ruleset, players, policies, rotate.

        ``ruleset`` is the one that the user asked for, known or not: player numbers may depend on it.
        """
        ...

    def cold(self) -> float:
        """Return about how many seconds the kernels have to compile first, 0 for none; must not compile anything."""
        ...

    def prepare(self, plan: Plan) -> Simulator:
        """Check a plan against the rules and make it ready; raise UserError for whatever cannot be played."""
        ...

    def plan_of(self, described: Mapping[str, Any], ruleset: str) -> Mapping[str, Any]:
        """Return the keys of a plan that a position written by hand decides, in a rule set.

        Raises UserError where it cannot be one.
        """
        ...

    def policies(self) -> Sequence[Mapping[str, Any]]:
        """Return the registry of policies as rows: name, kind, idea, parameters, source, random."""
        ...

    def numbers(self, entry: Entry) -> Sequence[Number]:
        """Return the numbers that a line-up entry may set (weights, parameters), each with its value there.

        Raises UserError for an entry that cannot be played.
        """
        ...


def find_game(name: str) -> Game:
    """Import and return the game called ``name``; raise UserError naming the known ones."""
    if name not in GAMES:
        raise UserError(f"unknown game {name!r}: wsim plays {', '.join(GAMES)}{nearest(name, GAMES)}")
    return cast("Game", import_module(GAMES[name]))  # tests/games/test_conformance.py: mypy compares them with Game


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
