"""The options of a comparison of two runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from wsim.errors import UserError
from wsim.options import Options, argument, level_option, option, within_option

if TYPE_CHECKING:
    from wsim.lab.plan import Plan


@dataclass(frozen=True)
class CompareQuestion(Options):
    """Compare two runs figure by figure (OTHER minus RUN), paired game by game where they have the same deals.

    Either may be a folder with runs for several numbers of players (wsim import): the other run's number is used.
    """

    first: str = argument("Run folder.", metavar="RUN", file=True, label="Which run?", picker="run", example="study")
    second: str = argument(
        "Run folder with the same game and number of players.",
        metavar="OTHER",
        file=True,
        label="Compared with which run?",
        picker="run",
        example="other",
    )
    metric: tuple[str, ...] = option(
        "Show only this metric (repeatable): score, win:NAME, built:CARD, worth:CARD, worth_points:CARD, ...",
        (),
        metavar="METRIC",
        label="What should be compared? (empty: everything)",
        picker="metric",
        example="score",
    )
    level: float = level_option()
    within: float | None = within_option("every difference in --metric (both runs get more games)")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.within is not None and not self.metric:
            raise UserError("within needs a metric, which determines its unit: add --metric, such as --metric score")

    @property
    def plans(self) -> list[Plan]:
        """The plan of the first run."""
        from wsim.lab.people_runs import open_two_runs

        return [open_two_runs(self.first, self.second)[0].plan]
