"""The question of a match: at which tables policies meet, what decides, and where it is kept."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from wsim.errors import UserError
from wsim.lab.plan import defaults_by_game
from wsim.options import Options, Policy, argument, error_rate, names, option, place, smallest_effect, spending_function
from wsim.questions.comparison import Comparison, budget_of_deals


def _exactness(_name: str, value: Any) -> Any:
    if not 0 < value < 1:
        raise UserError(f"precision must be between 0 and 1, such as 0.01, not {value!r}")
    return value


@dataclass(frozen=True)
class MatchQuestion(Options):
    """Play policies against each other: wsim match A B [C ...]

    Two policies: one seat plays A and all others B, each seat in turn, and the other way round, on the same deals;
    with --round-robin every pair does. Otherwise three or more share a table in every arrangement, or where those are
    too many each on every seat, in an order that is drawn anew for every deal. A sequential test says who is stronger
    and stops when that is clear. In rule sets with teams, a team is one policy.
    """

    round_robin: bool = option("Every pair by itself, and their matrix; else all at one table.", False)
    budget: int = option(
        "Deals at most for each table, each played in every seating.", 10_000, metavar="N", check=budget_of_deals
    )
    alpha: float = option("Accepted chance of calling a policy stronger that is not.", 0.05, check=error_rate)
    margin: float | None = option(
        "Smaller differences do not matter: stop when all are known to be smaller.", None, check=smallest_effect
    )
    precision: float | None = option(
        "Play on until every win share is known to within this, such as 0.01.",
        None, check=_exactness, aliases=("--within",),
    )  # fmt: skip
    spending: str = option(
        "Use of alpha over the looks: pocock (stops early) or obrien_fleming.", "pocock", check=spending_function
    )

    @property
    def question(self) -> Comparison:
        """The same as a question of what-if: how a sequential test decides."""
        rest = {name: value for name, value in asdict(self).items() if name not in ("round_robin", "precision")}
        return Comparison("win", **rest)


def player_numbers(text: str) -> tuple[int, ...]:
    """Read numbers of players with commas, or from..to; raise UserError for anything else."""
    found: list[int] = []
    for part in names(text):
        first, dots, last = part.partition("..")
        if not first.isdecimal() or (dots and not last.isdecimal()) or int(last or first) - int(first) > 100:
            raise UserError(f"--players takes numbers with commas or a range, such as 3,4,5 or 3..7, not {text!r}")
        found += range(int(first), int(last or first) + 1)
    return tuple(found)


@dataclass(frozen=True)
class MatchTables(Options):
    """The tables of a match: every rule set with every number of players is one."""

    policies: tuple[Policy, ...] = argument("Policies that play against each other, two or more.", (), hidden=True)
    ruleset: tuple[str, ...] = option(
        "One or several, with commas.", (), metavar="NAMES", names=("--ruleset", "--rulesets"), read=names,
        shown=lambda: defaults_by_game("ruleset").partition(";")[0],
    )  # fmt: skip
    players: tuple[int, ...] = option(
        "One or several: 4, or 3,4,5, or 3..7.", (), metavar="NUMBERS", read=player_numbers, shown="as usual in each"
    )


@dataclass(frozen=True)
class MatchOutput(Options):
    """Where a match goes.

    ``out``: FILE.json or FILE.parquet for the answer, a run folder, which gets it for its report, or a folder of the
    match's own, which keeps all its deals and can be gone on with; None: nowhere.
    """

    out: Path | None = option(
        "A folder that keeps all deals, FILE.json, FILE.parquet, or a run folder.",
        None, metavar="PATH", names=("-o", "--out"), check=place,
    )  # fmt: skip
    resume: bool = option("Go on with the interrupted match in --out.", False)
