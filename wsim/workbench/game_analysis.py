"""The value of each decision of a game, computed by one thread while browsers wait; branches of the game."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from wsim.errors import UserError
from wsim.positions.as_played import decisions_of
from wsim.positions.game_value import Game
from wsim.positions.why import why_along

MAX_STORED = 24
MAX_WAITING = 6
MAX_BRANCHES = 20


class _StoppedError(Exception):
    """The workbench is closing."""


class Analysis:
    """A game, and the values of its decisions once they are computed.

    Attributes
    ----------
    game: None until it is ready. why: the result of ``wsim trace --why``, None until it is known.
    version: counts the changes. done, of: decisions valued so far, and in total. failure: why it failed.
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
    def running(self) -> bool:
        """Whether it is not finished."""
        return not self.failure and self.why is None

    def compute(self) -> None:
        """Value every decision."""
        try:
            self.game = self._make()
            self.decisions = list(decisions_of(self.game))
            if not self.decisions:
                raise UserError("nothing has been decided in this game yet")
            self.why = why_along(self.decisions, self.playouts, progress=self._report)
        except (UserError, OSError) as error:
            self.failure = str(error)
        except _StoppedError:
            self.failure = "stopped"
        self.version += 1

    def _report(self, _what: str, done: int, of: int) -> None:
        if self.stop:
            raise _StoppedError
        self.done, self.of = done, of
        self.version += 1


class Analyses:
    """Analyses by request; the latest are stored."""

    def __init__(self) -> None:
        self._analyses: dict[Hashable, Analysis] = {}
        self._lock, self._worker = threading.Lock(), ThreadPoolExecutor(1, "wsim-analysis")

    def of(self, key: Hashable, make: Callable[[], Game], playouts: int) -> Analysis:
        """Return the analysis of a request, started if it is new; raise UserError if too many are waiting."""
        with self._lock:
            analysis = self._analyses.get(key)
            if analysis is None:
                if sum(running.running for running in self._analyses.values()) >= MAX_WAITING:
                    raise UserError(f"{MAX_WAITING} games are being analysed: wait until one is finished")
                analysis = Analysis(make, playouts)
                self._worker.submit(analysis.compute)
            self._analyses.pop(key, None)
            self._analyses[key] = analysis  # the latest is last
            for old in [key for key, running in self._analyses.items() if not running.running][:-MAX_STORED]:
                del self._analyses[old]
            return analysis

    def end(self) -> None:
        """Stop running analyses."""
        for analysis in self._analyses.values():
            analysis.stop = True
        self._worker.shutdown(wait=False, cancel_futures=True)


def branch(game: Game, at: int, move: int) -> Game:
    """Return a game with a different move after its first ``at`` steps, played to the end by the policies."""
    history = game.history()
    if not 0 <= at < len(history):
        raise UserError(f"the game has {len(history) - 1} steps, not {at}")
    return followed(history[at].step(move))


def followed(game: Game) -> Game:
    """Let the policies finish a game, and return it."""
    while game.to_move is not None:
        game.follow()
    return game


def with_branches(game: Game, branches: Sequence[tuple[int, int]]) -> Game:
    """Return a game after successive branches: each the steps that stay and the move that follows."""
    if len(branches) > MAX_BRANCHES:
        raise UserError(f"a game can have at most {MAX_BRANCHES} branches, not {len(branches)}")
    for at, move in branches:
        game = branch(game, at, move)
    return game
