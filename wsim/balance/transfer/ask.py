"""Measure a patch with other players and styles than in the search, and with nets retrained on it."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path

from wsim.balance.evaluator import Evaluator
from wsim.balance.goal import Goal
from wsim.balance.knobs import Patch, changes_of, patched, read_patch
from wsim.balance.measurements import Memory
from wsim.balance.transfer.answer import (
    Relearner,
    TransferAnswer,
    TransferSettings,
    check_elsewhere,
    measure_transfer,
)  # fmt: skip
from wsim.balance.transfer.question import TransferOptions, TransferQuestion
from wsim.errors import UserError
from wsim.game import find_game
from wsim.lab.execution import Execution
from wsim.learn.learner import learner_of
from wsim.learn.plan import Seats
from wsim.learn.question import fitting_plan
from wsim.learn.rounds import LAST, learn


def ask(question: TransferQuestion, options: TransferOptions, execution: Execution = Execution()) -> TransferAnswer:
    """Measure the effect of a patch on the targets of a goal with other policies and playing styles.

    Raises UserError for an unplayable patch or player, Interrupted on Ctrl-C with the measurements so far.
    """
    goal = question.read()
    settings = settings_of(goal, options, question.patch, execution, resume=question.resume)
    journal = journal_of(question.patch)
    return transferred(goal, read_patch(question.patch), settings, question.seed, execution, journal, question.resume)


def settings_of(
    goal: Goal, options: TransferOptions, patch: Path | None, execution: Execution, *, resume: bool
) -> TransferSettings:
    """Build the settings of a transfer measurement; retrained nets are stored next to the patch file."""
    retrainer = None
    if options.retrain is not None:
        if patch is None:
            raise UserError("--retrain stores its nets next to the patch: name that file with --out")
        folder = patch.with_name(f"{patch.stem}-net")
        retrainer = retrainer_of(goal, folder, options.retrain, execution, resume=resume)
    return TransferSettings(options.players, options.styles, options.transfer_games, retrainer)


def journal_of(patch: Path) -> Path:
    """Return the path of the file that stores measurements until the answer is written."""
    return patch.with_name(f"{patch.name}.journal")


def how_to_resume(patch: Path | None) -> str:
    """Return a sentence on how to resume an interrupted search or measurement."""
    if patch is None:
        return "use --out FILE to be able to resume the next one"
    return f"continue with --resume added to the same command ({shlex.quote(str(patch))}.journal has all measurements)"


def transferred(
    goal: Goal,
    patch: Patch,
    settings: TransferSettings,
    seed: int = 1,
    execution: Execution = Execution(),
    journal: Path | None = None,
    resume: bool = False,
) -> TransferAnswer:
    """Measure a patch with other players; see ``ask``. The journal is removed when all measurements are complete."""
    memory, answer = Memory(), TransferAnswer()
    hint = how_to_resume(None if journal is None else journal.with_suffix(""))
    check_elsewhere(goal, settings)
    simulators = [find_game(goal.game).prepare(patched(setting.plan, patch)) for setting in goal.settings]
    with (
        execution.interruptible(lambda: answer if answer.rows else None, hint),
        execution.connected(simulators[0]) as connected,
    ):
        evaluator = Evaluator(goal, memory, seed, connected)
        if journal is not None:
            memory.open_journal(journal, " ".join(map(str, (evaluator.identity, "carry", patch))), resume=resume)
        measure_transfer(evaluator, patch, settings, answer)
    memory.forget()
    return answer


def retrainer_of(goal: Goal, folder: Path, decisions: int, execution: Execution, *, resume: bool) -> Relearner:
    """Return a relearner that trains the game's net with and without a patch, on ``decisions`` decisions each.

    The first training with the patch uses ``folder``, the others folders next to it: ``-2`` is the second training,
    ``-without`` the training without the patch. Raises UserError for a game without a net, for too few decisions, and
    for an existing folder unless resuming.
    """
    policy = learner_of(goal.game).policy
    if decisions < 1:
        raise UserError(f"--retrain needs at least 1 decision to learn from, not {decisions}")

    def home(patch: Patch, number: int) -> Path:
        words = [folder.name, *([] if patch else ["without"]), *([str(number)] if number > 1 else [])]
        return folder.with_name("-".join(words))

    def learned(patch: Patch, number: int) -> str:
        first = goal.settings[0].plan
        tables = dict.fromkeys(Seats(setting.plan.ruleset or "", setting.plan.players) for setting in goal.settings)
        fitting = fitting_plan(
            game=goal.game, tables=tuple(tables), decisions=decisions,
            cards=first.files.get(first.cards or "", first.cards),
            patch=[first.files.get(path, path) for path in first.patch], changes=(*first.set, *changes_of(patch)),
        )  # fmt: skip
        plan, target = replace(fitting.checked(), seed=number), home(patch, number)
        learn(plan, target, execution)
        return f"{policy}:file={target / LAST}"

    relearner = Relearner(policy, learned)
    some: Patch = ((("any",), 1),)
    for number in range(1, relearner.times + 1):
        for patch in ((), some):
            target = home(patch, number)
            if target.exists() and not resume:
                raise UserError(f"{str(target)!r} already exists, where the net would be stored: remove it")
    return relearner
