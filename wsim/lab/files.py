"""Files that are either whole or not there: written beside their name, flushed to the disk, then renamed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from re import match

from wsim.errors import UserError

__all__ = [
    "StoreError", "clean", "explained", "is_remote", "refuse_remote", "write_bytes", "write_text", "writing",
]  # fmt: skip

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


def clean(folder: Path) -> None:
    """Remove what writers left that were killed. Nobody else may be writing in the folder."""
    for path in folder.glob(f".*{_SUFFIX}"):
        path.unlink(missing_ok=True)
