"""Policies that misbehave, and two that do not (tests/policies/test_isolation.py)."""

import ctypes
import fcntl
import gc
import os
import platform
import socket
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

import wsim


@wsim.policy(name="last", parameters={"back": 1})  # type: ignore[untyped-decorator]
def last(public: Any, own: Any, choice: Any, rules: Any) -> Any:
    return max(choice.count - int(own.parameters[0]), 0)


def plain(public: Any, own: Any, choice: Any, rules: Any) -> int:
    own.memory[0] += 1
    return int(own.memory[0]) % int(choice.count)


def opens(public: Any, own: Any, choice: Any, rules: Any) -> int:
    return len(Path(__file__).read_bytes())


def writes(public: Any, own: Any, choice: Any, rules: Any) -> int:
    return Path(f"{__file__}.txt").write_text("told", encoding="utf-8")


def talks(public: Any, own: Any, choice: Any, rules: Any) -> int:
    socket.socket()
    return 0


def forks(public: Any, own: Any, choice: Any, rules: Any) -> int:
    os.fork()
    return 0


def starts(public: Any, own: Any, choice: Any, rules: Any) -> int:
    return os.posix_spawn("/bin/true", ["true"], {})


def signals(public: Any, own: Any, choice: Any, rules: Any) -> int:
    os.kill(os.getppid(), 9)
    return 0


def eats(public: Any, own: Any, choice: Any, rules: Any) -> int:
    return len(bytearray(1 << 42))


def far(public: Any, own: Any, choice: Any, rules: Any) -> int:
    return 10**6


def ends(public: Any, own: Any, choice: Any, rules: Any) -> int:
    os._exit(3 if choice.count else 4)


def crashes(public: Any, own: Any, choice: Any, rules: Any) -> int:
    return len(ctypes.string_at(0))


def hangs(public: Any, own: Any, choice: Any, rules: Any) -> int:
    while choice.count:
        pass
    return 0


def reaches(public: Any, own: Any, choice: Any, rules: Any) -> int:
    """Attempt, without doing harm, operations that would end or change the process of wsim."""
    queue, parent = {"x86_64": 129}.get(platform.machine(), 138), os.getppid()
    reached = 0 if ctypes.CDLL(None).syscall(queue, parent, 0, bytes(128)) else 1
    for descriptor in range(3, 64):
        with suppress(OSError):
            os.ftruncate(descriptor, os.fstat(descriptor).st_size)
            reached += 1
        with suppress(OSError):
            fcntl.fcntl(descriptor, fcntl.F_SETOWN, parent)
            reached += 1
        with suppress(OSError):
            fcntl.fcntl(descriptor, fcntl.F_SETSIG, 15)
            reached += 1
    return 10**6 if reached else 0


def _shared() -> list[Any]:
    return [one for one in gc.get_objects() if type(one).__name__ == "Slots"]


def scribbles(public: Any, own: Any, choice: Any, rules: Any) -> int:
    """Write false sizes, choices, records and text to shared memory, and answer before a request arrives."""
    for slots in _shared():
        slots.header[:], slots.index[:], slots.text[:] = 2**62, -(2**63), 27
        for records in slots.records:
            records.view(np.uint8).reshape(-1)[:] = 255
    for descriptor in range(3, 64):
        with suppress(OSError):
            socket.socket(fileno=os.dup(descriptor)).send(b"......")
    return -(2**63)


def stalls(public: Any, own: Any, choice: Any, rules: Any) -> int:
    """Pretend to make progress without deciding."""
    shared = _shared()

    def pretend() -> None:
        while True:
            for slots in shared:
                slots.header[0] += 1
            time.sleep(0.05)

    threading.Thread(target=pretend, daemon=True).start()
    while choice.count:
        pass
    return 0


@wsim.policy
def tells(public: Any, own: Any, choice: Any, rules: Any) -> Any:
    left = np.empty(1500, np.uint64)
    left[::4] = np.uint64(0x1234567890ABCDEF)
    return int(left[0] & np.uint64(1)) - 1


@wsim.policy
def listens(public: Any, own: Any, choice: Any, rules: Any) -> Any:
    """Read memory that was never written."""
    found = np.empty(1500, np.uint64)
    heard = 0
    for place in range(1500):
        if found[place] == np.uint64(0x1234567890ABCDEF):
            heard += 1
    return 10**6 if heard else 0


@wsim.policy(parameters={"of": 7, "wrong": 1})  # type: ignore[untyped-decorator]
def slips(public: Any, own: Any, choice: Any, rules: Any) -> Any:
    """Return an illegal move for some hands."""
    return 10**6 * int(own.parameters[1]) if int(own.hand % np.uint64(own.parameters[0])) == 3 else choice.count - 1


@wsim.policy(parameters={"of": 7, "wrong": 1}, python=True)  # type: ignore[untyped-decorator]
def dies(public: Any, own: Any, choice: Any, rules: Any) -> int:
    """End the process for some hands."""
    if int(own.hand) % int(own.parameters[0]) != 3:
        return int(choice.count) - 1
    if own.parameters[1]:
        os._exit(3)
    return 0
