"""The options of a what-if: what is changed, how that is decided, and what is shown."""

from __future__ import annotations

from dataclasses import dataclass

from wsim.errors import UserError
from wsim.options import Options, option
from wsim.questions.comparison import Comparison as Comparison


@dataclass(frozen=True)
class Change(Options):
    """Compare a changed card, rule or permission with the baseline on common deals.

    The options of the plan make the baseline; --set, --patch, --sweep or --ban make the variants. All arms play the
    same deals and seats until a sequential test is sure or the budget is spent.
    """

    change: tuple[str, ...] = option(
        "The change: this value in the variant only (repeatable).", (), metavar="PATH=VALUE", names=("--set",)
    )
    change_files: tuple[str, ...] = option(
        "The change: this file laid over the variant's catalogue only (repeatable).",
        (), metavar="FILE", names=("--patch",), file=True,
    )  # fmt: skip
    sweep: str | None = option(
        "One variant for each value: PATH=5..9, PATH=5..9..2 or PATH=5,7,9.", None, metavar="PATH=VALUES"
    )
    ban: tuple[str, ...] = option(
        "One seat may not do this: trade, stages, sell, a colour, a card; several with commas. Every seat in "
        "turn on the same deal, or --seat. One variant for each --ban.",
        (), metavar="THINGS",
    )  # fmt: skip

    def __post_init__(self) -> None:
        super().__post_init__()
        changed = bool(self.change or self.change_files or self.sweep)
        if not (changed or self.ban):
            raise UserError("nothing to compare: give a change (--set, --patch), a --sweep, or a --ban")
        if changed and self.ban:
            raise UserError("a ban is compared by itself: give changes that hold in both arms with --base-set")


@dataclass(frozen=True)
class Details(Options):
    """What is shown of many variants."""

    every: bool = option("Show every metric of every variant.", False, names=("--details",))
