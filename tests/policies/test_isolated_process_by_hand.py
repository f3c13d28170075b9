"""Unit tests of an isolated policy's process: starting it, requests, time limits, shared memory."""

from __future__ import annotations

import ctypes
import json
import mmap
import os
import select
import socket
import subprocess
import sys
import threading
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from wsim.errors import UserError
from wsim.policies import confined_start, isolated_worker, isolation
from wsim.policies.confined import MEMORY, ConfinedProcess
from wsim.policies.declare import ISOLATED, UNCHECKED
from wsim.policies.isolation import SLOTS, Channel, Failures, Isolated, Slots, _Process
from wsim.policies.lineup import parse_entry
from wsim.wonders.registry import POLICIES

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="isolation needs POSIX")
INTERFACE = POLICIES.interface()


class Clock:
    """A clock that advances only during waits, and determines how many decisions the process has made."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, header: Any, made: list[int | None]) -> None:
        self.now, self.made, self.header, self.waits = 1000.0, made, header, list[float]()
        monkeypatch.setattr(time, "monotonic", lambda: self.now)
        monkeypatch.setattr(select, "select", self.select)

    def select(self, read: list[Any], _write: Any, _other: Any, timeout: float) -> tuple[Any, Any, Any]:
        self.waits.append(timeout)
        self.now += timeout
        done = self.made.pop(0)
        if done is None:
            return read, [], []
        self.header[0] = done
        return [], [], []


@pytest.mark.parametrize(
    ("made", "expected", "seconds"),
    [
        ([4, 4, 4, 5, 5, 5, 5, 6, 6, 6, 6, 9, 9, 9, None], (9, ""), 37.5),  # ten seconds each, thirty in all
        ([4, 4, 4, 4], (4, "did not decide within 10 s"), 10.0),
        ([6, 6, 6, 6, 6], (6, "did not decide within 10 s"), 12.5),
        ([6, 5, 4, 6, 6], (6, "did not decide within 10 s"), 12.5),  # a count that decreases is no progress
        ([99, 98, 99, 98], (8, "did not decide within 10 s"), 10.0),  # nor is one beyond the batch
    ],
)
def test_each_decision_of_a_batch_has_its_own_ten_seconds(
    made: list[int | None], expected: tuple[int, str], seconds: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Decisions 4 to 8 are asked, and the process is looked at every two and a half seconds."""
    process = _Process.__new__(_Process)
    own, other = socket.socketpair()
    process.sockets = [own]
    channel = Channel(0, Slots(bytearray(Slots(None, INTERFACE).size), INTERFACE))
    other.send(b".")
    with own, other:
        clock = Clock(monkeypatch, channel.slots.header, made)
        assert process.exchange(channel, 4, 9) == expected
        assert clock.now - 1000.0 == seconds
        assert set(clock.waits) == {2.5}


class Unstarted(Isolated):
    """An isolated policy without a process."""

    def _start(self) -> Any:
        return "declared"


@pytest.mark.parametrize(("processors", "channels"), [(3, 3), (99, 16)])
def test_each_processor_has_a_channel_of_its_own_in_one_piece_of_shared_memory(
    processors: int, channels: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(isolation, "usable_cpus", lambda: processors)
    policy = Unstarted(parse_entry("./mine.py:bold"), INTERFACE)
    step = Slots(None, INTERFACE).size
    assert policy._size == os.fstat(policy._shared).st_size == channels * step
    assert policy.failures.label == "./mine.py:bold"
    lent = []
    while not policy._channels.empty():
        lent.append(policy._channels.get())
    assert [channel.number for channel in lent] == list(range(channels))
    for channel in lent:
        channel.slots.header[:] = channel.number + 1
        channel.slots.records[3].view(np.uint8)[-1] = 200
    for number in range(channels):
        header = np.frombuffer(os.pread(policy._shared, 64, number * step), "i8")
        assert header.tolist() == [number + 1] * 8, "the process finds it where the channel is"
    policy._channels.put(lent[0])
    with policy.channel() as channel:
        assert channel is lent[0]
        assert policy._channels.empty()
    assert policy._channels.get() is lent[0]


def test_a_process_gets_its_memory_and_channels_and_nothing_of_the_environment_but_settings(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    started: list[Any] = []

    class Popen:
        def __init__(self, command: list[str], **how: Any) -> None:
            started.append((command, how))
            self.stdin, self.stdout, self.pid, self.killed = open(os.devnull, "wb"), open(os.devnull, "rb"), 4711, False  # noqa: PTH123, SIM115

        def kill(self) -> None:
            self.killed = True

        def wait(self, _seconds: float) -> int:
            return 0

    monkeypatch.setattr(subprocess, "Popen", Popen)
    monkeypatch.setattr(os, "environ", {"WSIM_CACHE_DIR": "x", "NUMBA_BOUNDSCHECK": "1", "SECRET": "s"})
    process = _Process(55, 2)
    ((command, how),) = started
    assert command == [sys.executable, "-P", "-m", "wsim.policies.isolated_worker"]
    assert how["pass_fds"] == (55, *process.descriptors)
    assert len(process.descriptors) == len(process.sockets) == 2
    assert how["start_new_session"] is True
    assert how["bufsize"] == 0
    assert set(how["env"]) == {
        *("WSIM_CACHE_DIR", "NUMBA_BOUNDSCHECK", "PYTHONPATH", "OPENBLAS_NUM_THREADS", "MALLOC_ARENA_MAX"),
        "PYTHONHASHSEED",
    }
    assert how["env"]["PYTHONPATH"].split(os.pathsep) == [path for path in sys.path if path]
    assert how["env"]["PYTHONHASHSEED"] == "0"
    assert (process.number, process.active) == (4711, 0)
    process.sockets[0].setblocking(False)
    assert process.sockets[0].recv(1) == b"", "its ends of the channels are closed here"
    process.end()
    popen: Any = process._popen
    assert popen.killed
    assert popen.stdin.closed
    assert popen.stdout.closed
    assert [end.fileno() for end in process.sockets] == [-1, -1]


@pytest.mark.parametrize(
    ("code", "said"), [(0, "(exit 0)"), (3, "(exit 3)"), (-9, "(signal 9)"), (None, "(exit None)")]
)
def test_how_a_process_ended_is_its_code_or_the_signal(code: int, said: str) -> None:
    process, waits = _Process.__new__(_Process), list[float]()
    process._popen = cast("Any", SimpleNamespace(returncode=code, wait=waits.append))
    assert process.why_ended() == f"ended its process {said}"
    assert waits == [1.0]


class Answering(ConfinedProcess):
    """A process that replies with prepared lines once it has received the load request."""

    made: Any = None

    def __init__(self, shared: int, channels: int) -> None:
        self.given, self.descriptors, self.told, self.ended = (shared, channels), [7, 8], list[Any](), False
        Answering.made, self.waits = self, list[float]()

    def tell(self, spec: Any) -> None:
        self.told.append(spec)

    def line(self, seconds: float) -> bytes:
        self.waits.append(seconds)
        return cast("bytes", self.lines.pop(0))  # type: ignore[attr-defined]

    def end(self) -> None:
        self.ended = True


def beginning(monkeypatch: pytest.MonkeyPatch, entry: str, *lines: Any, **more: Any) -> Any:
    """Return an isolated policy that is about to start, and whose process replies with prepared lines."""
    monkeypatch.setattr(isolation, "_Process", Answering)
    monkeypatch.setattr(Answering, "lines", [json.dumps(line).encode() for line in lines], raising=False)
    made: Any = Isolated.__new__(Isolated)
    made.entry, made.interface, made.unchecked, made._shared, made._count, made._size = (
        *(parse_entry(entry), INTERFACE, False, 33, 2, 4096),
    )
    vars(made).update(more)
    return made


SAYS = {"name": "bold", "parameters": {"coins": 2, "greedy": True}, "idea": "wins\x1b[2J", "python": 1, "values": 0}


def test_a_process_is_told_what_to_load_and_its_words_are_checked_and_printable(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    policy = beginning(monkeypatch, "./mine.py:bold", ["no\x1b[31m net"], SAYS, unchecked=True)
    declared = policy._start()
    process = Answering.made
    assert process.given == (33, 2)
    assert process.told == [{
        "entry": "./mine.py:bold", "file": str(tmp_path / "mine.py"), "registry": "wsim.wonders.registry",
        "shared": 33, "size": 4096, "channels": [7, 8], "memory": MEMORY, "unchecked": True,
    }]  # fmt: skip
    assert policy.missing == ["no?[31m net"]
    assert (declared.name, dict(declared.parameters), declared.idea) == ("bold", SAYS["parameters"], "wins?[2J")
    assert (declared.python, declared.values) == (True, False)
    assert process.waits == [300.0, 300.0], "compiling takes minutes at most"
    assert (policy._process is process, process.ended) == (True, False)
    apart = beginning(monkeypatch, "./mine.py:bold", [], SAYS)
    apart.entry = replace(apart.entry, path="/far/run/files/mine.py")
    apart._start()
    assert Answering.made.told[0]["file"] == "/far/run/files/mine.py", "of a run folder, not of this one"
    values = beginning(monkeypatch, "package.module:bold", [], SAYS | {"values": 1, "python": 0})
    declared = values._start()
    assert (declared.python, declared.values) == (False, True)
    assert Answering.made.told[0]["file"] is None
    assert Answering.made.told[0]["unchecked"] is False


@pytest.mark.parametrize(
    ("lines", "sentence"),
    [
        ([[], {"error": "line 3: no\x07 such thing"}], "^line 3: no. such thing$"),
        ([[], {"name": "bold"}], "cannot be loaded: its process ended or did not answer"),
        ([[], SAYS | {"parameters": {"a b": 1}}], "."),
        ([3], "'./mine.py:bold' cannot be loaded"),
    ],
)
def test_a_policy_that_cannot_be_loaded_is_refused_and_its_process_ends(
    lines: list[Any], sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    policy = beginning(monkeypatch, "./mine.py:bold", *lines)
    with pytest.raises(UserError, match=sentence):
        policy._start()
    assert Answering.made.ended
    assert policy._process is None


def test_the_exchanges_that_go_on_are_counted_and_who_is_alone_waits_for_its_turn() -> None:
    policy: Any = Isolated.__new__(Isolated)
    policy._lock, policy._turn = threading.Lock(), threading.Lock()
    policy._process = process = SimpleNamespace(active=0, number=12)
    with policy._asked() as (first, alone):
        assert (first, alone, process.active) == (process, False, 1)
        with policy._asked() as (_, alone):
            assert (alone, process.active, policy._turn.locked()) == (False, 2, False)
    assert (process.active, policy.process_id) == (0, 12)
    policy._alone = True
    with suppress(KeyError), policy._asked() as (given, alone):
        assert (given, alone, process.active, policy._turn.locked()) == (process, True, 1, True)
        raise KeyError
    assert (process.active, policy._turn.locked()) == (0, False)
    for alone in (False, True):
        policy._alone, policy._process = alone, None
        with policy._asked() as given:
            assert given == (None, alone)
    assert policy.process_id is None
    assert policy._lock.acquire(blocking=False)


def test_without_the_compiler_a_policy_gets_copies_and_its_memory_is_taken_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rooms = [np.zeros(1, kind).view(np.recarray) for kind in INTERFACE.records]
    rooms[1]["seat"] = 5
    policy: Any = Isolated.__new__(Isolated)
    policy.interface = SimpleNamespace(explored=lambda call: call, valuing=lambda call: call)
    policy.declaration = SimpleNamespace(values=False)

    def ask(*addresses: int) -> int:
        octets: Any = (ctypes.c_char * rooms[1].itemsize).from_address(addresses[1])
        own: Any = np.frombuffer(octets, rooms[1].dtype)
        assert own["seat"][0] == 5
        own["seat"], own["rng"] = 6, 99
        own["memory"][0][0] = 7
        return 3

    policy.ask = ask
    monkeypatch.setattr(isolation, "JIT", False)
    assert policy.entry_point()(*(room[0] for room in rooms)) == 3
    assert (rooms[1]["seat"][0], rooms[1]["memory"][0][0]) == (5, 7)
    assert (rooms[1]["rng"] == 99).all()
    policy.declaration.values = True
    policy.value = lambda index, *addresses: (index, addresses == tuple(room.ctypes.data for room in rooms))
    assert policy.entry_point()(*(room[0] for room in rooms), 4) == (4, True)


def test_the_isolated_policies_of_simulators_are_named_once_in_order() -> None:
    def simulator(**plugged: bool) -> Any:
        given = {label: SimpleNamespace(isolated=isolated) for label, isolated in plugged.items()}
        return SimpleNamespace(line_up=SimpleNamespace(plugged=given))

    simulators = [simulator(b=True, x=False), SimpleNamespace(), simulator(a=True, b=True)]
    assert isolation.isolated_in(simulators) == ["a", "b"]


def test_failures_are_told_for_each_decision_that_no_process_makes() -> None:
    policy: Any = Isolated.__new__(Isolated)
    policy._lock, policy._turn, policy._process = threading.Lock(), threading.Lock(), None
    policy.failures = Failures("mine")
    channel = Channel(0, Slots(bytearray(Slots(None, INTERFACE).size), INTERFACE))
    channel.slots.index[:] = 1
    assert len(channel.used) == SLOTS
    assert policy.decide(channel, np.array([2, 2, 2]), ["seat 0", "seat 1", "seat 2"]).tolist() == [0, 0, 0]
    assert policy.failures.listed == [f"seat {seat}: no longer has a process" for seat in range(3)]


def test_shared_memory_is_given_back_with_its_policy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(isolation, "usable_cpus", lambda: 1)
    policy = Unstarted(parse_entry("./mine.py:bold"), INTERFACE)
    descriptor = policy._shared
    os.fstat(descriptor)
    del policy
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(descriptor)


# --- inside the process


class Begun:
    """A policy process with all outside effects replaced; its actions are recorded in order."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, spec: dict[str, Any], load: Any) -> None:
        self.did: list[Any] = []
        self.memory = bytearray(3 * Slots(None, INTERFACE).size)
        monkeypatch.setattr(os, "dup", lambda descriptor: descriptor + 50)
        monkeypatch.setattr(os, "open", lambda *_given: 77)
        for name in ("dup2", "close", "write"):
            monkeypatch.setattr(os, name, lambda *given, name=name: self.did.append((name, *given)))
        monkeypatch.setattr(confined_start, "_line", lambda _descriptor: json.dumps(spec).encode())
        monkeypatch.setattr(mmap, "mmap", self.mapped)
        monkeypatch.setattr(isolated_worker, "_load", load)
        monkeypatch.setattr(isolated_worker, "_decide", lambda *given: self.did.append(("decide", *given)))
        monkeypatch.setattr(isolated_worker, "confine_files", lambda: self.did.append(("confined",)))
        monkeypatch.setattr(os, "getppid", lambda: 4321)
        monkeypatch.setattr(threading, "Thread", self.thread)
        isolated_worker.main()

    def mapped(self, *given: int) -> bytearray:
        self.did.append(("map", *given))
        return self.memory

    def thread(self, target: Any, args: Any, daemon: bool) -> Any:
        assert daemon, "a thread that decides does not keep the process from ending"
        return SimpleNamespace(
            start=lambda: self.did.append(("start", target, args)), join=lambda: self.did.append(("join", args))
        )


@pytest.mark.parametrize("values", [False, True])
def test_a_process_maps_its_memory_loads_compiles_confines_itself_and_then_decides(
    values: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    declaration = SimpleNamespace(name="bold", parameters={"a": 1}, idea="wins", python=False, values=values)
    plugged, asked = SimpleNamespace(declaration=declaration), list[Any]()

    def load(spec: Any, answers: int) -> Any:
        asked.append((spec["entry"], answers))
        return plugged, INTERFACE

    begun = Begun(monkeypatch, {"entry": "bold", "shared": 9, "size": 4096, "channels": [7, 8]}, load)
    did = [step for step in begun.did if step[0] != "dup2"]
    assert [step[0] for step in did] == [
        *("map", "close", "decide", "confined", "write", "start", "start", "start", "join", "join")
    ]
    assert (did[0][1:], did[1][1:], asked) == ((9, 4096), (9,), [("bold", 51)])
    said = {"name": "bold", "parameters": {"a": 1}, "idea": "wins", "python": False, "values": values}
    assert did[4] == ("write", 51, json.dumps(said).encode() + b"\n")
    _, policy, slots, last, start, count = did[2]
    assert (policy, start, count) == (plugged, 0, 0), "compiled, with nothing to decide yet"
    assert did[5] == ("start", confined_start._end_with, (4321,))
    served = [step[2] for step in did[6:8]]
    assert [(policy, descriptor) for policy, *_, descriptor in served] == [(plugged, 7), (plugged, 8)]
    assert served[0][1] is slots
    assert served[0][2] is last
    if values:
        assert last.dtype.names == Slots.lookahead(INTERFACE).dtype.names
    else:
        assert last is slots.records[3], "the fifth record of a policy that picks moves is that of the rules"
    step = Slots(None, INTERFACE).size
    for place, (_, own, _, _) in enumerate(served):
        own.header[0] = 5 + place
        assert begun.memory[place * step] == 5 + place
    assert [step[1][3] for step in did[8:]] == [7, 8]


def test_why_a_policy_cannot_be_loaded_is_the_last_that_its_process_says(monkeypatch: pytest.MonkeyPatch) -> None:
    spec = {"shared": 9, "size": 4096, "channels": [7]}
    for error, said in ((UserError("line 3: no"), "line 3: no"), (KeyError("x"), "KeyError: 'x'"),
                        (SystemExit("y" * 600), ("SystemExit: " + "y" * 600)[:500])):  # fmt: skip

        def load(_spec: Any, _answers: int, error: BaseException = error) -> Any:
            raise error

        begun = Begun(monkeypatch, spec, load)
        assert begun.did[-1] == ("write", 51, json.dumps({"error": said}).encode() + b"\n")
        assert begun.did[-2] == ("close", 9)


@pytest.mark.parametrize("file", [None, "/far/run/files/mine.py"])
def test_a_process_says_what_is_not_denied_before_it_runs_code_of_others(
    file: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    did: list[Any] = []
    spec = {"entry": "./mine.py:bold,a=2", "file": file, "registry": "wsim.wonders.registry", "memory": 11}
    spec["unchecked"] = file is not None
    monkeypatch.setattr(confined_start, "_listed", lambda given: did.append(("listed", given is spec)))
    monkeypatch.setattr(confined_start, "_readable", lambda given: ["here", given is spec])

    def confine(*given: Any) -> list[str]:
        did.append(("confine", *given))
        return ["no net"]

    monkeypatch.setattr(confined_start, "confine", confine)
    monkeypatch.setattr(os, "write", lambda *given: did.append(("write", *given)))

    def plug(entry: Any, interface: Any, copies: bool) -> str:
        did.append(("plug", str(entry), entry.path, ISOLATED.get(), UNCHECKED.get(), copies))
        assert interface.records == INTERFACE.records
        return "plugged"

    monkeypatch.setattr("wsim.policies.user_policies.plug", plug)
    assert isolated_worker._load(spec, 51)[0] == cast("Any", "plugged")
    assert did == [
        ("listed", True), ("confine", ["here", True], 11), ("write", 51, b'["no net"]\n'),
        ("plug", "./mine.py:bold,a=2", file, False, file is not None, False),
    ]  # fmt: skip


def test_names_in_the_folder_of_a_policy_are_known_without_reading_it_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once file access is denied, imports must not read the folder, even if it changes."""
    for name in ("mine.py", "helper.py"):
        (tmp_path / name).write_text("", encoding="utf-8")
    folder = str(tmp_path.resolve())
    monkeypatch.setattr(sys, "path_importer_cache", {})
    confined_start._listed({"file": None})
    assert not sys.path_importer_cache
    confined_start._listed({"file": str(tmp_path / "mine.py")})
    finder: Any = sys.path_importer_cache[folder]
    (tmp_path / "later.py").write_text("", encoding="utf-8")
    os.utime(tmp_path, (finder._path_mtime, finder._path_mtime))
    finder.invalidate_caches()
    assert finder.find_spec("helper").origin == f"{folder}/helper.py"
    assert finder.find_spec("later") is None


def test_requests_end_with_the_channel(monkeypatch: pytest.MonkeyPatch) -> None:
    read, write = os.pipe()
    os.write(write, b"[1]\n{")
    assert confined_start._line(read) == b"[1]\n"
    os.close(write)
    with pytest.raises(SystemExit):
        confined_start._line(read)
    os.close(read)
    waits: list[float] = []
    parents = iter([7, 7, 1])
    monkeypatch.setattr(os, "getppid", lambda: next(parents))
    monkeypatch.setattr(os, "_exit", lambda code: waits.append(-code))
    monkeypatch.setattr(time, "sleep", waits.append)
    confined_start._end_with(7)
    assert waits == [1.0, 1.0, 0], "it looks for its parent once a second"


def test_an_index_that_was_not_written_is_that_of_no_earlier_decision() -> None:
    policy: Any = Isolated.__new__(Isolated)
    policy._lock, policy._turn = threading.Lock(), threading.Lock()
    policy.failures = Failures("mine")
    policy._process = SimpleNamespace(active=0, exchange=lambda _channel, _start, count: (count, ""))
    channel = Channel(0, Slots(bytearray(Slots(None, INTERFACE).size), INTERFACE))
    channel.slots.index[:] = 1
    assert policy.decide(channel, np.array([2, 2]), ["seat 0", "seat 1"]).tolist() == [0, 0]
    assert policy.failures.listed == [f"seat {seat}: returned -1, not one of 2 legal moves" for seat in range(2)]


def test_a_process_may_read_the_interpreter_its_packages_wsim_and_few_files_of_the_system() -> None:
    found = confined_start._readable({"file": None})
    assert {Path(sys.prefix), Path(sys.base_prefix), Path(np.__file__).parent.parent} < set(found)
    assert Path(isolation.__file__).parent.parent in found
    assert Path("/") not in found
    assert Path.home() not in found
