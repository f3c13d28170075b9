"""What is kept of the games of a shard: their rows, or sums of them; of rows the sums, too, while they are at hand."""

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

__all__ = ["Collected", "Kept", "play_kept", "recipes_of"]


@dataclass(frozen=True)
class Kept:
    """What is kept of the games ``games``.

    Attributes
    ----------
    tables: their rows by table, none where only a summary is kept.
    summary: their sums; None where nothing is summed.
    """

    games: range
    tables: dict[str, pl.DataFrame]
    summary: Summary | None


class Collected:
    """The chunks of a shard, in order, and the tables that they become.

    Attributes
    ----------
    summary: the sums of all of them; None where nothing is summed.
    """

    def __init__(self) -> None:
        self.summary: Summary | None = None
        self._tables: dict[str, list[pl.DataFrame]] = {}

    def add(self, chunk: Kept) -> None:
        """Add a chunk; where it has no rows, memory does not grow with their number."""
        from wsim.stats.summary import Summary

        for table, frame in chunk.tables.items():
            self._tables.setdefault(table, []).append(frame)
        if chunk.summary is not None:
            self.summary = self.summary or Summary()
            self.summary.add(chunk.summary)

    def tables(self) -> dict[str, pl.DataFrame]:
        """Return the tables of the shard: rows, or else sums."""
        import polars as pl

        if self._tables or self.summary is None:
            return {table: pl.concat(frames, rechunk=True) for table, frames in self._tables.items()}
        return {"sums": self.summary.frame()}


def recipes_of(plan: Plan) -> list[Recipe]:
    """Return what can be summed of a plan; UserError for one that keeps a summary if its game has nothing to sum."""
    found = [analysis.sums for analysis in analyses_of(find_game(plan.game)).values() if analysis.sums is not None]
    if not found and plan.keep == "summary":
        raise UserError(f"{plan.game} has no table that a summary could give: play it with --keep seats")
    return found


def play_kept(
    simulator: Simulator,
    plan: Plan,
    recipes: Sequence[Recipe],
    parts: Iterable[range],
    *,
    games: int,
    threads: int | None,
) -> Generator[Kept]:
    """Play the games of ``parts`` and yield what the plan keeps of them, and their sums, chunk by chunk.

    Without recipes nothing is summed. Chunks: see ``wsim.lab.batch.in_chunks``.
    """
    return in_chunks(partial(_kept, simulator, plan, recipes), parts, games=games, threads=threads)


def _kept(simulator: Simulator, plan: Plan, recipes: Sequence[Recipe], games: range) -> Kept:
    """Play games and return what is kept of them."""
    from wsim.stats.summary import summarise

    chunk = played(simulator, plan.picks, games)
    tables = {"picks": chunk.picks, "seats": chunk.seats} if plan.keep != "summary" else {}
    summary = summarise(chunk.seats, recipes) if recipes else None
    return Kept(games, {table: frame for table, frame in tables.items() if frame is not None}, summary)
