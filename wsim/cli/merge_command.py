"""``wsim merge``: the parts of a run become one folder."""

from __future__ import annotations

from collections.abc import Sequence

import typer

from wsim.cli.console import INTERRUPTED, print_json, progress_bar, remark, write_out

__all__ = ["merge_command"]


def merge_command(folders: Sequence[str], out: str, *, as_json: bool, quiet: bool) -> None:
    """Join the parts and print the folder of the run; after Ctrl-C say how to go on and exit with 130."""
    from wsim.lab.merge import merge

    try:
        with progress_bar(not quiet) as progress:
            run = merge(folders, out, progress=progress)
    except KeyboardInterrupt:
        remark("wsim: interrupted; the same command goes on where it was")
        raise typer.Exit(INTERRUPTED) from None
    if as_json:
        print_json(
            {"folder": str(run.path), "digest": run.provenance.digest, "games": run.games, "parts": len(folders)}
        )
    else:
        write_out(f"{run.games:,} games of {len(folders)} parts: {run.path}")
