"""Join the parts of a run: check that each part is intact and given exactly once, then copy the files unchanged."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from wsim.errors import UserError
from wsim.lab.archive import Archive
from wsim.lab.journal import differences
from wsim.lab.parts import WHOLE
from wsim.lab.progress import Progress
from wsim.lab.record import read_record
from wsim.lab.store import Run, load_run, refuse_damage, shard_ranges, tables_of
from wsim.lab.writer import RunWriter

_SHOWN = 8  # missing parts listed in an error message


def merge(
    folders: Sequence[str | os.PathLike[str]], out: str | os.PathLike[str], *, progress: Progress | None = None
) -> Run:
    """Join the parts of a run (``wsim run --shard``) in a new folder, whose files equal those of an undivided run.

    Parameters
    ----------
    folders: the folders of all parts, in any order; they are not changed.
    out: the folder to create. Files copied by an earlier, interrupted call are kept.
    progress: called after every shard with ``shards``, the number done and the total.

    Raises UserError unless the folders are all parts of one run, StoreError if a part is damaged or writing fails.
    """
    if not folders:
        raise UserError("no parts to merge")
    parts = _checked_parts([load_run(folder) for folder in folders])
    for part in parts:
        for shards in part.shards.values():
            refuse_damage(part, shards)
    first = parts[0]
    records = [read_record(part.path) for part in parts]
    # load_run has already checked the digests of these files
    kept, paths = records[0].files, records[0].paths
    archive = Archive({path: (first.path / path).read_bytes() for path in kept}, paths)
    writer = RunWriter(Path(out), first.plan, first.provenance, archive, first.shard_games, resume=True, part=WHOLE)
    with writer:
        if not writer.finished:
            writer.credit([session for record in records for session in record.sessions])
            _copy_shards(writer, parts, progress)
            writer.mark("complete", merged=len(parts))
    return load_run(out)


def _checked_parts(runs: Sequence[Run]) -> list[Run]:
    """Return the parts in order; raise UserError unless every part of one run is finished and given exactly once."""
    first = runs[0]
    by_number: dict[int, Run] = {}
    for run in runs:
        _refuse_foreign_part(first, run)
        if run.part.number in by_number:
            raise UserError(
                f"part {run.part} is given twice: {str(by_number[run.part.number].path)!r} and {str(run.path)!r}"
            )
        if run.games < len(run.wanted):
            raise UserError(
                f"{str(run.path)!r} contains {run.games:,} of the {len(run.wanted):,} games of part {run.part}: "
                "finish it with wsim run --resume"
            )
        by_number[run.part.number] = run
    missing = [f"{number}/{first.part.of}" for number in range(1, first.part.of + 1) if number not in by_number]
    if missing:
        more = f" and {len(missing) - _SHOWN} more" if len(missing) > _SHOWN else ""
        noun, verb = ("part", "is") if len(missing) == 1 else ("parts", "are")
        raise UserError(f"{noun} {', '.join(missing[:_SHOWN])}{more} of the run {verb} missing")
    return [by_number[number] for number in sorted(by_number)]


def _refuse_foreign_part(first: Run, run: Run) -> None:
    """Raise UserError if ``run`` is a whole run, or a part of a different run or with a different shard size."""
    if run.part == WHOLE:
        raise UserError(f"{str(run.path)!r} is a whole run, not a part of one (wsim run --shard)")
    different = differences(first.provenance.identity, run.provenance.identity)
    different |= differences({"parts": first.part.of}, {"parts": run.part.of})
    different |= differences({"shard_games": first.shard_games}, {"shard_games": run.shard_games})
    for path, (expected, actual) in different.items():
        raise UserError(
            f"{str(first.path)!r} and {str(run.path)!r} are parts of different runs: {path} is {expected!r} and "
            f"{actual!r}"
        )


def _copy_shards(writer: RunWriter, parts: Sequence[Run], progress: Progress | None) -> None:
    """Copy those shards of all parts that have not been copied yet."""
    size = writer.shard_games
    total = -(-writer.plan.games // size)
    missing = {games.start for games in writer.missing()}
    done = total - len(missing)
    for part in parts:
        shards = {table: {shard.first: shard for shard in part.shards[table]} for table in tables_of(part.plan)}
        for games in shard_ranges(part.wanted, size):
            if games.start in missing:
                writer.adopt(games, part.path, {table: by_first[games.start] for table, by_first in shards.items()})
                done += 1
                if progress is not None:
                    progress("shards", done, total)
