"""The folders of compiled kernels.

An entry point consists of many kernels from many modules. The name of its folder therefore contains a digest of every
kernel source, so an edited kernel never runs code compiled from its former source. Files in the folder are loaded as
code, so only this user may write there.
"""

from __future__ import annotations

import errno
import hashlib
import importlib.util
import os
import stat
import sys
import tempfile
from functools import lru_cache
from pathlib import Path

import numba

from wsim.jit.modes import CHECKED, JIT, PLAIN

SUFFIX = ".kernel"
PACKAGE = Path(__file__).parents[1]
SHARED_SOURCES = ("jit", "kernels", "rng.py", "facts.py", "limits.py", "policies/interface.py")
KERNEL_PLACES = ("words.py", "facts.py", "limits.py", "kernels", "policies")  # of a game: the sources of its kernels


@lru_cache
def source_digest(package: str) -> str:
    """Return a digest of the sources that a kernel of a package may call, shared ones first.

    For a package below wsim, such as "wonders.policies", these are the words, limits and kernels of its game, which the
    kernels of its policies also call. For a third-party package, such as "my_game.kernels", these are all sources of
    its top package.
    """
    digest = hashlib.sha256()
    game, _, room = package.partition(".")
    places = [PACKAGE / place for place in SHARED_SOURCES]
    if (PACKAGE / game).is_dir():
        places += [PACKAGE / game / place for place in KERNEL_PLACES[: KERNEL_PLACES.index(room) + 1]]
    else:
        spec = importlib.util.find_spec(game)
        homes = [Path(home) for home in (spec.submodule_search_locations or ())] if spec else []
        places += [
            place for home in homes for place in (home, *sorted(path for path in home.rglob("*") if path.is_dir()))
        ]
    for place in places:
        for path in _files(place):
            digest.update(path.relative_to(place.parent).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def _files(place: Path) -> list[Path]:
    """Return the Python files of a folder in a fixed order, or the file itself; empty if there is neither."""
    return sorted(place.glob("*.py")) if place.is_dir() else [place] if place.is_file() else []


def _cache_root() -> Path:
    """Return the folder of all caches: ``WSIM_CACHE_DIR``, else the user's cache folder, else a temporary one."""
    if named := os.environ.get("WSIM_CACHE_DIR"):
        return Path(named)
    base = os.environ.get("XDG_CACHE_HOME") or (os.environ.get("LOCALAPPDATA") if os.name == "nt" else None)
    try:
        root = (Path(base) if base else Path.home() / ".cache") / "wsim"
        root.mkdir(parents=True, exist_ok=True)
        if os.access(root, os.W_OK):
            return root
    except (OSError, RuntimeError):
        pass
    return _temporary_root()


def _temporary_root() -> Path:
    """Return the folder for a user without a home directory, one per user."""
    user = f"-{os.getuid()}" if hasattr(os, "getuid") else ""
    return Path(tempfile.gettempdir()) / f"wsim-cache{user}"


def cache_directory(package: str) -> Path:
    """Return the cache folder for the current kernel sources of a package below wsim."""
    python = f"{sys.version_info[0]}.{sys.version_info[1]}"
    mode = "-checked" * CHECKED + "-plain" * PLAIN
    return _cache_root() / f"{package}-{source_digest(package)}-py{python}-numba{numba.__version__}{mode}"


def usable_folder(package: str) -> Path:
    """Return the cache folder of a package, created if missing; raise OSError if it must not be used."""
    folder = cache_directory(package)
    if folder.parent == _temporary_root():
        try:
            folder.parent.mkdir(mode=0o700)
        except FileExistsError:
            status = folder.parent.lstat()
            private = stat.S_ISDIR(status.st_mode) and not status.st_mode & 0o022
            if hasattr(os, "getuid") and not (private and status.st_uid == os.getuid()):
                raise PermissionError(errno.EPERM, "not a folder of this user alone", str(folder.parent)) from None
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def can_store(package: str) -> bool:
    """Return whether compiled code of a package can be stored."""
    try:
        return os.access(usable_folder(package), os.W_OK)
    except OSError:
        return False


def cache_is_cold(package: str, name: str) -> bool:
    """Return whether the entry points with ``name`` in ``module.function`` still have to be compiled on this
    machine."""
    return JIT and not any(name in path.name for path in cache_directory(package).glob(f"*{SUFFIX}"))
