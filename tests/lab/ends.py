"""A process that ends at a chosen write, without the process: from then on nothing of it reaches the disk.

Everything that changes a folder from Python raises an audit event: a file opened to be written, renamed, removed, a
folder made. ``Ends`` counts those below a folder, raises at the n-th before it happens, and at all later ones, as if
the process were gone; what handles errors on the way out writes nothing either. What Polars writes lies in a file
beside the name until Python renames it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any

_PLACES = {
    "open": (0,), "os.rename": (0, 1), "os.remove": (0,), "os.mkdir": (0,), "os.rmdir": (0,), "os.truncate": (0,),
}  # fmt: skip
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


class Ended(BaseException):
    """The process is gone."""


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
        """Take an audit event."""
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
