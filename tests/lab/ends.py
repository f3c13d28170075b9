"""Simulate a process that ends at a chosen write: nothing that it writes from then on reaches the disk.

Every change to a folder from Python raises an audit event: a file opened for writing, renamed or removed, a
folder created. ``Ends`` counts these events below a folder and raises before the n-th and all later ones, as if
the process were gone; error handlers cannot write anything either. Polars writes to a temporary file
next to the target until Python renames it.

A disk that is full after some bytes is simulated where all writes of wsim pass: a file is flushed before it gets
its name, and a journal after each line. ``small_disk`` truncates the data that does not fit, and raises.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any

import pytest

from wsim.files import StoreError

_PLACES = {
    "open": (0,), "os.rename": (0, 1), "os.remove": (0,), "os.mkdir": (0,), "os.rmdir": (0,), "os.truncate": (0,),
}  # fmt: skip
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


class Ended(BaseException):
    """The simulated process has ended."""


class Ends:
    """Counts writes below a folder and ends at one of them.

    Attributes
    ----------
    at: the number of the write, from 1, before which the process ends; 0: never. seen: writes so far.
    """

    def __init__(self, folder: Path, at: int) -> None:
        self.folder, self.at, self.seen = os.path.realpath(folder) + os.sep, at, 0
        self._lock = Lock()

    def hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Handle an audit event."""
        if event not in _PLACES or (event == "open" and not _for_writing(arguments)):
            return
        named = [arguments[place] for place in _PLACES[event]]
        paths = [os.fsdecode(one) for one in named if isinstance(one, str | bytes | os.PathLike)]
        if not any(f"{Path(path).absolute()}{os.sep}".startswith(self.folder) for path in paths):
            return
        with self._lock:
            self.seen += 1
            if self.at and self.seen >= self.at:
                raise Ended(f"{event} {paths}")


def _for_writing(arguments: tuple[Any, ...]) -> bool:
    mode, flags = arguments[1], arguments[2]
    return bool(set(mode) & set("wax+")) if isinstance(mode, str) else bool((flags or 0) & _WRITES)


_now: list[Ends] = []


def _hook(event: str, arguments: tuple[Any, ...]) -> None:
    if _now:
        _now[-1].hear(event, arguments)


_installed: list[bool] = []


@contextmanager
def ending(folder: Path, at: int) -> Iterator[Ends]:
    """End at a write below a folder inside this context; afterwards the audit hook remains, but ignores events."""
    if not _installed:
        sys.addaudithook(_hook)
        _installed.append(True)
    _now.append(Ends(folder, at))
    try:
        yield _now[-1]
    finally:
        _now.pop()


def every_write(
    folder: Path,
    before: Callable[[], object],
    work: Callable[[], object],
    after: Callable[[int], object],
    step: int = 1,
) -> int:
    """End ``work`` at every ``step``-th write below a folder, and at the last; return the number of writes.

    ``before`` prepares the folder; ``after`` checks the folder once the work has ended at a write.
    """
    before()
    with ending(folder, 0) as whole:
        work()
    for at in sorted({*range(1, whole.seen + 1, step), whole.seen}):
        before()
        with ending(folder, at):
            try:
                work()
            except Ended:
                pass
            else:
                raise AssertionError(f"it did not end at write {at} of {whole.seen}")
        after(at)
    return whole.seen


class Disk:
    """A disk with a limited number of free bytes.

    Replacing or removing files does not free any bytes.

    Attributes
    ----------
    free: the remaining bytes. written: the sizes of the writes, in order.
    """

    def __init__(self, folder: Path, free: int) -> None:
        self.free, self.written = free, list[int]()
        there = [path.stat() for path in folder.rglob("*")]
        self._known = {found.st_ino: found.st_size for found in there}  # bytes that are on the disk
        self._flush = os.fsync
        self._lock = Lock()

    def flush(self, descriptor: int) -> None:
        """Replace ``os.fsync``."""
        found = os.fstat(descriptor)
        with self._lock:
            if stat.S_ISREG(found.st_mode):
                anew = Path(f"/proc/self/fd/{descriptor}").readlink().suffix == ".tmp"
                before = 0 if anew else min(self._known.get(found.st_ino, 0), found.st_size)
                more = found.st_size - before
                if more > self.free:
                    os.ftruncate(descriptor, before + self.free)
                    self.free = 0
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
                self.free -= more
                self.written.append(more)
                self._known[found.st_ino] = found.st_size
        self._flush(descriptor)


@contextmanager
def small_disk(folder: Path, free: int) -> Iterator[Disk]:
    """Simulate, inside this context, that the disk of a folder is full after a number of bytes."""
    disk = Disk(folder, free)
    os.fsync = disk.flush  # type: ignore[assignment]
    try:
        yield disk
    finally:
        os.fsync = disk._flush


def every_byte(
    folder: Path,
    before: Callable[[], object],
    work: Callable[[], object],
    after: Callable[[int], object],
    step: int = 1,
) -> int:
    """Run ``work`` as ``every_write`` does, on a disk that is full at the first, a middle or a late byte of a write."""
    before()
    with small_disk(folder, 1 << 60) as whole:
        work()
    room, starts = 0, []
    for more in whole.written:
        starts += [room, room + more // 2, room + more - 1 - more // 10]  # a record says how long it took: it varies
        room += more
    for free in sorted({*starts[::step], starts[-1]}):
        before()
        with small_disk(folder, free), pytest.raises(StoreError, match=os.strerror(errno.ENOSPC)):
            work()
        after(free)
    return len(whole.written)
