"""Two runs on the same deals: differences per deal, and how much of the noise they share.

The same seed gives the same deals and seats to a baseline and to a variant of it (common random numbers). What the
deal does to a score then happens in both, and goes away in the difference.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from wsim.errors import UserError
from wsim.stats.games import Floats, Source, batches, competitors, extent, require, seats_of
from wsim.stats.intervals import benjamini_hochberg, check_level, nulls
from wsim.stats.levels import Levels
from wsim.stats.moments import Moments
from wsim.stats.tables import Table

__all__ = ["DealDifferences", "deal_differences", "paired"]

_VARIANT = "variant:"
_COUNTS = "_counts"
_NOTE = (
    "Both runs play the same deals and seats, so the effect is causal: it is what the change does at this table. "
    "Intervals are over deals."
)


def paired(
    baseline: Source,
    variant: Source,
    *,
    by: str | Sequence[str] = (),
    outcomes: Sequence[str] = ("total", "win_share"),
    where: pl.Expr | None = None,
    level: float = 0.95,
) -> Table:
    """Return what a variant changes, deal by deal: one row per level of ``by`` and outcome.

    Parameters
    ----------
    baseline, variant: runs (or seats tables) of the same deals; games and seats that are not in both are left out.
        Tables with the same rows in the same order are read side by side, others are joined, which takes memory.
    by: columns of the baseline (policy, wonder, seat, ...).
    outcomes: numeric columns.
    where: which seats count, a condition on the baseline.
    level: confidence level, clustered by deal.

    Columns: the ``by`` ones, outcome, deals, n (seats), baseline and variant (means), effect (variant - baseline) with
    _low and _high, p, q (Benjamini-Hochberg over the table), variance_removed (1 - var(effect) / (var(baseline) +
    var(variant)): 0 if the pairing is worth nothing, 0.75 if it saves three quarters of the games).
    """
    check_level(level)
    columns = (by,) if isinstance(by, str) else tuple(by)
    joined = _joined(baseline, variant, columns, outcomes, where).filter(pl.col(_COUNTS))
    columns = columns or (_COUNTS,)  # the same for all rows that are left
    levels = Levels.of(joined, columns)
    moments = {name: Moments(len(levels), 3) for name in outcomes}
    for batch in batches(joined, [*columns, *outcomes, *(_VARIANT + name for name in outcomes)]):
        codes = levels.codes(batch.frame)
        seats = batch.sums_by(codes, len(levels))
        for name in outcomes:
            sums = (batch.sums_by(codes, len(levels), batch.column(one)) for one in (name, _VARIANT + name))
            moments[name].add(seats, *sums)
    frames = [_rows(levels, name, moments[name], level) for name in outcomes]
    frame = pl.concat(frames).sort(*columns, maintain_order=True, nulls_last=True)
    q = nulls(benjamini_hochberg(frame["p"].to_numpy())).alias("q")
    frame = frame.insert_column(frame.columns.index("p") + 1, q).drop(_COUNTS, strict=False)
    return Table(frame, "Variant against baseline", _NOTE)


def _rows(levels: Levels, outcome: str, moments: Moments, level: float) -> pl.DataFrame:
    before, after = moments.ratio(1, 0, level), moments.ratio(2, 0, level)
    effect = moments.difference((2, 0), (1, 0), level)
    with np.errstate(divide="ignore", invalid="ignore"):
        removed = 1 - effect.error**2 / (before.error**2 + after.error**2)
    return pl.DataFrame(
        {
            **levels.keys.to_dict(),
            "outcome": [outcome] * len(levels),
            "deals": effect.games.astype(np.int64),
            "n": moments.totals[:, 0].astype(np.int64),
            "baseline": nulls(before.value),
            "variant": nulls(after.value),
            **effect.columns("effect"),
            "p": nulls(effect.p_value()),
            "variance_removed": nulls(removed),
        }
    )


@dataclass(frozen=True)
class DealDifferences:
    """What a variant changed, deal by deal, in the form that ``SequentialTest.update`` takes.

    Attributes
    ----------
    differences: the mean difference over the seats that count, 0 for a deal without one.
    seats: how many seats count in each deal.
    """

    differences: Floats
    seats: Floats


def deal_differences(
    baseline: Source, variant: Source, outcome: str = "total", *, where: pl.Expr | None = None
) -> DealDifferences:
    """Return the differences of an outcome, one entry per deal in the order of the games; see ``paired``."""
    differences, seats = [], []
    joined = _joined(baseline, variant, (), [outcome], where)
    for batch in batches(joined, [outcome, _VARIANT + outcome, _COUNTS]):
        counts = batch.column(_COUNTS)
        size = batch.sums(counts)
        change = batch.sums((batch.column(_VARIANT + outcome) - batch.column(outcome)) * counts)
        differences.append(change / np.maximum(size, 1))
        seats.append(size)
    empty = np.zeros(0)
    return DealDifferences(np.concatenate([empty, *differences]), np.concatenate([empty, *seats]))


def _joined(
    baseline: Source, variant: Source, columns: Sequence[str], outcomes: Sequence[str], where: pl.Expr | None
) -> pl.LazyFrame:
    """Put the outcomes of both runs side by side, with a Boolean column that says which seats count."""
    before, after = competitors(seats_of(baseline)), competitors(seats_of(variant))
    require(before, ["game", "seat", *columns, *outcomes])
    require(after, ["game", "seat", *outcomes])
    counts = pl.lit(True) if where is None else where.fill_null(False)
    left = before.select("game", "seat", *columns, *outcomes, counts.alias(_COUNTS))
    right = after.select("game", "seat", *(pl.col(name).alias(_VARIANT + name) for name in outcomes))
    if _same_rows(left, right):
        return pl.concat([left, right.drop("game", "seat")], how="horizontal")
    joined = left.join(right, on=["game", "seat"], how="inner", maintain_order="left")
    if joined.select(pl.len()).collect(engine="streaming").item() == 0:
        raise UserError("the two runs have no deal in common")
    return joined


def _same_rows(left: pl.LazyFrame, right: pl.LazyFrame) -> bool:
    """Say whether two tables have the same games and seats in the same order, so that they need not be joined."""
    one, other = extent(left), extent(right)
    if one != other or not one.in_order:
        return False
    keys = pl.concat(
        [left.select("game", "seat"), right.select(pl.col("game").alias("g"), pl.col("seat").alias("s"))],
        how="horizontal",
    )
    same = ((pl.col("game") == pl.col("g")) & (pl.col("seat") == pl.col("s"))).all()
    return bool(keys.select(same).collect(engine="streaming").item())
