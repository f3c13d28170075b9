"""Play a plan: into memory (``simulate``) or into a run folder (``record``)."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wsim.errors import UserError
from wsim.files import is_remote
from wsim.game import find_game
from wsim.lab.batch import Chunk, play, usable_threads
from wsim.lab.keys import chosen, plan_keys
from wsim.lab.parts import Part
from wsim.lab.plan import Plan
from wsim.lab.progress import Interrupted, Progress
from wsim.lab.record import RECORD, read_record
from wsim.lab.shards import Batch, Growing, play_batches, recipes_of, shard_of
from wsim.lab.store import Run, load_run, shard_games
from wsim.lab.writer import RunWriter, refuse_other_run
from wsim.options import keywords

if TYPE_CHECKING:
    import polars as pl

    from wsim.game import Simulator
    from wsim.lab.cluster import Cluster


@dataclass(frozen=True)
class Played:
    """Games that were played in memory; every function of ``wsim.stats`` takes it as it takes a run.

    Attributes
    ----------
    plan: what was played.
    seats: one row per game and seat, in order.
    picks: one row per decision, in order; game and seat join it to ``seats``.
    """

    plan: Plan
    seats: pl.DataFrame
    picks: pl.DataFrame


@keywords(plan_keys)
def play_games(plan: Plan | None = None, /, *, threads: int | None = None, **keys: Any) -> Played:
    """Play a plan in memory, once, and return seats and picks; see ``simulate``."""
    played = chosen(plan, keys).replace(picks=True)
    pairs = [(chunk.seats, chunk.picks) for chunk in _played_chunks(played, threads) if chunk.picks is not None]
    return Played(played, _whole([seats for seats, _ in pairs]), _whole([picks for _, picks in pairs]))


@keywords(plan_keys)
def simulate(plan: Plan | None = None, /, *, threads: int | None = None, **keys: Any) -> pl.DataFrame:
    """Play a plan in memory and return the seats table: one row per game and seat, in order.

    With ``picks=True`` the picks table is returned instead, one row per decision; game and seat join the two. Both of
    one play: ``wsim.play``.

    Parameters
    ----------
    plan: a plan; without it the game's default plan.
    threads: how many threads play (default: all usable processors); the result does not depend on it.
    keys: keys of the plan, which are the options of ``wsim run``: players=4, games=1000, policies="random", ...

    The table grows with the games (some 100 bytes per game and seat); for millions of games use ``wsim run``.
    Raises UserError for whatever cannot be played.
    """
    chunks = _played_chunks(chosen(plan, keys), threads)
    return _whole([chunk.seats if chunk.picks is None else chunk.picks for chunk in chunks])


def _played_chunks(plan: Plan, threads: int | None) -> Iterator[Chunk]:
    """Play a plan and yield its chunks in order."""
    count = usable_threads(threads)
    simulator: Simulator = find_game(plan.game).prepare(plan)
    with closing(play(simulator, [range(plan.games)], threads=count, picks=plan.picks)) as chunks:
        yield from chunks


def _whole(frames: list[pl.DataFrame]) -> pl.DataFrame:
    import polars as pl

    return pl.concat(frames, rechunk=True)


def record(
    plan: Plan,
    out: str | os.PathLike[str] | None = None,
    *,
    resume: bool = False,
    threads: int | None = None,
    shard: int | None = None,
    part: Part | None = None,
    cluster: str | Cluster | None = None,
    progress: Progress | None = None,
) -> Run:
    """Play a plan into a run folder and return the run, with the number of games that were ``played`` (0: all there).

    Parameters
    ----------
    plan: what is played.
    out: the folder (default: ``wsim.lab.writer.default_folder``). If it holds this run, finished, nothing is played.
    resume: go on with a run that was interrupted, or that has fewer games than the plan.
    threads: how many threads play.
    shard: games per file (default: about 250,000 rows of seats); ignored when resuming.
    part: play this part of the plan only (default: all, or the part that a resumed folder is for).
    cluster: play on these workers (``wsim.lab.cluster``; an address, or connected), not on threads.
    progress: called after every chunk with ``games``, those done and those that belong in the folder.

    Raises UserError for what cannot be played and for a folder that holds something else, StoreError if the disk
    refuses, Interrupted with the run so far on Ctrl-C; in each case the shards that were finished stay.
    """
    count = usable_threads(threads)
    if cluster is not None:
        from wsim.lab.cluster import check_cluster

        check_cluster(cluster, threads)
    if shard is not None and shard < 1:
        raise UserError(f"a shard must hold at least 1 game, not {shard}")
    if out is not None and resume:
        _refuse_other_plan(Path(out), plan)
    simulator: Simulator = find_game(plan.game).prepare(plan)
    folder = None if out is None else _folder(out)
    writer = RunWriter.of(plan, simulator, folder, shard or shard_games(simulator, plan), resume=resume, part=part)
    before = writer.done()
    try:
        with writer:
            if not writer.finished:
                before = writer.done()
                start = time.perf_counter()
                if cluster is None:
                    _play_missing(simulator, writer, count, progress)
                    how: dict[str, Any] = {"threads": count}
                else:
                    _play_on_cluster(cluster, simulator, writer, progress)
                    how = {"cluster": cluster if isinstance(cluster, str) else cluster.address}
                games = writer.done() - before
                writer.mark("complete", **how, games=games, seconds=round(time.perf_counter() - start, 3))
    except KeyboardInterrupt:
        begun = (writer.folder / RECORD).exists()
        raise Interrupted(replace(load_run(writer.folder), played=writer.done() - before) if begun else None) from None
    return replace(load_run(writer.folder), played=writer.done() - before, just_played=writer.just_played)


def _refuse_other_plan(folder: Path, plan: Plan) -> None:
    """Raise UserError if a folder holds the run of another plan: before any policy of this one is run."""
    if (folder / RECORD).exists():
        there = read_record(folder).provenance.identity
        refuse_other_run(folder, there.get("plan", {}), json.loads(json.dumps(plan.identity())), "plan")


def _folder(out: str | os.PathLike[str]) -> Path:
    """Return the folder of a run; raise UserError for a name that the libraries which write there cannot take."""
    named: object = out
    if not isinstance(named, str | os.PathLike) or not str(named) or "\0" in str(named):
        raise UserError(f"a folder is named by its path, not {out!r}")
    try:
        os.fspath(out).encode()
    except UnicodeEncodeError as error:
        raise UserError(f"the folder {str(out)!r} cannot be used: its name is not UTF-8") from error
    if is_remote(out):
        raise UserError(
            f"a run is played in a folder, and {os.fspath(out)!r} is none: play it in one, then wsim copy FOLDER "
            f"{os.fspath(out)}"
        )
    return Path(out)


def _play_missing(simulator: Simulator, writer: RunWriter, threads: int, progress: Progress | None) -> None:
    """Play the shards that are not there. One is written while the next is played.

    On Ctrl-C the games of the next that are there are written as a shorter one, which is played again when the run goes
    on, as that of a run that is made longer is.
    """
    done, total = writer.done(), len(writer.wanted)
    missing, parts = writer.missing(), writer.missing()
    recipes = recipes_of(writer.plan)
    writing: Future[None] | None = None

    def counted(batches: Iterable[Batch]) -> Iterator[Batch]:
        games = done
        for batch in batches:
            games += len(batch.games)
            if progress is not None:
                progress("games", games, total)
            yield batch

    with ThreadPoolExecutor(1, thread_name_prefix="wsim-writer") as pool:
        batches = play_batches(simulator, writer.plan, recipes, parts, games=total - done, threads=threads)
        growing = Growing(0)
        try:
            with closing(batches):
                each = counted(batches)
                for games in missing:
                    growing = Growing(games.start)
                    shard = shard_of(each, games, growing)
                    if writing is not None:
                        writing.result()
                    writing, growing = pool.submit(writer.write, shard), Growing(games.stop)
                if writing is not None:
                    writing.result()
        except KeyboardInterrupt:
            if writing is not None:
                writing.result()
            if (begun := growing.shard()) is not None and not writer.holds(begun.games):
                writer.write(begun)
            raise


def _play_on_cluster(
    cluster: str | Cluster, simulator: Simulator, writer: RunWriter, progress: Progress | None
) -> None:
    """Let a cluster play the shards that are not there, and write them as they come."""
    from wsim.lab.cluster import joined
    from wsim.lab.tasks import shard_files

    done, total = writer.done(), len(writer.wanted)
    make = partial(shard_files, simulator, writer.plan, writer.provenance)
    with joined(cluster, simulator) as workers:
        for games, _, files in workers.made(make, [(writer.plan, simulator)], writer.missing()):
            writer.place(games, files)
            done += len(games)
            if progress is not None:
                progress("games", done, total)
