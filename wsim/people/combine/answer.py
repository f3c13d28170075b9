"""Combine simulated and people's games row by row; ``wsim.people.combine.estimate`` contains the mathematics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import polars as pl

from wsim.document import CATEGORY, COUNT, NAME, POINTS, SHARE, Chart, Column, Conclusion, Document, Sheet, estimated
from wsim.errors import UserError
from wsim.lab.answer import Stored, View, whole
from wsim.lab.execution import Execution
from wsim.lab.people_runs import people_run
from wsim.lab.store import load_run
from wsim.people.combine.estimate import Combined, combine
from wsim.people.combine.question import CombineQuestion
from wsim.people.evidence import Evidence, evidence
from wsim.questions.asked import AskedAnswer
from wsim.stats.distributions import normal_quantile
from wsim.stats.tables import OBSERVATIONAL

_ROUND = 6


@dataclass(frozen=True, repr=False)
class CombineAnswer(AskedAnswer):
    """The answer to ``wsim people combine``: one estimate per row from simulated and people's games.

    Attributes
    ----------
    metric: win or score. games: the numbers of games in the study and of people.
    difference: whether the rows are effects of a patch.
    reference: the value that rows are compared with (fair share, mean score, or 0 for a difference).
    distance: how far people are from the players of the study, as a standard deviation between rows, with low and high.
    scale, scale_source: the scale of the distance's prior and its source. design: the design effect, by which repeated
        players inflate the variance of people's results.
    level: the level of the intervals. noun: ``card`` if rows are differences between seats with and without a card.
    rows: one row per item: its labels, n (people's seats), simulated, people, combined (with low and high), share
        (weight of people's games in the estimate), verdict.
    """

    FORMAT: ClassVar[str] = "wsim-combine/1"
    COMMAND: ClassVar[str] = "wsim people combine"
    TITLE: ClassVar[str] = "a combination with people's games"
    TABLES: ClassVar[tuple[str, ...]] = ("rows",)
    ROWS: ClassVar[Mapping[str, str]] = {"rows": "estimate"}

    metric: str
    games: tuple[int, int]
    difference: bool
    reference: float
    distance: tuple[float, float, float]
    scale: float
    scale_source: str
    design: float
    level: float
    rows: pl.DataFrame
    noun: str = ""

    @classmethod
    def columns(cls, record: Mapping[str, Any]) -> Mapping[str, Sequence[Column]]:
        """Return the column declarations of the table."""
        noun = str(record.get("noun", ""))
        return {"rows": combined_columns(record["metric"], difference=record["difference"] or bool(noun), noun=noun)}

    @property
    def title(self) -> str:
        """The estimand, as one sentence."""
        text = "Win share" if self.metric == "win" else "Mean score"
        if self.noun:
            text += f" of seats that built each {self.noun} minus that of the other seats,"
        return f"{text} among these people{', with the patch minus without' if self.difference else ''}"

    @classmethod
    def conclusion(cls, stored: Stored) -> Conclusion | None:
        """State in words how many rows are clear and how much weight people's games have."""
        rows = stored.table("rows")
        labels, clear = rows.columns[: rows.columns.index("n")], rows.filter(pl.col("verdict") != "unclear")
        share = float(rows["share"].to_numpy() @ rows["n"].to_numpy()) / max(int(rows["n"].sum()), 1)
        named = [f"{' '.join(str(row[name]) for name in labels)} is {row['verdict']}" for row in clear.to_dicts()]
        headline = f"{clear.height} of {rows.height} rows are clear; people's games count for {share:.0%} of estimates."
        return Conclusion(headline, f"{'; '.join(named)}." if named else "", clear.height > 0)

    def display(self, view: View = whole) -> Document:
        """Return the answer as a document."""
        shown = view(self.rows)
        difference = self.difference or bool(self.noun)
        declared = combined_columns(self.metric, difference=difference, noun=self.noun)
        labels = list(self.rows.columns[: self.rows.columns.index("n")])
        study, people = self.games
        distance, low, high = self.distance
        unit = "win share" if self.metric == "win" else "points"
        notes = [
            (
                f"{study:,} simulated games and {people:,} games of people; {100 * self.level:g}% intervals; verdict: "
                f"whether the interval excludes {'0' if difference else f'the reference, {self.reference:.3f}'}"
            ),
            (
                f"Distance between people and the players of the study: {distance:.3f} [{low:.3f}, {high:.3f}] {unit}, "
                f"one standard deviation between rows; prior scale {self.scale:.3f}, {self.scale_source}"
            ),
            (
                f"People's results are adjusted for the player; because players play repeatedly, standard errors are "
                f"{np.sqrt(self.design):.2f} times as large as for independent seats"
            ),
        ]
        if self.noun:
            notes.append(OBSERVATIONAL.removesuffix("."))
        chart = Chart("forest", ("combined",), tuple(labels), self.title, reference=self.reference)
        sheet = Sheet(
            self.title, shown.to_dicts(), declared,
            first=(*labels, "combined", "verdict", "share", "people", "simulated"), labels=len(labels), charts=(chart,),
        )  # fmt: skip
        return Document(rows=shown, named="rows", tables=[sheet], notes=[f"{note}." for note in notes])


def combined_columns(metric: str, *, difference: bool, noun: str = "") -> tuple[Column, ...]:
    """Return the column declarations of combined estimates."""
    kind, unit = (SHARE, "of wins") if metric == "win" else (POINTS, "")
    return (
        *(Column(name, NAME) for name in ((noun,) if noun else ("wonder", "side"))),
        Column("n", COUNT, about=f"seats of people{f' that built the {noun}' if noun else ''}"),
        estimated("combined", kind, unit=unit, difference=difference),
        Column("share", SHARE, heading="people's share", unit="of the estimate"),
        Column("verdict", CATEGORY, about="whether the interval excludes the reference"),
        estimated("simulated", kind, unit=unit, difference=difference),
        estimated("people", kind, unit=unit, difference=difference),
    )


def ask(question: CombineQuestion, _execution: Execution = Execution()) -> CombineAnswer:
    """Combine a study with people's games; raise UserError for runs that do not match."""
    study = load_run(question.study)
    people = people_run(question.people, study.plan)
    both = evidence(study, people, question.by, question.metric, question.distance)
    games = (study.games, people.games)
    if question.before is not None and question.before_people is not None:
        earlier = load_run(question.before)
        earlier_people = people_run(question.before_people, earlier.plan)
        if earlier.plan.players != study.plan.players:
            raise UserError(
                f"{question.before!r} has {earlier.plan.players} players and the study {study.plan.players}"
            )
        without = evidence(earlier, earlier_people, both.names.columns, question.metric, question.distance)
        both = difference_of(both, without)
        games = (games[0] + earlier.games, games[1] + earlier_people.games)
    estimate = combined(both, question.metric, question.level)
    return CombineAnswer(
        metric=question.metric, games=games, difference=question.before is not None, reference=both.reference,
        distance=(float(estimate.distance), float(estimate.ends[0]), float(estimate.ends[1])), scale=both.scale,
        scale_source=both.scale_source, design=both.design, level=question.level,
        rows=table_of(both, estimate, question.level), noun=both.noun,
    )  # fmt: skip


def combined(both: Evidence, metric: str, level: float = 0.95) -> Combined:
    """Combine the evidence for each row; only for mean scores may people have a different overall level."""
    return combine(
        both.simulated, both.error, both.people, both.people_error, both.scale,
        offset=metric == "score" and not both.noun, level=level,
    )  # fmt: skip


def table_of(both: Evidence, estimate: Combined, level: float) -> pl.DataFrame:
    """Build the rows of the answer, sorted by estimate, highest first."""
    reach = normal_quantile((1 + level) / 2)
    known = both.n > 0
    people = np.where(known, both.people, np.nan)
    spread = np.where(known, both.people_error, np.nan)
    verdict = np.where(
        estimate.low > both.reference, "higher", np.where(estimate.high < both.reference, "lower", "unclear")
    )
    numbers = {
        "combined": estimate.value, "combined_low": estimate.low, "combined_high": estimate.high,
        "share": np.where(known, estimate.share, 0.0), "simulated": both.simulated,
        "simulated_low": both.simulated - reach * both.error, "simulated_high": both.simulated + reach * both.error,
        "people": people, "people_low": people - reach * spread, "people_high": people + reach * spread,
    }  # fmt: skip
    if both.reference > 0 and both.reference < 1:  # for win shares, but not for differences
        numbers |= {name: np.clip(numbers[name], 0, 1) for name in ("people_low", "people_high")}
    columns = {name: pl.Series(np.round(values, _ROUND), nan_to_null=True) for name, values in numbers.items()}
    frame = both.names.with_columns(n=pl.Series(both.n), verdict=pl.Series(verdict.tolist()), **columns)
    order = [*both.names.columns, "n", "combined", "combined_low", "combined_high", "share", "verdict"]
    return frame.select(*order, *[name for name in frame.columns if name not in order]).sort(
        "combined", descending=True
    )


def difference_of(after: Evidence, before: Evidence) -> Evidence:
    """Return the evidence on a patch: values with the patch minus values without it, for all rows present in both.

    People's and simulated games with and without the patch are independent samples. The distance between people's and
    simulated differences is at most as uncertain as the distance between levels, so the scale for levels is kept.
    """
    labels = after.names.columns
    pairs = after.names.with_row_index("a").join(before.names.with_row_index("b"), on=labels, how="inner").sort("a")
    if not pairs.height:
        raise UserError("the runs with and without the patch have no row in common")
    a, b = pairs["a"].to_numpy(), pairs["b"].to_numpy()
    n = np.minimum(after.n[a], before.n[b])
    return Evidence(
        pairs.select(labels), after.simulated[a] - before.simulated[b], np.hypot(after.error[a], before.error[b]),
        after.people[a] - before.people[b], np.hypot(after.people_error[a], before.people_error[b]), n,
        after.seat_variance[a] + before.seat_variance[b], 0.0, after.scale, after.scale_source,
        max(after.design, before.design), after.players, after.noun,
    )  # fmt: skip
