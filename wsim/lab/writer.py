"""Write a run to disk atomically, shard by shard; resuming keeps finished shards and plays only the others."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from wsim.errors import UserError
from wsim.files import StoreError, clean, explained, visible, write_text, writing
from wsim.lab.archive import Archive
from wsim.lab.journal import differences, hold, refuse_old_streams, refuse_other, release
from wsim.lab.ledger import LEDGER, Shard, append, digest_of_file, read_ledger, rewrite, shard_path
from wsim.lab.parts import WHOLE, Part
from wsim.lab.plan import Plan
from wsim.lab.provenance import Provenance
from wsim.lab.record import RECORD, Record, environment, read_record
from wsim.lab.store import faults, shard_ranges, tables_of

if TYPE_CHECKING:
    import polars as pl

    from wsim.game import Simulator
    from wsim.lab.shards import Batch
    from wsim.stats.summary import Summary

ROW_GROUP = 250_000
LEVEL = 1  # zstd level: files are as small as with higher levels and are written an eighth faster
PLAN = "plan.toml"
_BEGUN = ".begun"
_SHARD = re.compile(r"part-\d{14}\.parquet")


def refuse_other_run(folder: Path, recorded: Mapping[str, Any], current: Mapping[str, Any], at: str = "") -> bool:
    """Return whether this run has more games than the run in the folder; raise UserError for any other difference.

    ``recorded`` and ``current`` are identities, or parts of identities at the path ``at``.
    """
    refuse_old_streams(recorded, str(folder))
    different = differences(recorded, current, at)
    games = different.pop("plan.games", None)
    if games is not None and not different and games[0] > games[1]:
        raise UserError(
            f"{str(folder)!r} already has {games[0]:,} games, more than {games[1]:,}: a run can be extended, not "
            "shortened; choose another --out"
        )
    refuse_other(folder, "a different run", different)
    return games is not None


def default_folder(plan: Plan, provenance: Provenance, part: Part = WHOLE) -> Path:
    """Return the default folder for a run, with a readable name that is different for different data or parts."""
    name = f"{plan.ruleset}-{plan.players}p-seed{plan.seed}-{plan.games}-{provenance.digest[:8]}"
    return Path("runs") / (name if part == WHOLE else f"{name}-part-{part.number}-of-{part.of}")


def plan_text(provenance: Provenance, paths: Mapping[str, str]) -> str:
    """Return the text of a run's plan file, with paths of files in the run folder."""
    return Plan.restore(provenance.plan, paths).to_toml()


def parquet(frame: pl.DataFrame, target: Path | IO[bytes], provenance: Provenance, table: str, games: range) -> None:
    """Write one table of a shard as a Parquet file."""
    metadata = provenance.file_metadata(table, games)
    frame.write_parquet(
        target,
        compression="zstd",
        compression_level=LEVEL,
        statistics=False,  # useless for booleans and small counts, whose columns they would enlarge by a quarter
        row_group_size=ROW_GROUP,
        metadata=metadata,
    )


class RunWriter:
    """Writes the folder of a run that is being played; as a context manager, locks the folder for this process.

    Attributes
    ----------
    folder: its path.
    plan: the resolved plan. provenance: what produces the data of the plan.
    just_played: the first game of each shard that this writer wrote, and the sums of the shards (``Run.just_played``).
    shard_games: games per shard; a resumed run keeps its original value.
    finished: whether all games were already finished when the folder was opened.
    """

    def __init__(
        self,
        folder: Path,
        plan: Plan,
        provenance: Provenance,
        archive: Archive,
        shard_games: int,
        *,
        resume: bool,
        part: Part | None = None,
    ) -> None:
        """Inspect the folder; raise UserError if it contains anything but this run, or needs ``resume``.

        ``part`` is the part of the run to play (default: the part that the folder contains, or the whole run).
        """
        self.folder = folder
        self.plan = plan
        self.shard_games = shard_games
        self.part = part or WHOLE
        self.finished = False
        self._requested = part if part is not None or resume else WHOLE
        self.provenance = provenance
        self.just_played: tuple[frozenset[int], Summary | None] = (frozenset(), None)
        self._archive = archive
        self._resume = resume
        self._lock: int | None = None
        self._bare = not folder.exists()
        self._old: Record | None = None
        self._described = False  # whether this writer has written the record
        self._good: dict[tuple[str, int], Shard] = {}
        self._sessions: list[Mapping[str, Any]] = []
        self._inspect_folder()

    @classmethod
    def of(
        cls,
        plan: Plan,
        simulator: Simulator,
        folder: Path | None,
        shard_games: int,
        *,
        resume: bool,
        part: Part | None = None,
    ) -> RunWriter:
        """Return a writer for a prepared plan; ``folder`` replaces the default folder."""
        provenance = Provenance.of(plan, simulator)
        target = folder or default_folder(plan, provenance, part or WHOLE)
        return cls(target, plan, provenance, Archive.of(plan, simulator), shard_games, resume=resume, part=part)

    def _inspect_folder(self) -> None:
        """Inspect the folder; raise UserError if it contains anything but this run, or needs ``resume``."""
        self._old = old = self._existing_record()
        if old is None:
            self.part.check(self.plan.games, self.shard_games)
            return
        self.shard_games, self.part = old.shard_games, old.part
        self._sessions = list(old.sessions)
        longer = refuse_other_run(self.folder, old.provenance.identity, self.provenance.identity)
        self._refuse_other_part(longer=longer)
        self._good = self._finished_shards(thorough=self._resume)
        self.finished = old.status == "complete" and not longer and self.done() == len(self.wanted)
        if not (self.finished or self._resume):
            problem = "fewer games" if longer else "this run, unfinished"
            raise UserError(
                f"{str(self.folder)!r} contains {problem}: add --resume to continue it, or choose a different --out"
            )

    def _refuse_other_part(self, *, longer: bool) -> None:
        """Raise UserError if the folder contains a different part of the run from the requested one."""
        wanted = self._requested or self.part
        recorded, current = ("the whole run" if part == WHOLE else f"part {part}" for part in (self.part, wanted))
        if wanted != self.part:
            raise UserError(f"{str(self.folder)!r} contains {recorded}, not {current}: choose another --out")
        if longer and self.part != WHOLE:
            raise UserError(
                f"{str(self.folder)!r} contains {recorded} of a shorter run: merge the parts and extend the result, or "
                "choose another --out"
            )

    @property
    def wanted(self) -> range:
        """The games that belong in the folder."""
        return self.part.games(self.plan.games, self.shard_games)

    def _existing_record(self) -> Record | None:
        """Return the record of the run in the folder, None if it is empty; raise UserError for other content."""
        if not self.folder.exists():
            return None
        if (self.folder / RECORD).exists():
            return read_record(self.folder)
        if not self.folder.is_dir():
            raise UserError(f"{str(self.folder)!r} is not a folder: choose another --out")
        try:
            strange = visible(self.folder) and not (self.folder / _BEGUN).exists()
        except OSError as error:
            raise explained("read", self.folder, error) from error
        if strange:
            raise UserError(f"{str(self.folder)!r} contains files that are not a wsim run: choose another --out")
        return None

    def _finished_shards(self, *, thorough: bool) -> dict[tuple[str, int], Shard]:
        """Return the finished shards by table and first game; ``thorough`` checks files and omits damaged shards."""
        ledger = read_ledger(self.folder)
        present = [shard for shard in ledger.values() if shard_path(self.folder, shard.table, shard.first).is_file()]
        wrong = {id(shard) for shard, _ in faults(self.folder, self.provenance, present)} if thorough else set()
        return {(shard.table, shard.first): shard for shard in present if id(shard) not in wrong}

    def __enter__(self) -> RunWriter:
        """Lock the folder for this process and write the description of the run.

        Raises StoreError if writing fails, UserError if another process has written to the folder in the meantime.
        """
        try:
            self._lock = hold(self.folder)
            self._inspect_folder()  # again, because other processes are locked out only now
        except UserError:
            if self._bare and self._lock is not None:
                with suppress(OSError):  # this process created the folder; rmdir fails if it is not empty
                    self.folder.rmdir()
            self._release()
            raise
        except OSError as error:
            self._release()
            raise error if isinstance(error, StoreError) else explained("write", self.folder, error) from error
        try:
            self._write_description()
        except BaseException as error:
            try:
                self._clean_up()
            finally:
                self._release()
            if isinstance(error, OSError) and not isinstance(error, StoreError):
                raise explained("write", self.folder, error) from error
            raise
        return self

    def _write_description(self) -> None:
        """Write the description of the run, and remove files that do not belong to it.

        The files that the record names are written first, and intact files of an earlier record are not touched, so the
        folder contains either the earlier run or this one after every write.
        """
        old = self._old
        if old is None:
            (self.folder / _BEGUN).touch()  # marks the folder as created by wsim until the record is written
        else:
            self._archive = self._archive.over(self.folder, old.files, old.paths)
        if self.finished and old is not None:
            digests = self._archive.digests
            files = {path: digests.get(path, digest) for path, digest in old.files.items()}
            self._archive.write(self.folder, files)
            if files != old.files:
                replace(old, files=files).write(self.folder)
        else:
            self._archive.write(self.folder, self._archive.digests)
            self.mark("running")
        (self.folder / _BEGUN).unlink(missing_ok=True)
        if not self.finished or not (self.folder / PLAN).exists():
            write_text(self.folder / PLAN, plan_text(self.provenance, self._archive.paths))
        for table in tables_of(self.plan):
            (self.folder / table).mkdir(exist_ok=True)
            clean(self.folder / table)
            if self._resume:
                self._remove_foreign_shards(self.folder / table)
        clean(self.folder)
        if self._resume:
            rewrite(self.folder, self._good.values())

    def _remove_foreign_shards(self, folder: Path) -> None:
        """Remove shard files that do not belong to the plan."""
        for path in folder.glob("part-*.parquet"):
            first = int(path.stem.removeprefix("part-")) if _SHARD.fullmatch(path.name) else -1
            if path.is_file() and first >= 0 and (first % self.shard_games or first not in self.wanted):
                path.unlink()

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Unlock the folder; remove it if an error left nothing worth resuming."""
        try:
            if kind is not None and issubclass(kind, Exception):
                self._clean_up()
            elif kind is not None and not self.finished:
                with suppress(OSError):
                    self.mark("interrupted")
        finally:
            self._release()

    def _release(self) -> None:
        release(self._lock)
        self._lock = None

    def _clean_up(self) -> None:
        """After a failure, mark the run as interrupted, or remove the created files if no shard was finished."""
        if self._old is None and not self.done():
            shards = [
                str(path.relative_to(self.folder)) for path in self.folder.glob("*/part-*.parquet")
            ]  # left by an interrupted write
            paths = [RECORD, _BEGUN, PLAN, LEDGER, *self._archive.contents, *shards]
            folders = {Path(path).parent for path in self._archive.contents} - {Path()}
            above = {parent for folder in folders for parent in folder.parents} - {Path()}
            for name in paths:
                with suppress(OSError):
                    (self.folder / name).unlink()
            deepest_first = sorted(folders | above, key=lambda folder: len(folder.parts), reverse=True)
            empty = [*deepest_first, *map(Path, tables_of(self.plan)), *([Path()] if self._bare else [])]
            for path in empty:
                with suppress(OSError):
                    (self.folder / path).rmdir()
        elif self._described:
            with suppress(OSError):
                self.mark("interrupted")

    def mark(self, status: str, **session: Any) -> None:
        """Write ``run.json`` with a status and the cost of this session (threads, games, seconds)."""
        self._described = True
        Record(
            self.provenance,
            status,
            self.shard_games,
            self._archive.digests,
            self._archive.paths,
            [*self._sessions, {**environment(), **session}],
            self.part,
        ).write(self.folder)

    def done(self) -> int:
        """Return the number of games in the shards finished so far."""
        firsts = {first for _, first in self._good}
        return sum(
            len(games) for games in map(self._games_of_shard, firsts) if self._has_complete_shard(games, self._good)
        )

    def holds(self, games: range) -> bool:
        """Return whether one of the finished shards contains all of these games."""
        return any(first == games.start and shard.games >= len(games) for (_, first), shard in self._good.items())

    def missing(self) -> Iterator[range]:
        """Yield the games of the missing and incomplete shards, in order."""
        good = dict(self._good)
        return (
            games for games in shard_ranges(self.wanted, self.shard_games) if not self._has_complete_shard(games, good)
        )

    def _games_of_shard(self, first: int) -> range:
        """Return the games of the shard that begins with ``first``; empty if no shard of this run begins there."""
        if first % self.shard_games or first not in self.wanted:
            return range(0)
        return range(first, min(first + self.shard_games, self.wanted.stop))

    def _has_complete_shard(self, games: range, good: Mapping[tuple[str, int], Shard]) -> bool:
        """Return whether ``good`` contains a complete shard with these games in every table."""
        shards = [good.get((table, games.start)) for table in tables_of(self.plan)]
        return all(shard is not None and shard.games == len(games) for shard in shards)

    def write(self, shard: Batch) -> None:
        """Write a shard, one file per table, then its lines in the ledger."""
        frames = shard.frames()

        def put(table: str, target: Path) -> None:
            parquet(frames[table], target, self.provenance, table, shard.games)

        self._write_files(shard.games, put)
        firsts, total = self.just_played
        if shard.summary is not None:
            if total is None:
                total = shard.summary
            else:
                total.add(shard.summary)
            self.just_played = (firsts | {shard.games.start}, total)

    def place(self, games: range, files: Mapping[str, bytes]) -> None:
        """Write a shard with these games from the Parquet files that a worker produced (``parquet``)."""

        def put(table: str, target: Path) -> None:
            target.write_bytes(files[table])

        self._write_files(games, put)

    def adopt(self, games: range, folder: Path, shards: Mapping[str, Shard]) -> None:
        """Copy a shard with these games from another folder of the same run; raise StoreError if a file has changed."""

        def copied(table: str, target: Path) -> None:
            shutil.copyfile(shard_path(folder, table, games.start), target)
            if digest_of_file(target)[1] != shards[table].sha256:
                raise OSError(f"{shard_path(folder, table, games.start)} was changed while it was being copied")

        self._write_files(games, copied)

    def credit(self, sessions: Sequence[Mapping[str, Any]]) -> None:
        """Record the sessions of other processes that played games of this run, listed before those recorded here."""
        self._sessions = [*sessions, *(session for session in self._sessions if session not in sessions)]

    def _write_files(self, games: range, put: Callable[[str, Path], None]) -> None:
        """Write one file per table with ``put``, then append the lines to the ledger.

        When a shard replaces a shorter one, its line is written before its file is renamed, so that the ledger always
        has a line for the file in place.
        """
        finished, lines = [], []
        for table in tables_of(self.plan):
            with writing(shard_path(self.folder, table, games.start)) as temporary:
                put(table, temporary)
                shard = Shard(table, games.start, len(games), *digest_of_file(temporary))
                if (table, games.start) in self._good:
                    append(self.folder, [shard])
                else:
                    lines.append(shard)
                finished.append(shard)
        if lines:
            append(self.folder, lines)
        self._good |= {(shard.table, shard.first): shard for shard in finished}
