"""``wsim rerun``: play again what made a run, an answer or a page, and say whether the same comes out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from wsim.cli.console import FAILURE, print_json, progress_bar, write_out
from wsim.cli.run_command import announce_compiling, trusted
from wsim.errors import UserError
from wsim.game import find_game
from wsim.lab.files import refuse_remote

if TYPE_CHECKING:
    from wsim.cli.options import Given
    from wsim.lab.plan import Plan
    from wsim.lab.repetition import Repeatable

_PAGE = (".html", ".htm")


def rerun_command(
    given: Given, out: str | None, *, threads: int | None, trust: bool, as_json: bool, quiet: bool
) -> None:
    """Play again what the argument is of, print what is the same, exit 1 if something is not."""
    from wsim.lab.repetition import Again

    if len(given.arguments) != 1:
        raise UserError("name one thing to play again: a run folder, a shard of one, an answer, a page")
    if given.extra:
        raise UserError(f"rerun has no option {next(iter(given.extra))!r}: what is played again cannot be changed")
    name = given.arguments[0]
    refuse_remote(name)

    def known(plan: Plan) -> Plan:
        return trusted(given, plan, name, "played again", trust=trust)  # runs no code that nobody has named

    source = _source(Path(name), keep=out is not None)
    plan = known(source.plan())
    if not quiet:
        announce_compiling(find_game(plan.game))
    with progress_bar(not quiet) as progress:
        found = source.again(Again(known, out=out, threads=threads, progress=progress))
    if as_json:
        head = {"source": name, "identical": found.identical, "compared": found.compared}
        print_json({**head, "differences": list(found.differences), "remarks": list(found.remarks)})
    else:
        same = "the same" if found.identical else "not the same"
        write_out(f"{name} played again is {same}: {found.compared}")
        for line in (*found.differences, *found.remarks):
            write_out(f"  {line}")
    if not found.identical:
        raise typer.Exit(FAILURE)


def _source(path: Path, *, keep: bool) -> Repeatable:
    """Find out what a file or a folder is; UserError if games are to be kept that it does not write."""
    from wsim.experiments.kinds import match_in, stored_in
    from wsim.lab.repetition import RunFolder, ShardFile
    from wsim.lab.store import load_run
    from wsim.report.page_record import PageFile

    answer = match_in(path)
    if answer is None and (path.is_dir() or not path.exists()):
        return RunFolder(load_run(path))
    if path.suffix.lower() in _PAGE:
        return PageFile.read(path)
    if keep:
        what = "a single file" if path.suffix == ".parquet" else "an answer"
        raise UserError(f"--out keeps the games of a run; {what} writes none")
    return stored_in(answer or path) or ShardFile.read(path)
