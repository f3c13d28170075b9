"""Find the smallest patch that meets a goal, prove it, and measure it with other players."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

from wsim.balance.answer import BalanceAnswer, answer_of
from wsim.balance.evaluator import Evaluator
from wsim.balance.goal import Goal
from wsim.balance.measurements import Memory
from wsim.balance.patch_search import PatchSearch
from wsim.balance.question import BalanceFiles, BalanceQuestion
from wsim.balance.transfer import ask as transfer
from wsim.balance.transfer.answer import TransferAnswer, TransferSettings, check_elsewhere, measure_transfer
from wsim.balance.transfer.ask import how_to_resume, journal_of, settings_of
from wsim.balance.transfer.question import TransferOptions, TransferQuestion
from wsim.errors import UserError
from wsim.files import write_text
from wsim.game import find_game
from wsim.lab.execution import Execution


def ask(
    question: BalanceQuestion, options: TransferOptions, files: BalanceFiles, execution: Execution = Execution()
) -> BalanceAnswer | TransferAnswer:
    """Find the smallest patch that meets a goal, prove it on fresh deals, and measure it with other players.

    Raises UserError for an invalid goal, Interrupted on Ctrl-C with the answer so far.
    """
    if files.transfer is not None:
        transfer_question = TransferQuestion(
            goal=question.goal, seed=question.seed, patch=Path(files.transfer), resume=files.resume
        )
        return transfer.ask(transfer_question, options, execution)
    if files.out is not None:
        BalanceAnswer.check_target(Path(files.out), resume=files.resume)
    goal = question.read()
    settings = settings_of(goal, options, files.patch, execution, resume=files.resume)
    journal = None if files.patch is None else journal_of(files.patch)
    return balance(goal, question.seed, settings, execution, journal, files.resume)


def written(
    answer: BalanceAnswer | TransferAnswer, _question: BalanceQuestion, _options: TransferOptions, files: BalanceFiles
) -> list[Path] | None:
    """Write the patch with its record, and remove the journal.

    An interrupted search keeps its journal; its best patch so far is written to FILE.unproven.toml.
    """
    if files.out is None or not isinstance(answer, BalanceAnswer):
        return None
    if answer.interrupted:
        if not answer.patch:
            return None
        unproven = Path(files.out).with_suffix(".unproven.toml")
        write_text(unproven, answer.patch_text())
        return [unproven]
    paths = answer.write(files.out)
    journal_of(Path(files.out)).unlink(missing_ok=True)
    return paths


def balance(
    goal: Goal,
    seed: int = 1,
    settings: TransferSettings | None = None,
    execution: Execution = Execution(),
    journal: Path | None = None,
    resume: bool = False,
) -> BalanceAnswer:
    """Search for a patch; see ``ask``. The journal is kept until the answer is written."""
    start, settings = time.perf_counter(), settings or TransferSettings()
    memory, transferred = Memory(), TransferAnswer()
    search: PatchSearch | None = None
    answer: BalanceAnswer | None = None

    def known(answer: BalanceAnswer, *, interrupted: bool) -> BalanceAnswer:
        seconds = time.perf_counter() - start
        carried = transferred.carried if transferred.rows else None
        return replace(
            answer, interrupted=interrupted, carried=carried, responses=transferred.responses, games=memory.played,
            seconds=seconds,
        )  # fmt: skip

    def so_far() -> BalanceAnswer | None:
        if answer is not None:
            return known(answer, interrupted=True)
        if search is None or search.effects is None:
            return None
        return known(answer_of(search, interrupted=True), interrupted=True)

    hint = how_to_resume(None if journal is None else journal.with_suffix(""))
    with execution.interruptible(so_far, hint):
        check_elsewhere(goal, settings)
        plan = goal.settings[0].plan
        with execution.connected(find_game(goal.game).prepare(plan)) as connected:
            evaluator = Evaluator(goal, memory, seed, connected)
            if journal is not None:
                memory.open_journal(journal, f"{evaluator.identity}", resume=resume)
            search = PatchSearch(evaluator)
            try:
                search.run()
            except UserError:
                if search.effects is None:  # an impossible goal leaves no journal
                    memory.forget()
                raise
            answer = answer_of(search)
            measure_transfer(search.evaluator, answer.patch, settings, transferred)
    return known(answer, interrupted=False)
