"""The value of each decision in a game, computed by one thread while browsers wait; branches of the game.

The thread values one decision at a time, always for the most recently requested analysis, so that somebody who tries a
move does not wait for the previous game.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any

from wsim.errors import UserError
from wsim.positions.as_played import decisions_of, story_of
from wsim.positions.chances import no_chances
from wsim.positions.game_value import Game
from wsim.positions.values import BY_NET
from wsim.positions.why import PLAYOUTS, mark_costly, values_along
from wsim.report.game_page import Replay, replay_of_game

FEW = 20
"""Number of playouts for the win chances on a board if there is no value net."""
MAX_STORED = 24
MAX_WAITING = 6
MAX_BRANCHES = 20


class Analysis:
    """A game, and the values of its decisions once they are computed.

    Attributes
    ----------
    game: the game; None until it is ready. board: the game as a replay, if it has scenes; its win chances are added
    later. told: whether ``board`` has been determined. steps: the number of decisions before each scene of the board.
    playouts: playouts per move; 0: the value net, which is the default if there is one (None until that is known).
    valued: the decisions valued so far, as in ``wsim trace --why``. of: the number of decisions.
    version: incremented at each change. failure: why the analysis failed.
    """

    def __init__(self, make: Callable[[], Game], playouts: int | None, names: Callable[[Game], Sequence[str]]) -> None:
        self._make, self.playouts, self._names = make, playouts, names
        self.game: Game | None = None
        self.board: Replay | None = None
        self.steps: list[int] = []
        self.decisions: list[tuple[Game, int]] = []
        self.valued: list[dict[str, Any]] = []
        self.version = self.of = 0
        self.failure = ""
        self.told = self.finished = False
        self._steps_left = self._compute()

    @property
    def running(self) -> bool:
        """Whether the analysis has neither finished nor failed."""
        return not self.failure and not self.finished

    @property
    def done(self) -> int:
        """The number of decisions valued so far."""
        return len(self.valued)

    def scene_of(self, index: int) -> int | None:
        """Return the index of the scene that follows a decision; None if there are no scenes."""
        made = len(self.decisions[index][0].steps)
        return next((scene for scene, steps in enumerate(self.steps) if steps > made), None)

    def advance(self) -> None:
        """Do the next step: create the game and its board, add win chances, or value one decision."""
        try:
            next(self._steps_left, None)
        except (UserError, OSError) as error:
            self.failure = str(error)
        except Exception:
            self.failure = "the analysis failed: see the output of the server"
            raise
        finally:
            self.version += 1

    def _compute(self) -> Iterator[None]:
        """Compute the analysis; yield after each step."""
        self.game = self._make()
        self.decisions = list(decisions_of(self.game))
        if not self.decisions:
            raise UserError("nothing has been decided in this game yet")
        self.of = len(self.decisions)
        if self.playouts is None:
            self.playouts = BY_NET if self.game.by_net else PLAYOUTS
        names = self._names(self.game)
        self.board = _board(self.game, names)
        self.steps = [] if self.board is None else _steps(self.game, self.board)
        self.told = True
        yield
        if self.board is not None:
            self.board = _with_chances(self.game, names)
            yield
        for decided in values_along(self.decisions, self.playouts):
            self.valued.append(decided)
            yield
        mark_costly(self.valued, self.playouts)
        self.finished = True


def _board(game: Game, names: Sequence[str]) -> Replay | None:
    """Return a game as a replay without win chances.

    Returns None if the game's moves cannot be shown scene by scene.
    """
    try:
        story = story_of(game, names)
    except UserError:
        return None
    return Replay(game.plan, game.number, story, no_chances(len(story.seats)), "")


def _with_chances(game: Game, names: Sequence[str]) -> Replay:
    """Return a game as a replay with win chances, by the value net or by a few playouts."""
    try:
        return replay_of_game(game, names, BY_NET)
    except UserError:  # no value net
        return replay_of_game(game, names, FEW)


def _steps(game: Game, board: Replay) -> list[int]:
    """Return the number of steps before each scene of a board; [] if a scene is not a position of the game."""
    records, steps = [before.record() for before in game.history()], list[int]()
    for position in board.story.positions:
        view = position.view(None)
        step = next((step for step in range(steps[-1] if steps else 0, len(records)) if records[step] == view), None)
        if step is None:
            return []
        steps.append(step)
    return steps


class Analyses:
    """A cache of the most recent analyses, by request."""

    def __init__(self) -> None:
        self._analyses: dict[Hashable, Analysis] = {}
        self._lock, self._ended = threading.Lock(), False
        self._worker: threading.Thread | None = None

    def of(
        self, key: Hashable, make: Callable[[], Game], playouts: int | None, names: Callable[[Game], Sequence[str]]
    ) -> Analysis:
        """Return the analysis for a request, started if it is new; raise UserError if too many are running."""
        with self._lock:
            analysis = self._analyses.get(key)
            if analysis is None:
                if sum(running.running for running in self._analyses.values()) >= MAX_WAITING:
                    raise UserError(f"{MAX_WAITING} games are being analysed: wait until one is finished")
                analysis = Analysis(make, playouts, names)
            self._analyses.pop(key, None)
            self._analyses[key] = analysis  # the most recent one is last
            for old in [key for key, running in self._analyses.items() if not running.running][:-MAX_STORED]:
                del self._analyses[old]
            if self._worker is None and analysis.running:
                self._worker = threading.Thread(target=self._work, daemon=True, name="wsim-analysis")
                self._worker.start()
            return analysis

    def _work(self) -> None:
        """Advance the most recently requested analysis, until none is running."""
        try:
            while (analysis := self._next()) is not None:
                analysis.advance()
        except Exception:
            with self._lock:
                self._worker = None  # the next request starts a new thread
            raise

    def _next(self) -> Analysis | None:
        """Return the analysis to advance; None if none is running, so that the thread ends."""
        with self._lock:
            running = [] if self._ended else [one for one in self._analyses.values() if one.running]
            if not running:
                self._worker = None
            return running[-1] if running else None

    def end(self) -> None:
        """Stop all running analyses."""
        self._ended = True


def branch(game: Game, at: int, move: int) -> Game:
    """Return a game with a different move after its first ``at`` steps; the policies play it to the end."""
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
    """Return the game after applying branches in order, each a number of steps to keep and the next move."""
    if len(branches) > MAX_BRANCHES:
        raise UserError(f"a game can have at most {MAX_BRANCHES} branches, not {len(branches)}")
    for at, move in branches:
        game = branch(game, at, move)
    return game
