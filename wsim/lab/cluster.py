"""Playing on a cluster of Dask workers: this machine's own (``local:4``) or a scheduler's (``tcp://host:8786``).

A task is a shard. The worker plays it, makes its Parquet files in memory and sends them; whoever asked writes them, so
workers need no common folder. With every task goes what the run is made of (``wsim.lab.archive``), which a worker lays
into a temporary folder once. It refuses to play if its rules, policies or version make other games. A worker that dies
is replaced, or its tasks go to others: a shard depends on the plan and its games only.
"""

from __future__ import annotations

import atexit
import hashlib
import io
import re
import shutil
import signal
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np

from wsim.errors import UserError
from wsim.game import find_game
from wsim.lab.batch import play
from wsim.lab.plan import Plan
from wsim.lab.provenance import Provenance, differences
from wsim.lab.shards import collected, play_sums, recipes_of
from wsim.lab.writer import parquet

if TYPE_CHECKING:
    from wsim.game import Simulator
    from wsim.lab.archive import Archive

__all__ = ["Cluster", "Job", "check_cluster", "connected"]

_LOCAL = re.compile(r"local:(\d{1,4})")
_REMOTE = re.compile(r"(tcp|tls|ws|wss|ucx)://\S+:\d+")
_FAILURES = 10  # workers that may die with a task before it is given up
_WAIT = "30s"  # for the scheduler and its first worker
_LOOK = 2.0  # seconds after which somebody looks whether there is still a worker
_ALONE = 60.0  # seconds without any worker: a scheduler's may be on their way
_GONE = "the cluster has gone; what is finished is kept"


def check_cluster(address: str) -> None:
    """Raise UserError for what is no address of a cluster, or if the extra is missing."""
    local = _LOCAL.fullmatch(address)
    if not (_REMOTE.fullmatch(address) or (local and int(local[1]) > 0)):
        raise UserError(f"a cluster is local:4 (so many processes here) or tcp://host:8786, not {address!r}")
    if find_spec("distributed") is None:
        raise UserError("a cluster needs the extra: pip install 'wsim[cluster]'")


@dataclass(frozen=True)
class Job:
    """What a worker must know of a run.

    Attributes
    ----------
    provenance: what makes the data.
    contents: bytes of the files that the plan names, by path. places: where those are, by name (``Archive``).
    """

    provenance: Provenance
    contents: Mapping[str, bytes]
    places: Mapping[str, str]

    @classmethod
    def of(cls, provenance: Provenance, archive: Archive) -> Job:
        """Return the job of a run."""
        needed = {str(Path(place).parent) for place in archive.places.values()}
        kept = {path: data for path, data in archive.contents.items() if any(path.startswith(one) for one in needed)}
        return cls(provenance, kept, dict(archive.places))

    @property
    def key(self) -> str:
        """What tells it from other jobs."""
        digest = hashlib.sha256(self.provenance.digest.encode())
        for path in sorted(self.contents):
            digest.update(path.encode() + self.contents[path])
        return digest.hexdigest()


class _Ready:
    """A job laid out on a worker: its files in a temporary folder, its simulator ready."""

    def __init__(self, job: Job) -> None:
        home = _folder()
        for path, content in job.contents.items():
            (home / path).parent.mkdir(parents=True, exist_ok=True)
            (home / path).write_bytes(content)
        places = {name: str(home / path) for name, path in job.places.items()}
        self.plan = Plan.restore(job.provenance.plan, places)
        self.simulator: Simulator = find_game(self.plan.game).prepare(self.plan)
        here = Provenance.of(self.plan, self.simulator)
        for path, (there, own) in differences(job.provenance.identity, here.identity).items():
            raise UserError(f"a worker would play other games: {path} is {own!r} there and {there!r} here")


def _folder() -> Path:
    """Return a new folder that goes with this worker, or with this process."""
    distributed: Any = import_module("distributed")
    try:
        above = distributed.get_worker().local_directory
    except ValueError:  # no worker
        above = None
    folder = tempfile.mkdtemp(prefix="wsim-worker-", dir=above)
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)


_laid_out: dict[str, _Ready] = {}
"""The last job of this process, by its key."""
_laying = Lock()


def _ready(job: Job) -> _Ready:
    """Return a job laid out, once a process."""
    with _laying:
        if job.key not in _laid_out:
            _laid_out.clear()
            _laid_out[job.key] = _Ready(job)
        return _laid_out[job.key]


def _shard(job: Job, games: range) -> dict[str, bytes]:
    """Play a shard on a worker and return its Parquet files by table."""
    ready = _ready(job)
    plan, shard = ready.plan, collected(ready.plan)
    if plan.keep == "summary":
        chunks: Iterator[Any] = play_sums(ready.simulator, recipes_of(plan), [games], games=len(games), threads=1)
    else:
        chunks = play(ready.simulator, [games], threads=1, picks=plan.picks)
    for chunk in chunks:
        shard.add(chunk)
    found = {}
    for table, frame in shard.tables().items():
        file = io.BytesIO()
        parquet(frame, file, job.provenance, table, games)
        found[table] = file.getvalue()
    return found


def _deaf() -> None:
    """Leave Ctrl-C at the terminal to the process that asked: it ends the workers."""
    with suppress(ValueError):  # not on the main thread
        signal.signal(signal.SIGINT, signal.SIG_IGN)


class Cluster:
    """A cluster that is connected. ``address``: where; ``workers``: how many threads played when it was."""

    def __init__(self, address: str, client: Any) -> None:
        self.address = address
        self.workers = max(1, sum(client.nthreads().values()))
        self._client = client

    def shards(self, job: Job, missing: Iterator[range]) -> Iterator[tuple[range, dict[str, bytes]]]:
        """Play shards and yield each with its files, in the order in which they are done.

        About two for each thread are under way: that is the memory. Leaving the loop drops what is not done. Raises
        what a worker raised, OSError if the cluster, or all its workers, have gone.
        """
        waiting: dict[Any, range] = {}
        try:
            while True:
                for games in islice(missing, 2 * self.workers + 1 - len(waiting)):
                    waiting[self._client.submit(_shard, job, games, pure=False)] = games
                if not waiting:
                    return
                for future in self._done(list(waiting)):
                    games = waiting.pop(future)
                    yield games, _result(future, games)
        finally:
            self._client.cancel(list(waiting))

    def _done(self, futures: list[Any]) -> list[Any]:
        """Wait until some are done and return them."""
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
                    raise OSError(f"no worker is left at {self.address}; what is finished is kept") from None
            except (Cancelled, CancelledError):
                raise OSError(_GONE) from None


def _result(future: Any, games: range) -> dict[str, bytes]:
    """Return the files of a shard; raise what the worker raised, OSError if the cluster could not play it."""
    from asyncio import CancelledError
    from concurrent.futures import CancelledError as Cancelled

    distributed: Any = import_module("distributed")
    try:
        found: dict[str, bytes] = future.result()
    except distributed.KilledWorker as error:
        numbers = f"{games.start:,} to {games.stop - 1:,}"
        raise OSError(f"{_FAILURES + 1} workers died while they played the games {numbers}") from error
    except ModuleNotFoundError as error:
        raise OSError(f"a worker cannot play: {error}; wsim must be installed there, too") from error
    except (Cancelled, CancelledError) as error:
        raise OSError(_GONE) from error
    return found


@contextmanager
def connected(address: str, simulator: Simulator) -> Iterator[Cluster]:
    """Connect to a cluster, or start one here; raise OSError if nobody answers.

    ``simulator`` plays a game first where workers share this machine's cache, so that they find its kernels compiled.
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
        place: Any = address
        if local := _LOCAL.fullmatch(address):
            simulator.play(0, np.zeros(simulator.seats, simulator.row_dtype))
            scratch = stack.enter_context(tempfile.TemporaryDirectory(prefix="wsim-cluster-"))
            place = stack.enter_context(
                distributed.LocalCluster(
                    n_workers=int(local[1]),
                    threads_per_worker=1,
                    host="127.0.0.1",
                    dashboard_address="127.0.0.1:0",
                    memory_limit=0,
                    local_directory=scratch,
                    silence_logs=50,
                )
            )
        try:
            client = stack.enter_context(distributed.Client(place, timeout=_WAIT))
        except OSError as error:
            raise OSError(f"no cluster answers at {address}") from error
        try:
            client.wait_for_workers(1, timeout=_WAIT)
        except TimeoutError as error:
            raise OSError(f"no worker has joined {address} within {_WAIT}") from error
        if local:
            client.run(_deaf)
        yield Cluster(address, client)
