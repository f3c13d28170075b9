"""``wsim runs verify``: check that the files of a run are intact."""

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
    """Check the files, digests, ranges, rows and provenance of a run; exit 1 if anything is wrong."""

    run: str = argument("Run folder written by wsim run.", metavar="RUN")


def verify_command(options: VerifyOptions, printing: Printing) -> None:
    """Print one line per problem in a run folder; exit with code 1 if there are any."""
    from wsim.lab.verify import verify

    folder = options.run
    findings = verify(folder)
    if printing.as_json:
        print_json({"folder": folder, "sound": not findings, "findings": [asdict(finding) for finding in findings]})
    elif not findings:
        write_out(f"{folder} is intact: all files are as written")
    else:
        for finding in findings:
            write_out(finding.wrong if finding.wrong.startswith("'") else f"{finding.file} {finding.wrong}")
    if findings:
        raise Exit(FAILURE)
