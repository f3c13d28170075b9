"""Tables of policies or any other factor: win share and score of its levels, with intervals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from wsim.display import html_of, text_of
from wsim.errors import UserError
from wsim.stats.additive import Additive
from wsim.stats.factor_sums import Cells
from wsim.stats.games import Floats, GameBatch, Source, batches, competitors, parties, require, seats_of
from wsim.stats.intervals import Estimate, check_level, nulls, verdicts
from wsim.stats.levels import Levels, columns_of
from wsim.stats.moments import Moments
from wsim.stats.summary import OUTCOMES, Summary, kept_of

__all__ = [
    "OBSERVATIONAL", "POINTS", "Table", "factor", "outcome_columns", "outcome_names", "outcomes", "points_of",
    "policies",
]  # fmt: skip

OBSERVATIONAL = (
    "Observational: it compares games in which something happened with games in which it did not, and whoever chose it "
    "may have been better off already. What a change of it causes is measured by wsim whatif."
)
DEALT = (
    "Intervals are clustered by game. What was dealt or seated by chance is compared fairly; "
    "what a seat chose, or was given together with something else (a policy always in the same seat), is not."
)
POINTS = "points_"


@dataclass(frozen=True, repr=False)
class Table:
    """A result to show.

    Attributes
    ----------
    frame: its rows; ends of intervals are called ``x_low`` and ``x_high`` beside ``x``, null where unknown.
    title: what it is, in a few words.
    note: what it says and what it does not, in a sentence or two.
    """

    frame: pl.DataFrame
    title: str
    note: str = ""

    def __repr__(self) -> str:
        return text_of(self.title, self.frame, [self.note])

    def _repr_html_(self) -> str:
        return html_of(self.title, self.frame, [self.note])


def policies(source: Source, by: str | Sequence[str] = ("policy",), *, level: float = 0.95) -> Table:
    """Return win share, score and categories by policy, or by other columns; see ``factor``."""
    return factor(source, by, level=level, title="Policies")


def factor(
    source: Source,
    by: str | Sequence[str],
    *,
    measures: Iterable[str] | None = None,
    within: Sequence[str] = (),
    level: float = 0.95,
    title: str | None = None,
) -> Table:
    """Return win share, score and the means of some columns by the levels of one or more columns.

    Parameters
    ----------
    source: a run or its seats table; filter it first to look at some games or seats only.
    by: the factor's column or columns.
    measures: columns whose means are added (default: the categories of points).
    within: columns (policy) for which the means are adjusted: those of each level if it had the mix of all seats
        (``wsim.stats.additive``). Not where levels cannot be told from them; the note says which.
    level: confidence level of the intervals, which are clustered by game.
    title: of the table (default: the columns).

    Columns: the ``by`` ones, n (seats), win_share, win_points (win share times the number of players or teams: 1.00
    is average at any table), score, each with _low and _high; q (win share against the average, Benjamini-Hochberg),
    verdict (higher or lower than average, or unclear), score_sd, and the mean of each measure. Sorted by win share.
    """
    check_level(level)
    columns = columns_of(by)
    summary = kept_of(source)
    if summary is not None:
        return _of_sums(summary, columns, measures, tuple(within), level, title)
    seats = seats_of(source)
    require(seats, ["game", "seat", "win_share", "total", *columns])
    chosen = points_of(seats, columns) if measures is None else list(measures)
    require(seats, chosen)
    players = competitors(seats)
    spread = pl.col("total").std().alias("score_sd")
    levels = Levels.of(players, columns, pl.len().alias("n"), spread, *(pl.col(name).mean() for name in chosen))
    kept = outcome_names(seats)
    adjusted = Additive.fit(players, levels, Levels.of(players, within), [*kept, *chosen]) if within else None
    moments = Moments(len(levels), 1 + len(kept))
    squares = {name: np.zeros(len(levels)) for name in kept}
    for batch in batches(players, dict.fromkeys([*columns, *within, *kept])):
        moments.add(*outcomes(batch, levels.codes(batch.frame), len(levels), kept))
        if adjusted:
            for name in kept:
                squares[name] += adjusted.squares(batch, name)
    about = levels.frame.select("score_sd", *chosen)
    found = _plain(moments, kept, level)
    if adjusted:
        found = {name: adjusted.estimate(name, squares[name], moments.games[:, 0], level) for name in kept}
        means = dict(zip(adjusted.names, adjusted.means().T, strict=True))
        about = about.with_columns(nulls(means[name]).alias(name) for name in chosen)
    frame = _sorted(levels, found, about, parties(seats))
    return Table(frame, title or f"By {' and '.join(columns)}", _note(within, adjusted is not None))


def _sorted(levels: Levels, found: Mapping[str, Estimate], about: pl.DataFrame, sides: int) -> pl.DataFrame:
    """Return the rows of a table of levels from their estimates, and what else there is about each."""
    columns = levels.columns
    front = levels.frame.select(*columns, "n").to_dict()
    frame = pl.DataFrame({**front, **_outcome_columns(found, sides), **about.to_dict()})
    return frame.sort(["win_share", *columns], descending=[True, *[False] * len(columns)], nulls_last=True)


def _of_sums(
    kept: Summary,
    columns: tuple[str, ...],
    measures: Iterable[str] | None,
    within: tuple[str, ...],
    level: float,
    title: str | None,
) -> Table:
    """Return the table of ``factor`` from the sums of a run that keeps no rows."""
    chosen = [name for name in kept.labels["measures"] if name not in columns] if measures is None else list(measures)
    if unknown := [name for name in chosen if name not in kept.labels["measures"]]:
        raise UserError(f"the run keeps no sums of {', '.join(unknown)}: play it with --keep seats")
    cells = Cells.of(kept, columns, within)
    levels, names = cells.levels(columns, chosen), [*OUTCOMES, *chosen]
    strata = Levels.of(cells.frame.lazy(), within) if within else None
    adjusted = Additive.of_cells(cells.summed(columns, within, names), levels, strata, names) if strata else None
    moments, about = cells.moments(levels), levels.frame.select("score_sd", *chosen)
    found = _plain(moments, OUTCOMES, level)
    if adjusted is not None:
        for place, name in enumerate(OUTCOMES, 1):
            products = cells.pairs[np.ix_([0, place], [0, place])]
            squares = adjusted.squares_of_cells(cells.frame, products, name)
            found[name] = adjusted.estimate(name, squares, moments.games[:, 0], level)
        means = dict(zip(adjusted.names, adjusted.means().T, strict=True))
        about = about.with_columns(nulls(means[name]).alias(name) for name in chosen)
    frame = _sorted(levels, found, about, kept.sides)
    return Table(frame, title or f"By {' and '.join(columns)}", _note(within, adjusted is not None))


def _note(within: Sequence[str], adjusted: bool) -> str:
    """Return what a table of levels says and what it does not."""
    what = " and ".join(within)
    if adjusted:
        return f"Means are those of each level if it had the mix of all seats by {what}. {DEALT}"
    return f"Raw: in these games the levels cannot be told from {what}. {DEALT}" if within else DEALT


def outcome_names(seats: pl.LazyFrame) -> list[str]:
    """Return the columns whose means are estimated: win_share, total, and win_points if the table has it."""
    names = ["win_share", "total"]
    return [*names, "win_points"] if "win_points" in seats.collect_schema() else names


def outcomes(batch: GameBatch, codes: NDArray[np.int64], levels: int, names: Sequence[str]) -> list[Floats]:
    """Return per-game sums by level of rows and of the columns named, each of shape (levels, games)."""
    return [batch.sums_by(codes, levels), *(batch.sums_by(codes, levels, batch.column(name)) for name in names)]


def outcome_columns(moments: Moments, sides: int, level: float) -> dict[str, pl.Series]:
    """Return the columns of win share, win points and score from the moments of ``outcomes``.

    ``sides`` is the number of players or teams of every game; it is not used if there are moments of win_points.
    """
    names = ["win_share", "total", *(["win_points"] if moments.totals.shape[1] > 3 else [])]
    return _outcome_columns(_plain(moments, names, level), sides)


def _plain(moments: Moments, names: Sequence[str], level: float) -> dict[str, Estimate]:
    """Return the means of the columns of ``outcomes``."""
    return {name: moments.ratio(1 + place, 0, level, share=name == "win_share") for place, name in enumerate(names)}


def _outcome_columns(found: Mapping[str, Estimate], sides: int) -> dict[str, pl.Series]:
    share = found["win_share"]
    points = found["win_points"] if "win_points" in found else share.scaled(float(sides))
    return {
        **share.columns("win_share"),
        **points.columns("win_points"),
        "q": nulls(points.q_value(1.0)),
        "verdict": verdicts(points.value, points.q_value(1.0), 1.0, points.level),
        **found["total"].columns("score"),
    }


def points_of(seats: pl.LazyFrame, without: Sequence[str] = ()) -> list[str]:
    """Return the columns of points by category."""
    return [name for name in seats.collect_schema().names() if name.startswith(POINTS) and name not in without]
