"""The finished shards of a run: ``shards.jsonl`` in its folder, a line a shard with what its file must be.

A line is written after its shard, so a shard without a line is not finished, whatever lies there. Each line carries a
check of itself; one that is damaged is no line. Of two lines for a file the later one holds.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from wsim.lab.files import explained, write_text

__all__ = ["LEDGER", "Shard", "append", "digest_of_file", "read_ledger", "rewrite"]

LEDGER = "shards.jsonl"
_BLOCK = 1 << 20


@dataclass(frozen=True)
class Shard:
    """A finished shard of a table.

    Attributes
    ----------
    table: seats or picks. first, games: its games. bytes: the size of its file. sha256: of the file, in hexadecimal.
    """

    table: str
    first: int
    games: int
    bytes: int
    sha256: str

    def line(self) -> str:
        """Return its line of the ledger."""
        entry = asdict(self)
        return json.dumps(entry | {"check": _check(entry)}) + "\n"


def digest_of_file(path: Path) -> tuple[int, str]:
    """Return the size and the SHA-256 of a file; OSError if it cannot be read."""
    digest, size = hashlib.sha256(), 0
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
            size += len(block)
    return size, digest.hexdigest()


def read_ledger(folder: Path) -> dict[tuple[str, int], Shard]:
    """Return the finished shards of a run by table and first game; StoreError if the file cannot be read."""
    try:
        content = (folder / LEDGER).read_bytes()
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise explained("read", folder / LEDGER, error) from error
    found = (_shard(line) for line in content.splitlines())
    return {(shard.table, shard.first): shard for shard in found if shard is not None}


def append(folder: Path, shards: Iterable[Shard]) -> None:
    """Add shards, on the disk when this returns; StoreError if it refuses."""
    path = folder / LEDGER
    try:
        with path.open("ab") as file:
            file.write("".join(shard.line() for shard in shards).encode())
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise explained("write", path, error) from error


def rewrite(folder: Path, shards: Iterable[Shard]) -> None:
    """Write the ledger anew with these shards alone."""
    write_text(folder / LEDGER, "".join(shard.line() for shard in shards))


def _check(entry: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(entry, sort_keys=True).encode()).hexdigest()[:16]


def _shard(line: bytes) -> Shard | None:
    """Read a line; None for one that is damaged."""
    try:
        entry = json.loads(line)
        if entry.pop("check") == _check(entry):
            return Shard(**entry)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        pass
    return None
