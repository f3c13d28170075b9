"""Differences between good players: the part of a figure's uncertainty that more games do not reduce.

The figures of a table are known for several *families* of players; policies trained with the same plan form one family.
Given k families with variance s^2, the figure of one more family lies within t sqrt(1 + 1 / k) s of their mean.
Sampling noise is subtracted from s^2. If a test of homogeneity finds no difference between rows, they share one
variance; elsewhere each is shrunk towards the common one. All rows of a family share its distance from the other
families, so pooling rows does not count as more families: t has k degrees of freedom, one per family. As a check,
tests/stats/test_between.py leaves out one family at a time: the intervals cover 96% of its wonders and 97% of its
cards.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from wsim.stats.columns import FAIR, OTHER_PLAYERS, PLAYER_HALF_WIDTH
from wsim.stats.distributions import t_quantile
from wsim.stats.games import Floats
from wsim.stats.tables import Table

_NAMED = ("higher", "lower")
HOMOGENEOUS = 0.05
"""Smallest p-value of the homogeneity test at which all rows get one common variance."""
DRAWS = 2000


def player_half_widths(values: Floats, noise: Floats, level: float = 0.95) -> Floats:
    """Return the half width of the interval for one more family, by row; NaN where a family has no figure.

    Parameters
    ----------
    values: the figures of each family, shape (families, rows). noise: the sampling variance of one figure, shape
        (rows,).
    """
    families = len(values)
    result = np.full(values.shape[1], np.nan)
    known = np.isfinite(values).all(axis=0)
    if families < 2 or not known.any():
        return result
    square = values[:, known].var(axis=0, ddof=1) - noise[known]
    common = max(float(square.mean()), 0.0)
    error = 2 * (common + noise[known]) ** 2 / (families - 1)
    spread = 0.0
    if _homogeneity_p_value(square + noise[known], common + noise[known], families - 1) < HOMOGENEOUS:
        spread = max(float(square.var(ddof=1) - error.mean()), 0.0)
    weight = spread / (spread + error) if spread else np.zeros(len(square))
    # families that happen to agree in a row may still differ in truth, so no half width is 0
    variance = common + weight * (np.maximum(square, 0.0) - common)
    result[known] = _half_widths_per_sd(families, level) * np.sqrt(variance)
    return result


def _half_widths_per_sd(families: int, level: float) -> float:
    factor: float = float(t_quantile((1 + level) / 2, np.array([float(families)]))[0]) * math.sqrt(1 + 1 / families)
    return factor


def _homogeneity_p_value(observed: Floats, expected: Floats, freedom: int) -> float:
    """Return the p-value of a homogeneity test of variances, simulated under the expected variances."""
    if len(observed) < 2 or not (expected > 0).all():
        return 1.0
    drawn = np.random.default_rng(1).chisquare(freedom, (DRAWS, len(observed))) / freedom
    return float((((drawn - 1) ** 2).sum(axis=1) >= ((observed / expected - 1) ** 2).sum()).mean())


@dataclass(frozen=True)
class Between:
    """The figures in the rows of a table, measured separately for each family of players.

    Attributes
    ----------
    players: the compared policies, each playing all seats. families: the number of families.
    games: the games of each policy.
    figures: by row, such as ``Rhodos B``: the figure of each family. noise: by row, the sampling variance of one of
        these figures.
    """

    players: tuple[str, ...]
    families: int
    games: int
    figures: Mapping[str, Sequence[float]]
    noise: Mapping[str, float]

    def half_widths(self, level: float = 0.95) -> dict[str, float]:
        """Return the half width of the interval for another good player's figure, by row."""
        values, noise = np.array(list(self.figures.values()), float).T, [self.noise[name] for name in self.figures]
        return dict(zip(self.figures, player_half_widths(values, np.array(noise), level).tolist(), strict=True))

    def sds(self) -> Floats:
        """Return the standard deviation between families, for rows in which every family has a figure."""
        half = np.array(list(self.half_widths().values()))
        return np.asarray(half[np.isfinite(half)] / _half_widths_per_sd(self.families, 0.95))

    def with_players(self, table: Table, figure: str, level: float = 0.95) -> Table:
        """Add the half width for the figure of another good player to a table; verdicts on win shares allow for it."""
        name = pl.concat_str([pl.col(label).cast(pl.String) for label in table.labels], separator=" ")
        known = name.replace_strict(self.half_widths(level), default=None, return_dtype=pl.Float64)
        column = table.frame.select(known.alias(PLAYER_HALF_WIDTH))[PLAYER_HALF_WIDTH]
        if column.null_count() == len(column):
            return table
        index = 1 + max(table.frame.columns.index(name) for name in (figure, *(table.column(figure).ends or ())))
        frame = table.frame.insert_column(index, column)
        note = self.sentence
        judged = figure == "worth" or (figure == "win_share" and {FAIR, "worth"} & set(frame.columns) == {FAIR})
        if judged and {"verdict", f"{figure}_low"} <= set(frame.columns):
            alone, frame = frame["verdict"].is_in(_NAMED), _with_verdicts_for_others(frame, figure)
            note += " The verdict (not q) allows for it"
            note += "." if not column.null_count() else "; a verdict in a row without it is about these players only."
            if further := int((alone & ~frame["verdict"].is_in(_NAMED)).sum()):
                note += (
                    " Unclear for that reason alone, and clear (q) for the players of these games: "
                    f"{further} of {frame.height} rows."
                )
        return replace(table, frame=frame, note=f"{table.note} {note}".strip(), columns=(*table.columns, OTHER_PLAYERS))

    @property
    def sentence(self) -> str:
        """The table note that explains the added column."""
        return (
            "Other players ±: half width (95%) for the figure of another good player, from "
            f"{len(self.players)} players of {self.families} families ({', '.join(self.players)}; {self.games:,} games "
            "each, sampling noise subtracted); more games do not reduce it."
        )


def _with_verdicts_for_others(frame: pl.DataFrame, figure: str) -> pl.DataFrame:
    """Set verdicts to ``unclear`` unless they remain clear when differences between players are allowed for."""
    player = pl.col(PLAYER_HALF_WIDTH).fill_null(0.0)
    half = ((pl.col(f"{figure}_high") - pl.col(f"{figure}_low")) / 2).pow(2) + player.pow(2)
    fair = pl.col(figure) / pl.col(FAIR) if figure == "win_share" else pl.lit(0.0)
    away = (pl.col(figure) - fair).pow(2)
    named = pl.col("verdict").is_in(_NAMED) & (away <= half)
    return frame.with_columns(verdict=pl.when(named).then(pl.lit("unclear")).otherwise(pl.col("verdict")))
