"""Playing again what made some data, and whether that gives the same: a run, or one shard of one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, nullcontext
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from wsim.errors import UserError
from wsim.game import find_game
from wsim.lab.batch import play
from wsim.lab.journal import differences
from wsim.lab.ledger import shard_name
from wsim.lab.plan import Plan
from wsim.lab.progress import Progress
from wsim.lab.provenance import FORMAT, Provenance
from wsim.lab.run import record
from wsim.lab.store import Run, shard_metadata, tables_of

if TYPE_CHECKING:
    import polars as pl

    from wsim.game import Simulator

__all__ = ["Rerun", "ShardFile", "played", "rerun_run", "rerun_shard", "rows_that_differ", "unlike"]

SHOWN = 8  # differences of one kind that are named


@dataclass(frozen=True)
class Rerun:
    """What came of playing something again.

    Attributes
    ----------
    compared: what was compared, in a few words: ``80,000 rows of seats``.
    differences: what is not the same, a sentence each without a full stop; none if all is.
    remarks: what was not the same about how it was made (versions, machine, rules), in the same way.
    """

    compared: str
    differences: Sequence[str]
    remarks: Sequence[str]

    @property
    def identical(self) -> bool:
        """Whether the same came out."""
        return not self.differences


def unlike(there: Provenance, here: Provenance) -> list[str]:
    """Say what two records of what made data do not have in common."""
    different = differences(there.identity, here.identity) | differences(there.software, here.software)
    told = [f"{path} was {_short(old)} and is {_short(new)}" for path, (old, new) in different.items()]
    return [*told[:SHOWN], *([f"{len(told) - SHOWN} more things differ"] if len(told) > SHOWN else [])]


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."


def rerun_run(
    run: Run, plan: Plan, out: str | None, *, threads: int | None = None, progress: Progress | None = None
) -> Rerun:
    """Play a run again and compare every row that it has.

    Parameters
    ----------
    plan: the plan of the run, as it is played now.
    out: keep the repetition in this folder; without it in a temporary one, for as long as it is compared.

    Raises UserError if it cannot be played or has no games, StoreError if the run is damaged.
    """
    with nullcontext(out) if out is not None else TemporaryDirectory(prefix="wsim-rerun-") as place:
        how: dict[str, Any] = {"threads": threads, "shard": run.shard_games, "part": run.part}
        again = played(record(plan, place, progress=progress, **how))
        told, found = [], []
        for table in tables_of(run.plan):
            rows, different = _tables(run, again, table)
            told.append(f"{rows:,} rows of {table}")
            found += different
        return Rerun(" and ".join(reversed(told)), found, unlike(run.provenance, again.provenance))


def played(run: Run) -> Run:
    """Return a run that was played just now; raise UserError if games of it were there before."""
    if run.played < len(run.wanted):
        raise UserError(f"{str(run.path)!r} holds these games already: choose another --out")
    return run


def _tables(run: Run, again: Run, table: str) -> tuple[int, list[str]]:
    """Return how many rows of a table were compared, and in which shards they differ."""
    rows, found = 0, []
    played = {shard.first: shard for shard in again.shards[table]}
    for shard in run.shards[table]:
        old = run.read(table, shard)
        rows += old.height
        if why := rows_that_differ(old, again.read(table, played[shard.first])):
            found.append(f"{shard_name(table, shard.first)} {why}")
    if not rows:
        raise UserError(f"the run {str(run.path)!r} has no finished shard: continue it with --resume")
    return rows, [*found[:SHOWN], *([f"{len(found) - SHOWN} more shards differ"] if len(found) > SHOWN else [])]


def rows_that_differ(there: pl.DataFrame, here: pl.DataFrame) -> str | None:
    """Say how two tables of games differ, as in ``has other values in ...``; None if they are the same."""
    if there.equals(here):
        return None
    if there.schema != here.schema:
        names = [name for name in {**there.schema, **here.schema} if there.schema.get(name) != here.schema.get(name)]
        return f"has other columns: {', '.join(names[:SHOWN])}{' ...' if len(names) > SHOWN else ''}"
    if there.height != here.height:
        return f"has {there.height:,} rows, and {here.height:,} when played again"
    columns = [name for name in there.columns if not there[name].equals(here[name])]
    changed = [there[name].ne_missing(here[name]) for name in columns]
    either = changed[0]
    for one in changed[1:]:
        either = either | one
    shown = ", ".join(columns[:SHOWN]) + (" ..." if len(columns) > SHOWN else "")
    if "game" not in there.columns:
        shown = f"{there['name'].filter(either)[0]} ..."
        return f"has other sums in {int(either.sum()):,} rows: {shown}"
    game = there["game"].filter(either)[0]
    return f"has other values in {int(either.sum()):,} rows, first in game {game:,}: {shown}"


# --- one file -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ShardFile:
    """A shard of a run that came without its folder, as its metadata tell it."""

    path: Path
    provenance: Provenance
    table: str
    games: range

    @classmethod
    def read(cls, path: Path) -> ShardFile:
        """Read the metadata of a file; raise UserError if it is no shard of wsim."""
        told = shard_metadata(path)
        if told is None or told.get("format") != FORMAT or told.get("table") not in ("seats", "picks"):
            raise UserError(f"{str(path)!r} does not say what made it: it is no shard of a run of wsim ({FORMAT})")
        try:
            first, games = int(told["first_game"]), int(told["games"])
            found = cls(path, Provenance.from_record(told), str(told["table"]), range(first, first + games))
            found.plan()
        except UserError:
            raise
        except (KeyError, TypeError, ValueError) as error:
            raise UserError(f"what {str(path)!r} says of itself is damaged: {error!r}") from error
        return found

    def plan(self, places: Mapping[str, str] | None = None) -> Plan:
        """Return the plan; ``places``: where the files lie that it names."""
        return Plan.restore(self.provenance.plan, places)


def rerun_shard(shard: ShardFile, plan: Plan, *, threads: int | None = None, progress: Progress | None = None) -> Rerun:
    """Play the games of one shard again, in memory, and compare its rows."""
    import polars as pl

    simulator: Simulator = find_game(plan.game).prepare(plan)
    frames = list(_frames(simulator, shard, threads, progress))
    try:
        there = pl.read_parquet(shard.path)
    except (OSError, pl.exceptions.PolarsError) as error:
        raise UserError(f"cannot read {str(shard.path)!r}: {' '.join(str(error).split())[:200]}") from error
    why = rows_that_differ(there, pl.concat(frames))
    compared = f"{there.height:,} rows of {shard.table}"
    return Rerun(compared, [f"it {why}"] if why else [], unlike(shard.provenance, Provenance.of(plan, simulator)))


def _frames(
    simulator: Simulator, shard: ShardFile, threads: int | None, progress: Progress | None
) -> Iterator[pl.DataFrame]:
    """Play the games of a shard and yield its table chunk by chunk."""
    done = 0
    with closing(play(simulator, [shard.games], threads=threads, picks=shard.table == "picks")) as chunks:
        for chunk in chunks:
            done += len(chunk.games)
            if progress is not None:
                progress("games", done, len(shard.games))
            yield chunk.seats if chunk.picks is None else chunk.picks
