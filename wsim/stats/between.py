"""How much the figures of a table differ between players: the uncertainty that more games do not reduce."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import polars as pl

from wsim.stats.columns import BETWEEN_PLAYER_SD, PLAYER_SD
from wsim.stats.tables import Table


@dataclass(frozen=True)
class Between:
    """Standard deviations between players for the rows of a table (``wsim robustness``).

    Attributes
    ----------
    players: the compared policies, each playing all seats. games: of each policy.
    figures: the standard deviation between them by row, such as ``Rhodos B``, sampling noise subtracted.
    """

    players: tuple[str, ...]
    games: int
    figures: Mapping[str, float]

    def with_player_sd(self, table: Table, figure: str) -> Table:
        """Return a table with an additional column behind ``figure``: its standard deviation between players."""
        name = pl.concat_str([pl.col(label).cast(pl.String) for label in table.labels], separator=" ")
        known = name.replace_strict(self.figures, default=None, return_dtype=pl.Float64).alias(PLAYER_SD)
        index = 1 + max(table.frame.columns.index(name) for name in (figure, *(table.column(figure).ends or ())))
        column = table.frame.select(known)[PLAYER_SD]
        if column.null_count() == len(column):
            return table
        frame = table.frame.insert_column(index, column)
        return replace(
            table,
            frame=frame,
            note=f"{table.note} {self.sentence}".strip(),
            columns=(*table.columns, BETWEEN_PLAYER_SD),
        )

    @property
    def sentence(self) -> str:
        """The note about the column."""
        return (
            f"Player SD: one standard deviation of the figure between tables of {', '.join(self.players)} "
            f"({self.games:,} games each, sampling noise subtracted); more games do not reduce it."
        )
