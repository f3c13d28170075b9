"""Long work on the disk: a sealed record of what is done, a journal of the steps that are finished, and their identity.

A run, a match, a search for a patch, tuning and learning each keep a folder (or one file), so that they can be gone on
with. Whatever ends the process, at any byte, leaves the state before a write or the state after it:

* A **record** is a JSON object in a file of its own, written beside its name and renamed. What it names lies there
  before it does.
* A **journal** is a file that grows by a line for each finished step. A line that was cut is no line, and the next one
  begins on a line of its own.

Both carry a check of their own content. It shows damage; it is no signature.
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

fcntl: Any
try:
    import fcntl
except ImportError:  # Windows: two processes in one folder are not noticed there
    fcntl = None

_LINE_CHECK = 16  # hexadecimal digits
MOST_JOURNAL = 1 << 30  # bytes that are read; the ledger of 10^10 games has a thousandth of that
_SHOWN = 3  # differences named in a refusal


# --- records ----------------------------------------------------------------------------------------------------------


def check_of(content: Mapping[str, Any]) -> str:
    """Return the check of a JSON object: the SHA-256 of its text with sorted keys."""
    try:
        return content_digest(json.dumps(content, sort_keys=True).encode())
    except (RecursionError, ValueError):  # nested deeper, or longer numbers, than wsim writes
        return ""


def write_record(path: Path, form: str, content: Mapping[str, Any], indent: int = 2) -> None:
    """Write a record of a format, sealed; StoreError if the disk refuses."""
    whole = json.loads(json.dumps({"format": form, **content}))  # as it will be read: tuples are lists
    sealed = {"format": form, "check": check_of(whole), **content}
    write_text(path, json.dumps(sealed, indent=indent, ensure_ascii=False) + "\n")


def read_record_of(
    path: Path, form: str, what: str, of_another: Callable[[dict[str, Any]], str] | None = None
) -> dict[str, Any]:
    """Return the content of a record without its check; ``what`` says what a file is that is none: ``no match``.

    ``of_another`` says what is to be said of one in another format. Raises UserError for a file that cannot be read, is
    of another format, or is not what was written; FileNotFoundError and NotADirectoryError are the caller's.
    """
    content = read_json(path, what)
    found = content.get("format") if isinstance(content, dict) else None
    if not isinstance(content, dict) or found != form:
        more = of_another(content) if of_another is not None and isinstance(content, dict) else ""
        raise UserError(f"{str(path)!r} has the format {found!r}{more or f'; this version of wsim reads {form!r}'}")
    if content.pop("check", None) != check_of(content):
        raise UserError(f"{str(path)!r} is damaged: it was changed after wsim wrote it")
    return content


def read_json(path: Path, what: str) -> Any:
    """Return what a file of JSON holds; UserError, ``what`` it is instead, if it cannot be read or is too large.

    FileNotFoundError and NotADirectoryError are the caller's.
    """
    try:
        return json_of(text_within(path))
    except (FileNotFoundError, NotADirectoryError):
        raise
    except OSError as error:
        raise UserError(f"cannot read {str(path)!r}: {error.strerror or error}") from error
    except ValueError as error:
        raise UserError(f"{str(path)!r} is {what}: {error}") from error


# --- journals ---------------------------------------------------------------------------------------------------------


class Journal:
    """A file of sealed lines, a JSON object each."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def entries(self) -> list[dict[str, Any]]:
        """Return the lines that are whole, in order; none if there is no file. StoreError if it cannot be read."""
        try:
            lines = bytes_within(self.path, MOST_JOURNAL).splitlines()
        except FileNotFoundError:
            return []
        except ValueError as error:
            raise StoreError(f"cannot read {str(self.path)!r}: {error}") from None
        except OSError as error:
            raise explained("read", self.path, error) from error
        return [entry for line in lines if (entry := _entry(line)) is not None]

    def add(self, *entries: Mapping[str, Any]) -> None:
        """Add lines, on the disk when this returns; StoreError if it refuses."""
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
        """Write the file anew with these lines alone."""
        write_text(self.path, "".join(map(_line, entries)))


def _line(entry: Mapping[str, Any]) -> str:
    return json.dumps({**entry, "check": check_of(entry)[:_LINE_CHECK]}) + "\n"


def _entry(line: bytes) -> dict[str, Any] | None:
    """Return what a line holds, without its check; None for a line that was cut or changed."""
    try:
        entry: dict[str, Any] = json.loads(line)
        return entry if entry.pop("check") == check_of(entry)[:_LINE_CHECK] else None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


# --- whose it is ------------------------------------------------------------------------------------------------------


def differences(there: Mapping[str, Any], here: Mapping[str, Any], at: str = "") -> dict[str, tuple[Any, Any]]:
    """Return what differs between two identities: by path (``plan.seed``), what is there and what is here.

    ``at`` is the path of both, where they are a part of an identity.
    """
    old, new = _flat(there, at), _flat(here, at)
    return {path: (old.get(path), new.get(path)) for path in sorted(old | new) if old.get(path) != new.get(path)}


def _flat(value: Any, path: str = "") -> dict[str, Any]:
    """Return the values of nested mappings by their paths."""
    if not isinstance(value, Mapping):
        return {path: value}
    found: dict[str, Any] = {}
    for key in value:
        found |= _flat(value[key], f"{path}.{key}" if path else str(key))
    return found


def refuse_other(path: Path, what: str, different: Mapping[str, tuple[Any, Any]]) -> None:
    """Raise UserError, naming what differs, if a folder is of other work of its kind (``another run``)."""
    if different:
        shown = [
            f"{name} is {json.dumps(old)} there and {json.dumps(new)} here" for name, (old, new) in different.items()
        ]
        more = f" and {len(shown) - _SHOWN} more" if len(shown) > _SHOWN else ""
        raise UserError(f"{str(path)!r} holds {what}: {'; '.join(shown[:_SHOWN])}{more}; choose another --out")


# --- one writer -------------------------------------------------------------------------------------------------------


def hold(folder: Path) -> int | None:
    """Lock a folder, made if need be, for this process; return what ``release`` takes.

    Raises UserError if another process writes there, OSError if the disk refuses.
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
        if not os.path.samestat(os.fstat(lock), folder.stat()):  # it failed, and removed what it had made
            raise UserError(f"another wsim has just removed {str(folder)!r}: play again")
    except BaseException:
        os.close(lock)
        raise
    return lock


def release(lock: int | None) -> None:
    """Let a folder go."""
    if lock is not None:
        os.close(lock)


@contextmanager
def held(folder: Path) -> Iterator[None]:
    """Hold a folder for this process (``hold``); StoreError if the disk refuses."""
    try:
        lock = hold(folder)
    except OSError as error:
        raise error if isinstance(error, StoreError) else explained("make the folder", folder, error) from error
    try:
        yield
    finally:
        release(lock)
