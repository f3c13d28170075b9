"""The interface of a game: abstract methods for the game's own rules, and default methods for everything else.

A third-party game is a package with a ``Game``, a ``Simulator`` of its plans, a ``Position`` if its games can be
stepped, and an entry point (``wsim.installed``); wsim itself needs no changes. A game with compiled kernels starts from
``wsim.positions.kernel_game``. ``tests/games/test_conformance.py`` checks every game against this interface.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Mapping, Sequence
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
    from wsim.spec.catalogues import Catalogues
    from wsim.stats.analysis import Analysis
    from wsim.stats.games import Frame
    from wsim.stats.tables import Table


class Simulator(ABC):
    """A plan ready to play: rules compiled, policies resolved, every input validated.

    Attributes
    ----------
    plan: the prepared plan.
    seats: rows per game in the seats table.
    row_dtype, pick_dtype: structured dtypes of the rows that ``play`` writes.
    picks_per_game: an upper bound on the decisions of one game.
    own_cards: the built-in card file, used unless the plan names a different one; None if there is none.
    """

    plan: Plan
    seats: int
    row_dtype: np.dtype[Any]
    pick_dtype: np.dtype[Any]
    picks_per_game: int
    own_cards: Path | None = None

    @abstractmethod
    def play(self, first: int, rows: NDArray[Any], picks: NDArray[Any] | None = None) -> int:
        """Play ``len(rows) // seats`` games numbered from ``first`` and fill the rows; return the number of picks.

        Releases the GIL if possible, keeps no state, and may be called from several threads at once. The rows of game g
        depend only on (plan, seed, g).
        """

    @abstractmethod
    def provenance(self) -> dict[str, Any]:
        """Return the source of the rules as a JSON object: catalogue and digest, switches, assumptions, policies.

        It must reflect all changes by ``plan.set`` and ``plan.patch``, because ``wsim whatif`` compares only plans
        whose provenance differs. That comparison ignores the list ``changes`` and file names in ``source`` and
        ``catalogue``.
        """

    @property
    def actions(self) -> Sequence[str]:
        """The names of all moves, as in ``phrase``, for environments of games without kernels; empty by default."""
        return ()

    def begin(self, number: int) -> Position:  # noqa: ARG002 (of a game that can be stepped)
        """Return the position before a game's first decision."""
        raise UserError(f"{self.plan.game} has no decisions that can be stepped")

    @property
    def labels(self) -> Sequence[str]:
        """The label shown in tables for each line-up entry, one per player."""
        names = [str(entry) for entry in self.plan.line_up]
        return names * self.plan.players if len(names) == 1 else names

    def seats_frame(self, rows: NDArray[Any]) -> pl.DataFrame:
        """Convert rows written by ``play`` to the seats table: one row per game and seat, in order.

        Every game has the columns game, seat (from 0), policy (Enum), total (the score) and win_share (1 for a single
        winner, 1/n for each of n). With ``rank`` (1 is best, ties share it), a seat that does not compete has rank 0;
        with ``team``, the seats of a team win together. ``points_NAME`` are parts of the total; owned items are Boolean
        columns ``kind:NAME`` (see ``Game.OWNED``).

        By default the columns are the fields of the rows, where ``policy`` is an index into ``labels``.
        """
        import polars as pl

        names = pl.Series(self.labels, dtype=pl.Enum(list(dict.fromkeys(self.labels))))
        return _frame_of(rows).with_columns(policy=names.gather(rows["policy"]))

    def picks_frame(self, picks: NDArray[Any]) -> pl.DataFrame:
        """Convert picks written by ``play`` to the picks table: one row per decision, joined to seats on game and seat.

        By default the columns are the fields of the picks.
        """
        return _frame_of(picks)

    def with_line_up(self, policies: Sequence[str]) -> Simulator:
        """Return a simulator with a different line-up, sharing rules and options; faster than preparing a new plan."""
        return find_game(self.plan.game).prepare(self.plan.replace(policies=policies))

    def play_seated(self, first: int, rows: NDArray[Any], orders: NDArray[np.int64]) -> None:
        """Play games numbered from ``first`` and fill the rows, each game with a different order of the line-up.

        Parameters
        ----------
        orders: the line-up entry in each seat, shape (games, players); everything else about a seat is unchanged.
        """
        entries = [str(entry) for entry in self.plan.line_up]
        for game, order in enumerate(orders.tolist()):
            seated = self.with_line_up([entries[index] for index in order])
            seated.play(first + game, rows[game * self.seats : (game + 1) * self.seats])

    def set_up(self, described: Mapping[str, Any]) -> Position:  # noqa: ARG002 (of a game with POSITION_KEYS)
        """Set up a position from a hand-written description; raise UserError if it is impossible or invalid."""
        raise UserError(f"a position of {self.plan.game} cannot be described")

    def trace(self, number: int) -> dict[str, Any]:
        """Replay one game and return its trace: a JSON object with format, game, seed, index, and the events.

        By default its events are all moves, as the position describes them.
        """
        position, moves = self.begin(number), []
        while (seat := position.to_move) is not None:
            legal = position.moves()
            moves.append({"seat": seat, **legal[position.follow()]})
        shift, labels = number if self.plan.rotate else 0, self.labels
        return {
            "format": "wsim-trace/1",
            "game": self.plan.game,
            "ruleset": self.plan.ruleset,
            "seed": self.plan.seed,
            "index": number,
            "seats": [{"policy": labels[(place + shift) % len(labels)]} for place in range(len(labels))],
            "moves": moves,
            "scores": position.scores(),
        }

    def text(self, trace: Mapping[str, Any]) -> str:
        """Return a trace as readable text; by default one line per move, then the scores."""
        seats = [f"seat {seat} {row['policy']}" for seat, row in enumerate(trace["seats"])]
        moves = [f"seat {move['seat']}: {self.phrase(move)}" for move in trace["moves"]]
        scores = ", ".join(f"seat {score['seat']} {score['total']}" for score in trace["scores"])
        return "\n".join([f"Game {trace['index']}: {', '.join(seats)}", *moves, f"Scores: {scores}"])

    def phrase(self, move: Mapping[str, Any]) -> str:
        """Describe a move of the trace in a few words: ``build Palace``."""
        return ", ".join(f"{name} {value}" for name, value in move.items() if name not in ("seat", "index"))

    def payments(self, move: Mapping[str, Any]) -> dict[str, int]:  # noqa: ARG002 (of a game with coins)
        """Return the payments for a move: coins by recipient (``bank``, ``seat 2``)."""
        return {}

    def public_move_text(self, move: Mapping[str, Any]) -> str:
        """Describe the public part of a move in a few words; ``move`` is an entry of a position's ``public_moves``."""
        return self.phrase(move)

    def scene(self, view: Mapping[str, Any]) -> Scene | None:  # noqa: ARG002 (of a game with a page of its own)
        """Return a seat's view as a scene for a page, with the other hands empty.

        None means that the game has only a text version.
        """
        return None

    def moment(self, position: Any) -> Hashable:  # noqa: ARG002 (of a game with scenes)
        """Return a value, such as the turn, that changes at each moment when a page should pause."""
        return None

    def known_points(self, position: Any) -> list[Mapping[str, int]]:  # noqa: ARG002 (of a game with open points)
        """Return each seat's publicly known points by category; an empty list by default."""
        return []

    def story(self, number: int) -> Story:
        """Replay one game and return its scenes, for a page that steps through them."""
        from wsim.positions.scenes import plain_story

        position = self.begin(number)
        positions, made = [position.clone()], []
        while position.to_move is not None:
            made.append(position.follow())
            positions.append(position.clone())
        policies = [str(seat["policy"]) for seat in self.trace(number)["seats"]]
        return plain_story(positions, made, policies, self.phrase)

    def resolved(self) -> dict[str, Any]:
        """Return the catalogue with all patches and changes applied, as a JSON object: cards, boards, switches."""
        return {}

    def changed(self, other: Any) -> Sequence[str]:  # noqa: ARG002 (of a game with OWNED)
        """Return the names of items (``Game.OWNED``) whose definition differs in another simulator of the game."""
        return ()


def _frame_of(rows: NDArray[Any]) -> pl.DataFrame:
    """Convert a structured array to a frame with one column per field."""
    import numpy as np
    import polars as pl

    return pl.DataFrame({name: np.ascontiguousarray(rows[name]) for name in rows.dtype.names or ()})


Restrict: TypeAlias = "Callable[[Plan, int, str], Plan]"
"""Called with a plan, a seat and comma-separated actions; returns a plan that also forbids the seat these actions."""


@dataclass(frozen=True)
class PickExperiment:
    """Describes how a game's picks are randomised and analysed.

    Attributes
    ----------
    actions: the possible actions with a picked card, each with a line of help.
    randomise: called with a plan and a chance as text (or one chance per seat, separated by commas); returns the plan
        in which each pick is replaced by a uniformly random one with this chance and recorded with its probability.
    effects: called with picks, seats, action, outcome (a column), against (``others`` or ``policy``) and level; returns
        the effects of the action by card, as ``wsim.wonders.analysis.pick_effects`` does.
    usual: the default actions; empty: all.
    ages, turns: the values of the columns ``age`` and ``turn`` of the picks; empty if there is no such column.
    """

    actions: Mapping[str, str]
    randomise: Callable[[Plan, str], Plan]
    effects: Callable[[Frame, Frame, str, str, str, float], Table]
    usual: Sequence[str] = ()
    ages: Sequence[int] = ()
    turns: Sequence[int] = ()


@dataclass(frozen=True)
class Tuning:
    """Describes how a game's values are tuned (``wsim balance``), and predicts changes without playing.

    A value is identified by its path in a patch (``("cards", "Palace", "points")``).

    Attributes
    ----------
    values: called with a simulator; returns every whole number that a patch can change, by path, zeros included.
    worth: called with a simulator, a path and a seats table; returns how many times the score of each row counts the
        value, so that the effect of a change is known without playing again. None: games must be played again.
    shares: called with a simulator and a seats table of whole games; returns a function of the indices of some of these
        games and the points added to each of their seats (games, seats), which returns the resulting win shares.
    focus: called with a simulator and a path; returns a plan that differs only in that the item with this value is
        always in play, and a function that returns, for each row of a seats table of the original plan, whether the
        seat has the item. None: there is no such plan.
    """

    values: Callable[[Any], Mapping[tuple[str, ...], int]]
    worth: Callable[[Any, tuple[str, ...], pl.DataFrame], NDArray[np.int64] | None]
    shares: Callable[[Any, pl.DataFrame], Callable[[NDArray[Any], NDArray[Any]], NDArray[np.float64]]]
    focus: Callable[[Any, tuple[str, ...]], tuple[Plan, Callable[[pl.DataFrame], NDArray[np.bool_]]] | None]


class Game(ABC):
    """A game that wsim can play: the object that an entry point of the group ``wsim.games`` names.

    Attributes
    ----------
    NAME: the name of its entry point.
    TITLE: its display name.
    OPTIONS: the game's own plan options, each with a line of help.
    OWNED: items that a seat can own: the prefix of their columns in the seats table (``built:``), and the noun for an
        item (card).
    COLOURS: CSS colours of names: categories of points, colours of cards.
    FORMER_TABLES: former names of analyses, with the current ones.
    ANALYSES: the analyses of a run by name, in display order: the location of each ``wsim.stats.analysis.Analysis``, as
        ``module:NAME``.
    RESTRICT: forbids a seat some actions (``wsim whatif --ban``); None if seats cannot be restricted.
    PICKS: how picks are randomised (``wsim experiment picks``); None if they cannot be.
    WISHES: the location of the ``wsim.stats.worth.WishReader`` of a game whose plans have the option ``overrule``
        (``wsim experiment worth``), as ``module:NAME``; None if there is none.
    TUNING: how its values are tuned (``wsim balance``); None if they cannot be.
    POSITION_KEYS: the keys of a hand-written position (``Simulator.set_up``); empty: not supported.
    LEARNER: the location of the ``wsim.learn.learner.Learner`` for ``wsim learn``, as ``module:NAME``; None if the game
        has no policy that learns.
    CATALOGUES: the ``wsim.spec.catalogues.Catalogues`` for ``wsim catalog``, or its location, as ``module:NAME``; None
        if the game has none.
    REST: the built-in file of differences between good players in the game's figures (``wsim.lab.rest_known``,
        docs/robustness.md); None if it has none.
    OPEN: decisions that all players see, in a game whose positions have no list of ``public_moves``.
    """

    NAME: str
    TITLE: str
    OPTIONS: Mapping[str, str] = {}
    OWNED: Mapping[str, str] = {}
    COLOURS: Mapping[str, str] = {}
    FORMER_TABLES: Mapping[str, str] = {}
    ANALYSES: Mapping[str, str] = {
        "policies": "wsim.stats.shared:POLICIES",
        "strengths": "wsim.stats.shared:STRENGTHS",
        "matchups": "wsim.stats.shared:MATCHUPS",
    }
    RESTRICT: Restrict | None = None
    PICKS: PickExperiment | None = None
    WISHES: str | None = None
    TUNING: Tuning | None = None
    POSITION_KEYS: Sequence[str] = ()
    LEARNER: str | None = None
    CATALOGUES: str | Catalogues | None = None
    REST: Path | None = None
    OPEN: Sequence[str] = ()

    @abstractmethod
    def default_plan(self, ruleset: str | None = None) -> Mapping[str, Any]:
        """Return the defaults of plan fields that depend on the game: ruleset, players, policies, rotate.

        ``ruleset`` is the requested rule set (valid or not): the number of players may depend on it.
        """

    @abstractmethod
    def prepare(self, plan: Plan) -> Simulator:
        """Validate a plan against the rules and prepare it; raise UserError for anything that cannot be played."""

    @abstractmethod
    def policies(self) -> Sequence[Mapping[str, Any]]:
        """Return the game's policies as rows with name, kind, idea, parameters, source and random."""

    def cold(self) -> float:
        """Estimate the remaining compilation time in seconds, 0 if none, without compiling anything."""
        return 0.0

    def plan_of(self, described: Mapping[str, Any], ruleset: str) -> Mapping[str, Any]:  # noqa: ARG002 (with POSITION_KEYS)
        """Return the plan keys that a hand-written position determines under a rule set.

        Raises UserError if the position is invalid.
        """
        return {}

    def numbers(self, entry: Entry) -> Sequence[Number]:  # noqa: ARG002 (of a game whose policies have some)
        """Return all weights and numeric parameters that a line-up entry may set, with their values in the entry.

        Raises UserError for an entry that cannot be played.
        """
        return ()


def find_game(name: str) -> Game:
    """Import and return the game called ``name``; raise UserError for an unknown or broken one."""
    game = load_game(name)
    if not isinstance(game, Game):
        raise UserError(f"the installed game {name!r} is not a wsim.game.Game but {game!r}")
    return game


def find_analysis(game: Game, name: str) -> Analysis:
    """Import and return a game's analysis by name; raise UserError with the known names if it does not exist."""
    from wsim.stats.analysis import Analysis

    name = game.FORMER_TABLES.get(name, name)
    if name not in game.ANALYSES:
        known = ", ".join(game.ANALYSES)
        raise UserError(f"{game.NAME} has no table of {name}{nearest(name, game.ANALYSES)}: it has {known}")
    module, _, attribute = game.ANALYSES[name].partition(":")
    analysis = vars(import_module(module))[attribute]
    assert isinstance(analysis, Analysis), game.ANALYSES[name]
    return analysis


def analyses_of(game: Game) -> dict[str, Analysis]:
    """Return a game's analyses by name, in the game's display order."""
    return {name: find_analysis(game, name) for name in game.ANALYSES}
