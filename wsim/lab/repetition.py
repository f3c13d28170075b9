"""Replay the games behind a run, a shard or an answer, and compare the results with the recorded ones."""

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

SHOWN = 8  # differences listed per kind
MOST_SAID = 200  # characters shown of Python's message about a damaged record
_Found = TypeVar("_Found")


@dataclass(frozen=True)
class RepetitionSettings:
    """Settings for repeating a result.

    Attributes
    ----------
    plan: maps a recorded plan to the plan to play. paths: the paths of files that plans name, if they differ from the
        names. out: the folder for the games of a run; None: games are not stored. execution: how the games are played.
    """

    plan: Callable[[Plan], Plan] = lambda plan: plan
    paths: Mapping[str, str] = field(default_factory=dict)
    out: str | None = None
    execution: Execution = Execution()

    def restored(self, flat: Mapping[str, Any]) -> Plan:
        """Restore a recorded plan and return the plan to play, which may differ from it (``plan``)."""
        return self.plan(Plan.restore(flat, self.paths))


Again = RepetitionSettings  # the name before 0.3.0, for questions defined in other packages


class Repeatable(Protocol):
    """A result that records how it was produced and can be repeated: a run, a shard, an answer, a page."""

    def plan(self) -> Plan | None:
        """Return the plan that produced the result, None if there is none; raise UserError if the record is damaged."""
        ...

    def again(self, how: RepetitionSettings) -> Rerun:
        """Reproduce the result and compare it with the record; raise UserError if its games cannot be played."""
        ...


@dataclass(frozen=True)
class Rerun:
    """The outcome of repeating a result and comparing it with the record.

    Attributes
    ----------
    compared: a short description of what was compared: ``80,000 rows of seats``.
    differences: the differences, one sentence each without a full stop; empty if the results are identical.
    remarks: differences in provenance (versions, machine, rules), in the same form.
    """

    compared: str
    differences: Sequence[str]
    remarks: Sequence[str]

    @property
    def identical(self) -> bool:
        """Whether the repeated result equals the recorded one."""
        return not self.differences


def counted(count: int, noun: str) -> str:
    """Format a count with its noun: ``1 effect``, ``2,000 effects``."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def unlike(recorded: Provenance, current: Provenance) -> list[str]:
    """Return the differences between two provenance records, one sentence each."""
    different = differences(recorded.identity, current.identity) | differences(recorded.software, current.software)
    lines = [f"{path} was {_shortened(old)} and is {_shortened(new)}" for path, (old, new) in different.items()]
    return [*lines[:SHOWN], *([f"{len(lines) - SHOWN} more values differ"] if len(lines) > SHOWN else [])]


def _shortened(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."


def sound(read: Callable[[], _Found], noun: str = "the answer is damaged") -> _Found:
    """Call ``read`` and return its result; raise UserError if a record does not have the expected structure."""
    from polars.exceptions import PolarsError

    try:
        return read()
    except UserError:
        raise
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, PolarsError) as error:
        message = " ".join(str(error).split())[:MOST_SAID]
        raise UserError(f"{noun}: {type(error).__name__}: {message}") from error


def paths_in(folder: Path) -> dict[str, str]:
    """Return the paths of the files named in a run's plan, by name; empty if ``folder`` is not a run folder."""
    if not (folder / RECORD).is_file():
        return {}
    return {name: str(folder / path) for name, path in read_record(folder).paths.items()}


@contextmanager
def repeated_run(plan: Plan, how: RepetitionSettings, **parts: Any) -> Iterator[Run]:
    """Play a plan into ``out`` or a temporary folder and yield the run; ``parts`` are keywords for ``record``."""
    with nullcontext(how.out) if how.out is not None else TemporaryDirectory(prefix="wsim-rerun-") as folder:
        run = record(
            plan,
            folder,
            threads=how.execution.threads,
            cluster=how.execution.cluster,
            progress=how.execution.progress,
            **parts,
        )
        if run.played < len(run.wanted):
            raise UserError(f"{str(run.path)!r} already contains these games: choose another --out")
        yield run


@dataclass(frozen=True)
class RunFolder:
    """A run folder to repeat."""

    run: Run

    def plan(self) -> Plan:
        """Return the plan of the run."""
        return self.run.plan

    def again(self, how: RepetitionSettings) -> Rerun:
        """Replay the run and compare every row; raise UserError if it has no games, StoreError if it is damaged."""
        run, compared, differences = self.run, [], []
        refuse_old_streams(run.provenance.identity, str(run.path))
        with repeated_run(how.plan(run.plan), how, shard=run.shard_games, part=run.part) as again:
            for table in tables_of(run.plan):
                rows, different = _compare_table(run, again, table)
                compared.append(f"{counted(rows, 'row')} of {table}")
                differences += different
            return Rerun(" and ".join(reversed(compared)), differences, unlike(run.provenance, again.provenance))


def _compare_table(run: Run, again: Run, table: str) -> tuple[int, list[str]]:
    """Compare a table of two runs; return the number of rows compared and one sentence per shard that differs."""
    rows, differences = 0, []
    played = {shard.first: shard for shard in again.shards[table]}
    for shard in run.shards[table]:
        old = run.read(table, shard)
        rows += old.height
        if why := rows_that_differ(old, again.read(table, played[shard.first])):
            differences.append(f"{shard_name(table, shard.first)} {why}")
    if not rows:
        raise UserError(f"the run {str(run.path)!r} has no finished shard: continue it with --resume")
    return rows, [
        *differences[:SHOWN],
        *([f"{len(differences) - SHOWN} more shards differ"] if len(differences) > SHOWN else []),
    ]


def rows_that_differ(recorded: pl.DataFrame, current: pl.DataFrame) -> str | None:
    """Describe how two tables of games differ, such as ``has different values in ...``; None if they are equal."""
    if recorded.equals(current):
        return None
    if recorded.schema != current.schema:
        names = [
            name
            for name in {**recorded.schema, **current.schema}
            if recorded.schema.get(name) != current.schema.get(name)
        ]
        return f"has different columns: {', '.join(names[:SHOWN])}{' ...' if len(names) > SHOWN else ''}"
    if recorded.height != current.height:
        return f"has {recorded.height:,} rows, and {current.height:,} when played again"
    columns = [name for name in recorded.columns if not recorded[name].equals(current[name])]
    changed = [recorded[name].ne_missing(current[name]) for name in columns]
    either = changed[0]
    for column in changed[1:]:
        either = either | column
    shown = ", ".join(columns[:SHOWN]) + (" ..." if len(columns) > SHOWN else "")
    if "game" not in recorded.columns:
        shown = f"{recorded['name'].filter(either)[0]} ..."
        return f"has different sums in {int(either.sum()):,} rows: {shown}"
    game = recorded["game"].filter(either)[0]
    return f"has different values in {int(either.sum()):,} rows, first in game {game:,}: {shown}"


# --- a single file --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ShardFile:
    """A single shard file, repeated from its metadata without the run folder."""

    path: Path
    provenance: Provenance
    table: str
    games: range

    @classmethod
    def read(cls, path: Path) -> ShardFile:
        """Read the metadata of a shard file; raise UserError if wsim did not write it as a shard."""
        metadata = shard_metadata(path)
        if metadata is None or metadata.get("format") != FORMAT or metadata.get("table") not in ("seats", "picks"):
            raise UserError(
                f"{str(path)!r} does not record how it was made: it is not a shard of a wsim run ({FORMAT})"
            )
        try:
            first, games = int(metadata["first_game"]), int(metadata["games"])
            made = Provenance.from_record(metadata)
            Plan.restore(made.plan)
        except UserError:
            raise
        except (KeyError, TypeError, ValueError) as error:
            raise UserError(f"the record in {str(path)!r} is damaged: {error!r}") from error
        return cls(path, made, str(metadata["table"]), range(first, first + games))

    def plan(self) -> Plan:
        """Return the plan; if the shard is in a run folder, the plan's files are read from there."""
        return Plan.restore(self.provenance.plan, paths_in(self.path.parent.parent))

    def again(self, how: RepetitionSettings) -> Rerun:
        """Replay the games of the shard in memory and compare the rows."""
        import polars as pl

        refuse_old_streams(self.provenance.identity, str(self.path))
        plan = how.plan(self.plan())
        simulator: Simulator = find_game(plan.game).prepare(plan)
        frames = list(self._frames(simulator, how))
        try:
            recorded = pl.read_parquet(self.path)
        except (OSError, pl.exceptions.PolarsError) as error:
            raise UserError(f"cannot read {str(self.path)!r}: {' '.join(str(error).split())[:200]}") from error
        why = rows_that_differ(recorded, pl.concat(frames))
        compared = f"{counted(recorded.height, 'row')} of {self.table}"
        return Rerun(compared, [f"it {why}"] if why else [], unlike(self.provenance, Provenance.of(plan, simulator)))

    def _frames(self, simulator: Simulator, how: RepetitionSettings) -> Iterator[pl.DataFrame]:
        """Play the games of the shard and yield the rows of its table chunk by chunk."""
        done = 0
        with closing(
            play(simulator, [self.games], threads=how.execution.threads, picks=self.table == "picks")
        ) as chunks:
            for chunk in chunks:
                done += len(chunk.games)
                how.execution.report("games", done, len(self.games))
                yield chunk.seats if chunk.picks is None else chunk.picks
