"""``wsim runs rerun``: repeat a run, an answer or a page, and compare the results."""

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
    from wsim.cli.plan_options import PlanOptions
    from wsim.lab.plan import Plan
    from wsim.lab.repetition import Repeatable

_PAGE = (".html", ".htm")


@dataclass(frozen=True)
class RerunOptions(Options):
    """Repeat a run or an answer and compare the results; exit 1 if they differ: wsim runs rerun RUN

    The argument is a run folder, a shard file, the answer to any question (FILE.json, FILE.parquet), or a page of wsim
    report. Files that it names are read from the run folder, or else from their original paths.
    """

    out: str | None = option("Store the repeated run in this folder.", None, metavar="FOLDER", names=("-o", "--out"))


def rerun_command(plan: PlanOptions, options: RerunOptions, workers: Workers, trust: Trust, printing: Printing) -> None:
    """Repeat the run or answer in the argument, print the comparison, and exit with code 1 if anything differs."""
    from wsim.lab.execution import Execution
    from wsim.lab.repetition import RepetitionSettings

    if len(plan.arguments) != 1:
        raise UserError("name exactly one run folder, shard file, answer or page to repeat")
    if plan.extra:
        raise UserError(
            f"rerun has no option {next(iter(plan.extra))!r}: runs and answers are repeated exactly as recorded"
        )
    name = plan.arguments[0]
    refuse_remote(name)

    def known(base: Plan) -> Plan:
        return trusted(plan, base, name, "repeated", trust=trust.trust)  # code that the user has not named is not run

    source = _read_repeatable(Path(name), keep=options.out is not None)
    recorded = source.plan()
    if recorded is not None:
        announce_compiling(known(recorded).game, quiet=printing.quiet)
    with progress_bar(not printing.quiet) as progress:
        repeated = source.again(
            RepetitionSettings(known, out=options.out, execution=Execution(workers.threads, workers.cluster, progress))
        )
    if printing.as_json:
        head = {"source": name, "identical": repeated.identical, "compared": repeated.compared}
        print_json({**head, "differences": list(repeated.differences), "remarks": list(repeated.remarks)})
    else:
        same = "the same" if repeated.identical else "not the same"
        write_out(f"{name} repeated is {same}: {repeated.compared}")
        for line in (*repeated.differences, *repeated.remarks):
            write_out(f"  {line}")
    if not repeated.identical:
        raise Exit(FAILURE)


def _read_repeatable(path: Path, *, keep: bool) -> Repeatable:
    """Load the run, shard, answer or page stored at a path, so that it can be repeated.

    Raises UserError if ``keep`` is true and the content has no games to store.
    """
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
        noun = "a single file" if path.suffix == ".parquet" else "an answer"
        raise UserError(f"--out stores the games of a run, but {noun} has none")
    return stored_in(answer or path) or ShardFile.read(path)
