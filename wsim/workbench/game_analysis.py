"""What the decisions of a game were worth, worked out by one thread while browsers wait; branches of the game."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from wsim.errors import UserError
from wsim.positions.as_played import decisions_of
from wsim.positions.game_value import Game
from wsim.positions.why import why_along

MOST_KEPT = 24
MOST_WAITING = 6
MOST_BRANCHES = 20


class _StoppedError(Exception):
    """The workbench ends."""


class Analysis:
    """A game, and what its decisions were worth as soon as that is known.

    Attributes
    ----------
    game: None until it is made ready. why: what ``wsim trace --why`` says of it, None until it is known.
    version: counts the changes. done, of: decisions that were valued, and all of them. failure: why there is none.
    """

    def __init__(self, make: Callable[[], Game], playouts: int) -> None:
        self._make, self.playouts = make, playouts
        self.game: Game | None = None
        self.decisions: list[tuple[Game, int]] = []
        self.why: dict[str, Any] | None = None
        self.version = self.done = self.of = 0
        self.failure = ""
        self.stop = False

    @property
    def going_on(self) -> bool:
        """Whether it is not finished."""
        return not self.failure and self.why is None

    def work_out(self) -> None:
        """Value every decision."""
        try:
            self.game = self._make()
            self.decisions = list(decisions_of(self.game))
            if not self.decisions:
                raise UserError("nothing has been decided in this game yet")
            self.why = why_along(self.decisions, self.playouts, progress=self._heard)
        except (UserError, OSError) as error:
            self.failure = str(error)
        except _StoppedError:
            self.failure = "stopped"
        self.version += 1

    def _heard(self, _what: str, done: int, of: int) -> None:
        if self.stop:
            raise _StoppedError
        self.done, self.of = done, of
        self.version += 1


class Analyses:
    """Analyses by what was asked; the latest are kept."""

    def __init__(self) -> None:
        self._found: dict[Hashable, Analysis] = {}
        self._lock, self._worker = threading.Lock(), ThreadPoolExecutor(1, "wsim-analysis")

    def of(self, key: Hashable, make: Callable[[], Game], playouts: int) -> Analysis:
        """Return the analysis of what was asked; begin it unless it is there. Raises UserError if too many wait."""
        with self._lock:
            found = self._found.get(key)
            if found is None:
                if sum(one.going_on for one in self._found.values()) >= MOST_WAITING:
                    raise UserError(f"{MOST_WAITING} games are being analysed: wait for one of them")
                found = Analysis(make, playouts)
                self._worker.submit(found.work_out)
            self._found.pop(key, None)
            self._found[key] = found  # the latest is the last
            for old in [one for one, analysis in self._found.items() if not analysis.going_on][:-MOST_KEPT]:
                del self._found[old]
            return found

    def end(self) -> None:
        """Stop what is being worked out."""
        for one in self._found.values():
            one.stop = True
        self._worker.shutdown(wait=False, cancel_futures=True)


def branch(game: Game, at: int, move: int) -> Game:
    """Return a game with another move after its first ``at`` steps; the policies play on to the end."""
    history = game.history()
    if not 0 <= at < len(history):
        raise UserError(f"the game has {len(history) - 1} steps: there is none after {at}")
    return followed(history[at].step(move))


def followed(game: Game) -> Game:
    """Let the policies play a game to its end; return it."""
    while game.to_move is not None:
        game.follow()
    return game


def with_branches(game: Game, branches: Sequence[tuple[int, int]]) -> Game:
    """Return a game after some branches, each of the one before: steps that stay, and the move that follows them."""
    if len(branches) > MOST_BRANCHES:
        raise UserError(f"a game is branched at most {MOST_BRANCHES} times, not {len(branches)}")
    for at, move in branches:
        game = branch(game, at, move)
    return game
