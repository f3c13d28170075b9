"""Players who learn a patched game anew, for ``wsim balance --relearn``: ``wsim learn`` with the patch."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from wsim.balance.balance import Execution
from wsim.balance.goal import Goal
from wsim.balance.knobs import Patch, changes_of
from wsim.balance.transfer import Relearner
from wsim.errors import UserError
from wsim.learn.learn_question import fitting_plan
from wsim.learn.learner import learner_of
from wsim.learn.learning_plan import Seats
from wsim.learn.rounds import LAST, learn


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
