"""A process that ends at a chosen write, without the process: from then on nothing of it reaches the disk.

Everything that changes a folder from Python raises an audit event: a file opened to be written, renamed, removed, a
folder made. ``Ends`` counts those below a folder, raises at the n-th before it happens, and at all later ones, as if
the process were gone; what handles errors on the way out writes nothing either. What Polars writes lies in a file
beside the name until Python renames it.

A disk that is full after a number of bytes is made where all that wsim writes passes: a file is flushed before it gets
its name, and a journal after each line. ``small_disk`` cuts there what has no room any more, and refuses.
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
    at: the write, from 1, before which all ends; 0: none. seen: writes so far.
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
    """End at a write below a folder for as long as the context lasts; an audit hook stays, but hears nothing then."""
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
    """End ``work`` at every ``step``-th of its writes below a folder, and at the last; return how many it has.

    ``before`` makes the folder as it is before the work, ``after`` looks at what is left when it ended at a write.
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
    """A disk with room for so many bytes more.

    Files that are replaced or removed make no room again.

    Attributes
    ----------
    free: bytes that are left. written: the sizes of what was written, in order.
    """

    def __init__(self, folder: Path, free: int) -> None:
        self.free, self.written = free, list[int]()
        there = [path.stat() for path in folder.rglob("*")]
        self._known = {found.st_ino: found.st_size for found in there}  # bytes that are on the disk
        self._flush = os.fsync
        self._lock = Lock()

    def flush(self, descriptor: int) -> None:
        """Take the place of ``os.fsync``."""
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
    """Let the disk of a folder be full after so many bytes, for as long as the context lasts."""
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
    """Do the same as ``every_write`` with a disk that is full at the first, a middle and a late byte of a write."""
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
