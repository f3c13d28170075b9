"""Processes that run code of others: how they are started, spoken with, and ended.

Such a process confines itself before it loads that code (``wsim.policies.confinement``): no network access, no other
processes, no files but its own, limited memory and time. It receives a line of JSON and requests on its sockets, and
whatever it says is read as text or numbers here.
"""

from __future__ import annotations

import json
import os
import select
import socket
import subprocess
import sys
import time
import weakref
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any

from wsim.errors import UserError
from wsim.jit import cache_directory

SECONDS = 10.0
"""Time for one decision or result, in seconds of the clock."""
LOADING = 300.0
"""Seconds until the code must be loaded and compiled."""
MEMORY = 2 << 30
"""Bytes that the code may use beyond the interpreter, its libraries and wsim."""
TEXT = 500
"""Bytes of a message that are read."""


def printable(text: Any) -> str:
    """Return the text of a process as one printable line."""
    return "".join(letter if letter.isprintable() else "?" for letter in " ".join(str(text).split()))[:TEXT]


def refuse_where_no_process_can_be_confined(what: str) -> None:
    """Raise UserError where the system has no processes that can be confined; ``what``: "isolated policies"."""
    if not hasattr(os, "fork"):
        raise UserError(f"{what} need Linux or macOS: play with wsim --trusted COMMAND if you trust them")


class ConfinedProcess:
    """A process that runs a module of wsim, which confines itself and loads code of others.

    Attributes
    ----------
    sockets: one for each thread that may speak with it at the same time. descriptors: the other ends, as it knows them.
    """

    def __init__(self, module: str, channels: int, shared: Sequence[int] = ()) -> None:
        pairs = [socket.socketpair() for _ in range(channels)]
        self.sockets, theirs = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
        environment = {name: value for name, value in os.environ.items() if name.startswith(("NUMBA_", "WSIM_"))}
        environment |= {"WSIM_CACHE_DIR": str(cache_directory("wonders.kernels").parent)}
        environment |= {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
        environment |= {"OPENBLAS_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "4"}  # arenas count as memory
        environment |= {"PYTHONHASHSEED": "0"}  # the same order of sets in every process
        self.descriptors = [end.fileno() for end in theirs]
        self._popen = subprocess.Popen(
            [sys.executable, "-P", "-m", module],  # -P: imports nothing from this folder
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0,
            pass_fds=(*shared, *self.descriptors), env=environment, start_new_session=True,
        )  # fmt: skip
        for end in theirs:
            end.close()
        weakref.finalize(self, _end, self._popen, self.sockets)

    @property
    def number(self) -> int:
        """Its number in the system."""
        return self._popen.pid

    def end(self) -> None:
        """End it, if it has not ended."""
        _end(self._popen, self.sockets)

    def tell(self, spec: dict[str, Any]) -> None:
        """Send the process the request to load its code."""
        self._popen.stdin.write(json.dumps(spec).encode() + b"\n")  # type: ignore[union-attr]

    def line(self, seconds: float) -> bytes:
        """Return a line of the process; ValueError if it is too long or does not come in time."""
        text, until = b"", time.monotonic() + seconds
        output: Any = self._popen.stdout
        while not text.endswith(b"\n"):
            ready, _, _ = select.select([output], [], [], max(0.0, until - time.monotonic()))
            piece = output.read(1) if ready else b""  # byte by byte, so as not to read into the next line
            if not piece or len(text) > 1 << 16:
                raise ValueError("no line")
            text += piece
        return text

    def loaded(self) -> tuple[list[str], dict[str, Any]]:
        """Return what the system does not deny the process, in words, and what its code says of itself.

        Raises UserError if the code cannot be loaded, ValueError or TypeError if the process does not answer properly.
        """
        missing = json.loads(self.line(LOADING))
        said = json.loads(self.line(LOADING)) if isinstance(missing, list) else missing
        if "error" in said:
            raise UserError(printable(said["error"]))
        return [printable(text) for text in missing], dict(said)

    def why_ended(self) -> str:
        """Return how it ended, in words."""
        with suppress(subprocess.TimeoutExpired):
            self._popen.wait(1.0)
        code = self._popen.returncode
        if code is not None and code < 0:
            return f"ended its process (signal {-code})"
        return f"ended its process (exit {code})"


def _end(popen: Any, sockets: Iterable[Any]) -> None:
    """End a process, if it has not ended, and close what led to it."""
    with suppress(OSError):
        popen.kill()
    for stream in (popen.stdin, popen.stdout, *sockets):
        with suppress(OSError):
            stream.close()
    with suppress(Exception):
        popen.wait(5.0)
