"""Analyses that any game can list, because they need only the columns that every seats table has."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wsim.stats.analysis import Analysis, Option
from wsim.stats.columns import FAIR, PLAYER_HALF_WIDTH, outcome_column
from wsim.stats.factor_sums import FactorSums
from wsim.stats.matchup_table import crowding, matchups
from wsim.stats.ratings import strengths
from wsim.stats.tables import policies
from wsim.stats.variance import variance_shares
from wsim.stats.worth import SHOWN_FIRST, worth

OUTCOME = {"outcome": Option("score, win, or a numeric column of the seats table", outcome_column)}
BEATS_CHANCE = ("win_share", PLAYER_HALF_WIDTH, FAIR, "verdict", "q", "score", "n")
"""The last columns that a table of levels hides: those that show whether win shares exceed the fair share."""
HEADLINE = ("worth", PLAYER_HALF_WIDTH, "q", "verdict", "points", "wanted", "followed", "overruled", "win_difference")
"""The main columns for items that seats want and have: the worth of the items, then figures of their owners."""
OWNERS = (
    "worth",
    PLAYER_HALF_WIDTH,
    "verdict",
    "points",
    "wanted",
    "win_difference",
    "q",
    "overruled",
    "followed",
    "n",
)
"""The last columns that a table of such items hides."""
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
    "value of a plan by the number of other seats that follow it",
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
VARIANCE = Analysis(
    variance_shares, "how much of the score's variance comes from each source", options=OUTCOME, shown="asked"
)


def worth_analysis(fits: Callable[[Any], bool]) -> Analysis:
    """Return the worth analysis of a game whose policies can be overruled; ``fits``: whether a plan has wishes."""
    return Analysis(
        worth,
        "what each thing is worth to the seat that wants it, over the next best thing",
        by=(),
        columns=("worth", "verdict", "points", "q", "wanted", "followed", "overruled"),
        first=SHOWN_FIRST,
        options={"fewest": Option("omit items that were followed or overruled fewer times (default: 30)", read=int)},
        shown="run",
        fits=fits,
        wishes=True,
    )
