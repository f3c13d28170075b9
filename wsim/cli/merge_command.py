"""``wsim runs merge``: join the parts of a run into one folder."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from typer import Exit

from wsim.cli.console import INTERRUPTED, print_json, progress_bar, remark, write_out
from wsim.options import Options, argument, option

if TYPE_CHECKING:
    from wsim.cli.groups import Printing


@dataclass(frozen=True)
class MergeOptions(Options):
    """Join the parts of a run into one folder. Each part must be given exactly once, intact and from the same plan.

    The parts are not changed.
    """

    parts: tuple[str, ...] = argument("Folders written by wsim run --shard.", metavar="PART...")
    out: str = option("Folder for the joined run.", metavar="FOLDER", names=("-o", "--out"))


def merge_command(options: MergeOptions, printing: Printing) -> None:
    """Join the parts and print the folder of the run; after Ctrl-C, print how to continue and exit with 130."""
    from wsim.lab.merge import merge

    try:
        with progress_bar(not printing.quiet) as progress:
            run = merge(options.parts, options.out, progress=progress)
    except KeyboardInterrupt:
        remark("wsim: interrupted; the same command continues")
        raise Exit(INTERRUPTED) from None
    if printing.as_json:
        print_json(
            {"folder": str(run.path), "digest": run.provenance.digest, "games": run.games, "parts": len(options.parts)}
        )
    else:
        write_out(f"{run.games:,} games of {len(options.parts)} parts: {run.path}")
