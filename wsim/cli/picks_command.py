"""``wsim experiment picks``: what doing something with a card causes, from randomised picks."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from wsim.cli.exports import plan_identity
from wsim.cli.presenter import Output, answered
from wsim.experiments.picks import play_experiment, randomised
from wsim.experiments.picks_question import GAMES

if TYPE_CHECKING:
    from wsim.cli.exports import Files
    from wsim.cli.groups import Printing, View, Workers
    from wsim.cli.plan_keys import PlanOptions
    from wsim.experiments.picks_question import PickPlay, PickQuestion


def picks_command(
    plan: PlanOptions,
    how: PickPlay,
    question: PickQuestion,
    view: View,
    files: Files,
    workers: Workers,
    printing: Printing,
) -> None:
    """Play, ask and print; after Ctrl-C print what the finished games say and exit with 130."""
    plan.no_arguments()
    output = Output(printing, files, view.wide)
    output.check()
    base = randomised(plan.resolve(games=GAMES), how.randomise)
    more = {"resume": how.resume, **workers.record()}
    go_on = f"; go on with --resume -o {shlex.quote(str(how.folder))}" if how.folder else ""
    answered(
        lambda progress: play_experiment(base, question, how.folder, progress=progress, **more),
        output,
        game=base.game,
        display=lambda answer: answer.display(view.of, randomise=str(how.randomise)),
        more=lambda answer: {**plan_identity(answer.plan), "notes": answer.notes()},
        so_far=lambda _: f"this is what the finished games say{go_on}",
    )
