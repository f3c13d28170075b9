"""The options of a what-if: the change, how it is decided, and the displayed tables."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from wsim.errors import UserError
from wsim.options import Options, option, place
from wsim.questions.comparison import Comparison as Comparison


@dataclass(frozen=True)
class Change(Options):
    """Compare a changed card, rule or permission with the baseline on common deals.

    The plan options define the baseline; --set, --patch, --sweep or --ban define the variants. All arms play the same
    deals and seats until a sequential test reaches a verdict or the budget is spent.
    """

    change: tuple[str, ...] = option(
        "Change one value in the variant only (repeatable).",
        (),
        metavar="PATH=VALUE",
        names=("--set",),
        label="What do you want to change?",
        picker="value",
        example="cards.Palace.points=5",
    )
    change_files: tuple[str, ...] = option(
        "Apply this patch in the variant only (repeatable).",
        (), metavar="FILE", names=("--patch",), file=True, picker="patch", example="patch.toml",
        label="Patch files to compare",
    )  # fmt: skip
    sweep: str | None = option(
        "One variant for each value: PATH=5..9, PATH=5..9..2 or PATH=5,7,9.",
        None,
        metavar="PATH=VALUES",
        example="cards.Palace.points=5..9",
        label="Several values to try",
    )
    ban: tuple[str, ...] = option(
        "Forbid one seat these actions: trade, stages, sell, a colour or a card (comma-separated). Each seat of a deal "
        "is restricted in turn, or only --seat. One variant per --ban.",
        (), metavar="THINGS", picker="item", example="Palace", label="What a seat may not do",
    )  # fmt: skip
    resume: Path | None = option(
        "Continue this answer (FILE.json) after Ctrl-C or with a larger --budget: its looks count.",
        None, metavar="FILE", check=place, file=True,
    )  # fmt: skip

    def __post_init__(self) -> None:
        super().__post_init__()
        changed = bool(self.change or self.change_files or self.sweep)
        if not (changed or self.ban):
            raise UserError("nothing to compare: add a change (--set, --patch), a --sweep or a --ban")
        if changed and self.ban:
            raise UserError("--ban cannot be combined with a change: to change both arms, use --base-set")


@dataclass(frozen=True)
class Details(Options):
    """How much is shown for many variants."""

    every: bool = option("Show every metric of every variant.", False, names=("--details",))
