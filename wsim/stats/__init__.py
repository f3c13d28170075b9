"""Statistics of runs, on Polars LazyFrames: tables with intervals clustered by game, tests that keep their promises.

Every function takes a seats table (a LazyFrame, a DataFrame, or a run, which has one) and reads it in batches of whole
games, so a run may be larger than memory. Most return a ``Table``: a frame, a title, and a note on what it says.

Tables of one run: wonders, policies, factor, cards, card_picks, matchups, crowding, strengths (Plackett-Luce),
card_pairs, card_chains, variance_shares, calibrate (against human players). ``with_neighbours`` adds the neighbours'
boards to a seats table, ``combine`` makes one of several.
Causal: paired (two runs on the same deals) with deal_differences and SequentialTest, pick_effects (randomised picks).
Numbers: clustered_mean, clustered_difference, Estimate, Moments, wilson, benjamini_hochberg, shrink.
"""

from wsim.stats.card_table import cards
from wsim.stats.combined import combine
from wsim.stats.intervals import Estimate, benjamini_hochberg, wilson
from wsim.stats.matchup_table import crowding, matchups
from wsim.stats.moments import Moments, clustered_difference, clustered_mean
from wsim.stats.paired_runs import deal_differences, paired
from wsim.stats.pairs import card_chains, card_pairs
from wsim.stats.ratings import strengths
from wsim.stats.sequential import Decision, SequentialTest
from wsim.stats.shrinkage import shrink
from wsim.stats.tables import OBSERVATIONAL, Table, factor, policies, with_neighbours, wonders
from wsim.stats.variance import variance_shares
from wsim.wonders.analysis.calibration import calibrate, human_figures
from wsim.wonders.analysis.card_picks import card_picks
from wsim.wonders.analysis.propensity import pick_effects

__all__ = [
    "OBSERVATIONAL",
    "Decision",
    "Estimate",
    "Moments",
    "SequentialTest",
    "Table",
    "benjamini_hochberg",
    "calibrate",
    "card_chains",
    "card_pairs",
    "card_picks",
    "cards",
    "clustered_difference",
    "clustered_mean",
    "combine",
    "crowding",
    "deal_differences",
    "factor",
    "human_figures",
    "matchups",
    "paired",
    "pick_effects",
    "policies",
    "shrink",
    "strengths",
    "variance_shares",
    "wilson",
    "with_neighbours",
    "wonders",
]
