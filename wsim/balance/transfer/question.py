"""The options for measuring a patch with other players."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from wsim.balance.question import GoalOptions
from wsim.options import Options, argument, option, place


@dataclass(frozen=True, kw_only=True)
class TransferQuestion(GoalOptions):
    """Measure an existing patch with other players and in other styles, at every setting of a goal file."""

    patch: Path = argument(
        "Patch file.", metavar="PATCH", read=Path, file=True, check=place, label="Which patch?", picker="patch",
        example="patch.toml",
    )  # fmt: skip
    resume: bool = option("Resume an interrupted measurement; its journal is next to the patch.", False)


@dataclass(frozen=True)
class TransferOptions(Options):
    """Where else a patch is measured."""

    players: tuple[str, ...] = option(
        "Also measure the patch with this player in all seats (repeatable).",
        (),
        metavar="POLICY",
        names=("--player",),
        label="Other players to check",
    )
    styles: tuple[str, ...] = option(
        "A style that a side may choose against the others (repeatable).",
        (),
        metavar="POLICY",
        names=("--style",),
        label="Styles that players may choose",
    )
    transfer_games: int = option(
        "Games per measurement with other players.", 20_000, metavar="N",
        names=("--transfer-games",), aliases=("--elsewhere-games",), label="Games with other players",
    )  # fmt: skip
    retrain: int | None = option(
        "Retrain a net on the patched game, and as a control on the game without the patch, twice each with this many "
        "decisions, and measure the patch with them.",
        None, metavar="N", names=("--retrain",), aliases=("--relearn",),
    )  # fmt: skip
