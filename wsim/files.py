"""Files: written whole or not at all (beside their name, flushed, renamed), and read within bounds."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath
from re import match
from typing import Any

from wsim.errors import UserError

MOST_BYTES = 64 << 20
"""Of a file of text that is read whole: far beyond what wsim writes, and what memory does not notice."""
_SUFFIX = ".tmp"
_FETCHED = "its-run"  # a folder that a run might be fetched into


def is_remote(path: str | os.PathLike[str]) -> bool:
    """Say whether this is a place in a store (``s3://bucket/path``), not a folder."""
    return match(r"[a-z][a-z0-9+.-]+://", str(path)) is not None


def refuse_remote(path: str | os.PathLike[str]) -> None:
    """Raise UserError for a run in a store: it is read in a folder."""
    if is_remote(path):
        name = str(path).rstrip("/").rpartition("/")[2] or _FETCHED
        raise UserError(
            f"{str(path)!r} is in a store, and wsim reads runs in folders: fetch it first, wsim copy {path} {name}"
        )


class StoreError(OSError):
    """The disk refused: a failure, not misuse (exit 1). Its text is one sentence."""

    def __str__(self) -> str:
        return str(self.args[0])


def explained(doing: str, path: Path, error: Exception) -> StoreError:
    """Return the sentence for an error of the operating system, or of Polars about one."""
    why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    # Polars reports a full disk as "parquet: File out of specification: underlying IO error: No space left on device
    # (os error 28)".
    why = why.rpartition("IO error: ")[2].partition(" (os error")[0]
    return StoreError(f"cannot {doing} {str(path)!r}: {why}")


def _flush(path: Path, mode: int = os.O_RDWR) -> None:
    """Wait until a file, or the entries of a folder, lie on the disk."""
    descriptor = os.open(path, mode)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def writing(path: Path) -> Iterator[Path]:
    """Give a temporary path in the folder of ``path``; on leaving, it becomes ``path``, on an error it is removed.

    Raises StoreError for errors of the operating system and of Polars.
    """
    from polars.exceptions import PolarsError

    temporary = path.with_name(f".{path.name}.{os.getpid()}{_SUFFIX}")
    try:
        yield temporary
        _flush(temporary)
        temporary.replace(path)
        if os.name == "posix":
            _flush(path.parent, os.O_RDONLY)  # the new name itself
    except (OSError, PolarsError) as error:
        raise explained("write", path, error) from error
    finally:
        with suppress(OSError):
            temporary.unlink()


def write_text(path: Path, text: str) -> None:
    """Write a whole text file, atomically."""
    with writing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def write_bytes(path: Path, content: bytes) -> None:
    """Write a whole file, atomically."""
    with writing(path) as temporary:
        temporary.write_bytes(content)


def content_digest(content: bytes) -> str:
    """Return the SHA-256 of some bytes, in hexadecimal digits."""
    import hashlib

    return hashlib.sha256(content).hexdigest()


def bytes_within(path: Path, most: int = MOST_BYTES) -> bytes:
    """Return the content of a file; OSError if it cannot be read, ValueError if it is no plain file, or too large."""
    if path.exists() and not (path.is_file() or path.is_dir()):  # a device or a pipe may have no end
        raise ValueError("it is no plain file")
    with path.open("rb") as file:
        content = bytearray()
        while len(content) <= most and (part := file.read(1 << 20)):  # not at once: that takes the room for `most`
            content += part
    if len(content) > most:
        raise ValueError(f"it is larger than {most >> 20:,} MiB")
    return bytes(content)


def text_within(path: Path) -> str:
    """Return the text of a file in UTF-8, as ``bytes_within``."""
    return bytes_within(path).decode("utf-8")


def json_of(text: str) -> Any:
    """Return what JSON says; ValueError, in a sentence, for what is no JSON or nested too deeply."""
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def refuse_outside(path: str) -> None:
    """Raise ValueError for the path of a file, as a record names it, that leads out of the folder of the record."""
    place = PurePosixPath(path)
    if place.is_absolute() or ".." in place.parts or "\0" in path or "\\" in path:
        raise ValueError(f"{path!r} leads out of the folder")


def visible(folder: Path) -> list[str]:
    """Return what lies in a folder but for hidden files, such as those that a writer left that was killed."""
    return [name for name in os.listdir(folder) if not name.startswith(".")]


def clean(folder: Path) -> None:
    """Remove what writers left that were killed. Nobody else may be writing in the folder."""
    for path in folder.glob(f".*{_SUFFIX}"):
        path.unlink(missing_ok=True)
