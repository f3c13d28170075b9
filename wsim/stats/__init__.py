"""Statistics of runs, on Polars LazyFrames: tables with intervals clustered by game, and tests that keep their promises.

Every function takes a seats table (a LazyFrame, a DataFrame, or a run, which has one) and reads it in batches of whole
games, so a run may be larger than memory.

Tables of a run: wonders, policies, factor, cards, card_picks; with_neighbours.
"""

from wsim.stats.card_picks import card_picks
from wsim.stats.card_table import cards
from wsim.stats.intervals import Estimate, benjamini_hochberg, wilson
from wsim.stats.moments import Moments, clustered_difference, clustered_mean
from wsim.stats.tables import OBSERVATIONAL, Table, factor, policies, with_neighbours, wonders

__all__ = [
    "OBSERVATIONAL",
    "Estimate",
    "Moments",
    "Table",
    "benjamini_hochberg",
    "card_picks",
    "cards",
    "clustered_difference",
    "clustered_mean",
    "factor",
    "policies",
    "wilson",
    "with_neighbours",
    "wonders",
]
