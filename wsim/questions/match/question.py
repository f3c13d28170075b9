"""The options of a match: the tables, the decision, and the output."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from wsim.errors import UserError
from wsim.lab.plan import defaults_by_game
from wsim.options import (
    LONGEST,
    Options,
    Policy,
    argument,
    error_rate,
    names,
    option,
    place,
    short_number,
    smallest_effect,
    spending_function,
    within_option,
)
from wsim.questions.comparison import Comparison, budget_of_deals, without_history


@dataclass(frozen=True)
class MatchQuestion(Options):
    """Play policies against each other, in every seating of each deal: wsim match A B [C ...]

    With two policies, one seat plays A and all others play B, each seat in turn, and vice versa, on the same deals;
    --round-robin does this for every pair. Otherwise three or more policies share a table in every arrangement (if
    these are too many, each policy plays every seat, in an order drawn for each deal). A sequential test stops when it
    is clear who is stronger. In rule sets with teams, a team plays one policy.
    """

    round_robin: bool = option(
        "Play each pair separately and print the matrix (default: all at one table).",
        False,
        label="Each pair separately",
    )
    budget: int = option(
        "Maximum number of deals per table, each played in every seating.",
        10_000,
        metavar="N",
        check=budget_of_deals,
        label="How many deals at most?",
        example="2k",
        effort=True,
    )
    alpha: float = option(
        "Accepted probability of declaring a difference when there is none.",
        0.05,
        metavar="RATE",
        check=error_rate,
        example="0.01",
        label="Risk of a false alarm",
    )
    margin: float | None = option(
        "Smallest difference that matters: stop once all are known to be smaller.",
        None,
        metavar="DIFFERENCE",
        check=smallest_effect,
        example="0.02",
        label="Smallest difference that matters",
    )
    within: float | None = within_option("every win share")
    spending: str = option(
        "Alpha spending over the looks: pocock (stops early) or obrien_fleming.",
        "pocock",
        metavar="NAME",
        check=spending_function,
        example="obrien_fleming",
        label="How early it may stop",
    )

    first_budget: int | None = None
    looks_before: Mapping[str, Sequence[int]] | None = None
    """For a continued match: its looks so far by table (in deals), and the budget that set the scale of the test."""

    def record(self) -> dict[str, Any]:
        """Return the fields as a JSON object, omitting an empty history."""
        return without_history(super().record())

    @property
    def question(self) -> Comparison:
        """These options as a ``Comparison``, which defines how a sequential test decides."""
        return self.question_at("")

    def question_at(self, table: str) -> Comparison:
        """Return the question for one table, with its looks so far."""
        options = {name: value for name, value in asdict(self).items() if name not in ("round_robin", "looks_before")}
        return Comparison("win", **options, looks_before=(self.looks_before or {}).get(table))

    def continuing(self, record: Mapping[str, Any]) -> MatchQuestion:
        """Return this question as the continuation of a recorded match; raise UserError if its budget is smaller."""
        recorded, looks = MatchQuestion.restored(record["question"]), record.get("looks", {})
        tables = {name: self.question.continuing(recorded.question_at(name), at) for name, at in looks.items()}
        first = next((table.first_budget for table in tables.values()), None)
        before = {name: table.looks_before for name, table in tables.items() if table.looks_before}
        return replace(self, first_budget=first, looks_before=before or None)


def player_numbers(text: str) -> tuple[int, ...]:
    """Parse comma-separated player counts or a range such as 3..7; raise UserError for anything else."""
    numbers: list[int] = []
    for part in names(text):
        written, dots, end = part.partition("..")
        first, last = short_number(written), short_number(end if dots else written)
        if first is None or last is None or not 0 <= last - first <= 100:
            said = repr(text if len(text) <= LONGEST else f"{text[:LONGEST]}...")
            raise UserError(f"--players takes comma-separated numbers or a range, such as 3,4,5 or 3..7, not {said}")
        numbers += range(first, last + 1)
    return tuple(numbers)


@dataclass(frozen=True)
class MatchTables(Options):
    """The tables of a match: one per rule set and number of players."""

    policies: tuple[Policy, ...] = argument(
        "Policies that play against each other, at least two.",
        (),
        hidden=True,
        metavar="POLICY POLICY...",
        label="Who plays against each other?",
        picker="policy",
        example="balanced,greedy",
    )
    ruleset: tuple[str, ...] = option(
        "One or more rule sets, comma-separated.",
        (), metavar="NAMES", names=("--ruleset", "--rulesets"), read=names,
        shown=lambda: defaults_by_game("ruleset").partition(";")[0],
        label="Which rules?", picker="ruleset", example="1e",
    )  # fmt: skip
    players: tuple[int, ...] = option(
        "Numbers of players: 4, or 3,4,5, or 3..7.",
        (),
        metavar="NUMBERS",
        read=player_numbers,
        shown="the default of each rule set",
        label="How many players?",
        example="3..7",
    )


@dataclass(frozen=True)
class MatchOutput(Options):
    """Where a match is stored.

    ``out``: FILE.json or FILE.parquet for the answer; a run folder, whose report then shows the match; or a separate
    folder that stores all deals, so that the match can be continued.
    """

    out: Path | None = option(
        "Folder for the match and its deals; or FILE.json, FILE.parquet or a run folder for the answer.",
        None, metavar="PATH", names=("-o", "--out"), check=place,
    )  # fmt: skip
    resume: bool = option("Continue the match in --out: after Ctrl-C, or with a larger --budget.", False)
    contest: bool = option(
        "Draw a secret seed; print its SHA-256 before the games and the seed afterwards.",
        False,
        label="A secret seed, shown afterwards",
    )
