"""A run on the disk, written: shard by shard, atomically; what is finished stays, what is missing can be resumed."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wsim.errors import UserError
from wsim.lab.files import StoreError, clean, explained, write_text, writing
from wsim.lab.plan import Plan
from wsim.lab.provenance import Provenance, differences
from wsim.lab.store import Run, load_run, shard_path, shard_ranges, shard_starts, stored_games

if TYPE_CHECKING:
    import polars as pl

fcntl: Any
try:
    import fcntl
except ImportError:  # Windows: two processes in one folder are not noticed there
    fcntl = None

__all__ = ["RunWriter"]

ROW_GROUP = 250_000
_SHOWN = 3  # differences named in a refusal


class RunWriter:
    """The folder of a run that is being played. A context manager: it holds the folder for this process.

    Attributes
    ----------
    folder: where it lies.
    plan: the resolved plan.
    shard_games: games per shard; those of the folder if the run was begun before.
    finished: whether every game was there when the folder was opened.
    """

    def __init__(self, folder: Path, plan: Plan, provenance: Provenance, shard_games: int, *, resume: bool) -> None:
        """Open or make the folder; raise UserError if it holds anything but this run, or needs ``resume``."""
        self.folder = folder
        self.plan = plan
        self.shard_games = shard_games
        self._provenance = provenance
        self._lock: int | None = None
        old = self._look()
        self._new = old is None
        self._bare = not folder.exists()
        self.finished = False
        if old is not None:
            self.shard_games = old.shard_games
            longer = self._compare(old.provenance.identity)
            self.finished = old.status == "complete" and not longer and not self.missing()
            if not (self.finished or resume):
                what = "fewer games" if longer else "this run, unfinished"
                raise UserError(f"{str(folder)!r} holds {what}: add --resume to continue it, or choose another --out")

    def _look(self) -> Run | None:
        """Return the run in the folder, None if there is nothing; raise UserError for anything else."""
        if not self.folder.exists():
            return None
        if (self.folder / "run.json").exists():
            return load_run(self.folder)
        if not self.folder.is_dir():
            raise UserError(f"{str(self.folder)!r} is not a folder: choose another --out")
        try:
            visible = [name for name in os.listdir(self.folder) if not name.startswith(".")]
        except OSError as error:
            raise explained("read", self.folder, error) from error
        if visible:
            raise UserError(f"{str(self.folder)!r} holds something that is not a run of wsim: choose another --out")
        return None

    def _compare(self, there: Mapping[str, Any]) -> bool:
        """Return whether this run is the folder's with more games; raise UserError naming what else differs."""
        different = differences(there, self._provenance.identity)
        games = different.get("plan.games")
        if games is not None and games[0] < games[1]:
            del different["plan.games"]
        if different:
            shown = [
                f"{path} is {json.dumps(old)} there and {json.dumps(new)} here"
                for path, (old, new) in different.items()
            ]
            more = f" and {len(shown) - _SHOWN} more" if len(shown) > _SHOWN else ""
            raise UserError(
                f"{str(self.folder)!r} holds another run: {'; '.join(shown[:_SHOWN])}{more}; choose another --out"
            )
        return games is not None

    def __enter__(self) -> RunWriter:
        """Take the folder for this process and write what describes the run; raise StoreError if the disk refuses."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._hold()
            if not self.finished:
                self.mark("running")  # first of all: without it the folder is nobody's
                write_text(self.folder / "plan.toml", self.plan.to_toml())
            for table in self._tables():
                (self.folder / table).mkdir(exist_ok=True)
                clean(self.folder / table)
            clean(self.folder)
        except StoreError:
            self._leave()
            raise
        except OSError as error:
            self._leave()
            raise explained("write", self.folder, error) from error
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Let the folder go; after an error that left nothing worth resuming, remove it."""
        if kind is not None and issubclass(kind, Exception):
            self._leave()
        elif kind is not None:
            with suppress(OSError):
                self.mark("interrupted")
        self._release()

    def _hold(self) -> None:
        """Lock the folder; raise UserError if another process writes in it."""
        if fcntl is None:
            return
        self._lock = os.open(self.folder, os.O_RDONLY)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            self._release()
            raise UserError(f"another wsim is writing in {str(self.folder)!r}") from error

    def _release(self) -> None:
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def _leave(self) -> None:
        """After a failure: mark what is there as interrupted; if that is nothing, remove what was made."""
        if self._new and not self.done():
            for name in ("run.json", "plan.toml"):
                with suppress(OSError):
                    (self.folder / name).unlink()
            for table in (*self._tables(), ".") if self._bare else self._tables():
                with suppress(OSError):
                    (self.folder / table).rmdir()
        else:
            with suppress(OSError):
                self.mark("interrupted")
        self._release()

    def _tables(self) -> Sequence[str]:
        return ("seats", "picks") if self.plan.picks else ("seats",)

    def mark(self, status: str, **session: Any) -> None:
        """Write ``run.json`` with this status and with what the session took (threads, seconds)."""
        record = self._provenance.record() | {"status": status, "shard_games": self.shard_games, "session": session}
        write_text(self.folder / "run.json", json.dumps(record, indent=2, ensure_ascii=False) + "\n")

    def done(self) -> int:
        """Return the number of games in the shards that are there."""
        return self.plan.games - sum(map(len, self.missing()))

    def missing(self) -> list[range]:
        """Return the games of the shards that are not there, or not whole, in order."""
        there = set.intersection(*(set(shard_starts(self.folder, table)) for table in self._tables()))
        return [
            games
            for games in shard_ranges(self.plan.games, self.shard_games)
            if games.start not in there
            or any(stored_games(self.folder, table, games.start) != games for table in self._tables())
        ]

    def write(self, games: range, seats: pl.DataFrame, picks: pl.DataFrame | None) -> None:
        """Write the shard of ``games``; the seats last, because they say that the shard is finished."""
        tables = [("seats", seats)] if picks is None else [("picks", picks), ("seats", seats)]
        for table, frame in tables:
            with writing(shard_path(self.folder, table, games.start)) as temporary:
                frame.write_parquet(
                    temporary,
                    compression="zstd",
                    row_group_size=ROW_GROUP,
                    metadata=self._provenance.file_metadata(table, games),
                )
