"""``wsim skill``: what cards or boards are worth in weak and in good hands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

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
from wsim.experiments.skill import GAMES, SkillQuestion, play_skill
from wsim.game import find_game
from wsim.lab.cluster import check_cluster
from wsim.lab.progress import Interrupted

if TYPE_CHECKING:
    from wsim.cli.options import Given
    from wsim.cli.table_command import View
    from wsim.experiments.skill_answer import Skill

__all__ = ["Asked", "skill_command"]

_Q = "q: Benjamini-Hochberg over the rows."


@dataclass(frozen=True)
class Asked:
    """The options of ``wsim skill`` besides those of the plan.

    Attributes
    ----------
    question: of ``SkillQuestion``, but for what is asked about. how: threads, cluster.
    out: FILE.json, FILE.parquet or a run folder. files: where else the rows are written.
    """

    question: Mapping[str, Any]
    how: Mapping[str, Any]
    view: View
    out: str | None
    files: Files


def skill_command(given: Given, asked: Asked, *, as_json: bool, quiet: bool) -> None:
    """Play, print the answer, write it if asked; after Ctrl-C print what is known so far and exit with 130."""
    if len(given.arguments) > 1:
        raise UserError(f"skill is told of one table, not also of {given.arguments[1]!r}")
    question = SkillQuestion(**asked.question)
    if given.arguments:
        question = replace(question, what=given.arguments[0])
    asked.files.check()
    _check_target(asked.out)
    check_cluster(asked.how["cluster"], asked.how["threads"])
    plan = given.resolve(games=GAMES)
    if not quiet:
        announce_compiling(find_game(plan.game))
    interrupted = False
    try:
        with progress_bar(not quiet) as progress:
            answer = play_skill(plan, question, **asked.how, progress=progress)
    except Interrupted as interrupt:
        if interrupt.result is None:
            raise
        answer, interrupted = interrupt.result, True
    _print(answer, asked, as_json=as_json, quiet=quiet)
    if asked.out is not None:
        path = answer.write(asked.out)
        if not quiet:
            remark(f"written: {path}")
    if interrupted:
        remark("wsim: interrupted; this is what the games so far say")
        raise typer.Exit(INTERRUPTED)


def _check_target(out: str | None) -> None:
    """Raise UserError for a path that an answer cannot be written to."""
    if out is None or (Path(out) / "run.json").is_file():
        return
    if Path(out).suffix not in (".json", ".parquet") or not Path(out).absolute().parent.is_dir():
        raise UserError(f"skill is written as FILE.json or FILE.parquet, or into a run folder, not {out!r}")


def _print(answer: Skill, asked: Asked, *, as_json: bool, quiet: bool) -> None:
    """Print an answer: a table with the rungs side by side for each change, or all of it as JSON."""
    record = answer.record()
    pairs = answer.changes.select("weaker", "stronger").unique(maintain_order=True).rows()
    shown = [asked.view.of(answer.table(place)) for place in range(len(pairs))]
    rest = {key: one for key, one in record.items() if key not in ("figures", "changes")}
    asked.files.write(shown[0], rest, quiet=quiet)
    if as_json:
        print_json(record)
        return
    if asked.files.instead:
        return
    labels = len(answer.names)
    first = (*answer.names, *answer.rungs, "change", "verdict", "strong in", "q")
    tables: list[Shown] = []
    for (weaker, stronger), rows in zip(pairs, shown, strict=True):
        others = [rung for rung in answer.rungs if tables and rung not in (weaker, stronger)]
        of_rungs = rows.drop([f"{rung}{end}" for rung in others for end in ("", "_low", "_high")])
        title = f"{answer.question['what'].capitalize()} by skill; change from {weaker} to {stronger}"
        tables.append(Shown(title, rows_of(of_rungs), first=first, labels=labels))
    print_tables(tables, wide=asked.view.wide)
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
