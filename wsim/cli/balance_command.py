"""``wsim sensitivity`` and ``wsim balance``: what the knobs of a goal do, and the smallest patch that meets it."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from typer import Exit

from wsim.balance.balance import Execution, balance, transferred
from wsim.balance.goal import Goal, read_goal
from wsim.balance.knobs import read_patch
from wsim.balance.patch import Balance
from wsim.balance.transfer import Elsewhere, Transfer
from wsim.cli.console import remark
from wsim.cli.presenter import Output, answered
from wsim.cli.relearn import relearner_of
from wsim.errors import UserError

if TYPE_CHECKING:
    from wsim.balance.balance_question import BalanceFiles, BalanceQuestion, SensitivityQuestion
    from wsim.cli.exports import Files
    from wsim.cli.groups import Printing, View, Wide, Workers
    from wsim.lab.progress import Progress

UNPROVEN = 3
"""Exit code of a search whose patch does not meet its targets, or could not be proven to."""


def _searched(goal: Goal, search: Mapping[str, int]) -> Goal:
    """Return the goal with what the command line says otherwise of how hard to look."""
    for name, value in search.items():
        if value < 1:
            raise UserError(f"{name.replace('_', ' ')} must be at least 1, not {value}")
    return replace(goal, search=replace(goal.search, **search))


def sensitivity_command(
    question: SensitivityQuestion,
    search: Mapping[str, int],
    view: View,
    files: Files,
    workers: Workers,
    printing: Printing,
) -> None:
    """Measure the effects of a goal's knobs and print them."""
    from wsim.balance.sensitivity import sensitivity

    output = Output(printing, files, view.wide)
    output.check()
    goal = _searched(read_goal(question.goal), search)
    answered(
        lambda progress: sensitivity(goal, seed=question.seed, threads=workers.threads, progress=progress),
        output,
        game=goal.game,
        display=lambda answer: answer.display(view.of, every=question.every),
    )


def balance_command(
    question: BalanceQuestion,
    files: BalanceFiles,
    search: Mapping[str, int],
    table: Wide,
    workers: Workers,
    printing: Printing,
) -> None:
    """Search, prove, print and write; exit with 3 where targets are not proven, after Ctrl-C with 130."""
    goal = _searched(read_goal(files.goal), search)
    files.check()
    patch = None if files.carry is None else read_patch(Path(files.carry))
    journal = None if files.patch is None else files.patch.with_name(f"{files.patch.name}.journal")

    def play(progress: Progress | None) -> Balance | Transfer:
        execution = Execution(question.seed, journal, files.resume, workers.threads, progress)
        where = _elsewhere(goal, question, files, execution)
        if patch is None:
            return balance(goal, elsewhere=where, execution=execution)
        return transferred(goal, patch, where, execution)

    go_on = _how_to_go_on(files.patch)
    found = answered(play, Output(printing, wide=table.wide), game=goal.game, so_far=lambda _: go_on, go_on=go_on)
    if isinstance(found, Transfer):
        return
    if files.patch is not None:
        paths = found.write(files.patch)
        Execution(journal=journal).over()
        if not printing.quiet:
            remark(f"written: {' and '.join(map(str, paths))}")
    if not found.proven:
        raise Exit(UNPROVEN)


def _elsewhere(goal: Goal, question: BalanceQuestion, files: BalanceFiles, execution: Execution) -> Elsewhere:
    """Return where else the patch is measured."""
    relearner = None
    if files.relearn is not None:
        assert files.patch is not None
        folder = files.patch.with_name(f"{files.patch.stem}-net")
        relearner = relearner_of(goal, folder, files.relearn, execution)
    return Elsewhere(question.players, question.styles, question.elsewhere_games, relearner)


def _how_to_go_on(patch: Path | None) -> str:
    """Say how an interrupted search goes on."""
    if patch is None:
        return "with --out FILE the next one can be gone on with"
    return f"go on by adding --resume to the same command ({shlex.quote(str(patch))}.journal has what was measured)"
