"""``wsim report``: write the HTML page of a run."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from wsim.cli.console import remark, write_out
from wsim.options import Options, argument, option

if TYPE_CHECKING:
    from wsim.cli.groups import Printing
    from wsim.lab.progress import Progress


@dataclass(frozen=True)
class ReportOptions(Options):
    """Write a report about a run: conclusions, charts and tables in one HTML file that works offline."""

    run: str = argument("Run folder written by wsim run.", metavar="RUN")
    out: str | None = option(
        "File for the report.", None, metavar="FILE", names=("-o", "--out"), shown="RUN/report.html"
    )
    answer: tuple[str, ...] = option(
        "Also show this answer (repeatable); answers in RUN are always shown.",
        (), metavar="FILE",
        aliases=("--whatif", "--match", "--skill", "--robustness", "--rest", "--balance"),
    )  # fmt: skip
    compare: str | None = option("Also show the differences from this run.", None, metavar="RUN")
    with_run: tuple[str, ...] = option(
        "Also show this run next to RUN, such as one with a different number of players (repeatable).",
        (), metavar="RUN", aliases=("--beside",),
    )  # fmt: skip


def report_command(options: ReportOptions, printing: Printing) -> None:
    """Write the report of a run and print its path."""
    from wsim.lab.store import load_run
    from wsim.report import check_extra, write_report

    check_extra()
    from wsim.report.material import PageExtras

    run = load_run(options.run)
    if not (printing.quiet or run.complete):
        remark(f"wsim: {options.run} contains {run.games:,} of {len(run.wanted):,} games")
    target = Path(options.out) if options.out is not None else run.path / "report.html"
    compare = None if options.compare is None else load_run(options.compare)
    besides = PageExtras(
        compare=compare, others=tuple(map(load_run, options.with_run)), files=tuple(map(Path, options.answer))
    )
    with _steps(not printing.quiet) as progress:
        write_report(run, target, besides, progress)
    write_out(str(target))


@contextlib.contextmanager
def _steps(show: bool) -> Iterator[Progress | None]:
    """Yield a callback that draws a progress bar of steps on standard error; None if it is not a terminal."""
    if not (show and sys.stderr.isatty()):
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    columns = (TextColumn("report"), BarColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None)

        def advance(step: str, done: int, total: int) -> None:
            bar.update(task, description=step, completed=done, total=total)

        yield advance
