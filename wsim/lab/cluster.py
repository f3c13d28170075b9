"""Play on a cluster of Dask workers: local processes (``local:4``) or workers of a scheduler (``tcp://host:8786``).

A task takes a range of games and returns a result, such as the Parquet files of a shard or the sums of a comparison.
Any function that runs on threads (``wsim.lab.batch.in_chunks``) can also run on workers (``chunk_runner``); it is sent
with the inputs of its plans (``wsim.lab.tasks``). A worker that dies is replaced, or its tasks go to other workers.
Results depend only on plans and game numbers.
"""

from __future__ import annotations

import logging
import re
import signal
import tempfile
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from importlib import import_module
from importlib.util import find_spec
from itertools import islice
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from wsim.errors import UserError, refuse_other_types
from wsim.lab.batch import ChunkSizer, in_chunks, rows_and_picks, usable_threads
from wsim.lab.tasks import Ready, itself, made, packed

if TYPE_CHECKING:
    from wsim.game import Simulator

Made = TypeVar("Made")
"""The result type for a range of games."""

_LOCAL = re.compile(r"local:(\d{1,4})")
_REMOTE = re.compile(r"(tcp|tls|ws|wss|ucx)://\S+:\d+")
_FAILURES = 10  # a task is abandoned after this many workers died while running it
_WAIT = "30s"  # timeout for the scheduler and its first worker
SECONDS_A_TASK = 0.5  # short enough for progress and Ctrl-C, long enough to amortise the cost of a task
_LOOK = 2.0  # seconds between checks that a worker is still alive
_ALONE = 60.0  # seconds to wait without any worker: a scheduler may still be starting its workers
_GONE = "the cluster is gone; finished results are kept"


def check_cluster(cluster: str | Cluster | None, threads: int | None = None) -> None:
    """Raise UserError for an invalid address, if the extra is missing, or if ``threads`` is also given."""
    if cluster is None:
        return
    if threads is not None:
        raise UserError("--threads applies to this machine, but --cluster has its own threads: use only one of them")
    if isinstance(cluster, Cluster):
        return
    refuse_other_types(str, cluster=cluster)
    local = _LOCAL.fullmatch(cluster)
    if not (_REMOTE.fullmatch(cluster) or (local and int(local[1]) > 0)):
        raise UserError(
            f"cluster must be local:4 (number of processes on this machine) or tcp://host:8786, not {cluster!r}"
        )
    if find_spec("distributed") is None:
        raise UserError("a cluster needs an extra: pip install 'wsim[cluster]'")


@contextmanager
def _interrupts_blocked() -> Iterator[None]:
    """Block Ctrl-C while workers start, so that only this process receives it from the terminal and stops the workers.

    The signal stays blocked in the threads and processes that this thread starts within the block, and in workers that
    replace them later. In this process, it is delivered at the end of the block.
    """
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    from multiprocessing import resource_tracker  # imported here: only a local cluster needs it

    resource_tracker.ensure_running()  # starting it unblocks the signal
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class Cluster:
    """A connected cluster; ``workers`` is its total number of threads at the time of connection."""

    def __init__(self, address: str, client: Any) -> None:
        self.address = address
        self.workers = max(1, sum(client.nthreads().values()))
        self._client = client

    def made(
        self, make: Callable[[range], Made], ready: Sequence[Ready], parts: Iterator[range]
    ) -> Generator[tuple[range, float, Made]]:
        """Run a function on each range of games; yield each task's games, seconds and result as soon as it finishes.

        About two tasks per thread are in progress at any time, which bounds memory; the next range of ``parts`` is
        read only when a task can start. Leaving the loop cancels unfinished tasks. Re-raises errors of workers; raises
        OSError if the cluster or all its workers are gone.
        """
        content = self._client.submit(itself, packed(make, ready), pure=False)
        waiting: dict[Any, range] = {}
        try:
            while True:
                for games in islice(parts, 2 * self.workers + 1 - len(waiting)):
                    waiting[self._client.submit(made, content, games, pure=False)] = games
                if not waiting:
                    return
                for future in self._next_finished(list(waiting)):
                    games = waiting.pop(future)
                    yield games, *_result_of_task(future, games)
        finally:
            self._client.cancel([*waiting, content])

    def in_chunks(
        self, make: Callable[[range], Made], ready: Sequence[Ready], parts: Sequence[range], chunk: int | None = None
    ) -> Generator[Made]:
        """Split the games of ``parts`` into chunks and yield the result of ``make`` for each chunk, in order.

        No chunk crosses the end of a part. The results equal those of ``wsim.lab.batch.in_chunks`` on threads.
        """
        pace = ChunkSizer(chunk, seconds=SECONDS_A_TASK)
        cut: deque[range] = deque()  # chunks not yet yielded, in order
        early: dict[int, Made] = {}  # results that arrived before their turn, by first game

        def chunks() -> Iterator[range]:
            for part in parts:
                first = part.start
                while first < part.stop:
                    cut.append(range(first, min(part.stop, first + pace.size(len(part), self.workers))))
                    first = cut[-1].stop
                    yield cut[-1]

        with closing(self.made(make, ready, chunks())) as done:
            for games, seconds, result in done:
                pace.note(len(games), seconds)
                early[games.start] = result
                while cut and cut[0].start in early:
                    yield early.pop(cut.popleft().start)

    def _next_finished(self, futures: list[Any]) -> list[Any]:
        """Wait until at least one task is done, and return the finished tasks."""
        from asyncio import CancelledError
        from concurrent.futures import CancelledError as Cancelled

        distributed: Any = import_module("distributed")
        seen = time.monotonic()
        while True:
            try:
                return list(distributed.wait(futures, timeout=_LOOK, return_when="FIRST_COMPLETED").done)
            except TimeoutError:
                if self._client.scheduler_info()["workers"]:
                    seen = time.monotonic()
                elif time.monotonic() > seen + _ALONE:
                    raise OSError(f"no worker is left at {self.address}; finished results are kept") from None
            except (Cancelled, CancelledError, distributed.comm.CommClosedError):
                raise OSError(_GONE) from None


def _result_of_task(future: Any, games: range) -> tuple[float, Any]:
    """Return the result of a task; re-raise the worker's error, or raise OSError if the cluster failed."""
    from asyncio import CancelledError
    from concurrent.futures import CancelledError as Cancelled

    distributed: Any = import_module("distributed")
    try:
        result: tuple[float, Any] = future.result()
    except distributed.KilledWorker as error:
        numbers = f"{games.start:,} to {games.stop - 1:,}"
        raise OSError(f"{_FAILURES + 1} workers died while they played the games {numbers}") from error
    except ModuleNotFoundError as error:
        raise OSError(f"a worker cannot play: {error}; wsim must also be installed there") from error
    except (Cancelled, CancelledError, distributed.comm.CommClosedError) as error:
        raise OSError(_GONE) from error
    return result


@contextmanager
def connected(address: str, simulator: Simulator) -> Iterator[Cluster]:
    """Connect to a cluster or start one on this machine; raise OSError if it does not answer.

    If the workers share this machine's cache, ``simulator`` plays one game first, so that its kernels are already
    compiled.
    """
    check_cluster(address)
    dask: Any = import_module("dask")
    distributed: Any = import_module("distributed")
    settings: dict[str, Any] = {
        "distributed.scheduler.allowed-failures": _FAILURES,
        "distributed.comm.timeouts.connect": _WAIT,
        "distributed.admin.log-format": "",
        "distributed.worker.memory.terminate": False,
        "distributed.worker.memory.pause": False,
    }
    with ExitStack() as stack:
        stack.enter_context(dask.config.set(settings))
        stack.enter_context(_without_logs())
        target: Any = address
        if local := _LOCAL.fullmatch(address):
            rows_and_picks(simulator, range(1), picks=False)
            scratch = stack.enter_context(tempfile.TemporaryDirectory(prefix="wsim-cluster-"))
            target = stack.enter_context(_processes(distributed, int(local[1]), scratch))
        try:
            client = stack.enter_context(distributed.Client(target, timeout=_WAIT))
        except OSError as error:
            raise OSError(f"no cluster answers at {address}") from error
        try:
            client.wait_for_workers(1, timeout=_WAIT)
        except TimeoutError as error:
            raise OSError(f"no worker has joined {address} within {_WAIT}") from error
        yield Cluster(address, client)


@contextmanager
def _without_logs() -> Iterator[None]:
    """Silence the tracebacks that Dask logs when a cluster is gone; wsim reports this in one sentence."""
    loggers = [logging.getLogger(f"distributed.{name}") for name in ("client", "batched")]  # batched: sending
    before = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        for logger, level in zip(loggers, before, strict=True):
            logger.setLevel(level)


def _processes(distributed: Any, workers: int, scratch: str) -> Any:
    """Start worker processes on this machine; raise OSError if one of them fails to start."""
    how: dict[str, Any] = {"host": "127.0.0.1", "dashboard_address": "127.0.0.1:0", "memory_limit": 0}
    how |= {"threads_per_worker": 1, "local_directory": scratch, "silence_logs": 50}
    try:
        with _interrupts_blocked():
            return distributed.LocalCluster(n_workers=workers, **how)
    except RuntimeError as error:
        raise OSError(f"the workers could not be started: {' '.join(str(error).split())}") from error


class InChunks(Protocol):
    """Applies a function to chunks of games, on threads or on a cluster, and yields the results in order."""

    def __call__(
        self, make: Callable[[range], Made], parts: Sequence[range], chunk: int | None = None
    ) -> Generator[Made]: ...


@contextmanager
def chunk_runner(
    cluster: str | Cluster | None, ready: Sequence[Ready], threads: int | None = None
) -> Iterator[InChunks]:
    """Yield a function that computes results for chunks of games, on threads of this process or on cluster workers.

    Parameters
    ----------
    cluster: the address of a cluster, or a connected one; None for threads.
    ready: every simulator that the function uses, with its plan.
    threads: the number of threads on this machine; not used with a cluster.

    The result for a chunk must depend only on its games and must be picklable.
    """
    if cluster is None:
        count = usable_threads(threads)
        yield lambda make, parts, chunk=None: in_chunks(make, parts, threads=count, chunk=chunk)
        return
    check_cluster(cluster, threads)
    with joined(cluster, ready[0][1]) as workers:
        yield lambda make, parts, chunk=None: workers.in_chunks(make, ready, parts, chunk)


@contextmanager
def joined(cluster: str | Cluster, simulator: Simulator) -> Iterator[Cluster]:
    """Yield a connected cluster, connecting first if ``cluster`` is an address (``connected``)."""
    if isinstance(cluster, Cluster):
        yield cluster
        return
    with connected(cluster, simulator) as workers:
        yield workers
