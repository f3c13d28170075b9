"""The options of a comparison of two runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from wsim.options import Options, argument, level_option, option

if TYPE_CHECKING:
    from wsim.lab.plan import Plan


@dataclass(frozen=True)
class CompareQuestion(Options):
    """Compare two runs: OTHER minus RUN, paired game by game where they have the same deals."""

    first: str = argument("Run folder.", metavar="RUN", file=True)
    second: str = argument("Run folder with the same game and number of players.", metavar="OTHER", file=True)
    metric: tuple[str, ...] = option(
        "Show only this metric (repeatable): score, win:NAME, built:CARD, worth:CARD, worth_points:CARD, ...",
        (),
        metavar="METRIC",
    )
    level: float = level_option()

    @property
    def plans(self) -> list[Plan]:
        """The plan of the first run."""
        from wsim.lab.store import load_run

        return [load_run(self.first).plan]
