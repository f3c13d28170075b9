"""A run on the disk, read: the layout of its folder and ``load_run``.

    FOLDER/run.json        what made it, how far it is, digests of what is kept with it (``wsim.lab.record``)
    FOLDER/plan.toml       the plan, for ``wsim run --plan``
    FOLDER/catalogue.json, FOLDER/files/...   what it was played with (``wsim.lab.archive``)
    FOLDER/shards.jsonl    the finished shards with their digests (``wsim.lab.ledger``)
    FOLDER/seats/part-00000000000000.parquet, ...   one row per game and seat, one file per shard
    FOLDER/picks/part-00000000000000.parquet, ...   one row per decision, if the plan asks for picks
    FOLDER/sums/part-00000000000000.parquet, ...    instead, where only a summary is kept (``wsim.stats.summary``)

A shard is a range of games and is named after the first; which games a shard holds depends on the game's number of
seats only, so shards can be made in any order and a longer run begins with the shards of a shorter one.

No number comes from a file that is not what was written: a table is read only after the digest of every shard of it.
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
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wsim.errors import UserError
from wsim.files import StoreError, refuse_remote
from wsim.forked import refuse_forked
from wsim.game import analyses_of, find_analysis, find_game
from wsim.lab.archive import CATALOGUE, damaged_files
from wsim.lab.contents import wrong_contents
from wsim.lab.ledger import Shard, digest_of_file, read_ledger, shard_name, shard_path
from wsim.lab.parts import WHOLE, Part
from wsim.lab.plan import Plan
from wsim.lab.provenance import METADATA_KEY, Provenance
from wsim.lab.record import Record, read_record
from wsim.lab.rest_known import known_between
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
_SHOWN = 3  # damaged shards named in a refusal


def shard_games(simulator: Simulator, plan: Plan) -> int:
    """Return how many games go into one shard.

    About 250,000 rows of seats, at most 1,000,000 rows of picks; of a summary 500,000 games.
    """
    if plan.keep == "summary":
        return GAMES_A_SUMMARY
    games = ROWS_A_SHARD // simulator.seats
    return max(1, min(games, PICKS_A_SHARD // simulator.picks_per_game) if plan.picks else games)


def shard_ranges(games: range, size: int) -> Iterator[range]:
    """Yield the games of every shard of a run, or of a part of one, that has these games."""
    for first in range(games.start, games.stop, size):
        yield range(first, min(first + size, games.stop))


def tables_of(plan: Plan) -> tuple[str, ...]:
    """Return the tables of a run; the seats last, because they are written last."""
    if plan.keep == "summary":
        return ("sums",)
    return ("picks", "seats") if plan.picks else ("seats",)


@dataclass(frozen=True)
class Run:
    """A run folder, as it was when it was first asked.

    Attributes
    ----------
    path: the folder.
    plan: the resolved plan; the files that it names lie in the folder.
    provenance: what made the data.
    status: running, interrupted or complete, as last written.
    shard_games: games per shard.
    part: which part of the run it is.
    played: how many games this process has just played (``record``).
    just_played: the first games of the shards that it played, and their sums: they need not be read again.
    sums: those that stand for the rows (``summed``).
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
        """The games that belong in the folder: those of the plan, or of its part of them."""
        return self.part.games(self.plan.games, self.shard_games)

    @property
    def seats(self) -> pl.LazyFrame:
        """The seats table, one row per game and seat, in order; UserError if no shard is finished.

        StoreError if a shard is not what was written.
        """
        if self.plan.keep == "summary":
            raise UserError(
                f"the run {str(self.path)!r} keeps a summary and no rows, which this needs: play it with --keep seats"
            )
        return self._scan("seats")

    @cached_property
    def summary(self) -> Summary | None:
        """The sums of a run that keeps no rows; None for one that does (``summed``), UserError if no shard is finished.

        StoreError if a shard is not what was written.
        """
        if self.plan.keep != "summary":
            return self.sums
        self._scan("sums")  # whether there are any, and all are what was written
        return _sums_of_summary(self)

    @cached_property
    def _sums(self) -> dict[str, Summary]:
        """The sums of rows that were asked for, by recipe."""
        return {}

    def summed(self, recipe: Recipe) -> Run:
        """Return the run as one that keeps the sums of a recipe; as it is where it does anyway, or has nothing to sum.

        UserError if no shard is finished, StoreError if one is not what was written.
        """
        if self.plan.keep == "summary" or not self.shards["seats"]:
            return self
        if recipe.name not in self._sums:
            self._sums[recipe.name] = _sums_of_rows(self, recipe)
        sums = self._sums[recipe.name]
        if recipe.name not in sums.labels:
            return self
        return replace(self, sums=sums)

    def between(self, analysis: Analysis) -> Between | None:
        """Return how far the figures of a table move between good players; None where that is not known."""
        name = next((name for name, one in analyses_of(find_game(self.plan.game)).items() if one is analysis), "")
        return known_between(self.provenance.identity, self.path, name)

    @property
    def picks(self) -> pl.LazyFrame:
        """The picks table, one row per decision, in order; UserError if the run recorded none.

        StoreError if a shard is not what was written.
        """
        if not self.plan.picks:
            raise UserError(f"the run {str(self.path)!r} recorded no picks: play it with --picks")
        return self._scan("picks")

    @property
    def complete(self) -> bool:
        """Whether every game of the plan, or of this part of it, is there."""
        return self.status == "complete" and self.games == len(self.wanted)

    def table(self, name: str, by: str | Sequence[str] = (), *, level: float = 0.95, **options: object) -> Table:
        """Return any table of the run's game (``wsim table RUN``), by other columns, with its own options."""
        groups = (by,) if isinstance(by, str) else tuple(by)
        return find_analysis(find_game(self.plan.game), name).table(self, groups, level=level, **options)

    def policies(self, by: str | Sequence[str] = (), *, level: float = 0.95) -> Table:
        """Return win share, score and points of each policy."""
        return self.table("policies", by, level=level)

    def cards(self, by: str | Sequence[str] = (), *, raw: bool = False, level: float = 0.95) -> Table:
        """Return how those did who have each card; ``raw``: pool the policies instead of comparing within them."""
        return self.table("cards", by, raw=raw, level=level)

    def wonders(self, by: str | Sequence[str] = (), *, raw: bool = False, level: float = 0.95) -> Table:
        """Return win share, score and points of each wonder; ``raw``: as for ``cards``."""
        return self.table("wonders", by, raw=raw, level=level)

    def matchups(self, by: str | Sequence[str] = (), *, level: float = 0.95) -> Table:
        """Return how policies (or others: ``by``) do against each other in the same games."""
        return self.table("matchups", by, level=level)

    def strengths(self, by: str | Sequence[str] = (), *, level: float = 0.95) -> Table:
        """Return Plackett-Luce strengths, from the whole order of finish."""
        return self.table("strengths", by, level=level)

    def synergies(self, by: str | Sequence[str] = (), *, level: float = 0.95, **options: object) -> Table:
        """Return which pairs were worth more together than apart; options: outcome, raw, and what is paired."""
        return self.table("synergies", by, level=level, **options)

    def variance(self, *, outcome: str = "total", level: float = 0.95) -> Table:
        """Return how much of an outcome's variance comes from what."""
        return self.table("variance", outcome=outcome, level=level)

    def trace(self, number: int, *, trust: bool = False) -> dict[str, Any]:
        """Return the trace of one game: what was dealt, every decision, the scores; raises and trusts as ``game``."""
        from wsim.positions.run_games import trace_of_run

        return trace_of_run(self, number, trust=trust)

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><th>{escape(str(key))}</th><td>{escape(str(value))}</td></tr>"
            for key, value in {"folder": self.path, "games": f"{self.games:,}", **self.plan.as_dict()}.items()
        )
        return f"<table>{rows}</table>"

    @property
    def games(self) -> int:
        """The number of games in the finished shards."""
        return sum(shard.games for shard in self.shards[tables_of(self.plan)[-1]])

    @cached_property
    def shards(self) -> Mapping[str, list[Shard]]:
        """The finished shards by table, in order: those whose file is there in every table."""
        ledger = read_ledger(self.path)
        tables = tables_of(self.plan)
        size, games = self.shard_games, self.wanted
        there = {name: set(_names(self.path / name)) for name in tables}

        def whole(first: int, count: int) -> bool:
            for table in tables:
                shard = ledger.get((table, first))
                if shard is None or shard.games != count or shard_name("", first)[1:] not in there[table]:
                    return False
            return first % size == 0 and games.start <= first < first + count <= games.stop and count <= size

        firsts = sorted(
            first for (table, first), shard in ledger.items() if table == tables[-1] and whole(first, shard.games)
        )
        return {table: [ledger[table, first] for first in firsts] for table in tables}

    def rows_of(self, table: str, games: range) -> pl.LazyFrame:
        """Return the rows of a table (seats or picks) of some games, from the shards that hold them alone.

        Raises UserError if no shard does, StoreError if one is not what was written.
        """
        import polars as pl

        shards = self.shards[table]
        first = bisect_right(shards, games.start, key=lambda shard: shard.first + shard.games)
        end = bisect_left(shards, games.stop, key=lambda shard: shard.first)
        return self._scan(table, shards[first:end]).filter(pl.col("game").is_between(games.start, games.stop - 1))

    def game(self, number: int, *, trust: bool = False) -> Game:
        """Return a game of the run before its first decision, followed by the run's own policies and cards.

        ``run.game(17).at(age=2, turn=3, seat=1)`` is the position in which seat 1 decided then. Raises UserError for a
        game that is not of the run, and for one that cannot be played again as it was; without ``trust`` for one whose
        policies are code of a user, which would be run.
        """
        from wsim.positions.run_games import game_of_run

        return game_of_run(self, number, trust=trust)

    def read(self, table: str, shard: Shard) -> pl.DataFrame:
        """Return one shard of a table as it was written; StoreError if it is not."""
        import polars as pl

        refuse_damage(self, [shard])
        return pl.read_parquet(shard_path(self.path, table, shard.first))

    def _scan(self, table: str, some: list[Shard] | None = None) -> pl.LazyFrame:
        """Return shards of a table (default: all) as one lazy frame, once they are known to be what was written."""
        import polars as pl

        shards = self.shards[table] if some is None else some
        if not shards:
            raise UserError(f"the run {str(self.path)!r} has no finished shard: continue it with --resume")
        refuse_damage(self, shards)
        paths = [shard_path(self.path, table, shard.first) for shard in shards]
        return pl.scan_parquet(paths, glob=False)


def _names(folder: Path) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []


# --- sums -------------------------------------------------------------------------------------------------------------

GAMES_A_SUM = 8192  # summed at a time: what is made of them stays near the processor
GAMES_AT_ONCE = 62_500  # read at a time, whatever a shard holds


def _sums_of_summary(run: Run) -> Summary:
    """Return the sums that a run keeps instead of rows, whose shards are known to be what was written."""
    from wsim.stats.summary import Summary

    total = Summary()
    for shard in run.shards["sums"]:
        total.add(Summary.of_frame(run.read("sums", shard)))
    return total


def _sums_of_rows(run: Run, recipe: Recipe) -> Summary:
    """Return the sums of a run that keeps rows; what this process has not played is read, in bounded memory.

    StoreError if a shard is not what was written.
    """
    from wsim.stats.parallel import in_order
    from wsim.stats.summary import Summary

    total = Summary()
    firsts, known = run.just_played
    if known is not None:
        total.add(known.part(recipe.name))

    def summed(games: range) -> Summary:
        return _summed(run.rows_of("seats", games).collect(), recipe)

    for found in in_order(summed, _unread(run, firsts)):
        total.add(found)
    return total


def _unread(run: Run, firsts: Container[int]) -> Iterator[range]:
    """Yield the games that have to be read, some at a time: all but those of the shards that begin with ``firsts``."""
    for shard in run.shards["seats"]:
        if shard.first not in firsts:
            end = shard.first + shard.games
            for first in range(shard.first, end, GAMES_AT_ONCE):
                yield range(first, min(first + GAMES_AT_ONCE, end))


def _summed(seats: pl.DataFrame, recipe: Recipe) -> Summary:
    """Return the sums of some whole games."""
    from wsim.stats.games import GameBatch
    from wsim.stats.summary import Summary, summarise

    total, starts = Summary(), GameBatch.of(seats).starts[::GAMES_A_SUM].tolist()
    for first, end in zip(starts, [*starts[1:], seats.height], strict=True):
        total.add(summarise(seats[first:end], [recipe]))
    return total


# --- is a shard what was written? -------------------------------------------------------------------------------------

_SOUND: set[tuple[str, int, int, str, str]] = set()
"""What was found sound in this process: path, time of change, size, digests; each file is read once for that."""


def faults(folder: Path, provenance: Provenance, shards: list[Shard]) -> list[tuple[Shard, str]]:
    """Return the shards whose files are not what was written for this run, with what is wrong, as in ``is missing``."""
    expected = _comparable(provenance.identity)

    def fault(shard: Shard) -> str | None:
        return _fault(folder, provenance.digest, expected, shard)

    with ThreadPoolExecutor(usable_cpus(), thread_name_prefix="wsim-check") as pool:
        return [(shard, why) for shard, why in zip(shards, pool.map(fault, shards), strict=True) if why is not None]


def refuse_damage(run: Run, shards: list[Shard]) -> None:
    """Raise StoreError if some of these shards of a run are not what was written."""
    wrong = faults(run.path, run.provenance, shards)
    if wrong:
        named = "; ".join(f"{shard_name(shard.table, shard.first)} {why}" for shard, why in wrong[:_SHOWN])
        more = f" and {len(wrong) - _SHOWN} more" if len(wrong) > _SHOWN else ""
        raise StoreError(
            f"the run {str(run.path)!r} is damaged: {named}{more}; "
            "wsim verify says all, wsim run --resume plays these games again"
        )


def _fault(folder: Path, run: str, expected: Mapping[str, Any], shard: Shard) -> str | None:
    """Return what is wrong with the file of a shard, None if nothing is."""
    path = shard_path(folder, shard.table, shard.first)
    try:
        found = path.stat()
        key = (str(path.absolute()), found.st_mtime_ns, found.st_size, shard.sha256, run)
        if key in _SOUND:
            return None
        if found.st_size != shard.bytes:
            return f"has {found.st_size:,} bytes instead of {shard.bytes:,}"
        if digest_of_file(path) != (shard.bytes, shard.sha256):
            return "was changed after it was written"
    except FileNotFoundError:
        return "is missing"
    except OSError as error:
        return f"cannot be read ({error.strerror})"
    record = shard_metadata(path)
    if record is None:
        return "is no shard of wsim"
    if _comparable(record.get("identity")) != expected:
        return "belongs to another run"
    if [record.get(name) for name in ("table", "first_game", "games")] != [shard.table, shard.first, shard.games]:
        return "holds other games"
    if (why := wrong_contents(path, shard)) is not None:
        return why
    _SOUND.add(key)
    return None


def shard_metadata(path: Path) -> dict[str, Any] | None:
    """Return what a Parquet file says of itself; None if that is nothing of wsim's."""
    import polars as pl

    try:
        record = json.loads(pl.read_parquet_metadata(path)[METADATA_KEY])
    except (OSError, pl.exceptions.PolarsError, KeyError, TypeError, ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None


def _comparable(identity: Any) -> dict[str, Any]:
    """Return an identity without the number of games: the shards of a run that was made longer stay."""
    if not isinstance(identity, dict) or not isinstance(identity.get("plan"), dict):
        return {}
    return {**identity, "plan": {key: value for key, value in identity["plan"].items() if key != "games"}}


def opened(folder: Path, record: Record) -> Run:
    """Return the run of a record."""
    plan, part = record.plan(folder), record.part
    return Run(folder, plan, record.provenance, record.status, record.shard_games, part)


def load_run(path: str | os.PathLike[str], *, to_resume: bool = False) -> Run:
    """Open the run in a folder, finished or not; ``to_resume``: even one whose catalogue must be written again.

    Raises UserError if there is none, or if it is in a store, StoreError if a file that is kept with it is not what it
    was.
    """
    refuse_forked()
    if not isinstance(path, str | os.PathLike):
        raise UserError(f"a run is opened by the path of its folder, not {path!r}")
    refuse_remote(path)
    folder = Path(path)
    record = read_record(folder)
    damaged = damaged_files(folder, record.files)
    if damaged and not (to_resume and damaged == [CATALOGUE]):
        what = "is" if len(damaged) == 1 else "are"
        remedy = f"; wsim run --resume {shlex.quote(str(folder))} writes it again" if damaged == [CATALOGUE] else ""
        raise StoreError(
            f"the run {str(folder)!r} is damaged: {' and '.join(damaged)} {what} missing or was changed after it was "
            f"written{remedy}"
        )
    return opened(folder, record)


def told_apart(runs: Sequence[Run]) -> tuple[str, list[object]]:
    """Return the column by which runs in one table are told apart (players, ruleset, run), and the value of each.

    Raises UserError for runs of different games, or for a run that is there twice.
    """
    games = {run.plan.game: run for run in runs}
    if len(games) > 1:
        one, other = list(games.values())[:2]
        raise UserError(
            f"runs of one game stand in one table, not {str(one.path)!r} of {one.plan.game} beside {str(other.path)!r} "
            f"of {other.plan.game}"
        )
    tellers: dict[str, list[object]] = {
        "players": [run.plan.players for run in runs],
        "ruleset": [run.plan.ruleset for run in runs],
        "run": [str(run.path) for run in runs],
    }
    for column, values in tellers.items():
        if len(set(values)) == len(runs):
            return column, values
    raise UserError(f"{str(runs[-1].path)!r} is named twice: a table holds each run once")
