"""Compare two runs, metric by metric: game by game where they have the same deals, otherwise as independent samples.

Games with the same seed draw from the same random streams (wsim/rng.py), so two runs with the same seed and number of
players are paired on their common games: the luck of the deal is the same in both and cancels to the extent that the
rules deal alike, and the interval accounts for what the streams have in common. Runs with different seeds, or parts
without a common game, are independent: their squared errors add up. Either way, intervals are clustered by game.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import polars as pl

from wsim.document import CATEGORY, COUNT, NAME, NUMBER, SHARE, Chart, Column, Conclusion, Document, Sheet, estimated
from wsim.errors import UserError, nearest
from wsim.game import find_game
from wsim.installed import GAMES
from wsim.lab.answer import Stored, View, whole
from wsim.lab.execution import Execution
from wsim.lab.journal import differences
from wsim.lab.people_runs import open_two_runs
from wsim.lab.progress import Progress
from wsim.lab.run import record
from wsim.lab.store import Run, load_run
from wsim.questions.asked import AskedAnswer
from wsim.questions.compare.question import CompareQuestion
from wsim.questions.contrasts import Contrasts, MetricReading
from wsim.questions.deals import Features
from wsim.questions.largest import Largest, Row
from wsim.questions.metrics import WORTHS, Metric, group_metrics, measures_of, parse_metric
from wsim.questions.words import Words, metric_in_words
from wsim.stats.clusters import clustered, clusterings_of
from wsim.stats.columns import POINTS_OF, VERDICT, N, Q
from wsim.stats.distributions import normal_quantile, two_sided_p
from wsim.stats.intervals import Estimate, benjamini_hochberg, check_level, nulls
from wsim.stats.moments import Moments
from wsim.stats.precision import reached, stages, widest_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

FIRST = ("metric", "difference", "verdict", "q", "first", "second", "n")
MAX_SHOWN = 60  # maximum number of characters shown of a value
BLOCK = 8192  # number of games added at a time
MAX_SIMULATED = 50_000  # games used of a simulated run that is compared with people; its error is then negligible


@dataclass(frozen=True, repr=False)
class CompareAnswer(AskedAnswer):
    """The difference between two runs.

    Attributes
    ----------
    runs: the folders of the runs; differences are the second run minus the first.
    differs: the settings in which the runs differ, by path: the values in the first and second run.
    paired: whether the runs are paired game by game. how: a sentence on this, with the reason.
    games: the number of games of each run that count.
    level: confidence level of each interval separately.
    metrics: one row per metric: metric, share (whether it is between 0 and 1), first and second (its value in each
        run), difference with difference_low and difference_high, q (Benjamini-Hochberg over the table), n_first and
        n_second (seats or games that count); if paired, also differing (games that differ) and variance_removed (by
        pairing). Unknown values are null.
    within: the wanted half width of the differences.
    """

    FORMAT: ClassVar[str] = "wsim-compare/1"
    COMMAND: ClassVar[str] = "wsim compare"
    TITLE: ClassVar[str] = "a comparison of runs"
    TABLES: ClassVar[tuple[str, ...]] = ("metrics",)

    runs: tuple[str, str]
    differs: Mapping[str, tuple[Any, Any]]
    paired: bool
    how: str
    games: tuple[int, int]
    level: float
    metrics: pl.DataFrame
    within: float | None = None

    @classmethod
    def columns(cls, record: Mapping[str, Any]) -> Mapping[str, Sequence[Column]]:  # noqa: ARG003
        """Return the column declarations of each table."""
        return {"metrics": metric_columns()}

    @classmethod
    def conclusion(cls, stored: Stored) -> Conclusion | None:
        """State the metrics in which the runs differ most."""
        record, owned = stored.record, dict[str, str]()
        for name in GAMES:
            owned |= find_game(name).OWNED
        first, second = (PurePath(run).name for run in record["runs"])

        def words(row: Row) -> Words:
            words = metric_in_words(str(row["metric"]), owned)
            ends = [f"{after} in {second} than in {first}" for after in words.after]
            return replace(words, after=(ends[0], ends[1]))

        level = float(record["level"])
        metrics = Largest(
            "difference", level, words, lambda row: row["q"] is not None and row["q"] < 1 - level, relative=True
        )
        return metrics.conclusion(stored.main.to_dicts(), "The runs do not differ clearly.", "differences")

    @property
    def widest(self) -> float:
        """The largest half width of an interval of a difference."""
        return widest_of(self.metrics["difference_low"], self.metrics["difference_high"])

    @property
    def title(self) -> str:
        """The title of the difference: ``second minus first``."""
        first, second = self.runs
        return f"{second} minus {first}"

    @classmethod
    def document(cls, stored: Stored) -> Document:
        """Return a stored answer as a document for pages: separate charts for differences in shares and points."""
        sheets = []
        for share, title in ((False, "Points and counts"), (True, "Shares")):
            metrics = stored.main.filter(pl.col("share") == share)
            chart = Chart("forest", ("difference",), ("metric",), f"{title}: second run minus first, with intervals")
            if not metrics.is_empty():
                sheets.append(stored.sheet("metrics", title, metrics.drop("share"), charts=(chart,)))
        return Document(stored.main, sheets, notes=[f"{stored.record['how']}."])

    def display(self, view: View = whole) -> Document:
        """Return the answer as a document: differing settings, then points and counts, then shares."""
        shown = view(self.metrics)
        tables = [Sheet("What differs", self._differences())] if self.differs else []
        for what, part in shown.partition_by("share", as_dict=True, maintain_order=True, include_key=False).items():
            title = f"{self.title}: {'shares' if what == (True,) else 'points and counts'}"
            declared = metric_columns(shares=what == (True,))
            tables.append(Sheet(title, _slim(part).to_dicts(), declared, first=FIRST))
        first, second = self.games
        games = f"{first:,} games each" if first == second else f"{first:,} and {second:,} games"
        notes = [f"{self.how}. {games}; {100 * self.level:g}% intervals, clustered by game."]
        notes += filter(None, [reached(min(self.games), self.within, self.widest, "the differences")])
        if not self.differs:
            notes.append("Both runs have the same plan, rules and version, so they contain the same games.")
        return Document(rows=shown, named="metrics", tables=tables, notes=notes)

    def _differences(self) -> list[dict[str, str]]:
        """Return one row per setting that differs."""
        first, second = self.runs
        names = (first, second) if first != second else ("first", "second")
        return [
            {"what": path, **{name: _shortened(value) for name, value in zip(names, values, strict=True)}}
            for path, values in self.differs.items()
        ]


def metric_columns(*, shares: bool = False) -> tuple[Column, ...]:
    """Declare the columns of a table of metrics; ``shares``: whether all of them are shares."""
    kind, of = SHARE if shares else NUMBER, "of wins or seats" if shares else ""
    return (
        Column("metric", NAME), Column("share", CATEGORY), Column("first", kind, unit=of), N, Q,
        Column("second", kind, unit=of), VERDICT, Column("n_first", COUNT), Column("n_second", COUNT),
        estimated("difference", kind, unit=of, difference=True, about="second minus first"),
        Column("differing", COUNT, heading="games that differ"),
        Column("variance_removed", SHARE, heading="variance reduction", unit="of the variance"),
    )  # fmt: skip


def _slim(metrics: pl.DataFrame) -> pl.DataFrame:
    """Drop columns that duplicate another column; the JSON record has all of them."""
    if not (metrics["n_first"] == metrics["n_second"]).all():
        return metrics
    return metrics.drop("n_second", "differing", strict=False).rename({"n_first": "n"})


def _shortened(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= MAX_SHOWN else f"{text[: MAX_SHOWN - 3]}..."


def ask(question: CompareQuestion, execution: Execution = Execution()) -> CompareAnswer:
    """Compare two runs; raise UserError for runs that cannot be compared, StoreError for a damaged one."""
    first, second = open_two_runs(question.first, question.second)
    how: dict[str, Any] = {"level": question.level, "progress": execution.progress}
    answer = compare_runs(first, second, question.metric, **how)

    def half() -> float:
        return answer.widest

    every = stages(max(first.plan.games, second.plan.games), question.within, half)
    for stage in every:
        if stage.start or (question.within is not None and half() > question.within and first.games != second.games):
            first, second = (_with_more_games(run, stage.stop, execution) for run in (first, second))
            answer = compare_runs(first, second, question.metric, **how)
    return replace(answer, within=question.within)


def _with_more_games(run: Run, games: int, execution: Execution) -> Run:
    """Play the missing games into a run's folder, and return the run with at least ``games`` games."""
    if run.plan.games >= games and run.complete:
        return run
    if run.plan.code:
        raise UserError(
            f"{str(run.path)!r} would run its {run.plan.code_in_words()}: to add games, use wsim run --resume --trust"
        )
    plan = load_run(run.path, to_resume=True).plan.replace(games=max(games, run.plan.games))
    how: dict[str, Any] = {"threads": execution.threads, "cluster": execution.cluster, "progress": execution.progress}
    return record(plan, run.path, resume=True, **how)


def compare_runs(
    first: Run, second: Run, metrics: Sequence[str] = (), *, level: float = 0.95, progress: Progress | None = None
) -> CompareAnswer:
    """Compare two runs with the same game and number of players.

    ``metrics`` are written as in ``wsim.questions.metrics`` (default: score, its categories, and win share and score of
    every name).

    Raises UserError for runs that cannot be compared, StoreError for a damaged one.
    """
    check_level(level)
    of_worth = [name for name in metrics if name.partition(":")[0] in WORTHS]
    others = [name for name in metrics if name not in of_worth]
    of_rows = bool(others) or not of_worth
    _check_comparable(first, second, of_rows=of_rows)
    chosen = _metrics(first, second, others) if of_rows else ()
    worths = _worths(first, second, of_worth, level)
    by_people = first.people is not None or second.people is not None
    common = _common(first, second) if of_rows and first.plan.seed == second.plan.seed and not by_people else []
    games = sum(map(len, common))
    paired = games > 1
    columns: dict[str, pl.Series] = {}
    how = ""
    if not chosen:
        how = "Games that measure worth are treated as independent"
        counts = (first.games, second.games)
    elif paired:
        columns = _paired(first, second, chosen, common, level, progress)
        counts = (games, games)
    elif by_people:
        columns, how = _with_people(first, second, chosen, level)
        first_games, second_games = (
            run.games if run.people else min(run.games, MAX_SIMULATED) for run in (first, second)
        )
        counts = (first_games, second_games)
    else:
        columns = _separate(first, second, chosen, level, progress)
        counts = (first.games, second.games)
    names = {"metric": [metric.name for metric in chosen], "share": [metric.share for metric in chosen]}
    frame = pl.concat([pl.DataFrame({**names, **columns}), worths], how="diagonal") if chosen else worths
    return CompareAnswer(
        runs=(str(first.path), str(second.path)),
        differs=differences(first.provenance.identity, second.provenance.identity),
        paired=paired,
        how=how or _pairing_sentence(first, second, games),
        games=counts,
        level=level,
        metrics=frame,
    )


def _worths(first: Run, second: Run, names: Sequence[str], level: float) -> pl.DataFrame:
    """Compare worth metrics of two runs, treated as independent; raise UserError if either run lacks one."""
    rows: list[dict[str, Any]] = []
    tables = [run.worth(level=level).frame for run in (first, second)] if names else []
    z = float(normal_quantile((1 + level) / 2))
    for name in names:
        column, _, item = name.partition(":")
        figure = WORTHS[column]
        known = [table.filter(pl.col("name").str.to_lowercase() == item.strip().lower()) for table in tables]
        for run, table, found in zip((first, second), tables, known, strict=True):
            if found.is_empty():
                guess = nearest(item, table["name"].to_list())
                where = str(run.path)
                raise UserError(f"the worth of {item!r} is unknown in {where!r}{guess}: see wsim table RUN worth")
        first_row, second_row = (row.row(0, named=True) for row in known)
        difference = second_row[figure] - first_row[figure]
        reach = float(
            np.hypot(*((row[f"{figure}_high"] - row[f"{figure}_low"]) / 2 for row in (first_row, second_row)))
        )
        rows.append(
            {
                "metric": name, "share": figure == "worth", "first": first_row[figure], "second": second_row[figure],
                "difference": difference, "difference_low": difference - reach, "difference_high": difference + reach,
                "q": float(two_sided_p(difference / reach * z, np.inf)),
                "n_first": first_row["overruled"], "n_second": second_row["overruled"],
            }
        )  # fmt: skip
    frame = pl.DataFrame(rows)
    return frame.with_columns(q=nulls(benjamini_hochberg(frame["q"].to_numpy()))) if rows else frame


def _check_comparable(first: Run, second: Run, *, of_rows: bool) -> None:
    """Raise UserError unless both runs have games and agree in game, number of players and, with rows, seats."""
    first_plan, second_plan = first.plan, second.plan
    names = f"{str(first.path)!r} and {str(second.path)!r}"
    if first_plan.game != second_plan.game:
        raise UserError(f"{names} cannot be compared: they are runs of {first_plan.game} and of {second_plan.game}")
    if first_plan.players != second_plan.players:
        raise UserError(f"{names} cannot be compared: they have {first_plan.players} and {second_plan.players} players")
    if not of_rows:
        return
    seats = [_seats_a_game(run) for run in (first, second)]
    if seats[0] != seats[1]:
        raise UserError(f"{names} cannot be compared: their games have {seats[0]} and {seats[1]} seats")


def _seats_a_game(run: Run) -> int:
    """Return the number of rows per game; raise UserError for a run without games."""
    first = run.seats.select(pl.col("game").first()).collect().item()  # raises if there are no rows
    return int(run.rows_of("seats", range(first, first + 1)).select(pl.len()).collect().item())


def _metrics(first: Run, second: Run, names: Sequence[str]) -> tuple[Metric, ...]:
    """Return the requested metrics (or the default ones); raise UserError for a metric that neither run has."""
    samples = [pl.DataFrame(schema=run.seats.collect_schema()) for run in (first, second)]
    by_people = bool(first.people or second.people)
    if by_people:  # only columns that both recorded; the players are what is compared
        own = {*set(samples[0].columns) ^ set(samples[1].columns), "policy", "player", "group"}
        samples = [_with_seats(sample.drop(own, strict=False), first, second) for sample in samples]
    owned = find_game(first.plan.game).OWNED
    if names:
        return tuple(dict.fromkeys(_parse_for_either(name, samples, owned) for name in names))
    defaults = ["score", *(name for name in measures_of(samples[0]) if name.startswith(POINTS_OF))]
    metrics = [parse_metric(name, samples[0], owned) for name in defaults]
    for sample in samples:
        metrics += group_metrics(("win", "score"), sample)
    if by_people:
        items = [name for name in samples[0].columns if name.startswith(tuple(owned))]
        metrics += [parse_metric(name, samples[0], owned) for name in items]
    return tuple(dict.fromkeys(metrics))


def _with_seats(seats: pl.DataFrame, first: Run, second: Run) -> pl.DataFrame:
    """Name the seats (``seat 0``) so that they can be compared, unless games between people did not record them."""
    if any(run.people is not None and run.people["seats"] != "recorded" for run in (first, second)):
        return seats
    names = [f"seat {number}" for number in range(_seats_a_game(first))]
    return seats.with_columns(pl.format("seat {}", "seat").cast(pl.Enum(names)).alias("seat"))


def _parse_for_either(name: str, samples: Sequence[pl.DataFrame], owned: Mapping[str, str]) -> Metric:
    """Parse a metric that may exist in only one of the runs."""
    try:
        return parse_metric(name, samples[0], owned)
    except UserError:
        try:
            return parse_metric(name, samples[1], owned)
        except UserError:
            pass
        raise


def _spans(run: Run) -> list[range]:
    """Return the games of a run as ascending ranges."""
    spans: list[range] = []
    for shard in run.shards["seats"]:
        games = range(shard.first, shard.first + shard.games)
        if spans and spans[-1].stop == games.start:
            spans[-1] = range(spans[-1].start, games.stop)
        else:
            spans.append(games)
    return spans


def _common(first: Run, second: Run) -> list[range]:
    """Return the games that both runs contain, as ranges."""
    pairs = ((left, right) for left in _spans(first) for right in _spans(second))
    both = (range(max(left.start, right.start), min(left.stop, right.stop)) for left, right in pairs)
    return [games for games in both if games]


def _pairing_sentence(first: Run, second: Run, games: int) -> str:
    """Return a sentence on how the two runs are compared, and why."""
    plan, second_plan = first.plan, second.plan
    if games <= 1:
        why = (
            f"their seeds are {plan.seed} and {second_plan.seed}"
            if plan.seed != second_plan.seed
            else "they have no games in common"
        )
        return f"Unpaired: {why}, so the runs are independent"
    dealt = first.provenance.identity.get("rules") == second.provenance.identity.get("rules")
    alike = plan.ruleset == second_plan.ruleset and plan.options == second_plan.options and dealt
    deals = "the same deals" if alike else "the same deals where the rules allow it"
    left = max(first.games, second.games) - games
    more = f"; {left:,} games in only one run are not counted" if left else ""
    return f"Paired game by game: both have seed {plan.seed}, so {deals}{more}"


def _blocks(run: Run, spans: Sequence[range], metrics: tuple[Metric, ...], seats: int) -> Iterator[Features]:
    """Yield the features (``MetricReading``) of the games in ``spans``, block by block."""
    known = run.seats.collect_schema().names()
    wanted = {metric.column for metric in metrics} | {metric.owned for metric in metrics if metric.owned}
    wanted |= {column for metric in metrics for column, _ in metric.where} | {"game", "rank"}
    columns = [name for name in known if name in wanted]
    read = MetricReading(metrics, np.ones(seats, bool))
    for span in spans:
        for start in range(span.start, span.stop, BLOCK):
            games = range(start, min(start + BLOCK, span.stop))
            frame = run.rows_of("seats", games).select(columns).collect()
            yield read(frame, games)


def _paired(
    first: Run,
    second: Run,
    metrics: tuple[Metric, ...],
    common: Sequence[range],
    level: float,
    progress: Progress | None,
) -> dict[str, pl.Series]:
    """Compare two runs on their common games, and return the result as columns."""
    seats, known, total = _seats_a_game(first), Contrasts(1, len(metrics)), sum(map(len, common))
    for left, right in zip(*(_blocks(run, common, metrics, seats) for run in (first, second)), strict=True):
        known = known.plus([left, right])
        if progress is not None:
            progress("games", known.deals, total)
    effect = known.effects(level)
    few = ~known.has_interval() & (known.differing > 0)
    effect = Estimate(effect.value, np.where(few, np.nan, effect.error), effect.games, level)
    return {
        **_columns(known.base(), known.changed(), effect, known.counts()),
        "differing": pl.Series(known.differing),
        "variance_removed": nulls(known.variance_removed()),
    }


def _separate(
    first: Run, second: Run, metrics: tuple[Metric, ...], level: float, progress: Progress | None
) -> dict[str, pl.Series]:
    """Compare two independent runs, and return the result as columns."""
    seats, total, done = _seats_a_game(first), first.games + second.games, 0
    estimates, counts = [], []
    for run in (first, second):
        moments = Moments(len(metrics), 2)
        for value, count, _ in _blocks(run, _spans(run), metrics, seats):
            moments.add(value, count)
            done += value.shape[-1]
            if progress is not None:
                progress("games", done, total)
        estimates.append(moments.ratio(0, 1, level))
        counts.append(moments.totals[:, 1])
    left, right = estimates
    error = np.hypot(left.error, right.error)
    difference = Estimate(right.value - left.value, error, np.minimum(left.games, right.games), level)
    return _columns(left, right, difference, np.stack(counts, axis=1))


def _with_people(
    first: Run, second: Run, metrics: tuple[Metric, ...], level: float
) -> tuple[dict[str, pl.Series], str]:
    """Compare with people's games seat by seat; return the result as columns and a sentence on the method.

    The error of a share is at least one seat, because an event that never happened in a few games is not impossible.
    Where people chose their boards, the seats of the other run are weighted to the same boards, except in metrics of a
    single board.
    """
    runs = (first, second)
    rows = [run.seats if run.people else run.rows_of("seats", range(MAX_SIMULATED)) for run in runs]
    frames = [_with_seats(seats.collect(), first, second) for seats in rows]
    chosen = [frame for run, frame in zip(runs, frames, strict=True) if (run.people or {}).get("boards") == "chosen"]
    boards = _boards_of_both(*frames) if chosen else []
    figures, counts, words = [], [], []
    for run, frame in zip(runs, frames, strict=True):
        weights = _weights(frame, chosen[0], boards) if boards and run.people is None else np.ones(frame.height)
        codes, word = clusterings_of(frame)
        words += [word] if run.people else []
        estimate, counted = _seat_by_seat(frame, metrics, codes, weights, level)
        figures.append(estimate)
        counts.append(counted)
    first_figures, second_figures = figures
    difference = Estimate(
        second_figures.value - first_figures.value,
        np.hypot(first_figures.error, second_figures.error),
        np.minimum(first_figures.games, second_figures.games),
        level,
    )
    how = f"Unpaired: people's games share no deals with others; people's errors are clustered by {words[-1]}"
    if boards and len(words) == 1:
        how += "; people chose their boards, so simulated seats are weighted to the same boards"
    return _columns(first_figures, second_figures, difference, np.stack(counts, axis=1).astype(float)), how


def _boards_of_both(first: pl.DataFrame, second: pl.DataFrame) -> list[str]:
    """Return the columns that identify a seat's board, if both seats tables have them."""
    kinds = {name for name, kind in first.schema.items() if isinstance(kind, pl.Enum)}
    return [name for name in first.columns if name in kinds & {*second.columns} - {"policy", "player", "group", "seat"}]


def _seat_by_seat(
    frame: pl.DataFrame,
    metrics: tuple[Metric, ...],
    codes: Sequence[NDArray[np.int64]],
    weights: NDArray[np.float64],
    level: float,
) -> tuple[Estimate, NDArray[np.int64]]:
    """Estimate metrics of a seats table with clustered errors; also return the number of seats that each counts.

    ``codes``: the clusters from ``clusterings_of``. ``weights``: the weight of each seat in metrics that are not about
    a single board.
    """
    read = MetricReading(metrics, np.ones(1, bool))
    value, count, _ = read(frame.with_columns(game=pl.int_range(pl.len(), dtype=pl.UInt64)), range(frame.height))
    of_all = np.array([not metric.where for metric in metrics])[:, None]
    value, count = (np.where(of_all, part * weights, part) for part in (value, count))
    estimate, counted = clustered(value, count, codes, level), (count != 0).sum(axis=1)
    least = np.array([metric.share for metric in metrics]) / np.maximum(counted, 1)  # a share of 0 is not certain
    return replace(estimate, error=np.maximum(estimate.error, least)), counted


def _weights(seats: pl.DataFrame, people: pl.DataFrame, boards: list[str]) -> NDArray[np.float64]:
    """Return a weight for each seat: the share of its board among people divided by its share in this table."""
    shares = [
        frame.select(pl.col(boards).cast(pl.String)).group_by(boards).agg(share=pl.len() / frame.height)
        for frame in (seats, people)
    ]
    ratio = (
        shares[0]
        .join(shares[1], on=boards, how="left")
        .with_columns(weight=pl.col("share_right").fill_null(0) / pl.col("share"))
    )
    labelled = seats.select(pl.col(boards).cast(pl.String)).join(ratio, on=boards, how="left", maintain_order="left")
    return labelled["weight"].to_numpy().astype(float)


def _columns(
    first: Estimate, second: Estimate, difference: Estimate, counts: NDArray[np.float64]
) -> dict[str, pl.Series]:
    """Return the columns that paired and unpaired comparisons share."""
    return {
        "first": nulls(first.value),
        "second": nulls(second.value),
        **difference.columns("difference"),
        "q": nulls(benjamini_hochberg(difference.p_value())),
        "n_first": pl.Series(counts[:, 0].astype(np.int64)),
        "n_second": pl.Series(counts[:, 1].astype(np.int64)),
    }
