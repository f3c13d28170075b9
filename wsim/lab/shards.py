"""Games as a plan keeps them: their rows, or sums of them; of rows the sums, too, while they are at hand."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from wsim.errors import UserError
from wsim.game import analyses_of, find_game
from wsim.lab.batch import in_chunks, played

if TYPE_CHECKING:
    import polars as pl

    from wsim.game import Simulator
    from wsim.lab.plan import Plan
    from wsim.stats.summary import Recipe, Summary


@dataclass(frozen=True)
class Batch:
    """Some games as a plan keeps them.

    Attributes
    ----------
    games: which. tables: their rows by table, none where only a summary is kept.
    summary: their sums; None where nothing is summed.
    """

    games: range
    tables: dict[str, pl.DataFrame]
    summary: Summary | None

    def frames(self) -> dict[str, pl.DataFrame]:
        """Return the tables that are written: rows, or else sums."""
        return self.tables if self.tables or self.summary is None else {"sums": self.summary.frame()}


class Growing:
    """A shard of which some batches are there, in order.

    Attributes
    ----------
    games: those of the batches so far. Where no rows are kept memory does not grow with their number.
    """

    def __init__(self, first: int) -> None:
        self.games = range(first, first)
        self._summary: Summary | None = None
        self._tables: dict[str, list[pl.DataFrame]] = {}
        self._whole = True

    def add(self, batch: Batch) -> None:
        """Take the next batch; whatever ends this in its midst, the shard is not ``shard`` any more."""
        from wsim.stats.summary import Summary

        self._whole = False
        for table, frame in batch.tables.items():
            self._tables.setdefault(table, []).append(frame)
        if batch.summary is not None:
            self._summary = self._summary or Summary()
            self._summary.add(batch.summary)
        self.games = range(self.games.start, batch.games.stop)
        self._whole = True

    def shard(self) -> Batch | None:
        """Return what is there; None where that is nothing, or not whole."""
        import polars as pl

        if not self._whole or not self.games:
            return None
        tables = {table: pl.concat(frames, rechunk=True) for table, frames in self._tables.items()}
        return Batch(self.games, tables, self._summary)


def shard_of(batches: Iterable[Batch], games: range, growing: Growing | None = None) -> Batch:
    """Take the batches of a shard, in order, up to its last game, and return the shard.

    ``growing``: what is there so far, for those who may be interrupted.
    """
    growing = growing or Growing(games.start)
    for batch in batches:
        growing.add(batch)
        if batch.games.stop == games.stop:
            break
    found = growing.shard()
    assert found is not None, games
    return found


def recipes_of(plan: Plan) -> list[Recipe]:
    """Return what can be summed of a plan; UserError for one that keeps a summary if its game has nothing to sum."""
    found = [analysis.sums for analysis in analyses_of(find_game(plan.game)).values() if analysis.sums is not None]
    if not found and plan.keep == "summary":
        raise UserError(f"{plan.game} has no table that a summary could give: play it with --keep seats")
    return found


def play_batches(
    simulator: Simulator,
    plan: Plan,
    recipes: Sequence[Recipe],
    parts: Iterable[range],
    *,
    games: int,
    threads: int | None,
) -> Generator[Batch]:
    """Play the games of ``parts`` and yield them batch by batch, with their sums; without recipes nothing is summed.

    No batch reaches over the end of a part (``wsim.lab.batch.in_chunks``).
    """
    return in_chunks(partial(_batch, simulator, plan, recipes), parts, games=games, threads=threads)


def _batch(simulator: Simulator, plan: Plan, recipes: Sequence[Recipe], games: range) -> Batch:
    """Play games and return what the plan keeps of them."""
    from wsim.stats.summary import summarise

    chunk = played(simulator, plan.picks, games)
    tables = {"picks": chunk.picks, "seats": chunk.seats} if plan.keep != "summary" else {}
    summary = summarise(chunk.seats, recipes) if recipes else None
    return Batch(games, {table: frame for table, frame in tables.items() if frame is not None}, summary)
