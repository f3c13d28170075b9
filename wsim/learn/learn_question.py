"""What is learned, as the command line and Python say it: a learning plan, or changed cards to fit a net to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from wsim.errors import UserError
from wsim.game import find_game
from wsim.lab.plan import first_game, usual_rulesets
from wsim.learn.fitting_settings import Fitting
from wsim.learn.learning_plan import Field, LearningPlan, Round, Seats
from wsim.options import Options, argument, at_least, option

_GENTLE = Fitting(rounds=4, rate=5e-4)  # for a net that has learned already
_TUNED = Round(60_000, own="net", others="net", playouts=1, keep=0)
_GAMES = 4000


@dataclass(frozen=True)
class LearnQuestion(Options):
    """Learn a net from self-play, by a plan; or fit a net to changed cards: wsim learn --patch mine.toml

    The same command goes on where it was interrupted. The net is a policy: --policies net:file=learned/net.npz
    """

    plan: str | None = argument("A learning plan (TOML).", None, metavar="[PLAN]", shown="that of the game's own net")
    out: str | None = option("Learn here.", None, metavar="FOLDER", names=("-o", "--out"), shown="learned")
    game: str | None = option("Whose net, without a plan.", None, metavar="NAME", shown=first_game)
    start: str | None = option("Begin from this net: shipped, or a file that wsim learn wrote.", None, metavar="NET")
    patch: tuple[str, ...] = option("Learn with this patch; may be given again.", (), metavar="FILE")
    change: tuple[str, ...] = option("Learn with this change; again.", (), metavar="PATH=VALUE", names=("--set",))
    ruleset: str | None = option(
        "Of the tables without a plan.", None, metavar="NAME", shown=lambda: "; ".join(usual_rulesets())
    )
    players: str | None = option("At these tables, without a plan.", None, metavar="N[,N...]", shown="4")
    decisions: int | None = option("To learn from, without a plan.", None, metavar="N", shown="60k", check=at_least(1))
    seed: int | None = option("Of games and fitting.", None, metavar="N")

    @property
    def is_short(self) -> bool:
        """Whether the plan is made of the options."""
        changed = (self.start, self.ruleset, self.players, self.decisions)
        return self.plan is None and (bool(self.patch or self.change) or any(one is not None for one in changed))

    def resolve(self) -> LearningPlan:
        """Return the plan; raise UserError for options that do not go with a file."""
        if self.is_short:
            plan = self._short()
        else:
            misplaced = {"--ruleset": self.ruleset, "--players": self.players, "--decisions": self.decisions}
            for name, value in misplaced.items():
                if value is not None:
                    raise UserError(f"{name} goes with --start, --patch or --set; a plan names its own tables")
            from wsim.learn.learner import learner_of

            plan = LearningPlan.from_toml(self.plan or str(learner_of(self.game or first_game()).plan))
            if self.game not in (None, plan.game):
                raise UserError(f"--game {self.game} does not go with {self.plan!r}, a plan of {plan.game}")
            plan = replace(plan, start=plan.start if self.start is None else self.start)
            plan = replace(plan, patch=self.patch or plan.patch, set=self.change or plan.set)
        if self.seed is not None:
            plan = replace(plan, seed=self.seed)
        return plan.checked()

    def _short(self) -> LearningPlan:
        """Return the plan that fits a net to changed cards, at the tables named."""
        game = self.game or first_game()
        ruleset = self.ruleset or str(find_game(game).default_plan()["ruleset"])
        usual = str(find_game(game).default_plan(ruleset)["players"])
        tables = tuple(Seats(ruleset, one) for one in _player_numbers(self.players or usual))
        judges = tuple(
            Field(ruleset, one.players, (against,), _GAMES) for one in tables for against in ("net", "balanced")
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
    """Return the plan that fits the net that comes with wsim to changed cards at some tables; nobody judges it."""
    return LearningPlan(
        game=game, start="shipped", cards=cards, patch=tuple(patch), set=tuple(changes), tables=tables,
        rounds=(replace(_TUNED, decisions=decisions or _TUNED.decisions),), fitting=_GENTLE,
    )  # fmt: skip


def _player_numbers(text: str) -> list[int]:
    """Return numbers of players; raise UserError for what is none."""
    try:
        return [int(one) for one in text.split(",")]
    except ValueError:
        raise UserError(f"--players is a number or several, such as 3,4,5, not {text!r}") from None
