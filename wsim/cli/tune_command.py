"""``wsim tune``: the numbers of a policy tuned by self-play, and how the result was judged."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from typer import Exit

from wsim.cli.console import INTERRUPTED, announce_compiling, progress_bar, remark
from wsim.cli.presenter import Output, present
from wsim.errors import UserError
from wsim.lab.progress import Interrupted
from wsim.tuning.tune import TuningSearch, begin, question_of, resume

if TYPE_CHECKING:
    from wsim.cli.exports import Files
    from wsim.cli.groups import Printing, Trust, Wide, Workers
    from wsim.cli.plan_keys import PlanOptions
    from wsim.tuning.tune_question import TuneOutput


def tune_command(
    plan: PlanOptions,
    question: Mapping[str, Any],
    output: TuneOutput,
    trust: Trust,
    files: Files,
    workers: Workers,
    table: Wide,
    printing: Printing,
) -> None:
    """Search, judge, print; after Ctrl-C say how to go on and exit with 130."""
    files.check()
    if output.resume is not None:
        _refuse_beside_resume(plan, question, output)
        search = resume(output.resume, generations=question.get("generations"), trust=trust.trust)
    else:
        search = _begun(plan, question, output, workers.threads, quiet=printing.quiet)
    try:
        with progress_bar(not printing.quiet) as progress:
            tuned = search.run(workers.threads, progress)
    except Interrupted:
        done, wanted = len(search.history.generations), search.question.generations
        remark(
            f"wsim: interrupted; {done} of {wanted} generations are kept, continue with:\n"
            f"wsim tune --resume {shlex.quote(str(search.folder))}{' --trust' if search.code else ''}"
        )
        raise Exit(INTERRUPTED) from None
    present(tuned, Output(printing, files, table.wide))


def _begun(
    plan: PlanOptions, question: Mapping[str, Any], output: TuneOutput, threads: int | None, *, quiet: bool
) -> TuningSearch:
    """Begin the search that was asked for."""
    if len(plan.arguments) != 1:
        said = f"{len(plan.arguments)} were named" if plan.arguments else "as in wsim tune weighted --start balanced"
        raise UserError(f"tune needs one policy: {said}")
    base = plan.resolve()
    wanted = question_of(plan.arguments[0], base, start=output.start, **question)
    announce_compiling(base.game, quiet=quiet)
    return begin(base, wanted, output.out, threads=threads)


def _refuse_beside_resume(plan: PlanOptions, question: Mapping[str, Any], output: TuneOutput) -> None:
    """Raise UserError for an option beside --resume: all that the search is stands in its folder."""
    said = [key for key in question if key != "generations"]
    said += ["out"] * (output.out is not None) + ["start"] * (output.start is not None)
    said += [*plan.keys, *(["plan"] if plan.file else []), *(one.lstrip("-") for one in plan.extra)]
    if said or plan.arguments:
        named = f"--{said[0].replace('_', '-')}" if said else repr(plan.arguments[0])
        raise UserError(f"{output.resume!r} says what is searched: leave {named} out beside --resume")
