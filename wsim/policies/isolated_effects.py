"""Isolated effects: other people's Python effects in a separate process, which gets public numbers and returns numbers.

The process (``wsim.policies.effect_worker``) is confined like the process of an isolated policy. Each file has one
process, which serves all its calls. If a function raises, does not answer within ``SECONDS``, or its process ends, the
run stops with a one-sentence error, as it does for trusted effects.
"""

from __future__ import annotations

import ctypes
import os
import select
import socket
import struct
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from wsim.jit import JIT, njit
from wsim.policies.confined import (
    MEMORY,
    SECONDS,
    TEXT,
    ConfinedProcess,
    printable,
    require_posix,
)
from wsim.policies.declare import UNCHECKED
from wsim.policies.isolation import Failures

if TYPE_CHECKING:
    from pathlib import Path

    from wsim.policies.effect_files import EffectFile
    from wsim.policies.effect_interface import EffectInterface

ARGUMENTS = 6
"""The number of arguments that a slot passes on: the own seat, the other seat and four numbers."""
REQUEST = struct.Struct(f"<{1 + ARGUMENTS}q")
"""A request: the number of the function and its arguments; the table of public numbers follows."""
ANSWER = struct.Struct("<qq")
"""An answer: the result and the length of the error message, which follows; length 0: no error."""
_NO_VALUE = -(2**63)
_REASONS: dict[int, str | KeyboardInterrupt] = {}
"""Thread -> the reason why its last call failed, or the interruption."""


def taken_reason() -> str:
    """Return and clear the reason why an isolated effect failed in this thread; "" if none did.

    Raises the KeyboardInterrupt of a call that was interrupted.
    """
    reason = _REASONS.pop(threading.get_ident(), "")
    if isinstance(reason, KeyboardInterrupt):
        raise reason
    return reason


class IsolatedEffects:
    """The process of an effect file.

    Attributes
    ----------
    functions: name and number of arguments of each function that it serves; requests refer to them by index.
    failures: the label of the file; the count stays 0, because a failure ends the run.
    missing: descriptions of the restrictions that this system does not support.
    """

    def __init__(
        self, path: Path, file: EffectFile, functions: Sequence[tuple[str, int]], interface: EffectInterface
    ) -> None:
        require_posix("isolated effects")
        self.functions, self.failures, self.interface = list(functions), Failures(file.name), interface
        self._owner, self._lock, self._ended = os.getpid(), threading.Lock(), False
        self._entries: dict[tuple[str, int], Any] = {}
        self._process = ConfinedProcess("wsim.policies.effect_worker", 1)
        spec = {
            "file": os.path.abspath(path),  # noqa: PTH100 (as it is imported, links and all)
            "digest": file.digest,
            "functions": self.functions,
            "layout": interface.layout,
            "channels": self._process.descriptors,
            "memory": MEMORY,
            "unchecked": UNCHECKED.get(),
        }
        with self._process.loading(f"the isolated effect file {file.name!r}"):
            self._process.tell(spec)
            self.missing: Sequence[str] = self._process.loaded()[0]
        kind = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_uint64, *[ctypes.c_int64] * ARGUMENTS)
        self._called = kind(self._result)

    @property
    def number(self) -> int:
        """The process ID."""
        return self._process.number

    def serves(self, function: tuple[str, int]) -> bool:
        """Return whether this process can call a function here; a forked process must start its own."""
        return function in self.functions and self._owner == os.getpid() and not self._ended

    def entry(self, function: tuple[str, int]) -> Any:
        """Return the function for a slot, which requests its result from the process."""
        if function not in self._entries:
            self._entries[function] = self.interface.entry(self._requesting(self.functions.index(function)))
        return self._entries[function]

    def _requesting(self, number: int) -> Any:
        """Build a function of the table and six numbers that has the process compute its result."""
        if not JIT:
            return lambda room, *arguments: self._result(number, room.ctypes.data, *arguments)
        called = self._called

        def requesting(room: Any, own: Any, other: Any, a: Any, b: Any, c: Any, d: Any) -> Any:
            return called(number, room.ctypes.data, own, other, a, b, c, d)

        return njit(nogil=True, error_model="python")(requesting)

    def _result(self, number: int, room: int, *arguments: int) -> int:
        """Request a number from the process; on failure, store the reason and return ``_NO_VALUE``."""
        table = ctypes.string_at(room, self.interface.table.itemsize)
        reason: str | KeyboardInterrupt
        try:
            with self._lock:
                result, reason = self._exchange(REQUEST.pack(number, *arguments) + table)
        except KeyboardInterrupt as interruption:  # compiled code has called this, so it would be lost here
            self._end()
            result, reason = 0, interruption
        if reason == "":
            return result if result != _NO_VALUE else _NO_VALUE + 1  # this is also outside every declared range
        _REASONS[threading.get_ident()] = reason
        return _NO_VALUE

    def _exchange(self, request: bytes) -> tuple[int, str]:
        """Send a request; return the result and "", or 0 and the reason for a failure.

        Ends the process if it does not answer properly.
        """
        if self._owner != os.getpid():
            return 0, "cannot be called in a process that was forked after the games were prepared"
        own = self._process.sockets[0]
        try:
            own.sendall(request)
            result, length = ANSWER.unpack(_received(own, ANSWER.size))
            if not length:
                return result, ""
            if 0 < length <= TEXT:
                return 0, f"raised {printable(_received(own, length).decode(errors='replace'))}"
            reason = "did not answer properly"
        except TimeoutError:
            reason = f"did not return within {SECONDS:.0f} s"
        except OSError:
            reason = self._process.why_ended()
        self._end()
        return 0, reason

    def _end(self) -> None:
        """End the process, which may owe an answer; it serves no further calls."""
        self._process.end()
        self._ended = True


def _received(own: socket.socket, size: int) -> bytes:
    """Receive ``size`` bytes of an answer; raise OSError if the process ends first, TimeoutError if it is late."""
    text = b""
    while len(text) < size:
        if not select.select([own], [], [], SECONDS)[0]:
            raise TimeoutError
        if not (piece := own.recv(size - len(text))):
            raise ConnectionResetError
        text += piece
    return text
