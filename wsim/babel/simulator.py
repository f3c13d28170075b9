"""One plan of Tower of Babel made ready to play."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from wsim.babel.catalog import Catalog
from wsim.babel.frames import picks_frame, seats_frame
from wsim.babel.kernels.engine import ERROR, play_chunk
from wsim.babel.kernels.layout import (
    ACTION_DRAWS,
    EXCHANGE_CARDS,
    GAME,
    LOG_ALL,
    LOG_PICKS,
    PICK,
    ROW,
    SEATING,
    records,
)
from wsim.babel.players import Player
from wsim.babel.trace import make_trace
from wsim.babel.trace_text import game_text
from wsim.errors import UserError
from wsim.jit import addresses_of, source_digest

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

__all__ = ["BabelSimulator", "most_picks"]


class BabelSimulator:
    """One plan made ready to play (``wsim.game.Simulator``).

    Attributes
    ----------
    seats, row_dtype, pick_dtype, picks_per_game: see ``wsim.game.Simulator``.
    catalog: the components and switches in force. players: the line-up, one entry per seat.
    """

    row_dtype = ROW
    pick_dtype = PICK

    def __init__(self, catalog: Catalog, rules: Any, players: Sequence[Player], *, seed: int, rotate: bool) -> None:
        self.catalog, self.players = catalog, tuple(players)
        self.seats = int(rules.seats)
        self.picks_per_game = most_picks(rules)
        self._rules = rules
        self._addresses = addresses_of([player.function for player in players])
        self._seating = records(1, SEATING)[0]
        self._seed = seed
        self._seating.seed = seed
        self._seating.rotate = rotate
        for number, player in enumerate(players):
            self._seating.parameters[number] = player.parameters
            self._seating.weights[number] = player.weights
        self._local = threading.local()

    @property
    def labels(self) -> tuple[str, ...]:
        """The line-up entries as written."""
        return tuple(player.label for player in self.players)

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
            written = int(play_chunk(game, self._rules, self._seating, self._addresses, first, *shaped, logging))
        if written == ERROR:
            for player in self.players:
                if player.plugged is not None and (complaint := player.plugged.complaint(player.label)):
                    raise complaint
            _, entry, index, count = (int(number) for number in game.hidden.error)
            raise UserError(
                f"the policy {self.labels[entry]!r} returned {index}: "
                f"an index from 0 to {count - 1} into the list of legal moves is needed"
            )
        return written

    def play(self, first: int, rows: NDArray[Any], picks: NDArray[Any] | None = None) -> int:
        """Play the games numbered from ``first``, fill the rows and return the picks written."""
        return self._run(first, rows, picks, 0 if picks is None else LOG_PICKS)

    def seats_frame(self, rows: NDArray[Any]) -> pl.DataFrame:
        """Return the seats table of rows (``rows.SEAT_COLUMNS``)."""
        return seats_frame(rows, self.labels, self.seats, self.catalog)

    def picks_frame(self, picks: NDArray[Any]) -> pl.DataFrame:
        """Return the picks table (``rows.PICK_COLUMNS``)."""
        return picks_frame(picks, self.labels, self.catalog)

    def trace(self, number: int) -> dict[str, Any]:
        """Replay one game and return its trace (TRACE.md)."""
        rows = np.zeros(self.seats, ROW)
        self._run(number, rows, None, LOG_ALL)
        game = self._game()
        return {
            "format": "wsim-trace/1",
            "game": "tower_of_babel",
            "ruleset": self.catalog.ruleset,
            "seed": self._seed,
            "index": number,
            "seats": [{"policy": self.labels[int(row["entry"])]} for row in rows],
            **make_trace(self.catalog, game, rows),
        }

    def text(self, trace: Mapping[str, Any]) -> str:
        """Tell a trace to a person."""
        return game_text(trace)

    def provenance(self) -> dict[str, Any]:
        """Return what made the rules: catalogue, switches, assumptions in force, policies."""
        return {
            "ruleset": self.catalog.ruleset,
            "catalogue": self.catalog.source,
            "catalogue_digest": self.catalog.digest,
            "engine": source_digest("babel.kernels"),
            "changes": list(self.catalog.changes),
            "switches": dict(self.catalog.rules),
            "assumptions": [str(assumption) for assumption in self.catalog.assumptions()],
            "policies": {player.label: player.digest for player in self.players},
        }


def most_picks(rules: Any) -> int:
    """Return an upper bound on the decisions of one game.

    In each action: the turn, an offer and perhaps a bluff of every opponent, partners, completion. Action cards add the
    windows of their holders, the Double turn and the Triple bonus, and each Card exchange its own decisions.
    """
    opponents = int(rules.seats) - 1
    an_action = 3 + opponents * (2 if rules.allow_bluff_cards else 1)
    actions, once = int(rules.turn_limit), 0
    if rules.use_action_cards:
        an_action += 2 * int(rules.seats) + 1 + opponents
        actions += ACTION_DRAWS  # Double turns
        once = ACTION_DRAWS * (2 + int(rules.effects[EXCHANGE_CARDS]))
    return actions * an_action + once
