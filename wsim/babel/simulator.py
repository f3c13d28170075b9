"""One plan of Tower of Babel made ready to play."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from wsim.babel.catalog import Catalogue
from wsim.babel.catalog.bounds import most_actions
from wsim.babel.catalog.compiling import compile_rules
from wsim.babel.catalog.loading import BABEL_TOML
from wsim.babel.catalog.model import SECTION
from wsim.babel.describe.text import game_text, phrase
from wsim.babel.describe.trace import trace_of
from wsim.babel.frames import picks_frame, seats_frame
from wsim.babel.kernels.engine import ERROR, play_chunk
from wsim.babel.kernels.layout import ACTION_DRAWS, GAME, LOG_ALL, LOG_PICKS, PICK, ROW, SEATING, STATE, records
from wsim.babel.words import EXCHANGE_CARDS
from wsim.errors import UserError
from wsim.game import Simulator
from wsim.jit import addresses_of, source_digest

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    from wsim.babel.position import BabelPosition
    from wsim.lab.plan import Plan
    from wsim.policies.registry import LineUp
    from wsim.positions.machine import Machine
    from wsim.positions.many import Many
    from wsim.positions.scenes import Story

__all__ = ["BabelSimulator", "most_picks"]


class BabelSimulator(Simulator):
    """One plan made ready to play (``wsim.game.Simulator``).

    Attributes
    ----------
    seats, row_dtype, pick_dtype, picks_per_game: see ``wsim.game.Simulator``.
    catalogue: the components and switches in force. line_up: its policies, resolved.
    """

    row_dtype = ROW
    pick_dtype = PICK
    own_cards = BABEL_TOML

    def __init__(self, plan: Plan, catalogue: Catalogue, line_up: LineUp) -> None:
        rules = compile_rules(catalogue, plan.players)
        self.plan, self.catalogue, self.line_up = plan, catalogue, line_up
        self.seats = int(rules.seats)
        self.picks_per_game = most_picks(rules)
        self._rules = rules
        self._addresses = addresses_of(line_up.entrances)
        self._seating = records(1, SEATING)[0]
        self._seating.seed = plan.seed
        self._seating.rotate = plan.rotate
        line_up.fill(self._seating, lambda net: net.laid())
        self._local = threading.local()

    @property
    def compiled(self) -> tuple[Any, Any, LineUp]:
        """The records of rules and seating that kernels play by, and the line-up."""
        return self._rules, self._seating, self.line_up

    @cached_property
    def machine(self) -> Machine:
        """The kernels, ready for positions."""
        from wsim.babel.kernels.machine import run_machine
        from wsim.positions.machine import Machine

        return Machine(run_machine, GAME, STATE, *self.compiled)

    @cached_property
    def many(self) -> Many:
        """The kernels, ready for many games at once."""
        from wsim.babel.many import many_of

        return many_of(self)

    def with_line_up(self, policies: Sequence[str]) -> BabelSimulator:
        """Return the same rules and options with another line-up."""
        from wsim.babel.registry import POLICIES
        from wsim.policies.registry import resolve

        plan = self.plan.replace(policies=policies)
        return BabelSimulator(plan, self.catalogue, resolve(plan.line_up, plan.players, POLICIES))

    def begin(self, number: int) -> BabelPosition:
        """Return the first decision of game ``number``; its players have not been asked yet."""
        from wsim.babel.position import BabelPosition

        return BabelPosition(self, number)

    def set_up(self, described: Mapping[str, Any]) -> BabelPosition:
        """Return a position that a person describes; raise UserError for one that cannot be."""
        from wsim.babel.describe.setup import set_up

        return set_up(self.begin(0), described)

    @property
    def labels(self) -> tuple[str, ...]:
        """The name of each line-up entry in every table."""
        return self.line_up.labels

    def _game(self) -> Any:
        """Return the GAME record of this thread."""
        if not hasattr(self._local, "game"):
            self._local.game = records(1, GAME)[0]
        return self._local.game

    def _run(self, first: int, rows: NDArray[Any], picks: NDArray[Any] | None, logging: int) -> int:
        """Play games and return the picks written; raise UserError if a policy returned an impossible index."""
        game = self._game()
        room = np.zeros(0, PICK) if picks is None else picks
        shaped = (rows.view(np.recarray), room.view(np.recarray))
        with np.errstate(over="ignore"):  # the random numbers wrap, which numpy reports without the JIT
            arguments = (game, self._rules, self._seating, self._addresses, first)
            try:
                written = int(play_chunk(*arguments, *shaped, logging))
            except Exception as error:
                self.line_up.raise_failure(error)  # a user's policy that failed is named
                raise
        if written == ERROR:
            self.line_up.raise_failure()
            _, entrant, index, count = (int(number) for number in game.error)
            raise UserError(
                f"policy {self.labels[entrant]!r} returned {index}: "
                f"an index from 0 to {count - 1} into the list of legal moves is needed"
            )
        return written

    def play(self, first: int, rows: NDArray[Any], picks: NDArray[Any] | None = None) -> int:
        """Play the games numbered from ``first``, fill the rows and return the picks written."""
        return self._run(first, rows, picks, 0 if picks is None else LOG_PICKS)

    def seats_frame(self, rows: NDArray[Any]) -> pl.DataFrame:
        """Return the seats table of rows (``rows.SEAT_COLUMNS``)."""
        return seats_frame(rows, self.labels, self.seats, self.catalogue)

    def picks_frame(self, picks: NDArray[Any]) -> pl.DataFrame:
        """Return the picks table (``rows.PICK_COLUMNS``)."""
        return picks_frame(picks, self.labels, self.catalogue)

    def trace(self, number: int) -> dict[str, Any]:
        """Replay one game and return its trace (docs/trace.md)."""
        rows = np.zeros(self.seats, ROW)
        self._run(number, rows, None, LOG_ALL)
        return trace_of(self.catalogue, self._game(), rows, self.labels, self.plan.seed, number)

    def text(self, trace: Mapping[str, Any]) -> str:
        """Return a trace as text for a person."""
        return game_text(trace)

    def phrase(self, move: Mapping[str, Any]) -> str:
        """Return a move in a few words."""
        return phrase(move)

    def story(self, number: int) -> Story:
        """Return one game scene by scene: a turn each."""
        from wsim.babel.describe.scenes import story
        from wsim.positions.scenes import moments

        return story(self.trace(number), moments(self.begin(number), lambda one: int(one.record.public.turn)))

    def resolved(self) -> dict[str, Any]:
        """Return the catalogue in force, patches and changes laid over it, as a JSON object."""
        return {SECTION: json.loads(json.dumps(self.catalogue.section))}

    def provenance(self) -> dict[str, Any]:
        """Return what made the rules: catalogue, switches, assumptions in force, policies."""
        return {
            "ruleset": self.catalogue.ruleset,
            "catalogue": Path(self.catalogue.source).name,
            "catalogue_digest": self.catalogue.digest,
            "engine": source_digest("babel.kernels"),
            "changes": list(self.catalogue.changes),
            "switches": dict(self.catalogue.rules),
            "assumptions": [str(assumption) for assumption in self.catalogue.assumptions()],
            "policies": dict(self.line_up.digests),
        }


def most_picks(rules: Any) -> int:
    """Return an upper bound on the decisions of one game.

    In each action: the turn, an offer and perhaps a bluff of every opponent, partners, completion. Action cards add the
    windows of their holders, the Double turn and the Triple bonus, and each Card exchange its own decisions.
    """
    opponents = int(rules.seats) - 1
    an_action = 3 + opponents * (2 if rules.allow_bluff_cards else 1)
    actions, once = most_actions(rules), 0
    if rules.use_action_cards:
        an_action += 2 * int(rules.seats) + 1 + opponents
        once = ACTION_DRAWS * (2 + int(rules.effects[EXCHANGE_CARDS]))
    return actions * an_action + once
