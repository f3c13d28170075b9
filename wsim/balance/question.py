"""The options of a search for a patch: the goal, the effort, and the output."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from wsim.errors import UserError
from wsim.options import Options, argument, at_least, option

if TYPE_CHECKING:
    from wsim.balance.goal import Goal, GoalSource
    from wsim.lab.plan import Plan


@dataclass(frozen=True, kw_only=True)
class GoalOptions(Options):
    """A goal, and the search effort where the command overrides the goal file."""

    goal: GoalSource | Goal = argument(
        "Goal file (docs/balance.md).",
        metavar="GOAL",
        read=str,
        file=True,
        label="Which goal?",
        picker="goal",
        example="goal.toml",
    )
    seed: int = option("Seed of the search.", 1, metavar="N", label="Seed of the random numbers")

    def read(self) -> Goal:
        """Return the goal with the numbers of games from the options; raise UserError for an invalid goal."""
        from wsim.balance.goal import SearchSettings, as_goal

        goal = as_goal(self.goal)
        sizes = {name: getattr(self, name, None) for name in SearchSettings.__dataclass_fields__}
        chosen = {name: size for name, size in sizes.items() if size is not None}
        return replace(goal, search=replace(goal.search, **chosen))

    def record(self) -> dict[str, Any]:
        """Return the fields as a JSON object that contains the tables of the goal instead of its file name."""
        from wsim.spec.source import read_toml

        goal: Any = self.goal
        if isinstance(goal, str | Path):
            goal = read_toml(str(goal), "goal file")
        elif not isinstance(goal, Mapping):
            goal = goal.source
        fields = {name: getattr(self, name) for name in type(self).__dataclass_fields__ if name != "goal"}
        return {
            "goal": goal,
            **{name: str(value) if isinstance(value, Path) else value for name, value in fields.items()},
        }

    @property
    def plans(self) -> list[Plan]:
        """The plans of the goal's settings."""
        return [setting.plan for setting in self.read().settings]

    @property
    def game(self) -> str:
        """The name of the game to balance."""
        return self.read().game

    @property
    def code(self) -> list[str]:
        """The policies and effect files of the goal that are user code."""
        return [str(entry) for setting in self.read().settings for entry in setting.plan.code]


def size_option(text: str, shown: str, label: str) -> Any:
    """Return a dataclass field for a number of games that the goal file may set."""
    return option(text, None, metavar="N", shown=shown, check=at_least(1), label=label)


@dataclass(frozen=True, kw_only=True)
class BalanceQuestion(GoalOptions):
    """Find the smallest patch that meets the targets of a goal, and prove it on fresh deals.

    Exit code 3: no patch was proven. The output then lists the binding targets, and the nearest patch is written.
    """

    games: int | None = size_option(
        "Games for each measurement of a patch at a setting.", "100,000", "Games per measurement"
    )
    replays: int | None = size_option(
        "Games for each step of a value that must be replayed.", "4,000", "Games replayed per value"
    )
    proof_games: int | None = size_option(
        "Maximum number of games of a proof at a setting.", "1,000,000", "Games of a proof"
    )


@dataclass(frozen=True)
class BalanceFiles(Options):
    """Where the patch is written, with its record and journal next to it."""

    out: str | None = option(
        "Write the patch to this file, and its record next to it.", None, metavar="FILE", names=("-o", "--out")
    )
    resume: bool = option("Resume an interrupted search for --out.", False)
    transfer: str | None = option(
        "Skip the search and measure this patch with other players.", None, metavar="PATCH",
        aliases=("--carry",), names=("--transfer",), file=True,
    )  # fmt: skip

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.transfer is not None and self.out is not None:
            raise UserError("--transfer measures an existing patch, --out writes a new one: give only one of them")
        if self.patch is None and self.resume:
            raise UserError("--resume continues the search that writes --out FILE: name that file")

    def elsewhere(self, folder: Path) -> Self:  # noqa: ARG002
        return replace(self, out=None, resume=False)

    @property
    def patch(self) -> Path | None:
        """The patch file to write or read."""
        name = self.out if self.transfer is None else self.transfer
        return None if name is None else Path(name)
