"""Check a run folder without playing games: files, digests, ranges, rows and provenance."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wsim.errors import UserError
from wsim.files import refuse_remote, text_within
from wsim.lab.archive import damaged_files
from wsim.lab.ledger import LEDGER, TABLES, Shard, read_ledger, shard_name, shard_path
from wsim.lab.record import RECORD, Record, read_record
from wsim.lab.store import Run, faults, opened, shard_metadata, tables_of
from wsim.lab.writer import PLAN, plan_text
from wsim.stats.columns import POINTS_OF

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class Finding:
    """A problem in a run folder: the file and what is wrong with it, such as ``is missing``."""

    file: str
    wrong: str


def verify(path: str | os.PathLike[str]) -> list[Finding]:
    """Return all problems in a run folder; raise UserError if it contains no run."""
    refuse_remote(path)
    folder = Path(path)
    try:
        record = read_record(folder)
    except UserError as error:
        if not (folder / RECORD).is_file():
            raise
        return [Finding(RECORD, str(error))]
    run = opened(folder, record)
    return [*_check_archive(folder, record, run), *_check_shards(run), *_foreign_files(run)]


def _check_archive(folder: Path, record: Record, run: Run) -> Iterator[Finding]:
    """Check that the archived files are intact and are the inputs that the record names."""
    damaged = damaged_files(folder, record.files)
    for path in damaged:
        yield Finding(path, "was changed after it was written" if (folder / path).exists() else "is missing")
    if not damaged:
        try:
            same = run.plan.identity() == record.provenance.identity.get("plan")
        except UserError as error:
            yield Finding(RECORD, f"names a file that is not in the folder: {error}")
        else:
            if not same:
                yield Finding("files", "are not the inputs of the run according to its record")
    try:
        plan = text_within(folder / PLAN)
    except (OSError, ValueError):
        yield Finding(PLAN, "cannot be read")
    else:
        if plan != plan_text(record.provenance, record.paths):
            yield Finding(PLAN, "is not the plan of the run")


def _check_shards(run: Run) -> Iterator[Finding]:
    """Yield a finding for each damaged shard and, in each table, for missing games."""
    size, games = run.shard_games, run.wanted
    ledger = read_ledger(run.path)
    for table in tables_of(run.plan):
        shards = sorted((shard for shard in ledger.values() if shard.table == table), key=lambda shard: shard.first)
        belonging = [shard for shard in shards if shard.first % size == 0 and shard.first in games]
        wrong = {id(shard): why for shard, why in faults(run.path, run.provenance, belonging)}
        yield from (
            Finding(shard_name(table, shard.first), wrong[id(shard)]) for shard in belonging if id(shard) in wrong
        )
        intact = [shard for shard in belonging if id(shard) not in wrong]
        yield from _check_contents(run, table, intact)
        present = sum(shard.games for shard in belonging)
        if present < len(games):
            yield Finding(
                LEDGER,
                f"has {present:,} of {len(games):,} games in {table}; the first missing game is "
                f"{_first_gap(belonging, games.start):,}",
            )
    if run.status != "complete":
        yield Finding(RECORD, f"says that the run is {run.status}")


def _first_gap(shards: list[Shard], end: int) -> int:
    """Return the first game at or after ``end`` that is not in any shard."""
    for shard in shards:
        if shard.first != end:
            break
        end += shard.games
    return end


def _check_contents(run: Run, table: str, shards: list[Shard]) -> Iterator[Finding]:
    """Check that all shards have the same columns and rows per game, and that scores equal the sum of their points."""
    import polars as pl

    first: tuple[list[tuple[str, Any]], float] | None = None
    for shard in shards:
        path, name = shard_path(run.path, table, shard.first), shard_name(table, shard.first)
        schema = dict(pl.scan_parquet(path, glob=False).collect_schema())
        summed = table == "seats" and (run.people is None or run.people["sums"])
        parts = [column for column in schema if column.startswith(POINTS_OF)] if summed else []
        rows = pl.read_parquet(path, glob=False, columns=["total", *parts]) if parts else None
        rows_per_game = rows.height / shard.games if rows is not None else 0.0
        columns = list(schema.items())
        first = first or (columns, rows_per_game)
        if columns != first[0]:
            wrong = "its columns in a different order" if schema == dict(first[0]) else "different columns"
            yield Finding(name, f"has {wrong} from the first shard")
        elif rows_per_game != first[1]:
            yield Finding(name, f"has {rows_per_game:g} rows per game, the first shard {first[1]:g}")
        elif rows is not None and not rows.select(_totals_add_up(parts)).item():
            yield Finding(name, "has scores that are not the sum of their points")


def _totals_add_up(parts: list[str]) -> pl.Expr:
    """Return an expression that is true if every total equals the sum of these columns."""
    import polars as pl

    off = pl.col("total").cast(pl.Float64) - pl.sum_horizontal(pl.col(parts).cast(pl.Float64))
    return (off.abs() < 0.01).all()


def _foreign_files(run: Run) -> Iterator[Finding]:
    """Yield a finding for each Parquet file that does not belong to the run."""
    listed = {shard_name(shard.table, shard.first) for shard in read_ledger(run.path).values()}
    for table in TABLES:
        for path in sorted((run.path / table).glob("*.parquet")):
            name = f"{table}/{path.name}"
            if name not in listed:
                noun = "an unfinished shard" if shard_metadata(path) else "not a file of this run"
                yield Finding(name, f"is {noun}: it is not in {LEDGER}")
