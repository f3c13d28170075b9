"""Measure how much policies play like people: distances in mean score and categories, in standard deviations of people.

The distance is the root mean square of the standardised differences, minus the part that is due to their errors. Its
interval treats the figures as independent: if z_i has variance v_i, the mean of z_i² - v_i has the variance
Σ (4 z_i² v_i + 2 v_i²) / k².
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import polars as pl

from wsim.document import COUNT, NAME, NUMBER, POINTS, Chart, Column, Conclusion, Document, Sheet, estimated
from wsim.errors import UserError
from wsim.lab.answer import Stored, View, whole
from wsim.lab.execution import Execution
from wsim.lab.people_runs import people_run
from wsim.lab.store import load_run
from wsim.people.likeness.question import LikenessQuestion
from wsim.questions.asked import AskedAnswer
from wsim.questions.compare.answer import compare_runs
from wsim.stats.columns import POINTS_OF
from wsim.stats.distributions import normal_quantile


@dataclass(frozen=True, repr=False)
class LikenessAnswer(AskedAnswer):
    """The answer to ``wsim people like``: the runs, sorted by their likeness to people.

    Attributes
    ----------
    games: the number of people's games. level: the level of the intervals. skill: a sentence that compares people's
        mean score with the scores of the runs.
    runs: one row per run: run, policies, distance (with low and high), score (people's minus the run's, with low and
        high), differing (the number of figures that differ clearly), figures (their total number).
    """

    FORMAT: ClassVar[str] = "wsim-likeness/1"
    COMMAND: ClassVar[str] = "wsim people like"
    TITLE: ClassVar[str] = "a comparison of policies with people"
    TABLES: ClassVar[tuple[str, ...]] = ("runs",)

    games: int
    level: float
    skill: str
    runs: pl.DataFrame

    @classmethod
    def columns(cls, record: Mapping[str, Any]) -> Mapping[str, Sequence[Column]]:  # noqa: ARG003
        """Return the column declarations of the table."""
        return {"runs": _COLUMNS}

    @property
    def title(self) -> str:
        """The title of the answer."""
        return "Who plays like these people"

    @classmethod
    def conclusion(cls, stored: Stored) -> Conclusion | None:
        """State in words which policy is most like the people."""
        first, skill = stored.main.row(0, named=True), str(stored.record["skill"])
        close = stored.main.filter(pl.col("distance_low") < first["distance_high"]).height > 1
        headline = f"{first['policies']} is most like these people{', but not clearly' if close else ''}."
        return Conclusion(headline, f"{skill}.", clear=not close)

    def display(self, view: View = whole) -> Document:
        """Return the answer as a document."""
        shown = view(self.runs)
        chart = Chart("forest", ("distance",), ("policies",), self.title, reference=0.0)
        title = (
            f"{self.games:,} games of people; {100 * self.level:g}% intervals, which allow for repeated players and "
            "chosen boards. distance: root mean square difference of score and categories, in standard "
            "deviations of people, minus what chance adds to it."
        )
        return Document(
            rows=shown, named="runs", tables=[Sheet(self.title, shown.to_dicts(), _COLUMNS, charts=(chart,))],
            notes=(title, f"{self.skill}."),
        )  # fmt: skip


_COLUMNS = (
    Column("run", NAME), Column("policies", NAME), estimated("distance", NUMBER, unit="sd of people"),
    estimated("score", POINTS, difference=True, about="people minus the run"),
    Column("differing", COUNT, heading="figures that differ"), Column("figures", COUNT),
)  # fmt: skip


def ask(question: LikenessQuestion, execution: Execution = Execution()) -> LikenessAnswer:
    """Compare people with each run; raise UserError for runs that do not match."""
    if len(question.folders) < 2:
        raise UserError("name people's games and the runs to compare with: wsim people like PEOPLE RUN RUN")
    folder_of_people, *folders = question.folders
    studies = [load_run(folder) for folder in folders]
    people = people_run(folder_of_people, studies[0].plan)
    names = [name for name in people.seats.collect_schema() if name.startswith(POINTS_OF)]
    spread = people.seats.select(pl.col("total", *names).cast(pl.Float64).std()).collect().row(0)
    used = [(name, sd) for name, sd in zip(("score", *names), spread, strict=True) if sd]
    if not used or people.games < 2:
        raise UserError(f"{folder_of_people!r} has too few games to compare")
    rows = []
    for folder, study in zip(folders, studies, strict=True):
        fitting = people_run(folder_of_people, study.plan)
        if study.people is not None:
            raise UserError(f"{folder!r} was played by people: compare two such runs with wsim compare")
        comparison = compare_runs(
            study, fitting, [name for name, _ in used], level=question.level, progress=execution.progress
        ).metrics
        rows.append(
            {"run": folder, "policies": ",".join(study.plan.policies)}
            | _row_of_run(comparison, np.array([sd for _, sd in used], float), question.level)
        )
    frame = pl.DataFrame(rows).sort("distance", maintain_order=True)
    return LikenessAnswer(games=people.games, level=question.level, skill=_skill_in_words(frame), runs=frame)


def _row_of_run(metrics: pl.DataFrame, spread: np.ndarray[Any, np.dtype[np.float64]], level: float) -> dict[str, Any]:
    """Build the row of a run from the comparison of its figures with people's figures."""
    row = metrics.row(0, named=True)
    half = (metrics["difference_high"] - metrics["difference_low"]).to_numpy().astype(float) / 2
    reach = normal_quantile((1 + level) / 2)
    z, variance = metrics["difference"].to_numpy().astype(float) / spread, (half / reach / spread) ** 2
    square = float((z**2 - variance).mean())
    error = float(np.sqrt((4 * z**2 * variance + 2 * variance**2).sum()) / len(z))
    ends = [float(np.sqrt(max(value, 0.0))) for value in (square, square - reach * error, square + reach * error)]
    return {
        "distance": ends[0], "distance_low": ends[1], "distance_high": ends[2], "score": row["difference"],
        "score_low": row["difference_low"], "score_high": row["difference_high"],
        "differing": metrics.filter(pl.col("q") < 1 - level).height, "figures": metrics.height,
    }  # fmt: skip


def _skill_in_words(runs: pl.DataFrame) -> str:
    """State which runs score just below and above people on average, and which do not differ clearly from them."""
    ordered = runs.sort("score", descending=True)
    below = ordered.filter(pl.col("score") > 0)["policies"].to_list()
    above = ordered.filter(pl.col("score") <= 0)["policies"].to_list()
    same = ordered.filter((pl.col("score_low") < 0) & (pl.col("score_high") > 0))["policies"].to_list()
    where = (
        f"between those of {below[-1]} and {above[0]}" if below and above
        else f"above that of {below[-1]}" if below else f"below that of {above[0]}"
    )  # fmt: skip
    return f"Skill: their mean score is {where}" + (
        f"; it does not differ clearly from that of {', '.join(same)}" if same else ""
    )
