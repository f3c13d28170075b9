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
from wsim.stats.factor_sums import CELL_ROWS, Cells, cell_sums
from wsim.stats.games import BATCH_ROWS, Floats, GameBatch, Source, batches, competitors, parties, require, seats_of
from wsim.stats.intervals import Estimate, check_level, nulls, verdicts
from wsim.stats.levels import Levels, columns_of
from wsim.stats.moments import Moments
from wsim.stats.strata import all_usual, usual_note
from wsim.stats.summary import OUTCOMES, Piece, Summary, summary_of

OBSERVATIONAL = (
    "Observational: it compares games in which something happened with games in which it did not, and whoever chose it "
    "may have been better off already. What a change of it causes is measured by wsim whatif."
)
DEALT = (
    "Intervals are clustered by game. What was dealt or seated by chance is compared fairly; "
    "what a seat chose, or was given together with something else (a policy always in the same seat), is not."
)
EVERY_SEAT = (
    " Who takes every seat of its games has the fair share of their wins by construction: that is no estimate, and has "
    "no interval."
)
POINTS = "points_"
MANY_CELLS = 1024  # of levels and strata: with more, FEW_ROWS at a time, whose pairs of cells are few, too
FEW_ROWS = 256
_ROUNDING = 1e-12


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
    summary = summary_of(source)
    if summary is None:
        seats = seats_of(source)
        require(seats, ["game", "seat", "win_share", "total", *columns])
        chosen = points_of(seats, columns) if measures is None else list(measures)
        require(seats, chosen)
        sums, sides = _LevelSums.of_rows(competitors(seats), columns, tuple(within), chosen), parties(seats)
    else:
        known = summary.labels["measures"]
        chosen = [name for name in known if name not in columns] if measures is None else list(measures)
        if unknown := [name for name in chosen if name not in known]:
            raise UserError(f"the run keeps no sums of {', '.join(unknown)}: play it with --keep seats")
        sums, sides = _LevelSums.of_summary(summary, columns, tuple(within), chosen), summary.sides
    adjusted, front = sums.adjusted, sums.levels.frame.select(*columns, "n")
    about = sums.levels.frame.select("score_sd", *chosen)
    if adjusted:
        means = dict(zip(adjusted.names, adjusted.means().T, strict=True))
        about = about.with_columns(nulls(means[name]).alias(name) for name in chosen)
    alone = _in_every_seat(sums.moments, sides)
    found = sums.estimates(level)
    found["win_share"] = found["win_share"].unknown(alone)
    frame = pl.DataFrame({**front.to_dict(), **_outcome_columns(found, sides), **about.to_dict()})
    note = _note(within, adjusted is not None) + (EVERY_SEAT if alone.any() else "")
    note += usual_note(frame.filter(~alone), "win_share_low", "score_low")
    frame = frame.sort(["win_share", *columns], descending=[True, *[False] * len(columns)], nulls_last=True)
    return Table(frame, title or f"By {' and '.join(columns)}", note)


@dataclass(frozen=True)
class _LevelSums:
    """What a table of levels is made of.

    Attributes
    ----------
    levels: with the columns n, score_sd and the means of the measures.
    moments: of rows and outcomes by level.
    adjusted: the model that levels are adjusted by; None: they are not.
    squares: of the errors of its means, summed over games, by outcome.
    """

    levels: Levels
    moments: Moments
    adjusted: Additive | None
    squares: Mapping[str, Floats]

    @classmethod
    def of_rows(
        cls, players: pl.LazyFrame, columns: tuple[str, ...], within: tuple[str, ...], measures: Sequence[str]
    ) -> _LevelSums:
        """Add up the rows of a table."""
        spread = pl.col("total").std().alias("score_sd")
        levels = Levels.of(players, columns, pl.len().alias("n"), spread, *(pl.col(name).mean() for name in measures))
        names = [*OUTCOMES, *measures]
        each = [pl.col(name).cast(pl.Float64).sum().alias(f"_{place}") for place, name in enumerate(names)]
        cells = Levels.of(players, (*columns, *within), pl.len().alias(CELL_ROWS), *each) if within else levels
        adjusted = Additive.fit(cells.frame, levels, Levels.of(players, within), names) if within else None
        moments, squares = Moments(len(levels), 1 + len(OUTCOMES)), {name: np.zeros(len(levels)) for name in OUTCOMES}
        rows = BATCH_ROWS if len(cells) <= MANY_CELLS else FEW_ROWS
        for batch in batches(players, dict.fromkeys([*columns, *within, *OUTCOMES]), rows=rows):
            codes = levels.codes(batch.frame)
            moments.add(*outcomes(batch, codes, len(levels)))
            if adjusted:
                there, cell = np.unique(cells.codes(batch.frame), return_inverse=True)
                found = cell_sums(Piece(batch, 0, 1), (cell, len(there)), (codes, len(levels)))
                for name, more in _squares(adjusted, cells.frame[there], found["pairs"]).items():
                    squares[name] += more
        return cls(levels, moments, adjusted, squares)

    @classmethod
    def of_summary(
        cls, summary: Summary, columns: tuple[str, ...], within: tuple[str, ...], measures: Sequence[str]
    ) -> _LevelSums:
        """Take the sums of a run."""
        cells, names = Cells.of(summary, columns, within), [*OUTCOMES, *measures]
        levels = cells.levels(columns, measures)
        strata = Levels.of(cells.frame.lazy(), within) if within else None
        adjusted = Additive.fit(cells.summed(columns, within, names), levels, strata, names) if strata else None
        squares = _squares(adjusted, cells.frame, cells.pairs) if adjusted else {}
        return cls(levels, cells.moments(levels), adjusted, squares)

    def estimates(self, level: float) -> dict[str, Estimate]:
        """Return the means of the outcomes."""
        fit, games = self.adjusted, self.moments.games[:, 0]
        if fit is None:
            return _plain(self.moments, level)
        found = {name: fit.estimate(name, squares, games, level) for name, squares in self.squares.items()}
        n, wins = self.moments.totals[:, 0], self.moments.totals[:, 1]
        found["win_share"] = found["win_share"].allowing(np.minimum(wins, n - wins) <= _ROUNDING * n, games)
        usual = all_usual(fit.mix * fit.rows, fit.sums[:, fit.names.index("win_share")])
        return {**found, "win_share": found["win_share"].unknown(np.full(len(self.levels), usual))}


def _squares(adjusted: Additive, cells: pl.DataFrame, pairs: Floats) -> dict[str, Floats]:
    """Return the squares of the errors of adjusted means by outcome, from products of pairs of cells."""
    return {
        name: adjusted.squares(cells, pairs[np.ix_([0, place], [0, place])], name)
        for place, name in enumerate(OUTCOMES, 1)
    }


def _note(within: Sequence[str], adjusted: bool) -> str:
    """Return what a table of levels says and what it does not."""
    what = " and ".join(within)
    if adjusted:
        return f"Means are those of each level if it had the mix of all seats by {what}. {DEALT}"
    return f"Raw: in these games the levels cannot be told from {what}. {DEALT}" if within else DEALT


def outcomes(batch: GameBatch, codes: NDArray[np.int64], levels: int, names: Sequence[str] = OUTCOMES) -> list[Floats]:
    """Return per-game sums by level of rows and of the columns named, each of shape (levels, games)."""
    return [batch.sums_by(codes, levels), *(batch.sums_by(codes, levels, batch.column(name)) for name in names)]


def outcome_columns(moments: Moments, sides: int, level: float) -> dict[str, pl.Series]:
    """Return the columns of win share, win points and score from the moments of ``outcomes``.

    ``sides`` is the number of players or teams of every game.
    """
    found = _plain(moments, level)
    found["win_share"] = found["win_share"].unknown(_in_every_seat(moments, sides))
    return _outcome_columns(found, sides)


def _in_every_seat(moments: Moments, sides: int) -> NDArray[np.bool_]:
    """Say of each level whether it takes all seats of its games: its share of their wins is 1 / seats whatever."""
    return np.asarray(moments.totals[:, 0] == sides * moments.games[:, 0]) & (moments.games[:, 0] > 0)


def _plain(moments: Moments, level: float) -> dict[str, Estimate]:
    """Return the means of the outcomes."""
    return {name: moments.ratio(place, 0, level, share=name == "win_share") for place, name in enumerate(OUTCOMES, 1)}


def _outcome_columns(found: Mapping[str, Estimate], sides: int) -> dict[str, pl.Series]:
    share = found["win_share"]
    points = share.scaled(float(sides))
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
