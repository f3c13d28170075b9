"""Games in chunks over threads: the kernels release the interpreter lock, what they made comes back in order.

A chunk's data depend on (plan, seed, game numbers) only, so neither the number of threads nor the cut into chunks can
be seen in the result. At most ``2 * threads`` chunks are in flight: that, and whatever the caller keeps, is the memory.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from wsim.errors import UserError
from wsim.forked import refuse_forked
from wsim.processors import usable_cpus

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    from wsim.game import Simulator

Made = TypeVar("Made")
"""What a chunk of games becomes."""

FIRST_CHUNK = 1  # a searcher's game may take seconds; fast games are many after a few chunks
LAST_CHUNK = 256  # towards the end chunks shrink to this, so that the threads finish together
MAXIMUM_CHUNK = 8192
MOST_GROWTH = 32  # a chunk has its fixed costs, of frames with a hundred columns; after a few they must not be seen
SECONDS_A_CHUNK = 0.2  # short enough for the progress bar and Ctrl-C, long enough to forget what a chunk costs
MAXIMUM_THREADS = 1024


@dataclass(frozen=True)
class Chunk:
    """The tables of the games ``games``: one row per game and seat, and one per decision if asked for."""

    games: range
    seats: pl.DataFrame
    picks: pl.DataFrame | None


class Pace:
    """Chooses the size of the next chunk, of about ``seconds``: fast games in thousands, slow ones a few at a time.

    Attributes
    ----------
    known: whether it has seen how fast games are.
    """

    def __init__(self, fixed: int | None, seconds: float = SECONDS_A_CHUNK) -> None:
        self.known = fixed is not None
        self._fixed, self._seconds = fixed, seconds
        self._size = fixed or FIRST_CHUNK
        self._lock = Lock()

    def note(self, games: int, seconds: float) -> None:
        """Learn from a chunk of ``games`` that took ``seconds``; a chunk grows at most by ``MOST_GROWTH``."""
        if self._fixed:
            return
        wanted = int(games * self._seconds / max(seconds, 1e-6))
        with self._lock:
            self._size = max(1, min(wanted, self._size * MOST_GROWTH, MAXIMUM_CHUNK))
            self.known = True

    def size(self, left: int, threads: int) -> int:
        """Return the games of the next chunk when ``left`` are still to be dealt out to ``threads``."""
        if self._fixed:
            return self._fixed
        return min(self._size, max(LAST_CHUNK, left // (2 * threads)))


def usable_threads(threads: int | None) -> int:
    """Return the number of threads to play with; raise UserError if it is not in 1..1024."""
    refuse_forked()
    if threads is None:
        return usable_cpus()
    if type(threads) is not int or not 1 <= threads <= MAXIMUM_THREADS:
        raise UserError(f"threads must be a whole number from 1 to {MAXIMUM_THREADS}, not {threads!r}")
    return threads


def _timed(make: Callable[[range], Made], games: range, pace: Pace) -> Made:
    """Make something of a chunk of games and note how long it took."""
    start = time.perf_counter()
    made = make(games)
    pace.note(len(games), time.perf_counter() - start)
    return made


def in_chunks(
    make: Callable[[range], Made],
    parts: Iterable[range],
    *,
    games: int | None = None,
    threads: int | None = None,
    chunk: int | None = None,
) -> Generator[Made]:
    """Cut the games of ``parts`` into chunks, call ``make`` with each on some thread, yield what it made in order.

    ``games`` is how many the parts have together; without it they are counted first, in memory. No chunk reaches over
    the end of a part. ``chunk`` fixes the games per chunk; without it they follow the speed of
    ``make``. Leaving the loop early (an error, Ctrl-C, a break) waits for the running chunks and drops the others.
    """
    count = usable_threads(threads)
    pace = Pace(chunk)
    if games is None:
        parts = list(parts)
        games = sum(map(len, parts))
    left = games
    pool = ThreadPoolExecutor(count, thread_name_prefix="wsim")
    waiting: deque[Future[Made]] = deque()
    try:
        for part in parts:
            first = part.start
            while first < part.stop:
                cut = range(first, min(part.stop, first + pace.size(left, count)))
                first, left = cut.stop, left - len(cut)
                waiting.append(pool.submit(_timed, make, cut, pace))
                if len(waiting) >= (2 * count if pace.known else count):  # first of all, learn how fast games are
                    yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def play(
    simulator: Simulator,
    parts: Iterable[range],
    *,
    games: int | None = None,
    threads: int | None = None,
    picks: bool = False,
    chunk: int | None = None,
) -> Generator[Chunk]:
    """Play the games of ``parts``, one part after the other, and yield their tables chunk by chunk (``in_chunks``)."""
    return in_chunks(partial(played, simulator, picks), parts, games=games, threads=threads, chunk=chunk)


def played(simulator: Simulator, picks: bool, games: range) -> Chunk:
    """Play games and return their tables."""
    rows, decisions = rows_and_picks(simulator, games, picks=picks)
    return Chunk(
        games=games,
        seats=simulator.seats_frame(rows),
        picks=None if decisions is None else simulator.picks_frame(decisions),
    )


def rows_and_picks(simulator: Simulator, games: range, *, picks: bool) -> tuple[NDArray[Any], NDArray[Any] | None]:
    """Play games; return a row for each game and seat, in order, and one for each decision if asked for."""
    rows = np.zeros(len(games) * simulator.seats, simulator.row_dtype)
    decisions = np.zeros(len(games) * simulator.picks_per_game, simulator.pick_dtype) if picks else None
    count = simulator.play(games.start, rows, decisions)
    return rows, None if decisions is None else decisions[:count]
