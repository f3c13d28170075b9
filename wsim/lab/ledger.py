"""The finished shards of a run: ``shards.jsonl`` in its folder, one line per shard with its file's size and digest.

A line is written after its shard, so a shard file without a line is not finished. When a shard is replaced by a longer
one, the new line is written first: of several lines for one file, the one that matches the size of the file is valid.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from wsim.lab.journal import Journal

LEDGER = "shards.jsonl"
TABLES = ("picks", "seats", "sums", "worth")
MAX_GAMES = 10**14  # more than any plan has; game numbers fit into file names
_BLOCK = 1 << 20


@dataclass(frozen=True)
class Shard:
    """A finished shard of a table.

    Attributes
    ----------
    table: seats, picks or sums. first, games: its games. bytes, sha256 (hexadecimal): size and digest of its file.
    """

    table: str
    first: int
    games: int
    bytes: int
    sha256: str

    @classmethod
    def of(cls, entry: Mapping[str, Any]) -> Shard | None:
        """Return the shard of a line; None for a line that wsim would not write."""
        kinds = {"table": str, "first": int, "games": int, "bytes": int, "sha256": str}
        if entry.keys() != kinds.keys() or any(type(entry[name]) is not kind for name, kind in kinds.items()):
            return None
        return cls(**entry) if entry["table"] in TABLES and 0 <= entry["first"] < MAX_GAMES else None


def shard_name(table: str, first: int) -> str:
    """Return the path, relative to the run's folder, of the shard of a table that begins with game ``first``."""
    return f"{table}/part-{first:014d}.parquet"  # 2**44 games have 14 digits; names sort as numbers


def shard_path(folder: Path, table: str, first: int) -> Path:
    """Return the file of the shard of a table that begins with game ``first``."""
    return folder / shard_name(table, first)


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
    finished: dict[tuple[str, int], Shard] = {}
    for shard in map(Shard.of, Journal(folder / LEDGER).entries()):
        if shard is None:
            continue
        key = shard.table, shard.first
        if key not in finished or _size(shard_path(folder, *key)) != finished[key].bytes:
            finished[key] = shard
    return finished


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except (OSError, ValueError):
        return -1


def append(folder: Path, shards: Iterable[Shard]) -> None:
    """Append shards to the ledger and flush it to disk; StoreError if the disk refuses."""
    Journal(folder / LEDGER).add(*map(asdict, shards))


def rewrite(folder: Path, shards: Iterable[Shard]) -> None:
    """Replace the contents of the ledger by these shards."""
    Journal(folder / LEDGER).rewrite(map(asdict, shards))
