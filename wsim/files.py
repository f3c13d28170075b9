"""Write files atomically (temporary file, flush, rename), and read files with size limits."""

from __future__ import annotations

import errno
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath
from re import match
from typing import Any

from wsim.errors import UserError

MAX_BYTES = 64 << 20
"""Largest accepted text file: far larger than any that wsim writes, and small compared with memory."""
_SUFFIX = ".tmp"
_NO_ROOM = 1 << 16  # a disk with at most this many free bytes counts as full
_FETCHED = "its-run"  # example of a folder to fetch a run into


def is_remote(path: str | os.PathLike[str]) -> bool:
    """Return whether a path is an address in an object store (``s3://bucket/path``)."""
    return match(r"[a-z][a-z0-9+.-]+://", str(path)) is not None


def shown_path(path: Path) -> str:
    """Return a path as a user would type it at the prompt where this process was started."""
    current = Path.cwd()
    return os.path.relpath(path, current) if path.is_relative_to(current) else str(path)


def refuse_remote(path: str | os.PathLike[str]) -> None:
    """Raise UserError for a run in an object store, because runs are read from folders."""
    if is_remote(path):
        name = str(path).rstrip("/").rpartition("/")[2] or _FETCHED
        raise UserError(
            f"{str(path)!r} is in an object store, but wsim reads runs from folders: "
            f"fetch it first, with wsim copy {path} {name}"
        )


class StoreError(OSError):
    """A failed disk operation, not misuse (exit status 1); the message is one sentence."""

    def __str__(self) -> str:
        return str(self.args[0])


def explained(action: str, path: Path, error: Exception) -> StoreError:
    """Convert an operating system error, possibly reported by Polars, to a StoreError with a one-sentence message."""
    why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    # Polars reports a full disk as "parquet: File out of specification: underlying IO error: No space left on device
    # (os error 28)".
    why = why.rpartition("IO error: ")[2].partition(" (os error")[0]
    return StoreError(f"cannot {action} {str(path)!r}: {why}")


def _flush(path: Path, mode: int = os.O_RDWR) -> None:
    """Flush a file, or the entries of a folder, to disk."""
    descriptor = os.open(path, mode)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def writing(path: Path) -> Iterator[Path]:
    """Yield a temporary path next to ``path``; on success rename it to ``path``, on error remove it.

    Raises StoreError for errors of the operating system and of Polars.
    """
    from polars.exceptions import PolarsError

    temporary = path.with_name(f".{path.name}.{os.getpid()}{_SUFFIX}")
    try:
        yield temporary
        _flush(temporary)
        temporary.replace(path)
        if os.name == "posix":
            _flush(path.parent, os.O_RDONLY)  # makes the new name durable
    except (OSError, PolarsError) as error:
        full = isinstance(error, PolarsError) and shutil.disk_usage(path.parent).free < _NO_ROOM
        why = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)) if full else error  # Polars words it in various ways
        raise explained("write", path, why) from error
    finally:
        with suppress(OSError):
            temporary.unlink()


def write_text(path: Path, text: str) -> None:
    """Write a text file atomically."""
    with writing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file atomically."""
    with writing(path) as temporary:
        temporary.write_bytes(content)


def content_digest(content: bytes) -> str:
    """Return the SHA-256 digest of bytes in hexadecimal."""
    import hashlib

    return hashlib.sha256(content).hexdigest()


def bytes_within(path: Path, most: int = MAX_BYTES) -> bytes:
    """Read a file of limited size; raise OSError if unreadable, ValueError if not a regular file or too large."""
    if path.exists() and not (path.is_file() or path.is_dir()):  # a device or a pipe may have no end
        raise ValueError("it is not a regular file")
    with path.open("rb") as file:
        content = bytearray()
        while len(content) <= most and (part := file.read(1 << 20)):  # in pieces: a single read allocates `most` bytes
            content += part
    if len(content) > most:
        raise ValueError(f"it is larger than {most >> 20:,} MiB")
    return bytes(content)


def text_within(path: Path) -> str:
    """Read a UTF-8 file of limited size; raises the same errors as ``bytes_within``."""
    return bytes_within(path).decode("utf-8")


def json_of(text: str) -> Any:
    """Parse JSON; raise ValueError with a one-sentence message if it is invalid or nested too deeply."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise ValueError(f"line {error.lineno} is not JSON") from None
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def refuse_outside(path: str) -> None:
    """Raise ValueError for a path in a record that points outside the record's folder."""
    relative = PurePosixPath(path)
    if relative.is_absolute() or ".." in relative.parts or "\0" in path or "\\" in path:
        raise ValueError(f"{path!r} points outside the folder")


def visible(folder: Path) -> list[str]:
    """List the files in a folder, without hidden files such as leftovers of killed writers."""
    return [name for name in os.listdir(folder) if not name.startswith(".")]


def clean(folder: Path) -> None:
    """Remove the temporary files of killed writers. No other process may be writing to the folder."""
    for path in folder.glob(f".*{_SUFFIX}"):
        path.unlink(missing_ok=True)
