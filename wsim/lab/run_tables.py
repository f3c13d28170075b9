"""Build the tables of one or several runs, with splits, options and provenance (``wsim table``)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from wsim.errors import UserError, nearest
from wsim.game import analyses_of, find_analysis, find_game
from wsim.lab.store import Run, label_runs

if TYPE_CHECKING:
    import polars as pl

    from wsim.document import Document
    from wsim.stats.analysis import Analysis
    from wsim.stats.tables import Table

FORMAT = "wsim-table/1"
_FAIR_SHARES = (
    "Runs with different numbers of players have different fair shares of wins, so these figures differ in scale."
)
Texts = Mapping[str, Sequence[str | None]]
"""The strings given on the command line for each table option; None for an option given without a value."""


@dataclass(frozen=True)
class RunTable:
    """A table of runs.

    Attributes
    ----------
    name: the name of the analysis. runs: one or more runs. by: the columns to split by. level: the confidence level.
    teller: the column that distinguishes several runs; empty for a single run. won_by: see ``WonBy``; None: all games.
    """

    name: str
    runs: Sequence[Run]
    analysis: Analysis
    by: tuple[str, ...]
    level: float
    table: Table
    teller: str = ""
    won_by: int | None = None

    @classmethod
    def of(
        cls,
        name: str,
        runs: Sequence[Run],
        by: Sequence[str],
        level: float,
        options: Mapping[str, object],
        won_by: int | None = None,
    ) -> RunTable:
        """Build a table; raise UserError for an unknown table, option or split."""
        from wsim.stats.combined import stack

        analyses = [find_analysis(find_game(run.plan.game), name) for run in runs]
        sources: Sequence[Any] = runs if won_by is None else [WonBy(run, won_by) for run in runs]
        parts = [
            part_analysis.table(run, by, level=level, **options)
            for part_analysis, run in zip(analyses, sources, strict=True)
        ]
        analysis = analyses[0]
        if len(runs) == 1:
            return cls(name, runs, analysis, tuple(by), level, parts[0], won_by=won_by)
        column, values = label_runs(runs)
        table = stack(dict(zip(values, parts, strict=True)), column, by or analysis.by or ())
        return cls(name, runs, analysis, tuple(by), level, table, column, won_by)

    @classmethod
    def beside(cls, parts: Sequence[RunTable]) -> RunTable:
        """Combine the tables of several runs side by side, with the differences from the first run.

        Raises UserError for a single run, or if the tables have no common figure or rows.
        """
        from wsim.stats.combined import side_by_side

        runs = [part.runs[0] for part in parts]
        if len(runs) < 2:
            raise UserError("--beside needs two or more runs: name a second run before the table")
        column, values = label_runs(runs)
        if column == "run":
            names = [run.path.name for run in runs]
            if len(set(names)) < len(runs):  # folders of the same name in different folders
                names = list(map(str, values))
        else:
            names = [f"{value} {column}" for value in values]
        table = side_by_side(dict(zip(names, (part.table for part in parts), strict=True)))
        if table is None:
            raise UserError(f"the table {parts[0].name} of these runs has no rows to put side by side")
        if len({run.plan.players for run in runs}) > 1:
            table = replace(table, note=f"{table.note} {_FAIR_SHARES}")
        return replace(parts[0], runs=runs, table=table)

    @property
    def split(self) -> tuple[str, ...]:
        """The columns by which the rows are split."""
        return self.by or self.analysis.by or ()

    @cached_property
    def splits(self) -> dict[str, str]:
        """The command-line options that would split the rows further, by column."""
        run = self.runs[0]
        if self.analysis.by is None or run.plan.keep == "summary" or not run.shards["seats"]:
            return {}
        names = [name for name in run.seats.collect_schema().names() if ":" not in name]
        return {name: f"--by {','.join((*self.split, name))}" for name in names}

    @property
    def title(self) -> str:
        """The title, with the number of games in each run and the fair share of wins."""
        games = " and ".join(f"{run.games:,}" for run in self.runs)
        which = "" if self.won_by is None else f", only those won by at least {self.won_by} points"
        return f"{self.table.title}, {games} games{which}{fair_share(self.table)}"

    def document(self, rows: pl.DataFrame | None = None, command: str = "") -> Document:
        """Return the table as a document; ``rows``: show only these rows; ``command``: the command that prints it."""
        document = self.table.document(rows, self.title, command)
        telling = self.table.telling(self.runs[0].games, self.level) if len(self.runs) == 1 else ""
        return replace(document, notes=[*document.notes, *filter(None, [telling])])

    def record(self, options: Texts, only: Sequence[str], sort: str | None, top: int | None) -> dict[str, Any]:
        """Return the provenance and the row selection (conditions, sort column, number of rows) as a JSON object."""
        record: dict[str, Any] = {"format": FORMAT, "table": self.name, "title": self.table.title}
        record |= {"note": self.table.note, "level": self.level, "by": list(self.split)}
        record |= {"options": {key: list(texts) for key, texts in options.items()}}
        record |= {"filter": list(only), "sort": sort, "top": top}
        record |= {} if self.won_by is None else {"won_by": self.won_by}
        return record | {"runs": [identity_of(run) for run in self.runs]}


class WonBy:
    """A run restricted to games in which the winner is at least ``points`` ahead of the best other seat.

    Games that all seats win are excluded. Raises UserError for a run of teams or a run without rows.
    """

    def __init__(self, run: Run, points: int) -> None:
        import polars as pl

        from wsim.stats.games import competitors, parties

        seats = competitors(run.seats)
        if parties(seats) < seats.select(pl.col("seat").n_unique()).collect().item():
            raise UserError("games of teams cannot be selected by points, because a side has several seats")
        won = pl.col("win_share") > 0
        ahead = pl.col("total").filter(won).max() - pl.col("total").filter(~won).max()
        self._run, self._wanted = run, seats.group_by("game").agg(ahead=ahead).filter(pl.col("ahead") >= points)

    @property
    def seats(self) -> pl.LazyFrame:
        """The seats table of the selected games, in order."""
        return self._of_these_games(self._run.seats)

    @property
    def picks(self) -> pl.LazyFrame:
        """The picks table of the selected games, in order."""
        return self._of_these_games(self._run.picks)

    def summed(self, _recipe: object) -> WonBy:
        """Return the run unchanged, because stored sums cover all games."""
        return self

    def _of_these_games(self, rows: pl.LazyFrame) -> pl.LazyFrame:
        return rows.join(self._wanted.select("game"), on="game", how="semi", maintain_order="left")

    @property
    def wishes(self) -> None:
        """Raise UserError, because worth is measured in separate games."""
        raise UserError("worth is measured in separate games, whatever the winner's margin: leave out --won-by")

    def between(self, _analysis: object, _figure: str) -> None:
        """Return None, because between-player differences are known only for all games of a run."""

    def __getattr__(self, name: str) -> Any:
        return getattr(self._run, name)


def tables_of_run(run: Run) -> dict[str, Analysis]:
    """Return the analyses that are possible for a run, by name."""
    every = analyses_of(find_game(run.plan.game)).items()
    return {name: analysis for name, analysis in every if analysis.possible(run.plan)}


def identity_of(run: Run) -> dict[str, Any]:
    """Return the fields that identify a run in the record of an analysis."""
    return {
        "folder": str(run.path),
        "digest": run.provenance.digest,
        "games": run.games,
        "complete": run.complete,
        "plan": run.plan.as_dict(),
    }


def fair_share(table: Table) -> str:
    """Return the fair share of wins as a suffix for a title; empty if the fair share differs between games."""
    from wsim.stats.columns import FAIR, SCORE, WIN_SHARE

    if not {"win_share", FAIR} <= set(table.frame.columns):
        return ""
    rows = [row for row in table.frame.iter_rows(named=True) if row["win_share"] is not None and row[FAIR]]
    ratios = [row["win_share"] / row[FAIR] for row in rows]
    if not ratios or max(ratios) - min(ratios) > 1e-6:
        return ""
    average = [row for row in rows if abs(row[FAIR] - 1) < 1e-9]
    fixed = any(WIN_SHARE.interval(row) is None and SCORE.interval(row) is not None for row in average)
    by = ", by construction that of a policy that plays every seat" if fixed else ""
    return f"; a fair share of wins is {ratios[0]:.3f}{by}"


def option_names(analysis: Analysis) -> list[str]:
    """Return the names of a table's options as written on the command line."""
    return [*(["--by"] if analysis.by is not None else []), *(f"--{name}" for name in analysis.options)]


def _option_value(name: str, analysis: Analysis, key: str, texts: Sequence[str | None]) -> object:
    """Parse the value of one table option; raise UserError for an unknown option or an invalid value."""
    known = option_names(analysis)
    if key not in analysis.options:
        has = f"it has {', '.join(known)}" if known else "it has none"
        raise UserError(f"the table {name} has no option '--{key}': {has}{nearest('--' + key, known)}")
    option = analysis.options[key]
    given = [text for text in texts if text is not None]
    if option.flag:
        if given:
            raise UserError(f"the option '--{key}' takes no value, not {given[0]!r}: {option.help}")
        return True
    if len(given) < len(texts):
        raise UserError(f"the option '--{key}' needs a value: {option.help}")
    return option.value(f"--{key}", given)


def read_option_texts(name: str, analysis: Analysis, options: Texts) -> dict[str, object]:
    """Parse the options of a table; raise UserError for an unknown option or an invalid value."""
    return {key: _option_value(name, analysis, key, texts) for key, texts in options.items()}
