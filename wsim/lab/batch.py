"""Play games in chunks on several threads; kernels release the GIL, and results arrive in order.

A chunk's data depend only on the plan, the seed and the game numbers, never on threads or chunk sizes.
At most ``2 * threads`` chunks are in flight, which bounds memory (apart from what the caller keeps).
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
"""The result type for one chunk of games."""

FIRST_CHUNK = 1  # one game of ``search`` may take seconds; chunks of fast games grow quickly
LAST_CHUNK = 256  # towards the end chunks shrink to this, so that the threads finish together
MAX_CHUNK = 8192
MAX_GROWTH = 32  # large, so that the fixed cost of a chunk (frames of 100 columns) soon becomes negligible
SECONDS_A_CHUNK = 0.2  # short enough for the progress bar and Ctrl-C, long enough to amortise the cost of a chunk
MAX_WAIT = 5.0  # chunks may take this many times longer on a busy machine, where small chunks waste processor time
MAX_THREADS = 1024


@dataclass(frozen=True)
class Chunk:
    """The tables for a range of games: one row per game and seat and, if requested, one row per decision."""

    games: range
    seats: pl.DataFrame
    picks: pl.DataFrame | None


class ChunkSizer:
    """Chooses chunk sizes so that each chunk takes about ``seconds``: thousands of fast games or a few slow ones.

    Attributes
    ----------
    known: whether the time per game has been measured, or the chunk size is fixed.
    """

    def __init__(self, fixed: int | None, seconds: float = SECONDS_A_CHUNK) -> None:
        self.known = fixed is not None
        self._fixed, self._seconds = fixed, seconds
        self._size = fixed or FIRST_CHUNK
        self._lock = Lock()

    def note(self, games: int, seconds: float) -> None:
        """Update the chunk size after ``games`` took ``seconds``; it grows by at most a factor of ``MAX_GROWTH``."""
        if self._fixed:
            return
        wanted = int(games * self._seconds / max(seconds, 1e-6))
        with self._lock:
            self._size = max(1, min(wanted, self._size * MAX_GROWTH, MAX_CHUNK))
            self.known = True

    def size(self, left: int, threads: int) -> int:
        """Return the number of games in the next chunk when ``left`` games remain for ``threads`` threads."""
        if self._fixed:
            return self._fixed
        return min(self._size, max(LAST_CHUNK, left // (2 * threads)))


def usable_threads(threads: int | None) -> int:
    """Return the number of threads to use; raise UserError if it is not in 1..1024."""
    refuse_forked()
    if threads is None:
        return usable_cpus()
    if type(threads) is not int or not 1 <= threads <= MAX_THREADS:
        raise UserError(f"threads must be a whole number from 1 to {MAX_THREADS}, not {threads!r}")
    return threads


def _timed(make: Callable[[range], Made], games: range, pace: ChunkSizer) -> Made:
    """Call ``make`` with a chunk of games and report the elapsed time to ``pace``."""
    start, own = time.perf_counter(), time.thread_time()
    result = make(games)
    waited = (time.perf_counter() - start) / MAX_WAIT
    pace.note(len(games), max(time.thread_time() - own, waited))
    return result


def in_chunks(
    make: Callable[[range], Made],
    parts: Iterable[range],
    *,
    games: int | None = None,
    threads: int | None = None,
    chunk: int | None = None,
    seconds: float = SECONDS_A_CHUNK,
) -> Generator[Made]:
    """Split the games of ``parts`` into chunks, call ``make`` with each chunk on a thread, and yield results in order.

    ``games`` is the total number of games; without it, ``parts`` is read into memory to count them. No chunk crosses
    the end of a part. ``chunk`` fixes the games per chunk; without it, the size adapts to the speed of ``make`` so that
    a chunk takes about ``seconds``. If the loop ends early (an error, Ctrl-C, a break), running chunks are completed
    and queued chunks are dropped.
    """
    workers = usable_threads(threads)
    pace = ChunkSizer(chunk, seconds)
    if games is None:
        parts = list(parts)
        games = sum(map(len, parts))
    left = games
    pool = ThreadPoolExecutor(workers, thread_name_prefix="wsim")
    waiting: deque[Future[Made]] = deque()
    try:
        for part in parts:
            first = part.start
            while first < part.stop:
                cut = range(first, min(part.stop, first + pace.size(left, workers)))
                first, left = cut.stop, left - len(cut)
                waiting.append(pool.submit(_timed, make, cut, pace))
                if len(waiting) >= (2 * workers if pace.known else workers):  # measure the speed first
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
    """Play the games of ``parts`` and yield their tables in order, chunk by chunk (``in_chunks``)."""
    return in_chunks(partial(played, simulator, picks), parts, games=games, threads=threads, chunk=chunk)


def played(simulator: Simulator, picks: bool, games: range) -> Chunk:
    """Play a range of games and return their tables."""
    rows, decisions = rows_and_picks(simulator, games, picks=picks)
    return Chunk(
        games=games,
        seats=simulator.seats_frame(rows),
        picks=None if decisions is None else simulator.picks_frame(decisions),
    )


def rows_and_picks(simulator: Simulator, games: range, *, picks: bool) -> tuple[NDArray[Any], NDArray[Any] | None]:
    """Play games; return one row per game and seat, in order, and one row per decision (None unless ``picks``)."""
    rows = np.zeros(len(games) * simulator.seats, simulator.row_dtype)
    decisions = np.zeros(len(games) * simulator.picks_per_game, simulator.pick_dtype) if picks else None
    decided = simulator.play(games.start, rows, decisions)
    return rows, None if decisions is None else decisions[:decided]
