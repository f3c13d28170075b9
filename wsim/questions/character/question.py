"""The options of ``wsim experiment character``: the compared variants, and how chances are estimated."""

from __future__ import annotations

from dataclasses import dataclass

from wsim.errors import UserError
from wsim.options import Options, at_least, level_option, names, option


@dataclass(frozen=True)
class CharacterQuestion(Options):
    """Measure the character of a game: how decisive and dramatic it is, what decides it, and how its seats interact.

    Each seat's win chance at every turn comes from the value net of the game, calibrated with the players, or from
    playouts. With a variant or a different rule set, the differences are also shown; variants play the same deals.
    """

    variant: tuple[str, ...] = option(
        "Compare with this value changed (repeatable; together one variant).", (), metavar="PATH=VALUE",
        names=("--variant-set",),
        label="Which change to compare with? (empty: none)", picker="value", example="cards.Palace.points=5",
    )  # fmt: skip
    variant_files: tuple[str, ...] = option(
        "Compare with this patch applied (repeatable).",
        (),
        metavar="FILE",
        names=("--variant-patch",),
        file=True,
        picker="patch",
        example="patch.toml",
        label="Patch files to compare",
    )
    against: tuple[str, ...] = option(
        "Compare with these rule sets, comma-separated.",
        (),
        metavar="RULESETS",
        read=names,
        shown="none",
        picker="ruleset",
        example="2e",
        label="Rule sets to compare with",
    )
    playouts: int | None = option(
        "Estimate chances with N playouts instead of the value net.", None, metavar="N", check=at_least(2),
        shown="value net if the game has one, else 30", example="30", label="Playouts instead of the value net",
    )  # fmt: skip
    deals: int = option(
        "Deals played in every seating of a mixed table, for what skill, seat and deal explain.", 1000, metavar="N",
        check=at_least(40), label="Deals for skill and luck",
    )  # fmt: skip
    level: float = level_option()

    def __post_init__(self) -> None:
        super().__post_init__()
        twice = [name for index, name in enumerate(self.against) if name in self.against[:index]]
        if twice:
            raise UserError(f"the rule set {twice[0]} is named twice")
