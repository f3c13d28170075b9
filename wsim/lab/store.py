"""A run on the disk, read: the layout of its folder and ``load_run``.

    FOLDER/run.json      provenance (``wsim.lab.provenance``), status, games per shard
    FOLDER/plan.toml     the resolved plan, for ``wsim run --plan``
    FOLDER/seats/part-00000000000000.parquet, ...   one row per game and seat, one file per shard
    FOLDER/picks/part-00000000000000.parquet, ...   one row per decision, if the plan asks for picks

A shard is a range of games and is named after the first; which games a shard holds depends on the game's number of
seats only, so shards can be made in any order and a longer run begins with the shards of a shorter one.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wsim.errors import UserError
from wsim.lab.plan import Plan
from wsim.lab.provenance import FORMAT, METADATA_KEY, Provenance

if TYPE_CHECKING:
    import polars as pl

    from wsim.game import Simulator

__all__ = ["Run", "load_run", "shard_games", "shard_path", "shard_ranges", "shard_starts", "stored_games"]

ROWS_A_SHARD = 250_000
PICKS_A_SHARD = 1_000_000
_NAME = re.compile(r"part-(\d{14})\.parquet")  # 2**44 games have 14 digits; names sort as numbers


def shard_games(simulator: Simulator, picks: bool) -> int:
    """Return how many games go into one shard: about 250,000 rows of seats, at most 1,000,000 rows of picks."""
    games = ROWS_A_SHARD // simulator.seats
    return max(1, min(games, PICKS_A_SHARD // simulator.picks_per_game) if picks else games)


def shard_ranges(games: int, size: int) -> list[range]:
    """Return the games of every shard of a run of ``games`` games."""
    return [range(first, min(first + size, games)) for first in range(0, games, size)]


def shard_path(folder: Path, table: str, first: int) -> Path:
    """Return the file of a table (seats or picks) for the shard that begins with game ``first``."""
    return folder / table / f"part-{first:014d}.parquet"


def shard_starts(folder: Path, table: str) -> list[int]:
    """Return the first games of the shards of a table that lie in the folder, in order."""
    if not (folder / table).is_dir():
        return []
    names = (_NAME.fullmatch(name) for name in os.listdir(folder / table))
    return sorted(int(match[1]) for match in names if match)


def stored_games(folder: Path, table: str, first: int) -> range:
    """Return the games that a shard says it holds; an empty range if it is missing or no shard of wsim."""
    import polars as pl

    try:
        record = json.loads(pl.read_parquet_metadata(shard_path(folder, table, first))[METADATA_KEY])
        return range(record["first_game"], record["first_game"] + record["games"])
    except (OSError, pl.exceptions.PolarsError, KeyError, TypeError, ValueError):
        return range(0)


def read_record(folder: Path) -> dict[str, Any]:
    """Return ``run.json`` of a run folder; raise UserError if it is none."""
    path = folder / "run.json"
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError) as error:
        what = "holds no run of wsim (no run.json)" if folder.is_dir() else "is not a folder"
        raise UserError(f"{str(folder)!r} {what if folder.exists() else 'does not exist'}") from error
    except OSError as error:
        raise UserError(f"cannot read {str(path)!r}: {error.strerror}") from error
    except ValueError as error:
        raise UserError(f"{str(path)!r} is not a record of wsim: {error}") from error
    if not isinstance(record, dict) or record.get("format") != FORMAT:
        found = record.get("format") if isinstance(record, dict) else None
        raise UserError(f"{str(path)!r} has the format {found!r}; this version of wsim reads {FORMAT!r}")
    return record


@dataclass(frozen=True)
class Run:
    """A run folder.

    Attributes
    ----------
    path: the folder.
    plan: the resolved plan.
    provenance: what made the data.
    status: running, interrupted or complete, as last written.
    shard_games: games per shard.
    """

    path: Path
    plan: Plan
    provenance: Provenance = field(repr=False)
    status: str
    shard_games: int

    @property
    def seats(self) -> pl.LazyFrame:
        """The seats table, one row per game and seat, in order; UserError if no shard is finished."""
        return self._scan("seats")

    @property
    def picks(self) -> pl.LazyFrame:
        """The picks table, one row per decision, in order; UserError if the run recorded none."""
        if not self.plan.picks:
            raise UserError(f"the run {str(self.path)!r} recorded no picks: play it with --picks")
        return self._scan("picks")

    @property
    def complete(self) -> bool:
        """Whether every game of the plan is there."""
        expected = list(range(0, self.plan.games, self.shard_games))
        tables = ("seats", "picks") if self.plan.picks else ("seats",)
        return self.status == "complete" and all(shard_starts(self.path, table) == expected for table in tables)

    @property
    def games(self) -> int:
        """The number of games in the finished shards."""
        return sum(len(stored_games(self.path, "seats", first)) for first in shard_starts(self.path, "seats"))

    def _scan(self, table: str) -> pl.LazyFrame:
        """Return the shards of a table as one lazy frame."""
        import polars as pl

        paths = [shard_path(self.path, table, first) for first in shard_starts(self.path, table)]
        if not paths:
            raise UserError(f"the run {str(self.path)!r} has no finished shard: continue it with --resume")
        return pl.scan_parquet(paths, glob=False)


def _run(folder: Path, record: Mapping[str, Any]) -> Run:
    """Return the run that a record tells of; raise UserError if the record is damaged."""
    try:
        provenance = Provenance.from_record(record)
        plan = Plan.restore(provenance.plan)
        return Run(folder, plan, provenance, str(record["status"]), int(record["shard_games"]))
    except (KeyError, TypeError, ValueError) as error:
        raise UserError(f"{str(folder / 'run.json')!r} is damaged: {error!r}") from error


def load_run(path: str | os.PathLike[str]) -> Run:
    """Open the run in a folder, finished or not; raise UserError if there is none."""
    folder = Path(path)
    return _run(folder, read_record(folder))
