"""Plan people's next games, based on how much each board would add to the evidence so far.

Let V be the variance of a row's combined estimate. After m more seats of people, each with variance s², the variance is
V' = 1 / (1/V + m/s²), and the estimate has moved by a normal draw with variance V - V'. So the probability that the
interval will exclude the reference can be computed before anybody plays, and so can the narrowing of the intervals by a
game. The schedule greedily selects, game by game, the boards that narrow the intervals most, with diminishing returns.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import polars as pl

from wsim.document import (
    CATEGORY,
    COUNT,
    NAME,
    NUMBER,
    POINTS,
    PROBABILITY,
    SHARE,
    TEXT,
    Column,
    Conclusion,
    Document,
    Sheet,
)
from wsim.errors import UserError
from wsim.game import find_game
from wsim.lab.answer import Stored, View, whole
from wsim.lab.execution import Execution
from wsim.lab.people_runs import people_run
from wsim.lab.store import Run, load_run
from wsim.people.combine.answer import combined
from wsim.people.evidence import Evidence, Floats, evidence
from wsim.people.planning.question import PlanningQuestion
from wsim.people.template import write_schedule
from wsim.questions.asked import AskedAnswer
from wsim.questions.compare.answer import compare_runs
from wsim.stats.distributions import normal_cdf, normal_quantile

MAX_GAMES = 10_000  # maximum number of games to plan for; no group plays more
NEGLIGIBLE = 0.02  # an evening that narrows the mean interval by less than this is not worthwhile
MAX_EVENINGS = 200
WORTH_PLAYTESTING = 200  # games, with and without a patch together, that a group can be expected to play
SHOWN = 8


@dataclass(frozen=True, repr=False)
class PlanningAnswer(AskedAnswer):
    """The answer to ``wsim people plan``: a plan for people's next games.

    Attributes
    ----------
    rows: one row per item: its labels, n (seats so far), combined, half_width (of the interval), games (with this board
        until it is clear with the requested probability; null: more than 10,000), clear_chance (after the schedule).
    schedule: one row per game: evening, game, and the board of each seat.
    settings: one row per number of players: information per game, relative to the study's number of players.
    watch: for a patch, the figures in which people would notice it first: metric, difference, games.
    stop_after: the number of evenings after which another evening narrows the mean interval by less than 2%.
        evenings, chance: as requested.
    worth_testing: whether to playtest the patch, in words; empty without a patch. players: players in the study.
    """

    FORMAT: ClassVar[str] = "wsim-planning/1"
    COMMAND: ClassVar[str] = "wsim people plan"
    TITLE: ClassVar[str] = "a plan for people's games"
    TABLES: ClassVar[tuple[str, ...]] = ("rows", "schedule", "settings", "watch")
    ROWS: ClassVar[Mapping[str, str]] = {"rows": "row", "schedule": "board", "watch": "watched row"}

    metric: str
    players: int
    evenings: int
    chance: float
    stop_after: int
    worth_testing: str
    rows: pl.DataFrame
    schedule: pl.DataFrame
    settings: pl.DataFrame
    watch: pl.DataFrame

    @classmethod
    def columns(cls, record: Mapping[str, Any]) -> Mapping[str, Sequence[Column]]:
        """Return the column declarations of the tables."""
        return _columns(str(record["metric"]))

    @property
    def title(self) -> str:
        """The title of the answer."""
        return "What people should play next"

    @classmethod
    def conclusion(cls, stored: Stored) -> Conclusion | None:
        """State in words how many rows are still unclear."""
        rows, stop_after = stored.table("rows"), stored.record["stop_after"]
        open_rows = rows.filter(pl.col("games").is_null() | (pl.col("games") > 0))
        possible = open_rows.drop_nulls("games")
        first = possible.sort("games").row(0, named=True) if possible.height else None
        named = " ".join(str(first[name]) for name in rows.columns[: rows.columns.index("n")]) if first else ""
        then = f"; stop after {stop_after} evenings" if stop_after else ", and another evening would hardly help"
        nearest_row = f"{named} is the nearest to being clear: {first['games']:,} games of it." if first else ""
        return Conclusion(f"{open_rows.height} of {rows.height} rows are unclear{then}.", nearest_row, clear=False)

    def display(self, view: View = whole) -> Document:
        """Return the plan as a document: the schedule, the rows, other numbers of players, and what to watch for."""
        declared, shown = _columns(self.metric), view(self.rows)
        tables = [
            Sheet("Boards to put on the table", self.schedule.to_dicts(), declared["schedule"], labels=2),
            Sheet("What is still unclear", shown.to_dicts(), declared["rows"], labels=2),
            Sheet("Other numbers of players", self.settings.to_dicts(), declared["settings"], folded=True),
        ]
        if self.watch.height:
            tables.append(Sheet("What to watch for", self.watch.to_dicts(), declared["watch"]))
        notes = [
            (
                f"games: games with this board until its interval excludes the reference with chance {self.chance:g}; "
                f"empty: more than {MAX_GAMES:,}. clear chance: after the schedule"
            ),
            (
                f"Stop when an evening narrows the mean interval by less than {NEGLIGIBLE:.0%}: after "
                f"{self.stop_after} evenings like these"
            ),
            (
                "Other numbers of players are useful only if the worth of a wonder does not depend on them; games are "
                "assumed to take equally long with any number"
            ),
        ]
        notes += [self.worth_testing] if self.worth_testing else []
        return Document(
            rows=shown, named="rows", tables=tables, notes=[f"{note}." for note in notes],
        )  # fmt: skip


def _columns(metric: str) -> dict[str, tuple[Column, ...]]:
    kind, unit = (SHARE, "of wins") if metric == "win" else (POINTS, "")
    return {
        "rows": (
            *(Column(name, NAME) for name in ("wonder", "side")), Column("n", COUNT, about="seats of people so far"),
            Column("combined", kind, unit=unit), Column("half_width", kind, unit=unit, spread=True, heading="interval"),
            Column("verdict", CATEGORY), Column("games", COUNT, about="games with this board until it is clear"),
            Column("clear_chance", PROBABILITY, heading="clear chance"),
        ),
        "schedule": (
            Column("evening", COUNT), Column("game", COUNT), Column("boards", TEXT, heading="boards, in seat order"),
        ),
        "settings": (
            Column("players", COUNT),
            Column("information", NUMBER, about="per game, relative to the study's number of players"),
        ),
        "watch": (
            Column("metric", NAME), Column("difference", NUMBER, difference=True), Column("games", COUNT),
        ),
    }  # fmt: skip


def ask(question: PlanningQuestion, _execution: Execution = Execution()) -> PlanningAnswer:
    """Plan people's next games; raise UserError for runs that do not match."""
    study = load_run(question.study)
    people = None if question.people is None else people_run(question.people, study.plan)
    both = evidence(study, people, question.by, question.metric, question.distance)
    if both.noun or len(set(both.names[:, 0].to_list())) < study.plan.players:
        raise UserError(
            f"a table of {study.plan.players} players needs as many different wonders: give --by wonder or wonder,side"
        )
    estimate = combined(both, question.metric, question.level)
    variance = ((estimate.high - estimate.low) / 2 / normal_quantile((1 + question.level) / 2)) ** 2
    middle = (estimate.low + estimate.high) / 2
    schedule, seats = schedule_of(both, variance, study.plan.players, question.games * question.evenings)
    if question.printed is not None:
        named = [[both.names.row(row, named=True) for row in game] for game in schedule]
        evenings = [named[first : first + question.games] for first in range(0, len(named), question.games)]
        write_schedule(Path(question.printed), study.plan, evenings)
    clear = (estimate.low > both.reference) | (estimate.high < both.reference)
    later = clear_chance(middle, variance, both, seats, question.level)
    needed = games_until_clear(middle, variance, both, question)
    verdict = np.where(clear, np.where(middle > both.reference, "higher", "lower"), "unclear")
    rows = both.names.with_columns(
        n=pl.Series(both.n), combined=pl.Series(np.round(estimate.value, 6)),
        half_width=pl.Series(np.round((estimate.high - estimate.low) / 2, 6)), verdict=pl.Series(verdict.tolist()),
        games=pl.Series([0 if done else games for done, games in zip(clear, needed, strict=True)], dtype=pl.Int64),
        clear_chance=pl.Series(np.round(np.where(clear, 1.0, later), 4)),
    )  # fmt: skip
    rows = rows.sort(pl.col("games").fill_null(MAX_GAMES + 1), "combined", descending=[False, True])
    watch, worth_testing = (
        _effects_of_patch(study, question, both) if question.patched is not None else (_no_watch(), "")
    )
    return PlanningAnswer(
        metric=question.metric, players=study.plan.players, evenings=question.evenings, chance=question.chance,
        stop_after=_stop_after(both, variance, study.plan.players, question.games), worth_testing=worth_testing,
        rows=rows, schedule=_schedule_frame(both, schedule, question.games), watch=watch,
        settings=_information_by_players(study, question.metric),
    )  # fmt: skip


def posterior_variance(variance: Floats, seat_variance: Floats, seats: Floats) -> Floats:
    """Return the variance of each row's estimate after additional seats of people."""
    return 1 / (1 / variance + seats / seat_variance)


def schedule_of(both: Evidence, variance: Floats, players: int, games: int) -> tuple[list[list[int]], Floats]:
    """Choose the boards for each game, never the same wonder twice; also return the number of seats per row."""
    wonders = both.names[:, 0].to_list()
    seats, plan = np.zeros(len(wonders)), list[list[int]]()
    for game in range(games):
        now = posterior_variance(variance, both.seat_variance, seats)
        gain = now - posterior_variance(variance, both.seat_variance, seats + 1)
        chosen: list[int] = []
        for row in np.argsort(-gain, kind="stable").tolist():
            if wonders[row] not in {wonders[other] for other in chosen} and len(chosen) < players:
                chosen.append(row)
        seats[chosen] += 1
        start = game % players  # rotate the seats, so that the least known board is not always in the same one
        plan.append(chosen[start:] + chosen[:start])
    return plan, seats


def clear_chance(mean: Floats, variance: Floats, both: Evidence, seats: Floats, level: float) -> Floats:
    """Return the probability, for each row, that its interval will exclude the reference after additional seats."""
    after = posterior_variance(variance, both.seat_variance, seats)
    moves = np.sqrt(np.maximum(variance - after, 1e-300))
    reach = normal_quantile((1 + level) / 2) * np.sqrt(after)
    off = mean - both.reference
    return np.asarray(normal_cdf((off - reach) / moves) + normal_cdf((-off - reach) / moves), float)


def games_until_clear(mean: Floats, variance: Floats, both: Evidence, question: PlanningQuestion) -> list[int | None]:
    """Return how many games with its board each row needs to become clear with the requested probability, or None."""
    tried = np.unique(np.geomspace(1, MAX_GAMES, 120).round()).astype(int)
    chances = np.stack([
        clear_chance(mean, variance, both, np.full(len(mean), float(games)), question.level) for games in tried
    ])  # fmt: skip
    enough = chances >= question.chance
    return [int(tried[column.argmax()]) if column.any() else None for column in enough.T]


def _stop_after(both: Evidence, variance: Floats, players: int, games: int) -> int:
    """Return the number of evenings after which another evening narrows the mean interval by less than 2%."""
    seats_a_row = players * games / len(variance)
    widths = [
        float(
            np.sqrt(
                posterior_variance(variance, both.seat_variance, np.full(len(variance), seats_a_row * evening))
            ).mean()
        )
        for evening in range(MAX_EVENINGS + 1)
    ]
    return next(
        (evening for evening in range(MAX_EVENINGS) if 1 - widths[evening + 1] / widths[evening] < NEGLIGIBLE),
        MAX_EVENINGS,
    )


def _schedule_frame(both: Evidence, schedule: Sequence[Sequence[int]], games: int) -> pl.DataFrame:
    names = [" ".join(map(str, row)) for row in both.names.rows()]
    return pl.DataFrame({
        "evening": [number // games + 1 for number in range(len(schedule))],
        "game": [number % games + 1 for number in range(len(schedule))],
        "boards": [", ".join(names[row] for row in chosen) for chosen in schedule],
    })  # fmt: skip


def _information_by_players(study: Run, metric: str) -> pl.DataFrame:
    """Tabulate the information per game by number of players, relative to the number of players in the study.

    With n players, a seat's wins have the variance (1 - 1/n) / n, or n - 1 in units of the squared fair share, so the
    n seats of a game provide the information n / (n - 1). A score is equally informative at any table, so n seats
    provide the information n.
    """
    possible = []
    for players in range(2, 10):
        try:
            find_game(study.plan.game).prepare(study.plan.replace(players=players, games=1, policies=["random"]))
        except UserError:
            continue
        possible.append(players)
    information = {players: players / (players - 1) if metric == "win" else float(players) for players in possible}
    base = information.get(study.plan.players, 1.0)
    return pl.DataFrame({"players": possible, "information": [round(information[one] / base, 4) for one in possible]})


def _no_watch() -> pl.DataFrame:
    return pl.DataFrame(schema={"metric": pl.String, "difference": pl.Float64, "games": pl.Int64})


def _effects_of_patch(study: Run, question: PlanningQuestion, both: Evidence) -> tuple[pl.DataFrame, str]:
    """Find the figures in which people would notice a patch first, and state whether the patch is worth playtesting.

    Two samples of equal size detect a difference D in a figure with standard deviation s, with the requested
    probability, after 2 s² (z + z')² / D² seats each; z and z' are the normal quantiles for the level and the
    probability.
    """
    assert question.patched is not None
    patched = load_run(question.patched)
    patch = (
        compare_runs(study, patched, level=question.level)
        .metrics.drop_nulls("q")
        .filter(pl.col("q") < 1 - question.level)
    )
    z = normal_quantile((1 + question.level) / 2) + normal_quantile(question.chance)
    players, games = study.plan.players, []
    deviations = _deviations(study, patch["metric"].to_list())
    for row in patch.iter_rows(named=True):
        deviation = deviations.get(row["metric"]) or float(np.sqrt(max(row["first"] * (1 - row["first"]), 1e-6)))
        rate = min(max(row["n_first"] / study.games, 1e-9), players)
        games.append(int(np.ceil(2 * 2 * deviation**2 * both.design * z**2 / row["difference"] ** 2 / rate)))
    watch = (
        patch.select("metric", "difference")
        .with_columns(games=pl.Series(games, dtype=pl.Int64))
        .sort("games")
        .head(SHOWN)
    )
    if not watch.height:
        return (
            watch,
            "The patch changes no figure clearly in the simulation: playtest it for fun, not for balance",
        )
    best = watch.row(0, named=True)
    if best["games"] <= WORTH_PLAYTESTING:
        return (
            watch,
            (
                f"Playtesting can show the patch: {best['metric']} after about {best['games']:,} games, half of them "
                "without it"
            ),
        )
    return watch, (
        f"Playtesting will not show the patch: even {best['metric']} needs about {best['games']:,} games, half of them "
        "without it; trust the simulation (wsim robustness shows how far), and playtest whether it is fun"
    )


def _deviations(study: Run, metrics: Sequence[str]) -> dict[str, float]:
    """Return the standard deviation between seats for each metric in points or counts."""
    columns = {**{name: name for name in metrics}, "score": "total"}
    recorded = study.seats.collect_schema().names()
    scores = study.seats.select(pl.col("total").cast(pl.Float64).std()).collect().item()
    named = {metric: scores for metric in metrics if metric.startswith("score:")}
    wanted = {metric: columns[metric] for metric in metrics if columns[metric] in recorded}
    frame = study.seats.select(
        pl.col(name).cast(pl.Float64).std().alias(metric) for metric, name in wanted.items()
    ).collect()
    return {**named, **(frame.row(0, named=True) if wanted else {})}
