"""Handle Ctrl-C and SIGTERM: the first signal stops the command cleanly, the second one immediately.

Python runs signal handlers on the main thread, which may be waiting for a playing thread while the system delivers the
signal to a different thread. Therefore a watcher thread receives every signal through a pipe, counts the signals, and
wakes the main thread.
"""

from __future__ import annotations

import _thread
import os
import select
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any

INTERRUPTED = 130
PATIENCE = 2.0  # seconds before a message explains how to stop immediately
PAUSE = 0.05  # seconds within which a callback that swallowed an interrupt should have returned
_LOST = 0  # a byte in the pipe that stands for a swallowed interrupt instead of a signal
_STOPS = (signal.SIGINT, signal.SIGTERM)


class _Watcher:
    """The thread that receives signals."""

    def __init__(self) -> None:
        self._asked = False
        self._main = threading.get_ident()
        self._end, self.start = os.pipe()
        os.set_blocking(self.start, False)
        self._hook: Any = sys.unraisablehook
        self._thread = threading.Thread(target=self._watch, daemon=True, name="wsim-signals")
        self._thread.start()

    def _watch(self) -> None:
        advised = False
        while True:
            patience = PATIENCE if self._asked and not advised else None
            if not select.select([self._end], [], [], patience)[0]:
                advised = True
                _write_lines(
                    "wsim: waiting for the current games to finish; press Ctrl-C again to stop immediately",
                    *_deciding_policy(),
                )
                continue
            byte = os.read(self._end, 1)
            if not byte:
                return
            if byte[0] == _LOST:
                time.sleep(PAUSE)
                self._asked = False
                _thread.interrupt_main()
            elif byte[0] in _STOPS:
                if self._asked:
                    _write_lines("wsim: stopped immediately; finished parts are stored", *_deciding_policy())
                    os._exit(INTERRUPTED)
                self._asked = True
                signal.pthread_kill(self._main, signal.SIGURG)

    def again(self, unraisable: Any) -> None:
        """Repeat an interrupt raised in a callback from C code, where Python drops exceptions."""
        if isinstance(unraisable.exc_value, KeyboardInterrupt):
            os.write(self.start, bytes([_LOST]))
        else:
            self._hook(unraisable)

    def leave(self) -> None:
        """Stop the thread."""
        os.close(self.start)
        self._thread.join()
        os.close(self._end)


def _write_lines(*lines: str) -> None:
    """Write lines to standard error, bypassing buffers and locks that other threads may hold."""
    with suppress(OSError):
        os.write(2, "".join(f"{line}\n" for line in lines).encode())


def _deciding_policy() -> list[str]:
    """Return a line that names the user policy that is still deciding, if any."""
    watch = sys.modules.get("wsim.policies.watchdog")  # not imported only for this
    return [f"wsim: {line}"] if watch is not None and (line := watch.deciding()) else []


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _wake(_number: int, _frame: FrameType | None) -> None:
    """Do nothing; the call wakes the main thread, which then handles signals delivered to other threads."""


@contextmanager
def stoppable() -> Iterator[None]:
    """Make the first SIGINT or SIGTERM raise KeyboardInterrupt, and the second one end the process.

    This applies only to the main thread on POSIX systems; elsewhere, Python's handling is unchanged. Signals that are
    already ignored (nohup, background jobs of a shell) stay ignored.
    """
    if os.name != "posix" or threading.current_thread() is not threading.main_thread():
        yield
        return
    watcher = _Watcher()
    handlers = dict.fromkeys((stop for stop in _STOPS if signal.getsignal(stop) is not signal.SIG_IGN), _interrupt)
    before = {number: signal.signal(number, handler) for number, handler in handlers.items()}
    before[signal.SIGURG] = signal.signal(signal.SIGURG, _wake)
    pipe = signal.set_wakeup_fd(watcher.start, warn_on_full_buffer=False)
    hook, sys.unraisablehook = sys.unraisablehook, watcher.again
    try:
        yield
    finally:
        sys.unraisablehook = hook
        signal.set_wakeup_fd(pipe)
        for number, handler in before.items():
            signal.signal(number, handler)
        watcher.leave()
