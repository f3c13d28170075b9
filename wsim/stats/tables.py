"""Tables of policies or any other factor: win share and score of each level, with intervals."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from wsim.display import html_of
from wsim.document import Chart, Column, Document, Row, Sheet
from wsim.document import names as named
from wsim.errors import UserError, nearest
from wsim.stats.additive import Additive
from wsim.stats.columns import FAIR, PLAYER_HALF_WIDTH, POINTS_OF
from wsim.stats.columns import OUTCOMES as OUTCOME_COLUMNS
from wsim.stats.columns import means as measure_columns
from wsim.stats.factor_sums import CELL_ROWS, Cells, cell_sums
from wsim.stats.games import BATCH_ROWS, Floats, GameBatch, Source, batches, competitors, parties, require, seats_of
from wsim.stats.intervals import Estimate, check_level, nulls, verdicts
from wsim.stats.item_charts import FILLED
from wsim.stats.levels import Levels, columns_of
from wsim.stats.moments import Moments
from wsim.stats.precision import undecided_note
from wsim.stats.strata import almost_all_as_expected, missing_interval_note
from wsim.stats.summary import OUTCOMES, Piece, Summary, summary_of
from wsim.text_tables import text_of

OBSERVATIONAL = (
    "Observational: this compares games in which something happened with games in which it did not, and the seats that "
    "chose it may have been better off already. For the effect of changing it use wsim whatif."
)
CAUSED = (
    "What a card is worth to the seat that wants it is measured by wsim run and wsim experiment worth; what taking it "
    "on a random turn causes, by wsim experiment picks."
)
DEALT = (
    "Intervals are clustered by game. Comparisons are unbiased for anything assigned at random; they may be confounded "
    "for choices of a seat and for things that always occur together (a policy fixed to one seat)."
)
EVERY_SEAT = (
    " A policy that plays every seat of its games has the fair share of wins by construction; that is not an estimate "
    "and has no interval."
)
MANY_CELLS = 1024  # with more cells, FEW_ROWS rows are processed at a time, which have few pairs of cells
FEW_ROWS = 256
_ROUNDING = 1e-12
_TESTED = {"worth": 0.0, "win_difference": 0.0, FAIR: 1.0, "difference": 0.0, "effect": 0.0}
"""The figures that verdicts refer to, and the value that each is tested against."""


def _main_columns(rows: pl.DataFrame, patterns: Sequence[str]) -> Iterator[str]:
    """Yield the columns that match the patterns, omitting those that are always 0; ``points_*`` matches a prefix."""
    for pattern in patterns:
        for name in rows.columns:
            if not (name.startswith(pattern[:-1]) if pattern.endswith("*") else name == pattern):
                continue
            column = rows[name]
            if not (column.dtype.is_numeric() and len(column) > 0 and bool((column.fill_null(1) == 0).all())):
                yield name


Form = Literal["", "levels", "owners", "matchups", "humans"]


@dataclass(frozen=True, repr=False)
class Table:
    """A statistical table.

    Attributes
    ----------
    frame: its rows; the interval of ``x`` is in the columns ``x_low`` and ``x_high``, null if unknown.
    title: a few words. note: how to read it, in a sentence or two.
    columns: the declarations of its columns, in any order; undeclared columns are displayed according to their type.
    form: what a row represents: ``levels``: a level of a factor, where each seat has one level (wonders, policies);
        ``owners``: an item that a seat may have (cards); ``matchups``: two levels against each other; ``humans``: a
        figure compared with human players.
    labels: the columns that name a row.
    charts: its charts. main, first: see ``wsim.stats.analysis.Analysis``.
    """

    frame: pl.DataFrame
    title: str
    note: str = ""
    columns: tuple[Column, ...] = ()
    form: Form = ""
    labels: tuple[str, ...] = ()
    charts: tuple[Chart, ...] = ()
    main: tuple[str, ...] = ()
    first: tuple[str, ...] = ()

    def column(self, name: str) -> Column:
        """Return the declaration of a column."""
        return next(column for column in self.columns if column.name == name)

    def sheet(self, frame: pl.DataFrame | None = None, title: str = "") -> Sheet:
        """Return the table as a sheet; ``frame``: only these rows."""
        rows = self.frame if frame is None else frame
        main = tuple(dict.fromkeys(_main_columns(rows, (*self.labels, *self.main)))) if self.main else ()
        present = [index for index, name in enumerate(rows.columns) if name in self.labels]
        return Sheet(
            title or self.title, rows.to_dicts(), self.columns, main, (*self.labels, *self.first),
            labels=1 + max(present, default=0), charts=self.charts,
        )  # fmt: skip

    def document(self, frame: pl.DataFrame | None = None, title: str = "", command: str = "") -> Document:
        """Return the table and its note as a document; ``frame``: only these rows; ``command``: its shell command."""
        rows, notes = self.frame if frame is None else frame, [self.note] if self.note else []
        return Document(rows, [self.sheet(rows, title)], named="rows", notes=notes, command=command)

    def label(self, row: Row) -> str:
        """Return the label of a row: ``Rhodos B``."""
        return " ".join(str(row[name]) for name in self.labels if row.get(name) is not None)

    def telling(self, games: int, level: float = 0.95) -> str:
        """Return a sentence on how many games beyond ``games`` would settle unclear rows; empty if there are none."""
        figure = next((name for name in _TESTED if f"{name}_low" in self.frame.columns), None)
        if figure is None or "verdict" not in self.frame.columns:
            return ""
        rows, null = self.frame, _TESTED[figure]
        if PLAYER_HALF_WIDTH in rows.columns and figure in (FAIR, "worth"):  # more games do not narrow it
            unit = pl.col(FAIR) / pl.col("win_share") if figure == FAIR else pl.lit(1.0)
            player = pl.col(PLAYER_HALF_WIDTH).fill_null(0.0) * unit
            away = ((pl.col(figure) - null).pow(2) - player.pow(2)).clip(0.0).sqrt()
            moved = null + away - pl.col(figure)
            rows = rows.with_columns((pl.col(name) + moved) for name in (figure, f"{figure}_low", f"{figure}_high"))
        return undecided_note(rows, self.labels, figure, games, reference=null, level=level, title=self.title)

    def to_polars(self) -> pl.DataFrame:
        """Return the rows as a Polars frame."""
        return self.frame

    def to_pandas(self) -> Any:
        """Return the rows as a pandas frame; raise UserError if pandas or pyarrow is not installed."""
        return pandas_of(self.frame)

    def plot(self, value: str | None = None) -> Any:
        """Return an Altair chart of each row's value with its interval.

        Raises UserError if the extra ``report`` is missing.

        ``value``: a column with interval ends (``_low``, ``_high``); by default the column in the first chart of the
        run's page.
        """
        drawn = [name for chart in self.charts for name in chart.values]
        columns = self.frame.columns
        known = [name for name in columns if f"{name}_low" in columns and f"{name}_high" in columns]
        if value is not None and value not in known:
            raise UserError(f"no interval to plot of {value!r}{nearest(value, known)}: there are {', '.join(known)}")
        shown = value or next((name for name in (*drawn, *known) if name in known), None)
        if shown is None:
            raise UserError(f"the table {self.title!r} has no column with an interval to plot")
        try:
            import altair as alt
        except ImportError:
            raise UserError("plot needs an extra: pip install 'wsim[report]'") from None
        labels = [name for name in self.labels if name in self.frame.columns] or self.frame.columns[:1]
        frame = self.frame.select(
            pl.concat_str(pl.col(labels).cast(pl.String), separator=" ").alias("row"),
            pl.col(shown).alias("value"), pl.col(f"{shown}_low").alias("low"), pl.col(f"{shown}_high").alias("high"),
        ).drop_nulls()  # fmt: skip
        across = alt.X("value:Q", scale=alt.Scale(zero=False), title=shown.replace("_", " "))
        base = alt.Chart(frame, title=self.title).encode(y=alt.Y("row:N", sort=None, title=", ".join(labels)))
        intervals = base.mark_rule().encode(x=alt.X("low:Q", title=shown.replace("_", " ")), x2="high:Q")
        return intervals + base.mark_point(filled=True).encode(x=across, tooltip=["row", "value", "low", "high"])

    def __repr__(self) -> str:
        return text_of(self.title, self.document())

    def _repr_html_(self) -> str:
        return html_of(self.title, self.document())


def pandas_of(frame: pl.DataFrame) -> Any:
    """Convert a frame to pandas; raise UserError if pandas or pyarrow is not installed."""
    try:
        return frame.to_pandas()
    except ImportError:
        raise UserError("to_pandas needs pandas and pyarrow: pip install pandas pyarrow") from None


def policies(source: Source, by: str | Sequence[str] = ("policy",), *, level: float = 0.95) -> Table:
    """Return win share, score and points by category for each policy, or by other columns; see ``factor``."""
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
    source: a run or its seats table; to use only some games or seats, filter the table first.
    by: the factor's column or columns.
    measures: columns whose means are included (default: the points by category).
    within: columns (policy) for which the means are adjusted, to what each level would have with the mix of all seats
        (``wsim.stats.additive``). No adjustment is made if the levels cannot be separated from these columns; the note
        then says so.
    level: confidence level of the intervals, which are clustered by game.
    title: the title of the table (default: the columns).

    Columns: the ``by`` columns, n (seats), win_share, fair_share_ratio (win share times the number of players or teams:
    1.00 is average at any table), score, each with _low and _high; q (win share against the average,
    Benjamini-Hochberg), verdict (higher or lower than average, or unclear), score_sd, and the mean of each measure.
    Sorted by win share.
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
    alone = _takes_every_seat(sums.moments, sides)
    estimates = sums.estimates(level)
    estimates["win_share"] = estimates["win_share"].unknown(alone)
    frame = pl.DataFrame({**front.to_dict(), **_outcome_columns(estimates, sides), **about.to_dict()})
    note = _note(within, adjusted is not None) + (EVERY_SEAT if alone.any() else "")
    note += missing_interval_note(frame.filter(~alone), "win_share_low", "score_low")
    frame = frame.sort(["win_share", *columns], descending=[True, *[False] * len(columns)], nulls_last=True)
    points = [name for name in chosen if name.startswith(POINTS_OF)]
    return Table(
        frame,
        title or f"By {' and '.join(columns)}",
        note,
        columns=(*named(columns), *OUTCOME_COLUMNS, *measure_columns(chosen)),
        form="levels",
        labels=columns,
        charts=level_charts(columns, points),
    )


def level_charts(labels: tuple[str, ...], points: Sequence[str]) -> tuple[Chart, ...]:
    """Return the charts for a table of levels: win shares, and points by category."""
    noun = " and ".join(labels).replace("_", " ")
    wins = Chart(
        "forest", (FAIR,), labels, f"Wins by {noun} (x fair share, with intervals)",
        caption=f"The dashed line is the fair share. {FILLED}", judged=True,
    )  # fmt: skip
    parts = Chart("stacked", ("score", *points), labels, f"Mean points by category for each {noun}")
    return (wins, parts) if points else (wins,)


@dataclass(frozen=True)
class _LevelSums:
    """The sums behind a table of levels.

    Attributes
    ----------
    levels: the levels, with the columns n, score_sd and the means of the measures.
    moments: the moments of rows and outcomes by level.
    adjusted: the adjustment model; None: no adjustment.
    squares: by outcome, the squared errors of the model's means, summed over games.
    """

    levels: Levels
    moments: Moments
    adjusted: Additive | None
    squares: Mapping[str, Floats]

    @classmethod
    def of_rows(
        cls, players: pl.LazyFrame, columns: tuple[str, ...], within: tuple[str, ...], measures: Sequence[str]
    ) -> _LevelSums:
        """Compute the sums from the rows of a table."""
        spread = pl.col("total").std().alias("score_sd")
        levels = Levels.of(players, columns, pl.len().alias("n"), spread, *(pl.col(name).mean() for name in measures))
        names = [*OUTCOMES, *measures]
        each = [pl.col(name).cast(pl.Float64).sum().alias(f"_{index}") for index, name in enumerate(names)]
        cells = Levels.of(players, (*columns, *within), pl.len().alias(CELL_ROWS), *each) if within else levels
        adjusted = Additive.fit(cells.frame, levels, Levels.of(players, within), names) if within else None
        moments, squares = Moments(len(levels), 1 + len(OUTCOMES)), {name: np.zeros(len(levels)) for name in OUTCOMES}
        rows = BATCH_ROWS if len(cells) <= MANY_CELLS else FEW_ROWS
        for batch in batches(players, dict.fromkeys([*columns, *within, *OUTCOMES]), rows=rows):
            codes = levels.codes(batch.frame)
            moments.add(*outcomes(batch, codes, len(levels)))
            if adjusted:
                present, cell = np.unique(cells.codes(batch.frame), return_inverse=True)
                arrays = cell_sums(Piece(batch, 0, 1), (cell, len(present)), (codes, len(levels)))
                for name, more in _squares(adjusted, cells.frame[present], arrays["pairs"]).items():
                    squares[name] += more
        return cls(levels, moments, adjusted, squares)

    @classmethod
    def of_summary(
        cls, summary: Summary, columns: tuple[str, ...], within: tuple[str, ...], measures: Sequence[str]
    ) -> _LevelSums:
        """Take the sums from the summary of a run without rows."""
        cells, names = Cells.of(summary, columns, within), [*OUTCOMES, *measures]
        levels = cells.levels(columns, measures)
        strata = Levels.of(cells.frame.lazy(), within) if within else None
        adjusted = Additive.fit(cells.summed(columns, within, names), levels, strata, names) if strata else None
        squares = _squares(adjusted, cells.frame, cells.pairs) if adjusted else {}
        return cls(levels, cells.moments(levels), adjusted, squares)

    def estimates(self, level: float) -> dict[str, Estimate]:
        """Estimate the means of the outcomes by level."""
        fit, games = self.adjusted, self.moments.games[:, 0]
        if fit is None:
            return _unadjusted_means(self.moments, level)
        estimates = {name: fit.estimate(name, squares, games, level) for name, squares in self.squares.items()}
        n, wins = self.moments.totals[:, 0], self.moments.totals[:, 1]
        estimates["win_share"] = estimates["win_share"].allowing(np.minimum(wins, n - wins) <= _ROUNDING * n, games)
        usual = almost_all_as_expected(fit.mix * fit.rows, fit.sums[:, fit.names.index("win_share")])
        return {**estimates, "win_share": estimates["win_share"].unknown(np.full(len(self.levels), usual))}


def _squares(adjusted: Additive, cells: pl.DataFrame, pairs: Floats) -> dict[str, Floats]:
    """Compute the squared errors of adjusted means for each outcome, from products of pairs of cells."""
    return {
        name: adjusted.squares(cells, pairs[np.ix_([0, index], [0, index])], name)
        for index, name in enumerate(OUTCOMES, 1)
    }


def _note(within: Sequence[str], adjusted: bool) -> str:
    """Return the note of a table of levels."""
    noun = " and ".join(within)
    if adjusted:
        return f"Means are those of each level if it had the mix of all seats by {noun}. {DEALT}"
    return f"Raw: in these games the levels cannot be separated from {noun}. {DEALT}" if within else DEALT


def outcomes(batch: GameBatch, codes: NDArray[np.int64], levels: int, names: Sequence[str] = OUTCOMES) -> list[Floats]:
    """Return per-game sums by level, of rows and of the named columns, each of shape (levels, games)."""
    return [batch.sums_by(codes, levels), *(batch.sums_by(codes, levels, batch.column(name)) for name in names)]


def outcome_columns(moments: Moments, sides: int, level: float) -> dict[str, pl.Series]:
    """Return the win share, fair share ratio and score columns, computed from the moments of ``outcomes``.

    ``sides``: the number of players or teams in every game.
    """
    estimates = _unadjusted_means(moments, level)
    estimates["win_share"] = estimates["win_share"].unknown(_takes_every_seat(moments, sides))
    return _outcome_columns(estimates, sides)


def _takes_every_seat(moments: Moments, sides: int) -> NDArray[np.bool_]:
    """Return a mask of the levels that occupy all seats of their games and therefore always win 1 / seats."""
    return np.asarray(moments.totals[:, 0] == sides * moments.games[:, 0]) & (moments.games[:, 0] > 0)


def _unadjusted_means(moments: Moments, level: float) -> dict[str, Estimate]:
    """Estimate the unadjusted means of the outcomes by level."""
    return {name: moments.ratio(index, 0, level, share=name == "win_share") for index, name in enumerate(OUTCOMES, 1)}


def _outcome_columns(estimates: Mapping[str, Estimate], sides: int) -> dict[str, pl.Series]:
    share = estimates["win_share"]
    points, shown = share.scaled(float(sides)), share.bounded()
    return {
        **shown.columns("win_share"),
        **shown.scaled(float(sides)).columns(FAIR),
        "q": nulls(points.q_value(1.0)),
        "verdict": verdicts(points.value, points.q_value(1.0), 1.0, points.level),
        **estimates["total"].columns("score"),
    }


def points_of(seats: pl.LazyFrame, without: Sequence[str] = ()) -> list[str]:
    """Return the names of the columns with points by category, except those in ``without``."""
    return [name for name in seats.collect_schema().names() if name.startswith(POINTS_OF) and name not in without]
