"""Playing again what made some data, and whether that gives the same: what they have in common, runs and shards."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from wsim.errors import UserError
from wsim.game import find_game
from wsim.lab.batch import play
from wsim.lab.execution import Execution
from wsim.lab.journal import differences, refuse_old_streams
from wsim.lab.ledger import shard_name
from wsim.lab.plan import Plan
from wsim.lab.provenance import FORMAT, Provenance
from wsim.lab.record import RECORD, read_record
from wsim.lab.run import record
from wsim.lab.store import Run, shard_metadata, tables_of

if TYPE_CHECKING:
    import polars as pl

    from wsim.game import Simulator

SHOWN = 8  # differences of one kind that are named
MOST_SAID = 200  # letters of what Python says of a damaged record
_Found = TypeVar("_Found")


@dataclass(frozen=True)
class Again:
    """How something is played again.

    Attributes
    ----------
    plan: makes of a recorded plan the one that is played.
    places: where the files lie that plans name, if not where their names say.
    out: where the games of a run are kept; None: nowhere. execution: how its games are played.
    """

    plan: Callable[[Plan], Plan] = lambda plan: plan
    places: Mapping[str, str] = field(default_factory=dict)
    out: str | None = None
    execution: Execution = Execution()

    def restored(self, flat: Mapping[str, Any]) -> Plan:
        """Return the plan that is played for a recorded one."""
        return self.plan(Plan.restore(flat, self.places))


class Repeatable(Protocol):
    """What was made by playing, and says how: a run, a shard of one, an answer, a page."""

    def plan(self) -> Plan | None:
        """Return the plan that made it, if it has one; raise UserError if what it says of itself is damaged."""
        ...

    def again(self, how: Again) -> Rerun:
        """Play it again and compare; UserError for what cannot be played."""
        ...


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
    found = [f"{path} was {_short(old)} and is {_short(new)}" for path, (old, new) in different.items()]
    return [*found[:SHOWN], *([f"{len(found) - SHOWN} more things differ"] if len(found) > SHOWN else [])]


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."


def sound(read: Callable[[], _Found], what: str = "the answer is damaged") -> _Found:
    """Return what ``read`` finds in a record; UserError where it stumbles over something else than expected."""
    from polars.exceptions import PolarsError

    try:
        return read()
    except UserError:
        raise
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, PolarsError) as error:
        said = " ".join(str(error).split())[:MOST_SAID]
        raise UserError(f"{what}: {type(error).__name__}: {said}") from error


def places_in(folder: Path) -> dict[str, str]:
    """Return where the files lie that the plan of a run names, if ``folder`` is that of a run; nothing otherwise."""
    if not (folder / RECORD).is_file():
        return {}
    return {name: str(folder / place) for name, place in read_record(folder).places.items()}


@contextmanager
def played_again(plan: Plan, how: Again, **parts: Any) -> Iterator[Run]:
    """Play a plan and give the run, which is kept if somebody wants it; ``parts``: of ``record``."""
    with nullcontext(how.out) if how.out is not None else TemporaryDirectory(prefix="wsim-rerun-") as place:
        run = record(
            plan,
            place,
            threads=how.execution.threads,
            cluster=how.execution.cluster,
            progress=how.execution.progress,
            **parts,
        )
        if run.played < len(run.wanted):
            raise UserError(f"{str(run.path)!r} holds these games already: choose another --out")
        yield run


@dataclass(frozen=True)
class RunFolder:
    """A run that is played again as it was, part and all."""

    run: Run

    def plan(self) -> Plan:
        """Return its plan."""
        return self.run.plan

    def again(self, how: Again) -> Rerun:
        """Play it again and compare every row; UserError if it has no games, StoreError if it is damaged."""
        run, compared, found = self.run, [], []
        refuse_old_streams(run.provenance.identity, str(run.path))
        with played_again(how.plan(run.plan), how, shard=run.shard_games, part=run.part) as again:
            for table in tables_of(run.plan):
                rows, different = _tables(run, again, table)
                compared.append(f"{rows:,} rows of {table}")
                found += different
            return Rerun(" and ".join(reversed(compared)), found, unlike(run.provenance, again.provenance))


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
        metadata = shard_metadata(path)
        if metadata is None or metadata.get("format") != FORMAT or metadata.get("table") not in ("seats", "picks"):
            raise UserError(f"{str(path)!r} does not say what made it: it is no shard of a run of wsim ({FORMAT})")
        try:
            first, games = int(metadata["first_game"]), int(metadata["games"])
            made = Provenance.from_record(metadata)
            Plan.restore(made.plan)
        except UserError:
            raise
        except (KeyError, TypeError, ValueError) as error:
            raise UserError(f"what {str(path)!r} says of itself is damaged: {error!r}") from error
        return cls(path, made, str(metadata["table"]), range(first, first + games))

    def plan(self) -> Plan:
        """Return the plan, its files where the run keeps them that the shard lies in."""
        return Plan.restore(self.provenance.plan, places_in(self.path.parent.parent))

    def again(self, how: Again) -> Rerun:
        """Play its games again, in memory, and compare its rows."""
        import polars as pl

        refuse_old_streams(self.provenance.identity, str(self.path))
        plan = how.plan(self.plan())
        simulator: Simulator = find_game(plan.game).prepare(plan)
        frames = list(self._frames(simulator, how))
        try:
            there = pl.read_parquet(self.path)
        except (OSError, pl.exceptions.PolarsError) as error:
            raise UserError(f"cannot read {str(self.path)!r}: {' '.join(str(error).split())[:200]}") from error
        why = rows_that_differ(there, pl.concat(frames))
        compared = f"{there.height:,} rows of {self.table}"
        return Rerun(compared, [f"it {why}"] if why else [], unlike(self.provenance, Provenance.of(plan, simulator)))

    def _frames(self, simulator: Simulator, how: Again) -> Iterator[pl.DataFrame]:
        """Play its games and yield its table chunk by chunk."""
        done = 0
        with closing(
            play(simulator, [self.games], threads=how.execution.threads, picks=self.table == "picks")
        ) as chunks:
            for chunk in chunks:
                done += len(chunk.games)
                how.execution.report("games", done, len(self.games))
                yield chunk.seats if chunk.picks is None else chunk.picks
