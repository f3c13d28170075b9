"""Players who learn a patched game anew, for ``wsim balance --relearn``: ``wsim learn`` with the patch."""

from __future__ import annotations

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
    """Return the net of a game, which learns a patched one from ``decisions`` of it in ``folder``.

    Raises UserError for a game without a net, too few decisions, and a folder that is there unless one goes on.
    """
    policy = learner_of(goal.game).policy
    if decisions < 1:
        raise UserError(f"--relearn needs at least 1 decision to learn from, not {decisions}")
    if folder.exists() and not execution.resume:
        raise UserError(f"{str(folder)!r} is there already, where a net would learn the patched game: remove it")

    def after(patch: Patch) -> str:
        first = goal.settings[0].plan
        tables = dict.fromkeys(Seats(one.plan.ruleset or "", one.plan.players) for one in goal.settings)
        fitting = fitting_plan(
            game=goal.game, tables=tuple(tables), decisions=decisions,
            cards=first.files.get(first.cards or "", first.cards),
            patch=[first.files.get(one, one) for one in first.patch], changes=(*first.set, *changes_of(patch)),
        )  # fmt: skip
        learn(fitting.checked(), folder, threads=execution.threads, progress=execution.progress)
        return f"{policy}:file={folder / LAST}"

    return Relearner(policy, after)
