"""Tables at which one policy is tried against a field: every candidate on the same deals, seat after seat."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from wsim.game import find_game
from wsim.lab.batch import in_chunks

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from wsim.game import Simulator
    from wsim.lab.plan import Plan

__all__ = ["SHARE", "Table", "play_tables"]

SHARE, MARGIN = 0, 1  # outcomes of a game


@dataclass(frozen=True)
class Table:
    """A table whose first line-up entry changes, moving on by one seat from game to game.

    Attributes
    ----------
    plan: rule set, players, seed, and who sits on the other seats.
    simulator: the plan made ready.
    """

    plan: Plan
    simulator: Simulator

    @classmethod
    def of(cls, plan: Plan) -> Table:
        """Make a table ready; raise UserError for one that cannot be played."""
        return cls(plan, find_game(plan.game).prepare(plan))

    def seated(self, entry: str) -> Simulator:
        """Return the table with this entry on the seat that is tried."""
        return self.simulator.with_line_up((entry, *self.plan.policies[1:]))

    def outcomes(self, simulator: Simulator, games: range) -> NDArray[np.float64]:
        """Play games; return win share and score ahead of the others' mean of the tried seat, shape (2, games)."""
        rows = rows_of(simulator, games)
        frame = simulator.seats_frame(rows)
        players = self.plan.players
        shape = (len(games), simulator.seats)
        shares, totals = (frame[name].to_numpy().astype(float).reshape(shape) for name in ("win_share", "total"))
        here = np.arange(len(games))
        seat = -np.arange(games.start, games.stop) % players  # entry 0 sits where (seat + game) % players is 0
        own = totals[here, seat]
        others = (totals[:, :players].sum(axis=1) - own) / (players - 1)
        return np.stack([shares[here, seat], own - others])


def rows_of(simulator: Simulator, games: range) -> NDArray[Any]:
    """Play games and return their rows."""
    rows = np.zeros(len(games) * simulator.seats, simulator.row_dtype)
    simulator.play(games.start, rows)
    return rows


def play_tables(
    tables: Sequence[Table], entries: Sequence[str], games: range, threads: int
) -> list[NDArray[np.float64]]:
    """Play every entry at every table in the same games; return the outcomes of each table, (entries, 2, games).

    Neither threads nor chunks can be seen in the result: entries and games stand in their order.
    """
    seated = [(table, table.seated(entry)) for table in tables for entry in entries]
    count = len(games)

    def make(part: range) -> NDArray[np.float64]:
        """Play a part of the games of one entry at one table; all of them stand in one row, one after the other."""
        place = part.start // count
        first = games.start + part.start - place * count
        table, simulator = seated[place]
        return table.outcomes(simulator, range(first, first + len(part)))

    parts = [range(place * count, (place + 1) * count) for place in range(len(seated))]
    with closing(in_chunks(make, parts, threads=threads)) as chunks:
        played = np.concatenate(list(chunks), axis=-1)
    shaped = played.reshape(2, len(tables), len(entries), count).transpose(1, 2, 0, 3)
    return list(shaped)
