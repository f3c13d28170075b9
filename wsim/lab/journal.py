"""Resumable work on disk: sealed records, journals of finished steps, and the check that a folder belongs to this work.

A run, a match, a search for a patch, tuning and learning each keep a folder (or one file), so that they can be resumed.
A process that ends at any byte leaves either the state before a write or the state after it:

* A **record** is a JSON object in its own file, written to a temporary file and renamed. The files that it names are
  written first.
* A **journal** is a file that grows by one line per finished step. An incomplete line is ignored, and the next entry
  starts on a new line.

Both carry a checksum of their content. It shows damage; it is not a signature.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from wsim.errors import UserError
from wsim.files import StoreError, bytes_within, content_digest, explained, json_of, text_within, write_text
from wsim.version import STREAMS

fcntl: Any
try:
    import fcntl
except ImportError:  # Windows: two processes writing in one folder go undetected
    fcntl = None

_LINE_CHECK = 16  # hexadecimal digits
MAX_JOURNAL = 1 << 30  # bytes that are read; the ledger of 10^10 games is a thousand times smaller
_SHOWN = 3  # differences named in a refusal


# --- records ----------------------------------------------------------------------------------------------------------


def check_of(content: Mapping[str, Any]) -> str:
    """Return the checksum of a JSON object: the SHA-256 of its text with sorted keys."""
    try:
        return content_digest(json.dumps(content, sort_keys=True).encode())
    except (RecursionError, ValueError):  # deeper nesting or longer numbers than wsim ever writes
        return ""


def write_record(path: Path, form: str, content: Mapping[str, Any], indent: int = 2) -> None:
    """Write a sealed record of a format; StoreError if the disk refuses."""
    whole = json.loads(json.dumps({"format": form, **content}))  # as it will be read back: tuples become lists
    sealed = {"format": form, "check": check_of(whole), **content}
    write_text(path, json.dumps(sealed, indent=indent, ensure_ascii=False) + "\n")


def read_record_of(
    path: Path, form: str, noun: str, explain_format: Callable[[dict[str, Any]], str] | None = None
) -> dict[str, Any]:
    """Return the content of a record without its checksum; ``noun`` completes "FILE is ...", as in ``not a match``.

    ``explain_format`` returns what to add to the refusal of a different format. Raises UserError for a file that cannot
    be read, has a different format or was changed; FileNotFoundError and NotADirectoryError are left to the caller.
    """
    content = read_json(path, noun)
    form_read = content.get("format") if isinstance(content, dict) else None
    if not isinstance(content, dict) or form_read != form:
        more = explain_format(content) if explain_format is not None and isinstance(content, dict) else ""
        raise UserError(f"{str(path)!r} has the format {form_read!r}{more or f'; this version of wsim reads {form!r}'}")
    if content.pop("check", None) != check_of(content):
        raise UserError(f"{str(path)!r} is damaged: it was changed after wsim wrote it")
    return content


def read_json(path: Path, noun: str) -> Any:
    """Return the value in a JSON file; UserError if it cannot be read, is too large or is not JSON.

    ``noun`` completes "FILE is ...". FileNotFoundError and NotADirectoryError are left to the caller.
    """
    try:
        return json_of(text_within(path))
    except (FileNotFoundError, NotADirectoryError):
        raise
    except OSError as error:
        raise UserError(f"cannot read {str(path)!r}: {error.strerror or error}") from error
    except ValueError as error:
        raise UserError(f"{str(path)!r} is {noun}: {error}") from error


# --- journals ---------------------------------------------------------------------------------------------------------


class Journal:
    """A file of sealed lines, one JSON object per line."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def entries(self) -> list[dict[str, Any]]:
        """Return the intact lines in order; an empty list if there is no file. StoreError if it cannot be read."""
        try:
            lines = bytes_within(self.path, MAX_JOURNAL).splitlines()
        except FileNotFoundError:
            return []
        except ValueError as error:
            raise StoreError(f"cannot read {str(self.path)!r}: {error}") from None
        except OSError as error:
            raise explained("read", self.path, error) from error
        return [entry for line in lines if (entry := _entry(line)) is not None]

    def add(self, *entries: Mapping[str, Any]) -> None:
        """Append entries and flush them to disk; StoreError if the disk refuses."""
        try:
            with self.path.open("ab+") as file:
                if end := file.seek(0, os.SEEK_END):
                    file.seek(end - 1)
                    cut = file.read(1) != b"\n"
                else:
                    cut = False
                file.write(("\n" * cut + "".join(map(_line, entries))).encode())
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise explained("write", self.path, error) from error

    def rewrite(self, entries: Iterable[Mapping[str, Any]]) -> None:
        """Replace the contents of the file by these entries."""
        write_text(self.path, "".join(map(_line, entries)))


def _line(entry: Mapping[str, Any]) -> str:
    return json.dumps({**entry, "check": check_of(entry)[:_LINE_CHECK]}) + "\n"


def _entry(line: bytes) -> dict[str, Any] | None:
    """Return the content of a line without its checksum; None for a line that is incomplete or changed."""
    try:
        entry: dict[str, Any] = json.loads(line)
        return entry if entry.pop("check") == check_of(entry)[:_LINE_CHECK] else None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


# --- identity ------------------------------------------------------------------------------------------------------


def differences(recorded: Mapping[str, Any], current: Mapping[str, Any], at: str = "") -> dict[str, tuple[Any, Any]]:
    """Return the differences between two identities: path (``plan.seed``) -> (recorded value, current value).

    ``at`` is the path of both if they are parts of an identity.
    """
    old, new = _flat(recorded, at), _flat(current, at)
    return {path: (old.get(path), new.get(path)) for path in sorted(old | new) if old.get(path) != new.get(path)}


def _flat(value: Any, path: str = "") -> dict[str, Any]:
    """Return the values of nested mappings by their paths."""
    if not isinstance(value, Mapping):
        return {path: value}
    values: dict[str, Any] = {}
    for key in value:
        values |= _flat(value[key], f"{path}.{key}" if path else str(key))
    return values


def refuse_old_streams(record: Any, name: str) -> None:
    """Raise UserError if a record says that its games, or some of them, were dealt by other random streams."""
    if isinstance(record, Mapping):
        version = record.get("streams", 1) if "engine" in record else STREAMS
        if version != STREAMS:
            raise UserError(
                f"the games of {name!r} were dealt by version {version} of the random streams, and this wsim deals by "
                f"version {STREAMS}: they can be read, but neither continued nor repeated"
            )
        for value in record.values():
            refuse_old_streams(value, name)
    elif isinstance(record, list | tuple):
        for value in record:
            if isinstance(value, Mapping):
                refuse_old_streams(value, name)


def is_digest(value: Any) -> bool:
    """Return whether a value is the digest of a file."""
    return isinstance(value, str) and value.startswith("sha256:")


def refuse_other(path: Path, work: str, different: Mapping[str, tuple[Any, Any]]) -> None:
    """Raise UserError, naming the differences, if a folder contains different work (``work``: ``another run``)."""
    if different:
        readable = {name: pair for name, pair in different.items() if not any(map(is_digest, pair))}  # which say why
        shown = [
            f"{name} is {json.dumps(old)} there and {json.dumps(new)} here"
            for name, (old, new) in (readable or different).items()
        ]
        more = f" and {len(shown) - _SHOWN} more" if len(shown) > _SHOWN else ""
        raise UserError(f"{str(path)!r} contains {work}: {'; '.join(shown[:_SHOWN])}{more}; choose another --out")


# --- one writer -------------------------------------------------------------------------------------------------------


def hold(folder: Path) -> int | None:
    """Create a folder if needed and lock it for this process; return the lock for ``release``.

    Raises UserError if another process is writing there, OSError if the disk refuses.
    """
    folder.mkdir(parents=True, exist_ok=True)
    if fcntl is None:
        return None
    lock = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise UserError(f"another wsim is writing in {str(folder)!r}") from error
        if not os.path.samestat(os.fstat(lock), folder.stat()):  # that process failed and removed its folder
            raise UserError(f"another wsim has just removed {str(folder)!r}: play again")
    except BaseException:
        os.close(lock)
        raise
    return lock


def release(lock: int | None) -> None:
    """Unlock a folder."""
    if lock is not None:
        os.close(lock)


@contextmanager
def held(folder: Path) -> Iterator[None]:
    """Lock a folder for this process (``hold``); StoreError if the disk refuses."""
    try:
        lock = hold(folder)
    except OSError as error:
        raise error if isinstance(error, StoreError) else explained("make the folder", folder, error) from error
    try:
        yield
    finally:
        release(lock)
