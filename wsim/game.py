"""What a game must offer to the laboratory, and the registry of games. Nothing in ``wsim.lab`` knows more than this."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from wsim.errors import UserError, nearest

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

    from wsim.lab.plan import Plan
    from wsim.lab.store import Run
    from wsim.stats.games import Frame
    from wsim.stats.tables import Table

__all__ = ["GAMES", "Game", "PickExperiment", "Restrict", "Simulator", "find_game"]

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

    def play(self, first: int, rows: NDArray[Any], picks: NDArray[Any] | None = None) -> int:
        """Play ``len(rows) // seats`` games numbered from ``first`` and fill the rows; return the picks written.

        Releases the interpreter lock, keeps no state, may be called from several threads at once. The rows of game g
        depend on (plan, seed, g) only.
        """
        ...

    def seats_frame(self, rows: NDArray[Any]) -> pl.DataFrame:
        """Return the seats table of these rows: one row per game and seat, in order."""
        ...

    def picks_frame(self, picks: NDArray[Any]) -> pl.DataFrame:
        """Return the picks table: one row per decision."""
        ...

    def trace(self, number: int) -> dict[str, Any]:
        """Replay one game and return its trace object."""
        ...

    def text(self, trace: Mapping[str, Any]) -> str:
        """Tell a trace to a person."""
        ...

    def provenance(self) -> dict[str, Any]:
        """Return what made the rules: catalogue source and digest, switches, assumptions, policies."""
        ...

    def changed(self, other: Any) -> Sequence[str]:
        """Return the names of what seats can have (``Game.OWNED``) that another simulator of the game has otherwise."""
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
    """

    actions: Mapping[str, str]
    randomise: Callable[[Plan, str], Plan]
    effects: Callable[[Frame, Frame, str, str, str, float], Table]
    usual: Sequence[str] = ()
    ages: Sequence[int] = ()


class Game(Protocol):
    """A game of the laboratory: module-level functions of ``wsim.<game>.game``.

    Attributes
    ----------
    NAME: its key in ``GAMES``.
    OPTIONS: options of a plan that only this game has, each with one line of help.
    OWNED: what a seat may have or have not: how the columns of the seats table begin (``built:``), and what one such
        thing is called (card).
    RESTRICT: forbids a seat something (``wsim whatif --ban``); None if no seat can be restricted.
    PICKS: how picks are randomised (``wsim experiment picks``); None if they cannot be.
    """

    NAME: str
    OPTIONS: Mapping[str, str]
    OWNED: Mapping[str, str]
    RESTRICT: Restrict | None
    PICKS: PickExperiment | None

    def default_plan(self, ruleset: str | None = None) -> Mapping[str, Any]:
        """Return the defaults of the plan fields that depend on the game: ruleset, players, policies, rotate.

        ``ruleset`` is the one that the user asked for, known or not: player numbers may depend on it.
        """
        ...

    def cold(self) -> float | bool:
        """Return about how many seconds the kernels have to compile first, or False; must not compile anything."""
        ...

    def tables(self) -> Mapping[str, Callable[[Run, Sequence[str]], Table]]:
        """Return the tables of a run by name, such as ``cards`` and ``wonders``: functions of a run and of the columns
        that split its rows (none: the table's own way); UserError where a table cannot be split so.
        """
        ...

    def summary(self, run: Run) -> Sequence[tuple[str, pl.DataFrame]]:
        """Return the titled tables that ``wsim run`` ends with."""
        ...

    def prepare(self, plan: Plan) -> Simulator:
        """Check a plan against the rules and make it ready; raise UserError for whatever cannot be played."""
        ...

    def policies(self) -> Sequence[Mapping[str, Any]]:
        """Return the registry of policies as rows: name, kind, idea, parameters, source, random."""
        ...


def find_game(name: str) -> Any:
    """Import and return the game called ``name``; raise UserError naming the known ones."""
    if name not in GAMES:
        raise UserError(f"unknown game {name!r}: wsim plays {', '.join(GAMES)}{nearest(name, GAMES)}")
    return import_module(GAMES[name])
