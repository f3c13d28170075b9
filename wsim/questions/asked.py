"""Answers that record their complete question, so that a single function can repeat any of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

from wsim.errors import UserError
from wsim.lab.answer import Answer
from wsim.lab.plan import Plan
from wsim.lab.repetition import counted
from wsim.questions.registry import find_question

if TYPE_CHECKING:
    from wsim.lab.repetition import RepetitionSettings
    from wsim.options import Options
    from wsim.questions.registry import Question


class AskedAnswer(Answer):
    """An answer that records its question.

    Attributes
    ----------
    asked: the name of the question, the plan, and the groups of options, as JSON; set by ``Question.answered``.
    VOLATILE: keys of the record whose values differ between repetitions, such as paths.
    """

    VOLATILE: ClassVar[tuple[str, ...]] = ()
    asked: Mapping[str, Any] = MappingProxyType({})

    def record(self) -> dict[str, Any]:
        """Return the answer as a JSON object that includes its question."""
        return {**super().record(), "asked": dict(self.asked)}

    @classmethod
    def identity(cls, record: Mapping[str, Any]) -> Any:
        """Return the fields that distinguish an answer from others of its kind in the same folder."""
        return record["asked"]

    @classmethod
    def flat_plan(cls, record: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the plan of the question, or the first plan in its options; empty if there is no plan."""
        question, plan, groups = _asked(record)
        if plan is not None:
            return plan
        return next((each.as_dict() for group in groups(question) for each in getattr(group, "plans", ())), {})

    @classmethod
    def restored(cls, record: Mapping[str, Any], how: RepetitionSettings) -> Callable[[], Answer]:
        """Return a function that asks the recorded question again; user code that it names must be trusted."""
        question, flat, groups = _asked(record)
        plan, options = None if flat is None else how.restored(flat), groups(question)
        for each in (each for group in options for each in getattr(group, "plans", ())):
            how.plan(each)
        if code := question.code(None, options):
            how.plan(Plan.make(players=len(code), policies=code))

        def ask() -> Answer:
            with TemporaryDirectory(prefix="wsim-rerun-") as folder:
                moved = [group.elsewhere(Path(folder)) for group in options]
                return question.answered(plan, moved, how.execution)

        return ask

    def comparable_record(self, record: Mapping[str, Any]) -> dict[str, Any]:
        """Return this answer's record with the volatile values (such as times) taken from ``record``."""
        current = super().comparable_record(record)
        return current | {name: record.get(name) for name in ("asked", *self.VOLATILE) if name in current}

    @classmethod
    def compared(cls, record: Mapping[str, Any]) -> str:
        """Describe the data that a rerun compares: ``2 effects and 1 level``."""
        tables = [name for name in cls.TABLES if isinstance(record.get(name), list) and record[name]]
        rows = [counted(len(record[name]), cls.ROWS.get(name, name.removesuffix("s"))) for name in tables]
        return " and ".join([", ".join(rows[:-1]), *rows[-1:]] if len(rows) > 1 else rows)


def _asked(
    record: Mapping[str, Any],
) -> tuple[Question, Mapping[str, Any] | None, Callable[[Question], Sequence[Options]]]:
    asked = record.get("asked")
    if not asked:
        raise UserError("the answer does not record its question: it was written by an earlier version of wsim")
    return find_question(str(asked["question"])), asked["plan"], partial(_groups, asked)


def _groups(asked: Mapping[str, Any], question: Question) -> Sequence[Options]:
    return [group.restored(values) for group, values in zip(question.option_groups, asked["groups"], strict=True)]
