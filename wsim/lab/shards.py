"""What is kept of the games of a shard: their rows, or sums of them."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from wsim.errors import UserError
from wsim.game import analyses_of, find_game
from wsim.lab.batch import in_chunks

if TYPE_CHECKING:
    import polars as pl

    from wsim.game import Simulator
    from wsim.lab.plan import Plan
    from wsim.stats.summary import Recipe, Summary

__all__ = ["Collected", "Sums", "collected", "play_sums", "recipes_of"]


class Collected(Protocol):
    """The chunks of a shard, in order, and the tables that they become."""

    def add(self, chunk: Any) -> None: ...

    def tables(self) -> dict[str, pl.DataFrame]: ...


def collected(plan: Plan) -> Collected:
    """Return where the chunks of a shard of a plan are put."""
    return _Sums() if plan.keep == "summary" else _Rows()


class _Rows:
    def __init__(self) -> None:
        self._seats: list[pl.DataFrame] = []
        self._picks: list[pl.DataFrame] = []

    def add(self, chunk: Any) -> None:
        """Add a chunk (``wsim.lab.batch.Chunk``)."""
        self._seats.append(chunk.seats)
        if chunk.picks is not None:
            self._picks.append(chunk.picks)

    def tables(self) -> dict[str, pl.DataFrame]:
        """Return the tables of the shard."""
        import polars as pl

        parts = {"seats": self._seats, "picks": self._picks}
        return {table: pl.concat(frames, rechunk=True) for table, frames in parts.items() if frames}


@dataclass(frozen=True)
class Sums:
    """The sums over the games ``games``."""

    games: range
    summary: Summary


class _Sums:
    def __init__(self) -> None:
        from wsim.stats.summary import Summary

        self._total = Summary()

    def add(self, chunk: Any) -> None:
        """Add a chunk of ``play_sums``: memory does not grow with their number."""
        self._total.add(chunk.summary)

    def tables(self) -> dict[str, pl.DataFrame]:
        """Return the table of the shard."""
        return {"sums": self._total.frame()}


def recipes_of(plan: Plan) -> list[Recipe]:
    """Return what is summed of a plan that keeps a summary; UserError if its game has no table that can do so."""
    found = [analysis.sums for analysis in analyses_of(find_game(plan.game)).values() if analysis.sums is not None]
    if not found:
        raise UserError(f"{plan.game} has no table that a summary could give: play it with --keep seats")
    return found


def play_sums(
    simulator: Simulator, recipes: Sequence[Recipe], parts: Iterable[range], *, games: int, threads: int | None
) -> Generator[Sums]:
    """Play the games of ``parts`` and yield their sums chunk by chunk (``wsim.lab.batch.in_chunks``)."""
    return in_chunks(partial(_summed, simulator, recipes), parts, games=games, threads=threads)


def _summed(simulator: Simulator, recipes: Sequence[Recipe], games: range) -> Sums:
    """Play games and return their sums."""
    from wsim.stats.summary import summarise

    rows = np.zeros(len(games) * simulator.seats, simulator.row_dtype)
    simulator.play(games.start, rows)
    return Sums(games, summarise(simulator.seats_frame(rows), recipes))
