"""Parts of a run joined: each is the right one, whole, sound and there once; then its files are copied as they are."""

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

_SHOWN = 8  # parts that are missing, named in a refusal


def merge(
    folders: Sequence[str | os.PathLike[str]], out: str | os.PathLike[str], *, progress: Progress | None = None
) -> Run:
    """Join the parts of a run (``wsim run --shard``) in a new folder; its files are those of the run made in one go.

    Parameters
    ----------
    folders: every part of the run, in any order; they stay as they are.
    out: the folder of the run. If an earlier call was interrupted, what it copied stays.
    progress: called after every shard with ``shards``, those done and those of the run.

    Raises UserError if they are not all the parts of one run, StoreError for a damaged part or if the disk refuses.
    """
    if not folders:
        raise UserError("there is no part to merge")
    parts = _checked([load_run(folder) for folder in folders])
    for part in parts:
        for shards in part.shards.values():
            refuse_damage(part, shards)
    first = parts[0]
    records = [read_record(part.path) for part in parts]
    # what is kept with a part: load_run has seen that it is what was written
    kept, places = records[0].files, records[0].places
    archive = Archive({path: (first.path / path).read_bytes() for path in kept}, places)
    writer = RunWriter(Path(out), first.plan, first.provenance, archive, first.shard_games, resume=True, part=WHOLE)
    with writer:
        if not writer.finished:
            writer.credit([session for record in records for session in record.sessions])
            _copy(writer, parts, progress)
            writer.mark("complete", merged=len(parts))
    return load_run(out)


def _checked(runs: Sequence[Run]) -> list[Run]:
    """Return the parts in order; raise UserError unless they are the parts of one run, each once and finished."""
    first = runs[0]
    found: dict[int, Run] = {}
    for run in runs:
        _refuse_stranger(first, run)
        if run.part.number in found:
            there = found[run.part.number]
            raise UserError(f"part {run.part} is there twice: {str(there.path)!r} and {str(run.path)!r}")
        if run.games < len(run.wanted):
            raise UserError(
                f"{str(run.path)!r} holds {run.games:,} of the {len(run.wanted):,} games of part {run.part}: go on "
                "with wsim run --resume"
            )
        found[run.part.number] = run
    missing = [f"{number}/{first.part.of}" for number in range(1, first.part.of + 1) if number not in found]
    if missing:
        more = f" and {len(missing) - _SHOWN} more" if len(missing) > _SHOWN else ""
        what, lacks = ("part", "is") if len(missing) == 1 else ("parts", "are")
        raise UserError(f"{what} {', '.join(missing[:_SHOWN])}{more} of the run {lacks} missing")
    return [found[number] for number in sorted(found)]


def _refuse_stranger(first: Run, run: Run) -> None:
    """Raise UserError for what is no part, or a part of another run than the first, or of other shards."""
    if run.part == WHOLE:
        raise UserError(f"{str(run.path)!r} is a whole run, and no part of one (wsim run --shard)")
    different = differences(first.provenance.identity, run.provenance.identity)
    different |= differences({"parts": first.part.of}, {"parts": run.part.of})
    different |= differences({"shard_games": first.shard_games}, {"shard_games": run.shard_games})
    for path, (there, here) in different.items():
        raise UserError(
            f"{str(first.path)!r} and {str(run.path)!r} are parts of different runs: {path} is {there!r} and {here!r}"
        )


def _copy(writer: RunWriter, parts: Sequence[Run], progress: Progress | None) -> None:
    """Copy the shards that are not there yet."""
    size, games = writer.shard_games, writer.plan.games
    total = -(-games // size)
    missing = {one.start for one in writer.missing()}
    done = total - len(missing)
    for part in parts:
        shards = {table: {shard.first: shard for shard in part.shards[table]} for table in tables_of(part.plan)}
        for one in shard_ranges(part.wanted, size):
            if one.start in missing:
                writer.adopt(one, part.path, {table: by_first[one.start] for table, by_first in shards.items()})
                done += 1
                if progress is not None:
                    progress("shards", done, total)
