"""Processes forked from one in which Polars was at work: they have its locks, but not its threads.

Polars would wait for those threads for ever. So wsim looks at every fork whether there are any, and refuses to make
tables in the child, with what helps. The children of ``subprocess`` run programs of their own and are not meant.
"""

from __future__ import annotations

import os
import sys

from wsim.errors import UserError


class _Forks:
    """What this process knows of its own fork."""

    def __init__(self) -> None:
        self.threads_before = False  # at the fork that is going on
        self.without_threads = False  # this process was forked from one in which Polars had threads

    def look(self) -> None:
        """Look, before a fork, whether Polars has threads; where that cannot be seen, whether it is loaded."""
        self.threads_before = False
        if "polars" in sys.modules:
            try:
                from pathlib import Path  # not before it is needed: every start of wsim comes by here

                names = [(task / "comm").read_bytes() for task in Path("/proc/self/task").iterdir()]
                self.threads_before = any(name.startswith(b"polars") for name in names)
            except OSError:
                self.threads_before = True

    def begin_child(self) -> None:
        """Remember it in the child."""
        self.without_threads |= self.threads_before


_FORKS = _Forks()

if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_FORKS.look, after_in_child=_FORKS.begin_child)


def refuse_forked() -> None:
    """Raise UserError in a process that was forked from one in which Polars had threads."""
    if _FORKS.without_threads:
        raise UserError(
            "this process was forked from one that had made tables already, and Polars would wait for ever in it: "
            'start workers with multiprocessing.get_context("spawn") or "forkserver", or fork before the first game'
        )
