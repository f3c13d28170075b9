"""The question of how far figures move between players: which tables, how surely."""

from __future__ import annotations

from dataclasses import dataclass

from wsim.options import Options, Policy, argument, level_option, names, option


@dataclass(frozen=True)
class RobustnessQuestion(Options):
    """Show how far figures move between players: wsim robustness A B [C ...]

    Each policy has the table to itself, on the same deals. For every pair, and over all of them: the root mean square
    of the changes of win shares (of wonders), and of the win shares of those who built a card less those of the others,
    sampling noise removed, with an interval; and which clear figures change sign. What moves between good players
    is no property of the cards: no number of games makes such a figure surer than that.
    """

    tables: tuple[str, ...] = option(
        "Tables of the game whose rows are things that seats have, or of which each has one.",
        (), metavar="NAMES", read=names, shown="all that there are",
    )  # fmt: skip
    level: float = level_option()


@dataclass(frozen=True)
class Players(Options):
    """The players whose figures are compared."""

    policies: tuple[Policy, ...] = argument("Policies that each play all seats, two or more.", (), hidden=True)
