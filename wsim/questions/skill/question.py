"""The question of a ladder: what is asked about, who plays, the weakest first."""

from __future__ import annotations

from dataclasses import dataclass

from wsim.options import Options, argument, level_option, names, option

LADDER = ("random", "greedy", "balanced", "net")
"""The ladder of a game that is not told another: those of these that it has, the weakest first."""
BETWEEN = ("balanced", "net")
"""The rungs between which the change is shown besides that over the whole ladder, if both are there."""


@dataclass(frozen=True)
class SkillQuestion(Options):
    """Show what things are worth in weak and in good hands: wsim skill [cards|wonders|...]

    Each player of a ladder has the table to itself, on the same deals. For cards: win share of those who built one
    less that of the others; for wonders: win share. At every rung, and the change along the ladder.
    """

    what: str = argument(
        "A table of the game whose rows are things that seats have (cards) or of which each has one (wonders).",
        "cards", hidden=True,
    )  # fmt: skip
    ladder: tuple[str, ...] = option(
        "Players, the weakest first, with commas: each has the table to itself.",
        (), metavar="NAMES", read=names, shown=f"{','.join(LADDER)}, as far as there are such",
    )  # fmt: skip
    between: tuple[str, ...] = option(
        "Show the change between these two, too.",
        (), metavar="A,B", read=names, shown=f"{','.join(BETWEEN)} if both are there",
    )  # fmt: skip
    level: float = level_option()
