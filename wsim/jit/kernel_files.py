"""Compiled kernels on disk: loaded by later processes, and compiled again if a file is damaged.

A file contains one entry point for one processor: a digest, then the data from which numba rebuilds the compiled
function. The digest is compared before anything is read, since damaged machine code would crash instead of failing.
Files are written under a temporary name, flushed to disk and renamed, so a killed process or a full disk leaves the old
file or none.

This depends on names that numba may change; if one is missing (``modes.STORES``), nothing is stored.
"""

from __future__ import annotations

import contextlib
import hashlib
import inspect
import os
import pickle
import sys
import uuid
from pathlib import Path
from types import FunctionType
from typing import Any

from numba.core.compiler import CompileResult
from numba.core.runtime import rtsys  # type: ignore[attr-defined, unused-ignore]
from numba.core.serialize import dumps  # type: ignore[attr-defined, unused-ignore]

from wsim.jit.cache import SUFFIX, cache_directory, usable_folder

_HEAD = b"wsim-kernel/1\n"
_DIGEST = 32  # bytes
_reported: list[str] = []


class KernelFile:
    """The file of an entry point, with the interface that numba's dispatcher expects (``numba.core.caching``)."""

    def __init__(self, function: FunctionType, package: str) -> None:
        self._package = package
        path = Path(inspect.getfile(function))
        self._name = f"{path.stem}.{function.__qualname__}".replace("<", "").replace(">", "")
        # sources of wsim are in the name of the folder; entry points elsewhere, as in tests, have their own file
        self._source = f"{function.__module__} {function.__code__.co_firstlineno} {_digest_of_file(path)}"

    @property
    def cache_path(self) -> str:
        """The folder, for the statistics of numba's dispatcher."""
        return str(cache_directory(self._package))

    def _file(self, signature: Any, codegen: Any) -> Path:
        """Return the path of the file for a signature and a processor; raise OSError if no folder can be used."""
        key = hashlib.sha256(repr((self._source, str(signature), codegen.magic_tuple())).encode()).hexdigest()
        return usable_folder(self._package) / f"{self._name}-{key[:16]}{SUFFIX}"

    def load_overload(self, signature: Any, target_context: Any) -> Any:
        """Return the compiled function; None if it is missing or damaged."""
        rtsys.initialize(target_context)  # all that machine code needs; compiling would need ten times as much
        try:
            path = self._file(signature, target_context.codegen())
            content = path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            _report_no_storage(self._package, error)
            return None
        payload = content[len(_HEAD) + _DIGEST :]
        if content != _sealed(path, payload):
            return None
        try:
            return CompileResult._rebuild(target_context, *pickle.loads(payload))  # noqa: SLF001 (modes.STORES)
        except Exception:  # made by another build of the same numba: compiled again, and replaced
            return None

    def save_overload(self, signature: Any, result: Any) -> None:
        """Store a function that was just compiled; print a message if that is not possible."""
        if result.lifted or result.library.has_dynamic_globals:
            return
        payload = dumps(result._reduce())  # noqa: SLF001 (modes.STORES)
        try:
            path = self._file(signature, result.codegen)
            _write(path, _sealed(path, payload))
        except OSError as error:
            _report_no_storage(self._package, error)

    def enable(self) -> None:
        """Do nothing: the cache is always on."""

    def disable(self) -> None:
        """Do nothing: the index is not used either."""

    def flush(self) -> None:
        """Do nothing: stored kernels are never stale."""


def _sealed(path: Path, payload: bytes) -> bytes:
    """Return the content of a file; its digest also identifies the kernel and its owner."""
    return _HEAD + hashlib.sha256(path.name.encode() + payload).digest() + payload


def _digest_of_file(path: Path) -> str:
    """Return a digest of a file; its name if it cannot be read."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return str(path)


def _write(path: Path, content: bytes) -> None:
    """Write a file completely or not at all, even if the process or the power fails."""
    beside = path.with_name(f"{path.name}.{uuid.uuid4().hex[:12]}.tmp")
    try:
        with beside.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            beside.unlink()
        raise
    if os.name == "posix":
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _report_no_storage(package: str, error: OSError) -> None:
    """Print on stderr, once, why kernels are compiled again each time."""
    if _reported or sys.stderr is None:
        return
    _reported.append(package)
    reason = error.strerror or str(error)
    where = repr(os.fspath(error.filename)) if error.filename else "the cache folder"
    sys.stderr.write(
        f"wsim: compiled kernels cannot be kept in {where} ({reason}), so every command compiles them again; "
        "set WSIM_CACHE_DIR to a folder that can be written\n"
    )
