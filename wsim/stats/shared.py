"""Analyses that any game can list: they need only the columns that every seats table has."""

from __future__ import annotations

from wsim.stats.analysis import Analysis, Option
from wsim.stats.columns import FAIR, PLAYER_SD
from wsim.stats.factor_sums import FactorSums
from wsim.stats.matchup_table import crowding, matchups
from wsim.stats.ratings import strengths
from wsim.stats.tables import policies
from wsim.stats.variance import variance_shares

OUTCOME = {"outcome": Option("a column of numbers of the seats table: total, win_share, ...")}
BEATS_CHANCE = ("win_share", PLAYER_SD, FAIR, "verdict", "q", "score", "n")
"""The last columns that a table of levels hides: the win share against the fair share."""
OWNERS = ("win_difference", PLAYER_SD, "verdict", "win_share", "win_q", "n", "score_difference")
"""The last columns that a table of owners hides."""
PAIRS = ("other", "lift", "verdict", "q", "n", "shrunk", "affinity")
"""The last columns that a table of pairs hides."""
RAW = {"raw": Option("pool the policies instead of comparing within them", flag=True)}

POLICIES = Analysis(
    policies,
    "win share, score and points of each policy",
    by=("policy",),
    columns=("n", "win_share", FAIR, "q", "verdict", "score", "points_*"),
    first=BEATS_CHANCE,
    shown="run",
    sums=FactorSums(("policy",)),
)
MATCHUPS = Analysis(
    matchups,
    "how policies do against each other in the same games",
    by=("policy",),
    first=("score_difference", "verdict", "q", "win_difference", "ahead", "games"),
)
CROWDING = Analysis(
    crowding,
    "what a plan is worth by the number of others at the table who follow it",
    by=("policy",),
    first=("others", *BEATS_CHANCE),
    shown="asked",
)
STRENGTHS = Analysis(
    strengths,
    "Plackett-Luce strengths, from the whole finishing order",
    by=("policy",),
    first=("strength", "verdict", "q", "win_share", "n"),
)
VARIANCE = Analysis(variance_shares, "how much of the score's variance comes from what", options=OUTCOME, shown="asked")
