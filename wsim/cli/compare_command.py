"""``wsim compare``: the difference of two runs, metric by metric."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from wsim.cli.table_command import open_run
from wsim.options import Options, argument, level_option, option

if TYPE_CHECKING:
    from wsim.cli.exports import Files
    from wsim.cli.groups import Printing, View


@dataclass(frozen=True)
class CompareOptions(Options):
    """Compare two runs: OTHER less RUN, paired game by game where they have the same deals."""

    first: str = argument("A folder that wsim run wrote.", metavar="RUN")
    second: str = argument("Another one, of the same game and players.", metavar="OTHER")
    metric: tuple[str, ...] = option("Only this (repeatable): score, win:NAME, built:CARD, ... as of wsim whatif.", ())
    level: float = level_option()


def compare_command(options: CompareOptions, view: View, files: Files, printing: Printing) -> None:
    """Compare two runs and print how, what made them differ, and the difference of every metric."""
    from wsim.cli.presenter import Output, answered
    from wsim.experiments.runs import compare_runs

    output = Output(printing, files, view.wide)
    output.check()
    runs = open_run(options.first), open_run(options.second)
    answered(
        lambda progress: compare_runs(*runs, options.metric, level=options.level, progress=progress),
        output,
        display=lambda answer: answer.display(view.of),
    )
