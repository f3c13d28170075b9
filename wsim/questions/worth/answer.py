"""Worth: the gain of each item for the seat that wants it, compared with the next best move of that seat.

In every game some wishes of policies are overruled at random, and the policy makes its next best move instead
(``wsim.kernels.overruling``). So the same games are a randomised trial of every item at once.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar

import polars as pl

from wsim.document import DECIDED, Chart, Column, Conclusion, Document, Sheet
from wsim.game import find_game
from wsim.lab.answer import UNRECORDED, Answer, Stored, View, whole
from wsim.lab.execution import Execution
from wsim.lab.plan import Plan
from wsim.lab.repetition import RepetitionSettings, counted
from wsim.lab.wishes import WishSums, overruled
from wsim.questions.largest import Largest, Row
from wsim.questions.words import Words
from wsim.questions.worth.question import WorthQuestion
from wsim.stats.precision import reached, stages, undecided_note, widest_of
from wsim.stats.summary import Summary
from wsim.stats.worth import ESTIMAND, SHOWN_FIRST, worth_columns, worth_table

if TYPE_CHECKING:
    from wsim.game import Simulator


CHARTED = 24
"""Maximum number of items in a chart, which shows those with the largest worth or cost."""


@dataclass(frozen=True, repr=False)
class WorthAnswer(Answer):
    """The answer to a worth experiment: the worth of each item.

    Attributes
    ----------
    estimand: the definition of an item's worth, in one sentence.
    question: the question. games: the number of games played. stopped: ``done`` or ``interrupted``.
    seconds: the time that playing took.
    worth: one row for each item (and group), the largest first; the columns of ``wsim.stats.worth.worth_table``.
    remarks: sentences, without full stops, that must accompany the figures.
    plan: the plan.
    sums: the sums behind the table, from which other splits of the same games can be computed (``by``).
    """

    FORMAT: ClassVar[str] = "wsim-worth/1"
    COMMAND: ClassVar[str] = "wsim experiment worth"
    TITLE: ClassVar[str] = "worth"
    TABLES: ClassVar[tuple[str, ...]] = ("worth",)
    NEEDS: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "worth": ("what", "name", "worth", "worth_low", "worth_high"),
        **dict.fromkeys(("estimand", "games", "question", "remarks"), ()),
    }

    estimand: str
    question: WorthQuestion
    stopped: str
    games: int
    seconds: float
    worth: pl.DataFrame
    remarks: tuple[str, ...]
    plan: Plan
    sums: Summary = field(metadata=UNRECORDED)

    @classmethod
    def columns(cls, record: Mapping[str, Any]) -> Mapping[str, Sequence[Column]]:
        """Return the column declarations of the worth table."""
        return {"worth": worth_columns(tuple(record["question"]["by"]))}

    @classmethod
    def conclusion(cls, stored: Stored) -> Conclusion | None:
        """State which items are worth most."""
        question = stored.record["question"]

        def words(row: Row) -> Words:
            split = "".join(f", {row[name]}" for name in question["by"])
            ends = [f"{much} often with it than with the next best move" for much in ("more", "less")]
            before = f"{row['name']} ({row['what']}{split}): seats that want it win"
            return Words("", before, (ends[0], ends[1]), share=True)

        items = Largest("worth", question["level"], words, lambda row: row.get("verdict") in DECIDED)
        return items.conclusion(stored.main.to_dicts(), "No item has a clear worth in these games.", "items")

    def by(self, *columns: str) -> pl.DataFrame:
        """Return the worth table of the same games, split by some columns; without columns, all wishes together."""
        return worth_table(self.sums, columns, level=self.question.level, fewest=self.question.fewest).frame

    @classmethod
    def document(cls, stored: Stored) -> Document:
        """Return a stored answer as a document for pages: a chart of the largest worths, then the table."""
        document, worth = super().document(stored), stored.main
        most = (
            worth.filter(pl.col("worth").is_not_null())
            .sort(pl.col("worth").abs(), descending=True)
            .head(CHARTED)
            .sort("worth", descending=True)
        )
        labels = ("what", "name", *stored.record["question"]["by"])
        chart = Chart("forest", ("worth",), labels, f"The {len(most)} largest worths, with intervals", judged=True)
        if most.is_empty():
            return document
        return replace(
            document, tables=[stored.sheet("worth", "Largest worths", most, charts=(chart,)), *document.tables]
        )

    def display(self, view: View = whole) -> Document:
        """Return the answer as a document: the table and notes on its figures."""
        shown, split = view(self.worth), self.question.by
        each = f" by {' and '.join(split)}" if split else ""
        title = f"Worth{each}, {self.games:,} games, {self.question.overrule} of wishes overruled"
        first = ("what", "name", *split, *SHOWN_FIRST)
        return Document(
            rows=shown,
            named="worth",
            tables=[Sheet(title, shown.to_dicts(), worth_columns(split), first=first, labels=2 + len(split))],
            notes=[f"{self.estimand}.", *filter(None, self._precision()), *(f"{remark}." for remark in self.remarks)],
            missing="No item was followed and overruled often enough: play more --games, or lower --fewest.",
        )

    def _precision(self) -> list[str]:
        """Return notes on how many more games would settle unclear rows, and on the wanted precision."""
        labels, question = ["what", "name", *self.question.by], self.question
        note = undecided_note(self.worth, labels, "worth", self.games, level=question.level)
        return [
            note,
            f"Verdicts are for {', '.join(dict.fromkeys(self.plan.policies))}.",
            reached(self.games, question.within, self.widest, "the worth"),
        ]

    @property
    def widest(self) -> float:
        """The largest half width of an interval of a worth."""
        return widest_of(self.worth["worth_low"], self.worth["worth_high"])

    @classmethod
    def identity(cls, record: Mapping[str, Any]) -> Any:
        """Return the question and the plan, which identify an answer."""
        return record["question"], record["plan"]

    @classmethod
    def flat_plan(cls, record: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the plan of the games."""
        return dict(record["plan"])

    @classmethod
    def restored(cls, record: Mapping[str, Any], how: RepetitionSettings) -> Callable[[], Answer]:
        """Return a function that plays the recorded games again."""
        question = WorthQuestion.restored(record["question"])
        plan = how.restored(cls.flat_plan(record))
        return lambda: ask(plan, question, how.execution)

    @classmethod
    def compared(cls, record: Mapping[str, Any]) -> str:
        """Describe the data that a rerun compares."""
        return f"{record['games']:,} games, the worth of {counted(len(record['worth']), 'item')}"


def ask(plan: Plan, question: WorthQuestion, execution: Execution = Execution()) -> WorthAnswer:
    """Play the games of a plan with some wishes overruled, and return the worth of each item.

    Raises UserError for an invalid question, Interrupted on Ctrl-C with the answer so far.
    """
    played = overruled(plan, question.overrule)
    simulator: Simulator = find_game(played.game).prepare(played)
    play = WishSums(simulator, played.game)
    _answer(plan, question, play(range(1)), 0.0, "done")  # rejects an invalid question before any game is played
    sums, start = Summary(), time.perf_counter()

    def answer(stopped: str) -> WorthAnswer:
        return _answer(plan, question, sums, time.perf_counter() - start, stopped)

    with (
        execution.interruptible(lambda: answer("interrupted") if sums.games else None),
        execution.chunk_runner([(played, simulator)]) as in_chunks,
    ):
        for stage in stages(plan.games, question.within, lambda: answer("done").widest):
            with closing(in_chunks(play, [stage])) as chunks:
                for chunk in chunks:
                    sums.add(chunk)
                    execution.report("games", sums.games, stage.stop)
    return answer("done")


def _answer(plan: Plan, question: WorthQuestion, sums: Summary, seconds: float, stopped: str) -> WorthAnswer:
    """Return the answer computed from the sums."""
    table = worth_table(sums, question.by, level=question.level, fewest=question.fewest)
    return WorthAnswer(
        estimand=ESTIMAND,
        question=question,
        stopped=stopped,
        games=sums.games,
        seconds=seconds,
        worth=table.frame,
        remarks=table.remarks,
        plan=plan,
        sums=sums,
    )
