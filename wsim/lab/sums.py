"""The sums of a run's games: kept instead of rows, at hand from playing, or added up from the rows on the disk."""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

    from wsim.lab.store import Run
    from wsim.stats.summary import Recipe, Summary

GAMES = 8192  # summed at a time: what is made of them stays near the processor
GAMES_AT_ONCE = 62_500  # read at a time, whatever a shard holds


def sums_of_summary(run: Run) -> Summary:
    """Return the sums that a run keeps instead of rows, whose shards are known to be what was written."""
    from wsim.stats.summary import Summary

    total = Summary()
    for shard in run.shards["sums"]:
        total.add(Summary.of_frame(run.read("sums", shard)))
    return total


def sums_of_rows(run: Run, recipe: Recipe) -> Summary:
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

    total, starts = Summary(), GameBatch.of(seats).starts[::GAMES].tolist()
    for first, end in zip(starts, [*starts[1:], seats.height], strict=True):
        total.add(summarise(seats[first:end], [recipe]))
    return total
