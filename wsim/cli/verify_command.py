"""``wsim verify``: is a run what was written?"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from typer import Exit

from wsim.cli.console import FAILURE, print_json, write_out
from wsim.options import Options, argument

if TYPE_CHECKING:
    from wsim.cli.groups import Printing


@dataclass(frozen=True)
class VerifyOptions(Options):
    """Check a run: every file, digest, range and row, and what the data were made of; exit 1 if anything is wrong."""

    run: str = argument("A folder that wsim run wrote.", metavar="RUN")


def verify_command(options: VerifyOptions, printing: Printing) -> None:
    """Check a run folder and print what is wrong, a line each; exit 1 if anything is."""
    from wsim.lab.verify import verify

    folder = options.run
    found = verify(folder)
    if printing.as_json:
        print_json({"folder": folder, "sound": not found, "findings": [asdict(one) for one in found]})
    elif not found:
        write_out(f"{folder} is sound: every file is what was written")
    else:
        for one in found:
            write_out(f"{one.file} {one.wrong}" if not one.wrong.startswith("'") else one.wrong)
    if found:
        raise Exit(FAILURE)
