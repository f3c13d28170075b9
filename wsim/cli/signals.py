"""Ctrl-C and SIGTERM: the first one stops in order, the second one at once.

Python runs handlers on the main thread, which may be waiting for a thread that plays while the system gave the signal
to another one. So a watcher is told of every signal by a pipe: it wakes the main thread, and counts.
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
PATIENCE = 2.0  # seconds in order before somebody at the terminal is told how to stop at once
PAUSE = 0.05  # seconds, after which a callback that swallowed an interrupt should be over
_LOST = 0  # in the pipe: no signal, but an interrupt that nobody saw
_STOPS = (signal.SIGINT, signal.SIGTERM)


class _Watcher:
    """The thread that is told of signals."""

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
                _say("wsim: waiting for the games that are being played; Ctrl-C again ends at once", *_deciding())
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
                    _say("wsim: ended at once; what was finished is kept", *_deciding())
                    os._exit(INTERRUPTED)
                self._asked = True
                signal.pthread_kill(self._main, signal.SIGURG)

    def again(self, unraisable: Any) -> None:
        """Ask again if the interrupt fell into a callback of C code, where Python drops exceptions."""
        if isinstance(unraisable.exc_value, KeyboardInterrupt):
            os.write(self.start, bytes([_LOST]))
        else:
            self._hook(unraisable)

    def leave(self) -> None:
        """End the thread."""
        os.close(self.start)
        self._thread.join()
        os.close(self._end)


def _say(*lines: str) -> None:
    """Write lines to standard error without a buffer or a lock that might be held."""
    with suppress(OSError):
        os.write(2, "".join(f"{line}\n" for line in lines).encode())


def _deciding() -> list[str]:
    """Return a line about the policy of a user's that is waited for; none for none."""
    watch = sys.modules.get("wsim.policies.watchdog")  # it is not imported for that
    return [f"wsim: {found}"] if watch is not None and (found := watch.deciding()) else []


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _wake(_number: int, _frame: FrameType | None) -> None:
    """Do nothing: the main thread is awake, and runs the handlers of the signals that came to others."""


@contextmanager
def stoppable() -> Iterator[None]:
    """Let SIGINT and SIGTERM raise KeyboardInterrupt, the second one end the process.

    On the main thread of a POSIX system; elsewhere Python's own way is left alone. What was to be ignored (nohup, the
    background of a shell) is ignored.
    """
    if os.name != "posix" or threading.current_thread() is not threading.main_thread():
        yield
        return
    watcher = _Watcher()
    handlers = dict.fromkeys((one for one in _STOPS if signal.getsignal(one) is not signal.SIG_IGN), _interrupt)
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
