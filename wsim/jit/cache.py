"""The folders of compiled kernels.

Numba decides whether a cached kernel is stale by the file of the outermost function only: after an edit of a callee in
another module it returns the OLD answer. The cache directory therefore carries a digest of every kernel source, so an
edited kernel can never meet a cache entry of its former self.
"""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path

import numba

from wsim.jit.modes import CHECKED, JIT, PLAIN, config

__all__ = ["cache_directory", "cache_is_cold", "caching_in", "source_digest"]

PACKAGE = Path(__file__).parents[1]
SHARED_SOURCES = ("jit", "rng.py", "policies/interface.py")
KERNEL_PLACES = ("words.py", "kernels", "policies")  # of a game: what its kernels are made of

_SETTINGS = threading.RLock()


@lru_cache
def source_digest(package: str) -> str:
    """Return a digest of the sources that a kernel of a package such as "wonders.policies" may call.

    These are the shared ones, the words of its game, and the game's kernels; those of its policies call both.
    """
    digest = hashlib.sha256()
    game, _, room = package.partition(".")
    places = [*SHARED_SOURCES, *(f"{game}/{place}" for place in KERNEL_PLACES[: KERNEL_PLACES.index(room) + 1])]
    for path in [path for place in places for path in _files(PACKAGE / place)]:
        digest.update(path.relative_to(PACKAGE).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def _files(place: Path) -> list[Path]:
    """Return the Python files of a folder in a fixed order, or the file itself; nothing where there is neither."""
    return sorted(place.glob("*.py")) if place.is_dir() else [place] if place.is_file() else []


def _cache_root() -> Path:
    """Return the folder of all caches: ``WSIM_CACHE_DIR``, else the user's cache folder, else a temporary one."""
    if named := os.environ.get("WSIM_CACHE_DIR"):
        return Path(named)
    base = os.environ.get("XDG_CACHE_HOME") or (os.environ.get("LOCALAPPDATA") if os.name == "nt" else None)
    root = (Path(base) if base else Path.home() / ".cache") / "wsim"
    try:
        root.mkdir(parents=True, exist_ok=True)
        if os.access(root, os.W_OK):
            return root
    except (OSError, RuntimeError):
        pass
    return Path(tempfile.gettempdir()) / "wsim-cache"


def cache_directory(package: str) -> Path:
    """Return the cache folder of exactly the present kernel sources of a package below wsim."""
    python = f"{sys.version_info[0]}.{sys.version_info[1]}"
    mode = "-checked" * CHECKED + "-plain" * PLAIN
    return _cache_root() / f"{package}-{source_digest(package)}-py{python}-numba{numba.__version__}{mode}"


def cache_is_cold(package: str, name: str) -> bool:
    """Say whether the entry points with ``name`` in ``module.function`` have still to be compiled on this machine."""
    return JIT and not any(name in path.name for path in cache_directory(package).rglob("*.nbi"))


@contextmanager
def caching_in(package: str | None) -> Iterator[bool]:
    """Have numba keep what is decorated meanwhile in the cache folder of a package; tell whether it can be kept.

    The setting is numba's own, of the whole process: it is put back, and other users of numba keep their folder.
    Without a package nothing is kept.
    """
    if package is None:
        yield False
        return
    with _SETTINGS:
        before = config.CACHE_DIR
        folder = cache_directory(package)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            cached = os.access(folder, os.W_OK)
        except OSError:
            cached = False
        config.CACHE_DIR = str(folder)
        try:
            yield cached
        finally:
            config.CACHE_DIR = before
