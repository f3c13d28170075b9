"""Start, communicate with and end processes that run other people's code.

Such a process confines itself before it loads that code (``wsim.policies.confinement``): it cannot use the network,
start processes, or open files other than its own, and its memory and time are limited. It receives one line of JSON,
then requests on its sockets. Its output is only ever read as text or numbers.
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
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from wsim.errors import UserError
from wsim.jit import cache_directory

SECONDS = 10.0
"""Time limit for one decision or result, in seconds of wall-clock time."""
LOADING = 300.0
"""Time limit for loading and compiling the code, in seconds."""
MEMORY = 2 << 30
"""Bytes of memory that the code may use in addition to the interpreter, its libraries and wsim."""
TEXT = 500
"""Maximum length of a message from the process, in bytes; the rest is cut off."""


def printable(text: Any) -> str:
    """Convert text that a process wrote to a single printable line."""
    return "".join(letter if letter.isprintable() else "?" for letter in " ".join(str(text).split()))[:TEXT]


def require_posix(what: str) -> None:
    """Raise UserError on a system that cannot confine processes; ``what``: such as "isolated policies"."""
    if not hasattr(os, "fork"):
        raise UserError(f"{what} need Linux or macOS: play with wsim --trusted COMMAND if you trust them")


class ConfinedProcess:
    """A process that runs a module of wsim, which confines itself and loads other people's code.

    Attributes
    ----------
    sockets: one for each thread that may send requests at the same time.
    descriptors: the file descriptors of the other ends in the process.
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
        """Its process ID."""
        return self._popen.pid

    def end(self) -> None:
        """Kill the process if it is still running, and close its sockets and streams."""
        _end(self._popen, self.sockets)

    def tell(self, spec: dict[str, Any]) -> None:
        """Send the process ``spec``, which describes the code to load."""
        self._popen.stdin.write(json.dumps(spec).encode() + b"\n")  # type: ignore[union-attr]

    def line(self, seconds: float) -> bytes:
        """Return the next line that the process writes; raise ValueError if it is too long or late."""
        text, until = b"", time.monotonic() + seconds
        output: Any = self._popen.stdout
        while not text.endswith(b"\n"):
            ready, _, _ = select.select([output], [], [], max(0.0, until - time.monotonic()))
            piece = output.read(1) if ready else b""  # byte by byte, so as not to read into the next line
            if not piece or len(text) > 1 << 16:
                raise ValueError("no line")
            text += piece
        return text

    @contextmanager
    def loading(self, code: str) -> Iterator[None]:
        """End the process and raise UserError if ``code``, such as "the isolated policy 'bold'", cannot be loaded."""
        try:
            yield
        except UserError:
            self.end()
            raise
        except (ValueError, KeyError, TypeError, AttributeError, OSError, RecursionError) as error:
            self.end()
            raise UserError(f"{code} cannot be loaded: its process ended or did not answer correctly") from error

    def loaded(self) -> tuple[list[str], dict[str, Any]]:
        """Wait until the code is loaded; return descriptions of the missing restrictions and of the code.

        Raises UserError if the code cannot be loaded, ValueError or TypeError if the process does not answer properly.
        """
        missing = json.loads(self.line(LOADING))
        said = json.loads(self.line(LOADING)) if isinstance(missing, list) else missing
        if "error" in said:
            raise UserError(printable(said["error"]))
        return [printable(text) for text in missing], dict(said)

    def why_ended(self) -> str:
        """Describe how the process ended, such as "ended its process (exit 1)"."""
        with suppress(subprocess.TimeoutExpired):
            self._popen.wait(1.0)
        code = self._popen.returncode
        if code is not None and code < 0:
            return f"ended its process (signal {-code})"
        return f"ended its process (exit {code})"


def _end(popen: Any, sockets: Iterable[Any]) -> None:
    """Kill a process if it is still running, and close its streams and sockets."""
    with suppress(OSError):
        popen.kill()
    for stream in (popen.stdin, popen.stdout, *sockets):
        with suppress(OSError):
            stream.close()
    with suppress(Exception):
        popen.wait(5.0)
