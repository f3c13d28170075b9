"""``wsim learn``: a net from self-play, by a plan; or the one that comes with wsim, fitted to changed cards."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from wsim.cli.console import progress_bar, remark
from wsim.cli.presenter import Output, present
from wsim.learn.judge import Learned
from wsim.learn.rounds import LAST, PART, learn

if TYPE_CHECKING:
    from wsim.cli.groups import Printing, Workers
    from wsim.learn.learn_question import LearnQuestion


FEW = 5 * PART  # decisions: with fewer, a net is hardly another one


def learn_command(question: LearnQuestion, workers: Workers, printing: Printing) -> None:
    """Learn, or go on learning, and show how strong the net is; Ctrl-C keeps every part that is finished."""
    plan = question.resolve()
    folder = Path(question.out or "learned")
    try:
        with progress_bar(not printing.quiet) as progress:
            judgements = learn(plan, folder, progress=progress, **workers.record())
    except KeyboardInterrupt:
        remark(f"wsim: what is finished is kept; to go on: wsim {shlex.join(sys.argv[1:])}")
        raise
    present(Learned.of(folder / LAST, judgements), Output(printing))
    if not (printing.as_json or printing.quiet):
        remark(f"learned: --policies net:file={folder / LAST}")
        decisions = sum(one.decisions for one in plan.rounds)
        if decisions < FEW:
            remark(f"learned from {decisions:,} decisions: a net needs tens of thousands to play better for it")
