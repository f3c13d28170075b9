"""``wsim copy``: a finished run into an object store, or back."""

from __future__ import annotations

from wsim.cli.console import progress_bar, write_out

__all__ = ["copy_command"]


def copy_command(source: str, target: str, *, quiet: bool) -> None:
    """Copy a run and say how many files were sent."""
    from wsim.lab.remote import copy_run

    with progress_bar(not quiet) as progress:
        sent = copy_run(source, target, progress=progress)
    write_out(f"{source} is in {target}: {sent} files sent")
