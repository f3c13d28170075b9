"""Read a run from disk: the layout of its folder and ``load_run``.

    FOLDER/run.json        provenance, status, digests of the archived files (``wsim.lab.record``)
    FOLDER/plan.toml       the plan, for ``wsim run --plan``
    FOLDER/catalogue.json, FOLDER/files/...   the archived inputs (``wsim.lab.archive``)
    FOLDER/shards.jsonl    the ledger of finished shards with their digests (``wsim.lab.ledger``)
    FOLDER/seats/part-00000000000000.parquet, ...   one row per game and seat, one file per shard
    FOLDER/picks/part-00000000000000.parquet, ...   one row per decision, if the plan records picks
    FOLDER/sums/part-00000000000000.parquet, ...    or sums instead of rows (``wsim.stats.summary``)
    FOLDER/worth/part-00000000000000.parquet, ...   sums of the games that measure the worth of items, if the plan
                                                    includes such games (``wsim.lab.wishes``)

A shard is a range of games, named after the first game. Shard boundaries depend only on the number of seats, so shards
can be written in any order, and a longer run begins with the shards of a shorter one.

A table is read only after the digests of its shards have been checked, so no figure comes from a damaged file.
"""

from __future__ import annotations

import json
import os
import shlex
from bisect import bisect_left, bisect_right
from collections.abc import Container, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wsim.display import html_of, written
from wsim.document import NAME, TEXT, Column, Document, Sheet
from wsim.errors import UserError
from wsim.files import StoreError, refuse_remote
from wsim.forked import refuse_forked
from wsim.game import analyses_of, find_analysis, find_game
from wsim.lab.archive import CATALOGUE, damaged_files
from wsim.lab.contents import contents_fault
from wsim.lab.ledger import Shard, digest_of_file, read_ledger, shard_name, shard_path
from wsim.lab.parts import WHOLE, Part
from wsim.lab.plan import Plan
from wsim.lab.provenance import METADATA_KEY, Provenance
from wsim.lab.record import Record, read_record
from wsim.lab.rest_known import known_between
from wsim.lab.wishes import worth_share
from wsim.policies.chances import WORTH_GAMES
from wsim.policies.lineup import PEOPLE
from wsim.processors import usable_cpus

if TYPE_CHECKING:
    import polars as pl

    from wsim.game import Simulator
    from wsim.positions.game_value import Game
    from wsim.stats.analysis import Analysis
    from wsim.stats.between import Between
    from wsim.stats.summary import Recipe, Summary
    from wsim.stats.tables import Table

ROWS_A_SHARD = 250_000
PICKS_A_SHARD = 1_000_000
GAMES_A_SUMMARY = 500_000
_VALUE = Column("value", TEXT)
_SHOWN = 3  # damaged shards listed in an error message


def shard_games(simulator: Simulator, plan: Plan) -> int:
    """Return the number of games per shard.

    A shard has about 250,000 rows of seats and at most 1,000,000 rows of picks; in a summary, it covers 500,000 games.
    """
    if plan.keep == "summary":
        return GAMES_A_SUMMARY
    games = ROWS_A_SHARD // simulator.seats
    return max(1, min(games, PICKS_A_SHARD // simulator.picks_per_game) if plan.picks else games)


def shard_ranges(games: range, size: int) -> Iterator[range]:
    """Split a range of games into the ranges of its shards."""
    for first in range(games.start, games.stop, size):
        yield range(first, min(first + size, games.stop))


def tables_of(plan: Plan) -> tuple[str, ...]:
    """Return the names of the tables of a run; seats come last because they are written last."""
    worth = ("worth",) if worth_share(plan) else ()
    if plan.keep == "summary":
        return (*worth, "sums")
    return (*worth, "picks", "seats") if plan.picks else (*worth, "seats")


@dataclass(frozen=True)
class Run:
    """A run in a folder, in the state in which it was first read.

    Attributes
    ----------
    path: the folder.
    plan: the resolved plan, whose files are read from the folder.
    provenance: what produced the data.
    status: running, interrupted or complete, as last recorded.
    shard_games: games per shard.
    part: the part of the run that the folder contains.
    played: the number of games that this process has just played (``record``).
    just_played: the first game of each shard that this process has just played, and the sums of these shards.
    sums: the sums used instead of rows (``summed``).
    """

    path: Path
    plan: Plan
    provenance: Provenance = field(repr=False)
    status: str
    shard_games: int
    part: Part = WHOLE
    played: int = field(default=0, compare=False)
    just_played: tuple[frozenset[int], Summary | None] = field(default=(frozenset(), None), repr=False, compare=False)
    sums: Summary | None = field(default=None, repr=False, compare=False)

    @property
    def wanted(self) -> range:
        """The games that belong in the folder: all games of the plan, or the games of this part."""
        return self.part.games(self.plan.games, self.shard_games)

    @property
    def seats(self) -> pl.LazyFrame:
        """The seats table, one row per game and seat, in order.

        Raises UserError if no shard is finished, StoreError if a shard is damaged.
        """
        if self.plan.keep == "summary":
            raise UserError(
                f"the run {str(self.path)!r} keeps only a summary, but this needs rows: play it with --keep seats"
            )
        return self._scan("seats")

    @cached_property
    def summary(self) -> Summary | None:
        """The sums of a run without rows; None for a run with rows (see ``summed``).

        Raises UserError if no shard is finished, StoreError if a shard is damaged.
        """
        if self.plan.keep != "summary":
            return self.sums
        self._scan("sums")  # raises if there are none, or if one is damaged
        from wsim.stats.summary import Summary

        total = Summary()
        for shard in self.shards["sums"]:
            total.add(Summary.of_frame(self.read("sums", shard)))
        return total

    @cached_property
    def _sums(self) -> dict[str, Summary]:
        """The sums computed from rows so far, by recipe."""
        return {}

    def summed(self, recipe: Recipe) -> Run:
        """Return a copy of the run with the sums of a recipe, or the run itself if it stores sums or has no rows.

        Raises UserError if no shard is finished, StoreError if a shard is damaged.
        """
        if self.plan.keep == "summary" or not self.shards["seats"]:
            return self
        if recipe.name not in self._sums:
            self.sum_up([recipe])
        sums = self._sums[recipe.name]
        if recipe.name not in sums.labels:
            return self
        return replace(self, sums=sums)

    def sum_up(self, recipes: Sequence[Recipe]) -> None:
        """Compute the sums for all recipes that are not cached yet, in a single pass over the rows.

        Raises UserError if no shard is finished, StoreError if a shard is damaged.
        """
        if self.plan.keep == "summary" or not self.shards["seats"]:
            return
        if unknown := [recipe for recipe in recipes if recipe.name not in self._sums]:
            total = _sums_of_rows(self, unknown)
            self._sums.update({recipe.name: total.part(recipe.name) for recipe in unknown})

    def between(self, analysis: Analysis, figure: str) -> Between | None:
        """Return the between-player differences of a table's figure; None if they are unknown."""
        name = next((key for key, value in analyses_of(find_game(self.plan.game)).items() if value is analysis), "")
        kept = name if figure == analysis.moves else f"{figure} of {name}"
        return known_between(self.provenance.identity, self.path, kept)

    @cached_property
    def wishes(self) -> Summary:
        """The sums behind the worth of items (``wsim.stats.worth``).

        Raises UserError if the run has no such sums, StoreError if a shard is damaged.
        """
        from wsim.stats.summary import Summary

        if self.people:
            raise UserError("people's games cannot measure what cards are worth, because no decision was randomised")
        if not worth_share(self.plan):
            raise UserError(
                f"the run {str(self.path)!r} has no games that measure what cards are worth: play it with --worth "
                f"{WORTH_GAMES}, or use wsim experiment worth"
            )
        self._scan("worth")  # raises if there are none, or if one is damaged
        total = Summary()
        for shard in self.shards["worth"]:
            if (sums := Summary.of_frame(self.read("worth", shard))).games:
                total.add(sums)
        if not total.games:
            raise UserError(f"the run {str(self.path)!r} has too few games to measure what cards are worth")
        return total

    @property
    def picks(self) -> pl.LazyFrame:
        """The picks table, one row per decision, in order.

        Raises UserError if the run recorded no picks, StoreError if a shard is damaged.
        """
        if not self.plan.picks:
            remedy = "people's games have no decisions" if self.people else "play it with --picks"
            raise UserError(f"the run {str(self.path)!r} recorded no picks: {remedy}")
        return self._scan("picks")

    @property
    def people(self) -> Mapping[str, Any] | None:
        """The record of the import (``wsim.people.importing``) for people's games; None for games of policies."""
        about: Mapping[str, Any] | None = self.provenance.identity["rules"].get(PEOPLE)
        return about

    def recorded(self, columns: Sequence[str]) -> tuple[str, ...]:
        """Return a table's default split columns; for people's games, only those columns that were recorded."""
        present = self.people["recorded"] if self.people else columns
        return tuple(name for name in columns if name in present) or tuple(columns)

    @property
    def complete(self) -> bool:
        """Whether all games of the plan, or of this part, are finished."""
        return self.status == "complete" and self.games == len(self.wanted)

    def table(self, name: str, by: str | Sequence[str] = (), *, level: float = 0.95, **options: object) -> Table:
        """Compute a table of the run by name (``wsim table RUN``), split by columns; ``options``: its other options."""
        groups = (by,) if isinstance(by, str) else tuple(by)
        return find_analysis(find_game(self.plan.game), name).table(self, groups, level=level, **options)

    def to_polars(self) -> pl.DataFrame:
        """Load the whole seats table into memory as a Polars frame; ``seats`` is the lazy equivalent."""
        return self.seats.collect()

    def to_pandas(self) -> Any:
        """Return the seats table as a pandas frame; raise UserError if pandas or pyarrow is not installed."""
        from wsim.stats.tables import pandas_of

        return pandas_of(self.to_polars())

    def plot(self, name: str = "policies", value: str | None = None) -> Any:
        """Return an Altair chart of a table (``Table.plot``), such as ``run.plot("wonders")``."""
        return self.table(name).plot(value)

    def policies(self, by: str | Sequence[str] = (), *, level: float = 0.95) -> Table:
        """Return the win share, score and points of each policy."""
        return self.table("policies", by, level=level)

    def cards(self, by: str | Sequence[str] = (), *, raw: bool = False, level: float = 0.95) -> Table:
        """Compare seats with and without each card; ``raw`` pools the policies instead of comparing within each."""
        return self.table("cards", by, raw=raw, level=level)

    def worth(self, by: str | Sequence[str] = (), *, level: float = 0.95, **options: object) -> Table:
        """Return the worth of each item to the seats that want it, for runs with ``worth``; option: fewest."""
        return self.table("worth", by, level=level, **options)

    def wonders(self, by: str | Sequence[str] = (), *, raw: bool = False, level: float = 0.95) -> Table:
        """Return the win share, score and points of each wonder; ``raw`` as for ``cards``."""
        return self.table("wonders", by, raw=raw, level=level)

    def matchups(self, by: str | Sequence[str] = (), *, level: float = 0.95) -> Table:
        """Compare policies, or other groups (``by``), that play against each other in the same games."""
        return self.table("matchups", by, level=level)

    def strengths(self, by: str | Sequence[str] = (), *, level: float = 0.95) -> Table:
        """Return Plackett-Luce strengths, estimated from full finishing orders."""
        return self.table("strengths", by, level=level)

    def synergies(self, by: str | Sequence[str] = (), *, level: float = 0.95, **options: object) -> Table:
        """Return pairs that are worth more together than separately; options: outcome, raw, and the kinds to pair."""
        return self.table("synergies", by, level=level, **options)

    def variance(self, *, outcome: str = "total", level: float = 0.95) -> Table:
        """Split the variance of an outcome among its sources."""
        return self.table("variance", outcome=outcome, level=level)

    def trace(self, number: int, *, trust: bool = False) -> dict[str, Any]:
        """Return the trace of one game: deal, decisions and scores; ``trust`` and errors as for ``game``."""
        from wsim.positions.run_games import trace_of_run

        return trace_of_run(self, number, trust=trust)

    def _repr_html_(self) -> str:
        import polars as pl

        facts = {"folder": str(self.path), "games": f"{self.games:,} of {len(self.wanted):,}", **self.plan.as_dict()}
        rows = [{"setting": key.replace("_", " "), "value": written(_VALUE, value)} for key, value in facts.items()]
        sheet = Sheet("Plan", rows, (Column("setting", NAME), _VALUE))
        return html_of(f"Run {self.path.name}", Document(pl.DataFrame(), [sheet], command=self.provenance.command))

    @property
    def games(self) -> int:
        """The number of games in finished shards."""
        return sum(shard.games for shard in self.shards[tables_of(self.plan)[-1]])

    @cached_property
    def shards(self) -> Mapping[str, list[Shard]]:
        """The finished shards by table, in order; a shard is finished if it has a file in every table."""
        ledger = read_ledger(self.path)
        tables = tables_of(self.plan)
        size, games = self.shard_games, self.wanted
        present = {name: set(_file_names(self.path / name)) for name in tables}

        def whole(first: int, count: int) -> bool:
            for table in tables:
                shard = ledger.get((table, first))
                if shard is None or shard.games != count or shard_name("", first)[1:] not in present[table]:
                    return False
            return first % size == 0 and games.start <= first < first + count <= games.stop and count <= size

        firsts = sorted(
            first for (table, first), shard in ledger.items() if table == tables[-1] and whole(first, shard.games)
        )
        return {table: [ledger[table, first] for first in firsts] for table in tables}

    def rows_of(self, table: str, games: range) -> pl.LazyFrame:
        """Return a table's rows (seats or picks) for a range of games, reading only the shards that contain them.

        Raises UserError if no shard contains them, StoreError if a shard is damaged.
        """
        import polars as pl

        shards = self.shards[table]
        first = bisect_right(shards, games.start, key=lambda shard: shard.first + shard.games)
        end = bisect_left(shards, games.stop, key=lambda shard: shard.first)
        return self._scan(table, shards[first:end]).filter(pl.col("game").is_between(games.start, games.stop - 1))

    def game(self, number: int, *, trust: bool = False) -> Game:
        """Return a game of the run before its first decision, with the run's own policies and cards.

        ``run.game(17).at(age=2, turn=3, seat=1)`` is the position in which seat 1 made its decision. Raises UserError
        for a game that is outside the run or cannot be reproduced and, without ``trust``, if this would run a user's
        policy code.
        """
        from wsim.positions.run_games import game_of_run

        return game_of_run(self, number, trust=trust)

    def read(self, table: str, shard: Shard) -> pl.DataFrame:
        """Read a shard of a table; raise StoreError if it is damaged."""
        import polars as pl

        refuse_damage(self, [shard])
        return pl.read_parquet(shard_path(self.path, table, shard.first))

    def _scan(self, table: str, chosen: list[Shard] | None = None) -> pl.LazyFrame:
        """Check that a table's shards (default: all) are intact, and return them as one lazy frame."""
        import polars as pl

        shards = self.shards[table] if chosen is None else chosen
        if not shards:
            raise UserError(f"the run {str(self.path)!r} has no finished shard: continue it with --resume")
        refuse_damage(self, shards)
        paths = [shard_path(self.path, table, shard.first) for shard in shards]
        return pl.scan_parquet(paths, glob=False)


def _file_names(folder: Path) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []


# --- sums -------------------------------------------------------------------------------------------------------------

GAMES_A_SUM = 8192  # games summed at a time, so that intermediate results fit into the processor cache
GAMES_AT_ONCE = 62_500  # games read at a time, regardless of shard size


def _sums_of_rows(run: Run, recipes: Sequence[Recipe]) -> Summary:
    """Sum the rows of a run in bounded memory, reading only games that this process has not played itself.

    Raises StoreError if a shard is damaged.
    """
    from wsim.stats.parallel import in_order
    from wsim.stats.summary import Summary

    total = Summary()
    firsts, known = run.just_played
    if known is not None:
        total.add(known.of_recipes([recipe.name for recipe in recipes]))

    def summed(games: range) -> Summary:
        return _sums_of_seats(run.rows_of("seats", games).collect(), recipes)

    for part in in_order(summed, _unread_ranges(run, firsts)):
        total.add(part)
    return total


def _unread_ranges(run: Run, starts: Container[int]) -> Iterator[range]:
    """Yield ranges of games that must be read, skipping the shards that begin with a game in ``starts``."""
    for shard in run.shards["seats"]:
        if shard.first not in starts:
            end = shard.first + shard.games
            for first in range(shard.first, end, GAMES_AT_ONCE):
                yield range(first, min(first + GAMES_AT_ONCE, end))


def _sums_of_seats(seats: pl.DataFrame, recipes: Sequence[Recipe]) -> Summary:
    """Compute the sums for complete games, one per recipe."""
    from wsim.stats.games import GameBatch
    from wsim.stats.summary import Summary, summarise

    total, starts = Summary(), GameBatch.of(seats).starts[::GAMES_A_SUM].tolist()
    for first, end in zip(starts, [*starts[1:], seats.height], strict=True):
        total.add(summarise(seats[first:end], recipes))
    return total


# --- integrity of shards --------------------------------------------------------------------------------------------

_INTACT: set[tuple[str, int, int, str, str]] = set()
"""Shards that passed the check in this process, so that each file is checked only once.

An entry contains the path, modification time, size and digests.
"""


def faults(folder: Path, provenance: Provenance, shards: list[Shard]) -> list[tuple[Shard, str]]:
    """Return the shards whose file is damaged or from a different run, each with a reason such as ``is missing``."""
    expected = _comparable(provenance.identity)

    def fault(shard: Shard) -> str | None:
        return _fault_of_shard(folder, provenance.digest, expected, shard)

    with ThreadPoolExecutor(usable_cpus(), thread_name_prefix="wsim-check") as pool:
        return [(shard, why) for shard, why in zip(shards, pool.map(fault, shards), strict=True) if why is not None]


def refuse_damage(run: Run, shards: list[Shard]) -> None:
    """Raise StoreError if any of these shards is damaged."""
    wrong = faults(run.path, run.provenance, shards)
    if wrong:
        named = "; ".join(f"{shard_name(shard.table, shard.first)} {why}" for shard, why in wrong[:_SHOWN])
        more = f" and {len(wrong) - _SHOWN} more" if len(wrong) > _SHOWN else ""
        raise StoreError(
            f"the run {str(run.path)!r} is damaged: {named}{more}; "
            "wsim verify lists all faults, wsim run --resume plays these games again"
        )


def _fault_of_shard(folder: Path, run: str, expected: Mapping[str, Any], shard: Shard) -> str | None:
    """Describe the damage to a shard's file; None if it is intact."""
    path = shard_path(folder, shard.table, shard.first)
    try:
        status = path.stat()
        key = (str(path.absolute()), status.st_mtime_ns, status.st_size, shard.sha256, run)
        if key in _INTACT:
            return None
        if status.st_size != shard.bytes:
            return f"has {status.st_size:,} bytes instead of {shard.bytes:,}"
        if digest_of_file(path) != (shard.bytes, shard.sha256):
            return "was changed after it was written"
    except FileNotFoundError:
        return "is missing"
    except OSError as error:
        return f"cannot be read ({error.strerror})"
    record = shard_metadata(path)
    if record is None:
        return "is not a wsim shard"
    if _comparable(record.get("identity")) != expected:
        return "belongs to a different run"
    if [record.get(name) for name in ("table", "first_game", "games")] != [shard.table, shard.first, shard.games]:
        return "contains different games"
    if (why := contents_fault(path, shard)) is not None:
        return why
    _INTACT.add(key)
    return None


def shard_metadata(path: Path) -> dict[str, Any] | None:
    """Read the metadata that wsim stored in a Parquet file; return None if there is none."""
    import polars as pl

    try:
        record = json.loads(pl.read_parquet_metadata(path)[METADATA_KEY])
    except (OSError, pl.exceptions.PolarsError, KeyError, TypeError, ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None


def _comparable(identity: Any) -> dict[str, Any]:
    """Return an identity without the number of games, because shards remain valid when a run is extended."""
    if not isinstance(identity, dict) or not isinstance(identity.get("plan"), dict):
        return {}
    return {**identity, "plan": {key: value for key, value in identity["plan"].items() if key != "games"}}


def opened(folder: Path, record: Record) -> Run:
    """Return the run in a folder, as its record describes it."""
    plan, part = record.plan(folder), record.part
    return Run(folder, plan, record.provenance, record.status, record.shard_games, part)


def load_run(path: str | os.PathLike[str], *, to_resume: bool = False) -> Run:
    """Open the run in a folder, finished or not; ``to_resume`` accepts a damaged catalogue, which will be rewritten.

    Raises UserError if there is no run or the path is in an object store, StoreError if an archived file is damaged.
    """
    refuse_forked()
    if not isinstance(path, str | os.PathLike):
        raise UserError(f"run must be the path of its folder, not {path!r}")
    refuse_remote(path)
    folder = Path(path)
    record = read_record(folder)
    damaged = damaged_files(folder, record.files)
    if damaged and not (to_resume and damaged == [CATALOGUE]):
        state = "is missing or was changed after it was written"
        if len(damaged) > 1:
            state = "are missing or were changed after they were written"
        remedy = f"; wsim run --resume {shlex.quote(str(folder))} writes it again" if damaged == [CATALOGUE] else ""
        raise StoreError(f"the run {str(folder)!r} is damaged: {' and '.join(damaged)} {state}{remedy}")
    return opened(folder, record)


def label_runs(runs: Sequence[Run]) -> tuple[str, list[object]]:
    """Return a column that distinguishes several runs in a table (players, ruleset or run), with a value per run.

    Raises UserError for runs of different games or if a run is given twice.
    """
    games = {run.plan.game: run for run in runs}
    if len(games) > 1:
        first, second = list(games.values())[:2]
        raise UserError(
            f"runs in one table must be of the same game, not {first.plan.game} ({str(first.path)!r}) and "
            f"{second.plan.game} ({str(second.path)!r})"
        )
    columns: dict[str, list[object]] = {
        "players": [run.plan.players for run in runs],
        "ruleset": [run.plan.ruleset for run in runs],
        "run": [str(run.path) for run in runs],
    }
    for column, values in columns.items():
        if len(set(values)) == len(runs):
            return column, values
    raise UserError(f"{str(runs[-1].path)!r} is given twice: a table takes each run once")
