"""What a worker of a cluster is sent: something to make of games, and what the plans in it are made of.

What makes it is pickled, and in the place of every simulator in it stands what its plan is made of
(``wsim.lab.archive``). A worker lays that into a temporary folder once, makes the simulators again, and refuses if its
rules, policies or version would play other games.
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

if TYPE_CHECKING:
    from wsim.game import Simulator


@dataclass(frozen=True)
class Job:
    """What a worker must know of a plan to play it.

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
        """Return the job of a plan that was made ready."""
        needed = {str(Path(place).parent) for place in archive.places.values()}
        files = {path: data for path, data in archive.contents.items() if any(path.startswith(one) for one in needed)}
        return cls(provenance, files, dict(archive.places))

    def set_up(self) -> Simulator:
        """Return the plan made ready again, its files in a temporary folder.

        Raises UserError if it would play other games here.
        """
        home = _folder()
        try:
            simulator = self._set_up(home)
        except BaseException:
            shutil.rmtree(home, ignore_errors=True)
            raise
        weakref.finalize(simulator, shutil.rmtree, home, ignore_errors=True)  # at the end of the process at the latest
        return simulator

    def _set_up(self, home: Path) -> Simulator:
        for path, content in self.contents.items():
            (home / path).parent.mkdir(parents=True, exist_ok=True)
            (home / path).write_bytes(content)
        plan = Plan.restore(self.provenance.plan, {name: str(home / path) for name, path in self.places.items()})
        simulator: Simulator = find_game(plan.game).prepare(plan)
        here = Provenance.of(plan, simulator)
        for path, (there, own) in differences(self.provenance.identity, here.identity).items():
            raise UserError(f"a worker would play other games: {path} is {own!r} there and {there!r} here")
        return simulator


def _folder() -> Path:
    """Return a new folder, in that of this worker if this is one."""
    distributed: Any = import_module("distributed")
    try:
        above = distributed.get_worker().local_directory
    except ValueError:  # no worker
        above = None
    return Path(tempfile.mkdtemp(prefix="wsim-worker-", dir=above))


Ready: TypeAlias = "tuple[Plan, Simulator]"
"""A plan and its simulator: by it a worker makes the simulator again."""


class _Packer(pickle.Pickler):
    """Pickles what makes something of games; a simulator is named by its number among those that are known."""

    def __init__(self, file: IO[bytes], numbers: Mapping[int, int]) -> None:
        super().__init__(file)
        self._numbers = numbers

    def persistent_id(self, thing: Any) -> int | None:
        """Return the number of a simulator, None for anything else."""
        return self._numbers.get(id(thing))


class _Unpacker(pickle.Unpickler):
    """Reads what ``_Packer`` wrote, with simulators of this process."""

    def __init__(self, file: IO[bytes], simulators: Sequence[Simulator]) -> None:
        super().__init__(file)
        self._simulators = simulators

    def persistent_load(self, number: int) -> Simulator:
        """Return the simulator of a number."""
        return self._simulators[number]


def packed(make: Callable[[range], Any], ready: Sequence[Ready]) -> bytes:
    """Return ``make`` as bytes, with what the simulators in it are made of."""
    jobs = [Job.of(Provenance.of(plan, simulator), Archive.of(plan, simulator)) for plan, simulator in ready]
    body = io.BytesIO()
    _Packer(body, {id(simulator): number for number, (_, simulator) in enumerate(ready)}).dump(make)
    return pickle.dumps((jobs, body.getvalue()))


def unpacked(content: bytes) -> Callable[[range], Any]:
    """Return what was packed, its simulators made again."""
    jobs, body = pickle.loads(content)  # of the process that asked: who may send tasks may run anything
    simulators = [job.set_up() for job in jobs]
    make: Callable[[range], Any] = _Unpacker(io.BytesIO(body), simulators).load()
    return make


_tasks: dict[str, Callable[[range], Any]] = {}
"""What this process was last asked to make, by the digest of what was sent; two who ask by turns do not meet anew."""
_MOST_TASKS = 4
_unpacking = Lock()


def made(content: bytes, games: range) -> tuple[float, Any]:
    """Return what was asked for of some games, on a worker, and how many seconds that took."""
    key = hashlib.sha256(content).hexdigest()
    with _unpacking:
        if key not in _tasks:
            if len(_tasks) == _MOST_TASKS:
                del _tasks[next(iter(_tasks))]
            _tasks[key] = unpacked(content)
        make = _tasks[key]
    start = time.perf_counter()
    found = make(games)
    return time.perf_counter() - start, found


def itself(content: bytes) -> bytes:
    """Return what is sent: as a task of its own, so that it is sent to each worker once, and again if one dies."""
    return content


def shard_files(simulator: Simulator, plan: Plan, provenance: Provenance, games: range) -> dict[str, bytes]:
    """Play a shard of a plan and return its Parquet files by table."""
    recipes = recipes_of(plan) if plan.keep == "summary" else []
    shard = shard_of(play_batches(simulator, plan, recipes, [games], games=len(games), threads=1), games)
    found = {}
    for table, frame in shard.frames().items():
        file = io.BytesIO()
        parquet(frame, file, provenance, table, games)
        found[table] = file.getvalue()
    return found
