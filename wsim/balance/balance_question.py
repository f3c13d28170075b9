"""What the commands of a goal are told besides it: where the patch is measured, and where it is kept."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from wsim.errors import UserError
from wsim.options import Options, argument, option


@dataclass(frozen=True)
class SensitivityQuestion(Options):
    """Show what each step of each knob of a goal file does to its targets, with intervals."""

    goal: str = argument("A goal file: docs/balance.md.", metavar="GOAL")
    seed: int = option("Seed of the search.", 1, metavar="N")
    every: bool = option("Every target of every step, not the one that it moves most.", False)


@dataclass(frozen=True)
class BalanceQuestion(Options):
    """Find the smallest patch that meets the targets of a goal file, and prove it on fresh deals.

    Exit code 3: no patch was proven to; what binds is said, and the nearest one is written.
    """

    seed: int = option("Seed of the search.", 1, metavar="N")
    players: tuple[str, ...] = option(
        "Measure the patch with this player in all seats, too (repeatable).", (), metavar="POLICY", names=("--player",)
    )
    styles: tuple[str, ...] = option(
        "A style that a side may choose against the others (repeatable).", (), metavar="POLICY", names=("--style",)
    )
    elsewhere_games: int = option("Games of each measurement elsewhere.", 20_000, metavar="N")


@dataclass(frozen=True)
class BalanceFiles(Options):
    """The goal, and where the patch lies, written or read; what is kept lies beside it."""

    goal: str = argument("A goal file: docs/balance.md.", metavar="GOAL")
    out: str | None = option("Write the patch here, its record beside it.", None, metavar="FILE", names=("-o", "--out"))
    resume: bool = option("Go on with an interrupted search for --out.", False)
    relearn: int | None = option(
        "Let a net learn the patched game, and for control the game without it, twice each from so many decisions, and "
        "measure the patch with them.",
        None,
        metavar="N",
    )
    carry: str | None = option("Measure this patch elsewhere; search for none.", None, metavar="PATCH")

    @property
    def patch(self) -> Path | None:
        """The patch file, written or read."""
        name = self.out if self.carry is None else self.carry
        return None if name is None else Path(name)

    def check(self) -> None:
        """Raise UserError for options that contradict each other, or files that are there."""
        from wsim.balance.patch import Balance

        if self.carry is not None and self.out is not None:
            raise UserError("--carry measures a patch that there is, --out writes one: give one of them")
        if self.patch is None and self.resume:
            raise UserError("--resume goes on with the search that was to write --out FILE: name that file")
        if self.patch is None and self.relearn is not None:
            raise UserError("--relearn keeps its net beside the patch: name that file with --out")
        if self.out is not None:
            Balance.check_target(Path(self.out), going_on=self.resume)
