"""``wsim whatif``: variants against a baseline on common deals, as tables and as a chart of the effects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from wsim.options import Options, option

if TYPE_CHECKING:
    from wsim.cli.exports import Files
    from wsim.cli.groups import AnswerFile, Printing, Wide, Workers
    from wsim.cli.plan_keys import PlanOptions
    from wsim.experiments.question import Change, Question


@dataclass(frozen=True)
class Details(Options):
    """What is shown of many variants."""

    details: bool = option("Show every metric of every variant.", False)


def whatif_command(
    plan: PlanOptions,
    change: Change,
    question: Question,
    details: Details,
    answer: AnswerFile,
    files: Files,
    workers: Workers,
    table: Wide,
    printing: Printing,
) -> None:
    """Compare, print the answer, write it if asked; after Ctrl-C print what is known so far and exit with 130."""
    from wsim.cli.presenter import Output, answered
    from wsim.experiments.whatif import WhatIf, compare

    plan.no_arguments()
    base = plan.resolve()
    output = Output(printing, files, table.wide, answer.out)
    output.check(WhatIf)
    answered(
        lambda progress: compare(base, change, question, progress=progress, **workers.record()),
        output,
        game=base.game,
        display=lambda found: found.display(every=details.details),
    )
