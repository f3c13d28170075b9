"""The sums of a run's games: kept instead of rows, remembered from playing, or added up from the rows on the disk."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from wsim.lab.ledger import Shard

if TYPE_CHECKING:
    import polars as pl

    from wsim.lab.store import Run
    from wsim.stats.summary import Recipe, Summary

__all__ = ["Known", "kept_sums", "sums_of_rows"]

GAMES = 8192  # summed at a time: what is made of them stays near the processor
GAMES_AT_ONCE = 62_500  # read at a time, whatever a shard holds


class Known:
    """The sums of the shards that this process has played itself: they need not be read again."""

    def __init__(self) -> None:
        self._total: Summary | None = None
        self._firsts: set[int] = set()

    def add(self, games: range, summary: Summary | None) -> None:
        """Note the sums of a shard, if there are any."""
        if summary is None:
            return
        if self._total is None:
            from wsim.stats.summary import Summary

            self._total = Summary()
        self._total.add(summary)
        self._firsts.add(games.start)

    def has(self, shard: Shard) -> bool:
        """Say whether it knows the sums of a shard."""
        return shard.first in self._firsts

    def of(self, recipe: Recipe) -> Summary | None:
        """Return what a recipe needs of the sums of all shards that it knows; None if it knows none."""
        return None if self._total is None else self._total.part(recipe.name)


def kept_sums(run: Run) -> Summary:
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
    if (known := run.known.of(recipe)) is not None:
        total.add(known)

    def summed(games: range) -> Summary:
        return _summed(run.rows_of("seats", games).collect(), recipe)

    for found in in_order(summed, _unknown(run)):
        total.add(found)
    return total


def _unknown(run: Run) -> Iterator[range]:
    """Yield the games that have to be read, some at a time."""
    for shard in run.shards["seats"]:
        if not run.known.has(shard):
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
