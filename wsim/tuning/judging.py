"""Evaluate the result of a search, compared with its start, on held-out deals and against held-out players."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from wsim.document import CATEGORY, POINTS, Column, estimated, names
from wsim.stats.columns import FAIR_SHARE, OF_WINS, VERDICT, WIN_DIFFERENCE, WIN_SHARE, N, Q
from wsim.stats.intervals import Estimate, verdicts
from wsim.tuning.contests import MARGIN, SHARE, Contest, play_contests
from wsim.tuning.question import HELD_OUT, TuneQuestion, plans_of

if TYPE_CHECKING:
    import polars as pl

    from wsim.lab.execution import Execution
    from wsim.lab.plan import Plan
    from wsim.questions.deals import Features

MET, UNMET = "tuned against", "held out"


COLUMNS = (
    *names(("ruleset", "players", "opponents")), Column("met", CATEGORY), N, FAIR_SHARE, WIN_SHARE, WIN_DIFFERENCE, Q,
    VERDICT, Column("start", WIN_SHARE.kind, unit=OF_WINS, about="win share of the start, on the same deals"),
    estimated("margin", POINTS, difference=True, about="growth of the lead over the mean of the others"),
)  # fmt: skip


def judge(base: Plan, question: TuneQuestion, entries: tuple[str, str], execution: Execution) -> pl.DataFrame:
    """Play the start and the result of a search against its field, then against each judge alone, on new deals.

    Returns one row per table: ruleset, players, opponents, met (whether the search played against them), n (games),
    fair, start and win_share with its interval, difference with its interval, q (Benjamini-Hochberg over the rows),
    verdict, margin (growth of the lead over the others' mean score, in points).
    """
    unseen = base.replace(seed=base.seed ^ HELD_OUT)
    fields = ((question.against, MET), (question.judges or (), UNMET))
    tables = [(plan, met) for those, met in fields for plan in plans_of(unseen, question, entries[0], those)]
    outcomes = []
    for done, (plan, _) in enumerate(tables):
        execution.report("judged tables", done, len(tables))
        outcomes += play_contests([Contest.of(plan)], entries, range(question.held_out), execution)
    return _table(tables, outcomes)


def _table(tables: Sequence[tuple[Plan, str]], outcomes: Sequence[Sequence[Features]]) -> pl.DataFrame:
    """Compare start and result at each table, from the features of their games."""
    import polars as pl

    start, share = (Estimate.of_games([arms[arm][SHARE] for arms in outcomes]).with_wilson() for arm in range(2))
    difference, margin = (
        Estimate.of_games([after[which] - before[which] for before, after in outcomes]) for which in (SHARE, MARGIN)
    )
    columns: dict[str, Any] = {
        "ruleset": [plan.ruleset for plan, _ in tables],
        "players": [plan.players for plan, _ in tables],
        "opponents": [_opponents(plan) for plan, _ in tables],
        "met": [met for _, met in tables],
        "n": [len(before[SHARE]) for before, _ in outcomes],
        "fair": [1 / plan.players for plan, _ in tables],
        "start": start.value,
        **share.columns("win_share"),
        **difference.columns("difference"),
        "q": difference.q_value(),
        "verdict": verdicts(difference.value, difference.q_value()),
        **margin.columns("margin"),
    }
    return pl.DataFrame(columns, nan_to_null=True)


def _opponents(plan: Plan) -> str:
    """Describe the policies in the other seats, with a count if they are all equal."""
    opponents = plan.policies[1:]
    alike = len(set(opponents)) == 1
    return (
        (f"{len(opponents)} {opponents[0]}" if len(opponents) > 1 else opponents[0]) if alike else ", ".join(opponents)
    )
