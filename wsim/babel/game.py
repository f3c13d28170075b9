"""Tower of Babel as the laboratory sees it (``wsim.game.Game``)."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from wsim.babel.catalog import Catalog, load_catalog
from wsim.babel.engine import FAULT, play_chunk
from wsim.babel.layout import GAME, LOG_ALL, LOG_PICKS, PICK, ROW, SEATING, SEATS, records
from wsim.babel.policies import Player, make_player, registry_rows
from wsim.babel.rows import picks_frame, seats_frame
from wsim.babel.tables import make_tables
from wsim.babel.text import game_text
from wsim.babel.trace import make_trace
from wsim.errors import UserError, nearest
from wsim.jit import cache_is_cold
from wsim.lab.lineup import parse_entry

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    from wsim.lab.plan import Plan

__all__ = ["NAME", "OPTIONS", "cold", "default_plan", "policies", "prepare"]

NAME = "tower_of_babel"
OPTIONS: Mapping[str, str] = {
    "action_cards": "play with the action cards: true or false (babel.rules.use_action_cards)",
    "two_colour_discs": "play with the two-colour discs: true or false (babel.rules.use_two_colour_discs)",
}
_WORDS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}


def default_plan(ruleset: str | None = None) -> Mapping[str, Any]:
    """Return the plan fields that depend on the game: rule set, four players, one of each named set of weights."""
    return {"ruleset": "2005", "players": 4, "policies": ("builder", "supplier", "collector", "majority")}


def cold() -> bool:
    """Say whether the engine has still to be compiled on this machine."""
    return bool(cache_is_cold("babel", "play_chunk"))


def policies() -> Sequence[Mapping[str, Any]]:
    """Return the registry of policies as rows: name, kind, idea, parameters, source, random."""
    return registry_rows()


def prepare(plan: Plan) -> BabelTable:
    """Check a plan against the rules and make it ready; raise UserError for whatever cannot be played."""
    options = {f"use_{name}": _flag(name, value) for name, value in plan.options.items()}
    cards = None if plan.cards is None else Path(plan.cards)
    catalog = load_catalog(cards, tuple(Path(patch) for patch in plan.patch), plan.set, options)
    if plan.ruleset != catalog.ruleset:
        guess = nearest(plan.ruleset, [catalog.ruleset])
        raise UserError(f"unknown rule set {plan.ruleset!r}{guess}; Tower of Babel has {catalog.ruleset}")
    tables = make_tables(catalog, plan.players)
    entries = tuple(plan.policies)
    if len(entries) not in (1, plan.players):
        raise UserError(f"{len(entries)} policies for {plan.players} players: give one for all seats or one per seat")
    players = [make_player(parse_entry(entry)) for entry in entries]
    if len(players) == 1:
        players *= plan.players
    return BabelTable(catalog, tables, players, seed=plan.seed, rotate=plan.rotate)


def _flag(name: str, value: Any) -> bool:
    """Read an option that is on or off."""
    if name not in OPTIONS:
        raise UserError(f"unknown option {name!r}{nearest(name, OPTIONS)}; Tower of Babel has {', '.join(OPTIONS)}")
    word = str(value).strip().lower()
    if word not in _WORDS:
        raise UserError(f"the option {name} is true or false, not {value!r}{nearest(word, _WORDS)}")
    return _WORDS[word]


class BabelTable:
    """One plan made ready to play (``wsim.game.Table``).

    Attributes
    ----------
    seats, row_dtype, pick_dtype, picks_per_game: see ``wsim.game.Table``.
    catalog: the components and switches in force. players: the line-up, one entry per seat.
    """

    row_dtype = ROW
    pick_dtype = PICK

    def __init__(self, catalog: Catalog, tables: Any, players: Sequence[Player], *, seed: int, rotate: bool) -> None:
        self.catalog, self.players = catalog, tuple(players)
        self.seats = int(tables.seats)
        self.picks_per_game = most_picks(tables)
        self._tables = tables
        self._line_up = tuple(player.function for player in players)
        self._line_up += self._line_up[:1] * (SEATS - len(players))
        self._seating = records(1, SEATING)[0]
        self._seating.seed = np.array(seed % 2**64, np.uint64).astype(np.int64)
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
            written = int(play_chunk(game, self._tables, self._seating, self._line_up, first, *shaped, logging))
        if written == FAULT:
            _, entry, index, count = (int(number) for number in game.hidden.fault)
            raise UserError(
                f"the policy {self.labels[entry]!r} returned {index} for a list of {count} moves: 0 to {count - 1}"
            )
        return written

    def play(self, first: int, rows: NDArray[Any], picks: NDArray[Any] | None = None) -> int:
        """Play the games numbered from ``first``, fill the rows and return the picks written."""
        return self._run(first, rows, picks, 0 if picks is None else LOG_PICKS)

    def seats_frame(self, rows: NDArray[Any]) -> pl.DataFrame:
        """Return the seats table of rows (``rows.SEAT_COLUMNS``)."""
        return seats_frame(rows, self.labels, self.seats)

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
            "game": NAME,
            "ruleset": self.catalog.ruleset,
            "seed": int(self._seating.seed) % 2**64,
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
            "catalogue": {
                "source": self.catalog.source,
                "digest": self.catalog.digest,
                "changes": list(self.catalog.changes),
            },
            "switches": dict(self.catalog.rules),
            "assumptions": [str(assumption) for assumption in self.catalog.assumptions()],
            "policies": list(self.labels),
        }


def most_picks(tables: Any) -> int:
    """Return an upper bound on the decisions of one game.

    In each action: the turn, an offer and perhaps a bluff of every opponent, partners, completion. Action cards add the
    windows of their holders, the Double turn and the Triple bonus, and each Card exchange its own decisions.
    """
    opponents = int(tables.seats) - 1
    an_action = 3 + opponents * (2 if tables.allow_bluff_cards else 1)
    actions, once = int(tables.turn_limit), 0
    if tables.use_action_cards:
        an_action += 2 * int(tables.seats) + 1 + opponents
        most_drawn = 8
        actions += most_drawn
        once = most_drawn * (2 + int(tables.effects[0]))
    return actions * an_action + once
