"""Options for combining a study with people's games."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from wsim.errors import UserError, nearest
from wsim.options import Options, argument, level_option, names, option

METRICS = ("win", "score")


def known_metric(name: str, value: Any) -> Any:
    """Validate a metric, ``win`` or ``score``; raise UserError for any other value."""
    if value not in METRICS:
        raise UserError(f"{name} must be win or score, not {value!r}{nearest(value, METRICS)}")
    return value


def positive(name: str, value: Any) -> Any:
    """Validate a positive, finite number; raise UserError for any other number."""
    if not 0 < value < float("inf"):
        raise UserError(f"{name} must be larger than 0, not {value}")
    return value


def metric_option() -> Any:
    """Return the dataclass field for the option that selects the metric."""
    return option(
        "Figure: win (win share) or score.", "win", metavar="METRIC", check=known_metric,
        label="Wins or points?", picker="outcome", example="score",
    )  # fmt: skip


def distance_option() -> Any:
    """Return the dataclass field for the prior scale of the distance between people and simulation."""
    return option(
        "Expected difference between people and the players of the study (standard deviation between rows).", None,
        metavar="X", shown="the player SD", check=positive, label="How far people differ from policies",
    )  # fmt: skip


@dataclass(frozen=True)
class CombineQuestion(Options):
    """Combine a simulated study with people's games: one estimate per wonder (or card) from both.

    The study is the prior, and people's games are the data. All rows together determine how far people are from the
    players of the study, and thus how much each source counts. With --before, the command estimates the effect of a
    patch; with --by card, the difference between seats that built a card and seats that did not.
    """

    study: str = argument(
        "Run folder of simulated games.", metavar="STUDY", file=True, label="Which simulated run?", picker="run",
        example="study",
    )  # fmt: skip
    people: str = argument(
        "Run folder written by wsim import.", metavar="PEOPLE", file=True, label="Which games of people?",
        picker="run", example="people",
    )  # fmt: skip
    metric: str = metric_option()
    by: tuple[str, ...] = option(
        "Columns that identify a row, or card.",
        (),
        metavar="COLUMNS",
        read=names,
        shown="wonder,side",
        label="Columns that identify a row",
    )
    before: str | None = option(
        "Simulated run without the patch.",
        None,
        metavar="STUDY",
        file=True,
        label="Simulated run without the patch",
        picker="run",
    )
    before_people: str | None = option(
        "People's run without the patch.",
        None,
        metavar="PEOPLE",
        file=True,
        label="Games of people without the patch",
        picker="run",
    )
    distance: float | None = distance_option()
    level: float = level_option()

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.before is None) != (self.before_people is None):
            raise UserError("a difference needs both --before and --before-people")
