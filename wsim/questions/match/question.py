"""The options of a match: the tables, the decision, and the output."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from wsim.errors import UserError
from wsim.lab.plan import defaults_by_game
from wsim.options import Options, Policy, argument, error_rate, names, option, place, smallest_effect, spending_function
from wsim.questions.comparison import Comparison, budget_of_deals


def _precision(_name: str, value: Any) -> Any:
    if not 0 < value < 1:
        raise UserError(f"precision must be between 0 and 1, such as 0.01, not {value!r}")
    return value


@dataclass(frozen=True)
class MatchQuestion(Options):
    """Play policies against each other: wsim match A B [C ...]

    With two policies, one seat plays A and all others play B, each seat in turn, and vice versa, on the same deals;
    --round-robin does this for every pair. Otherwise three or more policies share a table in every arrangement (if
    these are too many, each policy plays every seat, in an order drawn for each deal). A sequential test stops when it
    is clear who is stronger. In rule sets with teams, a team plays one policy.
    """

    round_robin: bool = option("Play each pair separately and print the matrix (default: all at one table).", False)
    budget: int = option(
        "Maximum number of deals per table, each played in every seating.", 10_000, metavar="N", check=budget_of_deals
    )
    alpha: float = option(
        "Accepted chance of declaring a difference if there is none.", 0.05, metavar="RATE", check=error_rate
    )
    margin: float | None = option(
        "Smallest difference that matters: stop once all are known to be smaller.",
        None,
        metavar="DIFFERENCE",
        check=smallest_effect,
    )
    precision: float | None = option(
        "Continue until every win share is known to within this, such as 0.01.",
        None, metavar="WIDTH", check=_precision, aliases=("--within",),
    )  # fmt: skip
    spending: str = option(
        "Alpha spending over the looks: pocock (stops early) or obrien_fleming.",
        "pocock",
        metavar="NAME",
        check=spending_function,
    )

    @property
    def question(self) -> Comparison:
        """The same as options of a what-if: how a sequential test decides."""
        rest = {name: value for name, value in asdict(self).items() if name not in ("round_robin", "precision")}
        return Comparison("win", **rest)


def player_numbers(text: str) -> tuple[int, ...]:
    """Parse numbers of players, comma-separated or from..to; raise UserError for anything else."""
    numbers: list[int] = []
    for part in names(text):
        first, dots, last = part.partition("..")
        if not first.isdecimal() or (dots and not last.isdecimal()) or int(last or first) - int(first) > 100:
            raise UserError(f"--players takes comma-separated numbers or a range, such as 3,4,5 or 3..7, not {text!r}")
        numbers += range(int(first), int(last or first) + 1)
    return tuple(numbers)


@dataclass(frozen=True)
class MatchTables(Options):
    """The tables of a match: one per rule set and number of players."""

    policies: tuple[Policy, ...] = argument(
        "Policies that play against each other, at least two.", (), hidden=True, metavar="POLICY POLICY..."
    )
    ruleset: tuple[str, ...] = option(
        "One or several rule sets, comma-separated.",
        (), metavar="NAMES", names=("--ruleset", "--rulesets"), read=names,
        shown=lambda: defaults_by_game("ruleset").partition(";")[0],
    )  # fmt: skip
    players: tuple[int, ...] = option(
        "Numbers of players: 4, or 3,4,5, or 3..7.",
        (),
        metavar="NUMBERS",
        read=player_numbers,
        shown="that of each rule set",
    )


@dataclass(frozen=True)
class MatchOutput(Options):
    """Where a match is stored.

    ``out``: FILE.json or FILE.parquet for the answer; a run folder, whose report then shows it; or a separate folder,
    which stores all deals so that the match can be continued.
    """

    out: Path | None = option(
        "Folder for the match and its deals; or FILE.json, FILE.parquet or a run folder for the answer.",
        None, metavar="PATH", names=("-o", "--out"), check=place,
    )  # fmt: skip
    resume: bool = option("Continue the interrupted match in --out.", False)
    contest: bool = option("Draw a secret seed; print its SHA-256 before the games and the seed afterwards.", False)
