"""How far the figures of a table move between players, beside their intervals: what more games do not take away."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import polars as pl

from wsim.display import BETWEEN_PLAYERS
from wsim.stats.tables import Table


@dataclass(frozen=True)
class Between:
    """What is known of the rows of a table (``wsim rest``).

    Attributes
    ----------
    players: who were compared, each at tables of its own. games: of each.
    figures: one standard deviation between them by row, as in ``Rhodos B``, noise of sampling subtracted.
    """

    players: tuple[str, ...]
    games: int
    figures: Mapping[str, float]

    def beside(self, table: Table, labels: Sequence[str], figure: str) -> Table:
        """Return a table with what is known of ``figure`` beside its interval; ``labels``: columns that name a row."""
        name = pl.concat_str([pl.col(one).cast(pl.String) for one in labels], separator=" ")
        known = name.replace_strict(self.figures, default=None, return_dtype=pl.Float64).alias(BETWEEN_PLAYERS)
        place = 1 + max(table.frame.columns.index(figure + end) for end in ("", "_low", "_high"))
        column = table.frame.select(known)[BETWEEN_PLAYERS]
        if column.null_count() == len(column):
            return table
        return replace(table, frame=table.frame.insert_column(place, column), note=f"{table.note} {self.said}".strip())

    @property
    def said(self) -> str:
        """What the column says, in a sentence."""
        return (
            f"Between players: one standard deviation of the figure between tables of {', '.join(self.players)} "
            f"({self.games:,} games each, noise of sampling subtracted); "
            "no number of games makes a figure surer than that."
        )
