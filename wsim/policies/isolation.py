"""Isolated policies: code of others in a process of its own, which sees only the records of its seat.

The process (``wsim.policies.isolated_worker``) gets copies of the four records of a decision through shared memory,
many decisions at a time, and writes indices back. It has no network, no other processes, no files but its own, and
limited memory and time (``wsim.policies.confinement``). Whatever it does wrong costs it the decision at hand:

* it raises, or its index is no legal move: the first legal move is played, and the failure is counted;
* it does not answer within ``SECONDS``, or its process ends (crash, memory): the same, and the process is started anew;
* after ``PROCESSES`` such ends no process is started: the first legal move is played to the end.

Failures are told once per policy and counted in the result (``failures``).
"""

from __future__ import annotations

import ctypes
import json
import math
import mmap
import os
import select
import subprocess
import sys
import tempfile
import threading
import time
import weakref
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from wsim.errors import UserError
from wsim.jit import JIT, cache_directory, call, njit
from wsim.policies.declare import ISOLATED, UNCHECKED, Declaration, policy
from wsim.policies.interface import TAKEN_BACK

if TYPE_CHECKING:
    from wsim.policies.interface import Interface
    from wsim.policies.lineup import Entry

SLOTS = 64
"""Decisions that fit into one request."""
SECONDS = 10.0
"""Time for one decision, in seconds of the clock."""
LOADING = 300.0
"""Seconds until a policy must be loaded and compiled."""
MEMORY = 2 << 30
"""Bytes that a policy may use beyond the interpreter, its libraries and wsim."""
PROCESSES = 3
TEXT = 500
_HEADER = 8
_LINE = 64


def is_isolated(entry: Entry) -> bool:
    """Return whether a user policy is isolated now: as asked; by default, if its file came with a run."""
    wanted = ISOLATED.get()
    return entry.place is not None if wanted is None else wanted


@njit(nogil=True, error_model="numpy")
def serve(
    address: Any, public: Any, own: Any, choice: Any, rules: Any, last: Any, index: Any, header: Any, start: Any,
    count: Any,
) -> None:  # fmt: skip
    """Ask the entry point at an address for decisions ``start`` to ``count``; ``header[0]`` counts those made."""
    for place in range(start, count):
        index[place] = call(address, public[place], own[place], choice[place], rules[0], last[0])
        header[0] = place + 1


def _printable(text: Any) -> str:
    """Return what a process said as one line that can be printed."""
    return "".join(letter if letter.isprintable() else "?" for letter in " ".join(str(text).split()))[:TEXT]


class Slots:
    """The shared memory of a policy: a header, indices, values, a text, and records of ``SLOTS`` decisions."""

    def __init__(self, memory: Any, interface: Interface) -> None:
        at, arrays = 0, list[tuple[np.dtype[Any], int, int]]()
        moves = interface.records[2]["moves"].shape[0]
        kinds: list[tuple[Any, int]] = [
            (np.dtype("i8"), _HEADER), (np.dtype("i8"), SLOTS), (np.dtype("f8"), moves), (np.dtype("u1"), TEXT),
            *((record, SLOTS) for record in interface.records[:3]), (interface.records[3], 1),
        ]  # fmt: skip
        for dtype, count in kinds:
            arrays.append((dtype, count, at))
            at += -(-dtype.itemsize * count // _LINE) * _LINE
        self.size = at
        if memory is not None:
            made = [np.frombuffer(memory, dtype, count, start) for dtype, count, start in arrays]
            self.header, self.index, self.values, self.text = made[:4]
            self.records = [array if JIT else array.view(np.recarray) for array in made[4:]]

    def tell(self, text: str) -> None:
        """Write the reason of a failure; the first one stays."""
        if not self.text[0]:
            octets = text.encode()[:TEXT]
            self.text[: len(octets)] = np.frombuffer(octets, np.uint8)

    def reason(self) -> str:
        """Return the reason of a failure, as printable text, and forget it."""
        text = bytes(self.text).rstrip(b"\0").decode(errors="replace")
        self.text[:] = 0
        return _printable(text)

    @staticmethod
    def lookahead(interface: Interface) -> Any:
        """Return an array with one empty record of a search, for functions that value moves."""
        layout = import_module(f"{interface.home.removesuffix('.policies')}.kernels.layout")
        made = np.zeros(1, layout.GAME["lookahead"])
        return made if JIT else made.view(np.recarray)


@dataclass
class Failures:
    """What an isolated policy did wrong: how often, and the first reason. ``ended``: how often its process ended."""

    label: str
    count: int = 0
    first: str = ""
    ended: int = 0

    def add(self, reason: str) -> None:
        """Count a failure; the first one is told at once."""
        self.count += 1
        if self.count == 1:
            self.first = reason
            sys.stderr.write(
                f"wsim: the isolated policy {self.label!r} {reason}: the first legal move is played instead\n"
            )
            sys.stderr.flush()

    @property
    def sentence(self) -> str:
        """What happened, in a sentence."""
        over = "; its process was not started again" if self.ended >= PROCESSES else ""
        times = "once" if self.count == 1 else f"{self.count:,} times"
        return f"The isolated policy {self.label!r} failed {times} (first: it {self.first}){over}."


STARTED: weakref.WeakSet[Isolated] = weakref.WeakSet()


def failures(labels: Sequence[str] | None = None) -> list[str]:
    """Return the sentences about the failures of the isolated policies of this process, or of some of them."""
    wanted = (policy.failures for policy in STARTED if labels is None or policy.failures.label in labels)
    return sorted(failed.sentence for failed in wanted if failed.count)


def isolated_in(simulators: Iterable[Any]) -> list[str]:
    """Return the labels of the isolated policies of simulators; games without line-ups have none."""
    line_ups = (getattr(getattr(simulator, "line_up", None), "plugged", {}) for simulator in simulators)
    return sorted({label for plugged in line_ups for label, policy in plugged.items() if policy.isolated})


def report() -> list[str]:
    """Return sentences that say which policies were isolated, what was missing and what failed; then forget them."""
    policies = sorted(STARTED, key=lambda policy: policy.failures.label)
    STARTED.clear()
    if not policies:
        return []
    lines = [f"isolated, in a process of its own: {', '.join(policy.failures.label for policy in policies)}"]
    if missing := list(dict.fromkeys(text for policy in policies for text in policy.missing)):
        lines.append(f"this system does not confine isolated policies fully: {'; '.join(missing)}")
    return [*lines, *(policy.failures.sentence for policy in policies if policy.failures.count)]


@dataclass(eq=False)
class Isolated:
    """A policy in a process of its own.

    Attributes
    ----------
    entry: the entry of the line-up. interface: of the game. declaration: what the policy says of itself.
    missing: what this system does not deny the process, in words.
    """

    entry: Entry
    interface: Interface
    unchecked: bool = field(default_factory=UNCHECKED.get)
    missing: Sequence[str] = ()
    declaration: Declaration = field(init=False)
    failures: Failures = field(init=False)
    _process: Any = None
    _lock: Any = field(default_factory=threading.Lock, repr=False)

    def __post_init__(self) -> None:
        if not hasattr(os, "fork"):
            raise UserError("isolated policies need Linux or macOS: play with wsim --trusted COMMAND if you trust them")
        self.failures = Failures(str(self.entry))
        size = Slots(None, self.interface).size
        with tempfile.TemporaryFile() as file:
            file.truncate(size)
            self._shared, memory = os.dup(file.fileno()), mmap.mmap(file.fileno(), size)
        weakref.finalize(self, os.close, self._shared)
        self.slots = Slots(memory, self.interface)
        self.declaration = self._start()

    # --- the process ------------------------------------------------------------------------------------------------

    def _start(self) -> Declaration:
        """Start the process and return the declaration of its policy; UserError if it cannot be loaded."""
        file = self.entry.file and (self.entry.place or self.entry.file)
        spec = {
            "entry": str(self.entry),
            "file": file and os.path.abspath(file),  # noqa: PTH100 (as it is imported, links and all)
            "registry": f"{self.interface.home.removesuffix('.policies')}.registry",
            "shared": self._shared,
            "size": self.slots.size,
            "memory": MEMORY,
            "unchecked": self.unchecked,
        }
        environment = {name: value for name, value in os.environ.items() if name.startswith(("NUMBA_", "WSIM_"))}
        environment |= {"WSIM_CACHE_DIR": str(cache_directory("wonders.kernels").parent)}
        environment |= {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path), "OPENBLAS_NUM_THREADS": "1"}
        self._process = subprocess.Popen(
            [sys.executable, "-m", "wsim.policies.isolated_worker"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0,
            pass_fds=(self._shared,), env=environment, start_new_session=True,
        )  # fmt: skip
        weakref.finalize(self, _end, self._process)
        try:
            self._process.stdin.write(json.dumps(spec).encode() + b"\n")
            self.missing = [_printable(text) for text in json.loads(self._line(LOADING))]
            made = json.loads(self._line(LOADING))
            if "error" in made:
                raise UserError(_printable(made["error"]))
            policy(name=made["name"], parameters=made["parameters"], python=bool(made["python"]))  # checks them
            parameters, idea = MappingProxyType(dict(made["parameters"])), _printable(made["idea"])
            return Declaration(made["name"], parameters, idea, bool(made["python"]), bool(made["values"]))
        except UserError:
            raise
        except (ValueError, KeyError, TypeError, AttributeError, OSError) as error:
            raise UserError(
                f"the isolated policy {str(self.entry)!r} cannot be loaded: its process ended or did not answer as it "
                "must"
            ) from error
        finally:
            if not hasattr(self, "declaration") and sys.exc_info()[0] is not None:
                _end(self._process)

    def _line(self, seconds: float) -> bytes:
        """Return a line of the process; ValueError if it is too long or does not come in time."""
        text, until = b"", time.monotonic() + seconds
        output = self._process.stdout
        while not text.endswith(b"\n"):
            ready, _, _ = select.select([output], [], [], max(0.0, until - time.monotonic()))
            piece = output.read(1) if ready else b""  # not into the next line
            if not piece or len(text) > 1 << 16:
                raise ValueError("no line")
            text += piece
        return text

    def _exchange(self, count: int) -> str:
        """Have ``count`` decisions made; return why the process did not get through, "" if it did."""
        try:
            self._process.stdin.write(count.to_bytes(8, "little"))
            done, since = 0, time.monotonic()
            while True:
                ready, _, _ = select.select([self._process.stdout], [], [], 0.25 * SECONDS)
                if ready:
                    return "" if self._process.stdout.read(1) else self._why_ended()
                if (now := int(self.slots.header[0])) != done:
                    done, since = now, time.monotonic()
                elif time.monotonic() - since >= SECONDS:
                    return f"did not decide within {SECONDS:.0f} s"
        except OSError:
            return self._why_ended()

    def _why_ended(self) -> str:
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(1.0)
        code = self._process.returncode
        if code is not None and code < 0:
            return f"ended its process (signal {-code})"
        return f"ended its process (exit {code})"

    # --- decisions --------------------------------------------------------------------------------------------------

    def decide(self, counts: Sequence[int]) -> None:
        """Have the decisions in the slots made; ``slots.index`` is legal afterwards. The caller holds ``lock``.

        ``counts``: the legal moves of each.
        """
        wrong, start, slots = [False] * len(counts), 0, self.slots
        if self.failures.ended >= PROCESSES:
            for place in range(len(counts)):
                slots.index[place] = 0
                self.failures.add("has no process any more")
            return
        slots.index[: len(counts)] = -1
        reason = self._exchange(len(counts))
        if reason:
            start = min(max(int(slots.header[0]), 0), len(counts) - 1)
            self.failures.add(reason)
            self._restart()
            kept = [(int(slots.index[place]), place) for place in range(start)]
            rest = list(counts[start + 1 :])
            if rest:
                for array in slots.records[:3]:
                    array[: len(rest)] = array[start + 1 : len(counts)].copy()
                self.decide(rest)
                slots.index[start + 1 : len(counts)] = slots.index[: len(rest)].copy()
                for array in slots.records[:3]:
                    array[start + 1 : len(counts)] = array[: len(rest)].copy()
            slots.index[start] = 0
            for index, place in kept:
                slots.index[place] = index
            counts = counts[:start]
        text = slots.reason()
        for place, count in enumerate(counts):
            index = int(slots.index[place])
            wrong[place] = not 0 <= index < count
            if wrong[place]:
                slots.index[place] = 0
                said = f"raised {text}" if index == -1 and text else f"returned {index}, not one of {count} legal moves"
                self.failures.add(said)

    def _restart(self) -> None:
        """End the process and start it anew, unless that happened too often."""
        _end(self._process)
        self.failures.ended += 1
        if self.failures.ended < PROCESSES:
            try:
                self._start()
            except UserError:
                self.failures.ended = PROCESSES

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Hold the slots of this policy."""
        with self._lock:
            yield

    def _handed(self, addresses: Sequence[int]) -> int:
        """Copy the records of one decision into the first slot; return the number of its moves."""
        for array, address in zip(self.slots.records, addresses, strict=True):
            ctypes.memmove(array.ctypes.data, address, array.dtype.itemsize)
        choice, own = self.slots.records[2], self.slots.records[1]
        count = int(choice["count"][0])
        choice["moves"][0][count:] = 0
        own["parameters"][0][-1] = 0.0  # it has explored
        return count

    def ask(self, *addresses: int) -> int:
        """Return the index that the policy picks of the records at these addresses; take back what it may write."""
        with self._lock:
            count = self._handed(addresses)
            self.decide([count])
            index, own = int(self.slots.index[0]), self.slots.records[1]
            for name in TAKEN_BACK:
                kind, at = (own.dtype.fields or {})[name][:2]
                ctypes.memmove(addresses[1] + at, own.ctypes.data + at, kind.itemsize)
            return index

    def value(self, index: int, *addresses: int) -> float:
        """Return what the policy values a move at; all moves of a decision are valued with the first."""
        with self._lock:
            if index == 0:
                count = self._handed(addresses)
                self.decide([count])
                finite = np.isfinite(self.slots.values)
                self._values = np.where(finite, self.slots.values, math.nan)
            return float(self._values[index])

    def entry_point(self) -> Any:
        """Return what the engine calls."""
        if not JIT:
            return self._plain_entry_point()
        if self.declaration.values:
            kind = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_int64, *[ctypes.c_uint64] * 4)
            return self.interface.valuing_back(kind(self.value))
        kind = ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_uint64] * 4)
        return self.interface.calling_back(kind(self.ask))

    def _plain_entry_point(self) -> Any:
        """Return the same without the JIT: it takes records."""

        def at(records: Sequence[Any]) -> list[int]:
            return [int(record.__array_interface__["data"][0]) for record in records]

        if self.declaration.values:
            return self.interface.valuing(lambda *given: self.value(given[-1], *at(given[:-1])))
        return self.interface.explored(lambda *records: self._asked_plainly(records))

    def _asked_plainly(self, records: Sequence[Any]) -> int:
        rooms = [np.frombuffer(bytearray(record.tobytes()), record.dtype) for record in records]
        index = self.ask(*(room.ctypes.data for room in rooms))
        for name in TAKEN_BACK:
            records[1][name] = rooms[1][name][0]
        return index


def _end(process: Any) -> None:
    """End a process, if it has not ended."""
    with suppress(OSError):
        process.kill()
    for stream in (process.stdin, process.stdout):
        with suppress(OSError):
            stream.close()
    with suppress(Exception):
        process.wait(5.0)
