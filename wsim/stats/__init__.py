"""Statistics of runs, on Polars LazyFrames: tables with intervals clustered by game, and sequential tests.

Every function takes a seats table (a LazyFrame, a DataFrame, or a run, which contains one) and reads it in batches of
whole games, so a run may be larger than memory. Most return a ``Table``: a frame, a title, and a note on how to read
it. No function here is specific to one game: each game has its own analyses in its package
(``wsim.wonders.analysis``).

Tables of one run: policies, factor, owners (cards built, discs owned, ...), owner_pairs, owner_chains, matchups,
crowding, strengths (Plackett-Luce), variance_shares. ``stack`` combines the tables of several runs into one. For causal
effects on common deals: SequentialTest. Numerical tools: Estimate, Moments, wilson, benjamini_hochberg, shrink. For the
command line and the page: Analysis, Option.
"""

from wsim.stats.analysis import Analysis, Option
from wsim.stats.combined import stack
from wsim.stats.intervals import Estimate, benjamini_hochberg, wilson
from wsim.stats.matchup_table import crowding, matchups
from wsim.stats.moments import Moments
from wsim.stats.owner_table import owners
from wsim.stats.pairs import owner_chains, owner_pairs
from wsim.stats.ratings import strengths
from wsim.stats.sequential import SequentialTest
from wsim.stats.shrinkage import shrink
from wsim.stats.tables import OBSERVATIONAL, Table, factor, policies
from wsim.stats.variance import variance_shares

__all__ = [
    "OBSERVATIONAL",
    "Analysis",
    "Estimate",
    "Moments",
    "Option",
    "SequentialTest",
    "Table",
    "benjamini_hochberg",
    "crowding",
    "factor",
    "matchups",
    "owner_chains",
    "owner_pairs",
    "owners",
    "policies",
    "shrink",
    "stack",
    "strengths",
    "variance_shares",
    "wilson",
]


def __dir__() -> list[str]:
    return sorted(__all__)
