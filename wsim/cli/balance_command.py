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
from wsim.balance.knobs import Patch, changes_of, read_patch
from wsim.balance.patch import Balance
from wsim.balance.transfer import Elsewhere, Relearner, Transfer
from wsim.cli.console import remark
from wsim.cli.presenter import Output, answered
from wsim.errors import UserError
from wsim.learn.learn_question import fitting_plan
from wsim.learn.learner import learner_of
from wsim.learn.learning_plan import Seats
from wsim.learn.rounds import LAST, learn

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


def relearner_of(goal: Goal, folder: Path, decisions: int, execution: Execution) -> Relearner:
    """Return the net of a game, which learns a patched one, and the game as it is, from ``decisions`` of each.

    The patched one is learned in ``folder``, the others beside it: ``-2`` is the second learning, ``-without`` that of
    the game without the patch. Raises UserError for a game without a net, too few decisions, and a folder that is there
    unless one goes on.
    """
    policy = learner_of(goal.game).policy
    if decisions < 1:
        raise UserError(f"--relearn needs at least 1 decision to learn from, not {decisions}")

    def home(patch: Patch, number: int) -> Path:
        words = [folder.name, *([] if patch else ["without"]), *([str(number)] if number > 1 else [])]
        return folder.with_name("-".join(words))

    def learned(patch: Patch, number: int) -> str:
        first = goal.settings[0].plan
        tables = dict.fromkeys(Seats(one.plan.ruleset or "", one.plan.players) for one in goal.settings)
        fitting = fitting_plan(
            game=goal.game, tables=tuple(tables), decisions=decisions,
            cards=first.files.get(first.cards or "", first.cards),
            patch=[first.files.get(one, one) for one in first.patch], changes=(*first.set, *changes_of(patch)),
        )  # fmt: skip
        plan, there = replace(fitting.checked(), seed=number), home(patch, number)
        learn(plan, there, threads=execution.threads, progress=execution.progress)
        return f"{policy}:file={there / LAST}"

    found = Relearner(policy, learned)
    some: Patch = ((("any",), 1),)
    for number in range(1, found.times + 1):
        for patch in ((), some):
            there = home(patch, number)
            if there.exists() and not execution.resume:
                raise UserError(f"{str(there)!r} is there already, where a net would learn the game: remove it")
    return found
