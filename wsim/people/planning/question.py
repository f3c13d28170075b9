"""Options for planning people's games."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wsim.errors import UserError
from wsim.options import Options, argument, at_least, level_option, names, option, whole
from wsim.people.combine.question import distance_option, metric_option


def power(name: str, value: Any) -> Any:
    """Validate a probability that must be at least 0.5 and less than 1; raise UserError for any other number."""
    if not 0.5 <= value < 1:
        raise UserError(f"{name} must be at least 0.5 and less than 1, not {value}")
    return value


def new_page(_name: str, value: Any) -> Any:
    """Validate the path of a new HTML file; raise UserError for any other value."""
    from wsim.people.template import check_printed

    check_printed(Path(value))
    return value


@dataclass(frozen=True)
class PlanningQuestion(Options):
    """Plan people's next games: which boards to use, how many games make each wonder clear, and when to stop.

    The plan starts from the combined estimates of simulated and people's games (wsim people combine). With --patched,
    it also states whether the patch is worth playtesting at all, and what to watch for.
    """

    study: str = argument(
        "Run folder of simulated games.", metavar="STUDY", file=True, label="Which simulated run?", picker="run",
        example="study",
    )  # fmt: skip
    people: str | None = argument(
        "Run folder written by wsim import, if people have already played.", None, metavar="PEOPLE", file=True,
        label="Which games of people, if there are any?", picker="run", example="people",
    )  # fmt: skip
    metric: str = metric_option()
    by: tuple[str, ...] = option(
        "Columns that identify a row.",
        (),
        metavar="COLUMNS",
        read=names,
        shown="wonder,side",
        label="Columns that identify a row",
    )
    games: int = option("Games per evening.", 3, metavar="N", read=whole, check=at_least(1), label="Games per evening")
    evenings: int = option(
        "Evenings to schedule.", 2, metavar="N", read=whole, check=at_least(1), label="How many evenings are planned?",
        example="2",
    )  # fmt: skip
    chance: float = option(
        "Probability that a wonder becomes clear.", 0.8, metavar="X", check=power, label="Chance to find out"
    )
    patched: str | None = option(
        "Simulated run with the patch to be tested.",
        None,
        metavar="RUN",
        file=True,
        label="Simulated run with the patch",
        picker="run",
    )
    printed: str | None = option(
        "Write a printable schedule with a score sheet for each game.", None, metavar="FILE.html", names=("--print",),
        check=new_page,
    )  # fmt: skip
    distance: float | None = distance_option()
    level: float = level_option()
