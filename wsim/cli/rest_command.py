"""``wsim rest``: how far figures of cards and wonders move between players."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wsim.cli.presenter import Output, answered
from wsim.cli.run_command import announce_compiling
from wsim.experiments.rest import Rest, play_rest
from wsim.experiments.rest_question import GAMES
from wsim.game import find_game
from wsim.lab.cluster import check_cluster

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
    files.check()
    if answer.out is not None:
        Rest.check_target(answer.out)
    check_cluster(workers.cluster, workers.threads)
    base = plan.resolve(games=GAMES)
    if not printing.quiet:
        announce_compiling(find_game(base.game))
    answered(
        lambda progress: play_rest(base, plan.arguments, question, progress=progress, **workers.record()),
        Output(files, wide=view.wide, as_json=printing.as_json, quiet=printing.quiet),
        display=lambda found: found.display(view.of),
        write=lambda found: None if answer.out is None else found.write(answer.out),
    )
