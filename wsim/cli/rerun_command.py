"""``wsim rerun``: play again what made a run, an answer or a page, and say whether the same comes out."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from typer import Exit

from wsim.cli.console import FAILURE, announce_compiling, print_json, progress_bar, write_out
from wsim.cli.run_command import trusted
from wsim.errors import UserError
from wsim.files import refuse_remote
from wsim.options import Options, option

if TYPE_CHECKING:
    from wsim.cli.groups import Printing, Trust, Workers
    from wsim.cli.plan_keys import PlanOptions
    from wsim.lab.plan import Plan
    from wsim.lab.repetition import Repeatable

_PAGE = (".html", ".htm")


@dataclass(frozen=True)
class RerunOptions(Options):
    """Play again what made something, and compare; exit 1 if it is not the same: wsim rerun RUN

    A run folder or a shard of one, an answer of wsim whatif, match, skill or rest (FILE.json, FILE.parquet), one of
    wsim experiment picks --json, a page of wsim report. Files that it names are read in its run folder, or where their
    names say.
    """

    out: str | None = option("Keep the games that are played, of a run.", None, metavar="FOLDER", names=("-o", "--out"))


def rerun_command(plan: PlanOptions, options: RerunOptions, workers: Workers, trust: Trust, printing: Printing) -> None:
    """Play again what the argument is of, print what is the same, exit 1 if something is not."""
    from wsim.lab.execution import Execution
    from wsim.lab.repetition import Again

    if len(plan.arguments) != 1:
        raise UserError("name one thing to play again: a run folder, a shard of one, an answer, a page")
    if plan.extra:
        raise UserError(f"rerun has no option {next(iter(plan.extra))!r}: what is played again cannot be changed")
    name = plan.arguments[0]
    refuse_remote(name)

    def known(base: Plan) -> Plan:
        return trusted(plan, base, name, "played again", trust=trust.trust)  # runs no code that nobody has named

    source = _source(Path(name), keep=options.out is not None)
    recorded = source.plan()
    if recorded is not None:
        announce_compiling(known(recorded).game, quiet=printing.quiet)
    with progress_bar(not printing.quiet) as progress:
        found = source.again(
            Again(known, out=options.out, execution=Execution(workers.threads, workers.cluster, progress))
        )
    if printing.as_json:
        head = {"source": name, "identical": found.identical, "compared": found.compared}
        print_json({**head, "differences": list(found.differences), "remarks": list(found.remarks)})
    else:
        same = "the same" if found.identical else "not the same"
        write_out(f"{name} played again is {same}: {found.compared}")
        for line in (*found.differences, *found.remarks):
            write_out(f"  {line}")
    if not found.identical:
        raise Exit(FAILURE)


def _source(path: Path, *, keep: bool) -> Repeatable:
    """Find out what a file or a folder is; UserError if games are to be kept that it does not write."""
    from wsim.lab.repetition import RunFolder, ShardFile
    from wsim.lab.store import load_run
    from wsim.questions.answer_files import answer_in, stored_in
    from wsim.report.page_record import PageFile

    answer = answer_in(path)
    if answer is None and (path.is_dir() or not path.exists()):
        return RunFolder(load_run(path))
    if path.suffix.lower() in _PAGE:
        return PageFile.read(path)
    if keep:
        what = "a single file" if path.suffix == ".parquet" else "an answer"
        raise UserError(f"--out keeps the games of a run; {what} writes none")
    return stored_in(answer or path) or ShardFile.read(path)
