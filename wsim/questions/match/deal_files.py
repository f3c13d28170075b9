"""A match on disk: a folder with ``match.json`` (the answer) and ``deals/`` (every side of every game, as Parquet).

Part files are written atomically: at every look, every half minute, and on interruption.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from wsim.errors import UserError
from wsim.files import StoreError, clean, explained, visible, write_text, writing
from wsim.lab.journal import read_json, refuse_old_streams
from wsim.questions.deals import WIN_UNITS
from wsim.questions.match.question import MatchQuestion
from wsim.questions.match.tables import Block

if TYPE_CHECKING:
    from wsim.questions.match.tables import MatchTable

ANSWER, DEALS = "match.json", "deals"
SECONDS_A_PART = 30.0
ROWS_A_PART = 1_000_000
DECIDES = ("policies", "question", "digests", "seatings")
"""Entries that must be the same in a continued match; ``seatings`` only if they are drawn."""
GROWS = ("budget", "within", "first_budget", "looks_before")
"""Entries of the question that a continued match may change."""


def open_folder(folder: Path, made: Mapping[str, Any], *, resume: bool) -> DealFiles:
    """Open the folder of a match, creating it if needed, and return its deal files.

    Parameters
    ----------
    made: the settings that determine the match (``DECIDES``), stored from the beginning.
    resume: continue the match in the folder, which must have the same settings; otherwise the folder must be empty.

    Raises UserError for an unusable folder, StoreError if writing fails.
    """
    answer = folder / ANSWER
    if resume:
        known = begun(answer)
        refuse_old_streams(known, str(folder))
        unlike = [name for name in DECIDES if _fixed(known, name) != _fixed(json.loads(json.dumps(made)), name)]
        if unlike:
            raise UserError(
                f"{str(folder)!r} contains a different match: its {' and '.join(unlike)} differ{_more(known, made)}"
            )
        clean(folder / DEALS)
        return DealFiles(folder)
    if folder.exists() and (not folder.is_dir() or visible(folder)):
        hint = ": continue with --resume, or choose a different folder" if answer.is_file() else ""
        raise UserError(f"{str(folder)!r} is not an empty folder{hint}")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        clean(folder)
    except OSError as error:
        raise explained("create the folder", folder, error) from error
    write_text(answer, json.dumps({"stopped": "waiting", **made}, ensure_ascii=False, indent=2) + "\n")
    return DealFiles(folder)


def _fixed(record: Mapping[str, Any], name: str) -> Any:
    """Return an entry of a record without the values that a continued match may change."""
    value = record.get(name)
    if name != "question" or not isinstance(value, Mapping):
        return value
    fields = MatchQuestion.restored(value).record()
    return {key: field for key, field in fields.items() if key not in GROWS}


def _more(known: Mapping[str, Any], made: Mapping[str, Any]) -> str:
    """Describe the policies of both matches if they differ; otherwise return an empty string."""
    stored, current = known.get("policies"), list(made["policies"])
    return f" ({', '.join(map(str, stored))}, not {', '.join(current)})" if stored and stored != current else ""


def begun(path: Path) -> dict[str, Any]:
    """Return the record of an unfinished match, or the answer of a finished one."""
    try:
        known = read_json(path, "not a match of wsim")
    except (FileNotFoundError, NotADirectoryError) as error:
        raise UserError(f"there is no match in {str(path.parent)!r} to continue") from error
    if not isinstance(known, dict):
        raise UserError(f"{str(path)!r} is not a match of wsim")
    return known


class DealFiles:
    """Stores the deals of a match in a folder and reads them back."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._waiting: list[pl.DataFrame] = []
        self._name = ""
        self._since = time.monotonic()
        self._read: dict[str, list[tuple[range, Path]]] = {}

    def add(self, table: MatchTable, block: Block) -> None:
        """Store the next deals in order."""
        if not self._waiting:
            self._name = f"{_name(table)}-{block.games.start:012}.parquet"
        self._waiting.append(_frame(table, block))
        rows = sum(frame.height for frame in self._waiting)
        if rows >= ROWS_A_PART or time.monotonic() - self._since >= SECONDS_A_PART:
            self.flush()

    def flush(self) -> None:
        """Write the buffered rows."""
        self._since = time.monotonic()
        if self._waiting:
            try:
                (self.folder / DEALS).mkdir(exist_ok=True)
            except OSError as error:
                raise explained("create the folder", self.folder / DEALS, error) from error
            with writing(self.folder / DEALS / self._name) as temporary:
                pl.concat(self._waiting).write_parquet(temporary)
            self._waiting = []

    def take(self, table: MatchTable, first: int, stop: int) -> Block | None:
        """Load stored deals from ``first`` up to at most ``stop``; return None if deal ``first`` is not stored."""
        for games, path in self._parts(table):
            if first in games:
                try:
                    frame = pl.read_parquet(path)
                except (OSError, pl.exceptions.PolarsError) as error:
                    raise explained("read", path, error) from error
                return _block(table, frame, range(first, min(stop, games.stop)), path)
        return None

    def _parts(self, table: MatchTable) -> list[tuple[range, Path]]:
        name = _name(table)
        if name not in self._read:
            parts = []
            for path in sorted((self.folder / DEALS).glob(f"{name}-*.parquet")):
                try:
                    ends = pl.scan_parquet(path).select(pl.col("deal").min(), stop=pl.col("deal").max() + 1).collect()
                except (OSError, pl.exceptions.PolarsError) as error:
                    raise explained("read", path, error) from error
                parts.append((range(*ends.row(0)), path))
            self._read[name] = parts
        return self._read[name]

    def write(self, record: Mapping[str, Any]) -> Path:
        """Write the answer into the folder."""
        self.flush()
        target = self.folder / ANSWER
        write_text(target, json.dumps(record, ensure_ascii=False, indent=2) + "\n")
        return target


def _name(table: MatchTable) -> str:
    return f"{table.plan.ruleset}-{table.plan.players}"


def _frame(table: MatchTable, block: Block) -> pl.DataFrame:
    """Return a block of deals as a frame, one row per side and game."""
    deals, seatings, sides = block.wins.shape
    side_at = np.argsort(table.design.places(table.plan.seed, block.games)).astype(np.uint8)
    policies = np.broadcast_to(np.array(table.design.seatings, np.uint32), block.wins.shape).reshape(-1)
    numbers = np.arange(block.games.start, block.games.stop, dtype=np.uint64)
    names = pl.Series(table.policies, dtype=pl.Enum(list(table.policies)))
    return pl.DataFrame(
        {
            "ruleset": pl.repeat(table.plan.ruleset, block.wins.size, eager=True),
            "players": np.full(block.wins.size, table.plan.players, np.uint8),
            "deal": np.repeat(numbers, seatings * sides),
            "seating": np.tile(np.repeat(np.arange(seatings, dtype=np.uint16), sides), deals),
            "side": np.repeat(side_at[:, None], seatings, axis=1).reshape(-1),
            "policy": names.gather(policies),
            "rank": block.ranks.reshape(-1).astype(np.uint8),
            "win_share": (block.wins.reshape(-1) / WIN_UNITS).astype(np.float32),
            "total": block.totals.reshape(-1).astype(np.int32),
        }
    )


def _block(table: MatchTable, frame: pl.DataFrame, games: range, path: Path) -> Block:
    """Convert stored rows to a block of deals; raise StoreError for rows that this table did not write."""
    wanted = frame.filter(pl.col("deal").is_between(games.start, games.stop - 1))
    shape = (len(games), len(table.design.seatings), table.design.sides)
    if wanted.height != shape[0] * shape[1] * shape[2]:
        raise StoreError(f"{str(path)!r} is damaged: it has {wanted.height} rows of {len(games)} deals")
    wins = np.rint(wanted["win_share"].to_numpy().astype(np.float64) * WIN_UNITS).astype(np.int64)
    totals, ranks = (wanted[name].to_numpy().astype(np.int64) for name in ("total", "rank"))
    return Block(games, wins.reshape(shape), totals.reshape(shape), ranks.reshape(shape))
