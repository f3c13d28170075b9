"""The result of training: the path of the net, and its strength."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import polars as pl

from wsim.document import COUNT, Column, Conclusion, Document, Sheet, names
from wsim.lab.answer import Stored, View, whole
from wsim.lab.execution import Execution
from wsim.learn.judge import Judgement
from wsim.learn.question import LearnQuestion
from wsim.learn.rounds import LAST, PART, learn
from wsim.questions.asked import AskedAnswer
from wsim.questions.largest import Largest, Row
from wsim.questions.words import Words
from wsim.stats.columns import FAIR_SHARE, SCORE, WIN_SHARE

FEW = 5 * PART  # number of decisions; with fewer, a net hardly changes


_COLUMNS = (
    *names(("ruleset", "players", "against")), replace(WIN_SHARE, ends=("low", "high")), SCORE, Column("games", COUNT),
    FAIR_SHARE.called("fair_share"),
)  # fmt: skip


@dataclass(frozen=True, repr=False)
class LearnAnswer(AskedAnswer):
    """The result of training.

    Attributes
    ----------
    net: the path of the final net.
    judgements: the strength of the net, one row per field of opponents: ruleset, players, against, win_share with low
        and high, fair_share, score, games.
    decisions: the approximate number of decisions that the rounds learned from.
    """

    FORMAT: ClassVar[str] = "wsim-learned/1"
    COMMAND: ClassVar[str] = "wsim learn"
    TITLE: ClassVar[str] = "a trained net"
    VOLATILE: ClassVar[tuple[str, ...]] = ("net",)
    TABLES: ClassVar[tuple[str, ...]] = ("judgements",)

    net: Path
    judgements: pl.DataFrame
    decisions: int

    @classmethod
    def of(cls, net: Path, judgements: Sequence[Judgement], decisions: int) -> LearnAnswer:
        """Create the answer from judgements."""
        rows = [
            {
                "ruleset": judgement.ruleset, "players": judgement.players,
                "against": judgement.against,
                "win_share": round(judgement.share, 4),
                "low": round(judgement.low, 4), "high": round(judgement.high, 4),
                "fair_share": round(judgement.fair, 4), "score": round(judgement.score, 2), "games": judgement.games,
            }
            for judgement in judgements
        ]  # fmt: skip
        return cls(net, pl.DataFrame(rows, infer_schema_length=None), decisions)

    @classmethod
    def columns(cls, record: Mapping[str, Any]) -> Mapping[str, Sequence[Column]]:  # noqa: ARG003
        return {"judgements": _COLUMNS}

    @property
    def title(self) -> str:
        return "Win share of one net against opponents, in games that it did not learn from"

    def record(self) -> dict[str, Any]:
        return {
            "format": self.FORMAT,
            "asked": dict(self.asked),
            "net": str(self.net),
            "decisions": self.decisions,
            "judgements": self.judgements.to_dicts(),
        }

    @classmethod
    def conclusion(cls, stored: Stored) -> Conclusion | None:
        """State how often the net wins against its opponents."""
        judged = Largest(
            "above", 0.95, lambda row: Words("", "the net wins", _win_words(row), share=True), lambda row: row["clear"]
        )
        rows = [
            {
                **row, "above": row["win_share"] - row["fair_share"], "above_low": row["low"] - row["fair_share"],
                "above_high": row["high"] - row["fair_share"],
                "clear": row["low"] > row["fair_share"] or row["high"] < row["fair_share"],
            }
            for row in stored.record["judgements"]
        ]  # fmt: skip
        return judged.conclusion(rows, "The net does not clearly win more often than its opponents.", "fields")

    def display(self, view: View = whole) -> Document:
        shown = view(self.judgements)
        tables = [Sheet(self.title, shown.to_dicts(), _COLUMNS)] if len(shown) else []
        few = (
            f"{self.decisions:,} decisions are too few to learn from: the net hardly differs from its start, so "
            f"its wins show nothing about learning. Use at least {FEW:,}; tens of thousands make a difference."
        )
        notes = [few] if self.decisions < FEW else []
        return Document(rows=shown, named="judgements", tables=tables, notes=notes)


def _win_words(row: Row) -> tuple[str, str]:
    where = f"often than its fair share against {row['against']}, {row['ruleset']}, {row['players']} players"
    return f"more {where}", f"less {where}"


def ask(question: LearnQuestion, execution: Execution = Execution()) -> LearnAnswer:
    """Train a net in a folder, or continue its training, and evaluate it.

    Raises UserError for a plan that cannot be learned from, Interrupted on Ctrl-C; asking the same question again
    continues.
    """
    plan, folder = question.resolve(), question.home
    hint = f"every finished part is stored, and the same command continues (in {shlex.quote(str(folder))})"
    with execution.interruptible(lambda: None, hint):
        judgements = learn(plan, folder, execution)
    return LearnAnswer.of(folder / LAST, judgements, sum(entry.decisions for entry in plan.rounds))


def written(answer: LearnAnswer, question: LearnQuestion) -> Path | None:
    """Write the answer to the folder of the net, or to the file that the options name."""
    return answer.write(question.file or question.home / "answer.json")
