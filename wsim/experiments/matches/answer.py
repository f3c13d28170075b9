"""The answer of a match: its tables, its record as JSON, and where that is written."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from wsim.errors import UserError
from wsim.experiments.matches.ratings import ratings
from wsim.lab.files import write_text, writing
from wsim.lab.plan import digest_of
from wsim.lab.provenance import METADATA_KEY
from wsim.stats.fewest import DIFFERING
from wsim.stats.intervals import nulls
from wsim.stats.notebook import html_of, text_of

if TYPE_CHECKING:
    from wsim.experiments.match_question import MatchQuestion
    from wsim.experiments.matches.costs import Cost
    from wsim.experiments.matches.tables import MatchTable
    from wsim.experiments.matches.trial import MatchTrial
    from wsim.stats.intervals import Interval

__all__ = ["FORMAT", "Match", "answer_of", "check_target", "made_of"]

FORMAT = "wsim-match/1"
ESTIMAND = {
    True: "Win share of a policy at tables with all the others, every arrangement of a deal played",
    False: "Win share of one of a policy where all others at the table are of the other, each seat of a deal in turn",
}
"""By whether tables are mixed."""
EARLY = (
    "Playing ended early where the answer was clear: such a difference is exaggerated on average, its interval is not"
)
RARE = (
    "Both {one} and {other} win more than the fair share as one among the other's ({table}): which is stronger depends "
    "on who is rarer"
)
CROWD = (
    "Both {one} and {other} win less than the fair share as one among the other's ({table}): which is stronger depends "
    "on who is rarer"
)


@dataclass(frozen=True, repr=False)
class Match:
    """The answer.

    Attributes
    ----------
    policies: who played, in the order in which they were named.
    question: how it was played and decided.
    estimand: what a win share is, in one sentence.
    stopped: why playing ended: ``clear``, ``known`` (within), ``budget``, ``interrupted``.
    deals, games: how many were played, at all tables together. seconds: how long that took.
    pairs: one row for each two policies and table: ruleset, players, policy, other, win_share of the first and
        other_share of the second, fair (share of a side), difference of the two, margin (points by which the first is
        ahead of the second at one table), each but fair with _low and _high; verdict, decided_at (deals), deals.
        Verdicts are higher, lower, equivalent, unclear; identical: no deal differed.
    cells: one row for each policy, field and table: ruleset, players, policy, against (the policy of all others; None:
        mixed), win_share, times_fair and margin (its points less the mean of the others at the table), each with _low
        and _high, deals.
    ratings: policy, rating (400 points are ten times the strength, their mean is 0) with _low and _high, strength; no
        rows where the games cannot tell them.
    costs: policy, microseconds (of processor time, a decision, None where none is counted), games a second of one
        thread at a table of its own.
    remarks: what must be said beside the figures, a sentence each, without a full stop.
    made: what decides the games: plans, digests, versions.
    """

    policies: tuple[str, ...]
    question: MatchQuestion
    estimand: str
    stopped: str
    deals: int
    games: int
    seconds: float
    pairs: pl.DataFrame
    cells: pl.DataFrame
    ratings: pl.DataFrame
    costs: pl.DataFrame
    remarks: tuple[str, ...]
    made: Mapping[str, Any] = field(repr=False)

    def __repr__(self) -> str:
        return text_of(self.estimand, self.pairs, self.remarks)

    def _repr_html_(self) -> str:
        return html_of(self.estimand, self.pairs, self.remarks)

    def matrix(self, column: str = "win_share") -> pl.DataFrame:
        """Return a figure of the cells with a row for each policy and a column for each field (``mixed``: one)."""
        against = pl.col("against").fill_null("mixed")
        wide = self.cells.with_columns(against).pivot("against", index=["ruleset", "players", "policy"], values=column)
        order = [*(name for name in self.policies if name in wide.columns), *({"mixed"} & set(wide.columns))]
        return wide.select("ruleset", "players", "policy", *order)

    def record(self) -> dict[str, Any]:
        """Return the answer as a JSON object."""
        return {
            "format": FORMAT,
            **self.made,
            "estimand": self.estimand,
            "stopped": self.stopped,
            "deals": self.deals,
            "games": self.games,
            "seconds": round(self.seconds, 3),
            "pairs": self.pairs.to_dicts(),
            "cells": self.cells.to_dicts(),
            "ratings": self.ratings.to_dicts(),
            "costs": self.costs.to_dicts(),
            "remarks": list(self.remarks),
        }

    def write(self, path: str | Path) -> Path:
        """Write the answer and return where it lies.

        ``x.json`` holds the record; ``x.parquet`` the pairs with the record in its metadata; into a run folder goes
        ``match-....json``, for its report. Raises StoreError if the disk refuses.
        """
        target, record = Path(path), json.loads(json.dumps(self.record()))
        if (target / "run.json").is_file():
            target = target / f"match-{digest_of([record['digests'], record['question']])[:8]}.json"
        if target.suffix == ".parquet":
            with writing(target) as temporary:
                self.pairs.write_parquet(temporary, metadata={METADATA_KEY: json.dumps(record, ensure_ascii=False)})
        else:
            write_text(target, json.dumps(record, ensure_ascii=False, indent=2) + "\n")
        return target


def check_target(path: Path) -> None:
    """Raise UserError for a file that cannot be written for reasons the user can mend."""
    if path.is_dir() or not path.parent.is_dir():
        why = "it is a folder" if path.is_dir() else f"there is no folder {str(path.parent)!r}"
        raise UserError(f"cannot write the match to {str(path)!r}: {why}")


def made_of(tables: Sequence[MatchTable], question: MatchQuestion, policies: Sequence[str]) -> dict[str, Any]:
    """Return what decides the games of a match, as JSON."""
    first = tables[0]
    return {
        "policies": list(policies),
        "question": question.record(),
        "digests": {table.name: [made.digest for made in table.made] for table in tables},
        "plan": {key: one for key, one in json.loads(json.dumps(first.plan.as_dict())).items() if key in _SHARED},
        "tables": [{"ruleset": table.plan.ruleset, "players": table.plan.players} for table in tables],
        "made": first.made[0].record(),
        "command": command_of(tables, question, policies),
    }


_SHARED = ("game", "seed", "cards", "patch", "set", "wonders", "sides")


def command_of(tables: Sequence[MatchTable], question: MatchQuestion, policies: Sequence[str]) -> str:
    """Return the shell command that plays a match again, every option written out."""
    plan = tables[0].plan
    flat = plan.as_dict()
    words = ["wsim", "match", *policies, "--game", plan.game, "--seed", str(plan.seed)]
    rulesets = list(dict.fromkeys(table.plan.ruleset for table in tables))
    players = list(dict.fromkeys(str(table.plan.players) for table in tables))
    words += ["--ruleset", ",".join(rulesets)]
    if len(tables) == len(rulesets) * len(players):  # else each rule set has its usual number
        words += ["--players", ",".join(players)]
    for key in (*(("cards",) if plan.cards else ()), *plan.options):
        words += ["--" + key.replace("_", "-"), str(flat[key])]
    for key in ("patch", "set"):
        words += [word for one in flat[key] for word in (f"--{key}", one)]
    words += ["--round-robin"] if question.round_robin else []
    asked = {"budget": question.budget, "alpha": question.alpha, "spending": question.spending}
    asked |= {key: one for key, one in (("margin", question.margin), ("within", question.within)) if one is not None}
    return shlex.join([*words, *(word for key, one in asked.items() for word in (f"--{key}", str(one)))])


def answer_of(
    trials: Sequence[MatchTrial], costs: Sequence[Sequence[Cost]], made: Mapping[str, Any], *, interrupted: bool
) -> Match:
    """Return what the trials say, those without a look left out.

    Parameters
    ----------
    costs: of each policy at each table.
    made: what decides the games (``made_of``).
    """
    question, policies = trials[0].match, trials[0].table.policies
    looked = [trial for trial in trials if trial.looks]
    try:
        rated = ratings(looked, 1 - question.alpha)
        said: list[str] = []
    except UserError as error:
        rated, said = _no_ratings(), [f"There are no ratings: {error}"]
    pairs = pl.concat([_pairs(trial) for trial in looked])
    return Match(
        policies=policies,
        question=question,
        estimand=ESTIMAND[looked[0].table.design.mixed],
        stopped="interrupted" if interrupted else _stopped(looked),
        deals=sum(trial.sums.deals for trial in looked),
        games=sum(trial.sums.deals * len(trial.table.simulators) for trial in looked),
        seconds=sum(trial.seconds for trial in looked),
        pairs=pairs,
        cells=pl.concat([_cells(trial) for trial in looked]),
        ratings=rated,
        costs=_costs(policies, costs),
        remarks=(*_remarks(looked), *said),
        made=made,
    )


def _no_ratings() -> pl.DataFrame:
    numbers = ("rating", "rating_low", "rating_high", "strength")
    return pl.DataFrame(schema={"policy": pl.String, **dict.fromkeys(numbers, pl.Float64)})


def _stopped(trials: Sequence[MatchTrial]) -> str:
    reasons = {trial.stopped for trial in trials}
    return "budget" if "budget" in reasons else reasons.pop()


def _ends(name: str, figure: Interval, at: Sequence[int]) -> dict[str, pl.Series]:
    """Return a figure of some pairs or cells with the ends of its intervals."""
    places = list(at)
    ends = {"": figure.value, "_low": figure.low, "_high": figure.high}
    return {f"{name}{end}": nulls(values[places]) for end, values in ends.items()}


def _front(trial: MatchTrial, rows: int) -> dict[str, Any]:
    plan = trial.table.plan
    return {"ruleset": [plan.ruleset] * rows, "players": pl.Series([plan.players] * rows, dtype=pl.Int64)}


def _pairs(trial: MatchTrial) -> pl.DataFrame:
    """Return one row for each two policies of a table."""
    design, names, found = trial.table.design, trial.table.policies, trial.figures()
    every = range(len(design.pairs))
    places = {cell: place for place, cell in enumerate(design.cells)}
    of_cells = [[places[cell] for cell in design.cells_of(pair)] for pair in design.pairs]
    decided = [trial.decided.get(pair) for pair in every]
    deals = pl.Series([trial.sums.deals] * len(every), dtype=pl.Int64)
    return pl.DataFrame(
        {
            **_front(trial, len(every)),
            "policy": [names[one] for one, _ in design.pairs],
            "other": [names[other] for _, other in design.pairs],
            **_ends("win_share", found.wins, [one for one, _ in of_cells]),
            **_ends("other_share", found.wins, [other for _, other in of_cells]),
            "fair": [1 / design.sides] * len(every),
            **_ends("difference", found.edges, every),
            **_ends("margin", found.leads, every),
            "verdict": ["unclear" if one is None else one.verdict for one in decided],
            "decided_at": pl.Series([None if one is None else one.look.deals for one in decided], dtype=pl.Int64),
            "deals": deals,
        }
    )


def _cells(trial: MatchTrial) -> pl.DataFrame:
    """Return one row for each policy and field of a table."""
    design, names, found = trial.table.design, trial.table.policies, trial.figures()
    every = range(len(design.cells))
    fair = _ends("times_fair", found.wins.scaled(design.sides), every)
    against = [None if cell.field is None else names[cell.field] for cell in design.cells]
    return pl.DataFrame(
        {
            **_front(trial, len(every)),
            "policy": [names[cell.policy] for cell in design.cells],
            "against": pl.Series(against, dtype=pl.String),
            **_ends("win_share", found.wins, every),
            **fair,
            **_ends("margin", found.points, every),
            "deals": pl.Series([trial.sums.deals] * len(every), dtype=pl.Int64),
        }
    )


def _costs(policies: Sequence[str], costs: Sequence[Sequence[Cost]]) -> pl.DataFrame:
    """Return what a decision of each policy costs, all tables together."""
    rows = []
    for place, policy in enumerate(policies):
        mine = [of_table[place] for of_table in costs]
        seconds, decisions = sum(one.seconds for one in mine), sum(one.decisions for one in mine)
        games = sum(one.games for one in mine)
        rows.append((policy, 1e6 * seconds / decisions if decisions else None, games / seconds if seconds else None))
    kinds = {"policy": pl.String, "microseconds": pl.Float64, "games_a_second": pl.Float64}
    return pl.DataFrame(rows, schema=kinds, orient="row")


def _remarks(trials: Sequence[MatchTrial]) -> list[str]:
    """Return what must be said beside the figures."""
    said = []
    told = [one for trial in trials for one in trial.decided.values() if one.verdict in ("higher", "lower")]
    if any(one.look.deals < trials[0].question.budget for one in told):
        said.append(EARLY)
    for trial in trials:
        design, names = trial.table.design, trial.table.policies
        for pair, (one, other) in enumerate(design.pairs):
            differing = int(trial.sums.differing[pair])
            if differing < DIFFERING:
                said.append(
                    f"{names[one]} and {names[other]} won differently in {differing:,} of {trial.sums.deals:,} deals "
                    f"({trial.table.name}): too few for an interval"
                )
        said += _rarer(trial)
    return said


def _rarer(trial: MatchTrial) -> list[str]:
    """Say of which pairs each does better, or worse, as one among the others."""
    design, names, found = trial.table.design, trial.table.policies, trial.figures()
    if design.mixed or design.sides == 2:
        return []
    low, high = found.wins.low, found.wins.high
    places = {cell: place for place, cell in enumerate(design.cells)}
    said = []
    for pair in design.pairs:
        at = [places[cell] for cell in design.cells_of(pair)]
        told = {"one": names[pair[0]], "other": names[pair[1]], "table": trial.table.name}
        if min(low[at]) > 1 / design.sides:
            said.append(RARE.format(**told))
        elif max(high[at]) < 1 / design.sides:
            said.append(CROWD.format(**told))
    return said
