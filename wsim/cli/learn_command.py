"""``wsim learn``: a net from self-play, by a plan; or the one that comes with wsim, fitted to changed cards."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from wsim.cli.console import progress_bar, remark
from wsim.cli.presenter import Output, present
from wsim.errors import UserError
from wsim.game import find_game
from wsim.learn.judge import Learned
from wsim.learn.learner import Fitting, learner_of
from wsim.learn.plan import Field, LearningPlan, Round, Seats
from wsim.learn.run import LAST, learn

__all__ = ["LearnAsked", "fitting_plan", "learn_command"]

_GAME = "seven_wonders"
_GENTLE = Fitting(rounds=4, rate=5e-4)  # for a net that has learned already
_TUNED = Round(60_000, own="net", others="net", playouts=1, keep=0)
_GAMES = 4000


@dataclass(frozen=True)
class LearnAsked:
    """The options of ``wsim learn``.

    Attributes
    ----------
    plan: a file; without one, and without changes, the plan of the net that comes with wsim.
    game: whose net it is without a file; none: 7 Wonders.
    start: the net to begin from. ruleset, players: the tables of a short plan. decisions: of it.
    """

    plan: str | None
    out: str | None
    game: str | None
    start: str | None
    patch: Sequence[str]
    set: Sequence[str]
    ruleset: str | None
    players: str | None
    decisions: int | None
    seed: int | None
    threads: int | None
    cluster: str | None

    @property
    def is_short(self) -> bool:
        """Whether the plan is made of the options."""
        changed = (self.start, self.ruleset, self.players, self.decisions)
        return self.plan is None and (bool(self.patch or self.set) or any(one is not None for one in changed))

    def resolve(self) -> LearningPlan:
        """Return the plan; raise UserError for options that do not go with a file."""
        if self.is_short:
            plan = self._short()
        else:
            misplaced = {"--ruleset": self.ruleset, "--players": self.players, "--decisions": self.decisions}
            for name, value in misplaced.items():
                if value is not None:
                    raise UserError(f"{name} goes with --start, --patch or --set; a plan names its own tables")
            plan = LearningPlan.from_toml(self.plan or str(learner_of(self.game or _GAME).plan))
            if self.game not in (None, plan.game):
                raise UserError(f"--game {self.game} does not go with {self.plan!r}, a plan of {plan.game}")
            plan = replace(plan, start=plan.start if self.start is None else self.start)
            plan = replace(plan, patch=tuple(self.patch) or plan.patch, set=tuple(self.set) or plan.set)
        if self.seed is not None:
            plan = replace(plan, seed=self.seed)
        return plan.checked()

    def _short(self) -> LearningPlan:
        """Return the plan that fits a net to changed cards, at the tables named."""
        game = self.game or _GAME
        ruleset = self.ruleset or str(find_game(game).default_plan()["ruleset"])
        tables = tuple(Seats(ruleset, one) for one in _numbers(self.players or ("2" if "duo" in ruleset else "4")))
        judges = tuple(
            Field(ruleset, one.players, (against,), _GAMES) for one in tables for against in ("net", "balanced")
        )
        plan = fitting_plan(game=game, tables=tables, decisions=self.decisions, patch=self.patch, changes=self.set)
        return replace(plan, start=self.start or plan.start, judges=judges)


def fitting_plan(
    *,
    game: str = _GAME,
    tables: tuple[Seats, ...],
    decisions: int | None,
    patch: Sequence[str] = (),
    changes: Sequence[str] = (),
    cards: str | None = None,
) -> LearningPlan:
    """Return the plan that fits the net that comes with wsim to changed cards at some tables; nobody judges it."""
    return LearningPlan(
        game=game, start="shipped", cards=cards, patch=tuple(patch), set=tuple(changes), tables=tables,
        rounds=(replace(_TUNED, decisions=decisions or _TUNED.decisions),), fitting=_GENTLE,
    )  # fmt: skip


def _numbers(text: str) -> list[int]:
    """Return numbers of players; raise UserError for what is none."""
    try:
        return [int(one) for one in text.split(",")]
    except ValueError:
        raise UserError(f"--players is a number or several, such as 3,4,5, not {text!r}") from None


def learn_command(asked: LearnAsked, *, as_json: bool, quiet: bool) -> None:
    """Learn, or go on learning, and show how strong the net is; Ctrl-C keeps every part that is finished."""
    plan = asked.resolve()
    folder = Path(asked.out or "learned")
    try:
        with progress_bar(not quiet) as progress:
            judgements = learn(plan, folder, threads=asked.threads, cluster=asked.cluster, progress=progress)
    except KeyboardInterrupt:
        remark(f"wsim: what is finished is kept; to go on: wsim {shlex.join(sys.argv[1:])}")
        raise
    present(Learned.of(folder / LAST, judgements), Output(as_json=as_json, quiet=quiet))
    if as_json:
        return
    if not quiet:
        remark(f"learned: --policies net:file={folder / LAST}")
