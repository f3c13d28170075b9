"""Tables of a match from its trials (pairs, cells, costs), and the record of the settings that determine its games."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import polars as pl

from wsim.errors import UserError
from wsim.questions.match.ratings import circle, ratings
from wsim.stats.fewest import DIFFERING
from wsim.stats.intervals import nulls

if TYPE_CHECKING:
    from wsim.questions.match.costs import Cost
    from wsim.questions.match.question import MatchQuestion
    from wsim.questions.match.tables import MatchTable
    from wsim.questions.match.trial import MatchTrial
    from wsim.stats.intervals import Interval

EARLY = (
    "Playing stopped early where the answer was clear: this overstates the difference on average; the interval is valid"
)
RARE = (
    "Both {one} and {other} win more than the fair share as one seat against seats of the other ({table}): which is "
    "stronger depends on which is rarer"
)
CROWD = (
    "Both {one} and {other} win less than the fair share as one seat against seats of the other ({table}): which is "
    "stronger depends on which is rarer"
)

CIRCLE = "The field is intransitive ({table}): {beaten}. It has no order of strength, although ratings suggest one"


def made_of(tables: Sequence[MatchTable], question: MatchQuestion, policies: Sequence[str]) -> dict[str, Any]:
    """Return the settings that determine the games of a match, as JSON."""
    first = tables[0]
    return {
        "policies": list(policies),
        "question": question.record(),
        "digests": {table.name: [made.digest for made in table.made] for table in tables},
        "plan": {key: value for key, value in json.loads(json.dumps(first.plan.as_dict())).items() if key not in _OWN},
        "tables": [{"ruleset": table.plan.ruleset, "players": table.plan.players} for table in tables],
        "made": first.made[0].record(),
        "command": command_of(tables, question, policies),
        **({"seatings": drawn} if (drawn := {table.name: "drawn" for table in tables if table.design.drawn}) else {}),
    }


_OWN = ("ruleset", "players", "games", "policies", "rotate", "picks", "keep")
"""The plan keys that a match sets itself for each table."""


def command_of(tables: Sequence[MatchTable], question: MatchQuestion, policies: Sequence[str]) -> str:
    """Return the shell command that repeats a match, with all options."""
    plan = tables[0].plan
    flat = plan.as_dict()
    words = ["wsim", "match", *policies, "--game", plan.game, "--seed", str(plan.seed)]
    rulesets = list(dict.fromkeys(table.plan.ruleset for table in tables))
    players = list(dict.fromkeys(str(table.plan.players) for table in tables))
    words += ["--ruleset", ",".join(rulesets)]
    if len(tables) == len(rulesets) * len(players):  # otherwise each rule set has its own default number
        words += ["--players", ",".join(players)]
    for key in (*(("cards",) if plan.cards else ()), *plan.options):
        words += ["--" + key.replace("_", "-"), str(flat[key])]
    for key in ("patch", "set"):
        words += [word for value in flat[key] for word in (f"--{key}", value)]
    words += ["--round-robin"] if question.round_robin else []
    options = {"budget": question.budget, "alpha": question.alpha, "spending": question.spending}
    options |= {
        key: value for key, value in (("margin", question.margin), ("within", question.within)) if value is not None
    }
    return shlex.join([*words, *(word for key, value in options.items() for word in (f"--{key}", str(value)))])


def ratings_of(trials: Sequence[MatchTrial], level: float) -> tuple[pl.DataFrame, list[str]]:
    """Return the ratings, and a remark if the games do not determine any."""
    try:
        return ratings(trials, level), []
    except UserError as error:
        numbers = ("rating", "rating_low", "rating_high", "strength")
        nothing = pl.DataFrame(schema={"policy": pl.String, **dict.fromkeys(numbers, pl.Float64)})
        return nothing, [f"There are no ratings: {error}"]


def stopped_of(trials: Sequence[MatchTrial]) -> str:
    reasons = {trial.stopped for trial in trials}
    return "budget" if "budget" in reasons else reasons.pop()


def _interval_columns(name: str, figure: Interval, at: Sequence[int]) -> dict[str, pl.Series]:
    """Return columns with a figure and its interval ends for the selected pairs or cells."""
    indices = list(at)
    ends = {"": figure.value, "_low": figure.low, "_high": figure.high}
    return {f"{name}{end}": nulls(values[indices]) for end, values in ends.items()}


def _table_columns(trial: MatchTrial, rows: int) -> dict[str, Any]:
    plan = trial.table.plan
    return {"ruleset": [plan.ruleset] * rows, "players": pl.Series([plan.players] * rows, dtype=pl.Int64)}


def pairs_of(trial: MatchTrial) -> pl.DataFrame:
    """Return one row per pair of policies at a table."""
    design, names, figures = trial.table.design, trial.table.policies, trial.figures()
    every = range(len(design.pairs))
    indices = {cell: index for index, cell in enumerate(design.cells)}
    of_cells = [[indices[cell] for cell in design.cells_of(pair)] for pair in design.pairs]
    decided = [trial.decided.get(pair) for pair in every]
    deals = pl.Series([trial.sums.deals] * len(every), dtype=pl.Int64)
    return pl.DataFrame(
        {
            **_table_columns(trial, len(every)),
            "policy": [names[first] for first, _ in design.pairs],
            "other": [names[second] for _, second in design.pairs],
            **_interval_columns("win_share", figures.wins, [first for first, _ in of_cells]),
            **_interval_columns("other_share", figures.wins, [second for _, second in of_cells]),
            "fair": [1 / design.sides] * len(every),
            **_interval_columns("difference", figures.edges, every),
            **_interval_columns("margin", figures.leads, every),
            "verdict": ["unclear" if verdict is None else verdict.verdict for verdict in decided],
            "decided_at": pl.Series(
                [None if verdict is None else verdict.look.deals for verdict in decided], dtype=pl.Int64
            ),
            "deals": deals,
        }
    )


def cells_of(trial: MatchTrial) -> pl.DataFrame:
    """Return one row per policy and field at a table."""
    design, names, figures = trial.table.design, trial.table.policies, trial.figures()
    every = range(len(design.cells))
    fair = _interval_columns("times_fair", figures.wins.scaled(design.sides), every)
    against = [None if cell.field is None else names[cell.field] for cell in design.cells]
    return pl.DataFrame(
        {
            **_table_columns(trial, len(every)),
            "policy": [names[cell.policy] for cell in design.cells],
            "against": pl.Series(against, dtype=pl.String),
            **_interval_columns("win_share", figures.wins, every),
            **fair,
            **_interval_columns("margin", figures.points, every),
            "deals": pl.Series([trial.sums.deals] * len(every), dtype=pl.Int64),
        }
    )


def cost_rows(policies: Sequence[str], costs: Sequence[Sequence[Cost]]) -> pl.DataFrame:
    """Return one row per policy with its cost per decision over all tables."""
    rows = []
    for index, policy in enumerate(policies):
        of_policy = [of_table[index] for of_table in costs]
        seconds, decisions = sum(cost.seconds for cost in of_policy), sum(cost.decisions for cost in of_policy)
        games = sum(cost.games for cost in of_policy)
        rows.append((policy, 1e6 * seconds / decisions if decisions else None, games / seconds if seconds else None))
    kinds = {"policy": pl.String, "microseconds": pl.Float64, "games_a_second": pl.Float64}
    return pl.DataFrame(rows, schema=kinds, orient="row")


def remarks_of(trials: Sequence[MatchTrial]) -> list[str]:
    """Return the caveats of a match as sentences."""
    remarks = []
    clear = [each for trial in trials for each in trial.decided.values() if each.verdict in ("higher", "lower")]
    if any(decided.look.deals < trials[0].question.budget for decided in clear):
        remarks.append(EARLY)
    for trial in trials:
        design, names = trial.table.design, trial.table.policies
        for pair, (first, second) in enumerate(design.pairs):
            differing = int(trial.sums.differing[pair])
            if differing < DIFFERING:
                remarks.append(
                    f"{names[first]} and {names[second]} differ in {differing:,} of {trial.sums.deals:,} deals "
                    f"({trial.table.name}): too few for an interval"
                )
        remarks += _rarity_remarks(trial)
        cycle = [names[policy] for policy in circle(trial)]
        if cycle:
            beats = [f"{winner} beats {loser}" for winner, loser in zip(cycle, cycle[1:] + cycle[:1], strict=True)]
            remarks.append(CIRCLE.format(table=trial.table.name, beaten=", ".join(beats)))
    return remarks


def _rarity_remarks(trial: MatchTrial) -> list[str]:
    """Return remarks on pairs in which both policies do better, or both worse, when a single seat plays them."""
    design, names, figures = trial.table.design, trial.table.policies, trial.figures()
    if design.mixed or design.sides == 2:
        return []
    low, high = figures.wins.low, figures.wins.high
    indices = {cell: index for index, cell in enumerate(design.cells)}
    remarks = []
    for pair in design.pairs:
        at = [indices[cell] for cell in design.cells_of(pair)]
        words = {"one": names[pair[0]], "other": names[pair[1]], "table": trial.table.name}
        if min(low[at]) > 1 / design.sides:
            remarks.append(RARE.format(**words))
        elif max(high[at]) < 1 / design.sides:
            remarks.append(CROWD.format(**words))
    return remarks
