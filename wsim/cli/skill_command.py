"""``wsim skill``: what cards or boards are worth in weak and in good hands."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from wsim.cli.presenter import Output, answered
from wsim.errors import UserError
from wsim.experiments.skill import Skill, play_skill
from wsim.experiments.skill_question import GAMES

if TYPE_CHECKING:
    from wsim.cli.exports import Files
    from wsim.cli.groups import AnswerFile, Printing, View, Workers
    from wsim.cli.plan_keys import PlanOptions
    from wsim.experiments.skill_question import SkillQuestion


def skill_command(
    plan: PlanOptions,
    question: SkillQuestion,
    view: View,
    files: Files,
    answer: AnswerFile,
    workers: Workers,
    printing: Printing,
) -> None:
    """Play, print the answer, write it if asked; after Ctrl-C print what is known so far and exit with 130."""
    if len(plan.arguments) > 1:
        raise UserError(f"skill is told of one table, not also of {plan.arguments[1]!r}")
    if plan.arguments:
        question = replace(question, what=plan.arguments[0])
    output = Output(printing, files, view.wide, answer.out)
    output.check(Skill)
    base = plan.resolve(games=GAMES)
    answered(
        lambda progress: play_skill(base, question, progress=progress, **workers.record()),
        output,
        game=base.game,
        display=lambda found: found.display(view.of),
    )
