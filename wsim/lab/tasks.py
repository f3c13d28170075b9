"""Tasks for cluster workers: a pickled function that takes a range of games, with the inputs of the plans it uses.

When the function is pickled, each simulator is replaced by the inputs of its plan (``wsim.lab.archive``). A worker
writes the inputs into a temporary folder once and rebuilds the simulators. It raises an error if its rules, policies
or version would produce different games.
"""

from __future__ import annotations

import hashlib
import io
import pickle
import shutil
import tempfile
import time
import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from threading import Lock
from typing import IO, TYPE_CHECKING, Any, TypeAlias

from wsim.errors import UserError
from wsim.game import find_game
from wsim.lab.archive import Archive
from wsim.lab.journal import differences
from wsim.lab.plan import Plan
from wsim.lab.provenance import Provenance
from wsim.lab.shards import play_batches, recipes_of, shard_of
from wsim.lab.writer import parquet
from wsim.policies.declare import isolated

if TYPE_CHECKING:
    from wsim.game import Simulator


@dataclass(frozen=True)
class Job:
    """The inputs that a worker needs to play a plan.

    Attributes
    ----------
    provenance: what produces the data.
    contents: the bytes of the files that the plan names, by path. paths: the paths of the files, by name (``Archive``).
    """

    provenance: Provenance
    contents: Mapping[str, bytes]
    paths: Mapping[str, str]

    @classmethod
    def of(cls, provenance: Provenance, archive: Archive) -> Job:
        """Build the job for a prepared plan from its provenance and archived files."""
        needed = {str(Path(path).parent) for path in archive.paths.values()}
        files = {
            path: data for path, data in archive.contents.items() if any(path.startswith(folder) for folder in needed)
        }
        return cls(provenance, files, dict(archive.paths))

    def set_up(self) -> Simulator:
        """Prepare the plan again, with its files in a temporary folder.

        Raises UserError if it would play different games on this machine.
        """
        home = _temporary_folder()
        try:
            simulator = self._set_up(home)
        except BaseException:
            shutil.rmtree(home, ignore_errors=True)
            raise
        weakref.finalize(simulator, shutil.rmtree, home, ignore_errors=True)  # at process exit at the latest
        return simulator

    def _set_up(self, home: Path) -> Simulator:
        for path, content in self.contents.items():
            (home / path).parent.mkdir(parents=True, exist_ok=True)
            (home / path).write_bytes(content)
        plan = Plan.restore(self.provenance.plan, {name: str(home / path) for name, path in self.paths.items()})
        with isolated(False):  # isolated policies are not packed, so the sender trusts these
            simulator: Simulator = find_game(plan.game).prepare(plan)
        current = Provenance.of(plan, simulator)
        for path, (wanted, actual) in differences(self.provenance.identity, current.identity).items():
            raise UserError(f"a worker would play different games: {path} is {actual!r} there and {wanted!r} here")
        return simulator


def _temporary_folder() -> Path:
    """Create a temporary folder, inside the worker's own folder if this process is a worker."""
    distributed: Any = import_module("distributed")
    try:
        above = distributed.get_worker().local_directory
    except ValueError:  # not a worker
        above = None
    return Path(tempfile.mkdtemp(prefix="wsim-worker-", dir=above))


Ready: TypeAlias = "tuple[Plan, Simulator]"
"""A plan and its simulator; a worker rebuilds the simulator from the plan."""


class _Packer(pickle.Pickler):
    """Pickles a function that plays games, replacing known simulators with their numbers."""

    def __init__(self, file: IO[bytes], numbers: Mapping[int, int]) -> None:
        super().__init__(file)
        self._numbers = numbers

    def persistent_id(self, obj: Any) -> int | None:
        """Return the number of a known simulator, None for any other object."""
        return self._numbers.get(id(obj))


class _Unpacker(pickle.Unpickler):
    """Unpickles the output of ``_Packer``, replacing numbers with simulators of this process."""

    def __init__(self, file: IO[bytes], simulators: Sequence[Simulator]) -> None:
        super().__init__(file)
        self._simulators = simulators

    def persistent_load(self, number: int) -> Simulator:
        """Return the simulator with this number."""
        return self._simulators[number]


def packed(make: Callable[[range], Any], ready: Sequence[Ready]) -> bytes:
    """Pickle ``make`` together with the inputs of its simulators."""
    from wsim.policies.isolation import isolated_in

    if apart := isolated_in(simulator for _, simulator in ready):
        raise UserError(f"isolated code ({', '.join(apart)}) does not run on a cluster: use wsim --trusted COMMAND")
    jobs = [Job.of(Provenance.of(plan, simulator), Archive.of(plan, simulator)) for plan, simulator in ready]
    body = io.BytesIO()
    _Packer(body, {id(simulator): number for number, (_, simulator) in enumerate(ready)}).dump(make)
    return pickle.dumps((jobs, body.getvalue()))


def unpacked(content: bytes) -> Callable[[range], Any]:
    """Unpickle a function from ``packed`` and rebuild its simulators."""
    jobs, body = pickle.loads(content)  # trusted: anyone who can send tasks can run any code
    simulators = [job.set_up() for job in jobs]
    make: Callable[[range], Any] = _Unpacker(io.BytesIO(body), simulators).load()
    return make


_tasks: dict[str, Callable[[range], Any]] = {}
"""The latest functions by the digest of their bytes, so that alternating callers do not rebuild simulators."""
_MAX_TASKS = 4
_unpacking = Lock()


def made(content: bytes, games: range) -> tuple[float, Any]:
    """Call a packed function on a worker with a range of games; return the elapsed seconds and the result."""
    key = hashlib.sha256(content).hexdigest()
    with _unpacking:
        if key not in _tasks:
            if len(_tasks) == _MAX_TASKS:
                del _tasks[next(iter(_tasks))]
            _tasks[key] = unpacked(content)
        make = _tasks[key]
    start = time.perf_counter()
    result = make(games)
    return time.perf_counter() - start, result


def itself(content: bytes) -> bytes:
    """Return the content unchanged; as the result of a task, it is sent only once to each worker that needs it."""
    return content


def shard_files(simulator: Simulator, plan: Plan, provenance: Provenance, games: range) -> dict[str, bytes]:
    """Play one shard of a plan and return its Parquet files as bytes, by table."""
    recipes = recipes_of(plan) if plan.keep == "summary" else []
    shard = shard_of(play_batches(simulator, plan, recipes, [games], games=len(games), threads=1), games)
    files = {}
    for table, frame in shard.frames().items():
        file = io.BytesIO()
        parquet(frame, file, provenance, table, games)
        files[table] = file.getvalue()
    return files
