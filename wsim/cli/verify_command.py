"""``wsim verify``: is a run what was written?"""

from __future__ import annotations

from dataclasses import asdict

import typer

from wsim.cli.console import FAILURE, print_json, write_out

__all__ = ["verify_command"]


def verify_command(folder: str, *, as_json: bool) -> None:
    """Check a run folder and print what is wrong, a line each; exit 1 if anything is."""
    from wsim.lab.verify import verify

    found = verify(folder)
    if as_json:
        print_json({"folder": folder, "sound": not found, "findings": [asdict(one) for one in found]})
    elif not found:
        write_out(f"{folder} is sound: every file is what was written")
    else:
        for one in found:
            write_out(f"{one.file} {one.wrong}" if not one.wrong.startswith("'") else one.wrong)
    if found:
        raise typer.Exit(FAILURE)
