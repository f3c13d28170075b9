"""Analyses that any game can list: they need no more than the columns that every seats table has."""

from __future__ import annotations

from wsim.stats.analysis import Analysis, Option
from wsim.stats.factor_sums import FactorSums
from wsim.stats.matchup_table import crowding, matchups
from wsim.stats.ratings import strengths
from wsim.stats.tables import policies
from wsim.stats.variance import variance_shares

__all__ = ["CROWDING", "MATCHUPS", "OUTCOME", "POLICIES", "RAW", "STRENGTHS", "VARIANCE"]

OUTCOME = {"outcome": Option("a column of numbers of the seats table: total, win_share, ...")}
RAW = {"raw": Option("pool the policies instead of comparing within them", flag=True)}

POLICIES = Analysis(
    policies,
    "win share, score and points of each policy",
    by=("policy",),
    columns=("n", "win_share", "score", "points_*"),
    shown="run",
    sums=FactorSums(("policy",)),
)
MATCHUPS = Analysis(matchups, "how policies do against each other in the same games", by=("policy",))
CROWDING = Analysis(
    crowding, "what a plan is worth by the number of others at the table who follow it", by=("policy",), shown="asked"
)
STRENGTHS = Analysis(
    strengths, "Plackett-Luce strengths, from the whole order of finish", by=("policy",), shown="asked"
)
VARIANCE = Analysis(variance_shares, "how much of the score's variance comes from what", options=OUTCOME, shown="asked")
