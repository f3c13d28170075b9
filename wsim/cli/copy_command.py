"""``wsim copy``: a finished run into an object store, or back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from wsim.cli.console import progress_bar, remark, write_out
from wsim.options import Options, argument

if TYPE_CHECKING:
    from wsim.cli.groups import Printing


@dataclass(frozen=True)
class CopyOptions(Options):
    """Copy a finished run into an object store, or back; every file is checked (needs wsim[s3])."""

    source: str = argument("A folder, or s3://bucket/path.", metavar="RUN")
    target: str = argument("The other of the two.", metavar="TARGET")


def copy_command(options: CopyOptions, printing: Printing) -> None:
    """Copy a run and say how many files were sent."""
    from wsim.lab.remote import copy_run

    with progress_bar(not printing.quiet) as progress:
        copied = copy_run(options.source, options.target, progress=progress)
    write_out(f"{options.source} is in {options.target}: {copied.files} files sent")
    if copied.remark:
        remark(f"wsim: {copied.remark}")
