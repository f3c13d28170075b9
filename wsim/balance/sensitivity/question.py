"""The options of a sensitivity analysis."""

from __future__ import annotations

from dataclasses import dataclass

from wsim.balance.question import GoalOptions, size_option
from wsim.options import Options, option


@dataclass(frozen=True, kw_only=True)
class SensitivityQuestion(GoalOptions):
    """Show how far each step of each value that a goal may change moves its targets, with intervals."""

    games: int | None = size_option(
        "Games for each measurement of a patch at a setting.", "100,000", "Games per measurement"
    )
    replays: int | None = size_option(
        "Games for each step of a value that must be replayed.", "4,000", "Games replayed per value"
    )


@dataclass(frozen=True)
class Every(Options):
    """Which effects to show."""

    every: bool = option("Show every target of every step, not only the one that it moves most.", False)
