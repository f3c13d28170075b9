"""``wsim rest``: how far figures of cards and wonders move between players."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wsim.cli.presenter import Output, answered
from wsim.experiments.rest import Rest, play_rest
from wsim.experiments.rest_question import GAMES

if TYPE_CHECKING:
    from wsim.cli.exports import Files
    from wsim.cli.groups import AnswerFile, Printing, View, Workers
    from wsim.cli.plan_keys import PlanOptions
    from wsim.experiments.rest_question import RestQuestion


def rest_command(
    plan: PlanOptions,
    question: RestQuestion,
    view: View,
    files: Files,
    answer: AnswerFile,
    workers: Workers,
    printing: Printing,
) -> None:
    """Play, print the answer, write it if asked; after Ctrl-C print what is known so far and exit with 130."""
    output = Output(printing, files, view.wide, answer.out)
    output.check(Rest)
    base = plan.resolve(games=GAMES)
    answered(
        lambda progress: play_rest(base, plan.arguments, question, progress=progress, **workers.record()),
        output,
        game=base.game,
        display=lambda found: found.display(view.of),
    )
