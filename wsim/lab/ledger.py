"""The ledger of finished shards: ``shards.jsonl`` in a run folder has one line per shard, with file size and digest.

A line is written after its shard, so a shard file without a line is unfinished. When a longer shard replaces a shorter
one, the new line is written first. If several lines name the same file, the line that matches the file size is valid.
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
MAX_GAMES = 10**14  # more than any plan; game numbers fit into file names
_BLOCK = 1 << 20


@dataclass(frozen=True)
class Shard:
    """A finished shard of a table.

    Attributes
    ----------
    table: seats, picks, sums or worth. first, games: the first game and the number of games.
    bytes, sha256 (hexadecimal): size and digest of the file.
    """

    table: str
    first: int
    games: int
    bytes: int
    sha256: str

    @classmethod
    def of(cls, entry: Mapping[str, Any]) -> Shard | None:
        """Parse a ledger entry; return None if wsim would not write such an entry."""
        kinds = {"table": str, "first": int, "games": int, "bytes": int, "sha256": str}
        if entry.keys() != kinds.keys() or any(type(entry[name]) is not kind for name, kind in kinds.items()):
            return None
        return cls(**entry) if entry["table"] in TABLES and 0 <= entry["first"] < MAX_GAMES else None


def shard_name(table: str, first: int) -> str:
    """Return the path of the shard of ``table`` that begins with game ``first``, relative to the run folder."""
    return f"{table}/part-{first:014d}.parquet"  # 2**44 games have 14 digits; names sort as numbers


def shard_path(folder: Path, table: str, first: int) -> Path:
    """Return the path of the shard of ``table`` that begins with game ``first``."""
    return folder / shard_name(table, first)


def digest_of_file(path: Path) -> tuple[int, str]:
    """Return the size and SHA-256 digest of a file; raise OSError if it cannot be read."""
    digest, size = hashlib.sha256(), 0
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
            size += len(block)
    return size, digest.hexdigest()


def read_ledger(folder: Path) -> dict[tuple[str, int], Shard]:
    """Read the finished shards of a run, by table and first game; raise StoreError if the ledger cannot be read."""
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
    """Append shards to the ledger and flush it to disk; raise StoreError if that fails."""
    Journal(folder / LEDGER).add(*map(asdict, shards))


def rewrite(folder: Path, shards: Iterable[Shard]) -> None:
    """Replace the contents of the ledger with these shards."""
    Journal(folder / LEDGER).rewrite(map(asdict, shards))
