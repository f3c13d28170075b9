"""Find the smallest patch that meets a goal, prove it, and say where else it holds."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from wsim.balance.balance_question import BalanceQuestion
from wsim.balance.evaluator import Evaluator
from wsim.balance.goal import Goal, GoalSource, as_goal
from wsim.balance.knobs import Patch, patched
from wsim.balance.measurements import Memory
from wsim.balance.patch import Balance, answer_of
from wsim.balance.patch_search import Search
from wsim.balance.transfer import Elsewhere, Transfer, check_elsewhere, measure_transfer
from wsim.errors import UserError
from wsim.game import find_game
from wsim.lab.progress import Interrupted, Progress
from wsim.options import keywords, refuse_more, taken


@dataclass(frozen=True)
class Execution:
    """How a search is carried out; nothing here changes its answer but the seed.

    Attributes
    ----------
    seed: of all deals. journal: a file that keeps what was measured until ``over``.
    resume: go on with the journal that is there. threads: that play. progress: who is told.
    """

    seed: int = 1
    journal: Path | None = None
    resume: bool = False
    threads: int | None = None
    progress: Progress | None = None

    def over(self) -> None:
        """Remove the journal: the answer is where it belongs."""
        if self.journal is not None:
            self.journal.unlink(missing_ok=True)

    def evaluator(self, goal: Goal, memory: Memory, *purpose: object) -> Evaluator:
        """Return what measures a goal, with the journal of a purpose; a goal that cannot be played leaves no file."""
        evaluator = Evaluator(goal, memory, self.seed, threads=self.threads, progress=self.progress)
        if self.journal is not None:
            memory.keep_in(self.journal, " ".join(map(str, (evaluator.identity, *purpose))), resume=self.resume)
        return evaluator


@keywords(BalanceQuestion)
def smallest_patch(goal: GoalSource, *, threads: int | None = None, **keys: Any) -> Balance:
    """Search for the smallest patch that meets a goal, and prove it on deals that the search has not seen.

    Parameters
    ----------
    goal: a goal file, or its tables as a mapping (``docs/balance.md``).
    threads: how many threads play.

    Raises UserError for a goal that cannot be searched for.
    """
    question = taken(keys, BalanceQuestion)
    refuse_more(keys, smallest_patch)
    where = Elsewhere(question.players, question.styles, question.elsewhere_games)
    return balance(as_goal(goal), elsewhere=where, execution=Execution(seed=question.seed, threads=threads))


def balance(goal: Goal, *, elsewhere: Elsewhere | None = None, execution: Execution | None = None) -> Balance:
    """Search for the smallest patch that meets a goal, prove it, and measure it elsewhere.

    Raises UserError for whatever cannot be balanced, Interrupted on Ctrl-C with the answer so far.
    """
    start = time.perf_counter()
    execution, where = execution or Execution(), elsewhere or Elsewhere()
    memory, found = Memory(), Transfer()
    search: Search | None = None
    answer: Balance | None = None

    def known(answer: Balance, *, interrupted: bool) -> Balance:
        seconds = time.perf_counter() - start
        carried = found.carried if found.rows else None
        return replace(
            answer, interrupted=interrupted, carried=carried, responses=found.responses, games=memory.played,
            seconds=seconds,
        )  # fmt: skip

    try:
        check_elsewhere(goal, where)
        search = Search(execution.evaluator(goal, memory))
        search.run()
        answer = answer_of(search)
        measure_transfer(search.evaluator, answer.patch, where, found)
    except UserError:
        if search is not None and search.effects is None:  # what cannot be balanced leaves no file
            memory.forget()
        raise
    except KeyboardInterrupt:
        if answer is None and search is not None and search.effects is not None:
            answer = answer_of(search, interrupted=True)
        raise Interrupted(None if answer is None else known(answer, interrupted=True)) from None
    return known(answer, interrupted=False)


def transferred(goal: Goal, patch: Patch, where: Elsewhere, execution: Execution | None = None) -> Transfer:
    """Measure a patch that there is: at every setting of a goal, by other players, in other styles.

    Raises UserError for a patch or players that cannot be played, Interrupted on Ctrl-C with what is measured so far.
    """
    execution, memory, found = execution or Execution(), Memory(), Transfer()
    try:
        check_elsewhere(goal, where)
        for setting in goal.settings:
            find_game(goal.game).prepare(patched(setting.plan, patch))
        measure_transfer(execution.evaluator(goal, memory, "carry", patch), patch, where, found)
    except KeyboardInterrupt:
        raise Interrupted(found if found.rows else None) from None
    memory.forget()
    return found
