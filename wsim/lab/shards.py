"""Play games in batches and keep rows or sums, as the plan requests. Rows are summed while they are in memory."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from wsim.errors import UserError
from wsim.game import analyses_of, find_game
from wsim.lab.batch import SECONDS_A_CHUNK, in_chunks, played
from wsim.lab.wishes import WishSums, worth_games, worth_of, worth_share

if TYPE_CHECKING:
    import polars as pl

    from wsim.game import Simulator
    from wsim.lab.plan import Plan
    from wsim.stats.summary import Recipe, Summary


SECONDS_WITH_WORTH = 0.5  # a chunk has sums for both kinds of games: building and adding them takes some 9 ms


@dataclass(frozen=True)
class Batch:
    """A range of games and the data that the plan keeps for them.

    Attributes
    ----------
    games: the game numbers. tables: the rows of the games by table; empty if only a summary is kept.
    summary: the sums of the games; None if nothing is summed.
    worth: the sums of the additional games that measure worth; None if the plan has no such games.
    """

    games: range
    tables: dict[str, pl.DataFrame]
    summary: Summary | None
    worth: Summary | None = None

    def frames(self) -> dict[str, pl.DataFrame]:
        """Return the tables to write, by name: rows if they are kept, otherwise sums."""
        rows = self.tables if self.tables or self.summary is None else {"sums": self.summary.frame()}
        return rows if self.worth is None else {"worth": self.worth.frame(), **rows}


class ShardBuilder:
    """A shard under construction: the batches added so far, in order.

    Attributes
    ----------
    games: the games added so far. If no rows are kept, memory does not grow with the number of games.
    """

    def __init__(self, first: int) -> None:
        self.games = range(first, first)
        self._summary: Summary | None = None
        self._worth: Summary | None = None
        self._tables: dict[str, list[pl.DataFrame]] = {}
        self._whole = True

    def add(self, batch: Batch) -> None:
        """Add the next batch; after an interrupted call, ``shard`` returns None."""
        from wsim.stats.summary import Summary

        self._whole = False
        for table, frame in batch.tables.items():
            self._tables.setdefault(table, []).append(frame)
        if batch.summary is not None:
            self._summary = self._summary or Summary()
            self._summary.add(batch.summary)
        if batch.worth is not None and self._worth is not None and self._worth.games:
            if batch.worth.games:
                self._worth.add(batch.worth)
        elif batch.worth is not None:
            self._worth = batch.worth
        self.games = range(self.games.start, batch.games.stop)
        self._whole = True

    def shard(self) -> Batch | None:
        """Return the batches added so far as one batch; None if there are none or ``add`` was interrupted."""
        import polars as pl

        if not self._whole or not self.games:
            return None
        tables = {table: pl.concat(frames, rechunk=True) for table, frames in self._tables.items()}
        return Batch(self.games, tables, self._summary, self._worth)


def shard_of(batches: Iterable[Batch], games: range, builder: ShardBuilder | None = None) -> Batch:
    """Combine the next batches, up to the last game of a shard, into a shard.

    Callers that need the finished games after an interruption pass their own ``builder``.
    """
    builder = builder or ShardBuilder(games.start)
    for batch in batches:
        builder.add(batch)
        if batch.games.stop == games.stop:
            break
    shard = builder.shard()
    assert shard is not None, games
    return shard


def recipes_of(plan: Plan) -> list[Recipe]:
    """Return the recipes for a plan's sums; raise UserError if only sums are kept but the game has no recipes."""
    recipes = [analysis.sums for analysis in analyses_of(find_game(plan.game)).values() if analysis.sums is not None]
    if not recipes and plan.keep == "summary":
        raise UserError(f"{plan.game} has no tables for a summary: play it with --keep seats")
    return recipes


def play_batches(
    simulator: Simulator,
    plan: Plan,
    recipes: Sequence[Recipe],
    parts: Iterable[range],
    *,
    games: int,
    threads: int | None,
) -> Generator[Batch]:
    """Play the games of ``parts`` and yield batches, with the sums that ``recipes`` define, if any.

    No batch crosses the end of a part (``wsim.lab.batch.in_chunks``).
    """
    wishes = worth_of(simulator) if worth_share(plan) else None
    seconds = SECONDS_A_CHUNK if wishes is None else SECONDS_WITH_WORTH
    play = partial(_play_batch, simulator, plan, recipes, wishes)
    return in_chunks(play, parts, games=games, threads=threads, seconds=seconds)


def _play_batch(
    simulator: Simulator, plan: Plan, recipes: Sequence[Recipe], wishes: WishSums | None, games: range
) -> Batch:
    """Play games and return the data that the plan keeps for them."""
    from wsim.stats.summary import summarise

    chunk = played(simulator, plan.picks, games)
    tables = {"picks": chunk.picks, "seats": chunk.seats} if plan.keep != "summary" else {}
    summary = summarise(chunk.seats, recipes) if recipes else None
    worth = None if wishes is None else wishes(worth_games(games, worth_share(plan)))
    return Batch(games, {table: frame for table, frame in tables.items() if frame is not None}, summary, worth)
