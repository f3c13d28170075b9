"""The options of ``wsim robustness``: tables, confidence level and players."""

from __future__ import annotations

from dataclasses import dataclass

from wsim.options import Options, Policy, argument, level_option, names, option, within_option


@dataclass(frozen=True)
class RobustnessQuestion(Options):
    """Show how much figures differ between players: wsim robustness A B [C ...]

    Each policy plays all seats, on the same deals. For wonders the figure is the win share; for cards it is the
    difference in win share between seats that built the card and seats that did not. The table shows, for each pair of
    policies and for all pairs, the root mean square difference of the figures with an interval (sampling noise removed)
    and the number of clear figures that change sign. More games cannot reduce these differences.
    """

    tables: tuple[str, ...] = option(
        "Tables whose rows are compared, comma-separated, such as cards,wonders.",
        (), metavar="NAMES", read=names, shown="all",
        label="Cards, wonders or everything?", picker="table", example="wonders",
    )  # fmt: skip
    level: float = level_option()
    within: float | None = within_option("every difference between players")


@dataclass(frozen=True)
class Players(Options):
    """The policies whose figures are compared."""

    policies: tuple[Policy, ...] = argument(
        "Policies, at least two; each plays all seats.",
        (),
        hidden=True,
        metavar="POLICY POLICY...",
        label="Which players are compared?",
        picker="policy",
        example="net,balanced",
    )
