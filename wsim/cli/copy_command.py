"""``wsim runs copy``: copy a finished run to an object store, or back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from wsim.cli.console import progress_bar, remark, write_out
from wsim.options import Options, argument

if TYPE_CHECKING:
    from wsim.cli.groups import Printing


@dataclass(frozen=True)
class CopyOptions(Options):
    """Copy a finished run to an object store, or back, and verify every file (needs wsim[s3])."""

    source: str = argument("Run folder, or s3://bucket/path.", metavar="RUN")
    target: str = argument("Where to copy it: s3://bucket/path, or a folder.", metavar="TARGET")


def copy_command(options: CopyOptions, printing: Printing) -> None:
    """Copy a run and print the number of files transferred."""
    from wsim.lab.remote import copy_run

    with progress_bar(not printing.quiet) as progress:
        copied = copy_run(options.source, options.target, progress=progress)
    write_out(f"copied {options.source} to {options.target}: {copied.files} files sent")
    if copied.remark:
        remark(f"wsim: {copied.remark}")
