"""The options of ``wsim skill``: the table and the ladder of players."""

from __future__ import annotations

from dataclasses import dataclass

from wsim.options import Options, argument, level_option, names, option, within_option

LADDER = ("random", "greedy", "balanced", "net")
"""The default ladder, weakest first; policies that a game lacks are skipped."""
BETWEEN = ("balanced", "net")
"""A second pair of levels whose change is shown, if both are on the ladder."""


@dataclass(frozen=True)
class SkillQuestion(Options):
    """Play with weak and with strong policies, and show which figures change: wsim skill [cards|wonders|...]

    Each policy of a ladder plays all seats, on the same deals. For wonders the figure is the win share; for cards it is
    the difference in win share between seats that built the card and seats that did not. The table shows the figure at
    each level and its change along the ladder.
    """

    what: str = argument(
        "Table whose rows are compared, such as cards or wonders.",
        "cards", hidden=True, metavar="[TABLE]",
        label="Cards, wonders or something else?", picker="table", example="wonders",
    )  # fmt: skip
    ladder: tuple[str, ...] = option(
        "Policies from weakest to strongest, comma-separated.",
        (), metavar="NAMES", read=names, shown=f"{','.join(LADDER)}, if the game has them",
        label="Which players, weakest first?", picker="policy", example="random,greedy,net",
    )  # fmt: skip
    between: tuple[str, ...] = option(
        "Also show the change between these two levels.",
        (), metavar="A,B", read=names, shown=f"{','.join(BETWEEN)}, if both are on the ladder",
        picker="policy", example="greedy,net", label="Two levels to compare",
    )  # fmt: skip
    level: float = level_option()
    within: float | None = within_option("every change")
