"""Detect processes forked while Polars had threads: they inherit its locks, but not its threads.

Polars would wait for those threads forever. So wsim checks for such threads at every fork; in the child it then refuses
to make tables, with an error that gives advice. Children of ``subprocess`` run other programs and are not affected.
"""

from __future__ import annotations

import os
import sys

from wsim.errors import UserError

CLEANER = b"polars-ooc"
"""The thread that Polars starts when it is imported: it only deletes files of spilled tables, so a fork works without
it.
"""


class _Forks:
    """Tracks whether this process was forked while Polars had threads."""

    def __init__(self) -> None:
        self.threads_before = False  # at the current fork
        self.without_threads = False  # this process was forked from one in which Polars had threads

    def look(self) -> None:
        """Record before a fork whether Polars has threads; where threads are not visible, whether Polars is loaded."""
        self.threads_before = False
        if "polars" in sys.modules:
            try:
                from pathlib import Path  # imported late: every start of wsim runs this module

                names = [(task / "comm").read_bytes() for task in Path("/proc/self/task").iterdir()]
                self.threads_before = any(name.startswith(b"polars") and not name.startswith(CLEANER) for name in names)
            except OSError:
                self.threads_before = True

    def begin_child(self) -> None:
        """Copy the result of ``look`` to the state of the child process."""
        self.without_threads |= self.threads_before


_FORKS = _Forks()

if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_FORKS.look, after_in_child=_FORKS.begin_child)


def refuse_forked() -> None:
    """Raise UserError if this process was forked from one in which Polars had threads."""
    if _FORKS.without_threads:
        raise UserError(
            "this process was forked from one that had already made tables, so Polars would hang in it: "
            'start workers with multiprocessing.get_context("spawn") or "forkserver", or fork before the first game'
        )
