"""Compiling on two processors: another process compiles a module's entry points and stores them on disk.

Numba holds one lock while it compiles, so threads gain nothing. If the other process fails, nothing is lost: missing
entry points are compiled here when their module is imported.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module

from wsim.jit.cache import cache_is_cold, can_store
from wsim.jit.modes import JIT, STORES
from wsim.processors import usable_cpus

_INSIDE = "WSIM_COMPILING_BESIDE"  # set in the other process, which must not start a further one
_PATIENCE = 600.0  # seconds until the other process is given up


def seconds_to_compile(module: str, alone: float, rest: float) -> float:
    """Estimate how many seconds a first command compiles; 0 if the entry points of ``module`` are compiled already.

    ``alone`` and ``rest`` are the seconds for that module and for everything else on one processor.
    """
    if not cache_is_cold(*_place_of(module)):
        return 0.0
    return max(alone, rest) + 1.0 if _is_worth_it(module) else alone + rest


@contextmanager
def compiled_beside(module: str, meanwhile: Sequence[str] = ()) -> Iterator[None]:
    """Have the entry points of a module such as "wsim.wonders.kernels.engine" compiled while the block runs.

    Returns when both are done. If the block is done first, the modules ``meanwhile``, which will be needed later, are
    compiled here until the other process is done. Does nothing if the entry points of ``module`` are compiled already
    or cannot be stored, or with a single processor.
    """
    process = _start(module) if _is_worth_it(module) else None
    try:
        yield
        for other in meanwhile:
            if process is not None and process.poll() is None:
                import_module(other)
        if process is not None:
            process.wait(_PATIENCE)
    except subprocess.TimeoutExpired:
        pass
    finally:
        if process is not None and process.poll() is None:
            process.kill()
            process.wait()


def _is_worth_it(module: str) -> bool:
    """Return whether another process can and should compile a module for this one."""
    if not JIT or _INSIDE in os.environ or usable_cpus() < 2 or not sys.executable or hasattr(sys, "frozen"):
        return False
    package, name = _place_of(module)
    return STORES and can_store(package) and module not in sys.modules and cache_is_cold(package, name)


def _place_of(module: str) -> tuple[str, str]:
    """Return the package of a module below wsim and the prefix of the names of its entry points on disk."""
    package, _, name = module.removeprefix("wsim.").rpartition(".")
    return package, f"{name}."


def _start(module: str) -> subprocess.Popen[bytes] | None:
    """Start a process that imports a module from the same location as this process."""
    environment = {**os.environ, _INSIDE: "1", "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    silent = subprocess.DEVNULL
    try:
        return subprocess.Popen(
            [sys.executable, "-P", "-c", f"import {module}"],
            env=environment,
            stdin=silent,
            stdout=silent,
            stderr=silent,
        )
    except OSError:
        return None
