"""The options of ``wsim learn``: a learning plan, or changed cards to fit a net to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

from wsim.errors import UserError
from wsim.game import find_game
from wsim.lab.plan import Plan, default_rulesets, first_game
from wsim.learn.fitting_settings import Fitting
from wsim.learn.plan import Field, LearningPlan, Round, Seats
from wsim.options import Options, argument, at_least, option

_GENTLE = Fitting(rounds=4, rate=5e-4)  # for a net that is already trained
_TUNED = Round(60_000, own="net", others="net", playouts=1, keep=0)
_GAMES = 4000


@dataclass(frozen=True)
class LearnQuestion(Options):
    """Train a net by self-play from a plan, or adapt one to changed cards: wsim learn --patch mine.toml

    After an interruption, the same command continues. The net is a policy: --policies net:file=learned/net.npz
    """

    plan: str | None = argument(
        "A learning plan (TOML).",
        None,
        metavar="[PLAN]",
        file=True,
        shown="the plan of the game's own net",
        label="Learning plan",
    )
    out: str | None = option(
        "Folder of the training run.", None, metavar="FOLDER", names=("-o", "--out"), shown="learned"
    )
    game: str | None = option(
        "Game whose net is trained (if no plan is given).",
        None,
        metavar="NAME",
        shown=first_game,
        label="Which game?",
        example="seven_wonders",
    )
    start: str | None = option(
        "Start from this net: shipped, or a file that wsim learn wrote.", None, metavar="NET", label="Net to start from"
    )
    patch: tuple[str, ...] = option("Learn with this patch (repeatable).", (), metavar="FILE", label="Patch files")
    change: tuple[str, ...] = option(
        "Learn with this change (repeatable).", (), metavar="PATH=VALUE", names=("--set",),
        label="Which changed cards? (empty: none)", picker="value", example="cards.Palace.points=5",
    )  # fmt: skip
    ruleset: str | None = option(
        "Rule set of the tables (if no plan is given).",
        None,
        metavar="NAME",
        shown=lambda: "; ".join(default_rulesets()),
        label="Rule set",
    )
    players: str | None = option(
        "Numbers of players at the tables (if no plan is given).",
        None,
        metavar="N[,N...]",
        shown="4",
        label="Numbers of players",
    )
    decisions: int | None = option(
        "Number of training decisions (if no plan is given).",
        None,
        metavar="N",
        shown="60k",
        check=at_least(1),
        label="How long to train, in decisions?",
        example="60k",
    )
    seed: int | None = option("Seed of games and fitting.", None, metavar="N", label="Seed of the random numbers")

    def elsewhere(self, folder: Path) -> Self:
        """Return the options for a rerun, which trains a net from scratch in its own folder."""
        return replace(self, out=str(folder / "learned"))

    @property
    def plans(self) -> list[Plan]:
        """The plans of the training tables, each with the policies of all rounds and evaluations."""
        plan = self.resolve()
        names = [name for one in plan.rounds for name in one.names]
        named = [name for name in (*names, *(name for one in plan.judges for name in one.against)) if ".py" in name]
        tables = [Plan.make(**plan.keys(seats)) for seats in plan.tables]
        return [*tables, *(Plan.make(game=plan.game, policies=[name]) for name in named)]

    @property
    def file(self) -> Path | None:
        """The path of the answer file, if ``out`` names a file instead of a folder."""
        return Path(self.out) if self.out is not None and self.out.endswith((".json", ".parquet")) else None

    @property
    def home(self) -> Path:
        """The folder of the net."""
        return Path(self.out) if self.out is not None and self.file is None else Path("learned")

    @property
    def is_short(self) -> bool:
        """Whether the plan is built from the options instead of a file."""
        changed = (self.start, self.ruleset, self.players, self.decisions)
        return self.plan is None and (bool(self.patch or self.change) or any(value is not None for value in changed))

    def resolve(self) -> LearningPlan:
        """Return the plan; raise UserError for options that cannot be combined with a plan file."""
        if self.is_short:
            plan = self._plan_from_options()
        else:
            misplaced = {"--ruleset": self.ruleset, "--players": self.players, "--decisions": self.decisions}
            for name, value in misplaced.items():
                if value is not None:
                    raise UserError(f"{name} needs --start, --patch or --set: a plan names its own tables")
            from wsim.learn.learner import learner_of

            plan = LearningPlan.from_toml(self.plan or str(learner_of(self.game or first_game()).plan))
            if self.game not in (None, plan.game):
                raise UserError(f"--game {self.game} does not match {self.plan!r}, a plan of {plan.game}")
            plan = replace(plan, start=plan.start if self.start is None else self.start)
            plan = replace(plan, patch=self.patch or plan.patch, set=self.change or plan.set)
        if self.seed is not None:
            plan = replace(plan, seed=self.seed)
        return plan.checked()

    def _plan_from_options(self) -> LearningPlan:
        """Return the plan that fits a net to changed cards at the given tables."""
        game = self.game or first_game()
        ruleset = self.ruleset or str(find_game(game).default_plan()["ruleset"])
        players = self.players or str(find_game(game).default_plan(ruleset)["players"])
        try:
            tables = tuple(Seats(ruleset, int(number)) for number in players.split(","))
        except ValueError:
            raise UserError(f"--players must be one or more numbers, such as 4 or 3,4,5, not {players!r}") from None
        judges = tuple(
            Field(ruleset, table.players, (against,), _GAMES) for table in tables for against in ("net", "balanced")
        )
        plan = fitting_plan(game=game, tables=tables, decisions=self.decisions, patch=self.patch, changes=self.change)
        return replace(plan, start=self.start or plan.start, judges=judges)


def fitting_plan(
    *,
    game: str,
    tables: tuple[Seats, ...],
    decisions: int | None,
    patch: Sequence[str] = (),
    changes: Sequence[str] = (),
    cards: str | None = None,
) -> LearningPlan:
    """Return a plan that fits the net shipped with wsim to changed cards at given tables, without judges."""
    return LearningPlan(
        game=game, start="shipped", cards=cards, patch=tuple(patch), set=tuple(changes), tables=tables,
        rounds=(replace(_TUNED, decisions=decisions or _TUNED.decisions),), fitting=_GENTLE,
    )  # fmt: skip
