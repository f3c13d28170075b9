"""Play a plan in memory (``simulate``) or into a run folder (``record``)."""

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
from wsim.lab.journal import refuse_old_streams
from wsim.lab.keys import resolve_plan
from wsim.lab.parts import Part
from wsim.lab.plan import Plan
from wsim.lab.progress import Interrupted, Progress
from wsim.lab.record import RECORD, read_record
from wsim.lab.shards import Batch, ShardBuilder, play_batches, recipes_of, shard_of
from wsim.lab.store import Run, load_run, shard_games
from wsim.lab.writer import RunWriter, refuse_other_run

if TYPE_CHECKING:
    import polars as pl

    from wsim.game import Simulator
    from wsim.lab.cluster import Cluster


@dataclass(frozen=True)
class Played:
    """Games played in memory; all functions of ``wsim.stats`` accept them like a run.

    Attributes
    ----------
    plan: the plan of the games.
    seats: one row per game and seat, in order.
    picks: one row per decision, in order; join to ``seats`` on game and seat.
    """

    plan: Plan
    seats: pl.DataFrame
    picks: pl.DataFrame


def play_games(plan: Plan | None = None, /, *, threads: int | None = None, **keys: Any) -> Played:
    """Play a plan in memory and return both tables, seats and picks; arguments as for ``simulate``."""
    played = resolve_plan(plan, keys).replace(picks=True)
    pairs = [(chunk.seats, chunk.picks) for chunk in _played_chunks(played, threads) if chunk.picks is not None]
    return Played(played, _concatenated([seats for seats, _ in pairs]), _concatenated([picks for _, picks in pairs]))


def simulate(plan: Plan | None = None, /, *, threads: int | None = None, **keys: Any) -> pl.DataFrame:
    """Play a plan in memory and return the seats table: one row per game and seat, in order.

    With ``picks=True``, return the picks table instead: one row per decision, which can be joined to seats on game and
    seat. To get both tables, use ``wsim.play``.

    Parameters
    ----------
    plan: a plan (default: the game's default plan).
    threads: number of threads (default: all usable processors); the result does not depend on it.
    keys: keys of the plan, named like the options of ``wsim run``: players=4, games=1000, policies="random", ...

    The table needs about 100 bytes per game and seat; for millions of games use ``wsim run``.
    Raises UserError for a plan that cannot be played.
    """
    chunks = _played_chunks(resolve_plan(plan, keys), threads)
    return _concatenated([chunk.seats if chunk.picks is None else chunk.picks for chunk in chunks])


def _played_chunks(plan: Plan, threads: int | None) -> Iterator[Chunk]:
    count = usable_threads(threads)
    simulator: Simulator = find_game(plan.game).prepare(plan)
    with closing(play(simulator, [range(plan.games)], threads=count, picks=plan.picks)) as chunks:
        yield from chunks


def _concatenated(frames: list[pl.DataFrame]) -> pl.DataFrame:
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
    """Play a plan into a run folder and return the run, whose ``played`` is the number of new games.

    Parameters
    ----------
    plan: the plan to play.
    out: the run folder (default: ``wsim.lab.writer.default_folder``). If it already contains the finished run, no games
        are played.
    resume: continue a run that was interrupted or has fewer games than the plan.
    threads: the number of threads.
    shard: games per file (default: about 250,000 rows of seats); ignored when resuming.
    part: play only this part of the plan (default: the whole plan, or the part that a resumed folder contains).
    cluster: play on this cluster instead of threads: an address or a connected cluster (``wsim.lab.cluster``).
    progress: called after every chunk with ``games``, the number done and the total for the folder.

    Raises UserError for a plan that cannot be played or a folder with different content, StoreError if writing fails,
    and Interrupted with the run so far on Ctrl-C. Finished shards are kept in each case.
    """
    workers = usable_threads(threads)
    if cluster is not None:
        from wsim.lab.cluster import check_cluster

        check_cluster(cluster, threads)
    if shard is not None and shard < 1:
        raise UserError(f"a shard must contain at least 1 game, not {shard}")
    if out is not None and resume and (Path(out) / RECORD).exists():  # checked before the plan's policies run
        recorded = read_record(Path(out)).provenance.identity
        refuse_old_streams(recorded, str(out))
        refuse_other_run(Path(out), recorded.get("plan", {}), json.loads(json.dumps(plan.identity())), "plan")
    simulator: Simulator = find_game(plan.game).prepare(plan)
    folder = None if out is None else _checked_folder(out)
    writer = RunWriter.of(plan, simulator, folder, shard or shard_games(simulator, plan), resume=resume, part=part)
    done_before = writer.done()
    try:
        with writer:
            if not writer.finished:
                done_before = writer.done()
                start = time.perf_counter()
                if cluster is None:
                    _play_missing(simulator, writer, workers, progress)
                    how: dict[str, Any] = {"threads": workers}
                else:
                    _play_on_cluster(cluster, simulator, writer, progress)
                    how = {"cluster": cluster if isinstance(cluster, str) else cluster.address}
                how |= _isolation_of(simulator)
                games = writer.done() - done_before
                writer.mark("complete", **how, games=games, seconds=round(time.perf_counter() - start, 3))
    except KeyboardInterrupt:
        begun = (writer.folder / RECORD).exists()
        raise Interrupted(
            replace(load_run(writer.folder), played=writer.done() - done_before) if begun else None
        ) from None
    return replace(load_run(writer.folder), played=writer.done() - done_before, just_played=writer.just_played)


def _isolation_of(simulator: Simulator) -> dict[str, Any]:
    """Return the isolated policies and the decisions that they lost, for ``run.json``."""
    from wsim.policies.isolation import isolated_in, listed_failures

    apart = isolated_in([simulator])
    if not apart:
        return {}
    return {"isolated": apart, "failures": listed_failures(apart)}


def _checked_folder(out: str | os.PathLike[str]) -> Path:
    """Return the path of a run folder; raise UserError if the libraries that write there cannot handle the path."""
    named: object = out
    if not isinstance(named, str | os.PathLike) or not str(named) or "\0" in str(named):
        raise UserError(f"folder must be a path, not {out!r}")
    try:
        os.fspath(out).encode()
    except UnicodeEncodeError as error:
        raise UserError(f"the folder {str(out)!r} cannot be used: its name is not UTF-8") from error
    if is_remote(out):
        raise UserError(
            f"a run needs a local folder, and {os.fspath(out)!r} is not one: play it locally, then wsim copy FOLDER "
            f"{os.fspath(out)}"
        )
    return Path(out)


def _play_missing(simulator: Simulator, writer: RunWriter, threads: int, progress: Progress | None) -> None:
    """Play the missing shards; each shard is written while the next one is being played.

    On Ctrl-C, the finished games of the current shard are written as a shorter shard. When the run is resumed, this
    shard is played again in full, like the last shard of a run that is extended.
    """
    done, total = writer.done(), len(writer.wanted)
    missing, parts = writer.missing(), writer.missing()
    recipes = recipes_of(writer.plan)
    writing: Future[None] | None = None

    def counted(batches: Iterable[Batch]) -> Iterator[Batch]:
        finished = done
        for batch in batches:
            finished += len(batch.games)
            if progress is not None:
                progress("games", finished, total)
            yield batch

    with ThreadPoolExecutor(1, thread_name_prefix="wsim-writer") as pool:
        batches = play_batches(simulator, writer.plan, recipes, parts, games=total - done, threads=threads)
        current = ShardBuilder(0)
        try:
            with closing(batches):
                each = counted(batches)
                for games in missing:
                    current = ShardBuilder(games.start)
                    shard = shard_of(each, games, current)
                    if writing is not None:
                        writing.result()
                    writing, current = pool.submit(writer.write, shard), ShardBuilder(games.stop)
                if writing is not None:
                    writing.result()
        except KeyboardInterrupt:
            if writing is not None:
                writing.result()
            if (partial_shard := current.shard()) is not None and not writer.holds(partial_shard.games):
                writer.write(partial_shard)
            raise


def _play_on_cluster(
    cluster: str | Cluster, simulator: Simulator, writer: RunWriter, progress: Progress | None
) -> None:
    """Play the missing shards on a cluster and write each one when it arrives."""
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
