"""Which users' policies have passed ``wsim policies --check``: those are compiled without bounds checks.

A policy is known by a digest of its source, its function and the kernels of this version; a folder of empty files, in
the cache, holds the digests. Where the folder cannot be used, nothing is known and everything is checked.
"""

from __future__ import annotations

import hashlib
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from wsim.jit import kept_folder

if TYPE_CHECKING:
    from wsim.policies.interface import Interface

__all__ = ["has_passed", "note_passed"]


def has_passed(source: str, function: str, interface: Interface) -> bool:
    """Say whether a function of a source (its digest) has passed the check."""
    with suppress(OSError):
        return _mark(source, function, interface).is_file()
    return False


def note_passed(source: str, function: str, interface: Interface) -> bool:
    """Note that a function of a source has passed; return whether it could be noted."""
    try:
        _mark(source, function, interface).touch()
    except OSError:
        return False
    return True


def _mark(source: str, function: str, interface: Interface) -> Path:
    name = hashlib.sha256(f"{source}\0{function}".encode()).hexdigest()[:32]
    return kept_folder(interface.home.removeprefix("wsim.")) / f"{name}.passed"
