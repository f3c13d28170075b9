"""``wsim compare``: the difference of two runs, metric by metric."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from wsim.cli.exports import Files
from wsim.cli.presenter import Output, answered
from wsim.cli.table_command import open_run

if TYPE_CHECKING:
    from wsim.cli.table_command import View


@dataclass(frozen=True)
class Asked:
    """What is asked of two runs: metrics (none: the usual ones), what is shown of them, the level, where it goes."""

    metrics: Sequence[str]
    view: View
    level: float
    files: Files


def compare_command(first: str, second: str, asked: Asked, *, as_json: bool, quiet: bool) -> None:
    """Compare two runs and print how, what made them differ, and the difference of every metric."""
    from wsim.experiments.runs import compare_runs

    asked.files.check()
    runs = open_run(first), open_run(second)
    answered(
        lambda progress: compare_runs(*runs, asked.metrics, level=asked.level, progress=progress),
        Output(asked.files, wide=asked.view.wide, as_json=as_json, quiet=quiet),
        display=lambda answer: answer.display(asked.view.of),
    )
