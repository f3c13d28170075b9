"""``wsim report``: the page of a run."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from wsim.cli.console import remark, write_out

if TYPE_CHECKING:
    from wsim.lab.progress import Progress

__all__ = ["report_command"]


def report_command(
    folder: str, out: str | None, compare: str | None, beside: Mapping[str, Sequence[str]], *, quiet: bool
) -> None:
    """Write the page of the run in ``folder`` to ``out`` (default: report.html in the folder) and print its path.

    ``compare``: another run. ``beside``: files that are shown too, by what they are (``wsim.report.material.Besides``).
    """
    from wsim.lab.store import load_run
    from wsim.report import check_extra, write_report

    check_extra()
    from wsim.report.material import Besides

    run = load_run(folder)
    if not (quiet or run.complete):
        remark(f"wsim: {folder} holds {run.games:,} of {len(run.wanted):,} games")
    target = Path(out) if out is not None else run.path / "report.html"
    files = {name: tuple(map(Path, paths)) for name, paths in beside.items()}
    besides = Besides(compare=None if compare is None else load_run(compare), **files)
    with _steps(not quiet) as progress:
        write_report(run, target, besides, progress)
    write_out(str(target))


@contextlib.contextmanager
def _steps(show: bool) -> Iterator[Progress | None]:
    """Give a callback that draws a bar of steps on standard error; None if it is no terminal."""
    if not (show and sys.stderr.isatty()):
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    columns = (TextColumn("report"), BarColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None)

        def advance(what: str, done: int, total: int) -> None:
            bar.update(task, description=what, completed=done, total=total)

        yield advance
