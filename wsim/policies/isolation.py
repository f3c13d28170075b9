"""Isolated policies: other people's code in a separate process, which sees only the records of its seat.

The process (``wsim.policies.isolated_worker``) gets copies of the four records of a decision through shared memory and
writes indices back. Many games are played side by side, and decisions that wait for the same policy are sent together
(``wsim.positions.side_by_side``), on as many *channels* as there are threads. The process cannot use the network, start
processes, or open files other than its own, and its memory and time are limited (``wsim.policies.confinement``). A
failure costs the policy only the decision at hand:

* If the policy raises or returns an index that is not a legal move, the first legal move is played.
* If it does not answer within ``SECONDS``, or its process ends (crash, memory), the first legal move is played and the
  process is restarted. If decisions were pending on several channels, all of them are requested again, from then on one
  channel at a time, so that the failing decision is identified exactly.
* After the process has ended ``PROCESSES`` times, it is not restarted: the first legal move is played from then on.

The first failure of a policy is printed. All failures are counted, and the first ones are listed in the result with
game and seat (``failures``).
"""

from __future__ import annotations

import ctypes
import math
import mmap
import os
import select
import sys
import tempfile
import threading
import time
import weakref
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from importlib import import_module
from queue import SimpleQueue
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from wsim.errors import UserError
from wsim.jit import JIT, call, njit
from wsim.policies.confined import (
    MEMORY,
    SECONDS,
    TEXT,
    ConfinedProcess,
    printable,
    require_posix,
)
from wsim.policies.declare import UNCHECKED, Declaration, policy, runs_isolated
from wsim.policies.interface import TAKEN_BACK
from wsim.processors import usable_cpus

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from wsim.policies.interface import Interface
    from wsim.policies.lineup import Entry

SLOTS = 256
"""Maximum number of decisions in one request."""
PROCESSES = 3
MOST_CHANNELS = 16
"""Maximum number of threads that make decisions at the same time in a policy's process."""
LISTED = 20
"""Maximum number of failures that are listed with game and seat."""
_HEADER = 8
_LINE = 64


def is_isolated(entry: Entry) -> bool:
    """Return whether a user policy runs isolated; by default, only other people's policies do."""
    return runs_isolated(entry.path is not None)


@njit(nogil=True, error_model="numpy")
def serve(
    address: Any, public: Any, own: Any, choice: Any, rules: Any, last: Any, index: Any, header: Any, start: Any,
    count: Any,
) -> None:  # fmt: skip
    """Call the entry point at ``address`` for decisions ``start`` to ``count``; ``header[0]`` counts finished ones."""
    for place in range(start, count):
        index[place] = call(address, public[place], own[place], choice[place], rules[0], last[0])
        header[0] = place + 1


class Slots:
    """The shared memory of a channel: a header, indices, values, a message, and records of ``SLOTS`` decisions.

    It begins at byte ``at`` of ``memory``.
    """

    def __init__(self, memory: Any, interface: Interface, at: int = 0) -> None:
        first, arrays = at, list[tuple[np.dtype[Any], int, int]]()
        moves = interface.records[2]["moves"].shape[0]
        kinds: list[tuple[Any, int]] = [
            (np.dtype("i8"), _HEADER), (np.dtype("i8"), SLOTS), (np.dtype("f8"), moves), (np.dtype("u1"), TEXT),
            *((record, SLOTS) for record in interface.records[:3]), (interface.records[3], 1),
        ]  # fmt: skip
        for dtype, count in kinds:
            arrays.append((dtype, count, at))
            at += -(-dtype.itemsize * count // _LINE) * _LINE
        self.size = at - first
        if memory is not None:
            made = [np.frombuffer(memory, dtype, count, start) for dtype, count, start in arrays]
            self.header, self.index, self.values, self.text = made[:4]
            self.records = [array if JIT else array.view(np.recarray) for array in made[4:]]

    def tell(self, text: str) -> None:
        """Write the reason for a failure, unless there is already one."""
        if not self.text[0]:
            octets = text.encode()[:TEXT]
            self.text[: len(octets)] = np.frombuffer(octets, np.uint8)

    def reason(self) -> str:
        """Return and clear the reason for a failure, as printable text."""
        text = bytes(self.text).rstrip(b"\0").decode(errors="replace")
        self.text[:] = 0
        return printable(text)

    @staticmethod
    def lookahead(interface: Interface) -> Any:
        """Return a one-element array with an empty search record, for functions that value moves."""
        layout = import_module(f"{interface.home.removesuffix('.policies')}.kernels.layout")
        made = np.zeros(1, layout.GAME["lookahead"])
        return made if JIT else made.view(np.recarray)


@dataclass
class Failures:
    """The failures of an isolated policy.

    Attributes
    ----------
    label: the policy's label. count: the number of decisions that it lost. first: reason and location of the first
    failure. ended: how often its process ended. listed: location and reason of the first ``LISTED`` failures.
    """

    label: str
    count: int = 0
    first: str = ""
    ended: int = 0
    listed: list[str] = field(default_factory=list)

    def add(self, reason: str, where: str) -> None:
        """Count a failure at a location such as "in game 7, seat 2"; print the policy's first failure at once."""
        self.count += 1
        if self.count == 1:
            self.first = f"{reason}, {where}"
            sys.stderr.write(
                f"wsim: the isolated policy {self.label!r} {self.first}: the first legal move is played instead\n"
            )
            sys.stderr.flush()
        if len(self.listed) < LISTED:
            self.listed.append(f"{where}: {reason}")

    @property
    def sentence(self) -> str:
        """A sentence that states the number of failures and describes the first."""
        over = "; its process was not restarted" if self.ended >= PROCESSES else ""
        times = "once" if self.count == 1 else f"{self.count:,} times"
        return f"The isolated policy {self.label!r} failed {times} (first: it {self.first}){over}."


class IsolatedCode(Protocol):
    """User code that runs in a separate process: a policy (``Isolated``) or an effect file.

    Attributes
    ----------
    failures: its label, and the decisions that it lost.
    missing: descriptions of the restrictions that this system does not support.
    """

    failures: Failures
    missing: Sequence[str]


STARTED: weakref.WeakSet[IsolatedCode] = weakref.WeakSet()
TRUSTED: set[str] = set()
"""The labels of user policies and effect files that were loaded into this process."""


def failures(labels: Sequence[str] | None = None) -> list[str]:
    """Return a sentence for each isolated policy that failed in this process, optionally limited to ``labels``."""
    wanted = (policy.failures for policy in STARTED if labels is None or policy.failures.label in labels)
    return sorted(failed.sentence for failed in wanted if failed.count)


def listed_failures(labels: Sequence[str]) -> list[dict[str, Any]]:
    """Return the failures of isolated policies as JSON objects: policy, decisions (number lost), listed (the first)."""
    failed = [policy.failures for policy in STARTED if policy.failures.label in labels and policy.failures.count]
    return [
        {"policy": failure.label, "decisions": failure.count, "listed": list(failure.listed)}
        for failure in sorted(failed, key=lambda failure: failure.label)
    ]


def isolated_in(simulators: Iterable[Any]) -> list[str]:
    """Return the labels of all isolated policies and effect files that some simulators use, sorted."""
    ready = list(simulators)
    line_ups = (getattr(getattr(simulator, "line_up", None), "plugged", {}) for simulator in ready)
    labels = {label for plugged in line_ups for label, policy in plugged.items() if policy.isolated}
    return sorted(labels.union(*(getattr(simulator, "isolated_effects", ()) for simulator in ready)))


def report() -> list[str]:
    """Return sentences about isolated and trusted code, missing restrictions and failures, and clear these records."""
    policies, lines = sorted(STARTED, key=lambda policy: policy.failures.label), list[str]()
    if TRUSTED:
        lines.append(f"trusted, in the process of wsim: {', '.join(sorted(TRUSTED))}")
    STARTED.clear()
    TRUSTED.clear()
    if not policies:
        return lines
    lines.append(f"isolated, in a process of its own: {', '.join(policy.failures.label for policy in policies)}")
    if missing := list(dict.fromkeys(text for policy in policies for text in policy.missing)):
        lines.append(f"this system does not confine isolated code fully: {'; '.join(missing)}")
    return [*lines, *(policy.failures.sentence for policy in policies if policy.failures.count)]


@dataclass(eq=False)
class Channel:
    """Shared memory through which one thread at a time requests decisions.

    Attributes
    ----------
    number: the channel's number. octets: the public, own and choice records of its slots as bytes.
    used: for each slot, the number of legal moves of its last decision.
    rules: the rules record that the slots contain now; None: it must be copied again.
    """

    number: int
    slots: Slots
    rules: Any = None

    def __post_init__(self) -> None:
        self.octets = [array.view(np.uint8).reshape(-1) for array in self.slots.records[:3]]
        self.used = np.zeros(SLOTS, np.int64)


class _Process(ConfinedProcess):
    """The process of a policy.

    Attributes
    ----------
    active: the number of exchanges in progress.
    """

    def __init__(self, shared: int, channels: int) -> None:
        super().__init__("wsim.policies.isolated_worker", channels, (shared,))
        self.active = 0

    def exchange(self, channel: Channel, start: int, count: int) -> tuple[int, str]:
        """Request the decisions ``start`` to ``count`` of a channel.

        Returns ``count`` and "", or the number of the decision at which the process failed, and the reason.
        """
        header, reason = channel.slots.header, ""
        header[0] = start
        own = self.sockets[channel.number]
        try:
            own.sendall(start.to_bytes(8, "little") + count.to_bytes(8, "little"))
            done, since = start, time.monotonic()
            while not reason:
                ready, _, _ = select.select([own], [], [], 0.25 * SECONDS)
                if ready:
                    if own.recv(1):
                        return count, ""
                    reason = self.why_ended()
                elif done < (now := int(header[0])) <= count:  # the count never decreases: a batch has ended
                    done, since = now, time.monotonic()
                elif time.monotonic() - since >= SECONDS:
                    reason = f"did not decide within {SECONDS:.0f} s"
        except (OSError, ValueError):  # its sockets are closed
            reason = self.why_ended()
        return min(max(int(header[0]), start), count - 1), reason


@dataclass(eq=False)
class Isolated:
    """A policy in a separate process.

    Attributes
    ----------
    entry: the line-up entry. interface: the game's interface. declaration: the policy's own declaration.
    missing: descriptions of the restrictions that this system does not support.
    """

    entry: Entry
    interface: Interface
    unchecked: bool = field(default_factory=UNCHECKED.get)
    missing: Sequence[str] = ()
    declaration: Declaration = field(init=False)
    failures: Failures = field(init=False)
    _process: _Process | None = None
    _alone: bool = False  # True: channels take turns, because a process ended while it served several channels
    _lock: Any = field(default_factory=threading.Lock, repr=False)
    _turn: Any = field(default_factory=threading.Lock, repr=False)
    _valued: Any = field(default_factory=threading.local, repr=False)
    _channels: SimpleQueue[Channel] = field(default_factory=SimpleQueue, repr=False)

    def __post_init__(self) -> None:
        require_posix("isolated policies")
        self.failures = Failures(str(self.entry))
        self._count = min(usable_cpus(), MOST_CHANNELS)
        step = Slots(None, self.interface).size
        self._size = step * self._count
        with tempfile.TemporaryFile() as file:
            file.truncate(self._size)
            self._shared, memory = os.dup(file.fileno()), mmap.mmap(file.fileno(), self._size)
        weakref.finalize(self, os.close, self._shared)
        for number in range(self._count):
            self._channels.put(Channel(number, Slots(memory, self.interface, step * number)))
        self.declaration = self._start()

    # --- the process ------------------------------------------------------------------------------------------------

    def _start(self) -> Declaration:
        """Start the process and return the declaration of its policy; UserError if it cannot be loaded."""
        file = self.entry.file and (self.entry.path or self.entry.file)
        process = _Process(self._shared, self._count)
        spec = {
            "entry": str(self.entry),
            "file": file and os.path.abspath(file),  # noqa: PTH100 (as it is imported, links and all)
            "registry": f"{self.interface.home.removesuffix('.policies')}.registry",
            "shared": self._shared,
            "size": self._size,
            "channels": process.descriptors,
            "memory": MEMORY,
            "unchecked": self.unchecked,
        }
        with process.loading(f"the isolated policy {str(self.entry)!r}"):
            process.tell(spec)
            self.missing, made = process.loaded()
            policy(name=made["name"], parameters=made["parameters"], python=bool(made["python"]))  # validates them
            parameters, idea = MappingProxyType(dict(made["parameters"])), printable(made["idea"])
            declared = Declaration(made["name"], parameters, idea, bool(made["python"]), bool(made["values"]))
        self._process = process
        return declared

    @property
    def process_id(self) -> int | None:
        """The process ID; None once the process is no longer restarted."""
        return None if self._process is None else self._process.number

    def _start_again(self) -> None:
        """End the process and start a new one; the caller holds the lock."""
        assert self._process is not None
        self._process.end()
        try:
            self._start()
        except UserError:
            self._process, self.failures.ended = None, PROCESSES

    @contextmanager
    def _asked(self) -> Iterator[tuple[_Process | None, bool]]:
        """Yield the process, and whether channels take turns so that it handles only one request at a time."""
        process = self._process
        alone = self._alone  # read after the process: if it is False, the process has not been replaced yet
        with self._turn if alone else nullcontext():
            process = self._process if alone else process
            if process is None:
                yield None, alone
                return
            with self._lock:
                process.active += 1
            try:
                yield process, alone
            finally:
                with self._lock:
                    process.active -= 1

    # --- decisions --------------------------------------------------------------------------------------------------

    @contextmanager
    def channel(self) -> Iterator[Channel]:
        """Borrow a free channel for the duration of the context."""
        channel = self._channels.get()
        try:
            yield channel
        finally:
            self._channels.put(channel)

    def decide(self, channel: Channel, counts: NDArray[np.int64], locations: Sequence[str]) -> NDArray[np.int64]:
        """Request the decisions in the slots of a channel; return the index of a legal move for each.

        ``counts``: the number of legal moves of each. ``locations``: its game and seat, such as "in game 7, seat 2".
        """
        indices, start, slots = np.zeros(len(counts), np.int64), 0, channel.slots
        slots.index[: len(counts)] = -1
        while start < len(counts):
            with self._asked() as (process, alone):
                if process is None:
                    self._fail("no longer has a process", locations[start:])
                    break
                reached, reason = process.exchange(channel, start, len(counts))
                indices[start:reached] = slots.index[start:reached]  # copied before they are checked
                self._check(indices, start, reached, counts, locations, slots)
                start = reached
                if reason:
                    start += self._ended(process, reason, locations[reached], alone=alone)
        return indices

    def _ended(self, process: _Process, reason: str, location: str, *, alone: bool) -> int:
        """Restart the process; return 1 if the decision at a location is lost, 0 if it must be requested again."""
        with self._lock:
            if self._process is not process:  # another channel has already restarted it
                return 0
            if process.active > 1 and not alone:
                self._alone = True
                self._start_again()
                return 0
            self.failures.ended += 1
            self.failures.add(reason, location)
            if self.failures.ended < PROCESSES:
                self._start_again()
            else:
                process.end()
                self._process = None
            return 1

    def _fail(self, reason: str, locations: Sequence[str]) -> None:
        with self._lock:
            for location in locations:
                self.failures.add(reason, location)

    def _check(
        self, indices: NDArray[np.int64], start: int, end: int, counts: NDArray[np.int64], locations: Sequence[str],
        slots: Slots,
    ) -> None:  # fmt: skip
        """Replace invalid indices with 0, the first legal move, and count them as failures."""
        made = indices[start:end]
        wrong = np.flatnonzero((made < 0) | (made >= counts[start:end]))
        if not len(wrong):
            return
        text = slots.reason()
        for place in (wrong + start).tolist():
            index, indices[place] = int(indices[place]), 0
            illegal = f"returned {index}, not one of {counts[place]} legal moves"
            self._fail(f"raised {text}" if index == -1 and text else illegal, locations[place : place + 1])

    def _decided(self, channel: Channel, addresses: Sequence[int]) -> int:
        """Request one decision from the records at these addresses; return the index."""
        records = channel.slots.records
        for array, address in zip(records, addresses, strict=True):
            ctypes.memmove(array.ctypes.data, address, array.dtype.itemsize)
        choice, own = records[2], records[1]
        count = int(choice["count"][0])
        choice["moves"][0][count:] = 0
        own["parameters"][0][-1] = 0.0  # exploration has already been done
        channel.rules, channel.used[0] = None, count
        return int(self.decide(channel, np.array([count]), [f"seat {int(own['seat'][0])}"])[0])

    def ask(self, *addresses: int) -> int:
        """Return the policy's index for the records at these addresses; copy back the fields that it may write."""
        with self.channel() as channel:
            index, own = self._decided(channel, addresses), channel.slots.records[1]
            for name in TAKEN_BACK:
                kind, at = (own.dtype.fields or {})[name][:2]
                ctypes.memmove(addresses[1] + at, own.ctypes.data + at, kind.itemsize)
            return index

    def value(self, index: int, *addresses: int) -> float:
        """Return the policy's value of a move; the request for index 0 computes the values of all moves."""
        if index == 0:
            with self.channel() as channel:
                self._decided(channel, addresses)
                values = channel.slots.values.copy()
            self._valued.values = np.where(np.isfinite(values), values, math.nan)
        return float(self._valued.values[index])

    def entry_point(self) -> Any:
        """Return the entry point that the engine calls."""
        if not JIT:
            return self._plain_entry_point()
        if self.declaration.values:
            kind = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_int64, *[ctypes.c_uint64] * 4)
            return self.interface.valuing_back(kind(self.value))
        kind = ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_uint64] * 4)
        return self.interface.calling_back(kind(self.ask))

    def _plain_entry_point(self) -> Any:
        """Return the entry point for use without the JIT; it takes records instead of addresses."""

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
