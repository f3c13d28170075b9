"""Resumable work on disk: sealed records, journals of finished steps, and checks that a folder belongs to this work.

A run, a match, a search for a patch, tuning and learning each keep a folder (or a file) from which they can be resumed.
A process that is killed at any point leaves either the state before a write or the state after it:

* A **record** is a JSON object in its own file, written to a temporary file and renamed. The files that it names are
  written first.
* A **journal** is a file that grows by one line per finished step. An incomplete line is ignored, and the next entry
  starts on a new line.

Both contain a checksum of their content, which detects damage but is not a signature.
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
MAX_JOURNAL = 1 << 30  # largest size in bytes that is read; the ledger of 10^10 games is a thousand times smaller
_SHOWN = 3  # differences listed in an error message


# --- records ----------------------------------------------------------------------------------------------------------


def check_of(content: Mapping[str, Any]) -> str:
    """Return the checksum of a JSON object: the SHA-256 of its serialisation with sorted keys."""
    try:
        return content_digest(json.dumps(content, sort_keys=True).encode())
    except (RecursionError, ValueError):  # deeper nesting or longer numbers than wsim ever writes
        return ""


def write_record(path: Path, form: str, content: Mapping[str, Any], indent: int = 2) -> None:
    """Write a record with its format and checksum; raise StoreError if it cannot be written."""
    whole = json.loads(json.dumps({"format": form, **content}))  # as it will be read back, with lists instead of tuples
    sealed = {"format": form, "check": check_of(whole), **content}
    write_text(path, json.dumps(sealed, indent=indent, ensure_ascii=False) + "\n")


def read_record_of(
    path: Path, form: str, noun: str, explain_format: Callable[[dict[str, Any]], str] | None = None
) -> dict[str, Any]:
    """Return the content of a record without its checksum; ``noun`` completes "FILE is ...", such as ``not a match``.

    ``explain_format`` returns an addition to the error message about a different format. Raises UserError for a file
    that cannot be read, has a different format or was changed; FileNotFoundError and NotADirectoryError propagate.
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
    """Return the value in a JSON file; raise UserError if it cannot be read, is too large or is not JSON.

    ``noun`` completes "FILE is ...". FileNotFoundError and NotADirectoryError propagate.
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
    """A file of lines that each contain a JSON object with its checksum."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def entries(self) -> list[dict[str, Any]]:
        """Return the intact entries in order; raise StoreError if the file exists but cannot be read."""
        try:
            lines = bytes_within(self.path, MAX_JOURNAL).splitlines()
        except FileNotFoundError:
            return []
        except ValueError as error:
            raise StoreError(f"cannot read {str(self.path)!r}: {error}") from None
        except OSError as error:
            raise explained("read", self.path, error) from error
        return [entry for line in lines if (entry := _parse_line(line)) is not None]

    def add(self, *entries: Mapping[str, Any]) -> None:
        """Append entries and flush them to disk; raise StoreError if that fails."""
        try:
            with self.path.open("ab+") as file:
                if end := file.seek(0, os.SEEK_END):
                    file.seek(end - 1)
                    cut = file.read(1) != b"\n"
                else:
                    cut = False
                file.write(("\n" * cut + "".join(map(_format_line, entries))).encode())
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise explained("write", self.path, error) from error

    def rewrite(self, entries: Iterable[Mapping[str, Any]]) -> None:
        """Replace the contents of the file with these entries."""
        write_text(self.path, "".join(map(_format_line, entries)))


def _format_line(entry: Mapping[str, Any]) -> str:
    return json.dumps({**entry, "check": check_of(entry)[:_LINE_CHECK]}) + "\n"


def _parse_line(line: bytes) -> dict[str, Any] | None:
    """Parse a journal line and return its content without the checksum; None if it is incomplete or was changed."""
    try:
        entry: dict[str, Any] = json.loads(line)
        return entry if entry.pop("check") == check_of(entry)[:_LINE_CHECK] else None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


# --- identity ------------------------------------------------------------------------------------------------------


def differences(recorded: Mapping[str, Any], current: Mapping[str, Any], at: str = "") -> dict[str, tuple[Any, Any]]:
    """Return the differences between two identities: path (such as ``plan.seed``) -> (recorded value, current value).

    ``at`` is the path of both mappings if they are parts of larger identities.
    """
    old, new = _flattened(recorded, at), _flattened(current, at)
    return {path: (old.get(path), new.get(path)) for path in sorted(old | new) if old.get(path) != new.get(path)}


def _flattened(value: Any, path: str = "") -> dict[str, Any]:
    """Flatten nested mappings to a single mapping from paths to values."""
    if not isinstance(value, Mapping):
        return {path: value}
    values: dict[str, Any] = {}
    for key in value:
        values |= _flattened(value[key], f"{path}.{key}" if path else str(key))
    return values


def refuse_old_streams(record: Any, name: str) -> None:
    """Raise UserError if any games in a record were dealt by a different version of the random streams."""
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
    """Return whether a value is a file digest, which begins with ``sha256:``."""
    return isinstance(value, str) and value.startswith("sha256:")


def refuse_other(path: Path, work: str, different: Mapping[str, tuple[Any, Any]]) -> None:
    """Raise UserError that lists the differences, if any; ``work`` names the folder's content (``a different run``)."""
    if different:
        readable = {name: pair for name, pair in different.items() if not any(map(is_digest, pair))}  # not digests
        shown = [
            f"{name} is {json.dumps(old)} there and {json.dumps(new)} here"
            for name, (old, new) in (readable or different).items()
        ]
        more = f" and {len(shown) - _SHOWN} more" if len(shown) > _SHOWN else ""
        raise UserError(f"{str(path)!r} contains {work}: {'; '.join(shown[:_SHOWN])}{more}; choose another --out")


# --- one writer -------------------------------------------------------------------------------------------------------


def hold(folder: Path) -> int | None:
    """Create a folder if needed and lock it for this process; return the lock, to be passed to ``release``.

    Raises UserError if another process is writing there, OSError if the folder cannot be created or locked.
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
        if not os.path.samestat(os.fstat(lock), folder.stat()):  # its owner failed and removed it
            raise UserError(f"another wsim has just removed {str(folder)!r}: run the command again")
    except BaseException:
        os.close(lock)
        raise
    return lock


def release(lock: int | None) -> None:
    """Release a lock obtained from ``hold``."""
    if lock is not None:
        os.close(lock)


@contextmanager
def held(folder: Path) -> Iterator[None]:
    """Lock a folder for this process within the block (``hold``); raise StoreError if it cannot be locked."""
    try:
        lock = hold(folder)
    except OSError as error:
        raise error if isinstance(error, StoreError) else explained("make the folder", folder, error) from error
    try:
        yield
    finally:
        release(lock)
