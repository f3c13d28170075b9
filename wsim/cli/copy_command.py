"""``wsim copy``: a finished run into an object store, or back."""

from __future__ import annotations

from wsim.cli.console import progress_bar, remark, write_out


def copy_command(source: str, target: str, *, quiet: bool) -> None:
    """Copy a run and say how many files were sent."""
    from wsim.lab.remote import copy_run

    with progress_bar(not quiet) as progress:
        copied = copy_run(source, target, progress=progress)
    write_out(f"{source} is in {target}: {copied.files} files sent")
    if copied.remark:
        remark(f"wsim: {copied.remark}")
