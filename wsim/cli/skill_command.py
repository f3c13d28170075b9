"""``wsim skill``: what cards or boards are worth in weak and in good hands."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from click.exceptions import Exit

from wsim.cli.console import (
    INTERRUPTED,
    Shown,
    print_json,
    print_tables,
    progress_bar,
    remark,
    rows_of,
    write_note,
    write_out,
)
from wsim.cli.exports import Files
from wsim.cli.run_command import announce_compiling
from wsim.errors import UserError
from wsim.experiments.skill import play_skill
from wsim.experiments.skill_question import GAMES
from wsim.game import find_game
from wsim.lab.cluster import check_cluster
from wsim.lab.progress import Interrupted

if TYPE_CHECKING:
    from pathlib import Path

    from wsim.cli.groups import AnswerFile, Printing, View, Workers
    from wsim.cli.plan_keys import PlanOptions
    from wsim.experiments.skill_answer import Skill
    from wsim.experiments.skill_question import SkillQuestion

_Q = "q: Benjamini-Hochberg over the rows."


def skill_command(
    plan: PlanOptions,
    question: SkillQuestion,
    view: View,
    files: Files,
    answer: AnswerFile,
    workers: Workers,
    printing: Printing,
) -> None:
    """Play, print the answer, write it if asked; after Ctrl-C print what is known so far and exit with 130."""
    if len(plan.arguments) > 1:
        raise UserError(f"skill is told of one table, not also of {plan.arguments[1]!r}")
    if plan.arguments:
        question = replace(question, what=plan.arguments[0])
    files.check()
    _check_target(answer.out)
    check_cluster(workers.cluster, workers.threads)
    base = plan.resolve(games=GAMES)
    if not printing.quiet:
        announce_compiling(find_game(base.game))
    interrupted = False
    try:
        with progress_bar(not printing.quiet) as progress:
            found = play_skill(base, question, progress=progress, **workers.record())
    except Interrupted as interrupt:
        if interrupt.result is None:
            raise
        found, interrupted = interrupt.result, True
    _print(found, view, files, printing)
    if answer.out is not None:
        path = found.write(answer.out)
        if not printing.quiet:
            remark(f"written: {path}")
    if interrupted:
        remark("wsim: interrupted; this is what the games so far say")
        raise Exit(INTERRUPTED)


def _check_target(out: Path | None) -> None:
    """Raise UserError for a path that an answer cannot be written to."""
    if out is None or (out / "run.json").is_file():
        return
    if out.suffix not in (".json", ".parquet") or not out.absolute().parent.is_dir():
        raise UserError(f"skill is written as FILE.json or FILE.parquet, or into a run folder, not {str(out)!r}")


def _print(answer: Skill, view: View, files: Files, printing: Printing) -> None:
    """Print an answer: a table with the rungs side by side for each change, or all of it as JSON."""
    record = answer.record()
    pairs = answer.changes.select("weaker", "stronger").unique(maintain_order=True).rows()
    shown = [view.of(answer.table(place)) for place in range(len(pairs))]
    rest = {key: one for key, one in record.items() if key not in ("figures", "changes")}
    files.write(shown[0], rest, quiet=printing.quiet)
    if printing.as_json:
        print_json(record)
        return
    if files.instead:
        return
    labels = len(answer.names)
    first = (*answer.names, *answer.rungs, "change", "verdict", "strong in", "q")
    tables: list[Shown] = []
    for (weaker, stronger), rows in zip(pairs, shown, strict=True):
        others = [rung for rung in answer.rungs if tables and rung not in (weaker, stronger)]
        of_rungs = rows.drop([f"{rung}{end}" for rung in others for end in ("", "_low", "_high")])
        title = f"{answer.question['what'].capitalize()} by skill; change from {weaker} to {stronger}"
        tables.append(Shown(title, rows_of(of_rungs), first=first, labels=labels))
    print_tables(tables, wide=view.wide)
    write_out("")
    for note in _notes(answer):
        write_note(note)


def _notes(answer: Skill) -> list[str]:
    """Say in words what the figures are and what they are not."""
    level = f"{100 * answer.question['level']:g} %"
    rung = f"{answer.games:,} games at each rung"
    return [
        f"{answer.estimand}. A fair share of wins is {answer.fair:.3f}.",
        f"{rung}. Intervals: {level}, clustered by deal; that of a change knows what both rungs share. {_Q}",
        *(f"{one}." for one in answer.remarks),
    ]
